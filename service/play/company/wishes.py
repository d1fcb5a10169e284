"""Standing wishes: how a player sets, changes and ends theirs, and who is looking for which game.

A banned player stops looking altogether: the matches they have opened are withdrawn too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import NamedTuple

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Integer,
    Select,
    and_,
    bindparam,
    delete,
    exists,
    func,
    literal,
    or_,
    select,
)
from sqlalchemy.orm import InstrumentedAttribute, Session

from service.games import GAMES
from service.play import bans
from service.play.company.wish_text import Wanted, WishError
from service.play.match import invitations
from service.play.notify import club
from service.play.site import Site, Transaction, transactional
from service.play.table import blocks
from service.store.models import Match, Player, Seat, TimeOff
from service.store.rows import Instant
from service.store.tables.company import Wish, WishGame, WishMatch
from service.store.tables.ratings import PlayerRating

UNRATED = 1_500
"""The rating of a player without one, where a wish asks for a range."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A player's wish, as shown to them: its running matches, and whether it is paused."""

    wanted: Wanted
    since: datetime
    rests: bool
    matches: tuple[tuple[int, str], ...]
    """The number and the title of each."""

    @property
    def titles(self) -> tuple[str, ...]:
        """The titles of the games."""
        return tuple(GAMES[game].title for game in self.wanted.games)

    @property
    def is_full(self) -> bool:
        """Whether it has as many running matches as it allows."""
        return len(self.matches) >= self.wanted.most


class Seekers(NamedTuple):
    """How many look for a game."""

    game: str
    title: str
    people: int


@transactional
def make(tx: Transaction, player_id: int, wanted: Wanted) -> None:
    """Sets a player's wish, in place of an earlier one; the same again changes nothing. Raises WishError."""
    wanted.check()
    bans.refuse_banned(tx, player_id, WishError)
    # The sweep locks a wish and then seats its player, so it may need the key of one that is locked here.
    player = tx.session.get_one(Player, player_id, with_for_update={"key_share": True})
    if player.is_guest:
        raise WishError("Sign in with your email address first: your opponents may take days to answer.")
    if player.is_bot:
        raise WishError("Only people can look for opponents. A bot can open matches or take open seats instead.")
    wish = tx.session.get(Wish, player_id, with_for_update=True)
    if wish is None:
        wish = Wish(player_id=player_id, made=tx.now, since=tx.now)
        tx.session.add(wish)
    elif wish.rests:
        wish.since = tx.now
    wish.shortest, wish.longest = int(wanted.shortest.total_seconds()), int(wanted.longest.total_seconds())
    wish.most, wish.lowest, wish.highest = wanted.most, wanted.lowest, wanted.highest
    wish.bots, wish.rated, wish.rests = wanted.bots, wanted.rated, False
    tx.session.flush()
    kept = set(tx.session.scalars(select(WishGame.game).where(WishGame.player_id == player_id)))
    gone = delete(WishGame).where(WishGame.player_id == player_id, WishGame.game.not_in(wanted.games))
    tx.session.execute(gone)
    tx.session.add_all(WishGame(game=game, player_id=player_id) for game in wanted.games if game not in kept)
    if not kept:
        club.tell_of_wish(tx, player_id, wanted.games)


@transactional
def end(tx: Transaction, player_id: int) -> bool:
    """Ends a player's wish and returns whether there was one. The matches that it began go on."""
    wish = tx.session.get(Wish, player_id, with_for_update=True)
    tx.session.execute(delete(WishGame).where(WishGame.player_id == player_id))
    if wish is not None:
        tx.session.delete(wish)
    return wish is not None


def lock_opened(tx: Transaction, player_id: int) -> Sequence[tuple[int, int]]:
    """Locks the matches opened by a player or their bots that haven't begun, and returns each with its host."""
    hosts = select(Player.id).where(or_(Player.id == player_id, Player.owner_id == player_id))
    opened = select(Match.id, Match.creator_id).where(Match.state == "open", Match.creator_id.in_(hosts))
    found = tx.session.execute(opened.order_by(Match.id).with_for_update())
    return [(number, host) for number, host in found if host is not None]


def stop_looking(tx: Transaction, player_id: int) -> None:
    """Ends a player's wish, and withdraws what they and their bots have opened, unless it has begun."""
    for number, host in lock_opened(tx, player_id):
        invitations.withdraw(tx, number, host)
    end(tx, player_id)


def of(session: Session, player_id: int) -> Shown | None:
    """A player's wish; None if they have none."""
    wish = session.get(Wish, player_id)
    if wish is None:
        return None
    named = set(session.scalars(select(WishGame.game).where(WishGame.player_id == player_id)))
    running = select(Match.id, Match.game).join(WishMatch, WishMatch.match_id == Match.id)
    running = running.where(WishMatch.player_id == player_id, Match.state == "running").order_by(Match.id)
    wanted = Wanted(
        tuple(game for game in GAMES if game in named),
        timedelta(seconds=wish.shortest),
        timedelta(seconds=wish.longest),
        wish.most,
        wish.lowest,
        wish.highest,
        wish.bots,
        wish.rated,
    )
    matches = tuple((number, f"{GAMES[game].title} {number}") for number, game in session.execute(running))
    return Shown(wanted, wish.since, wish.rests, matches)


def shown(site: Site, player_id: int) -> Shown | None:
    """`of`, in a transaction of its own."""
    with site.store.reading() as session:
        return of(session, player_id)


def on_vacation(player_id: InstrumentedAttribute[int], now: datetime | BindParameter[datetime]) -> ColumnElement[bool]:
    """Whether a player is publicly on vacation, and not in one match only."""
    public = (TimeOff.player_id == player_id, TimeOff.match_id.is_(None))
    return exists().where(*public, TimeOff.begins <= now, TimeOff.ends > now)


def awake(now: datetime | BindParameter[datetime]) -> Select[Wish, str]:
    """The wishes that may begin another match now, one row for each of their games.

    A player on vacation, or whose email bounces as far as others know, or who is leaving, finds nobody until they are
    back. If an email that others mustn't notice woke the wish, they would notice that.
    """
    running = (
        select(func.count())
        .select_from(WishMatch)
        .join(Match, Match.id == WishMatch.match_id)
        .where(WishMatch.player_id == Wish.player_id, Match.state == "running")
        .scalar_subquery()
    )
    away = on_vacation(Wish.player_id, now)
    there = and_(Player.left.is_(None), Player.leaves.is_(None), Player.bounces_known.is_(False))
    return (
        select(Wish, WishGame.game)
        .join(WishGame, WishGame.player_id == Wish.player_id)
        .join(Player, Player.id == Wish.player_id)
        .where(Wish.rests.is_(False), there, ~away, running < Wish.most)
        .order_by(Wish.since, Wish.player_id)
    )


AWAKE = awake(bindparam("now", type_=Instant))
"""`awake`, built once: every sweep and every view of the page runs it."""


def for_viewer(statement: Select[Wish, str], viewer_id: int | BindParameter[int]) -> Select[Wish, str]:
    """Narrows `statement` to the wishes that a player may answer: by others, without a block between the two, with the
    player's rating in range, and not by somebody who already plays that game with them because of a wish."""
    return fitting(statement, viewer_id).where(~blocks.apart(viewer_id, Wish.player_id))


def fitting(statement: Select[Wish, str], viewer_id: int | BindParameter[int]) -> Select[Wish, str]:
    """Narrows `statement` to the wishes of others with the player's rating in range, and not by somebody who already
    plays that game with them because of a wish."""
    # Only one of the two has a WishMatch if the other has answered without a wish. Looking for the players of a match
    # is faster than for the matches of a player.
    players = select(Seat.player_id).where(Seat.match_id == WishMatch.match_id).correlate(WishMatch)
    viewer = viewer_id if isinstance(viewer_id, BindParameter) else literal(viewer_id)
    together = (
        select(WishMatch.match_id)
        .join(Match, Match.id == WishMatch.match_id)
        .where(WishMatch.player_id.in_((viewer, Wish.player_id)), viewer.in_(players), Wish.player_id.in_(players))
        .where(Match.game == WishGame.game, Match.state == "running")
        .exists()
    )
    own = select(PlayerRating.rating).where(PlayerRating.player_id == viewer_id, PlayerRating.game == WishGame.game)
    rating = func.round(func.coalesce(own.scalar_subquery(), UNRATED))  # As players see it.
    fits = and_(or_(Wish.lowest.is_(None), Wish.lowest <= rating), or_(Wish.highest.is_(None), Wish.highest >= rating))
    return statement.where(Wish.player_id != viewer_id, ~together, fits)


def seekers(site: Site, viewer_id: int | None) -> Sequence[Seekers]:
    """Who is looking for which game, as numbers of people; for a player, of those whose range has their rating.

    Players who have blocked this one are counted too: otherwise the difference would reveal them.
    """
    by = {} if viewer_id is None else {"viewer": viewer_id}
    with site.store.reading() as session:
        found = session.execute(_seekers(bool(by)), {"now": site.now(), **by})
        known = {game: people for game, people in found}  # noqa: C416 - rows are no pairs to mypy
    return [Seekers(name, game.title, known[name]) for name, game in GAMES.items() if name in known]


@cache
def _seekers(by_player: bool) -> Select[str, int]:
    """The statement of `seekers`. Built once: the front page runs it, and building it takes longer."""
    found = AWAKE
    if by_player:
        found = fitting(found, bindparam("viewer", type_=Integer))
    return found.with_only_columns(WishGame.game, func.count()).order_by(None).group_by(WishGame.game)
