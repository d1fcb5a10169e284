"""Lists of matches: a line each, as far as its reader may know it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import NamedTuple

from sqlalchemy import (
    ColumnElement,
    Integer,
    Select,
    Subquery,
    bindparam,
    case,
    exists,
    func,
    literal,
    or_,
    select,
    text,
    union,
)
from sqlalchemy.orm import Session

from service.clock.control import Control
from service.games import GAMES
from service.play.match.invitations import WITHDRAWN
from service.play.match.substitutes import ANYBODY, closed_to, is_strange_to
from service.play.site import Site
from service.play.table import press, teams
from service.play.timekeeping import clocks
from service.store.models import WATCHED, Match, Player, Seat, Teammate
from service.store.rows import Instant

WATCHED_AT_ONCE = 10
"""How many matches to watch the front page shows."""
LISTED = 50
"""How many matches a list shows."""


class Member(NamedTuple):
    """A player of a team as lists show them; `name` is "" for an open place."""

    name: str
    player_id: int | None
    is_me: bool
    accepted: bool
    has_turn: bool


@dataclass(frozen=True, slots=True)
class SeatLine:
    """A seat as lists show it. `to_move` is what outsiders may know; `name` is "" for an open seat.

    A seat that is shared has the names of its whole `team`, which is in the order in which they move.

    Where the match hides names, others have the name of their side and no `player_id`.
    `deadline` is there while the seat's clock runs and the viewer may know that it does.
    """

    number: int
    side: str
    name: str
    player_id: int | None
    is_me: bool
    accepted: bool
    to_move: bool
    deadline: datetime | None
    score: str | None
    sought: bool = False
    """Whether the viewer may take it over in a running match; of the viewer's own, whether it is offered."""
    late: bool = False
    """Whether everybody has heard that the match waits again after the turn ran out of time; on match pages only."""
    bounces: bool = False
    """Whether mail to the player bounces: others may wonder why no move comes."""
    unnamed: bool = False
    """Whether `name` is a number, because its owner hasn't chosen a name."""
    is_bot: bool = False
    """Whether a computer opponent has the seat, and the viewer may know that."""
    written: tuple[str, ...] = ()
    """The addresses or names by which the viewer has invited to it, where there is no answer yet."""
    team: tuple[Member, ...] = ()
    """The players who share the seat; none if it has one player."""

    @property
    def is_open(self) -> bool:
        """Whether it has a place nobody is meant for."""
        return not all(member.name for member in self.team) if self.team else not self.name

    @property
    def mover(self) -> str:
        """The player of a team who has the turn, or the next one; "" if one player has the seat."""
        return next((member.name for member in self.team if member.has_turn), "")

    @property
    def waited(self) -> str:
        """The side, as shown to those who wait for it, and the player of a team whose turn it is."""
        side = self.side.capitalize()
        return side if not self.mover else self.mover if self.mover.startswith(f"{side} ") else f"{side} ({self.mover})"


@dataclass(frozen=True, slots=True)
class MatchLine:
    """A match as lists show it, for one viewer. `round` is the number of a round if it's `parallel`, else of a move."""

    id: int
    game: str
    title: str
    state: str
    round: int
    parallel: bool
    reason: str | None
    moved: datetime
    seats: tuple[SeatLine, ...]
    my_turn: bool
    clock: Control
    invited: bool = False
    """Whether the viewer has not answered the invitation yet."""
    turned: bool = False
    """Whether the viewer sees its board from the other side."""
    mine: bool = False
    """Whether the viewer has opened it, so that they can withdraw it while it is open."""
    withdrawn: bool = False
    """Whether the player who opened it withdrew it before it began."""
    speaks: bool = False
    """Whether the viewer orders for their seat: in a team, the player who has the turn, or the next one."""

    @property
    def my_seat(self) -> int | None:
        """The viewer's seat number."""
        return next((seat.number for seat in self.seats if seat.is_me), None)

    @property
    def awaited(self) -> list[str]:
        """The addresses that the viewer has invited and that haven't answered."""
        return [address for seat in self.seats for address in seat.written]

    @property
    def pressed(self) -> SeatLine | None:
        """The seat whose time is worth knowing: the viewer's own while it is their turn, else the one awaited."""
        running = [seat for seat in self.seats if seat.deadline is not None]
        return next((seat for seat in running if seat.is_me), running[0] if running else None)


def match_line(site: Site, match_id: int, viewer_id: int | None) -> MatchLine | None:
    """The match as lists show it; None if there is no such match."""
    with site.store.reading() as session:
        match = session.get(Match, match_id)
        return None if match is None else match_row(match, viewer_id)


def my_matches(site: Site, player_id: int) -> Sequence[MatchLine]:
    """The player's matches: what waits for them (the least time left first), what goes on, what has ended lately."""
    with site.store.reading() as session:
        return lines(session, of_places(teams.places_of(player_id)), player_id)


def needing(site: Site, player_id: int) -> int:
    """How many matches wait for the player: for a move, or for an answer to an invitation. One statement."""
    with site.store.reading() as session:
        return session.scalar(_needing(), {"player": player_id}) or 0


@cache
def _needing() -> Select[int]:
    """The statement of `needing`. Every page runs it, and building it took longer than running it."""
    player = bindparam("player", type_=Integer)
    moves = select(func.count(Seat.match_id.distinct())).join(Match)
    counted = [moves.where(Seat.player_id == player, Seat.to_move, Match.state == "running")]
    for place in (Seat, Teammate):
        # Written as the indexes of unanswered places have it, so that SQLite recognises it.
        unanswered = text(f"{place.__tablename__}.accepted = false")
        invited = select(func.count()).select_from(place).join(place.match).where(Match.state == "open", unanswered)
        counted.append(invited.where(place.player_id == player, ~teams.UNWANTED[place]))
    parts = [one.scalar_subquery() for one in counted]
    return select(sum(parts[1:], start=parts[0]))


def next_waiting(site: Site, player_id: int, after: int) -> int | None:
    """The match that waits for the player, in their own order the one following `after`, from the first again."""
    places = teams.places_of(player_id)
    own = of_places(places).where(_waits(places)).with_only_columns(Match.id)
    with site.store.reading() as session:
        waiting = list(session.scalars(own))
    later = waiting[waiting.index(after) + 1 :] if after in waiting else waiting
    return next((match_id for match_id in [*later, *waiting] if match_id != after), None)


def open_matches(site: Site, viewer_id: int | None = None) -> Sequence[MatchLine]:
    """Matches with a seat that anybody may take, without those in which the viewer can't."""
    with site.store.reading() as session:
        return with_open_seats(session, viewer_id, site.now())


def with_open_seats(session: Session, viewer_id: int | None, now: datetime) -> Sequence[MatchLine]:
    """`open_matches` in a transaction."""
    found = lines(session, _with_open_seats().params(viewer=viewer_id), viewer_id)
    closed = closed_to(session, viewer_id, [line.id for line in found if line.state == "running"], now)
    return [line for line in found if line.id not in closed]


def recent_matches(site: Site, viewer_id: int | None = None) -> Sequence[MatchLine]:
    """Matches being played or over here, the latest first, without those in which the viewer has a seat."""
    here = Match.state.in_(("running", "over")) & Match.importer_id.is_(None)
    shown = select(Match).where(here, WATCHED).order_by(Match.id.desc()).limit(WATCHED_AT_ONCE)
    if viewer_id is not None:
        has_place = [(place.match_id == Match.id) & (place.player_id == viewer_id) for place in (Seat, Teammate)]
        shown = shown.where(*(~exists().where(one) for one in has_place))
    with site.store.reading() as session:
        return lines(session, shown, viewer_id)


def of_places(own: Subquery) -> Select[Match]:
    """The matches of these places, what waits for their player first."""
    found = select(Match).join(own, own.c.match_id == Match.id)
    return found.order_by(group(own), deadline(own), Match.moved.desc(), Match.id.desc()).limit(LISTED)


def deadline(own: Subquery) -> ColumnElement[datetime]:
    """The end of the turn; the end of time for those without one."""
    return func.coalesce(own.c.deadline, literal(datetime(9999, 1, 1, tzinfo=UTC), Instant), type_=Instant)


def group(own: Subquery) -> ColumnElement[int]:
    """Matches that wait for the place's player come first, and those that have ended last."""
    return case((_waits(own), 0), (Match.state.in_(("over", "declined")), 2), else_=1)


def _waits(own: Subquery) -> ColumnElement[bool]:
    """Whether a match waits for the place's player: for a move, or for an answer to an invitation."""
    move = own.c.to_move & (Match.state == "running")
    return or_(move, ~own.c.accepted & (Match.state == "open"))


@cache
def _with_open_seats() -> Select[Match]:
    """What the parameter `viewer` may take, apart from events: free seats, and those on offer, each by its index."""
    free = or_(*(exists().where(place.match_id == Match.id, place.player_id.is_(None)) for place in (Seat, Teammate)))
    running = select(Match.id).where(Match.state == "running")
    offers = [running.join(one, one.match_id == Match.id).where(one.sought == ANYBODY) for one in (Seat, Teammate)]
    parts = (select(Match.id).where(Match.state == "open", free), *offers)
    found = union(*(select(part.order_by(Match.id.desc()).limit(LISTED).subquery().c.id) for part in parts))
    strange = is_strange_to(bindparam("viewer", None, Integer))
    return select(Match).where(Match.id.in_(found), strange).order_by(Match.id.desc()).limit(LISTED)


def lines(session: Session, statement: Select[Match], viewer_id: int | None) -> list[MatchLine]:
    """The matches a statement finds, as one viewer may see them."""
    matches = session.scalars(statement).unique().all()  # A player may have two seats in one.
    teams.load(session, matches)
    return [match_row(match, viewer_id) for match in matches]


def match_row(match: Match, viewer_id: int | None) -> MatchLine:
    sides = GAMES[match.game].sides(len(match.seats))
    own = match.place_of(viewer_id)
    own_number = None if own is None else own.number
    # If several are awaited, a clock that has stopped would show who has sealed a choice.
    alone = sum(seat.awaited for seat in match.seats) == 1
    hidden = press.hides_names(match)
    return MatchLine(
        id=match.id,
        game=match.game,
        title=GAMES[match.game].title,
        state=match.state,
        round=match.round,
        parallel=GAMES[match.game].parallel,
        reason=match.reason,
        moved=match.moved,
        seats=tuple(
            _seat_line(match, seat, sides[seat.number], seat.number == own_number, alone, hidden, viewer_id)
            for seat in match.seats
        ),
        my_turn=isinstance(own, Seat) and own.to_move,
        clock=clocks.control(match),
        invited=own is not None and not own.accepted,
        turned=own is not None and own.turned,
        mine=viewer_id is not None and match.creator_id == viewer_id,
        withdrawn=match.reason == WITHDRAWN,
        speaks=isinstance(own, Seat),
    )


def _seat_line(
    match: Match, seat: Seat, side: str, is_me: bool, alone: bool, hidden: bool, viewer_id: int | None
) -> SeatLine:
    # A seat looks its match and its player up each time it is asked for them.
    player, places = seat.player, match.team(seat.number)
    team = _team(match, seat, side, hidden, viewer_id)
    sought = [place for place in places if place.sought is not None]
    is_host = viewer_id is not None and match.creator_id == viewer_id and not hidden
    named = is_host and not team and player is not None and seat.written == player.name and "@" not in seat.written
    nameless = hidden and not is_me and player is not None
    unknown = nameless or (teams.is_hidden(seat) and not is_me and not named)
    own = player.name if (is_me or named) and not team and player is not None else ""
    return SeatLine(
        number=seat.number,
        side=side,
        name=side.capitalize() if nameless or (hidden and team) else own or teams.names(match, seat.number),
        player_id=None if unknown or team or (player is not None and player.is_guest) else seat.player_id,
        is_me=is_me,
        accepted=all(place.accepted for place in places),
        to_move=seat.to_move if is_me else seat.awaited,
        deadline=seat.deadline if is_me or alone else None,
        score=seat.score,
        sought=any(place.player_id == viewer_id or place.sought in (ANYBODY, viewer_id) for place in sought),
        bounces=not unknown and any(_bounces(place.player, viewer_id) for place in places),
        unnamed=not unknown and player is not None and player.is_unnamed,
        is_bot=not unknown and player is not None and player.bot is not None,
        written=tuple(place.written for place in places if place.written) if is_host else (),
        team=team,
    )


def _bounces(player: Player | None, viewer_id: int | None) -> bool:
    """Whether mail to a player bounces, as far as the viewer may know."""
    if player is None:
        return False
    return player.bounced is not None if player.id == viewer_id else player.bounces_known


def _team(match: Match, seat: Seat, side: str, hidden: bool, viewer_id: int | None) -> tuple[Member, ...]:
    """The players who share a seat; where names are hidden, all but the viewer by their numbers."""
    if not teams.is_shared(match, seat.number):
        return ()
    return tuple(
        Member(
            name=""
            if place.player is None
            else (place.player.name if is_me else teams.name_of(place))
            if shown
            else f"{side.capitalize()} {number}",
            player_id=place.player_id if shown and (is_me or not teams.is_hidden(place)) else None,
            is_me=is_me,
            accepted=place.accepted,
            has_turn=place is seat,
        )
        for number, place in enumerate(match.team(seat.number), start=1)
        for is_me in [viewer_id is not None and place.player_id == viewer_id]
        for shown in [not hidden or is_me]
    )
