"""Who has which seat in an anonymous match isn't shown, and the local post office is only for its own machine."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urlsplit

from sqlalchemy import select

from service.config import Settings
from service.mail.grammar.orders import parse
from service.play.company import gazette_issues
from service.play.match import invitations, lobby, substitutes
from service.play.match.lobby import Chair
from service.play.notify import following
from service.play.orders.submit import Incoming, submit
from service.play.pages import feeds
from service.play.talk import messages
from service.store.models import Match
from service.store.tables.ratings import PlayerRating, RatedSeat
from tests.play.conftest import parsed, plain
from tests.secrecy.asking import FEW, asked
from tests.secrecy.worlds import OTHERS, PLAYERS, World, arrive, founded, raws, settle


def test_nothing_shows_who_plays_in_an_anonymous_match(place: Path, tables: Path) -> None:
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


def test_only_the_machine_itself_can_open_the_post_office(place: Path, tables: Path) -> None:
    """It has everybody's mail: other machines get a 404, and in production it is closed."""
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


RATED = {"ada": 1711, "bruno": 1722}
MARKS = tuple(f"{text}" for name, rating in RATED.items() for text in (name.capitalize(), f"{name}@", str(rating)))
"""Words that would reveal who plays: a name, an address or a rating."""

PLACES = ("", "/at/1", "/record.txt", "/record.sgf", "/record.json", "/embed", "/news", "/share")


def test_a_rated_match_hides_who_plays_until_it_is_over(place: Path, tables: Path) -> None:
    """On every page and in the API, records, feeds, emails and the gazette; and the match is rated."""
    world = founded(place / "0", tables)
    settle(world)
    site, ids = world.town.site, {name: world.id(name) for name in RATED}
    with world.town.store.writing() as session:
        for name, rating in RATED.items():
            known = {"deviation": 60.0, "volatility": 0.06, "floor": rating - 60.0, "matches": 9, "at": world.town.now}
            session.add(PlayerRating(player_id=ids[name], game="go", rating=float(rating), **known))
    following.follow_player(site, world.id("emil"), ids["ada"])
    following.follow_player(site, ids["bruno"], ids["ada"])
    chairs = [Chair("me"), Chair("open")]
    lobby.open_match(site, ids["ada"], "go", {"size": "9"}, chairs, "7d/move", "public anonymous", rated=True)
    gazette_issues.look_after(site)
    substitutes.join(site, 1, ids["bruno"])
    world.town.work()
    with world.town.store.reading() as session:
        match = session.get_one(Match, 1)
        assert match.rated
        seats = {seat.number: seat.player_id or 0 for seat in match.seats}
    _order(world, seats, 0, "e5", "A remark")
    _order(world, seats, 1, "c3")
    arrive(world)
    for name in ("ada", "bruno", "emil", ""):
        assert _told(world, name) == [], name
        if name:  # It names the players followed, and nothing that they do.
            assert "/match/1" not in world.browsers[name].client.get("/following").text
    _order(world, seats, 0, "g7")
    _order(world, seats, 1, "resign")
    assert {text.capitalize() for text in RATED} <= {mark for mark, _ in _told(world, "")}
    with world.town.store.reading() as session:
        assert session.scalars(select(RatedSeat.player_id).order_by(RatedSeat.player_id)).all() == [*ids.values()]
    world.town.store.close()


def _order(world: World, seats: dict[int, int], seat: int, text: str, remark: str = "") -> None:
    incoming = Incoming(f"web:{seat}:{text}", 1, seat, seats[seat], None, parse(text), "web", remark)
    submit(world.town.site, incoming)
    world.town.work()


def _told(world: World, name: str) -> list[tuple[str, str]]:
    """The words that show this visitor who plays, each with where: a page, the API, a feed or the emails."""
    browser = world.browsers[name].client
    paths = [f"/match/1{tail}" for tail in PLACES] + ["/", "/matches", "/gazette"]
    paths += [f"/api/v1/matches{tail}" for tail in ("", "/1", "/1/messages", "/1/record.json", "/open")]
    token = {"Authorization": f"Bearer {world.token(name)}"} if name else {}
    said = {}
    for path in paths:
        answer = browser.get(path, headers=token if "/api/" in path else {})
        said[path] = answer.get_data(as_text=True)
    if name:
        said["emails"] = "".join(plain(parsed(raw)) for raw in raws(world, name))
        said["feed"] = browser.get(f"{urlsplit(feeds.address(world.town.site, world.id(name))).path}/followed.xml").text
    others = [mark for mark in MARKS if not (name and (mark.lower().startswith(name) or mark == str(RATED.get(name))))]
    return [(mark, where) for where, text in said.items() for mark in others if mark in text]
