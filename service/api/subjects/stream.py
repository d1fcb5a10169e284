"""What happens in the player's matches, for programs that wait for it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

from msgspec import Meta, Struct

from service.api import bell, shapes
from service.api.operations import Call, operation
from service.api.problem_details import Refused
from service.api.shapes import Strict
from service.api.subjects.orders import LONGEST_WAIT, Wait
from service.play.talk import happenings
from service.play.talk.happenings import Cursor, Happening, News, What
from service.web import places
from service.web.current_player import site

PAUSE = 2
"""Seconds that a program has to wait before it asks again, if its request couldn't wait."""


class Since(Strict):
    """`after` is from the last answer, and left out the first time; `wait` is how long to wait for something new."""

    after: Annotated[str, Meta(max_length=4_000, description="The last `after`; omit it the first time.")] = ""
    wait: Annotated[Wait, Meta(description="How many seconds to wait for something new.")] = 0


class Event(Struct):
    """`turn`: the match is waiting for the player. `moved`: it has moved on, and isn't waiting for the player.
    `invitation`: to be accepted or declined. `opened`, `over`, `declined`: the match's new state. `said`: there's a
    message."""

    what: What
    match: int
    url: str
    round: int
    at: datetime


class Events(Struct):
    """What is new, the oldest first. Ask again with this `after`, after `pause` seconds.

    Of several changes of a match, only the latest is reported.
    """

    events: Sequence[Event]
    after: str
    pause: int


@operation("GET", "/events", Events, tag="events", scope="read", query=Since)
def events(call: Call) -> Events:
    """What happens in the player's matches, as soon as it happens; at first, what's waiting for the player."""
    asked: Since = call.query
    news = _news(call.player.id, asked.after)
    if news.happenings or not asked.wait:
        return _told(news, 0 if asked.wait else PAUSE)
    with places.room(call.player.id) as is_free:
        return _told(_awaited(call.player.id, news.after, asked.wait), 0) if is_free else _told(news, PAUSE)


def _news(player_id: int, after: str) -> News:
    if after in ("", "0"):
        return happenings.waiting(site(), player_id)
    try:
        return happenings.since(site(), player_id, Cursor.read(after))
    except ValueError as error:
        raise Refused(422, "malformed", str(error), field="after") from error


def _awaited(player_id: int, cursor: Cursor, wait: float) -> News:
    until = time.monotonic() + min(wait, LONGEST_WAIT)
    with bell.of(site()).listening(site(), player_id) as rung:
        news = happenings.since(site(), player_id, cursor)
        while not news.happenings and (left := until - time.monotonic()) > 0:
            places.wait(rung, left)
            rung.clear()
            news = happenings.since(site(), player_id, news.after)
    return news


def _told(news: News, pause: int) -> Events:
    return Events([_event(one) for one in news.happenings], news.after.write(), pause)


def _event(one: Happening) -> Event:
    return Event(one.what, one.match_id, shapes.address(one.match_id), one.round, one.at)
