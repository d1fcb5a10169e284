"""Orders: everything a player can ask of a match, in the same words as by email and on the web.

An order is stored before it's acknowledged, and judged by a worker. Its `Idempotency-Key` is part of its submission's
key, so that an order that is sent again is never played twice.
"""

from __future__ import annotations

import threading
import time
from typing import Annotated, Literal

from msgspec import Meta, Struct
from werkzeug.wrappers import Response

from service.api.answers import as_json
from service.api.operations import Call, idempotency_key, is_key, key_reused, operation
from service.api.problem_details import Problem, Refused, answered, of_move, problem
from service.api.shapes import Row, Strict
from service.api.subjects.matches import line_of, situation
from service.engine.game import Ambiguous, MoveError
from service.mail.grammar.orders import LONGEST, Rematch, accepts_invitation, parse
from service.mail.grammar.orders import Order as AnyOrder
from service.play.accounts.programs.tokens import Scope
from service.play.match import play_move
from service.play.orders import questions
from service.play.orders.submit import LONGEST_REMARK, Incoming, check_length, is_for_now, is_same, submit
from service.play.orders.undo import REPLACED
from service.play.pages import match_page
from service.play.pages.match_lists import MatchLine
from service.play.pages.match_page import Verdict
from service.web import places
from service.web.current_player import site

LONGEST_WAIT = 25
"""Seconds that a request may wait for a verdict or an event."""

PAUSE = 0.1
"""Seconds between two queries for the verdict."""

Wait = Annotated[float, Meta(ge=0, le=LONGEST_WAIT)]

_FATES = {"": "You withdrew it.", REPLACED: "You sent another order in its place."}


class Waiting(Strict):
    """The most seconds to wait for the verdict."""

    wait: Annotated[Wait, Meta(description="How many seconds to wait for the verdict.")] = 10


class Sent(Strict):
    """An order, as in an email: `f12`, `if c7 then d8`, `resign`, `takeback`, `accept`, `undo`…

    `round` is the round it's meant for: if the match has moved on since, it's refused instead of misapplied. Answers of
    others to the same question, such as accepting the same dead stones, don't count as moving on. `restored` is that of
    the match when you saw it: after the service was restored from a backup, the same round may have another board.

    `message` is sent to the others with it. `undoable`: hold it back for as long as the player has chosen on the
    account page, so that `undo` withdraws it.
    """

    text: Annotated[str, Meta(min_length=1, max_length=LONGEST)]
    round: Row | None = None
    restored: Annotated[int, Meta(ge=0)] | None = None
    message: Annotated[str, Meta(max_length=LONGEST_REMARK)] = ""
    undoable: bool = False


class Order(Struct):
    """An order and its result: `waiting` or `held` until it's judged, then `accepted` or `withdrawn`.

    A refused order is answered with a problem. `match` is there for a `rematch`: the number of the new match.
    """

    key: str
    url: str
    state: Literal["waiting", "held", "accepted", "withdrawn"]
    text: str
    message: str = ""
    match: int | None = None


@operation(
    "POST",
    "/matches/<number:match_id>/orders",
    Order,
    tag="orders",
    scope="play",
    query=Waiting,
    body=Sent,
    also={202: "It's stored but not judged yet. Location has the address of the verdict.", 409: ""},
    headers={"Idempotency-Key": "Send the same key when you repeat an order: 1 to 100 letters, digits and . _ : -"},
    limit="240 per minute",
)
def send_order(call: Call, match_id: int) -> Response:
    """Sends an order, such as a move, and waits up to 10 seconds for the verdict.

    It's stored before anything else happens. If you send it again with the same Idempotency-Key, it counts once. With a
    message, it needs the scope talk too.
    """
    sent: Sent = call.body
    name = idempotency_key()
    is_known = match_page.verdict(site(), _stored(call, name), call.player.id) is not None
    line = line_of(call, match_id, had=is_known)
    check_length(sent.text, sent.message)
    order = parse(sent.text)
    _check_scopes(call, line, order, sent.message)
    if not is_known and (detail := _comes_too_late(line, sent)):
        return answered(problem(409, "out-of-turn", detail, **situation(call, match_id)))
    incoming = Incoming(
        key=_stored(call, name),
        match_id=match_id,
        seat=line.my_seat or 0,  # Only a copy, which isn't stored, may have none.
        player_id=call.player.id,
        round=sent.round,
        order=order,
        remark=sent.message.strip(),
        door="api",
        may_undo=sent.undoable,
    )
    submit(site().unhurried(), incoming)
    if not is_same(site(), incoming):
        raise key_reused()
    return _verdict(call, name, call.query.wait)


@operation(
    "GET",
    "/orders/<key>",
    Order,
    tag="orders",
    scope="play",
    query=Waiting,
    also={202: "It's stored but not judged yet.", 409: ""},
)
def verdict(call: Call, key: str) -> Response:
    """The result of an order, by its Idempotency-Key. Waits up to 10 seconds for the verdict."""
    return _verdict(call, key, call.query.wait)


def _comes_too_late(line: MatchLine, sent: Sent) -> str:
    """Why an order can't be for the current board; "" if it can, or doesn't say which board it's for."""
    if sent.round is None:
        return ""
    if sent.restored is not None:
        with site().transaction() as tx:
            if questions.is_lost(tx, line.id, sent.round, sent.restored):
                return play_move.LOST_BOARD
    if is_for_now(site(), line.id, sent.round):
        return ""
    return f"The match is in round {line.round}, and this order is for round {sent.round}. Nothing was done."


def _check_scopes(call: Call, line: MatchLine, order: AnyOrder, message: str) -> None:
    """Raises Refused if the order begins or joins a match and the token lacks the scope `lobby`, or if it comes with a
    message and the token lacks the scope `talk`."""
    begins = isinstance(order, Rematch) or (line.state == "open" and accepts_invitation(order))
    if begins and not _may(call, "lobby"):
        detail = "This token can't be used for this: to accept an invitation or a rematch it needs the scope lobby."
        raise Refused(403, "forbidden", detail)
    if message.strip() and not _may(call, "talk"):
        detail = "This token can't be used for this: to send a message with an order it needs the scope talk."
        raise Refused(403, "forbidden", detail)


def _may(call: Call, scope: Scope) -> bool:
    return call.holder is None or scope in call.holder.scopes


def _stored(call: Call, name: str) -> str:
    return f"api:{call.player.id}:{name}"


def _verdict(call: Call, name: str, wait: float) -> Response:
    found = _awaited(call, name, wait) if is_key(name) else None
    if found is None:
        raise Refused(404, "not-found", "You've sent no order with this key.")
    url = f"/api/v1/orders/{name}"
    if found.state == "refused":
        return answered(_refusal(call, found, url))
    began = _rematch(call, found) if found.state == "accepted" else None
    fate = _FATES.get(found.code, "") if found.state == "withdrawn" else ""
    order = Order(name, url, found.state, found.text, fate, began)  # type: ignore[arg-type]
    is_judged = found.state in ("accepted", "withdrawn")
    answer = as_json(order, 200 if is_judged else 202)
    if not is_judged:
        answer.headers["Location"] = url
        answer.headers["Retry-After"] = "1"
    return answer


def _awaited(call: Call, name: str, wait: float) -> Verdict | None:
    """The verdict, or the order's state once the time is up, or immediately if too many requests are waiting."""
    found = match_page.verdict(site(), _stored(call, name), call.player.id)
    if found is None or found.state != "waiting" or not wait:
        return found
    until = time.monotonic() + wait
    with places.room(call.player.id) as is_free:
        while is_free and found is not None and found.state == "waiting" and time.monotonic() < until:
            places.wait(threading.Event(), PAUSE)
            found = match_page.verdict(site(), _stored(call, name), call.player.id)
    return found


def _rematch(call: Call, found: Verdict) -> int | None:
    """The match that the order began, if it was for a rematch."""
    if not isinstance(parse(found.text), Rematch):
        return None
    page = match_page.match_page(site(), found.match_id, call.player.id)
    return None if page is None else page.agreements.rematch


def _refusal(call: Call, found: Verdict, url: str) -> Problem:
    """Why an order was refused. The candidates aren't stored, so an ambiguous order is read again."""
    more = situation(call, found.match_id) | {"order": url}
    if found.code == "ambiguous":
        try:
            match_page.preview(site(), found.match_id, call.player.id, found.text)
        except Ambiguous as error:
            return of_move(error, **more)
        except MoveError:
            pass  # The match has moved on.
    status = 409 if found.code == "out-of-turn" else 422
    return problem(status, found.code or "refused", found.message, **more)
