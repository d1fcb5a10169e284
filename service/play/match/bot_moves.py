"""Computer opponents take their turns through the same door as people."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import exists, select
from sqlalchemy.orm import Session

from service.bots.thought import View, seed_of
from service.mail.orders import parse
from service.play.match.log import public_log
from service.play.orders.submit import Incoming, submit
from service.play.site import Site
from service.play.table import replay
from service.store.models import Match, Submission


class Turn(NamedTuple):
    """A turn that an opponent is to think about."""

    key: str
    """Of its order: the same however often it is thought about, so that it is ordered once."""
    player_id: int
    name: str
    view: View
    seed: int


def think(site: Site, match_id: int) -> None:
    """Orders a move for each computer opponent the match waits for. No database session is open while it thinks."""
    from service.bots.opponents import hurried_order  # Only the processes that think load the searches.

    with site.store.reading() as session:
        match = session.get(Match, match_id)
        turns = [] if match is None or match.state != "running" else _turns(session, match)
    for turn in turns:
        thought = hurried_order(turn.view, turn.name, turn.seed)
        position, seat = turn.view.position, turn.view.seat
        order = parse(thought.move)
        submit(site, Incoming(turn.key, match_id, seat, turn.player_id, position.round, order, "bot"))


def _turns(session: Session, match: Match) -> list[Turn]:
    position = replay.position(session, match)
    # Neither a bot's move nor the number of its order may depend on how many others have sealed a choice.
    known, latest = public_log(session, match, position)
    # A sealed choice of this round is not the bot's to see, not even in the log.
    heard = tuple(latest) if position.public_turns == position.turns else ()
    turns = []
    for seat in match.seats:
        if seat.number in position.turns and seat.player is not None and seat.player.bot is not None:
            key = f"bot:{match.id}:{known}:{seat.number}"
            if session.scalar(select(exists().where(Submission.key == key))):
                continue
            view, seed = View.of(position, seat.number, heard), seed_of(match.seed, known, seat.number)
            turns.append(Turn(key, seat.player.id, seat.player.bot, view, seed))
    return turns
