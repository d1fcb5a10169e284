"""Mail that comes back for good: no more is sent there, and those who wait for the player are told."""

from __future__ import annotations

from sqlalchemy import select

from service.play.letter_kinds import Bouncing
from service.play.notify.announce import tell_about
from service.play.site import Transaction
from service.play.table import press, teams
from service.store.models import Match, Place, Player

TOLD = 50
"""In how many matches, those in which something happened last, the others are told."""


def comes_back(tx: Transaction, player: Player) -> None:
    """Notes that the player's address takes no mail, and tells the others at their tables unless they know already.

    Not where names are hidden: who hears of it at two tables at once would know who sits where.
    """
    if player.bounced is not None:
        return
    player.bounced = tx.now
    if player.bounces_known:
        return
    player.bounces_known = True
    playing = Match.id.in_(teams.matches_of([player.id])) & Match.state.in_(("open", "running"))
    for match in tx.session.scalars(select(Match).where(playing).order_by(Match.moved.desc()).limit(TOLD)).all():
        if not press.hides_names(match) and (own := match.place_of(player.id)) is not None:
            _tell(tx, own)


def _tell(tx: Transaction, gone: Place) -> None:
    others = (other for other in gone.match.places if other is not gone and other.accepted)
    key = f"bounces:{gone.match_id}:{gone.label}:{tx.now.isoformat()}"
    tell_about(tx, key, others, gone, Bouncing(by=gone.number))
