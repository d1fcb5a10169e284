"""Only a line written as an order is obeyed: sentences are passed on to the others."""

from __future__ import annotations

import re
from email.message import EmailMessage
from html import escape

import pytest
from sqlalchemy import select

from service.mail.grammar.command_words import COMMANDS, RULES
from service.play.match import invitations, lobby
from service.play.match.lobby import Chair
from service.play.talk import messages
from service.store.models import Entry, Seat
from tests.play.conftest import Town, plain
from tests.play.once import once
from tests.play.test_match import player

ADA, BEN = "ada@example.org", "ben@example.net"
OPTIONS = {"rosette": {"base": "5"}, "go": {"size": "9"}}


@once
def begun(town: Town, game: str = "rosette", seats: int = 2, talk: str = "private") -> dict[str, EmailMessage]:
    """Begins match 1 of Ada, Ben and perhaps Cleo; the email that each gets about it, by address."""
    people = [ADA, BEN, "cleo@example.org"][:seats]
    numbers = [player(town, address) for address in people]
    chairs = [Chair("me"), *(Chair("email", address) for address in people[1:])]
    match = lobby.open_match(town.site, numbers[0], game, OPTIONS.get(game, {}), chairs, talk=talk)
    for number in numbers[1:]:
        invitations.answer(town.site, match, number, True)
    town.work()
    return {mail["To"].addresses[0].addr_spec: mail for mail in town.post() if "begun" in mail["Subject"]}


def posted(town: Town) -> dict[str, str]:
    """The text of the emails since the last look, by recipient, in one line."""
    found: dict[str, str] = {}
    for mail in town.post():
        name = mail["To"].addresses[0].addr_spec
        found[name] = f"{found.get(name, '')} {' '.join(plain(mail).split())}".strip()
    return found


def moves(town: Town, match: int = 1) -> list[str]:
    with town.store.reading() as session:
        return list(session.scalars(select(Entry.move).where(Entry.match_id == match).order_by(Entry.ply)))


def spoken(town: Town, name: str = BEN) -> list[str]:
    return [line.text for line in messages.heard(town.site, 1, player(town, name)).lines]


WRAPPED = "If you had answered at e10 you could take it and I"


@pytest.mark.parametrize("last", ["d8", "pass", "resign", "accept", "if e10 then g11", "show", "undo"])
def test_say_takes_all_lines_below_it_and_none_of_them_is_obeyed(town: Town, last: str) -> None:
    turn = begun(town)[ADA]
    town.reply(turn, f"say to white: {WRAPPED}\n{last}")
    assert moves(town) == []
    assert spoken(town) == [f"{WRAPPED}\n{last}"]
    mails = posted(town)
    assert "Sent to White" in mails[ADA]
    assert f"{WRAPPED} {last}" in mails[BEN]


def test_the_last_line_of_a_message_is_not_an_order(town: Town) -> None:
    turn = begun(town, "go")[ADA]
    town.reply(turn, "say I have thought about this, and what I do now should be to\npass")
    assert moves(town) == []
    assert spoken(town)[0].endswith("should be to\npass")


def test_a_sentence_doesnt_accept_a_draw(town: Town) -> None:
    mails = begun(town, "pillars")
    town.reply(mails[ADA], "D2-D4")
    town.post()
    (offer,) = [mail for mail in town.write(ADA, "match 1\ndraw") if mail["To"].addresses[0].addr_spec == BEN]
    town.reply(offer, "D10-D8\nThe line you have chosen nearly always ends in a\ndraw\nbut let us see.")
    assert moves(town) == ["D2-D4", "draw", "D10-D8"]
    told = posted(town)
    assert "nearly always ends in a draw but let us see." in told[ADA]
    assert 'This was sent to the others as your message. Not carried out: "draw". Lines below the first' in told[BEN]


@pytest.mark.parametrize(
    "below",
    [
        "If you play f6 then c3 looks weak to me.",
        "As far as I can see now: if you play f6 then c3\nlooks weak to me.",
        "I wonder if e10 then looks like a good move.\nIf you have time then write.",
    ],
)
def test_a_sentence_with_if_and_then_is_a_remark_and_reaches_the_opponent(town: Town, below: str) -> None:
    turn = begun(town)[ADA]
    town.reply(turn, f"g10\n{below}")
    assert moves(town) == ["g10"]
    assert " ".join(below.split()) in posted(town)[BEN]
    with town.store.reading() as session:
        assert session.get_one(Seat, (1, 0)).ahead == ""


def test_an_order_with_a_question_mark_has_to_be_confirmed(town: Town) -> None:
    turn = begun(town)[ADA]
    town.reply(turn, "pass?")
    (question,) = town.post()
    assert "Do you mean pass as your order in Rosette 1? Nothing has been done yet. Reply yes" in " ".join(
        plain(question).split()
    )
    assert moves(town) == []
    town.reply(question, "Yes.")
    assert moves(town) == ["pass"]


def test_a_resignation_below_the_first_line_has_to_be_confirmed(town: Town) -> None:
    mails = begun(town, "pillars")
    town.reply(mails[ADA], "D2-D4\nif D10-D8 then E2-E3\nresign")
    (question,) = [mail for mail in town.post() if mail["To"].addresses[0].addr_spec == ADA]
    assert moves(town) == ["D2-D4"]
    assert "Do you really want to resign" in plain(question)


@pytest.mark.parametrize("word", ["draw", "Draw.", "accept draw"])
def test_a_draw_is_refused_in_a_game_without_draws(town: Town, word: str) -> None:
    town.reply(begun(town)[ADA], word)
    assert "Rosette has no draws by agreement, so nothing was offered: to end the match" in posted(town)[ADA]


def test_a_plan_waits_until_it_is_its_owners_turn(town: Town) -> None:
    """With three seats, the move of the first opponent isn't answered yet."""
    begun(town, "multigo", 3)
    cleo = "cleo@example.org"
    for name, text in ((ADA, "a1"), (ADA, "if b2 then c3; if d4 then e5"), (BEN, "b2")):
        town.write(name, f"match 1\n{text}")
    assert moves(town) == ["a1", "b2"]
    with town.store.reading() as session:
        assert session.get_one(Seat, (1, 0)).ahead == "if b2 then c3; if d4 then e5"
    town.write(cleo, "match 1\nd4")
    assert moves(town) == ["a1", "b2", "d4", "e5"]


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("how do I play?", "Reply to an email about a match with your move on the first line"),
    ],
)
def test_questions_without_a_command_are_answered(town: Town, text: str, answer: str) -> None:
    town.reply(begun(town)[ADA], text)
    assert answer in posted(town)[ADA]
    assert moves(town) == []


def test_help_says_how_an_email_is_read(town: Town) -> None:
    (mail,) = town.write(ADA, "help")
    text, html = (" ".join(mail.get_body((kind,)).get_content().split()) for kind in ("plain", "html"))  # type: ignore[union-attr]
    for rule in RULES:
        assert rule in text
        assert escape(rule, quote=False).replace("'", "&#39;") in html
    for command in COMMANDS:
        assert not re.search(r"\bmails?\b", command.summary)
