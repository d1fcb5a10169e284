"""Rates a finished match in the transaction that ends it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

from sqlalchemy import and_, exists, or_, select
from sqlalchemy.orm import Session

from service.contests.advantages import Advantage, learn
from service.contests.ledger import Account, Period, Seat, settle, sides
from service.contests.ratings import Played, Rating
from service.play.site import Transaction
from service.play.table import movers, teams
from service.store.entries import timed_out
from service.store.insert import insert_once
from service.store.models import Entry, Match, Place, Player
from service.store.tables.ratings import PlayerRating, RatedSeat, SeatAdvantage

DAY_SECONDS = 86_400


SeenToMove: TypeAlias = Callable[[Session, Match, int, datetime], bool]
"""Whether everybody has seen a player move in a match since then."""


class Rated(NamedTuple):
    """A player who is rated for a seat, and whether they held it to the end."""

    player: Player
    seat: int
    stayed: bool


def rate(tx: Transaction, match: Match, seen_to_move: SeenToMove) -> None:
    """Rates a match that has just ended, if it counts: see `who_is_rated`.

    A player who handed over a seat can lose by it, but gains nothing from what another player won.
    """
    session, now = tx.session, tx.now
    held = who_is_rated(session, match)
    if not held:
        return
    late = timed_out(session, match)
    shares = [seat.score for seat in match.seats]
    rows = [
        RatedSeat(
            match_id=match.id,
            player_id=player.id,
            game=match.game,
            seat=seat,
            share=shares[seat],
            absence=_absence(session, now, match.game, player.id, seen_to_move) if stayed and seat in late else None,
            bot=player.bot is not None,
            fixed=not stayed and shares[seat] != "0",
        )
        for player, seat, stayed in held
    ]
    _enter(tx, match, rows)
    session.add_all(rows)


def who_is_rated(session: Session, match: Match) -> list[Rated]:
    """The players who are rated for a match, seat by seat; none if it isn't rated.

    It is if that was agreed beforehand, every seat played a move that wasn't taken back, and nobody is a guest, or has
    two seats, even through a bot.
    """
    moved = movers.by_seat(session, match) if match.rated else {}
    if len(moved) < len(match.seats):
        return []
    held = [one for number in range(len(match.seats)) for one in _held(session, match.team(number), moved[number])]
    people = [one.player for one in held if one.player.bot is None]
    if not people or any(player.is_guest for player in people):
        return []
    if len({player.owner_id or player.id for player in people}) < len(people):
        return []
    return held if len({one.player.id for one in held}) == len(held) else []


def _held(session: Session, team: Sequence[Place], moved: Sequence[int]) -> list[Rated]:
    """The players rated for a seat: those who hold it, and those who moved in it and left their team. If it was taken
    over, those who moved in it first: as many as it has players, so one unless a team shares it. Nobody escapes a loss
    by handing it over, and nobody sells a win by taking over a seat to lose it."""
    holders = [place.player_id for place in team if place.player_id is not None]
    rated = moved[: len(team)] if any(place.taken for place in team) else dict.fromkeys([*holders, *moved])
    return [Rated(session.get_one(Player, one), team[0].number, one in holders) for one in rated]


def _enter(tx: Transaction, match: Match, rows: Sequence[RatedSeat]) -> None:
    """Changes the ratings by a match, and notes on its rows what they were and are.

    The match ends, for its ratings, once nobody else can change them: in this order they are computed again.
    """
    stored = _locked_ratings(tx.session, match.game, [row.player_id for row in rows])
    advantages = _locked_advantages(tx.session, match)
    ended = tx.site.now()
    accounts = {str(number): _account(row) for number, row in stored.items()}
    known = [Advantage(row.points, row.information) for row in advantages]
    for row in rows:
        row.rating_before, row.ended = stored[row.player_id].rating, ended
    changed, learnt = judged(rows, accounts, known)
    for name, account in changed.items():
        _keep(stored[int(name)], account, rows[0].ended)
    for row in rows:
        row.rating, row.deviation = stored[row.player_id].rating, stored[row.player_id].deviation
    for advantage, fresh in zip(advantages, learnt, strict=True):
        advantage.points, advantage.information = fresh


def judged(
    rows: Sequence[Any], accounts: Mapping[str, Account], advantages: Sequence[Advantage]
) -> tuple[dict[str, Account], list[Advantage]]:
    """The accounts that a match changes, by the players' ids, and what its seats are worth after it.

    `rows` are rows of RatedSeat, or of its columns.
    """
    day = rows[0].ended.timestamp() / DAY_SECONDS
    seats = [
        _seat([row for row in rows if row.seat == number], advantage.points)
        for number, advantage in enumerate(advantages)
    ]
    learnt = learn(advantages, [seat.share for seat in seats], sides(day, seats, accounts))
    return settle(day, seats, accounts), learnt


def _seat(held: Sequence[Any], advantage: float) -> Seat:
    holders = tuple(str(row.player_id) for row in held)
    fixed = frozenset(str(row.player_id) for row in held if row.fixed)
    return Seat(holders, _share(held[0].share), advantage, held[0].absence, held[0].bot, fixed)


@lru_cache(maxsize=100)
def _share(written: str) -> float:
    """The part of the win that a fraction such as `1/2` means. There are only a few, and parsing one is slow."""
    return float(Fraction(written))


def _absence(session: Session, now: datetime, game: str, player_id: int, seen_to_move: SeenToMove) -> str:
    """The key of the absence that a seat was lost in: of an earlier loss, unless its player was seen to move since.

    If a sealed move ended an absence, the rating would reveal it.
    """
    rating = session.get(PlayerRating, (player_id, game))
    if rating is None or rating.absent is None or rating.at is None:
        return now.isoformat()
    moved = exists().where(Entry.match_id == Match.id, Entry.played > rating.at)
    maybe = or_(moved, and_(Match.log.is_not(None), Match.moved > rating.at))
    own = select(Match).where(Match.id.in_(teams.matches_of([player_id])), maybe)
    matches = session.scalars(own.order_by(Match.id))
    seen = any(seen_to_move(session, match, rating.player_id, rating.at) for match in matches)
    return now.isoformat() if seen else str(rating.absent["absence"])


def _locked_ratings(session: Session, game: str, players: Sequence[int]) -> dict[int, PlayerRating]:
    """The ratings of these players, newcomers' too, locked in one order for all."""
    for player_id in sorted(players):
        insert_once(session, PlayerRating, player_id=player_id, game=game, **columns(Account()))
    locked = select(PlayerRating).where(PlayerRating.game == game, PlayerRating.player_id.in_(players))
    locked = locked.order_by(PlayerRating.player_id).with_for_update().execution_options(populate_existing=True)
    return {row.player_id: row for row in session.scalars(locked)}


def _locked_advantages(session: Session, match: Match) -> list[SeatAdvantage]:
    where = {"game": match.game, "setting": setting(len(match.seats), match.options)}
    for number in range(len(match.seats)):
        insert_once(session, SeatAdvantage, **where, seat=number, points=0.0, information=0.0)
    locked = select(SeatAdvantage).filter_by(**where).order_by(SeatAdvantage.seat).with_for_update()
    return list(session.scalars(locked.execution_options(populate_existing=True)))


def setting(seats: int, options: Mapping[str, Any]) -> str:
    """The number of seats and the options that may decide what a seat is worth, in one form."""
    return f"{seats} {json.dumps({name: value for name, value in options.items() if value}, sort_keys=True)}"


def _account(row: PlayerRating) -> Account:
    rating = Rating(row.rating, row.deviation, row.volatility)
    day = None if row.at is None else row.at.timestamp() / DAY_SECONDS
    return Account(rating, day, row.matches, None if row.absent is None else _period(row.absent))


def _keep(row: PlayerRating, account: Account, ended: datetime) -> None:
    for name, value in columns(account).items():
        setattr(row, name, value)
    row.at = ended


def columns(account: Account) -> dict[str, Any]:
    """What a PlayerRating stores of an account, apart from when its latest match ended."""
    rating, deviation, volatility = account.rating.rating, account.rating.deviation, account.rating.volatility
    return {
        "rating": rating,
        "deviation": deviation,
        "volatility": volatility,
        "floor": rating - deviation,
        "matches": account.matches,
        "absent": None if account.absent is None else _written(account.absent),
    }


def _period(data: Mapping[str, Any]) -> Period:
    played = tuple(
        Played(share, strength, [(rating, deviation) for rating, deviation in others], weight)
        for share, strength, others, weight in data["played"]
    )
    return Period(data["absence"], Rating(*data["before"]), data["day"], played)


def _written(period: Period) -> dict[str, Any]:
    before = (period.before.rating, period.before.deviation, period.before.volatility)
    return {"absence": period.absence, "before": before, "day": period.day, "played": period.played}
