"""Letters about draws, silence, takebacks and a player's account don't show what an opponent has hidden."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from service.play.match import invitations, lobby
from service.play.match.lobby import Chair
from service.play.table import replay
from service.play.talk import messages
from service.store.models import Match
from tests.conftest import luck
from tests.secrecy.asking import ALONE_KINDS, Answer, kinds
from tests.secrecy.test_afterwards import order
from tests.secrecy.test_later_acts import Act, form, mail, reply
from tests.secrecy.worlds import LATER, NEXT, World, copies, mailed, play, raws

SILENT = NEXT
"""A silent match of Pillars, a game in which players can agree to a draw."""

ADA, BRUNO = range(2)


def begin(world: World) -> None:
    replay.forget()
    chairs = [Chair("me"), Chair("email", "bruno@example.org")]
    lobby.open_match(world.town.site, world.id("ada"), "pillars", {}, chairs, "7d/move", "none")
    with world.town.store.writing() as session:
        session.get_one(Match, SILENT).seed = SILENT
    invitations.answer(world.town.site, SILENT, world.id("bruno"), True)
    play(world, SILENT, ADA, "D2-D4")


def hide(world: World) -> None:
    """Conditional moves after a move that isn't played, and a note."""
    play(world, SILENT, ADA, "if K10-K9 then E2-E3")
    messages.keep_note(world.town.site, SILENT, world.id("ada"), "a note")
    with world.town.store.reading() as session:
        assert session.get_one(Match, SILENT).seats[ADA].ahead


def sign_in(world: World) -> list[Answer]:
    """Bruno asks for a link, which is made with the same random numbers on both sites."""
    luck("the link")
    return form("bruno", "/sign-in", email="bruno@example.org")(world)


def unproven_command(world: World) -> list[Answer]:
    """An email from Fay, whose address nobody has confirmed yet."""
    world.town.write("fay@example.org", "status", proven=False)
    return []


ACTS: tuple[Act, ...] = (
    sign_in,
    unproven_command,
    form("bruno", "/account/keys/password", password="a heron on thin ice"),
    mail("bruno", "grace 300"),
    reply("bruno", "your move", "B10-B9", match=SILENT),
    reply("bruno", "your move", "undo", match=SILENT),
    mail("bruno", "grace 0"),
    reply("bruno", "your move", "A10-A8\n\nWords that nobody may hear", match=SILENT),
    order(SILENT, BRUNO, "draw"),
    order(SILENT, ADA, "decline"),
    order(SILENT, ADA, "draw"),
)


def test_the_letters_of_a_silent_match_are_the_same_whatever_one_player_hid(place: Path, built: Path) -> None:
    with copies(built, place, (0, 0)) as houses:
        for world in houses:
            begin(world)
        hide(houses[1])
        for world in houses:
            replay.forget()
            for number, act in enumerate(ACTS):
                world.town.now, world.town.mails = LATER + number * timedelta(minutes=1), 1_000 + number
                act(world)
        assert mailed(houses[0]) == mailed(houses[1])
        assert kinds(houses[0]) >= ALONE_KINDS
        (asked,) = raws(houses[0], "fay")
        assert [asked] == raws(houses[1], "fay")
        assert b"Did you write to Stonepost?" in asked
