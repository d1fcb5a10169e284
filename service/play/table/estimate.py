"""The computer's estimate while players agree on dead stones: who owns what, for both to see and adopt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from service.bots.roster import for_counting
from service.bots.thought import seed_of
from service.engine.game import OutOfTurn, Position
from service.engine.rewound import Again
from service.engine.scene import Scene
from service.engine.stone_games.scoring import Scoring
from service.play.site import Site, Transaction, transactional
from service.play.table import replay
from service.store.insert import insert_once
from service.store.models import Match
from service.store.tables.reviews import Estimate

CLEAR = 0.65
"""The chance from which on a point is shown as somebody's."""


@dataclass(frozen=True, slots=True)
class Estimated:
    """What the computer thinks: the order that names the dead stones, and the board with everybody's points marked.

    Both are empty until it has thought.
    """

    order: str = ""
    scene: Scene | None = None


@transactional
def ask(tx: Transaction, match_id: int, player_id: int) -> None:
    """Has the computer look at a board that is being counted; raises OutOfTurn. Asking again changes nothing."""
    match = tx.session.get(Match, match_id)
    if match is None or match.place_of(player_id) is None:
        raise OutOfTurn("Only players of this match can ask which stones are dead.")
    counted = _counted(tx.session, match)
    if counted is None:
        raise OutOfTurn("The computer looks for dead stones only while the players agree on them.")
    insert_once(tx.session, Estimate, match_id=match.id, round=counted.since, dead="", owners=[])
    tx.nudge("think", match_id)


def think(site: Site, match_id: int) -> None:
    """Finds the dead stones, if somebody has asked, and forgets the questions about boards that are no longer counted.
    No database session is open meanwhile."""
    # Only the processes that think load the searches.
    from service.bots.compiler import COMPILED
    from service.bots.stones import manners, playing_on, settling

    with site.store.reading() as session:
        asked = session.scalars(select(Estimate.round).where(Estimate.match_id == match_id, Estimate.dead == "")).all()
        match = session.get(Match, match_id) if asked else None
        if match is None:
            return
        counted, seed, game = _counted(session, match), match.seed, match.game
    if past := [since for since in asked if counted is None or since != counted.since]:
        with site.transaction() as tx:
            tx.session.execute(delete(Estimate).where(Estimate.match_id == match_id, Estimate.round.in_(past)))
    if counted is None or counted.since not in asked:
        return
    scoring, since = counted
    ended, seed = scoring.ended, seed_of(seed, since, 0)
    owners = settling.ownership(ended, seed)
    chances = [owners[name] for name in ended.board.names]
    budget = for_counting(game, len(chances), COMPILED)
    order = manners.naming(scoring, playing_on.proposed(ended, owners, budget, seed))
    clear = [each.index(max(each)) if max(each) >= CLEAR else -1 for each in chances]
    with site.transaction() as tx:
        row = update(Estimate).where(Estimate.match_id == match_id, Estimate.round == since)
        tx.session.execute(row.values(owners=clear, dead=order))


def of(session: Session, match: Match, position: Position) -> Estimated | None:
    """What the computer thinks of the board that is being counted; None if nobody has asked."""
    counted = _counting(match, position)
    row = None if counted is None else session.get(Estimate, (match.id, counted.since))
    if counted is None or row is None:
        return None
    return Estimated(row.dead, _marked(counted.scoring, row) if row.dead else None)


class _Counted(NamedTuple):
    """A position in which dead stones are agreed on, and the round of the match since which they are: with the rounds
    that takebacks added, so that no other board has had it."""

    scoring: Scoring
    since: int


def _counted(session: Session, match: Match) -> _Counted | None:
    """What is being counted now, if anything is."""
    return _counting(match, replay.position(session, match)) if match.state == "running" else None


def _counting(match: Match, position: Position) -> _Counted | None:
    scoring, later = (position.first, position.later) if isinstance(position, Again) else (position, 0)
    if not isinstance(scoring, Scoring) or match.state != "running":
        return None
    return _Counted(scoring, scoring.ended.round + later)


def _marked(scoring: Scoring, row: Estimate) -> Scene:
    """The board with each point that is clearly somebody's, and with the stones that are dead."""
    scene = scoring.ended.view(None)
    owners = {point: seat for point, seat in enumerate(row.owners) if seat >= 0}
    lost = [point for point, seat in owners.items() if scene.pieces.get(point) and scene.pieces[point].side != seat]
    marks = {point: ("territory",) for point in owners if point not in scene.pieces}
    return scene._replace(marks={**marks, **dict.fromkeys(lost, ("dead",))}, owners=owners)
