"""What an email says: the examples of GRAMMAR.md, and text that must not count as an order."""

from __future__ import annotations

import re
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.config import ROOT
from service.mail.grammar.grammar_page import SAMPLES, Sample, page
from service.mail.grammar.reading import Reading, parse, plainly
from tests.cases import cases

PAGE = ROOT / "service" / "mail" / "grammar" / "GRAMMAR.md"


def is_move(text: str) -> bool:
    """Whether a text is a move, in a game whose moves are single points."""
    return re.fullmatch(r"[a-j]1?\d|pass|draw|resign|accept", text.strip(" .,;!").lower()) is not None


def reading(text: str, subject: str = "") -> Reading:
    return parse(subject, text, is_move)


def obeyed(found: Reading) -> tuple[str, ...]:
    """Each line as it is obeyed: a message with all that is below it, a phrase as the command that it means."""
    said = []
    for line in found.lines:
        name = line.command.name if line.command else ""
        if name == "say":
            said.append(f"say {line.rest}")
        else:
            said.append(line.text if not name or line.text.lower().startswith(name) else name)
    return tuple(said)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.text)
def test_the_examples_of_the_page_are_read_as_it_says(sample: Sample) -> None:
    found = reading(sample.text)
    assert obeyed(found) == sample.obeyed
    assert (found.remark, found.not_obeyed, found.is_private) == (sample.remark, sample.not_obeyed, sample.private)
    assert found.lines[0].asks is (sample.asks or sample.text.endswith("play?"))


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text() == page(), "python -m tests.mail.grammar.test_reading writes it"


def test_the_subject_counts_if_it_is_a_command() -> None:
    assert obeyed(reading("games", "status")) == ("status", "games")
    for subject in ("Hello there", "Re: status", "Show me what you mean", "Pass the salt"):
        assert obeyed(reading("games", subject)) == ("games",)


def test_a_command_in_both_subject_and_text_counts_once() -> None:
    assert obeyed(reading("hello\nnew  rosette vs open.", "New Rosette vs open")) == ("new  rosette vs open.",)
    assert obeyed(reading("new rosette vs bot", "new rosette vs open")) == ("new rosette vs open", "new rosette vs bot")


def test_comments_are_skipped_and_nothing_below_end_counts() -> None:
    found = reading("// my usual mail\nstatus\n\nend\nsee you\n")
    assert (obeyed(found), [(line.text, line.ignored) for line in found.ignored]) == (
        ("status",),
        [("see you", "end")],
    )


def test_a_line_broken_within_quotation_marks_continues_in_the_next() -> None:
    broken = 'new go setup="black: d4 e5;\nwhite: f5" vs open\nstatus'
    assert obeyed(reading(broken)) == ('new go setup="black: d4 e5; white: f5" vs open', "status")
    unclosed = 'new go setup="black\nnew lotus clock="3d/move" vs open'
    assert obeyed(reading(unclosed))[0] == 'new go setup="black'


def test_an_order_that_a_program_broke_into_lines_is_put_together() -> None:
    plan = "g10; if e10 then g11 if f9 then h8; if e11 then h9 if g12 then\nh12"
    assert obeyed(reading(plan)) == (plan.replace("\n", " "),)
    two = "if e10 then g11 if f9 then h8; if e11 then h9 if g12 then h12 if g9\nthen j3\nif pass then pass"
    assert obeyed(reading(two)) == (two.replace("g9\n", "g9 ").split("\n")[0], "if pass then pass")


@pytest.mark.parametrize("pause", ["pause", "pause 3d", "pause for 10 days", "pause until 24 December"])
def test_a_pause_below_a_move_counts_however_its_end_is_written(pause: str) -> None:
    assert obeyed(reading(f"f12\n{pause}")) == ("f12", pause)
    assert reading(f"f12\n{pause} a match in a row").remark == f"{pause} a match in a row"


def test_a_wide_complete_order_is_not_joined_with_a_remark() -> None:
    plan, remark = (
        "g10; if e10 then g11 if f9 then h8; if e11 then h9 if g12 then h12",
        "Congratulations on your last one.",
    )
    found = reading(f"{plan}\n{remark}")
    assert (obeyed(found), found.remark) == ((plan,), remark)


@pytest.mark.parametrize("above", ["", "games\n"])
def test_a_message_is_searched_for_lines_that_would_be_orders_elsewhere(above: str) -> None:
    found = reading(f"{above}say Hello!\npass\nBye")
    assert (obeyed(found)[-1], found.not_obeyed) == ("say Hello!\npass\nBye", ("pass",))


@pytest.mark.parametrize("first", ["g10", "resign", "I resign."])
def test_thanks_below_a_move_or_a_resignation_are_for_the_others(first: str) -> None:
    assert reading(f"{first}\n\nThanks,\nAda").remark == "Thanks,\nAda"
    assert reading("games\n\nThanks,\nAda").remark == ""


def test_only_the_first_commands_of_a_long_email_are_obeyed() -> None:
    found = reading("help\n" * 5_000)
    assert (len(found.lines), len(found.ignored), found.ignored[-1].text) == (25, 26, "... (4950)")


@pytest.mark.parametrize(
    "text",
    [
        "Show me what you mean", "Match point", "Name your price", "Rules are there to be broken", "New line",
        "Join us", "Leave it", "Offer stands", "Pause for thought", "Decline in quality", "Accept my thanks",
        "Help is on its way", "Most people would", "Digest that", "Address unknown", "Off we go", "Move on",
        "If only I knew", "Standing tall", "Preview of things to come", "Zone out for a bit, then", "Extend my thanks",
        "Resume reading", "Withdraw your troops", "Forget it", "Undo that please", "Draw near", "Pass the salt",
        "Say, how is Eva", "Stop that", "Resign yourself to it", "f12 was good", "Accept?", "Pass?",
    ],
)  # fmt: skip
def test_a_sentence_that_begins_with_a_command_is_a_remark(text: str) -> None:
    found = reading(f"f12\n{text}")
    assert (obeyed(found), found.remark) == (("f12",), text)


@pytest.mark.parametrize(
    "greeting",
    [
        "Hi,", "Hi Ada", "Hello Ada and Ben!", "Dear Ada,", "Hey there", "Good morning Ada,", "Hallo Ada,", "Moin!",
        "Liebe Ada,", "Guten Morgen,", "Bonjour Ada,", "Salut !", "Chère Ada,", "Hola Ada:", "Buenos días,",
        "Ciao Ada!", "Olá Ada,", "Hoi Ada,", "Hej Ada!", "Cześć Ada,", "Привет, Ада!", "こんにちは。", "アダ様",
        "你好！", "안녕하세요,", "Ada,", "Ada Brown,", "Grüß Gott,",
    ],
)  # fmt: skip
@pytest.mark.parametrize("gap", ["\n", "\n\n"])
def test_a_greeting_above_the_move_is_skipped(greeting: str, gap: str) -> None:
    found = reading(f"{greeting}{gap}f12")
    assert (obeyed(found), found.remark) == (("f12",), "")


@pytest.mark.parametrize("text", ["Hi Ada, I think we should", "I pass, Ada,", "f12,", "pass,", "Hello f12"])
def test_a_line_with_more_words_is_not_a_greeting(text: str) -> None:
    assert obeyed(reading(f"{text}\nresign"))[0] == text


@pytest.mark.parametrize("answer", ["Yes,", "No,", "OK,", "Sure,", "Accept,"])
def test_an_answer_with_a_comma_is_a_greeting_only_above_a_move(answer: str) -> None:
    found = reading(f"{answer}\nas we said on Monday.\n\nBen")
    assert (obeyed(found), found.remark) == ((answer,), "as we said on Monday.\n\nBen")
    assert reading(f"{answer}\nf12").lines[-1].text == "f12"


def test_of_two_answers_to_an_invitation_the_second_counts() -> None:
    assert obeyed(reading("Ok,\nno, thank you")) == ("no, thank you",)


@pytest.mark.parametrize(
    "text", ["f12", "ｆ１２", "f12 👍", "👍🏽 f12", "f12 ❤️", "f12 :-)", "f12 ;)", " f12\u00a0", "f１２", "f١٢"]
)
def test_ornaments_and_wide_characters_in_an_order_are_ignored(text: str) -> None:
    assert plainly(text) == "f12"


@pytest.mark.parametrize(
    "text",
    ['"f12"', "“f12”", "„f12“", "«f12»", "\u2018f12\u2019", "「ｆ１２」", "“f12”.", "“f12”,", "ｆ１２。", "『f12』。"],
)
def test_quotation_marks_around_an_order_are_ignored(text: str) -> None:
    assert plainly(text) == "f12"


@pytest.mark.parametrize(
    "text", ["_f12_", "__f12__", "**f12**", "_f12_.", "\u2022 f12", "\u2022 *f12*,", "\u00b7\tf12"]
)
def test_emphasis_and_bullets_are_ignored(text: str) -> None:
    assert plainly(text) == "f12"


@pytest.mark.parametrize("text", ["_f12", "f12_", "f_12", "_f12_ or _e9_", "*f12_", "f12 \u2022 e9", "__"])
def test_other_marks_in_a_line_stay(text: str) -> None:
    assert plainly(text) == text


@pytest.mark.parametrize("text", ['"f12" or "e9"', "“f12", 'name "Ann"', "'tis", "I said “f12”"])
def test_quotation_marks_within_a_line_stay(text: str) -> None:
    assert plainly(text) == text


@pytest.mark.parametrize(
    "text", ["f12 please", "Please, f12.", "f12, please!", "bitte f12", "f12 s\u2019il vous plaît", "f12 svp."]
)
def test_please_in_an_order_is_ignored(text: str) -> None:
    assert plainly(text).strip(".") == "f12"


@pytest.mark.parametrize(
    "text",
    ["pass?", "(pass?)", "pass (?)", "[pass?]", "pass?'", "pass?,", "pass?:", "pass ❓", "pass❔", "pass؟"],
)
def test_a_question_is_never_an_order_whatever_is_behind_its_mark(text: str) -> None:
    found = reading(text)
    assert found.lines[0].asks
    assert not found.is_plain
    assert reading(f"f12\n{text}").remark == text


@pytest.mark.parametrize("text", ["I offer a draw?", "I offer a draw?,", "I offer a draw❓", "Remis?*"])
def test_a_draw_offered_with_a_question_mark_is_asked_about(text: str) -> None:
    assert reading(text).lines[0].text == "draw?"


@pytest.mark.parametrize("begins", ["", "Hello", "Withdraw"])
@pytest.mark.parametrize(
    "piece", [" ", ",", " ,", " , ", "svp ", "please, ", "if ", ":-) ", 'new "', "Ann ", "a. ", "( ", "e9 or "]
)
def test_a_long_repetition_takes_no_longer_than_other_text(piece: str, begins: str) -> None:
    """An email is read before anything is known about its sender."""

    def seconds(size: int) -> float:
        text = f"{begins}{piece * (size // len(piece))}!?"
        began = process_time()
        parse("", text, is_move)
        plainly(text)
        return process_time() - began

    size = cases(40_000, full=100_000)
    large = seconds(size)
    assert large < 0.5 or large < 30 * min(seconds(size // 10) for _ in range(3)) + 0.5


@pytest.mark.parametrize("text", ["please", "f12 please take it", "so please f12", "f12 please?"])
def test_please_within_a_sentence_stays(text: str) -> None:
    assert plainly(text) == text


@given(st.text(), st.text())
def test_any_text_is_read(subject: str, text: str) -> None:
    found = parse(subject, text, is_move, lambda text: text == "prefer red")
    assert found.is_plain or found.lines or found.ignored or not found.remark


if __name__ == "__main__":
    PAGE.write_text(page())


def test_a_quotation_mark_that_is_never_closed_takes_no_further_line() -> None:
    found = reading('new go setup="black: d4 e5;\nwhite: f5 vs open\n\nBest wishes')
    assert obeyed(found) == ('new go setup="black: d4 e5;',)
    assert found.remark.startswith("white: f5 vs open")
