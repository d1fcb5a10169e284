"""Profiles, and the search for matches: lists in pages of a bounded number of statements, however long they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal, NamedTuple, TypeAlias

from sqlalchemy import Select, and_, exists, or_, select, true
from sqlalchemy.orm import Session

from service.bots.roster import NAMES
from service.games import GAMES
from service.play import names
from service.play.pages import leader_boards, match_lists
from service.play.pages.match_lists import LISTED, MatchLine, lines
from service.play.site import Site
from service.play.table import press, results, teams
from service.render.rating_graph import Point
from service.store.models import WATCHED, Match, Player, Seat, Teammate

State: TypeAlias = Literal["open", "running", "over"]
STATES: tuple[State, ...] = ("open", "running", "over")
LONGEST_QUESTION = 60

NAMED = 50
"""For how many players a search by name lists matches: those whose names come first."""


class Page(NamedTuple):
    """Where in a list a page begins: `before` the match of this id, or `after` it; 0 for neither, the first page."""

    before: int = 0
    after: int = 0


FIRST = Page()


@dataclass(frozen=True, slots=True)
class Search:
    """Which matches are wanted; "" leaves a condition out. `player` is how a name begins."""

    player: str = ""
    game: str = ""
    state: str = ""
    page: Page = FIRST


@dataclass(frozen=True, slots=True)
class Found:
    """One page of a list, the latest match first. The pages `earlier` and `later` are those beside it, if any."""

    lines: tuple[MatchLine, ...]
    earlier: Page | None
    later: Page | None
    is_cut: bool = False
    """Whether more players than `NAMED` have names that begin as asked, so that matches of the others are missing."""


@dataclass(frozen=True, slots=True)
class Result:
    """How a player has done in one game. `shared` counts matches of which they got a part, neither none nor all."""

    game: str
    title: str
    won: int
    lost: int
    shared: int
    rating: leader_boards.Shown | None = None
    history: tuple[Point, ...] = ()


class BotProfile(NamedTuple):
    """What a computer opponent plays and how, in a sentence."""

    plays: str
    about: str


@dataclass(frozen=True, slots=True)
class Profile:
    """What everybody may know of a player."""

    id: int
    name: str
    bot: BotProfile | None
    has_program: bool
    """Whether this is a bot account, for which somebody's program plays."""
    owner: Player | None
    """The bot's owner, if they have a profile themselves."""
    is_gone: bool
    since: datetime
    results: tuple[Result, ...]
    matches: Found


def search(site: Site, wanted: Search, viewer_id: int | None) -> Found:
    """The matches everybody may see that fit, the latest first."""
    statement = _public()
    if wanted.game:
        statement = statement.where(Match.game == wanted.game)
    if wanted.state in STATES:
        statement = statement.where(Match.state == wanted.state)
    with site.store.reading() as session:
        if not wanted.player.strip():
            return _found(session, statement, viewer_id, wanted.page)
        players = names.first_with(session, wanted.player[:LONGEST_QUESTION], NAMED + 1)
        theirs = _of_players(statement.where(press.named()), players[:NAMED], wanted.page)
        found = _found(session, theirs, viewer_id, wanted.page)
        return replace(found, is_cut=len(players) > NAMED)


def profile(site: Site, player_id: int, viewer_id: int | None, page: Page = FIRST) -> Profile | None:
    """A player's results and matches, but for those that hide names; None if there is no such player to be seen.

    Guests have no profile, nor has anybody who was only ever invited: it would show whose an address is.
    """
    own = _of_players(_public().where(press.named()), [player_id], page)
    with site.store.reading() as session:
        player = _seen(session, player_id, viewer_id)
        if player is None:
            return None
        return Profile(
            id=player.id,
            name=player.name,
            bot=_bot_profile(player.bot) if player.bot else None,
            has_program=player.owner_id is not None,
            owner=_seen(session, player.owner_id, viewer_id),
            is_gone=player.left is not None,
            since=player.created,
            results=_results(session, player_id),
            matches=_found(session, own, viewer_id, page),
        )


class Edge(NamedTuple):
    """Where a page of a player's matches ends: the values that order them, for its last match."""

    group: int
    deadline: datetime
    moved: datetime
    match_id: int


def own_matches(site: Site, player_id: int, after: Edge | None = None) -> tuple[list[MatchLine], Edge | None]:
    """A page of what `match_lists.my_matches` lists, after an edge, and the edge at its end; None if it is the last.

    A match in which something happens meanwhile moves to another place in the list.
    """
    own = teams.places_of(player_id)
    group, deadline = match_lists.group(own), match_lists.deadline(own)
    statement = match_lists.of_places(own).add_columns(group, deadline).limit(LISTED + 1)
    if after is not None:
        further = or_(Match.moved < after.moved, and_(Match.moved == after.moved, Match.id < after.match_id))
        later = or_(deadline > after.deadline, and_(deadline == after.deadline, further))
        statement = statement.where(or_(group > after.group, and_(group == after.group, later)))
    with site.store.reading() as session:
        found = session.execute(statement).all()
        shown = [*dict.fromkeys(row[0] for row in found[:LISTED])]  # A player may have two seats in one.
        teams.load(session, shown)
        *_, last = found[:LISTED] if len(found) > LISTED else [None]
        edge = None if last is None else Edge(last[1], last[2], last[0].moved, last[0].id)
        return [match_lists.match_row(match, player_id) for match in shown], edge


def history(site: Site, player_id: int, game: str, page: Page = FIRST) -> Found:
    """A player's own matches that are over, those against the computer and anonymous ones too; "" is for all games."""
    own = _of_players(select(Match).where(Match.state == "over"), [player_id], page)
    if game:
        own = own.where(Match.game == game)
    with site.store.reading() as session:
        return _found(session, own, player_id, page)


def _bot_profile(name: str) -> BotProfile:
    if name not in NAMES:
        return BotProfile("", "Plays at random.")
    game, opponent = NAMES[name]
    return BotProfile(GAMES[game].title, opponent.about)


def _seen(session: Session, player_id: int | None, viewer_id: int | None) -> Player | None:
    """A player who has a profile: guests have none, and others only once they've chosen a name or accepted an
    invitation, unless it's their own."""
    player = None if player_id is None else session.get(Player, player_id)
    if player is None or player.is_guest:
        return None
    accepted = teams.matches_of([player.id], accepted=True).limit(1)
    is_known = player.id == viewer_id or not player.is_unnamed or session.execute(accepted).first() is not None
    return player if is_known else None


def met(session: Session, one: int, other: int) -> str:
    """The latest match that two players have played with each other to the end ("Rosette 3"), "" if there is none."""
    both = select(Match.game, Match.id).where(Match.state == "over")
    for player_id in (one, other):
        both = both.where(Match.id.in_(teams.matches_of([player_id])))
    found = session.execute(both.order_by(Match.id.desc()).limit(1)).first()
    return f"{GAMES[found.game].title} {found.id}" if found else ""


def _public() -> Select[Match]:
    """Matches everybody may know of: no private invitation, answered or not, and no guest's against the computer."""
    # A condition on each match: with a list of all free seats, PostgreSQL expects each look-up of a match to be costly.
    free = or_(*(exists().where(place.match_id == Match.id, place.player_id.is_(None)) for place in (Seat, Teammate)))
    shown = or_(Match.state.in_(("running", "over")), and_(Match.state == "open", free))
    return select(Match).where(WATCHED, shown)


def _of_players(matches: Select[Match], players: Sequence[int], page: Page) -> Select[Match]:
    """Of these matches, those in which one of the players has a place they haven't just been invited to.

    The places are found by an index alone and put in the order of the page, so that only the matches it shows are read:
    somebody may have played thousands. The index doesn't say who has accepted, but only open matches need that check.
    """
    places = teams.matches_of(players).subquery().c.match_id
    beyond = places > page.after if page.after else places < page.before if page.before else true()
    order = places.asc() if page.after else places.desc()
    own = select(places).where(beyond).distinct().order_by(order).subquery()
    here = ((place.match_id == Match.id, place.player_id.in_(players), place.accepted) for place in (Seat, Teammate))
    accepted = or_(Match.state != "open", *(exists().where(*one) for one in here))
    return matches.join(own, own.c.match_id == Match.id).where(accepted)


def _found(session: Session, statement: Select[Match], viewer_id: int | None, page: Page) -> Found:
    """A page, found by the ids at its edges: the last one takes no longer than the first."""
    if page.after:
        later = statement.where(Match.id > page.after).order_by(Match.id.asc())
        found = lines(session, later.limit(LISTED + 1), viewer_id)
        shown, on, back = found[:LISTED][::-1], True, len(found) > LISTED
    else:
        earlier = statement.where(Match.id < page.before) if page.before else statement
        found = lines(session, earlier.order_by(Match.id.desc()).limit(LISTED + 1), viewer_id)
        shown, on, back = found[:LISTED], len(found) > LISTED, page.before > 0
    return Found(
        tuple(shown),
        Page(before=shown[-1].id) if shown and on else None,
        Page(after=shown[0].id) if shown and back else None,
    )


def _results(session: Session, player_id: int) -> tuple[Result, ...]:
    """The results per game, in the order the games are listed."""
    counts = results.of_player(session, player_id)
    ratings, histories = leader_boards.of_player(session, player_id), leader_boards.histories(session, player_id)
    return tuple(
        Result(
            game,
            GAMES[game].title,
            *counts.get(game, results.Count()),
            rating=ratings.get(game),
            history=tuple(histories.get(game, ())),
        )
        for game in GAMES
        if game in counts or game in ratings
    )
