"""What concerns one player of a team: being late, bouncing, blocked, asked, or in the team twice."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from email.message import EmailMessage

import pytest

from service.mail.grammar.orders import parse
from service.play.accounts import deletion, guests
from service.play.match import invitations, lobby, substitutes
from service.play.match.invitations import LobbyError
from service.play.match.lobby import Chair
from service.play.operations import packing
from service.play.operations.sweep import sweep
from service.play.orders.submit import Incoming, submit
from service.play.pages import analysis, match_lists, match_page, profiles
from service.play.talk import happenings, messages, moderation
from tests.play.conftest import Town
from tests.play.match.test_substitutes import pass_time
from tests.play.outbox.test_deliver import report
from tests.play.pages.test_analysis import drawn
from tests.play.table.test_teams import (
    AT_NO_TIME,
    NAMES,
    PAIRS,
    address,
    begun,
    flat,
    line_of,
    movers,
    order,
    page_of,
    person,
    team,
    to,
)


def test_the_offer_of_a_pause_is_sent_to_the_next_player_of_the_team(town: Town) -> None:
    match = begun(town, "rosette", *PAIRS, clock="7d/move")
    assert order(town, match, "ada", "pause") == ""
    town.post()
    asked: dict[str, EmailMessage] = {}
    for number, (name, move) in enumerate((("ada", "e5"), ("ben", "e6"), ("eva", "f5"), ("cleo", "f6")), start=1):
        assert order(town, match, name, move) == ""
        mails = {
            mail["To"].addresses[0].username: mail
            for mail in town.post()
            if "can the match be paused" in mail["Subject"]
        }
        assert set(mails) == ({"cleo"} if number == 2 else set()), "Nobody is told twice."
        asked |= mails
    for name, move in (("ada", "g5"), ("ben", "g6")):
        assert order(town, match, name, move) == ""
    town.post()
    town.reply(asked["cleo"], "accept")
    assert "agreed: the match is paused" in flat(to(town.post())["eva"])


def test_the_offer_of_a_pause_is_sent_to_the_player_who_gets_the_turn_back(town: Town) -> None:
    match = begun(town, "rosette", *PAIRS, clock="7d/move")
    orders = [("ada", "e5"), ("ben", "e6"), ("eva", "f5"), ("cleo", "pause"), ("ada", "takeback")]
    for name, text in orders:
        assert order(town, match, name, text) == ""
    asked = [mail["To"].addresses[0].username for mail in town.post() if "can the match be paused" in mail["Subject"]]
    assert asked == ["ada"]
    assert order(town, match, "cleo", "accept takeback") == ""
    (mail,) = [mail for mail in town.post() if "can the match be paused" in mail["Subject"]]
    assert mail["To"].addresses[0].username == "eva"
    town.reply(mail, "accept")
    assert "agreed: the match is paused" in flat(to(town.post())["cleo"])


def test_bouncing_emails_to_a_player_in_a_team_are_reported_by_name(town: Town) -> None:
    match = begun(town, "rosette", *PAIRS)
    town.post()
    report(town, address("eva"), "delivery-status", "Action: failed\nStatus: 5.1.1")
    town.now += timedelta(minutes=1)
    sweep(town.site)
    town.work()
    mails = to(town.post())
    assert set(mails) == {"ada", "ben", "cleo"}
    assert "Emails to Eva are bouncing, so Eva may not know" in flat(mails["ada"])
    assert "Emails to Black (Eva) are bouncing" in flat(mails["ben"])
    for name, move in (("ada", "e5"), ("ben", "e6")):
        order(town, match, name, move)
    assert "eva" not in to(town.post())
    assert order(town, match, "eva", "f5") == ""


def test_a_bounced_invitation_doesnt_say_who_has_the_address(town: Town) -> None:
    begun(town, "rosette", *PAIRS)
    town.post()
    wanted = "new rosette with eva@example.org base=5 vs ben@example.org with cleo@example.org"
    town.reply(to(town.write(address("ada"), wanted))["ben"], "accept")
    town.post()
    report(town, address("eva"), "delivery-status", "Action: failed\nStatus: 5.1.1")
    mails = to([mail for mail in town.post() if mail["Subject"].startswith("Rosette 2")])
    assert set(mails) == {"ada", "ben"}
    assert "Emails to your partner are bouncing" in flat(mails["ada"])
    assert "Emails to Black are bouncing" in flat(mails["ben"])


def test_a_late_player_is_named_and_not_their_whole_team(town: Town) -> None:
    clock, chairs = "3d/move, no vacation, late extends", (team("ada", "eva"), team("ben"), team("cleo"))
    begun(town, "multigo", *chairs, clock=clock)
    town.post()
    pass_time(town, 3.1)
    mails = to(town.post())
    assert "You're late. The match waits once more" in flat(mails["ada"])
    assert "Ada is late. The match waits once more" in flat(mails["eva"])
    assert "it goes on without that move" in flat(mails["eva"])
    assert mails["ben"]["Subject"].endswith("Black (Ada) is late")


def test_in_an_anonymous_match_a_late_player_is_called_a_partner(town: Town) -> None:
    clock, chairs = (
        "3d/move, no vacation, late extends",
        (team("ada", "eva"), team("ben", "cleo"), team("dana", "finn")),
    )
    match = begun(town, "multigo", *chairs, clock=clock, talk="private anonymous")
    late = movers(town, match)[0]
    town.post()
    pass_time(town, 3.1)
    subjects = {name: mail["Subject"].partition(": ")[2] for name, mail in to(town.post()).items()}
    partner = next(name for name in NAMES if name != late and line_of(town, match, name).my_seat == 0)
    assert (subjects.pop(late), subjects.pop(partner)) == ("you're late", "your partner is late")
    assert {*subjects.values()} == {"Black is late"}


def test_a_player_blocked_by_one_of_a_team_cannot_join_its_match(town: Town) -> None:
    match = begun(town, "rosette", *PAIRS, substitutes=True)
    moderation.set_block(town.site, person(town, "eva"), person(town, "finn"), blocked=True)
    substitutes.offer(town.site, match, person(town, "cleo"), "anybody")
    with pytest.raises(LobbyError, match="want to play with you"):
        substitutes.join(town.site, match, person(town, "finn"))
    new = lobby.open_match(town.site, person(town, "ada"), "rosette", {}, (team("ada", "eva"), Chair("open")))
    invitations.answer(town.site, new, person(town, "eva"), True)
    with pytest.raises(LobbyError, match="want to play with you"):
        substitutes.join(town.site, new, person(town, "finn"))
    ben, eva = (Chair("player", player_id=person(town, name)) for name in ("ben", "eva"))
    chairs = (Chair("me"), replace(ben, mates=(eva,)))
    with pytest.raises(LobbyError, match="accept invitations from you"):
        lobby.open_match(town.site, person(town, "finn"), "rosette", {}, chairs)


def with_guest(town: Town, *chairs: Chair) -> tuple[int, int]:
    """A match of Ada's and the guest who has joined it."""
    begun(town, "rosette", *PAIRS)
    guest = guests.enter(town.site, "key", "a browser").id
    match = lobby.open_match(town.site, person(town, "ada"), "rosette", {"base": "5"}, chairs, AT_NO_TIME)
    substitutes.join(town.site, match, guest)
    return match, guest


def test_a_player_who_claims_a_guests_place_in_their_own_team_moves_for_both(town: Town) -> None:
    match, guest = with_guest(town, Chair("me", mates=(Chair("open"),)), team("ben"))
    invitations.answer(town.site, match, person(town, "ben"), True)
    with town.store.writing() as session:
        guests.claim(session, guest, person(town, "ada"))
    for name, move in (("ada", "e5"), ("ben", "e6"), ("ada", "f5"), ("ben", "f6"), ("ada", "g5")):
        assert order(town, match, name, move) == ""


def test_the_match_of_a_guests_team_can_be_read_after_it_was_packed_and_claimed(town: Town) -> None:
    match, guest = with_guest(town, Chair("me", mates=(Chair("open"),)), team("ben"))
    invitations.answer(town.site, match, person(town, "ben"), True)
    assert [order(town, match, name, move) for name, move in (("ada", "e5"), ("ben", "e6"))] == ["", ""]
    submit(town.site, Incoming("guest", match, 0, guest, None, parse("f5"), "web"))
    town.work()
    assert order(town, match, "ben", "resign") == ""
    town.now += timedelta(days=40)
    town.work()
    assert packing.pack_old(town.site) == 1
    with town.store.writing() as session:
        guests.claim(session, guest, person(town, "eva"))
    page = match_page.match_page(town.site, match, person(town, "eva"))
    assert page is not None
    assert [entry.name for entry in page.entries] == ["Ada", "", "Eva", ""]


def test_a_match_in_which_a_player_has_two_seats_is_listed_once(town: Town) -> None:
    match, guest = with_guest(town, Chair("me"), Chair("open"))
    ada = person(town, "ada")
    with town.store.writing() as session:
        guests.claim(session, guest, ada)
    assert [line.id for line in match_lists.my_matches(town.site, ada)].count(match) == 1
    assert [line.id for line in profiles.own_matches(town.site, ada)[0]].count(match) == 1
    assert [one.match_id for one in happenings.waiting(town.site, ada).happenings].count(match) == 1


def test_a_player_with_two_seats_who_deletes_their_account_resigns_both(town: Town) -> None:
    begun(town, "rosette", *PAIRS)
    guest, ada = guests.enter(town.site, "key", "a browser").id, person(town, "ada")
    chairs = (Chair("me"), Chair("open"), *(Chair("player", player_id=person(town, name)) for name in ("ben", "cleo")))
    match = lobby.open_match(town.site, ada, "multigo", {"size": "5"}, chairs, AT_NO_TIME)
    substitutes.join(town.site, match, guest)
    for name in ("ben", "cleo"):
        invitations.answer(town.site, match, person(town, name), True)
    with town.store.writing() as session:
        guests.claim(session, guest, ada)
    deletion.leave(town.site, ada)
    town.work()
    page = match_page.match_page(town.site, match, None)
    assert page is not None
    assert [(entry.seat, entry.move) for entry in page.entries] == [(0, "resign"), (1, "resign")]


def test_a_match_in_which_a_player_moves_for_two_seats_waits_for_them_once(town: Town) -> None:
    begun(town, "rosette", *PAIRS)
    guest, ada = guests.enter(town.site, "key", "a browser").id, person(town, "ada")
    waiting = match_lists.needing(town.site, ada)
    match = lobby.open_match(town.site, ada, "multigo-parallel", {"size": "5"}, (Chair("me"), Chair("open")))
    substitutes.join(town.site, match, guest)
    with town.store.writing() as session:
        guests.claim(session, guest, ada)
    assert match_lists.needing(town.site, ada) == waiting + 1


def test_notes_of_a_player_and_their_guest_on_one_match_are_joined(town: Town) -> None:
    match, guest = with_guest(town, Chair("me"), Chair("open"))
    ada = person(town, "ada")
    for player_id, text in ((ada, "Mine"), (guest, "Also mine")):
        messages.keep_note(town.site, match, player_id, text)
    with town.store.writing() as session:
        guests.claim(session, guest, ada)
    assert messages.heard(town.site, match, ada).note == "Mine\n\nAlso mine"


def test_moves_that_a_player_and_their_guest_tried_on_one_match_are_joined(town: Town) -> None:
    match, guest = with_guest(town, Chair("me"), Chair("open"))
    ada = person(town, "ada")
    for player_id, moves in ((guest, "e5 e6 f5"), (ada, "e5 f6"), (guest, "g5 g6"), (ada, "e5 e6 f6")):
        tried = None
        for move in moves.split():
            tried = analysis.attempt(town.site, match, player_id, 0, tried, move)
    with town.store.writing() as session:
        guests.claim(session, guest, ada)
    study = analysis.study(town.site, match, ada, 0, None)
    assert study is not None
    assert drawn(study.tree) == "(e5 (e6 (f5) (f6)) (f6)) (g5 (g6))"
    (first, _) = study.tree
    for branch in (first, *first.after, *first.after[0].after):
        assert analysis.study(town.site, match, ada, 0, branch.id) is not None
    analysis.forget(town.site, match, ada, 0, first.id)
    study = analysis.study(town.site, match, ada, 0, None)
    assert study is not None
    assert drawn(study.tree) == "(g5 (g6))"


def test_remarks_of_blocked_players_of_a_team_are_hidden_from_those_who_blocked_them_and_only_those(
    town: Town,
) -> None:
    """It makes no difference who has the turn in either team, as with other messages."""
    match = begun(town, "rosette", *PAIRS)
    moderation.set_block(town.site, person(town, "ben"), person(town, "ada"), blocked=True)
    for name, move in (("ada", "e5"), ("ben", "e6"), ("eva", "f5"), ("cleo", "f6")):
        assert order(town, match, name, move, f"from {name}") == ""
        for reader in ("ada", "ben", "cleo", "eva"):
            read = [entry.remark for entry in page_of(town, match, reader).entries]
            assert ("from ada" in read) == (reader != "ben")
            assert f"from {name}" in read or (reader, name) == ("ben", "ada")
    letters = to(town.post())
    assert "from ada" not in flat(letters["ben"])
    assert "from ada" in flat(letters["cleo"])
