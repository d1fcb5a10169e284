"""What operators do about players: ban them, sign them out, rename them. The log has a line for each act."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from sqlalchemy import select

from service.play import audit, bans
from service.play.accounts import account_events, display_names, sessions
from service.play.company import events, wishes
from service.play.company.events import EventError
from service.play.letter_kinds import Account
from service.play.site import Site, Transaction
from service.store.models import Player
from service.store.tables.credentials import Passkey
from service.store.tables.events import Entrant
from service.store.tables.operators import Ban

LONGEST_REASON = 400


class ActError(ValueError):
    """Something that an operator can't do. The message is one sentence for them."""


def ban(site: Site, operator_id: int, player_id: int, reason: str, days: int | None) -> None:
    """Bans a player from beginning, joining and writing anything for `days`, or until the ban is lifted; raises
    ActError.

    Their wish ends, they leave the events they play in, and what they or their bots have opened is withdrawn unless it
    has begun. They get an email with the reason, or the owner of a bot that is banned alone does.
    """
    reason = _reason(reason)
    with site.transaction() as tx:
        wishes.lock_opened(tx, player_id)  # Matches are locked before players, as everywhere.
        player = _person(tx, player_id)
        if player.email in site.settings.operators:
            raise ActError("An operator can't be banned. Take their address out of OPERATORS first.")
        until = None if days is None else tx.now + timedelta(days=days)
        row = tx.session.get(Ban, player_id) or Ban(player_id=player_id)
        lasts = None if row.until is None else row.until - row.made
        if row.reason == reason and lasts == (until and until - tx.now) and (row.until is None or tx.now < row.until):
            return  # The form was sent twice.
        row.made, row.until, row.reason = tx.now, until, reason
        tx.session.add(row)
        _take_out(tx, player_id)
        _tell(tx, player, Account(event="banned" if player.owner_id is None else "bot-banned", name=reason, due=until))
        audit.note(tx, operator_id, "banned", "player", player_id, reason)


def _tell(tx: Transaction, player: Player, told: Account) -> None:
    """Sends a player an email about their account, or the owner of a bot one about that. Some have no address."""
    reader = player if player.owner_id is None else tx.session.get_one(Player, player.owner_id)
    if reader.email is not None:
        account_events.tell(tx, reader.id, replace(told, holder=player.name))


def _take_out(tx: Transaction, player_id: int) -> None:
    """Ends what a player waits for, and what their bots do, which have no wishes and play in no events."""
    wishes.stop_looking(tx, player_id)
    playing = select(Entrant.event_id).where(Entrant.player_id == player_id)
    for event_id in tx.session.scalars(playing.order_by(Entrant.event_id)).all():
        try:
            with tx.savepoint():
                events.withdraw(tx, event_id, player_id)
        except EventError:
            continue  # They've left it already.


def lift(site: Site, operator_id: int, player_id: int) -> None:
    """Lifts a player's ban, and informs them by email. Repeating it changes nothing.

    For a bot, only its own ban is lifted, and not that of its owner.
    """
    with site.transaction() as tx:
        player = tx.session.get(Player, player_id, with_for_update=True)
        rows = [] if player is None else bans.own(site, tx.session, player)
        if player is None or not rows:
            return
        for row in rows:
            tx.session.delete(row)
        _tell(tx, player, Account(event="ban-lifted" if player.owner_id is None else "bot-ban-lifted"))
        audit.note(tx, operator_id, "ban-lifted", "player", player_id)


def sign_out(site: Site, operator_id: int, player_id: int) -> None:
    """Signs a player out everywhere."""
    with site.transaction() as tx:
        _person(tx, player_id)
        sessions.end_all(tx, player_id)
        audit.note(tx, operator_id, "signed-out", "player", player_id)


def rename(site: Site, operator_id: int, player_id: int, reason: str) -> None:
    """Replaces a name that nobody should have to read; raises ActError. Its player can choose another one."""
    reason = _reason(reason)
    with site.transaction() as tx:
        player = _person(tx, player_id)
        former = player.name
        display_names.take(tx.session, player, player.number_name)
        audit.note(tx, operator_id, "renamed", "player", player_id, f"{former}: {reason}")


def confirm_passkey(site: Site, passkey_id: int) -> str:
    """Lets a passkey open the operators' pages, and returns its player's name; raises ActError. Repeating it changes
    nothing."""
    with site.transaction() as tx:
        found = tx.session.get(Passkey, passkey_id, with_for_update=True)
        if found is None:
            raise ActError(f"There's no passkey {passkey_id}.")
        player = tx.session.get_one(Player, found.player_id)
        if player.email not in site.settings.operators:
            raise ActError(f"Passkey {passkey_id} belongs to {player.name}, whose address isn't in OPERATORS.")
        if found.operates is None:
            found.operates = tx.now
            audit.note(tx, None, "passkey-confirmed", "passkey", passkey_id, f"{player.name}: {found.name}")
        return player.name


def _reason(reason: str) -> str:
    reason = " ".join(reason.replace("\0", "").split())
    if not reason:
        raise ActError("Write a reason.")
    if len(reason) > LONGEST_REASON:
        raise ActError(f"A reason can have up to {LONGEST_REASON} characters; this one has {len(reason)}.")
    return reason


def _person(tx: Transaction, player_id: int) -> Player:
    # The sweep locks wishes and events and then seats their players, so it may need the key of one locked here.
    player = tx.session.get(Player, player_id, with_for_update={"key_share": True})
    if player is None or player.bot or player.left is not None:
        raise ActError("There's no such player, or they have left.")
    return player


def banned_until(site: Site, player_id: int) -> tuple[datetime | None, str] | None:
    """When a player's ban ends (None: when it's lifted) and its reason; None if there is none."""
    with site.store.reading() as session:
        row = bans.of(site, session, player_id)
    return (row.until, row.reason) if bans.holds(row, site.now()) else None
