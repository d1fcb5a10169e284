"""Changing the email address: confirmed at the new one, objected to at the old one."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import timedelta
from email.message import EmailMessage

import pytest
from sqlalchemy import select

from service.mail import reply_address as signed
from service.mail.reply_address import Purpose
from service.play.accounts import email_change, identity, passkeys, passwords, recovery
from service.play.inbox.receive import receive
from service.play.operations import retention, sweep
from service.store.models import Player
from service.store.tables.credentials import AddressChange, Passkey
from service.store.tables.mail_rows import IncomingMail
from tests.play.conftest import Town, plain, whole
from tests.web.conftest import Visitor, links, words

OLD, NEW, LATER = "ada@example.org", "ada@new.example", "eve@evil.example"


def letters(town: Town) -> dict[str, tuple[str, str]]:
    """The emails posted since the last look: recipient, subject and the path of the link."""
    town.work()
    return {to(mail): (mail["Subject"], path(mail)) for mail in town.post()}


def to(mail: EmailMessage) -> str:
    return str(mail["To"].addresses[0].addr_spec)


def path(mail: EmailMessage) -> str:
    found = re.search(r"https?://[^/\s]+(/\S+)", whole(mail))
    return found[1] if found else ""


def ask(visitor: Visitor, email: str = NEW) -> str:
    return words(visitor.send("/account/address", email=email))


def change(town: Town, visitor: Visitor, email: str = NEW) -> str:
    """Changes the address, with both sides agreeing, and returns the path with which the old one may object."""
    ask(visitor, email)
    posted = letters(town)
    (approval,) = (link for address, (_, link) in posted.items() if address != email)
    visitor.send(posted[email][1])
    assert "The old address must agree too" in visitor.read(posted[email][1])
    visitor.send(approval, approve="1")
    assert "Your address has been changed" in visitor.read(posted[email][1])
    ((_, objection),) = letters(town).values()
    assert objection == approval
    return objection


def email(town: Town, visitor: Visitor) -> str | None:
    with town.store.reading() as session:
        return session.get_one(Player, visitor.id).email


def test_an_account_isnt_deleted_while_the_old_address_can_still_get_it_back(
    town: Town, ada: Visitor, anybody: Visitor
) -> None:
    ada.send("/account/leave", words="leave")
    ask(ada)
    link = letters(town)[NEW][1]
    anybody.send(link)
    town.now += email_change.DELAY + timedelta(minutes=1)
    sweep.sweep(town.site)
    objection = letters(town)[OLD][1]
    town.now += timedelta(days=5)
    sweep.sweep(town.site)
    anybody.send(objection)
    assert email(town, ada) == OLD


def test_both_addresses_agree_and_the_old_one_gets_an_email(town: Town, ada: Visitor, anybody: Visitor) -> None:
    assert f"One link is on its way to {NEW} and another to {OLD} ." in ask(ada)
    posted = letters(town)
    assert {address: subject for address, (subject, _) in posted.items()} == {
        NEW: "Confirm your new email address at Stonepost",
        OLD: "Change the email address of your Stonepost account?",
    }
    new, old = posted[NEW][1], posted[OLD][1]
    for _ in range(2):
        assert NEW in anybody.read(new)
        assert NEW in anybody.read(old)
    assert anybody.send(new).location == new
    assert email(town, ada) == OLD
    assert anybody.send(old, approve="1").location == old
    assert email(town, ada) == NEW
    assert letters(town)[OLD][0] == "The email address of your Stonepost account was changed"
    for link in (new, old):
        assert anybody.client.post(link, data=token(anybody) | {"approve": "1"}).location == link
    assert "Your address has been changed" in anybody.read(new)
    assert letters(town) == {}


def test_a_change_that_was_forgotten_can_be_asked_for_again(town: Town, ada: Visitor) -> None:
    ask(ada)
    posted = letters(town)
    town.now += timedelta(days=8)
    retention.delete_old(town.site)
    ask(ada)
    later = letters(town)
    assert {*later} == {OLD, NEW}
    for address in (OLD, NEW):
        assert later[address][1] != posted[address][1]


def test_an_old_link_is_never_about_somebody_elses_change(
    town: Town, ada: Visitor, bruno: Visitor, anybody: Visitor
) -> None:
    ask(ada)
    posted = letters(town)
    town.now += timedelta(days=8)
    retention.delete_old(town.site)
    ask(bruno, LATER)
    for _, link in posted.values():
        assert LATER not in anybody.read(link)


@pytest.mark.parametrize("first", ["old", "new"])
def test_either_side_may_agree_first(town: Town, ada: Visitor, first: str) -> None:
    ask(ada)
    posted = letters(town)
    links = {"new": (posted[NEW][1], {}), "old": (posted[OLD][1], {"approve": "1"})}
    for side in sorted(links, key=lambda side: side != first):
        assert email(town, ada) == OLD
        link, pressed = links[side]
        ada.send(link, **pressed)
    assert email(town, ada) == NEW


def test_one_email_is_not_enough_to_change_the_address(town: Town, ada: Visitor, anybody: Visitor) -> None:
    """Somebody who gets one forged email past us has the link at the new address, and nothing more."""
    posted = {to(mail): path(mail) for mail in town.write(OLD, f"address {LATER}") if to(mail) == LATER}
    anybody.send(posted[LATER])
    assert "The change takes effect as soon as the link sent to" in anybody.read(posted[LATER])
    for _ in range(8):
        town.now += timedelta(days=1)
        sweep.sweep(town.site)
    assert email(town, ada) == OLD


def test_an_open_browser_is_not_enough_to_change_the_address(town: Town, ada: Visitor) -> None:
    town.now += timedelta(minutes=16)
    ask(ada)
    ada.send(letters(town)[NEW][1])
    for _ in range(8):
        town.now += timedelta(days=1)
        sweep.sweep(town.site)
    assert email(town, ada) == OLD


def test_a_change_right_after_signing_in_needs_no_approval_but_waits(town: Town, ada: Visitor) -> None:
    assert "If you can no longer read the old inbox" in ask(ada)
    new = letters(town)[NEW][1]
    ada.send(new)
    assert "The change takes effect on Tuesday 24 November, 12:00 (UTC)" in ada.read(new)
    town.now += timedelta(days=3, minutes=-1)
    sweep.sweep(town.site)
    assert email(town, ada) == OLD
    assert f"You've asked for {NEW} . It becomes your address on" in ada.read("/account/address")
    town.now += timedelta(minutes=2)
    for _ in range(2):
        sweep.sweep(town.site)
    assert email(town, ada) == NEW
    assert [subject for subject, _ in letters(town).values()] == [
        "The email address of your Stonepost account was changed"
    ]


def test_the_old_address_can_stop_the_change_and_shut_the_thief_out(
    town: Town, ada: Visitor, sign_in: Callable[[str], Visitor], anybody: Visitor
) -> None:
    thief = sign_in(OLD)
    ask(thief)
    posted = letters(town)
    thief.send(posted[NEW][1])
    assert "tokens of programs and bots revoked" in anybody.read(posted[OLD][1])
    anybody.send(posted[OLD][1])
    assert "The change has been stopped" in anybody.read(posted[OLD][1])
    assert thief.get("/account").status_code == 303
    town.now += timedelta(days=4)
    sweep.sweep(town.site)
    assert email(town, ada) == OLD
    assert "This change was cancelled." in anybody.read(posted[NEW][1])


def test_the_old_address_can_stop_a_change_as_long_as_it_waits(
    town: Town, ada: Visitor, sign_in: Callable[[str], Visitor], anybody: Visitor
) -> None:
    thief = sign_in(OLD)
    ask(thief)
    posted = letters(town)
    town.now += email_change.CONFIRM - timedelta(hours=1)
    anybody.send(posted[NEW][1])
    town.now += email_change.DELAY - timedelta(hours=1)
    assert "The change has been stopped" not in anybody.read(posted[OLD][1])
    anybody.send(posted[OLD][1])
    assert "The change has been stopped" in anybody.read(posted[OLD][1])
    town.now += timedelta(hours=2)
    sweep.sweep(town.site)
    assert email(town, ada) == OLD


def test_a_change_that_waits_is_called_off_when_the_owner_takes_the_account_back(
    town: Town, ada: Visitor, sign_in: Callable[[str], Visitor], anybody: Visitor
) -> None:
    thief = sign_in(OLD)
    ask(thief)
    anybody.send(letters(town)[NEW][1])
    with town.store.reading() as session:
        link = recovery.link(town.site, session.get_one(Player, ada.id), town.now)
    recovery.recover(town.site, link.rpartition("/")[2])
    town.now += email_change.DELAY + timedelta(minutes=1)
    sweep.sweep(town.site)
    assert email(town, ada) == OLD


def test_who_takes_an_account_back_gets_its_emails_though_those_to_the_thief_bounced(
    town: Town, ada: Visitor, anybody: Visitor
) -> None:
    objection = change(town, ada, LATER)
    with town.store.writing() as session:
        thief = session.get_one(Player, ada.id)
        thief.bounced, thief.bounces_known = town.now, True
    anybody.send(objection)
    with town.store.reading() as session:
        owner = session.get_one(Player, ada.id)
        assert (owner.email, owner.bounced, owner.bounces_known) == (OLD, None, False)


def test_a_requested_change_can_be_cancelled_in_the_account(town: Town, ada: Visitor) -> None:
    ask(ada)
    posted = letters(town)
    ada.send(posted[NEW][1])
    ada.send("/account/address", "", call_off="1")
    assert "You've asked for" not in ada.read("/account/address")
    assert "The change has been stopped" in ada.read(posted[OLD][1])
    town.now += timedelta(days=4)
    sweep.sweep(town.site)
    assert email(town, ada) == OLD
    assert ada.get("/account").status_code == 200


def token(visitor: Visitor) -> dict[str, str]:
    page = visitor.get("/sign-in").text
    return {"csrf_token": page.partition('name="csrf_token" value="')[2].partition('"')[0]}


@pytest.mark.parametrize(
    ("email", "why"),
    [
        ("ada", "isn't an email address"),
        ("ada]@example.org", "isn't an email address"),
        ("ada\x7f@example.org", "isn't an email address"),
        ("ada@example..org", "isn't an email address"),
        ("ada@example.org.", "isn't an email address"),
        ("ADA@example.org ", "That's already your email address."),
        ("", "Type an email address"),
    ],
)
def test_the_refusal_says_what_is_wrong_with_an_address(ada: Visitor, email: str, why: str) -> None:
    assert why in ask(ada, email)


def test_nobody_learns_whose_address_it_is(town: Town, ada: Visitor, bruno: Visitor) -> None:
    taken, free = ask(ada, "bruno@example.org"), ask(ada, "free@example.org")
    assert taken.replace("bruno", "free") == free
    posted = letters(town)
    assert posted["bruno@example.org"] == ("Somebody wants to use your email address at Stonepost", "/sign-in")
    assert posted["free@example.org"][0] == "Confirm your new email address at Stonepost"


def test_a_players_exported_data_do_not_reveal_it_either(town: Town, ada: Visitor, bruno: Visitor) -> None:
    told = []
    for email in ("bruno@example.org", "fresh@example.org"):
        ask(ada, email)
        town.work()
        data = json.loads(ada.get("/account/data.json").text)
        rows = [data["letter"][-1], data["address_change"][-1]]
        told.append([{name: value for name, value in row.items() if name not in VARYING} for row in rows])
    assert told[0] == told[1]


VARYING = ("id", "new", "asked", "created", "due", "sent")


def test_a_form_sent_twice_sends_one_mail_and_a_day_has_its_limit(town: Town, ada: Visitor) -> None:
    ask(ada)
    ask(ada)
    assert letters(town).keys() == {OLD, NEW}
    for number in range(4):
        ask(ada, f"{number}@new.example")
    assert "too often today" in ask(ada, "more@new.example")
    assert len(letters(town)) == 5


def test_links_expire_and_end_with_the_change_they_were_for(town: Town, ada: Visitor) -> None:
    ask(ada)
    posted = letters(town)
    first_old = posted[OLD][1]
    ask(ada, LATER)
    posted |= letters(town)
    town.now += timedelta(hours=73)
    for address in (NEW, OLD):
        assert "This link has expired." in ada.read(posted[address][1])
    town.now -= timedelta(hours=73)
    ada.send(posted[NEW][1])
    ada.send(first_old, approve="1")
    assert "This change was cancelled." in ada.read(posted[LATER][1])
    incomplete = ada.get(posted[LATER][1][:-2])
    assert (incomplete.status_code, "This link is incomplete." in words(incomplete)) == (410, True)


def test_the_old_address_can_take_the_account_back_from_a_thief(
    town: Town, bruno: Visitor, ada: Visitor, sign_in: Callable[[str], Visitor], anybody: Visitor
) -> None:
    thief, carl = sign_in(OLD), sign_in("carl@example.org")
    assert bruno.id < ada.id < carl.id
    first = change(town, thief)
    second = change(town, thief, LATER)
    passwords.keep(town.site, thief.id, "umber lantern otter", "once")
    with town.store.writing() as session:
        session.add(Passkey(credential="c", player_id=thief.id, public_key=b"", uses=0, name="A key", made=town.now))
    for other in (bruno, carl):
        ask(other, f"{other.id}@new.example")
    anybody.send("/sign-in", "/sign-in", email=LATER)
    town.work()
    (link,) = links(town)
    assert OLD in anybody.read(first)
    assert "tokens of programs and bots revoked" in anybody.read(first)
    assert anybody.send(first).location == first
    assert email(town, ada) == OLD
    assert {visitor.get("/account").status_code for visitor in (ada, thief)} == {303}
    assert not passwords.is_set(town.site, ada.id)
    assert passkeys.of(town.site, ada.id) == []
    assert "no longer yours" in words(anybody.send(link))
    assert "The account is yours again" in anybody.read(first)
    assert "This change has already been undone." in anybody.read(second)
    for other in (bruno, carl):
        assert email_change.pending(town.site, other.id) is not None, "others' requests aren't affected"


def test_a_thiefs_held_email_cannot_be_confirmed_once_the_account_is_taken_back(
    town: Town, ada: Visitor, anybody: Visitor
) -> None:
    objection = change(town, ada, LATER)
    (question,) = town.write(LATER, "zone Asia/Tokyo", proven=False)
    assert to(question) == LATER
    anybody.send(objection)
    told = anybody.client.post(path(question), data=token(anybody))
    assert (told.status_code, "to an address that's no longer yours" in words(told)) == (410, True)
    town.work()
    with town.store.reading() as session:
        assert session.get_one(Player, ada.id).zone != "Asia/Tokyo"


def test_after_a_week_there_is_no_way_back_and_the_address_is_free(town: Town, ada: Visitor, anybody: Visitor) -> None:
    objection = change(town, ada)
    town.now += timedelta(days=6)
    with town.store.writing() as session:
        assert identity.by_email(session, OLD, town.now).id == ada.id
    town.now += timedelta(days=2)
    assert "undo the change" in anybody.read(objection)
    with town.store.writing() as session:
        assert identity.by_email(session, OLD, town.now).id != ada.id
    town.now += timedelta(days=23)
    sweep.sweep(town.site)
    with town.store.reading() as session:
        assert session.scalars(select(AddressChange)).all() == []


def test_matches_continue_under_the_new_address(
    town: Town, ada: Visitor, bruno: Visitor, match: str, play: Callable[[Visitor, str], str]
) -> None:
    with town.store.reading() as session:
        before = session.get_one(Player, ada.id)
    town.post()
    change(town, ada)
    play(ada, "e9")
    bruno.send(match, f"{match}/order", text="e10")
    town.work()
    turn = next(mail for mail in town.post() if to(mail) == NEW)
    town.reply(turn, "e11", sender=NEW)
    assert "e11" in bruno.read(match)
    # An email from the old address has to be confirmed, and the question goes to the new one.
    town.post()
    town.reply(turn, "show", sender=OLD)
    assert [(to(mail), mail["Subject"].partition("?")[0]) for mail in town.post()] == [(NEW, "Did you send this")]
    assert before.email == OLD


@pytest.mark.parametrize(("address", "bounced"), [(OLD, False), (NEW, True)])
def test_a_report_about_the_old_address_is_ignored(town: Town, ada: Visitor, address: str, bounced: bool) -> None:
    change(town, ada)
    back = signed.ReplyAddress(ada.id, 0, signed.mark(address), purpose=Purpose.BOUNCE)
    raw = (
        b"From: MAILER-DAEMON@mx.example\nMessage-ID: <1@mx.example>\n"
        b"Content-Type: multipart/report; boundary=b\n\n--b\nContent-Type: message/delivery-status\n\n"
        b"Action: failed\nStatus: 5.1.1\n--b--\n"
    )
    path = f"{signed.write(town.settings.secret, back)}@{town.settings.mail_domain}"
    receive(town.site, raw, [path], "lmtp")
    with town.store.reading() as session:
        assert (session.get_one(Player, ada.id).bounced is not None) == bounced
        verdict = session.scalars(select(IncomingMail.verdict)).all()[-1]
        assert verdict == ("bounce" if bounced else "automatic")


def test_the_address_is_changed_by_mail_too(town: Town, ada: Visitor, anybody: Visitor) -> None:
    mails = {mail["Subject"]: mail for mail in town.write(OLD, f"address {NEW}")}
    answer = plain(mails["Re: your email"])
    assert f"Two links are on their way, one to {NEW} and one to {OLD}." in " ".join(answer.split())
    anybody.send(path(mails["Confirm your new email address at Stonepost"]))
    assert email(town, ada) == OLD
    anybody.send(path(mails["Change the email address of your Stonepost account?"]), approve="1")
    assert email(town, ada) == NEW


@pytest.mark.parametrize("approved", [True, False])
def test_an_address_that_somebody_else_has_got_meanwhile_stays_theirs(town: Town, ada: Visitor, approved: bool) -> None:
    ask(ada)
    posted = letters(town)
    ada.send(posted[NEW][1])
    with town.store.writing() as session:
        other = identity.by_email(session, NEW, town.now)
    if approved:
        ada.send(posted[OLD][1], approve="1")
    else:
        town.now += timedelta(days=3, minutes=1)
        sweep.sweep(town.site)
    assert email(town, ada) == OLD
    with town.store.reading() as session:
        assert session.get_one(Player, other.id).email == NEW
    assert letters(town) == {OLD: ("The email address of your Stonepost account wasn't changed", "/account")}
    assert "This change was cancelled. If you still want it, ask for a new link." in ada.read(posted[NEW][1])
    assert "The account Ada keeps its address." in ada.read(posted[OLD][1])
    assert "You've asked for" not in ada.read("/account/address")
