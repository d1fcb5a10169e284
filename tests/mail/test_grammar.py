"""The lines of a mail of commands."""

from __future__ import annotations

import pytest

from service.mail import grammar
from service.mail.grammar import COMMANDS


@pytest.mark.parametrize(
    ("text", "name", "rest"),
    [
        ("help", "help", ""),
        ("Help.", "help", ""),
        ("HELP rosette", "help", "rosette"),
        ("show 12", "show", "12"),
        ("move g10", "move", "g10"),
        ("  say  Good luck: have fun ", "say", "Good luck: have fun"),
        ("new rosette base=5 vs bot", "new", "rosette base=5 vs bot"),
        ("resign", "resign", ""),
        ("resign!", "resign", ""),
        ("resign is what I should do", None, ""),
        ("off we go", None, ""),
        ("g10", None, ""),
        ("helpful", None, ""),
        ("", None, ""),
    ],
)
def test_a_line_begins_with_a_command_or_with_none(text: str, name: str | None, rest: str) -> None:
    found = grammar.line(text)
    assert (found.command.name if found.command else None, found.rest) == (name, rest)


@pytest.mark.parametrize(
    ("first", "asks"),
    [("show", True), ("resign", True), ("help rosette", True), ("g10", False), ("pass", False), ("move g10", False)],
)
def test_a_reply_is_commands_where_its_first_line_is_no_order(first: str, asks: bool) -> None:
    assert grammar.asks(first) is asks


def test_the_subject_counts_where_it_begins_with_a_command() -> None:
    assert [line.text for line in grammar.lines("status", "games")] == ["status", "games"]
    assert [line.text for line in grammar.lines("Hello there", "games")] == ["games"]
    assert [line.text for line in grammar.lines("Re: status", "games")] == ["games"]


def test_what_the_subject_and_the_text_both_say_is_said_once() -> None:
    assert [line.text for line in grammar.lines("New Rosette vs open", "hello\nnew  rosette vs open.")] == [
        "hello",
        "new  rosette vs open.",
    ]
    assert [line.text for line in grammar.lines("new rosette vs open", "new rosette vs bot")] == [
        "new rosette vs open",
        "new rosette vs bot",
    ]


def test_comments_are_left_out_and_nothing_counts_below_end() -> None:
    found = grammar.lines("", "// my usual mail\nstatus\n\nend\nsee you\n")
    assert [(line.text, line.ignored) for line in found] == [("status", ""), ("see you", "end")]


def test_a_line_broken_within_quotation_marks_goes_on_in_the_next() -> None:
    broken = 'new go setup="black: d4 e5;\nwhite: f5" vs open\nstatus'
    assert [found.text for found in grammar.lines("", broken)] == [
        'new go setup="black: d4 e5; white: f5" vs open',
        "status",
    ]
    assert [found.text for found in grammar.lines("", 'say "Good\nluck"')] == ['say "Good', 'luck"']
    unclosed = 'new go setup="black\nnew lotus clock="3d/move" vs open'
    assert [found.text for found in grammar.lines("", unclosed)] == unclosed.split("\n")


def test_a_long_mail_is_not_obeyed_for_ever() -> None:
    found = grammar.lines("", "help\n" * 5_000)
    assert sum(not line.ignored for line in found) == grammar.MOST_LINES
    assert len(found) == 2 * grammar.MOST_LINES + 1
    assert found[-1].text == "... (4950)"


def test_every_command_has_a_name_of_its_own_a_usage_that_begins_with_it_and_a_sentence() -> None:
    assert len({command.name for command in COMMANDS}) == len(COMMANDS)
    for command in COMMANDS:
        assert command.usage.split()[0] == command.name
        assert command.summary.endswith(".")
