"""Mail without a proven sender: held until the person it claims to be from confirms it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.games import GAMES
from service.mail import reply_address
from service.mail.parsing.read import Inbound
from service.mail.reply_address import ReplyAddress
from service.play.inbox import mail_networks, quoting, unknown_senders
from service.play.inbox.receive import act
from service.play.letter_contents import readable
from service.play.letter_kinds import Confirm, ConfirmReply, UnknownSender
from service.play.links import LINK_LIFE, Link, LinkError
from service.play.site import Site, Transaction
from service.store import mail_store
from service.store.models import Match, Player
from service.store.tables.mail_rows import ALONE, IncomingMail, Letter


class ConfirmError(ValueError):
    """An email that cannot be confirmed. The message is one sentence for the person who tries."""


@dataclass(frozen=True, slots=True)
class Held:
    """A held email, as shown to its supposed writer."""

    text: str
    sender: str
    received: datetime
    about: str
    """The match it is a reply about, such as `Rosette 12`; "" if it is about none."""
    network: str | None
    """The network it came from, which can be confirmed too: "" if unknown, None if it wouldn't help."""
    changed: bool
    """Whether another email came before under its Message-ID."""


def held(site: Site, token: str) -> Held | None:
    """The email that a link is about, None once it is confirmed; raises ConfirmError."""
    with site.store.reading() as session:
        question, mail = _asked(site, session, token)
        if mail.verdict != "held":
            return None
        inbound = quoting.read_reply(site, session, mail_store.text_of(site.settings, mail), mail.recipient)
        meant = reply_address.read(site.settings.secret, mail.recipient)
        match = session.get(Match, meant.match) if meant else None
        about = f"{GAMES[match.game].title} {match.id}" if match else ""
        network = _confirmable_network(session, mail, inbound)
        words = inbound.words(with_subject=meant is None)
        asked = readable(question)
        changed = isinstance(asked, Confirm) and asked.changed
        return Held(words, inbound.sender, mail.received, about, network, changed)


def confirm(site: Site, token: str, *, with_network: bool = False) -> None:
    """Releases a held email; raises ConfirmError. A second call changes nothing. An order counts from when it arrived,
    unless its player could choose among several replies about that turn; everything else counts from now.
    With `with_network`, later replies from the network that it came from are accepted too."""
    with site.transaction() as tx:
        question, mail = _asked(site, tx.session, token)
        if mail.verdict != "held":
            return
        inbound = quoting.read_reply(site, tx.session, mail_store.text_of(site.settings, mail), mail.recipient)
        player = tx.session.get_one(Player, mail.player_id)
        # The link came to the player's own address.
        player.confirmed = player.confirmed or tx.now
        if with_network and _confirmable_network(tx.session, mail, inbound):
            mail_networks.confirm(tx.session, player, mail)
        meant = reply_address.read(site.settings.secret, mail.recipient)
        if not _is_only_reply(tx, mail, meant):
            mail.received = tx.now
        act(tx, mail, inbound, meant)
        if mail.verdict == "commands":
            mail.received = tx.now
        unknown_senders.ask_about_more(tx, question)


def _is_only_reply(tx: Transaction, mail: IncomingMail, meant: ReplyAddress | None) -> bool:
    """Whether this is a reply, and no other one about the same turn waits to be confirmed."""
    if meant is None:
        return False
    since = tx.now - LINK_LIFE
    asked = (Letter.player_id == mail.player_id, ALONE, Letter.kind == ConfirmReply.kind, Letter.created > since)
    questions = map(readable, tx.session.scalars(select(Letter).where(*asked)))
    numbers = {one.mail for one in questions if isinstance(one, Confirm)} - {mail.id}
    held = select(IncomingMail.recipient).where(IncomingMail.id.in_(numbers), IncomingMail.verdict == "held")
    others = (reply_address.read(tx.site.settings.secret, recipient) for recipient in tx.session.scalars(held))
    return all(other is None or (other.match, other.round) != (meant.match, meant.round) for other in others)


def _confirmable_network(session: Session, mail: IncomingMail, inbound: Inbound) -> str | None:
    player = session.get(Player, mail.player_id)
    if player is None or player.email != inbound.sender or mail_networks.is_confirmed(session, player, mail.network):
        return None
    return mail.network


def _asked(site: Site, session: Session, token: str) -> tuple[Letter, IncomingMail]:
    """The question that a link is in, and the mail it is about; raises ConfirmError."""
    try:
        meant = Link.CONFIRM_MAIL.read(site, token)
    except LinkError as error:
        raise ConfirmError("This link is incomplete. Copy all of it from the email.") from error
    # Links sent before addresses were in them are valid for three days.
    key, *address = [meant] if isinstance(meant, str) else meant
    asked = select(Letter, Player.email).join(Player, Player.id == Letter.player_id).where(Letter.key == key)
    letter, own = session.execute(asked).first() or (None, None)
    question = readable(letter)
    mail_id = question.mail if isinstance(question, Confirm | UnknownSender) else 0
    mail = session.get(IncomingMail, mail_id, with_for_update=True)
    if letter is None or mail is None:
        raise ConfirmError("We no longer have this email. Nothing was played; please send it again.")
    if mail.verdict == "held" and site.now() > mail.received + LINK_LIFE:
        raise ConfirmError("This link has expired. Nothing was played; please send your email again.")
    if mail.verdict == "held" and address not in ([], [reply_address.mark(own or "")]):
        raise ConfirmError("This link was sent to an address that's no longer yours. Please send your email again.")
    return letter, mail
