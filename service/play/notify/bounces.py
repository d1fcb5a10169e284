"""What happens when an email bounces or its reader complains."""

from __future__ import annotations

import logging
import re
from contextlib import suppress

from sqlalchemy import select

from service.mail import reply_address
from service.mail.parsing import delivery_report
from service.mail.reply_address import Purpose, ReplyAddress
from service.play.letter_kinds import Bouncing
from service.play.links import Link, LinkError
from service.play.notify import preferences
from service.play.notify.announce import tell_about
from service.play.site import Transaction
from service.play.table import press, teams
from service.store.models import Match, Place, Player

log = logging.getLogger(__name__)

_BACK = re.compile(rb"\+[a-z2-7]{20,64}", re.IGNORECASE)
_STOP = re.compile(rb"/mail/stop/([\w.-]{20,200})")

MOST = 50
"""How many addresses and links of a complaint are checked."""

TOLD = 50
"""In how many matches, the most recently active ones, the other players get a notice."""


def returned(tx: Transaction, raw: bytes, meant: ReplyAddress | None) -> str:
    """Handles a report about an email we sent, by the return path it came to; returns the verdict.

    A complaint may name the reader itself. A report about an address that the player no longer has changes nothing.
    """
    report = delivery_report.read(raw)
    if report is None:
        return "automatic"
    is_complaint = report.kind == "complaint"
    player = _reader(tx, meant) if meant else _complaining(tx, raw) if is_complaint else None
    if player is None:
        return "automatic"
    if is_complaint:
        preferences.choose(tx, player, "off")
    elif report.kind == "failed":
        comes_back(tx, player)
    log.warning("mail to player %s: %s (%s)", player.id, report.kind, report.why)
    return "complaint" if is_complaint else "bounce"


def comes_back(tx: Transaction, player: Player) -> None:
    """Records that emails to the player bounce, and informs the others at their tables unless they already know. Tables
    with hidden names aren't informed: a player who heard at two tables at once would know who sits where."""
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


def _reader(tx: Transaction, back: ReplyAddress) -> Player | None:
    """The player to whose present address an email with this return path went."""
    player = tx.session.get(Player, back.player)
    is_present = player is not None and back.seat in (0, reply_address.mark(player.email or ""))
    return player if is_present else None


def _complaining(tx: Transaction, raw: bytes) -> Player | None:
    """The reader of the email that a complaint has attached, known by what only they are sent: its return path, or the
    link with which a mail program unsubscribes them. A reply address is passed on with every answer."""
    flowing = raw.replace(b"=\r\n", b"").replace(b"=\n", b"")
    for token in _STOP.findall(flowing)[:MOST]:
        with suppress(LinkError):
            player_id, _ = Link.STOP_AT_ONCE.read(tx.site, token.decode())
            return tx.session.get(Player, player_id)
    for token in _BACK.findall(flowing)[:MOST]:
        back = reply_address.read(tx.site.settings.secret, token.decode())
        if back is not None and back.purpose is Purpose.BOUNCE:
            return _reader(tx, back)
    return None
