"""Events of several matches: cups, leagues, ladders and tours."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from service.api.operations import Call, once, operation
from service.api.problem_details import Refused
from service.api.shapes import Done, Named, Row, Strict, given
from service.api.subjects.talk import refused
from service.play.company import event_pages, events, ladders
from service.play.company.event_pages import EventLine
from service.play.company.events import EventError, NoSuchEvent, Plan
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
    player_id: int


class Table(Struct):
    """A match of an event: its number here once it has begun, and who plays in it."""

    part: int
    match: int | None
    players: Sequence[str]
    shares: Sequence[str | None]


class ContestPage(Struct):
    """An event with its standings and matches. `ladder` has the best player first, and `may_challenge` the players that
    the token's player can challenge now."""

    contest: Contest
    founder: str
    standings: Sequence[Standing]
    tables: Sequence[Table]
    ladder: Sequence[str]
    may_challenge: Sequence[Named]


class Season(Strict):
    """Which season; by default the one being played, or the last one."""

    season: Annotated[Row | UnsetType, Meta(description="The number of a season; by default the last one.")] = UNSET


class NewContest(Strict):
    """An event to create. Its name contains the word for its kind; a ladder needs no name, and a tour includes all
    games.

    `lowest` and `highest` limit the ratings of its players; not for ladders and tours.
    """

    kind: Literal["cup", "league", "ladder", "tour"]
    game: Annotated[str, Meta(max_length=40)]
    clock: Annotated[str, Meta(max_length=200)]
    name: Annotated[str, Meta(max_length=200)] = ""
    seats: Annotated[int, Meta(ge=2, le=16)] = 2
    rated: bool = True
    lowest: Annotated[int, Meta(ge=-10_000, le=10_000)] | None = None
    highest: Annotated[int, Meta(ge=-10_000, le=10_000)] | None = None


@operation("GET", "/contests", Contests, tag="events of several matches")
def contests(call: Call) -> Contests:
    """The events there are: cups, leagues, ladders and tours."""
    current, past = event_pages.all_listed(site(), call.viewer_id)
    return Contests([_contest(one) for one in current], [_contest(one) for one in past])


@operation(
    *("POST", "/contests", Contest),
    tag="events of several matches",
    scope="lobby",
    body=NewContest,
    status=201,
    headers={"Idempotency-Key": "Send the same key when you repeat a request: it creates only one event."},
    limit="20 per hour",
)
def found_contest(call: Call) -> Contest:
    """Creates an event, without joining it."""
    new: NewContest = call.body
    plan = Plan(new.name, new.game, new.clock, new.seats, new.rated, new.lowest, new.highest, new.kind)
    try:
        number = events.found(site(), call.player.id, plan, once(call))
    except EventError as error:
        raise refused(error) from error
    page = event_pages.page(site(), number, call.player.id)
    assert page is not None, "It was just created."
    return _contest(page.line)


@operation("GET", "/contests/<number:event_id>", ContestPage, tag="events of several matches", query=Season)
def contest(call: Call, event_id: int) -> ContestPage:
    """One event, with its standings and matches."""
    season = given(call.query.season)
    page = event_pages.page(site(), event_id, call.viewer_id, season)
    if page is None:
        raise Refused(404, "not-found", f"There's no event {event_id}.")
    if season is not None and season != page.season:
        raise Refused(404, "not-found", f"This event has no season {season}.")
    names = page.names
    return ContestPage(
        contest=_contest(page.line),
        founder=page.founder,
        standings=[
            Standing(part.number, line.place, names[int(line.name)], str(line.points), line.matches, int(line.name))
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
        may_challenge=[Named(one, names[one]) for one in page.open_to],
    )


@operation("POST", "/contests/<number:event_id>/join", Done, tag="events of several matches", scope="lobby")
def join_contest(call: Call, event_id: int) -> Done:
    """Joins an event, or confirms that the player stays in it."""
    return _done(event_id, lambda: events.join(site(), event_id, call.player.id))


@operation("POST", "/contests/<number:event_id>/withdraw", Done, tag="events of several matches", scope="lobby")
def leave_contest(call: Call, event_id: int) -> Done:
    """Leaves an event. Anybody can take over the player's seats in it."""
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


@operation("POST", "/contests/<number:event_id>/end", Done, tag="events of several matches", scope="lobby")
def end_contest(call: Call, event_id: int) -> Done:
    """Ends an event of the player's own that hasn't begun."""
    return _done(event_id, lambda: events.end(site(), event_id, call.player.id, is_operator=False))


def _done(event_id: int, act: Callable[[], object]) -> Done:
    try:
        act()
    except NoSuchEvent as error:
        raise Refused(404, "not-found", str(error)) from error
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
