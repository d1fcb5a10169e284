from __future__ import annotations

import re
from dataclasses import FrozenInstanceError, fields, is_dataclass, replace
from datetime import UTC, datetime, timedelta
from html import unescape
from zoneinfo import ZoneInfo

import pytest
from jinja2 import FileSystemLoader

from service.config import ROOT
from service.mail.letters import confirmations, letter_types
from service.mail.letters.confirmations import Receipt
from service.mail.letters.letter_types import (
    Answer,
    Answered,
    Company,
    Deadline,
    Digest,
    Event,
    Invitation,
    Kept,
    Letter,
    Played,
    Refusal,
    Result,
    SignIn,
    Turn,
    Waiting,
)
from service.mail.letters.letter_words import listed, moment, render, span, templates, wrapped

KINDS = [kind for module in (confirmations, letter_types) for kind in vars(module).values() if is_dataclass(kind)]

ENVIRONMENT = templates(FileSystemLoader(ROOT / "templates"))
BOARD = "    c . . .\n   b . O .\n  a . . .\n    1 2 3"

TURN = Turn(
    title="Rosette 12",
    number=8,
    side="Black",
    others=("White",),
    played=(Played("White", "g14", "I think the lower corner is worth more than it looks.", told=True),),
    notes=("White played g14 and captured 2 stones: g12 g13.",),
    board=BOARD,
    facts=(("Prisoners", "Black 0, White 2"),),
    deadline=Deadline(timedelta(days=2, hours=14), datetime(2026, 11, 24, 18, 30, tzinfo=ZoneInfo("Europe/Lisbon"))),
    examples=("h12",),
    link="https://play.example/match/12",
    mute_link="https://play.example/mute/abc",
)
REFUSAL = Refusal(
    title="Rosette 12",
    number=8,
    side="Black",
    others=("White",),
    order="e13",
    reason="e13 would leave your chain without a liberty (suicide). Legal next to it: e15, f12.",
    sent="e13\n\n\nSee  you <tomorrow>\n--\nAna",
    board=BOARD,
    examples=("e15", "f12"),
    link="https://play.example/match/12",
)
RESULT = Result(
    title="Rosette 12",
    side="Black",
    played=(Played("White", "resign", "Well played"),),
    winners=("Black",),
    reason="resignation",
    scores=(("Black", "1"), ("White", "0")),
    listening=("White",),
    board=BOARD,
    link="https://play.example/match/12",
)
INVITATION = Invitation(
    title="Rosette 12",
    game="Rosette",
    summary="Go on a hexagonal board.",
    host="Ana",
    side="White",
    settings=(("Board", "7"), ("Time", "3 days a move")),
    board=BOARD,
    link="https://play.example/match/12",
    rules_link="https://play.example/rules/rosette",
    learn_link="https://play.example/learn/rosette",
)
SIGN_IN = SignIn(
    link="https://play.example/in/abc", valid=timedelta(minutes=30), learn_link="https://play.example/learn"
)

TURN_TEXT = """\
White played g14 and captured 2 stones: g12 g13.
White: "I think the lower corner is worth more than it looks."

    c . . .
   b . O .
  a . . .
    1 2 3

You're playing Black.   Prisoners: Black 0, White 2.
You have 2 days 14 hours, until Tuesday 24 November, 18:30 (Lisbon).

Reply with your move on the first line, for example:   h12
Anything below it is sent to White as a message. You can also write:
pass, resign, show, help.

On the web: https://play.example/match/12
Stop emails about this match: https://play.example/mute/abc
"""

REFUSAL_TEXT = """\
e13 would leave your chain without a liberty (suicide). Legal next to
it: e15, f12.

    c . . .
   b . O .
  a . . .
    1 2 3

You're playing Black.

Reply with your move on the first line, for example:   e15   f12
Anything below it is sent to White as a message. You can also write:
pass, resign, show, help.

On the web: https://play.example/match/12

You wrote:

e13


See  you <tomorrow>
--
Ana
"""

RESULT_TEXT = """\
Black won by resignation.
White resigned.
"Well played"

    c . . .
   b . O .
  a . . .
    1 2 3

You played Black.

Reply with rematch on the first line to play again with the sides
changed. Reply with review to see the costliest moves and what would
have been better.
Anything else you reply is sent to White, and watchers can read it too.

On the web: https://play.example/match/12
"""

INVITATION_TEXT = """\
Ana invites you to play Rosette. You'd play White.

Go on a hexagonal board.
Board: 7.
Time: 3 days a move.

    c . . .
   b . O .
  a . . .
    1 2 3

To play, reply with accept on the first line. If you'd rather not, reply
with decline.
You don't need an account or a password.

On the web: https://play.example/match/12
The rules: https://play.example/rules/rosette
Learn it in three minutes: https://play.example/learn/rosette
"""

SIGN_IN_TEXT = """\
Open this link to sign in. It works once, within 30 minutes:

https://play.example/in/abc

If you didn't ask for it, ignore this email: nobody can sign in without
the link.

New here? Learn a game in three minutes: https://play.example/learn
"""


KEPT = Kept("Rosette 13: message from White " + "and more " * 9, "words " * 30, "https://play.example/match/13")
WAITING = Waiting("Rosette 12", 12, "Black", ("White played g14.",) * 9, BOARD, "https://play.example/match/12")
LONG = "a line that somebody wrote at great length " * 5
LETTERS = (
    *(TURN, REFUSAL, RESULT, INVITATION, SIGN_IN),
    replace(TURN, explained=(("dead c3", "Propose other dead stones instead. " * 5),)),
    Digest(matches=(WAITING,), kept=(KEPT,), link="https://play.example"),
    Digest(matches=(), kept=(KEPT, KEPT), link="https://play.example"),
    Event(
        kind="bounces",
        title="Rosette 12",
        side="Black",
        values={"by": "White", "who": "", "mate": False, "timed": True},
        board=BOARD,
        link="https://play.example",
    ),
    Answer(
        subject="",
        lines=(Answered("status", "refused", {"why": LONG, "board": "", "picture": ""}),),
        unread=True,
        link="x",
    ),
)


@pytest.mark.parametrize(
    ("letter", "subject", "text"),
    [
        (TURN, "Rosette 12: your move 8 (White played g14)", TURN_TEXT),
        (REFUSAL, 'Rosette 12: "e13" wasn\'t played', REFUSAL_TEXT),
        (RESULT, "Rosette 12: Black won by resignation", RESULT_TEXT),
        (INVITATION, "Rosette 12: Ana invites you to play", INVITATION_TEXT),
        (SIGN_IN, "Your link to sign in", SIGN_IN_TEXT),
    ],
    ids=lambda value: getattr(value, "kind", ""),
)
def test_the_subject_and_text_of_each_email(letter: Letter, subject: str, text: str) -> None:
    words = render(ENVIRONMENT, letter)
    assert words.subject == subject
    assert words.text == text


@pytest.mark.parametrize(
    ("turn", "subject"),
    [
        (replace(TURN, number=1, played=(), notes=()), "Rosette 12: your move 1 (the match has begun)"),
        (replace(TURN, played=(Played("White", "pass"),)), "Rosette 12: your move 8 (White passed)"),
        (replace(TURN, played=(Played("White", "accept"),)), "Rosette 12: your move 8 (White accepted the count)"),
        (replace(TURN, played=(Played("Black", "accept"),)), "Rosette 12: your move 8 (all have accepted the count)"),
        (
            replace(TURN, played=(Played("White", "a1"), Played("Red", "a2"))),
            "Rosette 12: your move 8 (the others have moved)",
        ),
        (replace(TURN, parallel=True), "Rosette 12: your move in round 8 (White played g14)"),
        (
            replace(TURN, parallel=True, played=(Played("White", "a1"), Played("Red", "a2"))),
            "Rosette 12: your move in round 8 (the others have moved)",
        ),
    ],
)
def test_the_subject_says_what_happened(turn: Turn, subject: str) -> None:
    assert render(ENVIRONMENT, turn).subject == subject


@pytest.mark.parametrize(
    ("met", "words"),
    [
        ("", "Player 7 hasn't chosen a name yet, but knows your email address."),
        ("Lotus 3", "Player 7 hasn't chosen a name yet, but knows your email address: you met in Lotus 3."),
    ],
)
def test_an_invitation_from_an_unnamed_player_says_how_they_know_the_reader(met: str, words: str) -> None:
    letter = render(ENVIRONMENT, replace(INVITATION, host="Player 7", unnamed=True, met=met))
    assert letter.subject == "Rosette 12: you're invited to play"
    assert f"You'd play White. {words}" in " ".join(letter.text.split())
    assert words in unescape(letter.html)


@pytest.mark.parametrize("turn", [TURN, REFUSAL], ids=["turn", "refusal"])
def test_a_word_given_as_the_example_is_not_listed_again(turn: Turn | Refusal) -> None:
    counted = replace(turn, examples=("accept", "pass"), commands=("accept", "resume", "show"))
    words = render(ENVIRONMENT, counted)
    for said in (words.text, words.html):
        assert "You can also write: resume, show." in " ".join(said.split())


@pytest.mark.parametrize("over", [False, True])
def test_a_receipt_says_which_side_its_reader_has_or_had(over: bool) -> None:
    receipt = Receipt(event="order", title="Lotus 4", side="Black", order="review", over=over, board=BOARD, link="x")
    said = render(ENVIRONMENT, receipt)
    for part in (said.text, said.html):
        assert ("You played Black." in part, "You're playing Black." in part) == (over, not over)


def test_a_review_says_that_somebody_passed() -> None:
    worst = ((10, "Black", "pass", 23, ("t2", "p3")), (5, "White", "m3", 21, ("pass",)))
    values = {"worst": worst, "at_once": False, "can_be_tried": True}
    letter = Event(kind="reviewed", title="Lotus 4", side="Black", values=values, board=BOARD, link="x")
    said = " ".join(render(ENVIRONMENT, letter).text.split())
    slips = [
        "Move 10: Black passed, which lowered Black's winning chances by 23 percentage points. t2 was better, "
        "for instance t2, p3.",
        "Move 5: White played m3, which lowered White's winning chances by 21 percentage points. Passing was better.",
    ]
    assert all(slip in said for slip in slips)


def test_a_review_says_which_move_somebody_chose_in_a_round() -> None:
    """It may have collided with another, so that no stone was placed."""
    values = {"worst": ((5, "White", "c3", 21, ("d4",)),), "at_once": True, "can_be_tried": True}
    letter = Event(kind="reviewed", title="Go 4", side="Black", values=values, board=BOARD, link="x")
    said = " ".join(render(ENVIRONMENT, letter).text.split())
    assert "Round 5: White chose c3, which lowered White's winning chances by 21 percentage points." in said


@pytest.mark.parametrize("can_be_tried", [True, False])
def test_a_review_offers_its_moments_only_where_the_page_does(can_be_tried: bool) -> None:
    """There are three computer opponents, so not in matches of five or more players."""
    values = {"worst": ((5, "White", "c3", 21, ("d4",)),), "at_once": False, "can_be_tried": can_be_tried}
    letter = Event(kind="reviewed", title="Go 4", side="Black", values=values, board=BOARD, link="x")
    said = " ".join(render(ENVIRONMENT, letter).text.split())
    assert ("try each of these moments again" in said) == can_be_tried


def test_a_refusal_out_of_turn_does_not_ask_for_a_reply() -> None:
    late = replace(
        REFUSAL, order="", reason="That was move 12, the board is at 15.", to_move=False, examples=(), sent=""
    )
    words = render(ENVIRONMENT, late)
    assert words.subject == "Rosette 12: your email wasn't played"
    assert "Reply with" not in words.text + words.html
    assert "You wrote" not in words.text + words.html


@pytest.mark.parametrize("letter", [TURN, RESULT, REFUSAL, INVITATION], ids=lambda letter: letter.kind)
def test_the_html_says_the_same_and_shows_the_picture(letter: Letter) -> None:
    words = render(ENVIRONMENT, letter, picture="cid:board.abc@play.example")
    assert 'src="cid:board.abc@play.example"' in words.html
    assert "https://play.example/match/12" in words.html
    assert "<img" not in render(ENVIRONMENT, letter).html


@pytest.mark.parametrize("letter", LETTERS, ids=lambda letter: letter.kind)
def test_every_email_is_wrapped_has_alt_texts_and_supports_dark_mode(letter: Letter) -> None:
    words = render(ENVIRONMENT, letter, picture="cid:board.abc@play.example")
    assert [line for line in words.text.splitlines() if len(line) > 78 and "://" not in line] == []
    assert words.html.count("<img") == len(re.findall(r'<img[^>]* alt="The board[^"]*"', words.html))
    assert '<meta name="color-scheme" content="light dark">' in words.html
    assert "@media (prefers-color-scheme: dark)" in words.html
    # Mail programs that ignore both may change one colour of a pair, so no style sets any.
    assert not re.search(r'style="[^"]*color', words.html)


def test_what_players_write_is_escaped() -> None:
    said = '<script>alert(1)</script> & "quotes"'
    for letter in (
        replace(TURN, played=(Played("White", "g14", said),)),
        replace(REFUSAL, order=said, sent=said),
        replace(INVITATION, host=said, met=said, unnamed=True),
    ):
        assert "<script>" not in render(ENVIRONMENT, letter).html


EVENTS = [path.stem for path in (ROOT / "templates/mail/events").iterdir()]
SAID = '<script>alert(1)</script> & "quotes"'
SAYS = {
    **dict.fromkeys(("by", "name", "who", "order", "message", "rematch"), SAID),
    "mate": False,
    "open": False,
    "asked": 1,
    "own": False,
    "offered": True,
    "dropped": False,
    "sealed": True,
    "waited": (SAID,),
    "partners": (SAID,),
    "company": Company((("White", SAID, False),), SAID),
    "worst": ((3, "Black", SAID, 20, (SAID,)),),
    "timed": True,
    "at_once": False,
    "can_be_tried": True,
    "taken": (("White", SAID),),
    "play": Played(SAID, "resign"),
    "deadline": TURN.deadline,
    "until": None,
}


@pytest.mark.parametrize("kind", sorted(EVENTS))
def test_what_players_write_is_escaped_in_events_too(kind: str) -> None:
    letter = Event(
        kind=kind, title="Rosette 12", side=SAID, values=SAYS, quoted=SAID, unheard="secret", remark=SAID,
        terms=(SAID,), board=BOARD, link="https://play.example",
    )  # fmt: skip
    words = render(ENVIRONMENT, letter, picture="cid:board.abc@play.example")
    assert "<script>" not in words.html
    assert "&amp;lt;" not in words.html, "escaped once"
    assert words.html.count("<img ") == 1
    for part in (words.subject, words.text):
        assert "&lt;" not in part


@pytest.mark.parametrize(
    ("time", "words"),
    [
        (timedelta(days=2, hours=14, minutes=3), "2 days 14 hours"),
        (timedelta(days=1), "1 day"),
        (timedelta(hours=1, minutes=1), "1 hour 1 minute"),
        (timedelta(minutes=35, seconds=59), "35 minutes"),
        (timedelta(seconds=20), "less than a minute"),
        (timedelta(seconds=-20), "less than a minute"),
    ],
)
def test_a_length_of_time_in_words(time: timedelta, words: str) -> None:
    assert span(time) == words


def test_a_moment_is_in_the_readers_own_zone() -> None:
    time = datetime(2026, 11, 24, 18, 5, tzinfo=UTC)
    assert moment(time) == moment(time, time.replace(month=1)) == "Tuesday 24 November, 18:05 (UTC)"
    assert moment(time, time.replace(year=2025)) == "Tuesday 24 November 2026, 18:05 (UTC)"
    assert moment(time.astimezone(ZoneInfo("America/New_York"))) == "Tuesday 24 November, 13:05 (New York)"


def test_names_in_a_sentence() -> None:
    assert [listed(("Red",)), listed(("Red", "Blue")), listed(("Red", "Blue", "White"))] == [
        "Red",
        "Red and Blue",
        "Red, Blue and White",
    ]


def test_text_is_wrapped_to_72_columns_and_keeps_its_lines() -> None:
    link = "https://play.example/" + "x" * 80
    text = wrapped(f"{'word ' * 30}\n\n{link}\nlast")
    assert text.endswith(f"\n\n{link}\nlast")
    assert max(len(line) for line in text.splitlines() if line != link) <= 72


@pytest.mark.parametrize(
    ("move", "sentence"),
    [
        ("c7", "White played c7"),
        ("accept", "White accepted the count"),
        ("dead c6 d7", "White marked as dead: c6 d7"),
        ("dead none", "White said that no stones are dead"),
        ("alone", "White wants no allies"),
        ("ally black red", "White wants to ally with Black and Red"),
    ],
)
def test_orders_are_put_into_words(move: str, sentence: str) -> None:
    subject = render(ENVIRONMENT, replace(TURN, played=(Played("White", move),))).subject
    assert subject == f"Rosette 12: your move 8 ({sentence})"


@pytest.mark.parametrize(("sides", "who"), [(("White", "White"), "White has"), (("White", "Red"), "the others have")])
def test_a_subject_names_the_only_side_that_did_several_things(sides: tuple[str, ...], who: str) -> None:
    several = tuple(Played(side, "c7") for side in sides)
    assert render(ENVIRONMENT, replace(TURN, played=several)).subject == f"Rosette 12: your move 8 ({who} moved)"


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_letter_says_cannot_be_changed(kind: type) -> None:
    said: object = object.__new__(kind)
    for field in fields(kind):
        with pytest.raises(FrozenInstanceError):
            setattr(said, field.name, "")


def test_the_names_of_a_team_are_never_markup() -> None:
    words = render(ENVIRONMENT, replace(TURN, partners=("<b>Tom & Jerry</b>",)))
    assert "You share your seat with &lt;b&gt;Tom &amp; Jerry&lt;/b&gt; and take turns." in words.html
