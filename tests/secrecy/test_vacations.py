"""Days of vacation that begin automatically don't show who hasn't chosen yet, or who plays anonymously."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

from sqlalchemy import select

from service.play.company import events, wish_text, wishes
from service.play.company.events import Plan
from service.play.operations.sweep import sweep
from service.play.timekeeping import clocks
from service.store.models import Match, TimeOff
from service.store.tables.pulse import Pulse
from tests.conftest import luck
from tests.play.timekeeping.test_clocks import deadline
from tests.secrecy.asking import FEW, answered, asked, differing
from tests.secrecy.worlds import AT_ONCE, IN_TURN, World, copies, mailed, play

DAY = timedelta(days=1)


def test_a_day_of_vacation_begun_in_a_secret_round_is_shown_nowhere(place: Path, built: Path) -> None:
    """Ada has chosen on one site and not on the other, where her vacation begins when her time is up."""
    with copies(built, place, (0, 0)) as worlds:
        for world in worlds:
            prepare(world)
        ends = deadline(worlds[0].town, AT_ONCE, 0)
        assert ends is not None
        play(worlds[1], AT_ONCE, 0, "d6")
        for world in worlds:
            run_out(world, ends)
        assert [days(world) for world in worlds] == [[ends], []]
        told = [{name: asked(world, name, FEW) for name in ("bruno", "emil", "")} for world in worlds]
        assert [differing([one[name] for one in told]) for name in told[0]] == [[], [], []]
        for path in ("/api/v1/wishes", f"/api/v1/matches/{IN_TURN}", "/events/2"):
            answers = [answered(world.browsers[""].client.get(path))[::2] for world in worlds]
            assert answers[0] == answers[1]
            assert answers[0][0] == 200
        looking = worlds[0].browsers[""].client.get("/api/v1/wishes").text
        assert "lotus" in looking, "the wish doesn't sleep"
        assert mailed(worlds[0]) == mailed(worlds[1])


def prepare(world: World) -> None:
    """Ada looks for opponents and is on a ladder, and the others have more time in the round than she has. The match
    in turn waits for her alone, for some seconds more."""
    site, ada, emil = world.town.site, world.id("ada"), world.id("emil")
    wishes.make(site, ada, wish_text.read("lotus no bots"))
    ladder = events.found(site, emil, Plan("", "go", "3d/move", kind="ladder"))
    for player_id in (ada, emil):
        events.join(site, ladder, player_id)
    with world.town.store.writing() as session:
        for seat in session.get_one(Match, AT_ONCE).seats[1:]:
            if seat.deadline is not None:
                clocks.extend(session, seat.match, seat, 30 * DAY, world.town.now)


def run_out(world: World, deadline: datetime) -> None:
    """The sweep runs ten seconds after a deadline."""
    luck("the sweep")  # So that the matches it begins are the same.
    world.town.now, world.town.mails = deadline + timedelta(seconds=10), 1_000
    with world.town.store.writing() as session:
        session.merge(Pulse(id=1, at=world.town.now))
    sweep(world.town.site)
    world.town.work()


def days(world: World) -> list[datetime]:
    """The times at which Ada's days of vacation began."""
    with world.town.store.reading() as session:
        return list(session.scalars(select(TimeOff.begins).where(TimeOff.player_id == world.id("ada"))))
