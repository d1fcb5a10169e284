"""Incoming mail: stored before it is acknowledged, and an order only if address and sender agree."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256

from sqlalchemy import bindparam, select, update
from sqlalchemy.orm import Session
from sqlalchemy.orm.attributes import set_committed_value

from service.config import Settings
from service.games import GAMES
from service.mail import reply_address
from service.mail.grammar import command_lines, orders
from service.mail.grammar.orders import Order
from service.mail.grammar.reading import Reading, before_the_board, plainly
from service.mail.parsing.read import Inbound, read
from service.mail.reply_address import ANSWERS, Purpose, ReplyAddress
from service.mail.senders import authentication, sending_network
from service.mail.senders.authentication import Proof
from service.play import dns
from service.play.accounts import identity
from service.play.inbox import mail_networks, quoting, unknown_senders, unreadable
from service.play.letter_kinds import Confirm, ConfirmReply
from service.play.links import mark
from service.play.notify import bounces
from service.play.notify.announce import owe
from service.play.orders import questions
from service.play.orders.submit import Incoming, submit
from service.play.site import Site, Transaction
from service.play.table import press
from service.store import mail_store
from service.store.insert import insert_once
from service.store.models import Match, Player
from service.store.rows import Row
from service.store.tables.mail_rows import IncomingMail

REPORTS = ("postmaster", "abuse")
"""Where providers send the complaints of their users (RFC 2142)."""

ENOUGH = 65_536
"""How many bytes are stored of an email that has no effect. Anybody can send those."""

_LONGEST_KEY = 400
_OFFERS = {Purpose.TAKEBACK: "takeback", Purpose.PAUSE: "pause", Purpose.RESUME: "resume play", Purpose.DRAW: "draw"}
_WITHOUT_MATCH = (Purpose.LESSON, Purpose.OPENINGS, Purpose.EVENT, Purpose.GAZETTE)
"""Replies to these are about no match."""

_REPLIES = (
    *(Purpose.ORDER, Purpose.INVITATION, Purpose.CONFIRMATION, Purpose.RESULT, Purpose.ASKED),
    *_WITHOUT_MATCH,
    *ANSWERS,
    *_OFFERS,
)


def receive(site: Site, raw: bytes, recipients: Iterable[str], door: str, peer: str = "") -> None:
    """Stores a message for each of its recipients; it is committed when this returns. A copy changes nothing. `peer` is
    the address of the host that delivered it, "" if unknown."""
    inbound = read(raw)
    # Of several copies of an order, the one that says which turn it is for comes first.
    ours = sorted(map(_kept_as, recipients), key=lambda recipient: is_desk(site.settings, recipient))
    proof = _proof(site, raw, inbound, peer, ours)
    network = sending_network.of(raw, peer, site.settings.trusted_authserv_id)
    with site.transaction() as tx:
        for recipient in ours:
            mail = _receive(tx, raw, inbound, recipient, door, _is_enough(site.settings, proof, recipient), network)
            if mail is not None:
                tx.note("mail", door=door, verdict=mail.verdict, player=mail.player_id)


def _kept_as(recipient: str) -> str:
    """The address in lower case, without characters that no database stores, such as null and invalid ones."""
    return "".join(filter(str.isprintable, recipient)).strip().lower()[:320]


def receive_unaddressed(site: Site, raw: bytes, door: str) -> None:
    """`receive` for a message whose envelope is not known. A message for nobody here isn't stored."""
    if recipients := _recipients(site, read(raw)):
        receive(site, raw, recipients, door)


def _recipients(site: Site, inbound: Inbound) -> tuple[str, ...]:
    """Which of our addresses a message was sent to, by its headers.

    A signed address comes before the desk, because the desk's mailbox may have the same name. Of the addresses recorded
    by mail servers on delivery, only the last counts, because each recipient gets a copy. Without such a record, all
    addresses named by the writer count, because some servers deliver one copy for all. Headers can be forged, and so
    can an envelope. A match is protected because only an address we signed has any effect, and only for its proven
    owner.
    """
    secret = site.settings.secret
    for named, most in ((inbound.delivered, 1), (inbound.recipients, None)):
        if signed := [known for known in named if reply_address.read(secret, known)]:
            return tuple(signed[:most])
    reports = () if site.settings.shares_domain else REPORTS
    ours = {site.settings.desk, *(f"{name}@{site.settings.mail_domain.lower()}" for name in reports)}
    return tuple(known for known in (*inbound.delivered, *inbound.recipients) if known in ours)[:1]


def _proof(site: Site, raw: bytes, inbound: Inbound, peer: str, recipients: Iterable[str]) -> Proof | None:
    """The proof of who wrote this, if it matters. This may query the DNS, so it happens before any transaction."""
    settings = site.settings
    if is_automatic(settings, inbound) or all(_is_enough(settings, None, recipient) for recipient in recipients):
        return None
    look_up = dns.bounded(site.look_up)
    return authentication.proof(raw, inbound.sender, peer, site.now(), look_up, settings.trusted_authserv_id)


def _is_enough(settings: Settings, proof: Proof | None, recipient: str) -> bool:
    """Whether From can be believed in an email for this address: with `token`, a signed address is proof by itself."""
    by_address = settings.mail_trust == "token" and not is_desk(settings, recipient)
    return by_address or (proof is not None and proof.covers(recipient))


def why_unknown(site: Site, recipient: str) -> str:
    """Why mail for this address is refused, in one ASCII sentence for its sender; "" if it's accepted."""
    local_part = recipient.partition("@")[0].lower()
    if local_part in (*REPORTS, site.settings.mail_desk) or reply_address.read(site.settings.secret, recipient):
        return ""
    return "No such address here; reply to an email you got from us, without changing the address it goes to"


def _receive(
    tx: Transaction, raw: bytes, inbound: Inbound, recipient: str, door: str, proven: bool, network: str
) -> IncomingMail | None:
    """The row to store for a message; None for a copy of a stored one."""
    row = {"verdict": "", "recipient": recipient, "raw": raw, "received": tx.now, "door": door, "network": network}
    key = _key(inbound, recipient)
    mail = insert_once(tx.session, IncomingMail, key=key, **row)
    kept = None if mail else tx.session.scalars(select(IncomingMail).filter_by(key=key)).one()
    if kept is not None and _says_something_else(tx.site.settings, kept, inbound):
        # A genuine mail may have been altered where its signature does not reach: its owner is asked.
        row["network"] = ""
        mail = insert_once(tx.session, IncomingMail, key=_key(inbound, recipient, inbound.flowing), **row)
        proven = False
    if mail is None:
        return None
    tx.follow(None, mail.id)
    _sort(tx, mail, raw, inbound, proven, altered=kept is not None)
    return mail


def _sort(tx: Transaction, mail: IncomingMail, raw: bytes, inbound: Inbound, proven: bool, altered: bool) -> None:
    """Classifies a message, finds its player, and passes it on."""
    recipient = mail.recipient
    meant = reply_address.read(tx.site.settings.secret, recipient)
    if is_report(meant, recipient):
        mail.verdict, mail.raw = bounces.returned(tx, raw, meant), raw[:ENOUGH]
        return
    if why := _why_nothing(tx.site.settings, inbound, mail, meant):
        mail.verdict, mail.raw = why, raw[:ENOUGH]
        return
    writer, game = _writer(tx.session, inbound, mail, meant, proven)
    if meant is None and not proven and (writer is None or writer.confirmed is None):
        unknown_senders.ask(tx, mail, inbound)
        return
    if writer is None:
        mail.verdict = "unverified"
        return
    set_committed_value(mail, "player_id", writer.id)
    inbound = quoting.without_ours(tx.site, tx.session, raw, inbound, recipient)
    found = _read(tx.session, game, meant, inbound)
    is_commands = _is_commands(meant, found)
    if is_commands and _is_repeated(tx.site, tx.session, mail, inbound, writer):
        _settle(tx.session, mail, "repeated")
        return
    # Whether this is an order, a message or a try in a lesson.
    is_usual = not proven and (is_said(meant, inbound) or is_tried(meant, inbound) or not is_commands)
    proven = proven or (is_usual and mail_networks.is_confirmed(tx.session, writer, mail.network))
    if writer.email != inbound.sender or not proven:
        _settle(tx.session, mail, "held")
        owe(tx, f"confirm:{mark(mail)}", writer.id, (ConfirmReply if meant else Confirm)(mail=mail.id, changed=altered))
        return
    if writer.bounced or not writer.confirmed:
        writer.bounced, writer.confirmed = None, writer.confirmed or mail.received
    if inbound.unread and not (meant is None and command_lines.line(inbound.subject).command):
        _settle(tx.session, mail, "unreadable")
        unreadable.tell(tx, mail, inbound, meant)
        return
    _act(tx, mail, inbound, meant, found)


def _settle(session: Session, mail: IncomingMail, verdict: str) -> None:
    """Records an email's verdict and player. The session's own update would take three times as long."""
    session.connection().execute(_SETTLE, {"mail": mail.id, "verdict": verdict, "player_id": mail.player_id})
    set_committed_value(mail, "verdict", verdict)


_SETTLE = update(Row.metadata.tables["incoming_mail"]).where(IncomingMail.id == bindparam("mail"))


def _key(inbound: Inbound, recipient: str, words: str = "") -> str:
    """A key that all copies of an email share; `words` are given if another email has the same Message-ID."""
    key = f"mail:{inbound.message_id}:{recipient}" + (f":{sha256(words.encode()).hexdigest()[:32]}" if words else "")
    return key if len(key) <= _LONGEST_KEY else f"mail:{sha256(key.encode()).hexdigest()}"


def _says_something_else(settings: Settings, kept: IncomingMail, inbound: Inbound) -> bool:
    """Whether an email differs from the one stored under its Message-ID; False if the stored text was deleted."""
    return kept.kept and read(mail_store.text_of(settings, kept)).flowing != inbound.flowing


def is_report(meant: ReplyAddress | None, recipient: str) -> bool:
    """Whether this is an address for reports: the return path of a letter, or where complaints are sent."""
    if meant is not None:
        return meant.purpose == Purpose.BOUNCE
    return recipient.partition("@")[0] in REPORTS


def is_desk(settings: Settings, recipient: str) -> bool:
    """Whether this is the address for emails that don't answer one we sent."""
    return recipient == settings.desk


def is_automatic(settings: Settings, inbound: Inbound) -> bool:
    """Whether a program wrote this, or we did."""
    mailbox, _, domain = inbound.sender.rpartition("@")
    ours = not settings.shares_domain or mailbox.partition("+")[0] == settings.mail_desk
    return inbound.is_automatic or (ours and domain == settings.mail_domain.lower())


def _why_nothing(settings: Settings, inbound: Inbound, mail: IncomingMail, meant: ReplyAddress | None) -> str:
    """The verdict on an email that can have no effect; "" for all others."""
    if not (meant.purpose in _REPLIES if meant else is_desk(settings, mail.recipient)):
        return "unknown-address"
    return "automatic" if is_automatic(settings, inbound) else ""


def _writer(
    session: Session, inbound: Inbound, mail: IncomingMail, meant: ReplyAddress | None, proven: bool
) -> tuple[Player | None, str | None]:
    """The player whose mail this is if it is genuine, and the game of the match it is about. A reply address belongs to
    a player; mail to the desk belongs to its sender. An unknown sender becomes a player only if `proven`."""
    if meant is not None:
        found = session.execute(_MEANT, {"player": meant.player, "match": meant.match}).first()
        return (None, None) if found is None else (found[0], found[1])
    if not proven:
        return session.scalars(select(Player).where(Player.email == inbound.sender)).first(), None
    try:
        return identity.by_email(session, inbound.sender, mail.received), None
    except identity.AccountError:
        return None, None


_GAME = select(Match.game).where(Match.id == bindparam("match"))
_MEANT = select(Player, _GAME.scalar_subquery()).where(Player.id == bindparam("player"))


def _is_repeated(site: Site, session: Session, mail: IncomingMail, inbound: Inbound, writer: Player) -> bool:
    """Whether another of our addresses got the same message and acts on it."""
    others = {known for known in inbound.recipients if known != mail.recipient and not why_unknown(site, known)}
    if not others:
        return False
    session.refresh(writer, with_for_update=True)  # Its copies may be coming in at this very moment.
    keys = [_key(inbound, known) for known in others]
    acted = ("commands", "obeyed", "held", *(("order",) if is_desk(site.settings, mail.recipient) else ()))
    obeyed = (IncomingMail.player_id == writer.id, IncomingMail.verdict.in_(acted))
    twins = session.scalars(select(IncomingMail).where(IncomingMail.key.in_(keys), *obeyed))
    return any(not _says_something_else(site.settings, twin, inbound) for twin in twins)


def _is_commands(meant: ReplyAddress | None, found: Reading | None) -> bool:
    """Whether there is more to do than pass one order to a match; `found` is the result of `_read`."""
    if meant is None or found is None or meant.purpose in _WITHOUT_MATCH:
        return True
    return meant.purpose not in ANSWERS and not found.is_plain


def is_said(meant: ReplyAddress | None, inbound: Inbound) -> bool:
    """Whether this is for others to read: the answer to a message, or a reply to a result that isn't a command."""
    if meant is None or meant.purpose not in (*ANSWERS, Purpose.RESULT):
        return False
    first = "" if meant.purpose in ANSWERS else _first(inbound)
    return not (command_lines.asks(first) or isinstance(orders.parse(first), orders.Rematch | orders.Review))


def is_tried(meant: ReplyAddress | None, inbound: Inbound) -> bool:
    """Whether this is a try in a lesson: a reply to one of its steps, or to a problem, that is no command."""
    if meant is None or meant.purpose not in (Purpose.LESSON, Purpose.GAZETTE):
        return False
    first = _first(inbound)
    joins = meant.purpose == Purpose.GAZETTE and orders.accepts_opening(first) is not None
    return not (joins or command_lines.asks(first))


def _first(inbound: Inbound) -> str:
    """The first line below a greeting."""
    found = before_the_board((), "", inbound.text)
    return found.lines[0].text if found.lines else ""


def _read(session: Session, game: str | None, meant: ReplyAddress | None, inbound: Inbound) -> Reading | None:
    """What a reply says, as far as that's clear without the position; None if it isn't a reply."""
    games = [GAMES[game]] if game else []
    return None if meant is None else questions.completed(session, meant, before_the_board(games, "", inbound.text))


def answering(meant: ReplyAddress, text: str) -> Order:
    """The order in a text, completed with what it obviously answers."""
    order = orders.parse(text)
    plain = isinstance(order, orders.Accept | orders.Decline)
    if meant.purpose not in _OFFERS or (meant.purpose == Purpose.DRAW and not plain):
        return order  # A yes isn't enough to end a match.
    for verb, is_meant in (("accept", orders.accepts_invitation), ("decline", orders.declines_invitation)):
        order = orders.parse(f"{verb} {_OFFERS[meant.purpose]}") if is_meant(order) else order
    is_pause = isinstance(order, orders.Accept) and order.what == "pause" and not order.until
    return orders.parse(f"accept {meant.pause}") if is_pause else order


def act(tx: Transaction, mail: IncomingMail, inbound: Inbound, meant: ReplyAddress | None) -> None:
    """Passes an accepted email on: an order to the match, commands and messages to the code that runs them."""
    game = None if meant is None else tx.session.scalar(_GAME, {"match": meant.match})
    _act(tx, mail, inbound, meant, _read(tx.session, game, meant, inbound))


def _act(
    tx: Transaction, mail: IncomingMail, inbound: Inbound, meant: ReplyAddress | None, found: Reading | None
) -> None:
    if meant is None or found is None or is_said(meant, inbound) or _is_commands(meant, found):
        _settle(tx.session, mail, "commands")
        tx.nudge("obey", mail.id)
        return
    take_order(tx, mail, meant, found)


def take_order(tx: Transaction, mail: IncomingMail, meant: ReplyAddress, found: Reading) -> None:
    """Hands the one order of a reply to its match, with the remark below it."""
    order = answering(meant, plainly(found.lines[0].text) if found.lines else "")
    _keep(tx, mail, meant, order, found.remark, questions.round_meant(tx, meant))


def _keep(
    tx: Transaction, mail: IncomingMail, meant: ReplyAddress, order: Order, remark: str, round_: int | None
) -> None:
    _settle(tx.session, mail, "order")
    incoming = Incoming(
        key=mail.key,
        match_id=meant.match,
        seat=meant.seat,
        player_id=meant.player,
        round=round_,
        order=order,
        remark="" if press.signs(tx.session.get_one(Player, meant.player), remark) else remark,
        door="mail",
        mail_id=mail.id,
        may_undo=True,
    )
    submit(tx, incoming, mail.received)
