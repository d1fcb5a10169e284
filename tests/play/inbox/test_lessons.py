"""Lessons by email: a step in each letter, and a move in each reply."""

from __future__ import annotations

from dataclasses import replace
from email.message import EmailMessage

import pytest

from service.games import GAMES
from service.mail import reply_address
from service.play.inbox.receive import receive
from service.play.pages import lessons
from tests.play.conftest import Town, plain

ADA = "ada@example.org"


def flat(mail: EmailMessage) -> str:
    """A letter's text on one line."""
    return " ".join(plain(mail).split())


def answer(town: Town, mail: EmailMessage, text: str) -> EmailMessage:
    """The answer to a reply."""
    town.reply(mail, text)
    (found,) = town.post()
    return found


@pytest.mark.parametrize("game", GAMES)
def test_a_newcomer_does_the_whole_lesson_by_email(town: Town, game: str) -> None:
    """By replies to the latest letter alone; in the end she starts a match as it suggests."""
    (mail,) = town.write(ADA, f"learn {game}")
    steps = lessons.lesson(game).steps
    for number, step in enumerate(steps, start=1):
        said = flat(mail)
        assert f"in three minutes, step {number} of {len(steps)}: {step.title}" in said
        assert step.task in said
        assert "Reply with your move on the first line." in said
        mail = answer(town, mail, step.right[0])
        assert f"Right. {step.answer}" in flat(mail)
    said = flat(mail)
    assert f"That was the last step: you know how to play {GAMES[game].title}." in said
    assert all(credit.words in said and credit.link in said for credit in lessons.lesson(game).credits)
    assert f"write new {game} vs bot" in said
    others = " ".join(["bot"] * (GAMES[game].min_seats - 1))
    started = [flat(letter) for letter in town.write(ADA, f"new {game} vs {others}")]
    assert any(f"You opened {GAMES[game].title} 1" in letter for letter in started)


WRONG = """\
| a1

Not quite. Both white stones are still there. One empty point touches
both of them.
"""

AGAIN = """
Lotus in three minutes, step 2 of 6: Several groups at once

One stone can capture several groups, if it takes the last liberty of
each of them. Captured stones unite what was around them: your stones
and the ones you turned over become one group with common liberties.
"""

END = """
You're Black. Capture two white stones with one move.

Reply with your move on the first line. To skip this step, write learn
lotus 3.
This step on the web: http://127.0.0.1:8000/learn/lotus/2
"""


def test_a_wrong_move_is_explained_and_the_step_comes_again(town: Town) -> None:
    (mail,) = town.write(ADA, "learn lotus 2")
    assert mail["Subject"] == "Re: your email"
    again = answer(town, mail, "a1")
    for part in (WRONG, AGAIN, END):
        assert part in plain(again)
    assert "Right." in flat(answer(town, again, "u2"))


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("u1", "That can't be played. u1 is taken"),
        ("the top one", "That can't be played. 'the top one' is"),
        ("", "That can't be played."),
        ("u2?", "Right. u1 and s2"),
        ("Hi,\n\nU2 please\n\nThanks\nAda", "Right. u1 and s2"),
        ("pass\nresign", "Not quite."),
        ("help", "You can also write these"),
        ("learn lotus 4", "step 4 of 6"),
        ("stop", "You'll get no emails except answers to your own"),
    ],
)
def test_every_reply_is_answered(town: Town, written: str, said: str) -> None:
    (mail,) = town.write(ADA, "learn lotus 2")
    assert said in flat(answer(town, mail, written))


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("learn", "Which game? Write learn and one of"),
        ("learn chess", "There's no game called 'chess' here."),
        ("learn lotus 7", "The lesson has 6 steps: write learn lotus 6."),
        ("learn lotus 0", "The lesson has 6 steps"),
        ("learn lotus 999", "The lesson has 6 steps"),
        ("Learn Pillars of Medusa 3.", "step 3 of 8: What was protected?"),
        ("learn?", "Which game?"),
    ],
)
def test_the_learn_command(town: Town, written: str, said: str) -> None:
    (mail,) = town.write(ADA, written)
    assert said in flat(mail)


def test_an_email_can_have_other_commands_with_learn(town: Town) -> None:
    (mail,) = town.write(ADA, "learn go\nstatus")
    assert "step 1 of 6" in flat(mail)
    assert "You have no matches." in flat(mail)
    assert "Right." in flat(answer(town, mail, "e6"))


def test_a_step_of_a_lesson_can_be_asked_for_below_another_command(town: Town) -> None:
    (mail,) = town.write(ADA, "status\nlearn lotus 4")
    assert "step 4 of 6" in flat(mail)
    assert "You have no matches." in flat(mail)


def test_an_earlier_step_can_be_answered_again(town: Town) -> None:
    (first,) = town.write(ADA, "learn lotus")
    assert "Right." in flat(answer(town, first, "u2"))
    assert "Right." in flat(answer(town, first, "u2"))


def test_nobody_else_can_answer_a_step(town: Town) -> None:
    """The email is held, and Ada is asked, as with any reply."""
    (mail,) = town.write(ADA, "learn lotus")
    town.reply(mail, "u2", sender="eve@example.org")
    assert "Right." not in " ".join(flat(letter) for letter in town.post())


def test_every_lesson_has_its_own_number() -> None:
    assert len({lessons.number(game) for game in GAMES}) == len(GAMES)
    assert lessons.numbered(0) is None


def test_a_reply_to_a_lesson_that_is_gone_says_so(town: Town) -> None:
    """A later version has other lessons."""
    (mail,) = town.write(ADA, "learn lotus")
    meant = reply_address.read(town.settings.secret, mail["Reply-To"].addresses[0].addr_spec)
    assert meant is not None
    for gone in (replace(meant, seat=99), replace(meant, round=99)):
        raw, _ = town.written(mail, "u2")
        address = f"{reply_address.write(town.settings.secret, gone)}@{town.settings.mail_domain}"
        receive(town.site, raw, [address], "smtp")
        town.work()
        assert "This lesson is no longer available." in flat(town.post()[-1])
