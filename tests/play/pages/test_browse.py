"""What each viewer sees of a match."""

from __future__ import annotations

from service.mail.grammar.orders import parse
from service.play.accounts import identity
from service.play.match import lobby, substitutes
from service.play.match.lobby import Chair
from service.play.orders.submit import Incoming, submit
from service.play.pages import match_page
from tests.play.conftest import Town


def at_once(town: Town, names: str, game: str = "multigo-parallel") -> tuple[int, list[int]]:
    """A match with simultaneous moves between these players: its id and theirs."""
    with town.store.writing() as session:
        ids = [identity.by_email(session, f"{name}@example.org", town.now).id for name in names.split()]
    chairs = [Chair("me"), *[Chair("open") for _ in ids[1:]]]
    match = lobby.open_match(town.site, ids[0], game, {"size": "5"}, chairs)
    for other in ids[1:]:
        substitutes.join(town.site, match, other)
    town.work()
    return match, ids


def order(town: Town, match: int, players: list[int], seat: int, text: str) -> None:
    key = f"web:{match}:{seat}:{text}:{town.now.timestamp()}"
    submit(town.site, Incoming(key, match, seat, players[seat], None, parse(text), "web"))
    town.work()
    verdict = match_page.verdict(town.site, key, players[seat])
    assert verdict is not None
    assert verdict.state == "accepted", verdict.message


def seen(town: Town, match: int, viewer: int | None = None) -> list[str]:
    page = match_page.match_page(town.site, match, viewer)
    assert page is not None
    return [f"{entry.side}: {entry.move}" for entry in page.entries]


def test_a_sealed_move_stays_hidden_when_somebody_resigns_meanwhile(town: Town) -> None:
    match, players = at_once(town, "ada ben eva")
    order(town, match, players, 0, "c3")
    order(town, match, players, 1, "resign")
    assert seen(town, match) == ["white: resign"]
    assert seen(town, match, players[2]) == ["white: resign"]
    assert seen(town, match, players[0]) == ["white: resign"]
    order(town, match, players, 2, "b2")
    assert seen(town, match) == ["black: c3", "white: resign", "red: b2"]
