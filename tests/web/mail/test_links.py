"""The pages that links in emails lead to."""

from __future__ import annotations

import re
from datetime import timedelta

from sqlalchemy import select

from service.play import links
from service.play.accounts import identity
from service.play.inbox.receive import receive
from service.store.models import Player, Seat
from service.store.tables.mail_rows import IncomingMail
from tests.play.conftest import Town, whole
from tests.web.conftest import Forms, Visitor, words


def held_mail(town: Town) -> str:
    """The path of the page that confirms an order from an address that isn't the player's."""
    (turn,) = [mail for mail in town.post() if "your move" in mail["Subject"]]
    receive(town.site, *town.written(turn, "g10 <b>", sender="other@example.net"), "smtp")
    town.work()
    found = re.search(r"https?://[^/]+(/mail/confirm/\S+)", whole(town.post()[0]))
    assert found is not None
    return found[1]


def test_a_held_order_is_shown_and_confirmed_by_pressing_a_button(
    town: Town, ada: Visitor, bruno: Visitor, anybody: Visitor
) -> None:
    path = str(ada.send("/new/rosette", other1="email", address1="bruno@example.org", base="5").location)
    bruno.send(path, f"{path}/answer", answer="accept")
    town.work()
    page = held_mail(town)
    shown = anybody.get(page)
    assert "g10 &lt;b&gt;" in shown.text
    assert "other@example.net" in shown.text
    assert "as a reply about Rosette 1." in words(shown)
    with town.store.reading() as session:
        assert session.get_one(IncomingMail, 1).verdict == "held"
    assert anybody.send(page).location == page
    with town.store.reading() as session:
        assert session.get_one(IncomingMail, 1).verdict == "order"
    assert "Your email counts now." in anybody.read(page)


def test_the_page_of_a_confirmed_email_never_says_that_nothing_was_played(
    town: Town, ada: Visitor, bruno: Visitor, anybody: Visitor
) -> None:
    path = str(ada.send("/new/rosette", other1="email", address1="bruno@example.org", base="5").location)
    bruno.send(path, f"{path}/answer", answer="accept")
    town.work()
    page = held_mail(town)
    anybody.send(page)
    town.now += timedelta(days=30)
    assert "Your email counts now." in anybody.read(page)


def test_an_incomplete_link_is_explained(anybody: Visitor) -> None:
    answer = anybody.get("/mail/confirm/abc")
    assert answer.status_code == 410
    assert "is incomplete" in words(answer)


def links_to_stop(town: Town) -> tuple[str, str]:
    """The link in the text of an email to the player who is to move, and the one in its header."""
    with town.store.reading() as session:
        seat = session.scalars(select(Seat).where(Seat.to_move)).one()
    both = [make(town.site, seat.player_id or 0, seat.match_id) for make in (links.to_stop, links.to_stop_at_once)]
    return both[0].removeprefix(town.settings.public_url), both[1].removeprefix(town.settings.public_url)


def test_emails_are_stopped_by_a_program_without_a_page(town: Town, match: str, anybody: Visitor) -> None:
    _, header = links_to_stop(town)
    assert "You get emails about Rosette 1." in anybody.read(header)
    answer = anybody.client.post(header, data={"List-Unsubscribe": "One-Click"})
    assert answer.status_code == 200
    assert "You get no emails about Rosette" in words(answer)


def test_a_link_in_a_text_stops_nothing_for_somebody_else(
    town: Town, match: str, anybody: Visitor, bruno: Visitor
) -> None:
    page, header = links_to_stop(town)
    for path in (page, header):
        for data in ({}, {"all": "1"}, {"again": "1"}, {"address": "bruno@example.org"}):
            answer = anybody.client.post(path, data=data)
            assert answer.status_code == 403
            assert "Type the one they come to. Nothing was changed." in words(answer)
        assert bruno.client.post(path, data={}).status_code == 403
    assert "ada@" not in anybody.read(page)
    answer = anybody.client.post(page, data={"List-Unsubscribe": "One-Click"})
    assert answer.status_code == 400
    assert "This link asks for confirmation first. Open it in a browser. Nothing was changed." in words(answer)
    assert "You get emails about Rosette 1." in anybody.read(page)


def test_their_reader_can_stop_emails_signed_in_or_with_the_address(
    town: Town, match: str, anybody: Visitor, ada: Visitor
) -> None:
    page, _ = links_to_stop(town)
    assert "You get no emails about Rosette" in words(anybody.client.post(page, data={"address": " ADA@example.org"}))
    assert "Type the whole address" not in ada.read(page)
    assert "You get emails about Rosette 1." in words(ada.client.post(page, data={"again": "1"}))
    assert "no emails from Stonepost except answers" in words(ada.client.post(page, data={"all": "1"}))


def test_a_player_who_gets_no_other_emails_can_start_those_about_a_match(town: Town, match: str, ada: Visitor) -> None:
    page, _ = links_to_stop(town)
    ada.client.post(page, data={"all": "1"})
    with town.store.writing() as session:
        session.scalars(select(Seat).where(Seat.player_id == ada.id)).one().post = "mute"
    assert "no emails about Rosette 1 except a reminder" in ada.read(page)
    assert "You get emails about Rosette 1." in words(ada.client.post(page, data={"again": "1"}))


def test_a_form_sent_twice_keeps_the_digest_of_a_player_who_gets_emails_again(
    town: Town, match: str, ada: Visitor
) -> None:
    page, _ = links_to_stop(town)
    with town.store.writing() as session:
        session.get_one(Player, ada.id).post = "digest"
    ada.client.post(page, data={"all": "1", "again": "1"})
    with town.store.reading() as session:
        assert session.get_one(Player, ada.id).post == "digest"


def test_a_form_sent_twice_keeps_the_digest_of_a_match_whose_emails_come_again(
    town: Town, match: str, ada: Visitor
) -> None:
    page, _ = links_to_stop(town)
    with town.store.writing() as session:
        session.scalars(select(Seat).where(Seat.player_id == ada.id)).one().post = "digest"
    ada.client.post(page, data={"again": "1"})
    with town.store.reading() as session:
        assert session.scalars(select(Seat).where(Seat.player_id == ada.id)).one().post == "digest"


def test_a_player_with_a_digest_does_not_read_that_every_move_is_an_email(
    town: Town, match: str, anybody: Visitor
) -> None:
    page, _ = links_to_stop(town)
    with town.store.writing() as session:
        session.scalars(select(Player).where(Player.email == "ada@example.org")).one().post = "digest"
    assert "whenever" not in anybody.read(page)


def test_an_incomplete_link_to_stop_emails_is_explained(anybody: Visitor) -> None:
    answer = anybody.client.post("/mail/stop/abc")
    assert answer.status_code == 410
    assert "is incomplete" in words(answer)


def test_both_players_see_that_mail_bounces(town: Town, match: str, ada: Visitor, bruno: Visitor) -> None:
    with town.store.writing() as session:
        player = session.get_one(Player, bruno.id)
        player.bounced, player.bounces_known = town.now, True
    assert "Emails to White are bouncing." in ada.read(match)
    assert "Emails to you are bouncing" in bruno.read(match)
    assert "Emails to this address have been bouncing since" in bruno.read("/account")


def test_nothing_counts_by_a_link_that_was_cut(anybody: Visitor) -> None:
    csrf = dict(Forms(anybody.get("/sign-in").text).forms)["/sign-in"]["csrf_token"]
    answer = anybody.client.post("/mail/confirm/abc", data={"csrf_token": csrf})
    assert answer.status_code == 410
    assert "is incomplete" in words(answer)


def test_a_link_to_stop_emails_about_a_match_ends_with_the_seat(
    town: Town, match: str, anybody: Visitor, ada: Visitor
) -> None:
    page, header = links_to_stop(town)
    with town.store.writing() as session:
        seat = session.scalars(select(Seat).where(Seat.player_id == ada.id)).one()
        seat.player_id = identity.by_email(session, "carla@example.org", town.now).id
    for answer in (anybody.get(page), anybody.client.post(header, data={"List-Unsubscribe": "One-Click"})):
        assert answer.status_code == 410
        assert "You no longer have a seat in this match, so there are no emails about it to stop." in words(answer)
