"""Computer opponents take their turns through the same door as people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import NamedTuple

from sqlalchemy import exists, select
from sqlalchemy.orm import Session

from service.bots.roster import NAMES, YARDSTICK
from service.bots.thought import View, seed_of
from service.engine.game import Position
from service.mail.grammar.orders import parse
from service.play.orders.submit import Incoming, submit
from service.play.site import Site, Transaction
from service.play.table import replay
from service.play.table.log import public_log
from service.store.insert import insert_once
from service.store.models import Match, Seat, Submission
from service.store.tables.bot_turns import BotTurn

REMEMBERED = 8
"""How many of its own earlier thoughts an opponent considers before it resigns or agrees to a draw."""


class Turn(NamedTuple):
    """A turn for an opponent to think about, leased so that no other process thinks about it too."""

    key: str
    """The key of its order: the same however often it is thought about, so that it is ordered once."""
    row: tuple[int, int, int]
    """The key of its BotTurn."""
    player_id: int
    name: str
    round: int
    """The round of the match. A takeback doesn't set it back, unlike that of the position in the view."""
    view: View
    seed: int
    past: Sequence[float]
    """What it expected in its earlier turns, oldest first."""


def think(site: Site, match_id: int) -> None:
    """Orders for each computer opponent the match waits for. No database session is open while it thinks."""
    from service.bots.opponents import hurried_order  # Only the processes that think load the searches.

    while (turn := _claim(site, match_id)) is not None:
        thought = hurried_order(turn.view, turn.name, turn.seed, turn.past)
        position, seat = turn.view.position, turn.view.seat
        order = Incoming(turn.key, match_id, seat, turn.player_id, turn.round, parse(thought.move), "bot")
        with site.transaction() as tx:
            submit(tx, order)
            if position.phase == "play" and seat in position.turns:
                tx.session.get_one(BotTurn, turn.row).value = thought.value


def lease(site: Site) -> timedelta:
    """How long a turn is leased to a process. If thinking takes longer, another process may start over."""
    return timedelta(seconds=2 * site.settings.sweep_seconds)


def _claim(site: Site, match_id: int) -> Turn | None:
    """The first turn that no process has leased, now leased to the caller; None if there is none."""
    # Replaying a match while something is written would hold up all who write.
    with site.store.reading() as session:
        match = session.get(Match, match_id)
        turns = [] if match is None or match.state != "running" else [*_turns(session, match)]
    if not turns:
        return None
    with site.transaction() as tx:
        return next((turn for turn in turns if _leased(tx, turn)), None)


def _leased(tx: Transaction, turn: Turn) -> bool:
    """Whether the caller got the lease."""
    match_id, seat, ply = turn.row
    until = tx.now + lease(tx.site)
    if insert_once(tx.session, BotTurn, match_id=match_id, seat=seat, ply=ply, leased=until) is not None:
        return True
    known = tx.session.get_one(BotTurn, turn.row, with_for_update=True, populate_existing=True)
    if known.leased > tx.now:
        return False
    known.leased = until
    return True


def _turns(session: Session, match: Match) -> Iterator[Turn]:
    """The turns in which computer opponents still have to order."""
    position = replay.position(session, match)
    # Neither a bot's move nor the number of its order may depend on how many others have sealed a choice.
    known, latest = public_log(session, match)
    # A sealed choice of this round is not the bot's to see, not even in the log.
    heard = tuple(latest) if position.public_turns == position.turns else ()
    for seat in match.seats:
        if seat.player is None or seat.player.bot not in (*NAMES, YARDSTICK) or not _is_asked(position, seat):
            continue
        key = f"bot:{match.id}:{known}:{seat.number}"
        if not session.scalar(select(exists().where(Submission.key == key))):
            yield Turn(
                key,
                (match.id, seat.number, known),
                seat.player.id,
                seat.player.bot,
                position.round,
                View.of(position, seat.number, heard),
                seed_of(match.seed, known, seat.number),
                _past(session, match, seat.number),
            )


def _is_asked(position: Position, seat: Seat) -> bool:
    """Whether it is the seat's turn, or somebody has offered it a draw."""
    is_offered = position.offer is not None and position.offer != seat.number and seat.number in position.active
    return is_offered or seat.number in position.turns


def _past(session: Session, match: Match, seat: int) -> Sequence[float]:
    known = select(BotTurn.value).where(BotTurn.match_id == match.id, BotTurn.seat == seat, BotTurn.value.is_not(None))
    values = session.scalars(known.order_by(BotTurn.ply.desc()).limit(REMEMBERED))
    return [value for value in values if value is not None][::-1]
