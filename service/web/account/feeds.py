"""Feeds at secret addresses: a player's turns for feed readers (Atom, RFC 4287), deadlines for calendars (RFC 5545)."""

from __future__ import annotations

from flask import Blueprint, Response, abort, render_template

from service.play.pages import feeds
from service.play.pages.match_lists import MatchLine
from service.web.current_player import site

pages = Blueprint("feeds", __name__, url_prefix="/feed/<token>")


@pages.get("/turns.xml")
def turns(token: str) -> Response:
    """An entry for each match that waits for the player; a new one for each move."""
    lines = _waiting(token)
    updated = max((line.moved for line in lines), default=site().now())
    feed = render_template("feeds/turns.xml", lines=lines, updated=updated, token=token)
    return Response(feed, mimetype="application/atom+xml")


@pages.get("/followed.xml")
def followed(token: str) -> Response:
    """An entry for each match or event that players the reader follows began or finished."""
    news = feeds.followed(site(), token)
    if news is None:
        abort(404)
    updated = max((one.at for one in news), default=site().now())
    feed = render_template("feeds/followed.xml", news=news, updated=updated, token=token)
    return Response(feed, mimetype="application/atom+xml")


@pages.get("/deadlines.ics")
def deadlines(token: str) -> Response:
    """An event at the end of the player's time in each match that waits for them."""
    calendar = render_template("feeds/deadlines.ics", lines=_waiting(token), now=site().now())
    return Response("\r\n".join(line for line in calendar.splitlines() if line) + "\r\n", mimetype="text/calendar")


def _waiting(token: str) -> tuple[MatchLine, ...]:
    lines = feeds.waiting(site(), token)
    if lines is None:
        abort(404)
    return lines
