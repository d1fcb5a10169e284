"""Recomputes all ratings from the rated matches, for when the rules of rating change or a match is annulled."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from sqlalchemy import bindparam, delete, insert, select, text, update
from sqlalchemy.orm import Session

from service.contests.advantages import Advantage
from service.contests.ledger import NOBODY, Account
from service.play import audit
from service.play.ratings.rate import columns, judged, setting
from service.play.site import Site, Transaction, transactional
from service.play.table import results
from service.store.models import Match
from service.store.tables.events import Event, EventMatch, EventSeat
from service.store.tables.ratings import PlayerRating, RatedSeat, SeatAdvantage

ANNULLED = "annulled"
"""The reason of a match that counts for nothing. Its seats have no scores, so nothing that counts them counts it."""

BATCH = 1_000
ALONE = "LOCK TABLE player_rating IN EXCLUSIVE MODE"
"""On PostgreSQL, matches that end meanwhile wait to be rated; on SQLite every writer waits."""


def again(site: Site) -> int:
    """Computes all ratings again in one transaction, and returns the number of matches."""
    with site.transaction() as tx:
        audit.note(tx, None, "ratings-again", "site", 0)
        return _again(tx.session)


def _be_alone(session: Session) -> None:
    if session.get_bind().dialect.name == "postgresql":
        session.execute(text(ALONE))


def _again(session: Session) -> int:
    _be_alone(session)
    session.execute(delete(PlayerRating))
    session.execute(delete(SeatAdvantage))
    return _Again(session).run()


@transactional
def annul(tx: Transaction, match_id: int, operator_id: int | None = None, why: str = "") -> bool:
    """Annuls a match that is over, in ratings, in the standings of its event and in every list, and recomputes all
    ratings. False if there's no such match. Repeating it changes nothing.

    The order on a ladder stays, and so do the divisions of later seasons: others have played on since, and honest
    players would be moved by something they had no part in.
    """
    row = tx.session.scalars(select(EventMatch).where(EventMatch.match_id == match_id)).first()
    if row is not None:
        # The event before the match, as in all that is done there. Its result could be noted just now.
        tx.session.get_one(Event, row.event_id, with_for_update=True)
    match = tx.session.get(Match, match_id, with_for_update=True)
    if match is None or match.state != "over":
        return False
    if match.reason == ANNULLED:
        return True
    audit.note(tx, operator_id, "annulled", "match", match_id, why)
    match.rated, match.reason = False, ANNULLED
    results.take_away(tx.session, match)
    for seat in match.seats:
        seat.score = None
    _be_alone(tx.session)  # Before its rows are locked, which a recomputation may need that runs now.
    tx.session.execute(delete(RatedSeat).where(RatedSeat.match_id == match_id))
    if row is not None:
        row.void = True
        own = (EventSeat.event_id == row.event_id, EventSeat.number == row.number)
        tx.session.execute(update(EventSeat).where(*own).values(share=None, late=False))
    _again(tx.session)
    return True


class _Again:
    """The accounts and advantages as they were after each match so far."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.accounts: dict[str, dict[str, Account]] = {}
        self.ended: dict[tuple[str, str], Any] = {}
        self.advantages: dict[tuple[str, str], list[Advantage]] = {}
        self.rows: list[dict[str, Any]] = []

    def run(self) -> int:
        matches = 0
        for match_rows in _matches(self.session):
            self._enter(match_rows)
            matches += 1
            if len(self.rows) >= BATCH:
                self._write_rows()
        self._write_rows()
        self._write_ratings()
        return matches

    def _enter(self, rows: list[Any]) -> None:
        game = rows[0].game
        accounts = self.accounts.setdefault(game, {})
        seats = 1 + max(row.seat for row in rows)
        key = (game, setting(seats, rows[0].options))
        advantages = self.advantages.setdefault(key, [Advantage()] * seats)
        before = {row.player_id: accounts.get(str(row.player_id), NOBODY).rating.rating for row in rows}
        changed, self.advantages[key] = judged(rows, accounts, advantages)
        accounts |= changed
        self.ended |= {(game, name): rows[0].ended for name in changed}
        for row in rows:
            now = accounts.get(str(row.player_id), NOBODY).rating
            self.rows.append(
                {
                    "match": row.match_id,
                    "player": row.player_id,
                    "rating_before": before[row.player_id],
                    "rating": now.rating,
                    "deviation": now.deviation,
                }
            )

    def _write_rows(self) -> None:
        if self.rows:
            which = (RatedSeat.match_id == bindparam("match"), RatedSeat.player_id == bindparam("player"))
            fresh: dict[str, Any] = {name: bindparam(name) for name in ("rating_before", "rating", "deviation")}
            self.session.connection().execute(update(RatedSeat).where(*which).values(fresh), self.rows)
            self.rows = []

    def _write_ratings(self) -> None:
        ratings = [
            {"player_id": int(name), "game": game, "at": self.ended[game, name], **columns(account)}
            for game, accounts in self.accounts.items()
            for name, account in accounts.items()
        ]
        worth = [
            {"game": game, "setting": options, "seat": seat, "points": known.points, "information": known.information}
            for (game, options), seats in self.advantages.items()
            for seat, known in enumerate(seats)
        ]
        for table, values in ((PlayerRating, ratings), (SeatAdvantage, worth)):
            if values:
                self.session.execute(insert(table), values)


def _matches(session: Session) -> Iterator[list[Any]]:
    """The rows of each rated match in the order the matches ended, with the options of the match."""
    rated = select(
        RatedSeat.match_id,
        RatedSeat.player_id,
        RatedSeat.game,
        RatedSeat.seat,
        RatedSeat.share,
        RatedSeat.absence,
        RatedSeat.bot,
        RatedSeat.fixed,
        RatedSeat.ended,
        Match.options,
    )
    rated = rated.join(Match, Match.id == RatedSeat.match_id).order_by(RatedSeat.ended, RatedSeat.match_id)
    found = session.execute(rated.execution_options(yield_per=BATCH))
    for _, rows in groupby(found, key=lambda row: row.match_id):
        yield list(rows)
