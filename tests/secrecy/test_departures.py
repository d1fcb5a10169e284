"""When somebody leaves in a round, nobody else learns who has sealed a choice for it, however they leave.

Cleo has sealed a choice on both sites, and Ada on one of them. Cleo gets the email for players who have, and Bruno,
who hasn't, is asked for his move again.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from service.play.accounts import deletion
from service.play.match import invitations, lobby, substitutes
from service.play.match.lobby import Chair
from service.play.table import replay
from service.play.timekeeping import clocks
from service.store.models import Match
from tests.play.conftest import parsed
from tests.play.timekeeping.test_clocks import DAY, deadline
from tests.secrecy import test_api
from tests.secrecy.asking import differing, kinds, looked
from tests.secrecy.test_vacations import run_out
from tests.secrecy.worlds import AT_ONCE, LATER, NEXT, World, copies, mailed, order_by_name, raws

ADA, BRUNO, CLEO, DANA = range(4)

SECOND = timedelta(seconds=1)

Act = Callable[[World], object]


def order(name: str, text: str, match: int = AT_ONCE) -> Act:
    """An order that every site receives at the same moment."""
    return lambda world: order_by_name(world, match, name, text)


def removed(world: World) -> None:
    deletion.leave(world.town.site, world.id("dana"))
    world.town.work()


def timed(clock: str, *others: int, missed: int = 0, late: int = 0) -> Act:
    """Dana's time runs out after she has missed turns, and right after it that of these others, but nobody else's. If
    `late` is 1, she has already been given more time."""

    def act(world: World) -> None:
        with world.town.store.writing() as session:
            match = session.get_one(Match, AT_ONCE)
            match.clock, match.seats[DANA].missed = clock, missed
            for seat in match.seats:
                left = 3 * DAY + SECOND * (seat.number != DANA) if seat.number in (DANA, *others) else 9 * DAY
                seat.budget = {"main": left.total_seconds(), "over": 0.0, "count": late if seat.number == DANA else 0}
                clocks.compute(session, match, seat, LATER)
        ends = deadline(world.town, AT_ONCE, DANA)
        assert ends is not None
        run_out(world, ends)

    return act


def hand_over(name: str) -> Act:
    """Emil takes this player's seat."""

    def act(world: World) -> None:
        substitutes.offer(world.town.site, AT_ONCE, world.id(name), "anybody")
        substitutes.join(world.town.site, AT_ONCE, world.id("emil"))
        world.town.work()

    return act


WAYS: dict[str, tuple[Act, ...]] = {
    "resigns": (order("dana", "resign"),),
    "deletes the account": (removed,),
    "resigns after a substitute has come": (order("bruno", "a1"), hand_over("cleo"), order("dana", "resign")),
    "runs out of time": (timed("7d/move, no vacation"),),
    "has missed too many turns": (timed("7d/move, no vacation, late passes", missed=2 * substitutes.MISSED - 1),),
    "runs out of time before somebody who is given more": (
        timed("7d/move, no vacation, late extends", BRUNO, missed=2 * substitutes.MISSED - 1, late=1),
    ),
}


def shown(world: World) -> dict[str, object]:
    """What everybody else sees of the match, on pages and by the API."""
    paths = [f"/match/{AT_ONCE}{tail}" for tail in ("", "/news", "/record.txt", "/round/3/board.svg")]
    answers: dict[str, object] = {}
    for name in ("bruno", "cleo", ""):
        answers |= {f"{name} {path}": told for path, told in looked(world, name, paths).items()}
        api = test_api.asked(world, name, {one: test_api.ASK[one] for one in ("match", "moves")}, "GET")
        answers |= {f"{name} {path}": told for path, told in api.items()}
    return answers


def left(worlds: list[World], *acts: Act) -> None:
    """Does the same on both sites and compares the emails to all but Ada and Dana."""
    for world in worlds:
        replay.forget()
        world.town.now, world.town.mails = LATER, 1_000
        for act in acts:
            act(world)
    assert "departed" in kinds(worlds[0])
    assert mailed(worlds[0]) == mailed(worlds[1])


@pytest.mark.parametrize("way", WAYS)
def test_others_get_the_same_when_somebody_leaves_and_others_have_sealed_a_choice(
    place: Path, built: Path, way: str
) -> None:
    with copies(built, place, (0, 0)) as worlds:
        order("ada", "d6")(worlds[1])
        left(worlds, *WAYS[way])
        if way == "resigns":
            assert differing([shown(world) for world in worlds]) == []


def share(world: World) -> None:
    """A match of two teams, Emil and Fay, in which Bruno has sealed a choice for his team."""
    chairs = [
        Chair("me", mates=(Chair("email", "dana@example.org"),)),
        Chair("email", "bruno@example.org", mates=(Chair("email", "cleo@example.org"),)),
        Chair("email", "emil@example.org"),
        Chair("email", "fay@example.org"),
    ]
    town = world.town
    lobby.open_match(town.site, world.id("ada"), "multigo-parallel", {"size": "7"}, chairs, "7d/move, late passes")
    with town.store.writing() as session:
        session.get_one(Match, NEXT).seed = NEXT
    for name in ("dana", "bruno", "cleo", "emil", "fay"):
        invitations.answer(town.site, NEXT, world.id(name), True)
    town.work()
    order_by_name(world, NEXT, "bruno", "a1")


def test_opponents_get_the_same_when_somebody_leaves_and_a_team_has_sealed_a_choice(place: Path, built: Path) -> None:
    """Of a team that has, only the player who may change the choice gets an email about it."""
    with copies(built, place, (0, 0)) as worlds:
        for world in worlds:
            share(world)
        order("ada", "d6", NEXT)(worlds[1])
        left(worlds, order("emil", "resign", NEXT))
        told = {name: str(parsed(raws(worlds[1], name)[-1])["Subject"]) for name in ("ada", "dana", "bruno", "cleo")}
        assert [name for name, subject in told.items() if subject.endswith("Red resigned")] == ["ada", "bruno"]
