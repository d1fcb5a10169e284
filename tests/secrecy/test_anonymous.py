"""Who sits where in an anonymous match, and whose mail the local post office shows."""

from __future__ import annotations

import re
from pathlib import Path

from service.config import Settings
from service.mail.grammar.orders import parse
from service.play.match import invitations, lobby
from service.play.match.lobby import Chair
from service.play.orders.submit import Incoming, submit
from service.play.talk import messages
from service.store.models import Match
from tests.secrecy.asking import FEW, asked
from tests.secrecy.worlds import OTHERS, PLAYERS, arrive, founded, settle


def test_nothing_tells_who_plays_an_anonymous_match(place: Path, tables: Path) -> None:
    world = founded(place / "0", tables)
    settle(world)
    chairs = [Chair("me"), *(Chair("email", f"{name}@example.org") for name in PLAYERS[1:])]
    press = "private anonymous"
    lobby.open_match(world.town.site, world.id("ada"), "multigo", {"size": "7"}, chairs, "7d/move", press)
    for name in PLAYERS[1:]:
        invitations.answer(world.town.site, 1, world.id(name), True)
    world.town.work()
    with world.town.store.reading() as session:
        seated = {seat.number: seat.player.name.lower() for seat in session.get_one(Match, 1).seats if seat.player}
    messages.say(world.town.site, 1, world.id("bruno"), "Hello", "web:1")
    messages.say(world.town.site, 1, world.id("cleo"), "Psst", "web:2", [1 if seated[0] == "cleo" else 0])
    order = Incoming(
        "web:3", 1, 0, world.id(seated[0]), None, parse("c3"), "web", "A remark\nBest wishes,\n" + seated[0]
    )
    submit(world.town.site, order)
    world.town.work()
    arrive(world)
    for name in ("ada", "bruno", "emil", ""):
        for key, (_, _, body) in asked(world, name, FEW).items():
            if "/player/" in key:
                assert b'href="/match/1"' not in body, (name, key)
                continue
            for other in set(PLAYERS) - {name}:
                assert not re.search(rb"\b" + other.capitalize().encode() + rb"\b", body), (name, key)
    world.town.store.close()


def test_the_post_office_is_for_the_machine_itself(place: Path, tables: Path) -> None:
    """It has everybody's mail. Nobody else gets in, and nobody at all in production."""
    world = founded(place / "0", tables)
    settle(world)
    arrive(world)
    for name in OTHERS:
        for path in ("/post-office/", "/post-office/1", "/post-office/1/html"):
            asking = world.browsers[name].client
            assert asking.get(path, environ_base={"REMOTE_ADDR": "192.0.2.1"}).status_code == 404
            assert asking.get(path, headers={"X-Forwarded-For": "192.0.2.1"}).status_code == 404
    given = {"STONEPOST_MODE": "production", "STONEPOST_SECRET": "s" * 32, "STONEPOST_DATA": str(place)}
    told = {"SMTP_URL": "smtp://mail.example", "PUBLIC_URL": "https://play.example", "MAIL_DOMAIN": "play.example"}
    assert not Settings.from_environment(given | told).post_office_open
    world.town.store.close()
