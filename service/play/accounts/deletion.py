"""Deletes accounts permanently, and says for each table what happens to a player's rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, Literal, NamedTuple

from sqlalchemy import Column, bindparam, delete, select, update
from sqlalchemy.orm import Session

from service.mail.grammar.orders import Resign
from service.play import bans
from service.play.accounts import account_events
from service.play.letter_kinds import Account, Invitation, InvitationDeclined, InvitationWithdrawn
from service.play.notify.announce import tell
from service.play.orders.submit import Incoming, submit
from service.play.site import Site, Transaction, going_on
from service.play.table import teams
from service.store.models import Match, Player, Submission
from service.store.rows import Row
from service.store.tables.company import Wish
from service.store.tables.credentials import AddressChange
from service.store.tables.mail_rows import IncomingMail, Letter, PostedMail

WAIT = timedelta(days=7)
"""How long an account is kept after its player asked to delete it: at least as long as `accounts.OBJECT`, so that an
owner who lost it to a thief can get it back before it is gone. A change of address starts it again."""

AT_ONCE = 100
"""How many accounts one sweep deletes."""

NAME = "A former player"
"""The name shown for a deleted player."""


class Fate(NamedTuple):
    """What happens to the rows that name a player: whether the player may download them, and what is left of them."""

    exported: bool
    leaving: Literal["deleted", "emptied", "stays"]


FATES: Mapping[str, Fate] = {
    "address_change.player_id": Fate(True, "deleted"),
    "appearance.player_id": Fate(False, "deleted"),
    "audit_line.operator_id": Fate(True, "stays"),
    "ban.player_id": Fate(True, "stays"),
    "block.player_id": Fate(True, "deleted"),
    "block.other_id": Fate(False, "deleted"),  # That others have blocked them is for those others to know.
    "comment.player_id": Fate(True, "deleted"),
    "door.player_id": Fate(True, "deleted"),
    "event.founder_id": Fate(True, "stays"),
    "event_entrant.player_id": Fate(True, "stays"),  # Others' standings follow from it.
    "event_seat.player_id": Fate(True, "stays"),
    "followed_event.player_id": Fate(True, "deleted"),
    "followed_player.player_id": Fate(True, "deleted"),
    "followed_player.other_id": Fate(False, "deleted"),  # Who follows somebody is theirs to know.
    "incoming_mail.player_id": Fate(True, "emptied"),
    "letter.player_id": Fate(True, "emptied"),
    "mail_network.player_id": Fate(True, "deleted"),
    "match.creator_id": Fate(True, "stays"),
    "match.importer_id": Fate(True, "stays"),
    "met.player_id": Fate(True, "deleted"),
    "met.other_id": Fate(False, "deleted"),
    "note.player_id": Fate(True, "deleted"),
    "notice.player_id": Fate(True, "deleted"),
    "passkey.player_id": Fate(True, "deleted"),
    "password.player_id": Fate(True, "deleted"),
    "player.owner_id": Fate(True, "stays"),  # The bots of somebody who leaves go with them: see `leave`.
    "player_rating.player_id": Fate(True, "stays"),  # Their last matches end afterwards, and are rated by it.
    "player_result.player_id": Fate(True, "stays"),  # Those count too, and matches before may still be annulled.
    "rated_seat.player_id": Fate(True, "stays"),  # Others' ratings follow from it.
    "repeat.player_id": Fate(False, "deleted"),  # Keys and hashes, of no use to anybody else.
    "report.player_id": Fate(True, "stays"),  # The operator may still have to act on it.
    "report.other_id": Fate(False, "stays"),
    "review.asker_id": Fate(True, "stays"),  # Until it is finished, and for others to read.
    "saying.player_id": Fate(False, "stays"),  # What they said is part of each match.
    "seat.player_id": Fate(True, "stays"),
    "submission.player_id": Fate(True, "emptied"),
    "teammate.player_id": Fate(True, "stays"),
    "time_off.player_id": Fate(True, "stays"),  # The clocks of matches played are computed from it.
    "token.player_id": Fate(True, "deleted"),
    "variation.player_id": Fate(True, "deleted"),
    "visit.player_id": Fate(True, "deleted"),
    "wish.player_id": Fate(True, "deleted"),
    "wish_game.player_id": Fate(True, "deleted"),
    "wish_match.player_id": Fate(True, "deleted"),
}
"""Every column that makes a row a player's. A test fails if one is missing."""


def ask(site: Site, player_id: int) -> None:
    """Has an account deleted after WAIT, and tells its player by email how to keep it. A second call changes
    nothing."""
    with site.transaction() as tx:
        player = tx.session.get_one(Player, player_id, with_for_update=True)
        if player.leaves is not None:
            return
        player.leaves = tx.now + WAIT
        account_events.tell(tx, player_id, Account(event="leaving-asked", due=player.leaves))


def stay(site: Site, player_id: int) -> None:
    """Calls the deletion off. A second call changes nothing."""
    with site.transaction() as tx:
        tx.session.get_one(Player, player_id).leaves = None
    account_events.changed("leaving-called-off", player_id)


def leave_due(site: Site) -> None:
    """Deletes the accounts that are due."""
    with site.store.reading() as session:
        due = session.scalars(_LEAVING, {"now": site.now()}).all()
    for player_id in due:
        with going_on("account", player_id):
            leave(site, player_id, if_due=True)


_LEAVING = select(Player.id).where(Player.leaves <= bindparam("now")).limit(AT_ONCE)


def leave(site: Site, player_id: int, *, if_due: bool = False) -> None:
    """Resigns a player's running matches, withdraws those not begun, and removes who they were. Repeating it changes
    nothing. With `if_due`, nothing happens to a player who has decided to stay meanwhile."""
    now = site.now()
    with site.transaction() as tx:
        # An email is locked before what its commands change. Matches are locked before players, as everywhere.
        tx.session.scalars(_MAILS, {"player": player_id}).all()
        _locked_matches(tx.session, player_id)
        # A change of a wish locks its player's row and then the wish, but the sweep seats players of locked wishes.
        tx.session.get_one(Player, player_id, with_for_update={"key_share": True})
        tx.session.get(Wish, player_id, with_for_update=True)
        player = tx.session.get_one(Player, player_id, with_for_update=True, populate_existing=True)
        is_due = player.leaves is not None and player.leaves <= now
        if player.left is not None or (if_due and not is_due):
            return
        for match in _locked_matches(tx.session, player_id):
            if match.state == "running":
                give_up(tx, match, player_id, f"leave:{match.id}:{player_id}")
            else:
                _call_off(tx, match, player_id)
        bans.keep(tx, player)
        forget(tx.session, player)
        player.left, player.leaves = now, None
        bots = tx.session.scalars(select(Player).where(Player.owner_id == player_id, Player.left.is_(None))).all()
        for bot in bots:
            bot.leaves = now  # If this process dies first, the sweep deletes them.
    for bot in bots:
        leave(site, bot.id)


_MAILS = (
    select(IncomingMail.id)
    .where(IncomingMail.player_id == bindparam("player"))
    .order_by(IncomingMail.id)
    .with_for_update()
)


def _locked_matches(session: Session, player_id: int) -> Sequence[Match]:
    """A player's matches that have begun or may begin, which nobody else changes until this transaction ends."""
    own = (Match.id.in_(teams.matches_of([player_id])), Match.state.in_(("open", "running")))
    return session.scalars(select(Match).where(*own).order_by(Match.id).with_for_update(key_share=True)).all()


def _call_off(tx: Transaction, match: Match, player_id: int) -> None:
    """Cancels a match that hasn't begun, and informs those who had accepted that the invitation was withdrawn or
    declined. Invitations that haven't been sent never are."""
    match.state, match.moved = "declined", tx.now
    unsent = update(Letter).where(Letter.match_id == match.id, Letter.kind == Invitation.kind, Letter.sent.is_(None))
    tx.session.execute(unsent.values(held=False, due=None))
    own = match.place_of(player_id)
    assert own is not None, "Only those who have a place leave."
    news = InvitationWithdrawn() if match.creator_id == player_id else InvitationDeclined(by=own.number)
    tell(tx, f"{news.kind}:{match.id}", (place for place in match.places if place.accepted and place is not own), news)


def give_up(tx: Transaction, match: Match, player_id: int, key: str) -> None:
    """Submits a resignation like any order for each place that a player has, once for each key; the rest of a team
    plays on."""
    for place in match.places:
        if place.player_id == player_id:
            order = (match.id, place.number, player_id, None, Resign("resign"), "web")
            submit(tx, Incoming(f"{key}:{place.label}", *order))


def forget(session: Session, player: Player) -> None:
    """Removes everything that identifies somebody. Moves, remarks and messages at tables stay with the matches."""
    had = select(AddressChange.old).where(AddressChange.player_id == player.id)
    wanted = select(AddressChange.new).where(AddressChange.player_id == player.id)
    addresses = [player.email, *session.scalars(had), *session.scalars(wanted)]
    session.execute(delete(PostedMail).where(PostedMail.recipient.in_(addresses)))
    for column in columns():
        if fate(column).leaving == "deleted":
            session.execute(delete(column.table).where(column == player.id))
    _empty_letters(session, player.id)
    mails = update(IncomingMail).where(IncomingMail.player_id == player.id)
    session.execute(mails.values(raw=b"", kept=False, verdict="forgotten"))
    refused = update(Submission).where(Submission.player_id == player.id, Submission.verdict == "refused")
    session.execute(refused.values(text="", remark="", message=""))
    player.name, player.name_key, player.email, player.zone = NAME, None, None, ""
    player.bounced, player.bounces_known = None, False


def _empty_letters(session: Session, player_id: int) -> None:
    """Deletes letters that aren't about a match. The others stay, to show what was sent when."""
    own = Letter.player_id == player_id
    session.execute(delete(Letter).where(own, Letter.match_id.is_(None)))
    session.execute(update(Letter).where(own, Letter.sent.is_(None)).values(due=None))
    session.execute(update(Letter).where(own).values(error=""))


def columns() -> list[Column[Any]]:
    """Every column that names a player."""
    player = Row.metadata.tables["player"].c.id
    return [column for table in Row.metadata.sorted_tables for column in table.columns if column.references(player)]


def fate(column: Column[Any]) -> Fate:
    return FATES[f"{column.table.name}.{column.name}"]
