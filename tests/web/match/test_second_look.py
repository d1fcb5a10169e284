"""The computer's look at a match, on its page: dead stones while they are agreed on, and all moves once it is over."""

from __future__ import annotations

import re
from collections.abc import Callable

from service.play.match import invitations, lobby
from service.play.match.lobby import Chair
from service.store.models import Match
from service.store.tables.reviews import Review, ReviewedMove
from tests.play.conftest import Town
from tests.render.boards import targets
from tests.web.conftest import Forms, Visitor

SETUP = "black: b1 b2 b3 b4 b5 e5; white: c1 c2 c3 c4 c5 a5; turn: black"
"""White's a5 is dead inside Black's area, Black's e5 inside White's."""


LIFE = "black: c1 c2 c3 c4 c5; white: a4 a5 b1 b2 b3 b4 b5; turn: white"
"""White lives with a2 and wins. If White plays elsewhere, Black's a2 kills, however little the computer searches."""


def table(town: Town, one: Visitor, other: Visitor, setup: str = SETUP) -> str:
    chairs = [Chair("me"), Chair("player", player_id=other.id)]
    match = lobby.open_match(town.site, one.id, "go", {"size": "5", "setup": setup}, chairs)
    invitations.answer(town.site, match, other.id, accept=True)
    return f"/match/{match}"


def order(town: Town, visitor: Visitor, path: str, text: str) -> None:
    visitor.send(path, f"{path}/order", text=text, shown=text)
    town.work()


def test_the_computer_finds_dead_stones_which_everybody_sees_and_players_can_propose(
    town: Town, sign_in: Callable[[str], Visitor], anybody: Visitor
) -> None:
    ada, ben = sign_in("ada@example.org"), sign_in("ben@example.net")
    path = table(town, ada, ben)
    assert "Which stones are dead?" not in ada.read(path)
    order(town, ada, path, "pass")
    order(town, ben, path, "pass")
    assert "Which stones are dead?" not in anybody.read(path)
    assert ada.send(path, f"{path}/estimate").status_code == 303
    assert "The computer is thinking." in ada.read(path)
    town.work()
    for visitor in (ada, ben, anybody):
        assert "The computer thinks: dead a5 e5 ." in visitor.read(path)
    assert "Propose this" not in anybody.read(path)
    order(town, ben, path, "dead a5 e5")
    assert "White proposes as dead: a5 e5." in ada.read(path)
    order(town, ada, path, "accept")
    with town.store.reading() as session:
        assert session.get_one(Match, int(path.rpartition("/")[2])).state == "over"


def test_the_board_with_an_estimate_is_turned_like_the_board_above_it(
    town: Town, sign_in: Callable[[str], Visitor]
) -> None:
    ada, ben = sign_in("ada@example.org"), sign_in("ben@example.net")
    path = table(town, ada, ben)
    order(town, ada, path, "pass")
    order(town, ben, path, "pass")
    ada.send(path, f"{path}/estimate")
    town.work()
    ben.send(path, f"{path}/sight", turned="yes")
    for visitor in (ada, ben):
        above, estimated = visitor.get(path).text.split('<figure class="owners">')
        places = [{name: cell[:2] for name, cell in targets(board).items()} for board in (above, estimated)]
        assert places[0] == places[1]


def test_an_estimate_is_not_shown_for_another_board_after_takebacks(
    town: Town, sign_in: Callable[[str], Visitor]
) -> None:
    """Play ends after as many moves as before, but with another one."""
    ada, ben = sign_in("ada@example.org"), sign_in("ben@example.net")
    path = table(town, ada, ben)
    for visitor, text in ((ada, "d5"), (ben, "pass"), (ada, "pass")):
        order(town, visitor, path, text)
    ada.send(path, f"{path}/estimate")
    town.work()
    assert "The computer thinks: dead a5 d5 ." in ada.read(path)
    order(town, ben, path, "resume")
    for _ in range(2):
        order(town, ada, path, "takeback")
        order(town, ben, path, "accept")
    for visitor, text in ((ada, "d1"), (ben, "pass"), (ada, "pass")):
        order(town, visitor, path, text)
    assert "Which stones are dead?" in ada.read(path)
    assert "The computer thinks" not in ada.read(path)
    ada.send(path, f"{path}/estimate")
    town.work()
    assert "The computer thinks: dead d1 a5 e5 ." in ada.read(path)


def test_a_match_that_is_over_is_reviewed_after_one_press(
    town: Town, sign_in: Callable[[str], Visitor], anybody: Visitor
) -> None:
    ada, ben = sign_in("ada@example.org"), sign_in("ben@example.net")
    path = table(town, ada, ben, LIFE)
    assert "Second look" not in ada.read(path)
    for visitor, text in ((ben, "e1"), (ada, "a2"), (ben, "e2"), (ada, "d1"), (ben, "resign")):
        order(town, visitor, path, text)
    assert "Nobody has asked the computer to look back at this match yet." in anybody.read(path)
    assert ada.send(path, f"{path}/review").status_code == 303
    assert "The computer has looked at 0 of 4 moves." in anybody.read(path)
    town.work()
    page = anybody.get(path).text
    assert 'aria-label="Winning chances of Black, move by move"' in page
    (points,) = re.findall(r'<polyline class="curve black" points="([^"]*)"', page)
    assert len(points.split()) == 5, "four moves and the end"
    assert points.endswith(" 320.0,0.0"), "Black won, since White resigned."
    assert page.count("Try this moment again") == page.count("percentage points") > 0
    slip = next(ply for ply in (3, 1, 2, 4) if f"{path}/again/{ply}" in page)
    form = dict(Forms(ben.get(path).text).forms)[f"{path}/again/{slip}"]
    again, twice = (ben.client.post(f"{path}/again/{slip}", data=form) for _ in range(2))
    assert again.status_code == twice.status_code == 303
    assert again.location == twice.location, "a button that is pressed twice opens one match"
    assert "Whetstone" in ben.read(str(again.location))
    assert ben.send(path, f"{path}/again/{slip}").location != again.location


def test_no_moment_is_offered_again_where_there_are_more_seats_than_opponents(
    town: Town, sign_in: Callable[[str], Visitor], anybody: Visitor
) -> None:
    visitors = [sign_in(f"{name}@example.org") for name in ("ada", "ben", "cem", "dana", "emil")]
    chairs = [Chair("me"), *(Chair("paired", player_id=other.id) for other in visitors[1:])]
    path = f"/match/{lobby.open_match(town.site, visitors[0].id, 'multigo', {'size': '5'}, chairs)}"
    for visitor, text in ((visitors[0], "c3"), (visitors[1], "a1"), *((one, "resign") for one in visitors[:4])):
        order(town, visitor, path, text)
    with town.store.writing() as session:
        match = int(path.rpartition("/")[2])
        session.add(Review(match_id=match, leased=town.now, finished=town.now))
        session.flush()
        for ply, black in ((1, 0.6), (2, 0.1)):
            shares = [black, *[(1 - black) / 4] * 4]
            session.add(ReviewedMove(match_id=match, ply=ply, shares=shares, best="d4", line=["d4"]))
    page = anybody.read(path)
    assert "lowered Black's winning chances by 50 percentage points" in page
    assert "Try this moment again" not in page


def test_requests_that_cannot_be_granted_are_explained(town: Town, sign_in: Callable[[str], Visitor]) -> None:
    ada, ben = sign_in("ada@example.org"), sign_in("ben@example.net")
    path = table(town, ada, ben)
    order(town, ada, path, "d3")
    for to, sentence in (
        ("review", "The computer looks back at a match only once"),
        ("estimate", "The computer looks for dead stones only while the players agree on them."),
        ("again/1", "You can only replay moments of a match"),
    ):
        answer = ben.send(path, f"{path}/order", to=f"{path}/{to}")
        assert answer.status_code == 422
        assert sentence in answer.text
    assert ben.send(path, f"{path}/order", to="/match/77/review").status_code == 404


def test_a_match_without_moves_offers_no_review(
    town: Town, sign_in: Callable[[str], Visitor], anybody: Visitor
) -> None:
    ada, ben = sign_in("ada@example.org"), sign_in("ben@example.net")
    path = table(town, ada, ben)
    order(town, ada, path, "resign")
    for visitor in (ada, anybody):
        assert "White won by resignation" in visitor.read(path)
        assert "Second look" not in visitor.read(path)
