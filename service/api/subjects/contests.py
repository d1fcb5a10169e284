"""Events of several matches: cups, leagues, ladders and tours; and the computer's reviews of matches that are over."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import UNSET, Struct, UnsetType
from werkzeug.wrappers import Response

from service.api import shapes
from service.api.operations import Call, operation
from service.api.problem_details import Refused, answered, of_move
from service.api.shapes import Done, Row, Strict, given
from service.api.subjects.talk import refused
from service.engine.game import MoveError
from service.play.company import event_pages, events, ladders
from service.play.company.event_pages import EventLine
from service.play.company.events import EventError
from service.play.match import review as reviews
from service.play.pages import match_page
from service.web.current_player import site


class Contest(Struct):
    """An event: `kind` is cup, league, ladder or tour, `state` open, running, over or ended."""

    id: int
    url: str
    name: str
    kind: str
    game: str
    state: str
    season: int
    players: int
    needed: int
    is_in: bool
    clock: str


class Contests(Struct):
    """Events that are open or being played, and those that are over."""

    current: Sequence[Contest]
    past: Sequence[Contest]


class Standing(Struct):
    """A player's line in the standings of one part, a division or a game of a tour. Points are a fraction."""

    part: int
    place: int
    player: str
    points: str
    matches: int


class Table(Struct):
    """A match of an event: its number here once it has begun, and who plays in it."""

    part: int
    match: int | None
    players: Sequence[str]
    shares: Sequence[str | None]


class ContestPage(Struct):
    """An event with its standings and matches."""

    contest: Contest
    founder: str
    standings: Sequence[Standing]
    tables: Sequence[Table]
    ladder: Sequence[str]


class Season(Strict):
    """Which season; by default the one being played, or the last one."""

    season: Row | UnsetType = UNSET


class Moment(Struct):
    """A move, the chances of each side before it, and what would have been better; `cost` is a share of the win."""

    ply: int
    side: str
    move: str
    shares: Sequence[float]
    best: str
    line: Sequence[str]


class Review(Struct):
    """What the computer makes of a match that is over, as far as it has come."""

    done: int
    total: int
    is_finished: bool
    moments: Sequence[Moment]
    worst: Sequence[int]


@operation("GET", "/contests", Contests, tag="events of several matches")
def contests(call: Call) -> Contests:
    """The events there are: cups, leagues, ladders and tours."""
    current, past = event_pages.all_listed(site(), call.viewer_id)
    return Contests([_contest(one) for one in current], [_contest(one) for one in past])


@operation("GET", "/contests/<number:event_id>", ContestPage, tag="events of several matches", query=Season)
def contest(call: Call, event_id: int) -> ContestPage:
    """One event, with its standings and matches."""
    page = event_pages.page(site(), event_id, call.viewer_id, given(call.query.season))
    if page is None:
        raise Refused(404, "not-found", f"There's no event {event_id}.")
    names = page.names
    return ContestPage(
        contest=_contest(page.line),
        founder=page.founder,
        standings=[
            Standing(part.number, line.place, names[int(line.name)], str(line.points), line.matches)
            for part in page.parts
            for line in part.lines
        ],
        tables=[
            Table(
                one.part,
                one.match_id,
                [names[number] for number, _ in one.seats],
                [None if share is None else str(share) for _, share in one.seats],
            )
            for one in page.tables
        ],
        ladder=[] if page.rungs is None else [names[one] for one in page.rungs.order],
    )


@operation("POST", "/contests/<number:event_id>/join", Done, tag="events of several matches", scope="lobby")
def join_contest(call: Call, event_id: int) -> Done:
    """Enters an event, or says that the player plays on in it."""
    return _done(event_id, lambda: events.join(site(), event_id, call.player.id))


@operation("POST", "/contests/<number:event_id>/withdraw", Done, tag="events of several matches", scope="lobby")
def leave_contest(call: Call, event_id: int) -> Done:
    """Leaves an event. Anybody may take over the seats in it."""
    return _done(event_id, lambda: events.withdraw(site(), event_id, call.player.id))


@operation(
    "POST",
    "/contests/<number:event_id>/challenge/<number:player_id>",
    Done,
    tag="events of several matches",
    scope="lobby",
)
def challenge(call: Call, event_id: int, player_id: int) -> Done:
    """Challenges a player on a ladder."""
    return _done(event_id, lambda: ladders.challenge(site(), event_id, call.player.id, player_id))


@operation("GET", "/matches/<number:match_id>/review", Review, tag="records")
def review(call: Call, match_id: int) -> Review:
    """The computer's review of a match that is over, if somebody has asked for it."""
    page = match_page.match_page(site(), match_id, call.viewer_id)
    if page is None or page.second_look is None:
        raise Refused(404, "not-found", "There's no such match, or nobody has asked for a review of it.")
    look = page.second_look
    moments = [Moment(one.ply, one.side, one.move, one.shares, one.best, one.line) for one in look.moments]
    return Review(look.done, look.total, look.is_finished, moments, [one.ply for one in look.worst])


@operation(
    "POST",
    "/matches/<number:match_id>/review",
    Done,
    tag="records",
    scope="play",
    status=202,
    also={409: ""},
    limit="60 per hour",
)
def ask_for_review(_call: Call, match_id: int) -> Done | Response:
    """Has the computer review a match that is over."""
    if match_page.newest(site(), match_id) is None:
        raise Refused(404, "not-found", f"There's no match {match_id}.")
    try:
        reviews.ask(site(), match_id)
    except MoveError as error:
        return answered(of_move(error))
    return Done(f"{shapes.address(match_id)}/review")


def _done(event_id: int, act: Callable[[], object]) -> Done:
    try:
        act()
    except EventError as error:
        raise refused(error) from error
    return Done(f"/api/v1/contests/{event_id}")


def _contest(line: EventLine) -> Contest:
    event = line.event
    return Contest(
        id=event.id,
        url=f"/api/v1/contests/{event.id}",
        name=event.name,
        kind=event.kind,
        game=event.game,
        state=event.state,
        season=event.season,
        players=line.entrants,
        needed=line.needed,
        is_in=line.is_in,
        clock=event.clock,
    )
