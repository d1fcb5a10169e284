"""What is written below an order by email either reaches everybody it's for, or its writer learns that it didn't."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import select

from service.mail.grammar.command_words import COMMANDS
from service.mail.grammar.orders import parse
from service.mail.reply_address import Purpose, ReplyAddress
from service.play.accounts import display_names
from service.play.inbox.receive import receive
from service.play.match import invitations, lobby, substitutes
from service.play.match.lobby import Chair
from service.play.orders.submit import Incoming, submit
from service.play.pages import match_lists, match_page
from service.play.talk import messages, moderation
from service.store.models import Match, Player, Submission
from tests.cases import cases
from tests.play.conftest import Town, plain
from tests.play.once import once
from tests.play.timekeeping.test_clocks import player

REMARK = "the heron stands very still"
NAMES = ("ada", "ben", "cleo")
CLOCK = "3d/move, late passes"
TWO, CHESS, THREE, AT_ONCE = ("rosette", 2), ("pillars", 2), ("multigo", 3), ("multigo-parallel", 3)
SHARED = ("multigo-parallel-coop", 3)


@once
def table(town: Town, game: tuple[str, int], press: str = "private") -> int:
    """A running match of ada, ben and perhaps cleo."""
    name, size = game
    people = [player(town, f"{one}@example.org") for one in NAMES[:size]]
    chairs = [Chair("me"), *(Chair("email", f"{one}@example.org") for one in NAMES[1:size])]
    options = {"rosette": {"base": "5"}, "pillars": {}}.get(name, {"size": "5"})
    match = lobby.open_match(town.site, people[0], name, options, chairs, CLOCK, press, substitutes=True)
    for one in people[1:]:
        invitations.answer(town.site, match, one, True)
    town.work()
    return match


def mail(town: Town, match: int, order: str, below: str = "") -> None:
    """Sends an order, written as `ada: g10`, as a reply, and does all that follows."""
    name, _, text = order.partition(": ")
    with town.store.reading() as session:
        row = session.get_one(Match, match)
        person = session.scalars(select(Player).where(Player.email == f"{name}@example.org")).one()
        number = next((seat.number for seat in row.seats if seat.player_id == person.id), 0)
        back = ReplyAddress(person.id, match, number, row.round, Purpose.ORDER)
    town.mails += 1
    to = town.site.reply_address(back)
    raw = f"From: {name}@example.org\nTo: {to}\nMessage-ID: <{town.mails}@example.org>\n\n{text}\n{below}\n"
    receive(town.site, raw.encode(), [to], "smtp")
    town.work()


def readers(town: Town, match: int) -> set[str]:
    """Who finds the remark on the page of the match, in the log or the conversation; "" is a watcher."""
    found = set()
    for name in ("", *NAMES):
        who = player(town, f"{name}@example.org") if name else None
        page = match_page.match_page(town.site, match, who)
        assert page is not None
        said = [line.text for line in messages.heard(town.site, match, who).lines]
        if REMARK in (*said, *(entry.remark for entry in page.entries)):
            found.add(name)
    return found


HEARD = [
    (TWO, [], "ada: move g10"),
    (TWO, [], "ada: g10"),
    (TWO, [], "ada: pass"),
    (TWO, [], "ada: g10; if e10 then g11"),
    (TWO, [], "ben: extend 1d"),
    (TWO, ["ada: g10"], "ada: takeback"),
    (TWO, ["ada: g10", "ada: takeback"], "ada: withdraw"),
    (TWO, ["ada: g10", "ada: takeback"], "ben: accept takeback"),
    (TWO, ["ada: g10", "ada: takeback"], "ben: decline"),
    (TWO, [], "ben: pause"),
    (TWO, ["ben: pause"], "ada: accept pause"),
    (TWO, ["ben: pause", "ada: accept pause"], "ada: resume play"),
    (TWO, ["ben: pause", "ada: accept pause", "ada: resume play"], "ben: resume play"),
    (TWO, ["ada: pass", "ben: pass"], "ben: resume"),
    (TWO, ["ada: pass", "ben: pass"], "ada: accept"),
    (TWO, ["ada: pass", "ben: pass"], "ada: dead none"),
    (CHESS, [], "ada: draw"),
    (CHESS, ["ada: draw"], "ben: draw"),
    (CHESS, ["ada: draw"], "ben: decline draw"),
    (THREE, ["ada: pause"], "ben: accept pause"),
    (THREE, ["ada: pause", "ben: accept pause"], "cleo: accept pause"),
    (THREE, ["ada: pause", "ben: accept pause"], "cleo: decline pause"),
]
SECRET = [
    (TWO, [], "ada: if e10 then g11"),
    (TWO, ["ada: if e10 then g11"], "ada: forget"),
    (TWO, [], "ben: standing pass"),
    (TWO, [], "ben: standing none"),
    (SHARED, [], "ben: prefer black"),
    (AT_ONCE, ["ada: c3"], "ada: wait"),
    (AT_ONCE, [], "ada: standing c3 or pass"),
]
EVERY = cases(2, full=1)
"""Every second order suffices to see what a block and silence do to remarks."""
LATER = [(AT_ONCE, [], "ada: c3"), (AT_ONCE, ["ada: c3"], "ada: c4")]
"""Sealed with the move until its round is resolved."""


def told(town: Town) -> dict[str, list[str]]:
    """The emails since the last look, by recipient."""
    found: dict[str, list[str]] = {}
    for one in town.post():
        found.setdefault(one["To"].addresses[0].username, []).append(" ".join(plain(one).split()))
    return found


def accepted(town: Town) -> bool:
    with town.store.reading() as session:
        return session.scalars(select(Submission.verdict).order_by(Submission.id.desc())).first() == "accepted"


def remarked(town: Town, game: tuple[str, int], before: list[str], order: str) -> int:
    """A match in which, after other orders, one with the remark below it was accepted."""
    match = table(town, game)
    for one in before:
        mail(town, match, one)
    town.post()
    mail(town, match, order, REMARK)
    assert accepted(town)
    return match


@pytest.mark.parametrize("below", ["\nAda", "ada byron", "Ada."])
def test_a_name_alone_below_a_move_is_a_signature_and_no_message(town: Town, below: str) -> None:
    match = table(town, TWO)
    with town.store.writing() as session:
        writer = session.scalars(select(Player).where(Player.email == "ada@example.org")).one()
        display_names.take(session, writer, "Ada Byron")
    town.post()
    mail(town, match, "ada: g10", below)
    (to_ben,) = told(town)["ben"]
    assert "Black:" not in to_ben
    assert all(b"You wrote with it" not in receipt for receipt in town.receipts)


@pytest.mark.parametrize(("game", "before", "order"), HEARD, ids=[case[2] for case in HEARD])
def test_all_others_hear_a_remark_once(town: Town, game: tuple[str, int], before: list[str], order: str) -> None:
    match = remarked(town, game, before, order)
    by = order.partition(":")[0]
    others = {*NAMES[: game[1]]} - {by}
    mails = told(town)
    assert others <= readers(town, match)
    assert not any("sent to nobody" in text for text in mails.get(by, []))
    carrying = {name: sum(REMARK in text for text in mails.get(name, [])) for name in others}
    assert carrying == dict.fromkeys(others, 1)


@pytest.mark.parametrize(("game", "before", "order"), HEARD[::EVERY], ids=[case[2] for case in HEARD[::EVERY]])
def test_a_player_who_blocked_the_writer_doesnt_hear_a_remark_and_the_writer_doesnt_notice(
    town: Town, game: tuple[str, int], before: list[str], order: str
) -> None:
    """In events, players meet in spite of a block, so the block must hide all that is written."""
    by, match = order.partition(":")[0], table(town, game)
    others = {*NAMES[: game[1]]} - {by}
    ids = {name: player(town, f"{name}@example.org") for name in NAMES}
    for one in before:
        mail(town, match, one)
    blocking = min(others)
    moderation.set_block(town.site, ids[blocking], ids[by], blocked=True)
    town.post()
    mail(town, match, order, REMARK)
    assert accepted(town)
    mails = told(town)
    hearing = {name for name, texts in mails.items() if any(REMARK in text for text in texts)} - {by}
    assert hearing == others - {blocking}
    assert readers(town, match) & {*NAMES[: game[1]]} == {*NAMES[: game[1]]} - {blocking}
    assert not any("sent to nobody" in text for text in mails.get(by, []))


@pytest.mark.parametrize(("game", "before", "order"), SECRET, ids=[f"{case[0][0]} {case[2]}" for case in SECRET])
def test_a_remark_below_a_secret_order_is_answered_and_nobody_else_notices(
    town: Town, game: tuple[str, int], before: list[str], order: str
) -> None:
    match = remarked(town, game, before, order)
    by = order.partition(":")[0]
    mails = told(town)
    assert [*mails] == [by]
    (answer,) = mails[by]
    assert f'sent to anybody, because nobody else sees this order: "{REMARK}"' in answer
    assert "reply with say and your message" in answer
    assert readers(town, match) == set()


@pytest.mark.parametrize(("game", "before", "order"), LATER, ids=[f"{case[2]}" for case in LATER])
def test_a_remark_below_a_sealed_choice_waits_for_the_end_of_the_round(
    town: Town, game: tuple[str, int], before: list[str], order: str
) -> None:
    match = table(town, game)
    for one in before:
        mail(town, match, one, "a former remark")
    town.post()
    mail(town, match, order, REMARK)
    (answer,) = told(town)["ada"]
    assert "saved, with the message you wrote below it" in answer
    assert readers(town, match) <= {"ada"}
    mail(town, match, "ben: a1")
    mail(town, match, "cleo: b2")
    mails = told(town)
    assert all(any(REMARK in text for text in mails[name]) for name in ("ben", "cleo"))
    assert not any("a former remark" in text for texts in mails.values() for text in texts)


@pytest.mark.parametrize(
    ("game", "before", "order"), (HEARD + SECRET)[::EVERY], ids=[case[2] for case in (HEARD + SECRET)[::EVERY]]
)
def test_in_a_silent_match_one_answer_says_that_a_remark_was_not_sent(
    town: Town, game: tuple[str, int], before: list[str], order: str
) -> None:
    match = table(town, game, "none")
    for one in before:
        mail(town, match, one)
    town.post()
    mail(town, match, order, REMARK)
    assert accepted(town)
    by = order.partition(":")[0]
    mails = told(town)
    assert sum(f'because messages are off in this match: "{REMARK}"' in text for text in mails[by]) == 1
    assert not any("reply with say" in text for text in mails[by])
    assert not any(REMARK in text for name in {*mails} - {by} for text in mails[name])
    assert readers(town, match) == set()


def test_withdrawing_a_move_withdraws_its_remark_and_the_answer_says_so(town: Town) -> None:
    match = table(town, TWO)
    with town.store.writing() as session:
        session.get_one(Player, player(town, "ada@example.org")).grace = 60
    town.post()
    mail(town, match, "ada: g10", REMARK)
    assert told(town) == {}
    mail(town, match, "ada: undo", "forget what I said")
    (answer,) = told(town)["ada"]
    assert "Your order g10 was withdrawn. Nobody has seen it." in answer
    assert 'nobody else sees this order: "forget what I said"' in answer
    town.now += timedelta(minutes=5)
    mail(town, match, "ada: undo")
    (late,) = told(town)["ada"]
    assert "Your order has already gone out." in late
    assert readers(town, match) == set()


def test_a_remark_with_the_acceptance_of_an_offered_seat_is_heard_by_the_table(town: Town) -> None:
    match = table(town, THREE)
    heir = player(town, "dana@example.org")
    substitutes.offer(town.site, match, player(town, "ada@example.org"), "dana@example.org")
    town.work()
    (offer,) = (one for one in town.post() if "a seat is offered" in one["Subject"])
    town.reply(offer, f"accept\n{REMARK}")
    mails = told(town)
    assert {name for name, texts in mails.items() if any(REMARK in text for text in texts)} == {"ben", "cleo"}
    assert match_lists.match_line(town.site, match, heir) is not None


def test_every_kind_of_order_was_tried() -> None:
    """Other tests try `rematch` (tests/web/test_agree.py), `leave` (test_teams), `review` (test_review) and answers to
    invitations (test_press)."""
    tried = {case[2].partition(": ")[2].split()[0] for case in HEARD + SECRET} | {"undo", "rematch", "leave", "review"}
    assert {command.name for command in COMMANDS if command.order} <= tried


def test_a_remark_with_a_resignation_is_shown_below_the_resignation(town: Town) -> None:
    """The email doesn't show the opponent's last move again."""
    match = table(town, CHESS)
    mail(town, match, "ada: A2-A4")
    mail(town, match, "ben: A10-A8")
    town.post()
    mail(town, match, "ada: resign")
    (question,) = town.post()
    town.reply(question, f"yes\n\n{REMARK}")
    results = town.post()
    assert len(results) == 2
    for result in results:
        assert f'White resigned.\n"{REMARK}"\n' in plain(result)
        html = result.get_body(("html",))
        assert html is not None
        lines = html.get_content().splitlines()
        assert lines[lines.index('<p class="news">White resigned.</p>') + 1] == f'<p class="remark">{REMARK}</p>'


def test_the_email_about_a_result_says_who_hears_a_reply(town: Town) -> None:
    match = table(town, TWO)
    town.post()
    submit(town.site, Incoming("web:1", match, 0, player(town, "ada@example.org"), None, parse("resign"), "web"))
    town.work()
    told = {mail["To"].addresses[0].username: " ".join(plain(mail).split()) for mail in town.post()}
    assert "Anything else you reply is sent to Black, and watchers can read it too." in told["ben"]
