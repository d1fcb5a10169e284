"""Matches from wishes: the sweep pairs players whose wishes agree, and after a day gives a computer opponent to those
who have found nobody. Each match begins in its own transaction, which locks and rereads the wishes, so that two sweeps
at once, or one that is repeated after a crash, begin it once."""

from __future__ import annotations

import secrets
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import combinations

from sqlalchemy import and_, delete, select
from sqlalchemy.orm import Session

from service.bots.roster import OPPONENTS
from service.clock.duration import write_amount
from service.games import GAMES
from service.play import bans
from service.play.company.wishes import AWAKE, UNRATED, awake, for_viewer
from service.play.match import lobby
from service.play.match.invitations import LobbyError
from service.play.match.lobby import Chair, Proposal
from service.play.site import Site, Transaction, going_on, transactional
from service.store.entries import timed_out
from service.store.insert import insert_once
from service.store.models import Match, Player, Seat
from service.store.tables.company import Met, Wish, WishGame, WishMatch
from service.store.tables.player_data import Block
from service.store.tables.ratings import PlayerRating

PATIENCE = timedelta(days=1)
"""How long a wish waits before a computer opponent accepts it."""

AT_ONCE = 50
"""How many matches one sweep begins; the next sweep begins the rest."""

CONSIDERED = 60
"""How many wishes for one game a sweep considers, those that have waited longest."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two players, the lower id first, who both wish for a game, and how often wishes have brought them together."""

    times: int
    since: datetime
    game: str
    one: int
    other: int


@dataclass(frozen=True, slots=True)
class _Known:
    """What decides who may meet at the games in question, apart from their wishes."""

    ratings: Mapping[tuple[int, str], float]
    apart: frozenset[frozenset[int]]
    """Pairs in which one has blocked the other. Bots have no wishes, so these are people."""
    together: frozenset[tuple[str, frozenset[int]]]
    """Pairs who already have a match of that game from a wish."""
    met: Mapping[tuple[str, int, int], int]

    def meet(self, game: str, one: Wish, other: Wish) -> bool:
        """Whether each fits the other's wish."""
        two = frozenset((one.player_id, other.player_id))
        return (
            max(one.shortest, other.shortest) <= min(one.longest, other.longest)
            and two not in self.apart
            and (game, two) not in self.together
            and self._suits(game, one, other)
            and self._suits(game, other, one)
        )

    def _suits(self, game: str, wish: Wish, other: Wish) -> bool:
        rating = round(self.ratings.get((other.player_id, game), UNRATED))  # As players see it.
        return (wish.lowest is None or rating >= wish.lowest) and (wish.highest is None or rating <= wish.highest)


def pair(site: Site) -> None:
    """What the sweep does for wishes."""
    _forget_ended(site)
    now = site.now()
    with site.store.reading() as session:
        wishes = defaultdict(list)
        for wish, game in session.execute(AWAKE, {"now": now}):
            wishes[game].append(wish)
        pairs = _chosen(session, wishes)
        alone = _alone(session, wishes.values(), now)
    for two in pairs[:AT_ONCE]:
        with going_on("the wish of player", two.one):
            _sit_down(site, two)
    for player_id in alone[:AT_ONCE]:
        with going_on("the wish of player", player_id):
            _call_bot(site, player_id)


_ENDED = (
    select(WishMatch.match_id)
    .join(Match, Match.id == WishMatch.match_id)
    .where(Match.state.in_(("over", "declined")))
    .distinct()
    .limit(AT_ONCE)
)
"""Built once, as every sweep runs it."""


def _chosen(session: Session, wishes: Mapping[str, Sequence[Wish]]) -> list[Pair]:
    """The pairs to match: those who have met least, and among these those who have waited longest."""
    looking = {game: found[:CONSIDERED] for game, found in wishes.items() if len(found) > 1}
    if not looking:
        return []
    known = _known(session, {wish.player_id for found in looking.values() for wish in found}, looking)
    pairs = [
        Pair(known.met.get((game, low, high), 0), min(one.since, other.since), game, low, high)
        for game, found in looking.items()
        for one, other in combinations(found, 2)
        if known.meet(game, one, other)
        for low, high in [sorted((one.player_id, other.player_id))]
    ]
    pairs.sort(key=lambda two: (two.times, two.since, two.one, two.other))
    # Who has several matches to begin has the others in the next sweep: each look sees what runs by then.
    busy: set[int] = set()
    chosen = []
    for two in pairs:
        if not busy & {two.one, two.other}:
            busy |= {two.one, two.other}
            chosen.append(two)
    return chosen


def _known(session: Session, players: Iterable[int], games: Iterable[str]) -> _Known:
    ids, names = [*players], [*games]
    rated = select(PlayerRating).where(PlayerRating.player_id.in_(ids), PlayerRating.game.in_(names))
    blocks = select(Block.player_id, Block.other_id).where(Block.player_id.in_(ids), Block.other_id.in_(ids))
    met = select(Met).where(Met.player_id.in_(ids), Met.other_id.in_(ids), Met.game.in_(names))
    playing = select(Match.game, WishMatch.player_id, Seat.player_id).join(WishMatch, WishMatch.match_id == Match.id)
    playing = playing.join(Seat, and_(Seat.match_id == Match.id, Seat.player_id != WishMatch.player_id))
    playing = playing.where(WishMatch.player_id.in_(ids), Match.state == "running")
    return _Known(
        {(row.player_id, row.game): row.rating for row in session.scalars(rated)},
        frozenset(frozenset(two) for two in session.execute(blocks)),
        frozenset((game, frozenset((one, other or 0))) for game, one, other in session.execute(playing)),
        {(row.game, row.player_id, row.other_id): row.times for row in session.scalars(met)},
    )


def _sit_down(site: Site, two: Pair) -> None:
    """Begins the match of two wishes, if they still meet."""
    with site.transaction() as tx:
        ids = (two.one, two.other)
        found = _locked(tx, two.game, ids)
        if len(found) == 2 and _known(tx.session, ids, [two.game]).meet(two.game, *found):
            clock = min(wish.longest for wish in found)
            _begin(tx, two.game, ids, clock, all(wish.rated for wish in found))
            for wish in found:
                wish.since = tx.now


def _locked(tx: Transaction, game: str, ids: Sequence[int]) -> list[Wish]:
    """Those of the wishes that may still begin a match of the game, locked in one order for all."""
    lock = select(Wish.player_id).where(Wish.player_id.in_(ids)).order_by(Wish.player_id).with_for_update()
    tx.session.execute(lock).all()
    open_ones = awake(tx.now).where(Wish.player_id.in_(ids), WishGame.game == game)
    return list(tx.session.scalars(open_ones.execution_options(populate_existing=True)))


def _begin(tx: Transaction, game: str, ids: Sequence[int], seconds: int, rated: bool) -> Match:
    """A match of two players that begins at once, with a time for each move.

    The player who has had the first seat less gets it.
    """
    ids = sorted(ids)
    rows = [_met(tx.session, game, player_id, other) for player_id, other in zip(ids, ids[::-1], strict=True)]
    first = _first(tx.session, rows)
    players = [tx.session.get_one(Player, row.player_id) for row in (rows[first], rows[1 - first])]
    creator = next(player for player in players if player.bot is None)
    match = lobby.set_up(tx, creator.id, Proposal(game, {}, [*map(_chair, players)], _clock(seconds), rated=rated))
    match.key = f"wish:{game}:{ids[0]}:{ids[1]}:{rows[0].times}"
    for row in rows:
        row.times += 1
        row.first += row is rows[first]
        if tx.session.get(Wish, row.player_id) is not None:
            tx.session.add(WishMatch(match_id=match.id, player_id=row.player_id))
    return match


def _clock(seconds: int) -> str:
    return f"{write_amount(timedelta(seconds=seconds))}/move"


def _chair(player: Player) -> Chair:
    return Chair("bot", bot=player.bot) if player.bot else Chair("paired", player_id=player.id)


def _met(session: Session, game: str, player_id: int, other_id: int) -> Met:
    insert_once(session, Met, game=game, player_id=player_id, other_id=other_id, times=0, first=0)
    return session.get_one(Met, (player_id, game, other_id))


def _first(session: Session, rows: Sequence[Met]) -> int:
    """Which of two has the first seat: who had it less often of their matches with each other, else of all."""
    if rows[0].first != rows[1].first:
        return int(rows[0].first > rows[1].first)
    one, other = (_lead(session, row) for row in rows)
    return secrets.randbelow(2) if one == other else int(one > other)


def _lead(session: Session, row: Met) -> int:
    """How many more first seats than second ones a player has had at the game."""
    own = select(Met.first, Met.times).where(Met.player_id == row.player_id, Met.game == row.game)
    return sum(2 * first - times for first, times in session.execute(own))


@transactional
def meet(tx: Transaction, player_id: int, game: str, key: str, only: int | None = None) -> int:
    """Begins a match with the player who has looked for this game longest, or with the player `only`, and returns its
    id; raises LobbyError.

    A form sent twice, with the same `key`, begins one match.
    """
    # The sweep locks wishes and then seats their players, so it may need the key of one that is locked here.
    player = tx.session.get_one(Player, player_id, with_for_update={"key_share": True})
    opened = tx.session.scalars(select(Match.id).where(Match.key == key)).first()
    if opened is not None:
        return opened
    bans.refuse_banned(tx, player_id, LobbyError)
    if player.is_guest:
        raise LobbyError("Sign in with your email address first: your opponent may take days to answer.")
    if player.is_bot:
        raise LobbyError("Only people can look for opponents. A bot can open matches or take open seats instead.")
    for wish in answerable(tx.session, player_id, game, tx.now):
        ids = sorted((wish.player_id, player_id))
        if only not in (None, wish.player_id) or wish not in _locked(tx, game, ids):
            continue
        if wish in answerable(tx.session, player_id, game, tx.now):  # The sweep may have begun their match just now.
            match = _begin(tx, game, ids, wish.longest, wish.rated)
            match.key, wish.since = key, tx.now
            return match.id
    raise LobbyError(
        f"Nobody you could play is looking for {GAMES[game].title} any more. You can start looking yourself."
    )


def answerable(session: Session, player_id: int, game: str, now: datetime) -> Sequence[Wish]:
    """The wishes for a game that a player may answer, those that have waited longest first."""
    looking = for_viewer(awake(now), player_id).where(WishGame.game == game).limit(CONSIDERED)
    return session.scalars(looking).all()


def clock(wish: Wish) -> str:
    """The clock of a match with somebody who only answers this wish."""
    return _clock(wish.longest)


def _alone(session: Session, wishes: Iterable[Sequence[Wish]], now: datetime) -> list[int]:
    """The players who have waited long enough for anybody, welcome a computer opponent and have no match yet."""
    patient = {
        wish.player_id: wish.since for found in wishes for wish in found if wish.bots and wish.since <= now - PATIENCE
    }
    if not patient:
        return []
    own = select(WishMatch.player_id).join(Match, Match.id == WishMatch.match_id)
    playing = set(session.scalars(own.where(WishMatch.player_id.in_(patient), Match.state == "running")))
    return sorted(patient.keys() - playing, key=patient.__getitem__)


def _call_bot(site: Site, player_id: int) -> None:
    """Begins a match with a computer opponent, at the game the player has had least of these: the nearest in rating."""
    with site.transaction() as tx:
        games = [game for game in GAMES if _locked(tx, game, [player_id])]
        wish = tx.session.get(Wish, player_id)
        if not games or wish is None or not _alone(tx.session, [[wish]], tx.now):
            return
        bots = select(Player.id).where(Player.bot.is_not(None))
        own = select(Met).where(Met.player_id == player_id, Met.other_id.in_(bots))
        had: Counter[str] = Counter()
        for row in tx.session.scalars(own):
            had[row.game] += row.times
        game = min(games, key=lambda name: had[name])
        bot = _nearest(tx, game, player_id)
        _begin(tx, game, (player_id, bot), wish.longest, wish.rated)
        wish.since = tx.now


def _nearest(tx: Transaction, game: str, player_id: int) -> int:
    """The computer opponent nearest in rating, the weaker of two that are equally near."""
    ids = [lobby.computer(tx, game, opponent.name.lower()).id for opponent in OPPONENTS[game]]
    rated = select(PlayerRating.player_id, PlayerRating.rating).where(
        PlayerRating.game == game, PlayerRating.player_id.in_((*ids, player_id))
    )
    ratings = {number: rating for number, rating in tx.session.execute(rated)}  # noqa: C416 - rows are no pairs to mypy
    own = ratings.get(player_id, UNRATED)
    return min(ids, key=lambda number: abs(ratings.get(number, UNRATED) - own))


def _forget_ended(site: Site) -> None:
    """Forgets the finished matches of wishes. A wish is paused if its player ran out of time in one."""
    with site.store.reading() as session:
        ended = session.scalars(_ENDED).all()
    for match_id in ended:
        with going_on("match", match_id), site.transaction() as tx:
            match = tx.session.get_one(Match, match_id)
            late = timed_out(tx.session, match)
            flagged = {seat.player_id for seat in match.seats if seat.number in late}
            own = select(WishMatch.player_id).where(WishMatch.match_id == match_id)
            wishes = select(Wish).where(Wish.player_id.in_(own)).order_by(Wish.player_id).with_for_update()
            for wish in tx.session.scalars(wishes):
                wish.since = tx.now
                wish.rests = wish.rests or wish.player_id in flagged
            tx.session.execute(delete(WishMatch).where(WishMatch.match_id == match_id))
