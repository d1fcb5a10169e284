"""A letter in words: its subject, its text and its HTML, from the templates in `mail/<kind>/` or `mail/events/`.

Every sentence is in a template, or comes from a `MoveError` or a note of the game. The template of an event has blocks
for its subject and sentences, which three frames in `mail/event/` lay out as a subject, a text and an HTML part.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from jinja2 import BaseLoader, Environment, StrictUndefined, select_autoescape

from service.mail.letters.letter_types import Event, Letter

WIDTH = 72
"""The columns of a text part: it fits into 80 even with a few `> ` before it."""


@dataclass(frozen=True, slots=True)
class Words:
    """The texts of an email for `write.Mail`. The subject is one line."""

    subject: str
    text: str
    html: str


class Templates(NamedTuple):
    """The same templates for both parts of an email: in HTML, text isn't wrapped."""

    text: Environment
    html: Environment


def templates(loader: BaseLoader) -> Templates:
    """The templates for `render`; `loader` finds `mail/<kind>/…`. Call it once: compiled templates are cached."""
    environment = Environment(
        loader=loader,
        autoescape=select_autoescape(["html"]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.filters |= {
        "wrapped": wrapped,
        "span": span,
        "moment": moment,
        "listed": listed,
        "ordinal": ordinal,
        "plain": plain,
        "hours": hours,
        "sentence": sentence,
    }
    flowing = environment.overlay()
    flowing.filters = environment.filters | {"wrapped": lambda text, _width=WIDTH: str(text).strip()}
    return Templates(environment, flowing)


def render(templates: Templates, letter: Letter, picture: str = "") -> Words:
    """Renders a letter. `picture` is where the HTML finds the board: `cid:` and `write.picture_id`; "" for none."""
    data: dict[str, Any] = {field.name: getattr(letter, field.name) for field in fields(letter)}
    if isinstance(letter, Event):
        data |= letter.values

    def fill(part: str, environment: Environment = templates.text) -> str:
        if isinstance(letter, Event):
            template, frame = f"mail/events/{letter.kind}.txt", f"mail/event/{part}"
            return environment.get_template(template).render(data, picture=picture, frame=frame)
        return environment.get_template(f"mail/{letter.kind}/{part}").render(data, picture=picture)

    text, html = fill("body.txt").strip("\n") + "\n", fill("body.html", templates.html)
    return Words(" ".join(fill("subject.txt").split()), text, html)


def wrapped(text: str, width: int = WIDTH) -> str:
    """Text in lines of at most `width` columns; its own line ends and words too long for a line stay as they are."""
    return "\n".join(part for line in text.strip().splitlines() for part in _lines(line, width))


def _lines(line: str, width: int) -> list[str]:
    if len(line) <= width and line.isprintable():
        return [line.rstrip()]  # The same as `textwrap`, which takes longer than the rest of a short letter.
    return textwrap.wrap(line, width, break_long_words=False, break_on_hyphens=False) or [""]


def plain(text: str) -> str:
    """The result of a text template's macro as plain text, for use in HTML: Jinja would treat it as HTML and not escape
    it."""
    return str(text)


def span(time: timedelta) -> str:
    """A length of time in its two largest units: "2 days 14 hours", "35 minutes", "less than a minute"."""
    minutes = max(0, int(time.total_seconds() // 60))
    amounts = ((minutes // 1440, "day"), (minutes // 60 % 24, "hour"), (minutes % 60, "minute"))
    first = next((i for i, (amount, _) in enumerate(amounts) if amount), 2)
    shown = [pair for pair in amounts[first : first + 2] if pair[0]]
    return (
        "less than a minute"
        if not shown
        else " ".join(f"{amount} {unit}{'' if amount == 1 else 's'}" for amount, unit in shown)
    )


def moment(time: datetime, now: datetime | None = None) -> str:
    """A time as its reader's calendar and clock show it: "Tuesday 24 November, 18:30 (Lisbon)".

    It names the year if that isn't the year of `now`.
    """
    zone = str(time.tzinfo).rpartition("/")[2].replace("_", " ")
    year = f" {time.year}" if now is not None and now.astimezone(time.tzinfo).year != time.year else ""
    return f"{time:%A} {time.day} {time:%B}{year}, {time:%H:%M} ({zone})"


def ordinal(number: int) -> str:
    """A place as an ordinal: "1st", "12th", "23rd"."""
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def listed(names: tuple[str, ...]) -> str:
    """Names as in a sentence: "Black", "Black and White", "Black, White and Red"."""
    *most, last = names or ("",)
    return f"{', '.join(most)} and {last}" if most else last


def hours(times: Sequence[str]) -> str:
    """Hours of the day as in a sentence: ("8", "18") is "8:00 and 18:00"."""
    return listed(tuple(f"{hour}:00" for hour in times))


def sentence(text: str) -> str:
    """The text with its first letter capitalised."""
    return text[:1].upper() + text[1:]
