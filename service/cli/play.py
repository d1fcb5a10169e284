"""`stonepost play` for terminals: asks the API of a site, with the token in STONEPOST_TOKEN."""

from __future__ import annotations

import argparse
import http.client
import json
import os
import re
import secrets
import sys
import urllib.error
import urllib.request
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

PATIENCE = 60
"""Seconds for an answer. The site may take 25 of them to wait for something new."""

LONGEST_ANSWER = 10_000_000
"""The most bytes of an answer."""

NEWS = {
    "turn": "It's your turn.",
    "moved": "Somebody has moved.",
    "invitation": "You're invited.",
    "opened": "The match is open.",
    "over": "The match is over.",
    "declined": "The invitation was declined.",
    "said": "There's a message.",
}
"""What is printed for each kind of event."""


class Straight(urllib.request.HTTPRedirectHandler):
    """Follows no redirect: it would hand the token to another site."""

    def redirect_request(self, *_about: object) -> None:
        return None


class Trouble(OSError):
    """Why the site can't be reached or refused a request, as a sentence."""


def add(commands: Commands) -> None:
    """Add this module's commands."""
    play = commands.add_parser(
        "play", help="play on a site: its address is in STONEPOST_URL, and a token to read and play in STONEPOST_TOKEN"
    )
    chosen = play.add_subparsers(required=True, metavar="WHAT")
    chosen.add_parser("list", help="list your matches, those waiting for you first").set_defaults(run=_checked(_list))
    show = chosen.add_parser("show", help="print the board of a match")
    show.set_defaults(run=_checked(_show))
    order = chosen.add_parser("order", help="send an order, such as a move or resign")
    order.set_defaults(run=_checked(_order))
    for command in (show, order):
        command.add_argument("match", metavar="MATCH", type=_number)
    order.add_argument("text", metavar="TEXT", nargs="+")
    order.add_argument(
        "--round", type=_round, metavar="N", help="the round that show printed; does nothing if the match has moved on"
    )
    watch = chosen.add_parser("watch", help="print what happens in your matches, until it's stopped")
    watch.set_defaults(run=_checked(_watch))


def _checked(command: Callable[[argparse.Namespace], int]) -> Callable[[argparse.Namespace], int]:
    """The command, which raises Trouble if an answer isn't what the API promises."""

    def checked(chosen: argparse.Namespace) -> int:
        try:
            return command(chosen)
        except (LookupError, TypeError, AttributeError):
            raise Trouble("STONEPOST_URL isn't the address of a Stonepost site: its answer lacks something.") from None

    return checked


def _number(text: str) -> int:
    if not (text.isascii() and text.isdecimal()):
        raise argparse.ArgumentTypeError(f"must be the number of a match, not {text!r}")
    return int(text)


def _round(text: str) -> dict[str, int]:
    """What an order says of the board it's for: the round as `_show` prints it."""
    found = re.fullmatch(r"([0-9]{1,10})(?:@([0-9]{1,10}))?", text)
    if found is None:
        raise argparse.ArgumentTypeError(f"must be a round as show prints it, not {text!r}")
    return {"round": int(found[1]), "restored": int(found[2] or 0)}


def _list(_chosen: argparse.Namespace) -> int:
    page: str | None = "/matches/mine"
    is_first = True
    while page is not None:
        found = _ask(page)
        for match in found["matches"]:
            names = ", ".join(f"{seat['side']} {_holder(seat)}" for seat in match["seats"])
            _say(f"{match['id']:>8}  {_state(match):<12} {match['game']}: {names}")
        if is_first and not found["matches"]:
            _say("You have no matches.")
        page, is_first = found["next"] and str(found["next"]).removeprefix("/api/v1"), False
    return 0


def _holder(seat: dict[str, Any]) -> str:
    return str(seat["name"]) or "open"


def _state(match: dict[str, Any]) -> str:
    if match["invited"]:
        return "invitation"
    return "your turn" if match["my_turn"] else str(match["state"])


def _show(chosen: argparse.Namespace) -> int:
    match = _ask(f"/matches/{chosen.match}")
    restored = f"@{match['restored']}" if match.get("restored") else ""
    _say(f"{match['title']}, match {match['id']}, round {match['round']}{restored}: {_state(match)}")
    for seat in match["seats"]:
        _say(f"{'>' if seat['to_move'] else ' '} {seat['side']}: {_holder(seat)}")
    _say(f"\n{match['board']}")
    for label, words in match["facts"].items():
        _say(f"{label}: {words}")
    for note in match["notes"]:
        _say(note)
    return 0


def _order(chosen: argparse.Namespace) -> int:
    body = {"text": " ".join(chosen.text)} | (chosen.round or {})
    # The same key for every attempt: an order whose answer was lost is never played twice.
    order = _ask(f"/matches/{chosen.match}/orders", body, secrets.token_hex(16))
    if order["state"] == "accepted":
        _say(f"{order['text']}: accepted.")
        return _show(chosen)
    if order["state"] == "withdrawn":
        _say(f"{order['text']}: withdrawn. {order['message']}")
    else:
        _say(f"{order['text']}: stored, and not judged yet.")
    return 0


def _watch(_chosen: argparse.Namespace) -> int:
    import time

    after = ""
    while True:
        news = _ask(f"/events?wait=25&after={after}")
        after = news["after"]
        for event in news["events"]:
            _say(f"Match {event['match']}: {NEWS.get(event['what'], event['what'])}")
        sys.stdout.flush()
        time.sleep(news["pause"])


def _ask(path: str, body: dict[str, Any] | None = None, key: str = "") -> Any:
    """The site's answer; raises Trouble. With a key, the request is sent again once if the connection breaks."""
    asked, door = _request(path, body, key), urllib.request.build_opener(Straight)
    for is_last in (not key, True):
        try:
            with door.open(asked, timeout=PATIENCE) as answer:
                found = answer.read(LONGEST_ANSWER)
        except urllib.error.HTTPError as refusal:
            raise Trouble(_told(refusal)) from None
        except OSError as error:
            if is_last:
                reason = getattr(error, "reason", None) or error
                raise Trouble(f"The site in STONEPOST_URL doesn't answer: {reason}") from None
        except http.client.HTTPException:
            raise Trouble("STONEPOST_URL isn't the address of a Stonepost site: its answer isn't HTTP.") from None
        else:
            return _read(found)
    raise AssertionError("The last attempt ends the loop.")


def _request(path: str, body: dict[str, Any] | None, key: str) -> urllib.request.Request:
    headers = {"Authorization": f"Bearer {_token()}", "Accept": "application/json"}
    headers |= {"Idempotency-Key": key} if key else {}
    data = None if body is None else json.dumps(body).encode()
    headers |= {} if data is None else {"Content-Type": "application/json"}
    return urllib.request.Request(f"{_site()}/api/v1{path}", data, headers)  # noqa: S310 - _site has checked it


def _token() -> str:
    token = os.environ.get("STONEPOST_TOKEN", "").strip()
    if not token:
        raise Trouble("STONEPOST_TOKEN is not set. Make a token on the page Programs and bots of your site.")
    if not token.isascii() or not token.isprintable():
        raise Trouble("STONEPOST_TOKEN isn't a token.")
    return token


def _site() -> str:
    url = os.environ.get("STONEPOST_URL", "").strip().rstrip("/")
    if not url:
        raise Trouble("STONEPOST_URL is not set. It's the address of your site, such as https://play.example.org.")
    try:
        parts = urlsplit(url.encode("ascii").decode())
        (parts.hostname or "").encode("idna")  # As urllib does later: no part of a name may be empty or too long.
    except ValueError:
        raise Trouble("STONEPOST_URL isn't an address like https://play.example.org.") from None
    is_here = parts.hostname in ("localhost", "127.0.0.1", "::1")
    if not parts.hostname or parts.scheme not in ("https", "http"):
        raise Trouble("STONEPOST_URL must begin with https://.")
    if parts.scheme == "http" and not is_here:
        raise Trouble("STONEPOST_URL must begin with https://, or the token could be read in transit.")
    return url


def _told(refusal: urllib.error.HTTPError) -> str:
    if refusal.code == 401:
        return "The site rejects the token in STONEPOST_TOKEN: it was revoked, has expired, or is incomplete."
    try:
        return _plain(str(json.loads(refusal.read(LONGEST_ANSWER))["detail"]))
    except (OSError, ValueError, KeyError, TypeError):
        return f"The site in STONEPOST_URL answers {refusal.code} {_plain(refusal.reason)}."


def _read(answer: bytes) -> Any:
    try:
        return json.loads(answer)
    except (ValueError, RecursionError):
        raise Trouble("STONEPOST_URL isn't the address of a Stonepost site: its answer isn't JSON.") from None


def _say(text: str) -> None:
    print(_plain(text))


def _plain(text: str) -> str:
    """The text without control characters: names and messages come from others, and this is your terminal."""
    return "".join(one for one in text if one.isprintable() or one == "\n")
