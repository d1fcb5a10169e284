"""Playing without an account: a guest is a player without an address, bound to one browser until a player claims it."""

from __future__ import annotations

import secrets

from sqlalchemy import delete, func, or_, select, update
from sqlalchemy.orm import Session

from service.play.accounts import sessions
from service.play.site import Site
from service.play.table import results, teams
from service.store.entries import pack, unpack
from service.store.models import Match, Player
from service.store.rows import Row
from service.store.tables.credentials import Visit
from service.store.tables.operators import Ban
from service.store.tables.player_data import Block, Note, Variation


def enter(site: Site, key: str, device: str) -> Player:
    """The guest of the browser known by this key: a new one, unless a button pressed twice has made one already."""
    now = site.now()
    with site.transaction() as tx:
        # A random number: a consecutive one would show how many guests there are.
        guest = Player(name=f"Guest {10_000 + secrets.randbelow(90_000)}", created=now)
        tx.session.add(guest)
        tx.session.flush()
        if sessions.enter(tx.session, key, guest.id, device, now):
            return guest
        tx.session.delete(guest)
        return tx.session.scalars(select(Player).join(Visit).where(Visit.key == sessions.stored(key))).one()


def matches(site: Site, guest_id: int) -> int:
    """How many matches a guest has; none once a player has claimed them."""
    with site.store.reading() as session:
        guest = session.get(Player, guest_id)
        if guest is None or not guest.is_guest:
            return 0
        return session.scalar(select(func.count()).select_from(teams.matches_of([guest_id]).subquery())) or 0


def claim(session: Session, guest_id: int, player_id: int) -> None:
    """Gives all that a guest has to a player. A second call, or one that names no guest, changes nothing."""
    # Matches are locked before players, as everywhere.
    own = select(Match.id).where(Match.id.in_(teams.matches_of([guest_id]))).order_by(Match.id)
    session.execute(own.with_for_update(key_share=True)).all()
    guest = session.get(Player, guest_id, with_for_update=True)
    if guest is None or not guest.is_guest or guest_id == player_id:
        return
    # A link can be followed in another browser than the guest's, so this doesn't sign in there.
    session.execute(delete(Visit).where(Visit.player_id == guest_id))
    session.execute(update(Match).where(Match.creator_id == guest_id).values(practice=False))
    _rename_packed(session, guest_id, player_id)
    _join_notes(session, guest_id, player_id)
    _join_variations(session, guest_id, player_id)
    _keep_longest_ban(session, guest_id, player_id)
    _join_blocks(session, guest_id, player_id)
    results.hand_over(session, guest_id, player_id)
    for table in Row.metadata.sorted_tables:
        for column in table.columns:
            if column.references(Row.metadata.tables["player"].c.id):
                session.execute(update(table).where(column == guest_id).values({column: player_id}))
    # The latest row stays: SQLite would give its number to the next player, and addresses of feeds and links name it.
    latest = select(func.max(Player.id)).scalar_subquery()
    session.execute(delete(Player).where(Player.id == guest_id, Player.id != latest))


def _rename_packed(session: Session, guest_id: int, player_id: int) -> None:
    """Makes a player the author of what a guest has played in teams: packed logs name authors too."""
    packed = Match.id.in_(teams.matches_of([guest_id])), Match.log.is_not(None), Match.teams
    for match in session.scalars(select(Match).where(*packed)):
        assert match.log is not None, "Only packed matches are found."
        match.log = pack([one._replace(by=player_id) if one.by == guest_id else one for one in unpack(match.log)])


def _join_notes(session: Session, guest_id: int, player_id: int) -> None:
    """Adds what a guest has noted to the notes that a player has on the same matches."""
    for theirs in session.scalars(select(Note).where(Note.player_id == guest_id)).all():
        own = session.get(Note, (player_id, theirs.match_id))
        if own is not None:
            own.text = f"{own.text}\n\n{theirs.text}"
            session.delete(theirs)
    session.flush()


def _join_variations(session: Session, guest_id: int, player_id: int) -> None:
    """Joins the moves that a guest and a player have both tried from a position, with what was tried after them."""
    both = (guest_id, player_id)
    places = (select(Variation.match_id).where(Variation.player_id == one) for one in both)
    tried = select(Variation).where(Variation.player_id.in_(both), *(Variation.match_id.in_(own) for own in places))
    kept: dict[tuple[int, int, int | None, int, str], Variation] = {}
    # A move is always tried after the one it follows.
    for one in session.scalars(tried.order_by(Variation.id)).all():
        same = kept.setdefault((one.match_id, one.ply, one.parent_id, one.seat, one.move), one)
        if same is not one:
            session.execute(update(Variation).where(Variation.parent_id == one.id).values(parent_id=same.id))
            session.delete(one)
            session.flush()


def _join_blocks(session: Session, guest_id: int, player_id: int) -> None:
    """Removes the blocks of a guest by those who have blocked the player too, and by the player."""
    both = select(Block.player_id).where(Block.other_id == player_id)
    twice = or_(Block.player_id.in_(both), Block.player_id == player_id)
    session.execute(delete(Block).where(Block.other_id == guest_id, twice))


def _keep_longest_ban(session: Session, guest_id: int, player_id: int) -> None:
    """Removes the shorter one of the bans of a guest and a player, if both have one."""
    both = select(Ban).where(Ban.player_id.in_((guest_id, player_id)))
    for shorter in session.scalars(both.order_by(Ban.until.is_not(None), Ban.until.desc())).all()[1:]:
        session.delete(shorter)
    session.flush()
