"""Jinja filters that write times, scores and the like."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from fractions import Fraction

from flask import Flask
from markupsafe import Markup

from service.clock.control import Control, FirstTurn
from service.engine.options import has_count
from service.games import GAMES
from service.mail.letters.letter_words import listed, moment, ordinal, plain, span
from service.play.timekeeping import clocks
from service.web.current_player import site, visitor

_PARTS = {"1/2": "½", "1/3": "⅓", "2/3": "⅔", "1/4": "¼", "3/4": "¾"}


def speak(app: Flask) -> None:
    """Registers the filters."""
    app.add_template_filter(instant)
    app.add_template_filter(ago)
    app.add_template_filter(score)
    app.add_template_filter(ics)
    for words in (listed, left, span, moment, first_turn, ordinal, counted, plain):
        app.add_template_filter(words)


def instant(time: datetime) -> Markup:
    """A `<time>` with the weekday and the visitor's time zone, which the page's script changes to the browser's.

    It names the year unless it's the current one.
    """
    stamp, local = time.astimezone(UTC).isoformat(timespec="seconds"), _locally(time)
    words = moment(local, site().now())
    return Markup('<time datetime="{}">{}</time>').format(stamp, words)


def left(deadline: datetime) -> str:
    """The time left until a deadline, in words."""
    return span(deadline - site().now())


def counted(game: str) -> bool:
    """Whether the players of a game agree on a count after play."""
    return has_count(GAMES[game].words)


def first_turn(control: Control) -> FirstTurn | None:
    """When a first turn that begins now would run out of time, in the visitor's zone."""
    return control.first_turn(site().now(), clocks.zone(visitor()))


def _locally(time: datetime) -> datetime:
    return time.astimezone(clocks.zone(visitor()))


def ago(moment: datetime, now: datetime) -> Markup:
    """A `<time>` that says how long ago, in the largest fitting unit."""
    words = _since(max(now - moment, timedelta()))
    stamp = moment.astimezone(UTC).isoformat(timespec="seconds")
    return Markup('<time datetime="{}" data-short>{}</time>').format(stamp, words)


def score(text: str) -> str:
    """A share of the point (`1`, `0`, `1/2` …) with `½` and the like."""
    return _PARTS.get(text, str(Fraction(text)))


def ics(text: str) -> str:
    """A text as a calendar writes it (RFC 5545, 3.3.11)."""
    return re.sub(r"([\\;,])", r"\\\1", text)


def _since(passed: timedelta) -> str:
    minutes = passed // timedelta(minutes=1)
    for size, unit in ((1440, "day"), (60, "hour"), (1, "minute")):
        if count := minutes // size:
            return f"{count} {unit}{'s' if count > 1 else ''} ago"
    return "just now"
