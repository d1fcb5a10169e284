"""What is done when an email comes back, or its reader complains of it."""

from __future__ import annotations

import logging
import re

from sqlalchemy import select

from service.mail import reply_address
from service.mail.parsing import delivery_report
from service.mail.reply_address import ReplyAddress
from service.play.letter_kinds import Bouncing
from service.play.notify import preferences
from service.play.notify.announce import tell_about
from service.play.site import Site, Transaction
from service.play.table import press, teams
from service.store.models import Match, Place, Player

log = logging.getLogger(__name__)

_OURS = re.compile(rb"\+[a-z2-7]{20,64}", re.IGNORECASE)

TOLD = 50
"""In how many matches, the most recently active ones, the other players get a notice."""


def returned(tx: Transaction, raw: bytes, meant: ReplyAddress | None) -> str:
    """Takes in a report about an email we sent, by the return path it came to; returns the verdict.

    A complaint may name the reader itself. A report about an address that the player no longer has changes nothing.
    """
    report = delivery_report.read(raw)
    if report is None:
        return "automatic"
    player_id = meant.player if meant else _complaining(tx.site, raw) if report.kind == "complaint" else None
    player = None if player_id is None else tx.session.get(Player, player_id)
    if player is None or (meant is not None and meant.seat not in (0, reply_address.mark(player.email or ""))):
        return "automatic"
    if report.kind == "complaint":
        preferences.choose(tx, player, "off")
    elif report.kind == "failed":
        comes_back(tx, player)
    log.warning("mail to player %s: %s (%s)", player.id, report.kind, report.why)
    return "complaint" if report.kind == "complaint" else "bounce"


def comes_back(tx: Transaction, player: Player) -> None:
    """Notes that the player's address takes no mail, and tells the others at their tables unless they know already.

    Not where names are hidden: a player who heard of it at two tables at once would know who sits where.
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


def _complaining(site: Site, raw: bytes) -> int | None:
    """The reader of our mail that a complaint has attached, known by an address we signed in its headers."""
    for found in _OURS.findall(raw.replace(b"=\r\n", b"").replace(b"=\n", b""))[:50]:
        meant = reply_address.read(site.settings.secret, found.decode())
        if meant is not None:
            return meant.player
    return None
