"""Whatever a player of a cup has sealed, the others see the same: who is removed from it, and which matches count."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

from service.play.table import replay
from service.play.talk import messages
from tests.conftest import luck
from tests.play.timekeeping.test_clocks import swept
from tests.secrecy.asking import ASKING, CUP_KINDS, Answer, answered, differing, kinds
from tests.secrecy.worlds import CUP, LATER, OTHERS, OTHERS_OF_THE_CUP, World, copies, mailed, order_by_name

BEFORE, AFTER = timedelta(days=2), timedelta(days=15)
"""Before and after the deadline of the cup's matches in which nobody has given more time."""


PATHS = (
    *("/", "/events", "/events/1", "/wishes", "/matches", "/matches?player=ada", "/ratings/multigo-parallel-coop"),
    *(f"/match/{CUP}{tail}" for tail in ("", "/news", "/record.txt", "/at/3/board.svg")),
)
"""The pages that have to do with the cup."""


def give_time(world: World) -> None:
    """Gives more time to the match in its second round, so that it goes on when the others end. Cleo moves in those."""
    for name in ("bruno", "cleo"):
        order_by_name(world, CUP, name, "extend 20d")
    for match in OTHERS_OF_THE_CUP:
        order_by_name(world, match, "cleo", "c3")


def seal(world: World) -> None:
    """Enough sealed moves to make the match count if they were public, and a note."""
    for number, text in enumerate(("d6", "b2", "wait", "d6", "b2", "d6")):
        order_by_name(world, CUP, "ada", text, f"sealed-{number}")
    messages.keep_note(world.town.site, CUP, world.id("ada"), "a note")


def steps(world: World, hide: Callable[[World], None]) -> dict[str, Answer]:
    """What everybody else sees while Ada and Bruno lose two matches on time and don't answer whether they play on."""
    replay.forget()
    world.town.now = LATER
    give_time(world)
    answers: dict[str, Answer] = {}
    for then in (BEFORE, AFTER, AFTER + timedelta(days=2), AFTER + timedelta(days=4)):
        world.town.now = LATER + then
        luck("the sweep")  # So that the matches it begins are the same.
        for _ in range(3):  # One sweep notes what the sweep before it started.
            swept(world.town)
        if then == AFTER:
            hide(world)
        # The Message-IDs of others' emails don't count Ada's, and their time doesn't show how long hers took.
        world.town.now, world.town.mails = LATER + then + timedelta(hours=1), 1_000 + then.days * 10
        for name in ASKING:
            for path in (*PATHS, f"/player/{world.id('ada')}"):
                answers[f"{name} {then} {path}"] = answered(world.browsers[name].client.get(path))
        for name in OTHERS[:3]:
            world.town.write(f"{name}@example.org", "events\nstandings winter cup\nwish")
    return answers


def test_removing_a_player_from_a_cup_doesnt_show_that_they_sealed_a_move(place: Path, built: Path) -> None:
    with copies(built, place, (0, 0)) as worlds:
        answers = [steps(world, hide) for world, hide in zip(worlds, (lambda _: None, seal), strict=True)]
        assert differing(answers) == []
        assert mailed(worlds[0]) == mailed(worlds[1])
        assert kinds(worlds[0]) >= CUP_KINDS
        page = worlds[1].browsers["bruno"].read("/events/1")
        assert "(out)" in page
        assert "Doesn't count" in page
