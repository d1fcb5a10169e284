"""The players of a match as its page shows them: each with rating, time, prisoners and why no move may come; and
whether a viewer could be one of them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import NamedTuple, cast

from sqlalchemy.orm import Session

from service.engine.game import Position
from service.play.match import substitutes
from service.play.match.invitations import LobbyError
from service.play.pages import leader_boards
from service.play.pages.leader_boards import Shown
from service.play.pages.match_lists import MatchLine, SeatLine
from service.play.site import Site, Transaction
from service.play.table import press
from service.play.timekeeping import clocks
from service.store.models import Match, Player


class Card(NamedTuple):
    """A seat with what belongs to it.

    `time` is what is left on a clock that isn't running, None if there is none or it isn't public. `prisoners` is
    None in games that keep none. `away` is until when the player is on vacation. `rating` is in this game; None for
    players without one, for teams, and where the match hides who plays.
    """

    seat: SeatLine
    time: timedelta | None
    prisoners: int | None
    away: datetime | None
    rating: Shown | None


def cards(session: Session, now: datetime, match: Match, line: MatchLine, position: Position) -> tuple[Card, ...]:
    """A card for each seat, in turn order."""
    held = cast("Mapping[str, Mapping[str, int]] | None", position.facts.get("prisoners"))
    times = _times(match, line, now)
    known = [seat.player_id for seat in line.seats if seat.player_id is not None]
    ratings = leader_boards.of_table(session, match.game, known)
    away = _away(session, now, match, line)
    return tuple(
        Card(
            seat,
            times.get(seat.number),
            None if held is None else sum(held.get(seat.side, {}).values()),
            away if seat.deadline is not None and not seat.is_me else None,
            None if seat.player_id is None else ratings.get(seat.player_id),
        )
        for seat in line.seats
    )


def why_no_substitute(site: Site, match_id: int, player_id: int) -> str:
    """Why a player can take over no seat in a match, in sentences for them; "" if they can take one that is offered."""
    with site.store.reading() as session:
        match, heir = session.get_one(Match, match_id), session.get_one(Player, player_id)
        try:
            substitutes.check(Transaction(site, session), match, heir)
        except LobbyError as error:
            return str(error)
    return ""


def _times(match: Match, line: MatchLine, now: datetime) -> dict[int, timedelta]:
    """How long each seat would have if its turn began now, by seat.

    If several choose at once, a player sees only their own: a stopped clock would show who has sealed a choice.
    """
    if line.state != "running" or sum(seat.awaited for seat in match.seats) > 1:
        return {}
    standing = [seat for seat in match.seats if seat.since is None and seat.number in _people(line)]
    found = {seat.number: clocks.standing_time(match, seat, now) for seat in standing}
    return {number: time for number, time in found.items() if time is not None}


def _people(line: MatchLine) -> set[int]:
    """The seats of those who have a clock and still play."""
    return {seat.number for seat in line.seats if not seat.is_bot and seat.score is None}


def _away(session: Session, now: datetime, match: Match, line: MatchLine) -> datetime | None:
    """Until when the only player awaited is on vacation; where names are hidden, it would show who that is."""
    awaited = [seat for seat in match.seats if seat.awaited and seat.deadline is not None]
    if line.state != "running" or len(awaited) != 1 or press.hides_names(match):
        return None
    player_id = awaited[0].player_id
    return None if player_id is None else clocks.on_vacation_until(session, match, player_id, now)
