"""The lines of an email of commands."""

from __future__ import annotations

import pytest

from service.mail.grammar import command_lines
from service.mail.grammar.command_words import COMMANDS, Command


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
        ("I resign", "resign", ""),
        ("move resign", "resign", ""),
        ("unsubscribe here", "off", "here"),
        ("What are the rules?", "rules", ""),
        ("", None, ""),
    ],
)
def test_which_command_a_line_begins_with(text: str, name: str | None, rest: str) -> None:
    found = command_lines.line(text)
    assert (found.command.name if found.command else None, found.rest) == (name, rest)


@pytest.mark.parametrize("command", [one for one in COMMANDS if not one.order and one.about == "anything"])
def test_a_sentence_that_begins_like_a_command_without_arguments_is_not_a_command(command: Command) -> None:
    """The commands listed here accept any words as their arguments."""
    found = command_lines.line(f"{command.name} as I told you yesterday")
    assert (found.command is not None) == (command.name in {
        "address", "challenge", "digest", "grace", "help", "join", "learn", "match", "most", "name", "new", "offer",
        "problem", "rating", "receipts", "rules", "vacation", "withdraw from", "wish", "zone",
    })  # fmt: skip


@pytest.mark.parametrize(
    ("first", "asks"),
    [("show", True), ("resign", True), ("help rosette", True), ("g10", False), ("pass", False), ("move g10", False)],
)
def test_a_reply_has_commands_if_its_first_line_is_not_an_order(first: str, asks: bool) -> None:
    assert command_lines.asks(first) is asks


def test_every_command_has_a_unique_name_a_usage_that_begins_with_it_and_a_summary() -> None:
    assert len({command.name for command in COMMANDS}) == len(COMMANDS)
    for command in COMMANDS:
        assert f"{command.usage} ".startswith(f"{command.name} ")
        assert command.summary.endswith(".")
