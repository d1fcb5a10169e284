"""The match page: the board, orders and their previews, past positions, and a cheap way to poll for news."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from flask import Blueprint, abort, jsonify, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from service.engine.game import Draft, MoveError
from service.engine.scene import Scene
from service.mail.grammar.command_words import COMMANDS, Command
from service.mail.grammar.orders import Draw, Order, Pass, Resign, parse
from service.mail.reply_address import ReplyAddress
from service.play.notify import preferences
from service.play.orders import questions
from service.play.orders.preview import Preview, words
from service.play.orders.submit import LONGEST_REMARK, Incoming, check_length, seat_of, submit
from service.play.pages import cards, match_lists, match_page
from service.play.pages.match_lists import MatchLine
from service.play.site import Transaction
from service.play.talk import comments, messages
from service.render.text import text as text_board
from service.web import board_images, idempotency
from service.web.current_player import Answer, Player, is_operator, seated, site, visitor, visitor_id, wants_json
from service.web.form_errors import refuse
from service.web.match.board_view import asked, sight
from service.web.security import limiter, row_number

pages = Blueprint("match", __name__, url_prefix="/match/<int:match_id>")


@pages.get("")
def show(match_id: int) -> str:
    """The match as it is now. `?order=` names an order of the viewer's whose verdict is shown or awaited."""
    order = request.args.get("order")
    if (viewer := visitor_id()) is not None:
        preferences.saw(site(), match_id, viewer)
    return show_match(match_id, order=order)


@pages.get("/at/<int:ply>")
def at(match_id: int, ply: int) -> str:
    """The match after its first `ply` moves: a stable address of one past position."""
    page = match_page.match_page(site(), match_id, visitor_id(), ply) or abort(404)
    places = places_around(page, ply)
    shown = boards(page.scene, page.line)
    return render_template("match/past_position.html", page=page, places=places, comments=_comments(page, ply), **shown)


def _comments(page: match_page.MatchPage, ply: int | None = None) -> Sequence[comments.CommentLine]:
    """The comments on a match that is over, or only those at one position."""
    if page.line.state != "over":
        return ()
    return comments.read(site(), page.line.id, visitor_id(), ply, is_operator=is_operator(visitor()))


@pages.post("/preview")
@limiter.limit("240 per minute")
@seated
def preview(player: Player, match_id: int) -> Answer:
    """What an order would do; nothing is played. JSON for the script, otherwise the page with the order filled in."""
    form = request.form
    return _previewed(player, match_id, form["choice"] if "choice" in form else form.get("text", ""))


@pages.post("/order")
@limiter.limit("60 per minute")
@seated
def send(player: Player, match_id: int) -> Answer:
    """Stores an order. A worker judges it, and the page asks for the verdict."""
    text, remark = request.form.get("text", ""), request.form.get("remark", "").strip()
    order = parse(text)
    try:
        check_length(text, remark)
    except MoveError as error:
        return refused(match_id, text, error, "remark" if len(remark) > LONGEST_REMARK else "text")
    if _is_grave(order) and request.form.get("shown") != text:
        return _previewed(player, match_id, text, confirming=True)
    name = idempotency.name()
    if not _take_in(player.id, match_id, order, remark, name):
        abort(404 if match_lists.match_line(site(), match_id, player.id) is None else 403)
    if wants_json():
        return jsonify(order=name)
    return redirect(url_for("match.show", match_id=match_id, order=name), 303)


def _take_in(player_id: int, match_id: int, order: Order, remark: str, name: str) -> bool:
    """Submits the form's order; returns False if the player has no seat in the match."""
    with site().transaction() as tx:
        seat = seat_of(tx.session, match_id, player_id)
        if seat is None:
            return False
        incoming = Incoming(
            key=_key(player_id, name),
            match_id=match_id,
            seat=seat,
            player_id=player_id,
            round=_round_meant(tx, player_id, match_id, seat),
            order=order,
            remark=remark,
            door="web",
            may_undo="held" in request.form,
        )
        submit(tx, incoming)
    return True


def _round_meant(tx: Transaction, player_id: int, match_id: int, seat: int) -> int | None:
    """The round of the board on the page, as `questions.round_meant` tells it for an email."""
    number, restored = (request.form.get(name, type=row_number) for name in ("round", "restored"))
    if number is None or restored is None:
        return number
    return questions.round_meant(tx, ReplyAddress(player_id, match_id, seat, number, restored=restored))


def _key(player_id: int, name: str) -> str:
    """The key of an order sent by a page, with which its player asks for the verdict.

    The row's id would reveal how many orders others have sent meanwhile.
    """
    return f"web:{player_id}:{name}"


def _is_grave(order: Order) -> bool:
    """Whether an order needs confirmation, because it gives something up with a single word, not with presses of the
    board."""
    return isinstance(order, Pass | Resign) or (isinstance(order, Draw) and not order.verb)


def _previewed(player: Player, match_id: int, text: str, *, confirming: bool = False) -> Answer:
    try:
        seen = match_page.preview(site(), match_id, player.id, text)
    except MoveError as error:
        return refused(match_id, text, error)
    if wants_json():
        line = match_lists.match_line(site(), match_id, player.id) or abort(404)
        return previewed(seen, line, confirming=confirming)
    return show_match(match_id, seen=seen, confirming=confirming)


def refused(match_id: int, text: str, error: ValueError, field: str = "text") -> Answer:
    """The page with a refused text, to be corrected, and the reason."""
    if wants_json():
        return told(str(error))
    refuse(error, field)
    return show_match(match_id, text=text), 422


@pages.get("/news")
def news(match_id: int) -> Response:
    """The match's progress and the verdict on `?order=`, for which an open page polls every few seconds.

    `?open` means that the page is visible, so the viewer's other devices can stay quiet.
    """
    if "open" in request.args and (viewer := visitor_id()) is not None:
        preferences.saw(site(), match_id, viewer)
    verdict = _verdict(request.args.get("order"))
    judged = None if verdict is None else {"state": verdict.state, "message": verdict.message}
    said = messages.newest(site(), match_id, visitor_id())
    return jsonify(at=_newest(match_id), said=_instant(said), verdict=judged)


def show_match(
    match_id: int,
    *,
    seen: Preview | None = None,
    confirming: bool = False,
    text: str = "",
    order: str | None = None,
) -> str:
    """The match page as it is now, with an order previewed on it, or with a refused order."""
    viewer = visitor_id()
    asked_about = "" if order is None or viewer is None else _key(viewer, order)
    page = match_page.match_page(site(), match_id, viewer, key=asked_about) or abort(404)
    verdict = page.verdict
    if verdict and verdict.state == "refused":
        text = verdict.text
    shown = seen.draft if seen else page.draft
    scene = seen.draft.scene if seen else page.scene
    talk = messages.heard(site(), match_id, viewer)
    return render_template(
        "match/show.html",
        page=page,
        places=places_around(page, page.ply),
        at=mark(page.line.round, page.line.state, page.newest),
        **boards(scene, page.line),
        scene=scene,
        draft=shown,
        drafted=None if shown is None else drafted(shown) | {"stone": stone(scene, page.line.my_seat)},
        written=() if shown is None else words(page.line.game, page.phase, shown.choices),
        commands=_commands(page),
        seen=seen,
        confirming=confirming,
        text=shown.text if seen and shown else text,
        remark=verdict.remark if text and verdict else request.form.get("remark", ""),
        order=order if verdict else None,
        verdict=verdict,
        talk=talk,
        why_no_substitute=_why_no_substitute(page.line),
        comments=_comments(page),
        said=_instant(talk.lines[-1].said if talk.lines else None),
        to=request.args.getlist("reader", type=row_number),
    )


def _why_no_substitute(line: MatchLine) -> str:
    """Why the viewer can't take over the seat that is on offer; "" if they can, or none is."""
    viewer = visitor_id()
    is_offered = line.state == "running" and line.my_seat is None and any(seat.sought for seat in line.seats)
    return cards.why_no_substitute(site(), line.id, viewer) if viewer is not None and is_offered else ""


def _commands(page: match_page.MatchPage) -> list[Command]:
    """The orders that this match accepts, apart from its game's own words, which include a draw if the game has one."""
    unknown = {"draw"} if page.clock.late != "lose" else {"draw", "standing"}
    unknown |= set() if any(seat.is_me and seat.team for seat in page.line.seats) else {"leave"}
    return [command for command in COMMANDS if command.order and command.name not in unknown]


def _newest(match_id: int) -> str:
    """A mark that changes whenever there is something new that everybody can see."""
    return mark(*(match_page.newest(site(), match_id) or abort(404)))


def mark(round_: int, state: str, at: datetime) -> str:
    """How far a match is, as a page shows it and `news` says it: if they differ, the page is out of date."""
    return f"{round_} {state} {_instant(at)}"


def _instant(time: datetime | None) -> str:
    return "" if time is None else f"{time.timestamp():.3f}"


@dataclass(frozen=True, slots=True)
class Places:
    """The plies to go to from `here`, among those of entries the viewer may see, and 0, the start."""

    here: int
    before: int
    after: int
    last: int


def places_around(page: match_page.MatchPage, ply: int) -> Places:
    plies = sorted({0, *(entry.ply for entry in page.entries)})
    here = max(index for index, known in enumerate(plies) if known <= ply)
    return Places(plies[here], plies[max(here - 1, 0)], plies[min(here + 1, len(plies) - 1)], plies[-1])


def boards(scene: Scene, line: MatchLine) -> dict[str, object]:
    """What templates need to show a board of this match to its viewer."""
    seen = sight(line)
    return {"board": board_images.board(scene, seen), "board_text": text_board(scene), "sight": seen, "asked": asked()}


def drafted(draft: Draft) -> dict[str, object]:
    """A draft as `draft.js` reads it. For brevity, a choice is just a name if it is a cell's name and that is the whole
    order."""
    whole = [(choice.text, choice.cells, choice.label or choice.step) for choice in draft.choices]
    choices = [text if cells == (text,) and label == text else (text, cells, label) for text, cells, label in whole]
    return {"text": draft.text, "complete": draft.complete, "choices": choices}


def stone(scene: Scene, seat: int | None) -> str:
    """The colour of the stones that this seat puts on the board; "" in games with pieces of many kinds."""
    kinds = {piece.kind for piece in scene.pieces.values()}
    return "" if seat is None or kinds - {"stone"} else scene.colours[seat]


def previewed(seen: Preview, line: MatchLine, *, confirming: bool = False) -> Response:
    """A preview as `order_box.js` reads it; with `confirm`, the order wasn't accepted yet and has to be sent again."""
    return jsonify(
        drafted(seen.draft)
        | {
            "board": board_images.board(seen.draft.scene, sight(line)),
            "told": render_template("match/preview.html", seen=seen, confirming=confirming),
            "facts": render_template("match/facts.html", scene=seen.draft.scene),
            "confirm": confirming,
        }
    )


def _verdict(order: str | None) -> match_page.Verdict | None:
    player_id = visitor_id()
    return None if order is None or player_id is None else match_page.verdict(site(), _key(player_id, order), player_id)


def told(sentence: str) -> Response:
    """Why an order would be refused, as the script reads it. It answers the script's question, so it isn't an HTTP
    error."""
    return jsonify(message=sentence)
