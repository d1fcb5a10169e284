"""The networks that players have confirmed as their mail servers', for replies that nothing else proves."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from service.play.accounts import account_events
from service.play.site import Site
from service.store.insert import insert_once
from service.store.models import Player
from service.store.tables.credentials import MailNetwork
from service.store.tables.mail_rows import IncomingMail


def is_confirmed(session: Session, player: Player, network: str) -> bool:
    """Whether replies with the player's address are accepted from this network without asking."""
    own = select(MailNetwork.id).filter_by(player_id=player.id, address=player.email, network=network)
    return bool(network) and session.scalars(own).first() is not None


def confirm(session: Session, player: Player, mail: IncomingMail) -> None:
    """Has later replies accepted from the network that this email of the player's came from."""
    row = {"player_id": player.id, "address": player.email, "network": mail.network, "confirmed": mail.received}
    if insert_once(session, MailNetwork, **row):
        account_events.changed("mail-network-confirmed", player.id)


def of(site: Site, player_id: int) -> Sequence[MailNetwork]:
    """The networks a player has confirmed, the latest first."""
    with site.store.reading() as session:
        own = select(MailNetwork).where(MailNetwork.player_id == player_id)
        return session.scalars(own.order_by(MailNetwork.confirmed.desc(), MailNetwork.id.desc())).all()


def end(site: Site, player_id: int, network_id: int) -> None:
    """Forgets a network, so that its emails are asked about again. Repeating it changes nothing."""
    with site.transaction() as tx:
        tx.session.execute(delete(MailNetwork).where(MailNetwork.player_id == player_id, MailNetwork.id == network_id))
    account_events.changed("mail-network-ended", player_id)
