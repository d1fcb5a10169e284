"""Matches as the player of the token may see them: lists, boards, legal moves, and what an order would do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Annotated
from urllib.parse import urlencode

from msgspec import UNSET, Meta, Struct, UnsetType
from werkzeug.wrappers import Response

from service.api import shapes
from service.api.operations import Call, operation
from service.api.problem_details import Refused, answered, of_move
from service.api.shapes import Line, Lines, Ply, Row, Seat, State, Strict, given
from service.engine.game import MoveError
from service.games import GAMES
from service.mail.grammar.orders import LONGEST
from service.play import links
from service.play.orders.preview import Preview as Foreseen
from service.play.pages import match_lists, match_page, profiles
from service.play.pages.match_page import MatchPage
from service.play.pages.profiles import Edge
from service.play.table.log import EntryLine
from service.web.current_player import site
from service.web.security import row_number

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Search(Strict):
    """Which matches are wanted, the latest first. `player` is how a name begins; `before` is the number of a match."""

    player: Annotated[str, Meta(max_length=60, description="The beginning of a player's name.")] = ""
    game: Annotated[str, Meta(max_length=40, description="The name of a game, as in GET /api/v1/games.")] = ""
    state: Annotated[State | UnsetType, Meta(description="The state of the matches.")] = UNSET
    before: Annotated[Row, Meta(description="Only matches with a lower number.")] = 0


class Later(Strict):
    """Where a page begins."""

    after: Annotated[str, Meta(pattern="^[0-9.]{0,70}$", description="Where the page begins, from `next`.")] = ""


class At(Strict):
    """After how many entries of the log; by default after all."""

    ply: Annotated[Ply | UnsetType, Meta(description="After how many moves; by default, after all.")] = UNSET


class Entry(Struct):
    """A move in the log, as far as it's visible. `undone`: it was taken back. `late`: the clock played it."""

    ply: int
    seat: int
    move: str
    round: int
    remark: str
    played: datetime
    undone: bool
    late: bool


class Offer(Struct):
    """An offer: `takeback`, `pause`, `resume` or `draw`. Answer with the orders `accept` or `decline`."""

    kind: str
    side: str
    is_mine: bool
    until: datetime | None


class Change(Struct):
    """A rating before and after a match."""

    before: int
    after: int


class Match(Struct):
    """A match as the token's player can see it. `board` is text; `notes` are sentences about what just happened, since
    the player's own last move.

    `ahead`, `standing` and `held` are the player's orders for later; nobody else sees them. `rematch` is the number of
    the match that followed. `offered`: the player's own seat is offered to others. `importer` imported the match.
    `rating` is how the match changed the player's. `restored` says when the service last came back from a backup, in
    Unix seconds, and is 0 if it never did: send it with an order, along with `round`.
    """

    id: int
    url: str
    page: str
    game: str
    title: str
    options: Mapping[str, str]
    state: State
    phase: str
    round: int
    ply: int
    clock: str
    press: str
    rated: bool
    substitutes: bool
    offered: bool
    importer: str
    rating: Change | None
    moved: datetime
    reason: str | None
    seats: Sequence[Seat]
    my_seat: int | None
    my_turn: bool
    invited: bool
    board: str
    notes: Sequence[str]
    facts: Mapping[str, str]
    log: Sequence[Entry]
    offers: Sequence[Offer]
    may_offer: Sequence[str]
    rematch: int | None
    ahead: str
    standing: str
    held: str
    restored: int = 0


class Moves(Struct):
    """The legal moves of the player's seat in this round; none while the match isn't waiting for it.

    Where a turn has several parts, these are the first parts.
    """

    round: int
    my_turn: bool
    moves: Sequence[str]


class Draft(Strict):
    """An order to preview."""

    text: Annotated[str, Meta(max_length=LONGEST)]


class Choice(Struct):
    """What can come next: `text` is then the whole order, `cells` the cells to press for it."""

    text: str
    cells: Sequence[str]
    label: str


class Preview(Struct):
    """What an order would do; nothing is played. `complete`: it can be sent as it is."""

    text: str
    complete: bool
    board: str
    told: Sequence[str]
    changed: Sequence[Sequence[str]]
    following: Sequence[str] | None
    choices: Sequence[Choice]


@operation("GET", "/matches", Lines, tag="matches", query=Search)
def matches(call: Call) -> Lines:
    """The matches that everybody can see, the latest first, 50 on a page.

    `player` is the beginning of a name. If more than 50 players have such names, only the first 50 by name count.
    """
    asked: Search = call.query
    if asked.game and asked.game not in GAMES:
        raise Refused(422, "malformed", f"There's no game called {asked.game} here.", field="game")
    if given(asked.state) == "declined":
        return Lines([])  # No public list has such matches.
    page = profiles.Page(before=asked.before)
    wanted = profiles.Search(asked.player, asked.game, given(asked.state) or "", page)
    found = profiles.search(site(), wanted, call.viewer_id)
    following = None
    if found.earlier is not None:
        said = {
            "player": asked.player,
            "game": asked.game,
            "state": given(asked.state) or "",
            "before": found.earlier.before,
        }
        following = f"/api/v1/matches?{urlencode({name: value for name, value in said.items() if value})}"
    return shapes.lines(found.lines, following)


@operation("GET", "/matches/open", Lines, tag="matches")
def open_matches(call: Call) -> Lines:
    """The matches with a seat that anybody can take, the latest 50."""
    return shapes.lines(match_lists.open_matches(site(), call.viewer_id))


@operation("GET", "/matches/mine", Lines, tag="matches", scope="read", query=Later)
def my_matches(call: Call) -> Lines:
    """The player's own matches, 50 on a page: first those waiting for the player, with the least time left first."""
    found, edge = profiles.own_matches(site(), call.player.id, _edge(call.query.after))
    following = None if edge is None else f"/api/v1/matches/mine?after={_written(edge)}"
    return shapes.lines(found, following)


def _edge(text: str) -> Edge | None:
    """Where a page begins, from the parameter `after`; raises Refused."""
    if not text:
        return None
    try:
        group, deadline, moved, number = text.split(".")
        ends, at = (_EPOCH + timedelta(microseconds=int(one)) for one in (deadline, moved))
        return Edge(row_number(group), ends, at, row_number(number))
    except (ValueError, OverflowError) as error:
        raise Refused(422, "malformed", "The parameter after isn't from the field next.", field="after") from error


def _written(edge: Edge) -> str:
    ends, moved = ((at - _EPOCH) // timedelta(microseconds=1) for at in (edge.deadline, edge.moved))
    return f"{edge.group}.{ends}.{moved}.{edge.match_id}"


@operation("GET", "/matches/<number:match_id>", Match, tag="matches", query=At)
def match(call: Call, match_id: int) -> Match:
    """One match, now or after some of its moves, as the token's player can see it, or as everybody can."""
    return _told(page_of(call, match_id, given(call.query.ply)))


@operation("GET", "/matches/<number:match_id>/moves", Moves, tag="matches", scope="read")
def moves(call: Call, match_id: int) -> Moves:
    """The legal moves of the player's seat."""
    found = match_page.legal_moves(site(), match_id, call.player.id)
    if found is None:
        raise missing(match_id)
    round_, legal = found
    return Moves(round_, bool(legal), legal)


@operation(
    "POST", "/matches/<number:match_id>/preview", Preview, tag="matches", scope="read", body=Draft, also={409: ""}
)
def preview(call: Call, match_id: int) -> Preview | Response:
    """What an order would do. Nothing is played. An empty text lists all choices."""
    line_of(call, match_id)
    try:
        seen = match_page.preview(site(), match_id, call.player.id, call.body.text)
    except MoveError as error:
        return answered(of_move(error, **situation(call, match_id)))
    return previewed(seen)


def previewed(seen: Foreseen) -> Preview:
    """What an order would do, as the API returns it."""
    draft = seen.draft
    return Preview(
        text=draft.text,
        complete=draft.complete,
        board=shapes.board(draft.scene),
        told=seen.told,
        changed=seen.changed,
        following=seen.following,
        choices=[Choice(one.text, one.cells, one.label or one.step) for one in draft.choices],
    )


def missing(match_id: int) -> Refused:
    """The refusal of a match that doesn't exist for this player."""
    return Refused(404, "not-found", f"There's no match {match_id}, or you have no seat in it.")


def line_of(call: Call, match_id: int, *, had: bool = False) -> match_lists.MatchLine:
    """A match in which the player has a seat or, with `had`, may have had one; raises Refused."""
    found = match_lists.match_line(site(), match_id, call.player.id)
    if found is None or (found.my_seat is None and not had):
        raise missing(match_id)
    return found


def situation(call: Call, match_id: int) -> dict[str, object]:
    """What the refusal of an order also contains: the round, and the board as the player sees it."""
    page = match_page.match_page(site(), match_id, call.viewer_id)
    if page is None:
        return {}
    restored = links.restored(site(), site().now())
    return {"round": page.line.round, "restored": restored, "board": shapes.board(page.scene)}


def shown(call: Call, match_id: int) -> Line:
    """A match that a use case has found or opened, as the player sees it in lists."""
    found = match_lists.match_line(site(), match_id, call.player.id)
    assert found is not None, "The use case has found it."
    return shapes.line(found)


def page_of(call: Call, match_id: int, ply: int | None) -> MatchPage:
    """A match, or one of its positions, as the player of the token sees it; raises Refused."""
    page = match_page.match_page(site(), match_id, call.viewer_id, ply)
    if page is None:
        detail = f"There's no match {match_id}."
        if ply is not None and match_page.newest(site(), match_id) is not None:
            detail = f"Match {match_id} has fewer than {ply} moves that you can see."
        raise Refused(404, "not-found", detail)
    return page


def _told(page: MatchPage) -> Match:
    listed: Line = shapes.line(page.line)
    return Match(
        **{name: getattr(listed, name) for name in Line.__struct_fields__},
        page=f"{site().settings.public_url}/match/{page.line.id}",
        title=page.line.title,
        options=page.options,
        phase=page.phase,
        ply=page.ply,
        press=page.press.write(),
        rated=page.rated,
        substitutes=page.substitutes,
        offered=page.offered,
        importer=page.importer,
        rating=None if page.rated_from is None else Change(*page.rated_from),
        board=shapes.board(page.scene),
        notes=[*(note for played in page.news for note in played.notes), *page.scene.notes],
        facts=dict(page.scene.facts),
        log=[_entry(one) for one in page.entries],
        offers=[Offer(one.kind, one.side, one.is_mine, one.until) for one in page.agreements.offers],
        may_offer=page.agreements.may_offer,
        rematch=page.agreements.rematch,
        ahead=page.ahead,
        standing=page.standing,
        held=page.held[-1].text if page.held else "",
        restored=links.restored(site(), site().now()),
    )


def _entry(line: EntryLine) -> Entry:
    return Entry(line.ply, line.seat, line.move, line.round, line.remark, line.played, line.undone, line.late)
