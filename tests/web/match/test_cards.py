"""The players of a match as its page shows them."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from service.store.tables.ratings import PlayerRating
from tests.play.conftest import Town
from tests.web.conftest import Visitor, statements, words

Play = Callable[[Visitor, str], str]


def test_the_cards_show_the_time_and_the_prisoners_of_each_player(
    match: str, ada: Visitor, bruno: Visitor, play: Play
) -> None:
    for visitor, move in ((ada, "f12"), (bruno, "f13"), (ada, "f14"), (bruno, "a8"), (ada, "e13")):
        play(visitor, move)
    cards = ada.get(match).text.partition('<ul class="players"')[2].partition("</ul>")[0]
    told = " ".join(re.sub(r"<[^>]*>", " ", cards).split())
    assert re.search(r"Ada \(you\) Black 7 days left 1 prisoner Bruno White \d+ days?( \d+ hours)? left", told), told


def rated(town: Town, player_id: int, rating: float, deviation: float) -> None:
    with town.store.writing() as session:
        known = {"rating": rating, "deviation": deviation, "volatility": 0.06, "floor": rating - deviation}
        session.add(PlayerRating(player_id=player_id, game="rosette", matches=12, **known))


@pytest.mark.parametrize("names", ["", "anonymous"])
def test_the_cards_show_ratings_unless_names_are_hidden(town: Town, ada: Visitor, bruno: Visitor, names: str) -> None:
    path = str(ada.send("/new/rosette", other1="email", address1="bruno@example.org", names=names).location)
    bruno.send(path, f"{path}/answer", answer="accept")
    rated(town, ada.id, 1612.4, 90)
    with statements(town) as before:
        bruno.get(path)
    rated(town, bruno.id, 1498.7, 200)
    with statements(town) as after:
        page = words(bruno.get(path))
    assert len(after) == len(before)
    assert "Bruno (you) rating 1499? (provisional)" in page
    assert ("Ada rating 1612" in page) is (names == "")
