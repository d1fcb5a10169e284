"""Addresses that nobody has confirmed, forgotten after a while: others wrote them, into a form or an email."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import exists, or_, select
from sqlalchemy.orm import Session

from service.play.accounts import deletion
from service.play.site import Site, going_on
from service.store.models import UNCONFIRMED, Match, Player, Seat, Teammate
from service.store.tables.credentials import Visit
from service.store.tables.mail_rows import Letter

AT_ONCE = 100
"""How many one sweep forgets; the next goes on."""


def forget_old(site: Site) -> None:
    """Forgets unconfirmed addresses that no match waits for. One that wanted no emails stays, and so gets none."""
    days = site.settings.keep.unconfirmed
    if not days:
        return
    old = site.now() - timedelta(days=days)
    written = exists().where(Letter.player_id == Player.id, Letter.created > old)
    here = exists().where(Visit.player_id == Player.id)
    goes_on = Match.state.in_(("open", "running"))
    awaited = [
        exists().where(named == Player.id, place.match_id == Match.id, goes_on)
        for place in (Seat, Teammate)
        for named in (place.player_id, place.sought)
    ]
    found = select(Player.id).where(UNCONFIRMED, Player.created < old, Player.post != "off")
    found = found.where(~here, ~written, ~or_(*awaited))
    with site.store.reading() as session:
        players = session.scalars(found.order_by(Player.created).limit(AT_ONCE)).all()
    for player_id in players:
        with going_on("unconfirmed address of player", player_id), site.transaction() as tx:
            _forget(site, tx.session, player_id)


def _forget(site: Site, session: Session, player_id: int) -> None:
    player = session.get(Player, player_id, with_for_update=True)
    if player is not None and player.confirmed is None:
        deletion.forget(session, player)
        player.left = site.now()
