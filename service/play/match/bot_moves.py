"""Practice bots take their turns through the same door as everybody."""

from __future__ import annotations

from sqlalchemy.orm import Session

from service.bots import BOTS
from service.bots.thought import View, seed_of
from service.mail.orders import parse
from service.play.match.log import public_log
from service.play.orders.submit import Incoming, submit
from service.play.site import Site
from service.play.table import replay
from service.store.models import Match


def think(site: Site, match_id: int) -> None:
    """Orders a move for each bot the match waits for."""
    with site.store.reading() as session:
        match = session.get(Match, match_id)
        orders = [] if match is None or match.state != "running" else _orders(session, match)
    for order in orders:
        submit(site, order)


def _orders(session: Session, match: Match) -> list[Incoming]:
    position = replay.position(session, match)
    # Neither a bot's move nor the number of its order may depend on how many others have sealed a choice.
    known, last = public_log(session, match, position)
    orders = []
    for seat in match.seats:
        if seat.number in position.turns and seat.player is not None and seat.player.bot is not None:
            # A sealed choice of this round is not the bot's to see, not even in the log.
            heard = last if last and position.public_turns == position.turns else ""
            view = View.of(position, seat.number, ((-1, heard),) if heard else ())
            move = BOTS[seat.player.bot](view, 0, seed_of(match.seed, known, seat.number)).move
            key = f"bot:{match.id}:{known}:{seat.number}"
            orders.append(Incoming(key, match.id, seat.number, seat.player.id, position.round, parse(move), "bot"))
    return orders
