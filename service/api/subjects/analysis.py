"""Ways to understand a match: moves tried in private, the computer's reviews, and its estimates of dead stones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta, Struct

from service.api import shapes
from service.api.operations import Call, once, operation
from service.api.problem_details import Refused
from service.api.shapes import Done, Line, Ply, Strict
from service.api.subjects.matches import Preview, previewed, shown
from service.api.subjects.talk import check_match, refused
from service.engine.game import MoveError
from service.mail.grammar.orders import LONGEST
from service.play.match import review as reviews
from service.play.match.invitations import LobbyError
from service.play.pages import analysis, match_page
from service.play.pages.analysis_plan import Branch
from service.play.table import estimate as estimates
from service.web.current_player import site

Number = Annotated[str, Meta(pattern="^[0-9]{0,16}$")]


class Tried(Struct):
    """A move that the player tried, and what was tried after it."""

    id: str
    side: str
    move: str
    after: Sequence[Tried]


class From(Strict):
    """A position: after how many moves of the match and, unless "", after which variation."""

    ply: Annotated[Ply, Meta(description="After how many moves of the match.")]
    at: Annotated[Number, Meta(description="After which variation, by its `id`.")] = ""


class Trial(Strict):
    """A move to try: after `ply` moves of the match and the variation `at`."""

    ply: Ply
    text: Annotated[str, Meta(max_length=LONGEST)]
    at: Number = ""


class Kept(Struct):
    """The number of a variation: the same for the same moves."""

    id: str


class Study(Struct):
    """A position in the player's private analysis.

    `side` has the move, "" if the game is over there. `path` are the moves that led there, `variations` all moves that
    were tried in the match. `order` makes an order of them: a move, and conditional moves. It's "" if they can't be
    ordered, and `unclear` may say why.
    """

    ply: int
    at: str
    side: str
    board: str
    path: Sequence[str]
    variations: Sequence[Tried]
    order: str
    unclear: str


class Moment(Struct):
    """A move, the chances of each side before it, and what would have been better."""

    ply: int
    side: str
    move: str
    shares: Sequence[float]
    best: str
    line: Sequence[str]


class Review(Struct):
    """The computer's review of a match that is over, as far as it has got; `worst` are the plies that cost most."""

    done: int
    total: int
    is_finished: bool
    moments: Sequence[Moment]
    worst: Sequence[int]


class Estimate(Struct):
    """Which stones the computer thinks are dead, while the players agree on them.

    `order` names them, and `board` marks everybody's points. Both are empty until it has thought.
    """

    order: str
    board: str


class Again(Strict):
    """The number of the move to replay: the match begins from the position before it."""

    ply: Ply


@operation("GET", "/matches/<number:match_id>/variations", Study, tag="analysis", scope="read", query=From)
def variations(call: Call, match_id: int) -> Study:
    """A position of a match and the moves that the player tried from there. Nobody else sees them."""
    asked: From = call.query
    try:
        found = analysis.study(site(), match_id, call.player.id, asked.ply, _at(asked))
    except MoveError as error:
        raise _missing(error) from error
    if found is None:
        raise Refused(404, "not-found", "This variation is gone.")
    return Study(
        ply=asked.ply,
        at=asked.at,
        side=found.side,
        board=shapes.board(found.draft.scene),
        path=[one.move for one in found.path],
        variations=[_tried(one) for one in found.tree],
        order=found.plan.text,
        unclear=found.plan.unclear,
    )


@operation(
    *("POST", "/matches/<number:match_id>/variations", Kept),
    tag="analysis",
    scope="play",
    body=Trial,
    also={409: ""},
    limit="120 per minute",
)
def try_move(call: Call, match_id: int) -> Kept:
    """Tries a move in private, on a board that only the player sees. The match doesn't change."""
    check_match(match_id)
    asked: Trial = call.body
    try:
        return Kept(str(analysis.attempt(site(), match_id, call.player.id, asked.ply, _at(asked), asked.text)))
    except analysis.Missing as error:
        raise _missing(error) from error


@operation(
    *("POST", "/matches/<number:match_id>/variations/preview", Preview),
    tag="analysis",
    scope="read",
    body=Trial,
    also={409: ""},
    limit="240 per minute",
)
def preview_variation(call: Call, match_id: int) -> Preview:
    """What a move would do there. Nothing is stored. An empty text lists all choices."""
    check_match(match_id)
    asked: Trial = call.body
    try:
        return previewed(analysis.preview(site(), match_id, call.player.id, asked.ply, _at(asked), asked.text))
    except analysis.Missing as error:
        raise _missing(error) from error


@operation("DELETE", "/matches/<number:match_id>/variations", Done, tag="analysis", scope="play", query=From)
def forget_variation(call: Call, match_id: int) -> Done:
    """Deletes the variation `at`, with everything that was tried after it."""
    check_match(match_id)
    asked: From = call.query
    if (at := _at(asked)) is not None:
        analysis.forget(site(), match_id, call.player.id, asked.ply, at)
    return Done(f"{shapes.address(match_id)}/variations?ply={asked.ply}")


@operation("GET", "/matches/<number:match_id>/review", Review, tag="analysis")
def review(call: Call, match_id: int) -> Review:
    """The computer's review of a match that is over, if somebody has asked for it."""
    page = match_page.match_page(site(), match_id, call.viewer_id)
    if page is None or page.second_look is None:
        raise Refused(404, "not-found", "There's no such match, or nobody has asked for a review of it.")
    look = page.second_look
    moments = [Moment(one.ply, one.side, one.move, one.shares, one.best, one.line) for one in look.moments]
    return Review(look.done, look.total, look.is_finished, moments, [one.ply for one in look.worst])


@operation(
    *("POST", "/matches/<number:match_id>/review", Done),
    tag="analysis",
    scope="play",
    status=202,
    also={409: ""},
    limit="60 per hour",
)
def ask_for_review(call: Call, match_id: int) -> Done:
    """Has the computer review a match that is over, up to three at a time for a player and their bots together."""
    check_match(match_id)
    reviews.ask(site(), match_id, call.player.id)
    return Done(f"{shapes.address(match_id)}/review")


@operation("GET", "/matches/<number:match_id>/estimate", Estimate, tag="analysis", scope="read")
def estimate(call: Call, match_id: int) -> Estimate:
    """Which stones the computer thinks are dead, if one of the players has asked."""
    page = match_page.match_page(site(), match_id, call.player.id)
    if page is None or page.estimate is None:
        raise Refused(404, "not-found", "There's no such match, or nobody has asked which stones are dead.")
    scene = page.estimate.scene
    return Estimate(page.estimate.order, "" if scene is None else shapes.board(scene))


@operation(
    *("POST", "/matches/<number:match_id>/estimate", Done),
    tag="analysis",
    scope="play",
    status=202,
    also={409: ""},
    limit="60 per hour",
)
def ask_for_estimate(call: Call, match_id: int) -> Done:
    """Has the computer look for dead stones, while the players agree on them. Both see what it finds."""
    check_match(match_id)
    estimates.ask(site(), match_id, call.player.id)
    return Done(f"{shapes.address(match_id)}/estimate")


@operation(
    *("POST", "/matches/<number:match_id>/again", Line),
    tag="analysis",
    scope="lobby",
    body=Again,
    status=201,
    also={409: ""},
    headers={"Idempotency-Key": "Send the same key when you repeat a request: it opens only one match."},
    limit="20 per hour",
)
def play_again(call: Call, match_id: int) -> Line:
    """Opens a match against the computer, from the position before a move of a match that is over."""
    check_match(match_id)
    try:
        number = reviews.try_again(site(), match_id, call.body.ply, call.player.id, once(call))
    except LobbyError as error:
        raise refused(error) from error
    return shown(call, number)


def _missing(error: MoveError) -> Refused:
    return Refused(404, "not-found", str(error))


def _at(asked: From | Trial) -> int | None:
    return int(asked.at) if asked.at else None


def _tried(branch: Branch) -> Tried:
    return Tried(str(branch.id), branch.side, branch.move, [_tried(one) for one in branch.after])
