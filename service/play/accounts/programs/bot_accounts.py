"""Bot accounts: players whose moves a program makes, each owned by the person who answers for it.

Everybody sees what they are, because it is part of their name.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import func, select

from service.play import bans, names
from service.play.accounts import account_events, deletion, display_names
from service.play.accounts.display_names import BOT_MARK, AccountError
from service.play.site import Site, Transaction, transactional
from service.store.models import Player

MOST = 5
"""How many bot accounts a person may own."""


@transactional
def make(tx: Transaction, owner_id: int, name: str) -> Player:
    """A new bot account with the requested name and the mark of bots; raises AccountError.

    The same name again from the same owner is the same account, for which a banned owner may still need a token.
    """
    owner = tx.session.get_one(Player, owner_id, with_for_update=True)
    if owner.is_guest or owner.is_bot:
        raise AccountError("Only a person with an account can own bots.")
    wanted = display_names.bot_name(name)
    own = select(Player).where(Player.owner_id == owner_id, Player.left.is_(None))
    key = names.key(wanted)
    if (known := tx.session.scalars(own.where(Player.name_key == key)).first()) is not None:
        return known
    bans.refuse_banned(tx, owner_id, AccountError)
    if (tx.session.scalar(select(func.count()).select_from(own.subquery())) or 0) >= MOST:
        raise AccountError(f"You can own up to {MOST} bots. Delete one that you no longer need.")
    bot = Player(name="", created=tx.now, owner_id=owner_id, post="off")
    tx.session.add(bot)
    tx.session.flush()
    display_names.take(tx.session, bot, wanted)
    account_events.changed("bot-made", owner_id)
    return bot


def of(site: Site, owner_id: int) -> Sequence[Player]:
    """The bots that somebody owns, by name."""
    own = select(Player).where(Player.owner_id == owner_id, Player.left.is_(None))
    with site.store.reading() as session:
        return session.scalars(own.order_by(Player.name)).all()


def owned(site: Site, owner_id: int, bot_id: int) -> Player | None:
    """A bot, if this person owns it."""
    return next((bot for bot in of(site, owner_id) if bot.id == bot_id), None)


def holder(site: Site, owner: Player, bot_id: int) -> Player:
    """Who a form is for: the owner if `bot_id` is 0, otherwise this bot. Raises AccountError if the owner has no
    such bot, as after its deletion in another tab."""
    if (found := owned(site, owner.id, bot_id) if bot_id else owner) is None:
        raise AccountError("You no longer have this bot. Choose again.")
    return found


def end(site: Site, owner_id: int, bot_id: int) -> None:
    """Deletes a bot at once, if this person owns it: it resigns its matches."""
    if owned(site, owner_id, bot_id) is not None:
        deletion.leave(site, bot_id)
        account_events.changed("bot-deleted", owner_id)


__all__ = ["BOT_MARK", "MOST", "end", "holder", "make", "of", "owned"]
