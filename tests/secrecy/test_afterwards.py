"""Letters about later events, in which Ada's part is public, don't show what she hid before.

Ada hides things on one site and nothing on the other; then she does the same on both, for everybody to see.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from service.games import GAMES
from service.play.operations import statistics
from service.play.operations.sweep import sweep
from service.play.table import replay
from service.store.entries import outlines
from service.store.models import Match
from service.store.tables.pulse import Pulse
from tests.conftest import luck
from tests.secrecy import worlds
from tests.secrecy.asking import LATER_KINDS, Answer, kinds
from tests.secrecy.test_later_acts import Act, form, mail, reply
from tests.secrecy.worlds import (
    AT_ONCE,
    CUP,
    FINISHED,
    HIDDEN,
    IN_TURN,
    LATER,
    NEXT,
    World,
    copies,
    count_and_finish,
    mailed,
    play,
)

OTHER = f"/match/{IN_TURN}"
ADA, BRUNO, CLEO, DANA = range(4)


def order(match: int, seat: int, text: str) -> Act:
    """An order that every site receives at the same moment, with a new key each time."""

    def act(world: World) -> list[Answer]:
        play(world, match, seat, text, name=f"{match}-{seat}-{text}-{world.town.now:%d%H%M}")
        return []

    return act


def of_ada(match: int, text: str) -> Act:
    """An order of Ada's in a match of the cup, whatever her seat there."""

    def act(world: World) -> list[Answer]:
        worlds.order_by_name(world, match, "ada", text, f"{match}-{text}-{world.town.now:%d%H%M}")
        return []

    return act


PUBLIC: tuple[Act, ...] = (
    order(IN_TURN, ADA, "undo"),
    order(IN_TURN, ADA, "forget"),
    order(AT_ONCE, ADA, "standing none"),
    order(AT_ONCE, ADA, "prefer none"),
    order(AT_ONCE, ADA, "g1"),
    of_ada(CUP, "g1"),
)
"""What replaces, on both sites, all hidden things that would become public."""

AGREED: tuple[Act, ...] = (
    *PUBLIC,
    order(IN_TURN, BRUNO, "takeback"),
    *(order(IN_TURN, seat, "accept takeback") for seat in (ADA, CLEO, DANA)),
    order(IN_TURN, BRUNO, "pause 3d"),
    *(order(IN_TURN, seat, "accept pause") for seat in (ADA, CLEO, DANA)),
    order(IN_TURN, BRUNO, "resume play"),
    order(IN_TURN, CLEO, "decline resume play"),
    order(IN_TURN, CLEO, "resume play"),
    *(order(IN_TURN, seat, "accept resume play") for seat in (ADA, BRUNO, DANA)),
    mail("bruno", "most 1"),
    form("cleo", f"{OTHER}/say", text="One", audience="all"),
    form("cleo", f"{OTHER}/say", text="Two", audience="all"),
    mail("bruno", "most none"),
)


def passing(days: float) -> Act:
    """This many days go by, with the sweep at work."""

    def act(world: World) -> list[Answer]:
        luck("the sweep")  # So that the matches it begins are the same.
        world.town.now += timedelta(days=days)
        with world.town.store.writing() as session:
            session.merge(Pulse(id=1, at=world.town.now))
        sweep(world.town.site)
        world.town.work()
        return []

    return act


CHOICES = (
    *(("a1", "a2", "a3"), ("b5", "b6", "b7"), ("pass", "g3", "g5")),
    *(("a4", "pass", "g6"), ("pass", "b4", "g7"), ("a5", "b3", "pass")),
)

OVER: tuple[Act, ...] = (
    *PUBLIC,
    *(order(IN_TURN, seat, "resign") for seat in (ADA, DANA, CLEO)),
    reply("bruno", "won", "review", match=IN_TURN),
    reply("bruno", "won", "rematch", match=IN_TURN),
    reply("cleo", "invites you", "decline", match=NEXT),
    mail("bruno", "new lotus vs cleo@example.org"),
    form("bruno", f"/match/{NEXT + 1}/withdraw"),
    # Cleo stops moving, and is out of the match in the end.
    *(
        act
        for ada, bruno, dana in CHOICES
        for act in (
            *(order(AT_ONCE, seat, move) for seat, move in ((ADA, ada), (BRUNO, bruno), (DANA, dana))),
            *(passing(days) for days in (6.5, 1, 6.7)),
        )
    ),
)


def run(world: World, acts: tuple[Act, ...]) -> None:
    replay.forget()
    # Letters are counted in the end, so matches must not be packed.
    world.town.settings = replace(world.town.settings, keep=replace(world.town.settings.keep, pack=0))
    with world.town.store.writing() as session:
        session.get_one(Match, AT_ONCE).clock = "7d/move, no vacation, late extends"
    for act in acts:
        world.town.now = max(world.town.now, LATER) + timedelta(minutes=10)
        act(world)


def test_letters_about_later_events_are_the_same_whatever_a_player_hid(place: Path, built: Path) -> None:
    caused: set[str] = set()
    for acts in (AGREED, OVER):
        with copies(built, place, (0, 1)) as houses:
            for world in houses:
                run(world, acts)
            assert mailed(houses[0]) == mailed(houses[1])
            caused |= kinds(houses[0])
    assert caused >= LATER_KINDS


def test_statistics_of_finished_matches_are_the_same_whatever_a_player_took_back(
    place: Path, built: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody ever sees a sealed choice that another replaced, so the statistics of a game don't count it either."""
    monkeypatch.setattr(statistics, "FEWEST", 1)
    figures = []
    with copies(built, place, (0, 0)) as houses:
        for world, hidden in zip(houses, (None, HIDDEN[1]), strict=True):
            replay.forget()
            count_and_finish(world, hidden)
            with world.town.store.reading() as session:
                match = session.get_one(Match, FINISHED)
                figures.append((match.ply, outlines(session, [FINISHED])))
            for _ in GAMES:
                statistics.compute(world.town.site)
        (ply, before), (more, after) = figures
        assert (before, ply) == (after, more - 2)
        told = [statistics.of(world.town.site, "multigo-parallel").settings for world in houses]
        assert told[0] == told[1]
        assert [line.openings[0].move for line in told[0]] == ["c3"]
