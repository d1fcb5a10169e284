"""GRAMMAR.md, made from the table of commands and the examples below, which also test the parser."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from service.mail.grammar.command_words import COMMANDS, PHRASES, RULES


class Sample(NamedTuple):
    """An email, the lines that are obeyed, the remark, and the lines that aren't.

    `not_obeyed` are lines of the remark or message that would be orders elsewhere. `asks`: the writer is asked to
    confirm the line. `private`: the prose isn't sent to anybody.
    """

    text: str
    obeyed: tuple[str, ...]
    remark: str = ""
    not_obeyed: tuple[str, ...] = ()
    asks: bool = False
    private: bool = False


SAMPLES = (
    Sample("f12", ("f12",)),
    Sample("f12!", ("f12!",)),
    Sample("f12 👍", ("f12",)),
    Sample("“f12”", ("f12",)),
    Sample("\uff46\uff11\uff12", ("f12",)),
    Sample("Hi Ada,\n\nf12", ("f12",)),
    Sample("Hallo Ada,\n\nf12\n\nViele Grüße\nBen", ("f12",), "Hallo Ada,\n\nViele Grüße\nBen"),
    Sample("Chère Ada,\nf12\nBelle partie.", ("f12",), "Chère Ada,\nBelle partie."),
    Sample("アダさん、こんにちは。\n\nf12", ("f12",)),
    Sample("アダさん、\n\nf12\nよろしくお願いします。", ("f12",), "アダさん、\n\nよろしくお願いします。"),
    Sample("f12\nGood luck!", ("f12",), "Good luck!"),
    Sample("f12\nIt ends in a\ndraw\nnearly always.", ("f12",), "It ends in a\ndraw\nnearly always.", ("draw",)),
    Sample("f12\nYour best answer should be to\npass", ("f12",), "Your best answer should be to\npass", ("pass",)),
    Sample("f12\ndraw", ("f12", "draw")),
    Sample("f12\ndraw\n\nBest,\nBen", ("f12", "draw")),
    Sample("f12\nDraw?", ("f12",), "Draw?", ("Draw?",)),
    Sample("f12\nif g11 then h10", ("f12", "if g11 then h10")),
    Sample("f12; if g11 then h10", ("f12; if g11 then h10",)),
    Sample("f12\nIf you play f6 then c3 looks weak to me.", ("f12",), "If you play f6 then c3 looks weak to me."),
    Sample("f12\nIf you play f6 then c3.", ("f12",), "If you play f6 then c3.", private=True),
    Sample("f12\nif g11 then h110", ("f12",), "if g11 then h110", private=True),
    Sample("f12\nHm.\nif g11 then h10", ("f12",), "Hm.\nif g11 then h10", ("if g11 then h10",), private=True),
    Sample("f12\nOh.\nsay to red: No", ("f12",), "Oh.\nsay to red: No", ("say to red: No",), private=True),
    Sample("f12\nsay to red: Shall we take\nthe corner?", ("f12", "say to red: Shall we take\nthe corner?")),
    Sample("say to black: You could take it and I\nd8", ("say to black: You could take it and I\nd8",), "", ("d8",)),
    Sample("say Hello\nsay to red: psst", ("say Hello\nsay to red: psst",), "", ("say to red: psst",), private=True),
    Sample("show\nhistory", ("show", "history")),
    Sample("show\nThank you.", ("show",)),
    Sample("show\nIs this right?", ("show",), "Is this right?"),
    Sample("match 12\nf12\nstatus", ("match 12", "f12", "status")),
    Sample("f12\nend\nSent while walking the dog", ("f12",)),
    Sample("// my usual email\nf12", ("f12",)),
    Sample("pass?", ("pass?",), asks=True),
    Sample("I resign.", ("resign",)),
    Sample("stop", ("off",)),
    Sample("Unsubscribe", ("off",)),
    Sample("How do I play?", ("help",)),
    Sample("f12 please", ("f12",)),
    Sample("I offer a draw.", ("draw",)),
    Sample("I resign. Well played!", ("resign",)),
    Sample("f12\nI resign. Well played!", ("f12",), "I resign. Well played!"),
    Sample("Please stop sending me these emails", ("off",)),
    Sample("Off we go", ("Off we go",)),
)  # fmt: skip
"""Read as a reply in a match where f12, g11 and the like are moves."""


def page() -> str:
    """The page, in Markdown."""
    return "\n".join(_page()) + "\n"


def _page() -> Iterator[str]:
    yield "# What an email says\n"
    yield "`python -m tests.mail.grammar.test_reading` makes this page from `orders.py`, `command_words.py` and"
    yield "`grammar_page.py`.\n"
    yield from (f"{number}. {rule}" for number, rule in enumerate(RULES, 1))
    yield "\n## Orders and commands\n"
    yield "| write | |\n|---|---|"
    yield from (f"| `{_cell(command.usage)}` | {_cell(command.summary)} |" for command in COMMANDS)
    yield "\nWhole lines that mean the same:\n"
    yield from (f"- `{name}`: {', '.join(phrases)}" for name, phrases in PHRASES.items())
    yield "\n## Examples\n"
    yield "| you write | obeyed | sent to the others | not obeyed |\n|---|---|---|---|"
    yield from map(_sample, SAMPLES)


def _sample(sample: Sample) -> str:
    obeyed = "once confirmed" if sample.asks else " · ".join(map(_code, sample.obeyed))
    said = any(text.startswith("say ") for text in sample.obeyed)
    sent = "nothing: a line is private" if sample.private else _code(sample.remark) or ("the message" if said else "")
    if not sample.private and sample.remark and sample.obeyed == ("show",):
        sent = "nothing: there is no order to send it with"
    return f"| {_code(sample.text)} | {obeyed} | {sent} | {' · '.join(map(_code, sample.not_obeyed))} |"


def _code(text: str) -> str:
    return "<br>".join(f"`{_cell(line)}`" for line in text.split("\n") if line)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
