"""What a team hides from its opponents, and what a player hides from the rest of the team."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import update

from service.mail.grammar.orders import parse
from service.play.match import invitations, lobby, substitutes
from service.play.match.lobby import Chair
from service.play.orders.submit import Incoming, submit
from service.play.pages import analysis
from service.play.table import replay
from service.play.talk import messages
from service.store.models import Match, Submission
from tests.secrecy.asking import FEW, TEAM_KINDS, asked, differing, kinds
from tests.secrecy.worlds import (
    AT_ONCE,
    HIDDEN,
    IN_TURN,
    LATER,
    PLAYERS,
    Hidden,
    World,
    arrive,
    founded,
    mailed,
    settle,
)

TEAMS = (("ada", "dana"), ("bruno", "cleo"))


def share(world: World) -> None:
    """Both matches for two teams of two, after some moves: Ada has the next move of Black, not sealed yet."""
    settle(world)
    (_, mate), (first, *second) = TEAMS
    chairs = [
        Chair("me", mates=(Chair("email", f"{mate}@example.org"),)),
        Chair("email", f"{first}@example.org", mates=tuple(Chair("email", f"{name}@example.org") for name in second)),
    ]
    moves = {
        AT_ONCE: (("ada", "c3"), ("bruno", "d3"), ("dana", "e3"), ("cleo", "f3")),
        IN_TURN: (("ada", "c3"), ("bruno", "d3"), ("dana", "e3")),
    }
    for number, game in ((AT_ONCE, "multigo-parallel-coop"), (IN_TURN, "multigo")):
        lobby.open_match(world.town.site, world.id("ada"), game, {"size": "7"}, chairs, "7d/move, late passes")
        with world.town.store.writing() as session:
            session.get_one(Match, number).seed = number
        for name in PLAYERS[1:]:
            invitations.answer(world.town.site, number, world.id(name), True)
        for name, move in moves[number]:
            order_as(world, number, name, move)


def order_as(world: World, match: int, name: str, text: str) -> None:
    """Sends this player's order for the seat that they share."""
    number = next(number for number, team in enumerate(TEAMS) if name in team)
    key = f"web:{world.id(name)}:{match}-{text}"
    submit(world.town.site, Incoming(key, match, number, world.id(name), None, parse(text), "web"))
    world.town.work()


def keep_to_oneself(world: World, hidden: Hidden) -> None:
    """What Ada hides even from her team."""
    site, ada = world.town.site, world.id("ada")
    order_as(world, AT_ONCE, "ada", f"standing {hidden.standing}")
    order_as(world, IN_TURN, "ada", hidden.ahead)
    for match in (AT_ONCE, IN_TURN):
        messages.keep_note(site, match, ada, f"note {hidden.words}")
        analysis.attempt(site, match, ada, 2, None, hidden.tried)
    with world.town.store.reading() as session:
        assert session.get_one(Match, IN_TURN).seats[0].ahead == hidden.ahead
    key = f"web:{ada}:held"
    submit(site, Incoming(key, IN_TURN, 0, ada, None, parse(hidden.tried), "web", f"remark {hidden.words}"))
    with world.town.store.writing() as session:
        held = {"held": LATER + timedelta(days=1)}
        session.execute(update(Submission).where(Submission.key == key).values(held))


def keep_to_the_team(world: World, hidden: Hidden) -> None:
    """What only her team may see: a sealed move, and words."""
    order_as(world, AT_ONCE, "ada", hidden.sealed)
    for match in (AT_ONCE, IN_TURN):
        messages.say(world.town.site, match, world.id("ada"), f"whisper {hidden.words}", f"web:whisper:{match}", [0])
        messages.say(world.town.site, match, world.id("dana"), f"answer {hidden.words}", f"web:answer:{match}", [0])


@pytest.mark.parametrize("hides", [keep_to_oneself, keep_to_the_team])
def test_a_team_sees_what_its_seat_does_and_nothing_else(
    place: Path, tables: Path, hides: Callable[[World, Hidden], None]
) -> None:
    """Opponents see neither; those who share the seat see what is sealed and what is said among them."""
    worlds = []
    for number, hidden in enumerate(HIDDEN[:2]):
        world = founded(place / str(number), tables, number)
        share(world)
        if hidden:
            hides(world, hidden)
            world.town.work()
        arrive(world)
        worlds.append(world)
    if hides is keep_to_the_team:
        page = worlds[1].browsers["dana"].get(f"/match/{AT_ONCE}").text
        assert "whisper quagmire" in page
        assert "Sealed until all have chosen: d6" in page
    for name in ("bruno", "dana" if hides is keep_to_oneself else "emil"):
        assert differing([asked(world, name, FEW) for world in worlds]) == [], name
    for world in worlds:
        change_hands(world)
    assert mailed(worlds[0]) == mailed(worlds[1])
    assert kinds(worlds[0]) >= TEAM_KINDS
    for world in worlds:
        world.town.store.close()


def change_hands(world: World) -> None:
    """Emil takes Cleo's place in the other team, then leaves it."""
    replay.forget()
    world.town.now = LATER
    substitutes.offer(world.town.site, AT_ONCE, world.id("cleo"), "anybody")
    substitutes.join(world.town.site, AT_ONCE, world.id("emil"))
    world.town.work()
    leaving = Incoming("web:leave", AT_ONCE, 1, world.id("emil"), None, parse("leave team"), "web")
    submit(world.town.site, leaving)
    world.town.work()
