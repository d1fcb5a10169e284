"""Private analysis: what can be tried and is kept, and that it neither shows nor reveals anything."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import replace

import pytest
from sqlalchemy.orm import Session

from service.engine.game import MoveError
from service.play.pages import analysis, match_page
from service.play.pages.analysis_plan import NO_PLAN, Branch, Plan
from service.play.table import replay
from tests.play.conftest import Town, writing
from tests.play.orders.test_conditional import begun, moves, send
from tests.play.pages.test_browse import at_once, order
from tests.play.table import test_teams


def drawn(branches: tuple[Branch, ...]) -> str:
    """`c3 (b2) (d4 (pass))`."""
    return " ".join(f"({one.move}{' ' if one.after else ''}{drawn(one.after)})" for one in branches)


def tree(town: Town, match: int, player: int, ply: int = 0) -> str:
    study = analysis.study(town.site, match, player, ply, None)
    assert study is not None
    return drawn(study.tree)


def test_variations_are_kept_for_the_player_who_tried_them(town: Town) -> None:
    match, (ada, ben) = at_once(town, "ada ben")
    first = analysis.attempt(town.site, match, ada, 0, None, "C3")
    reply = analysis.attempt(town.site, match, ada, 0, first, "d4")
    analysis.attempt(town.site, match, ada, 0, first, "pass")
    assert analysis.attempt(town.site, match, ada, 0, None, "c3") == first
    assert tree(town, match, ada) == "(c3 (d4) (pass))"
    assert tree(town, match, ben) == ""
    assert analysis.study(town.site, match, ben, 0, first) is None
    analysis.forget(town.site, match, ben, 0, first)
    analysis.forget(town.site, match, ada, 0, reply)
    assert tree(town, match, ada) == "(c3 (pass))"
    analysis.forget(town.site, match, ada, 0, first)
    assert tree(town, match, ada) == ""


def test_trying_a_move_doesnt_play_it(town: Town) -> None:
    match, (ada, _) = at_once(town, "ada ben")
    analysis.attempt(town.site, match, ada, 0, None, "c3")
    page = match_page.match_page(town.site, match, ada)
    assert page is not None
    assert (page.last, page.entries) == (0, ())


def test_a_sealed_move_of_others_is_not_revealed(town: Town) -> None:
    """Playing on from the real position would resolve the round with Black's sealed choice in it."""
    match, players = at_once(town, "ada ben eva")
    order(town, match, players, 0, "c3")
    order(town, match, players, 1, "b2")
    ben, eva = players[1:]
    tried = None
    for move, side in (("a1", "black"), ("b2", "white"), ("d4", "red")):
        study = analysis.study(town.site, match, ben, 0, tried)
        assert study is not None
        assert study.side == side
        tried = analysis.attempt(town.site, match, ben, 0, tried, move)
    study = analysis.study(town.site, match, ben, 0, tried)
    assert study is not None
    names = study.draft.scene.board.names
    assert {names[cell] for cell in study.draft.scene.pieces} == {"a1", "b2", "d4"}
    for who, ply in ((eva, 1), (ben, 2)):
        with pytest.raises(MoveError, match="no such position"):
            analysis.attempt(town.site, match, who, ply, None, "d4")
    order(town, match, players, 2, "d4")
    assert tree(town, match, ben, 0) == "(a1 (b2 (d4)))"
    assert analysis.study(town.site, match, ben, 0, tried) == study


@pytest.mark.parametrize("game", ["multigo-coop", "multigo-parallel-coop"])
def test_what_was_tried_stays_at_its_position_once_private_moves_become_public(town: Town, game: str) -> None:
    """They are numbered like others then, so the moves after them get other numbers."""
    match, players = at_once(town, "ada ben eva", game)
    for seat, text in ((0, "prefer white red"), (0, "c3"), (1, "b2"), (2, "d4")):
        order(town, match, players, seat, text)
    tried = None
    for text in ("a1", "b1", "c1"):
        tried = analysis.attempt(town.site, match, players[1], 3, tried, text)
    order(town, match, players, 1, "prefer black red")
    study = analysis.study(town.site, match, players[1], 3, tried)
    assert study is not None
    for seat in (0, 2):
        order(town, match, players, seat, "resign")
    assert tree(town, match, players[1], 3) == ""
    after = analysis.study(town.site, match, players[1], 4, tried)
    assert after is not None
    assert (after.path, after.draft) == (study.path, study.draft)
    assert tried is not None
    analysis.forget(town.site, match, players[1], 4, tried)
    assert tree(town, match, players[1], 4) == "(a1 (b1))"


def test_what_was_tried_in_a_round_stays_at_its_position_once_the_round_resolves(town: Town) -> None:
    match, players = at_once(town, "ada ben eva dan")
    order(town, match, players, 0, "c3")
    order(town, match, players, 3, "resign")
    analysis.attempt(town.site, match, players[1], 1, None, "a1")
    for seat, text in ((1, "b2"), (2, "d4")):
        order(town, match, players, seat, text)
    assert [tree(town, match, players[1], ply) for ply in range(3)] == ["", "", "(a1)"]


def test_illegal_moves_cannot_be_tried(town: Town) -> None:
    match, (ada, _) = at_once(town, "ada ben")
    for text, at in (("z9", None), ("c3", 77)):
        with pytest.raises(MoveError):
            analysis.attempt(town.site, match, ada, 0, at, text)
    with pytest.raises(MoveError):
        analysis.attempt(town.site, match, ada, 5, None, "c3")


def test_moves_are_tried_before_anything_is_written(town: Town) -> None:
    """Replaying a long match takes long, and nobody else can write to SQLite during a transaction that writes."""
    ada, _, match = begun(town)
    replay.forget()
    with writing(town.store) as found:
        first = analysis.attempt(town.site, match, ada, 0, None, "g10")
        analysis.attempt(town.site, match, ada, 0, first, "e10")
    assert (found.times, found.rules) == (2, [])
    assert tree(town, match, ada) == "(g10 (e10))"


def test_a_move_that_is_illegal_or_was_tried_before_writes_nothing(town: Town) -> None:
    ada, _, match = begun(town)
    first = analysis.attempt(town.site, match, ada, 0, None, "g10")
    with writing(town.store) as found:
        assert analysis.attempt(town.site, match, ada, 0, None, "g10") == first
        with pytest.raises(MoveError):
            analysis.attempt(town.site, match, ada, 0, first, "g10")
    assert found.times == 0


def test_there_are_limits_of_moves_to_try_for_each_position_and_in_all(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(analysis, "MOST", 2)
    monkeypatch.setattr(analysis, "IN_ALL", 3)
    ada, ben, match = begun(town)
    send(town, ada, match, 0, "g10")
    tried(town, match, ada, 0, "g10", "e10")
    with pytest.raises(MoveError, match="You've tried 2 moves from this position"):
        analysis.attempt(town.site, match, ada, 0, None, "e9")
    first = analysis.attempt(town.site, match, ada, 1, None, "e10")
    with pytest.raises(MoveError, match="You've tried 3 moves in all your matches"):
        analysis.attempt(town.site, match, ada, 1, None, "e9")
    tried(town, match, ben, 1, "e9", "e10")
    analysis.forget(town.site, match, ada, 1, first)
    tried(town, match, ada, 1, "e9")


def test_a_move_after_a_variation_that_was_removed_meanwhile_is_not_kept(town: Town) -> None:
    """Ada removes a variation on one page while she tries a move after it on another."""
    ada, _, match = begun(town)
    first = analysis.attempt(town.site, match, ada, 0, None, "g10")
    reading = town.store.reading

    @contextmanager
    def then_forgotten() -> Iterator[Session]:
        with reading() as session:
            yield session
        analysis.forget(town.site, match, ada, 0, first)

    store = copy(town.store)
    store.reading = then_forgotten  # type: ignore[method-assign]
    with pytest.raises(analysis.Missing, match="This variation is gone"):
        analysis.attempt(replace(town.site, store=store), match, ada, 0, first, "e10")
    assert tree(town, match, ada) == ""


def tried(town: Town, match: int, player: int, ply: int, *rows: str) -> None:
    for row in rows:
        at = None
        for move in row.split():
            at = analysis.attempt(town.site, match, player, ply, at, move)


def planned(town: Town, match: int, player: int, ply: int, at: int | None = None) -> Plan:
    study = analysis.study(town.site, match, player, ply, at)
    assert study is not None
    return study.plan


def test_tried_moves_can_be_ordered_as_conditional_moves(town: Town) -> None:
    ada, ben, match = begun(town)
    send(town, ada, match, 0, "g10")
    tried(town, match, ada, 1, "e10 g9 e9 e11", "e10 g9 pass pass", "f9 resign", "e12")
    found = planned(town, match, ada, 1)
    assert found == Plan("if e10 then g9 if e9 then e11; if e10 then g9 if pass then pass; if f9 then resign")
    assert send(town, ada, match, 0, found.text) == "accepted"
    send(town, ben, match, 1, "e10")
    send(town, ben, match, 1, "pass")
    assert moves(town, match) == ["g10", "e10", "g9", "pass", "pass"]


def test_the_player_to_move_plays_and_orders_conditional_moves(town: Town) -> None:
    ada, ben, match = begun(town)
    tried(town, match, ada, 0, "g10 e10 g9")
    assert planned(town, match, ada, 0) == Plan("g10; if e10 then g9", "g10")
    tried(town, match, ada, 0, "e10 g9 f9")
    assert planned(town, match, ada, 0) == NO_PLAN, "Which of the two is to be played?"
    study = analysis.study(town.site, match, ada, 0, None)
    assert study is not None
    assert planned(town, match, ada, 0, study.tree[1].after[0].after[0].id) == Plan("e10; if g9 then f9", "e10")
    assert planned(town, match, ben, 0) == NO_PLAN
    send(town, ada, match, 0, "g10")
    send(town, ben, match, 1, "e10")
    assert planned(town, match, ada, 0) == NO_PLAN, "The match has gone on from there."


def test_two_replies_to_one_move_cannot_be_ordered(town: Town) -> None:
    ada, _, match = begun(town)
    send(town, ada, match, 0, "g10")
    tried(town, match, ada, 1, "e10 g9", "e10 f9")
    assert planned(town, match, ada, 1).unclear == "There are two replies to e10: g9 and f9. Choose one of them."


def test_games_with_simultaneous_moves_have_no_plans(town: Town) -> None:
    match, (ada, ben) = at_once(town, "ada ben")
    order(town, match, [ada, ben], 0, "c3")
    tried(town, match, ben, 0, "a1 b2", "b2 a1")
    assert planned(town, match, ben, 0) == NO_PLAN


def test_a_player_in_a_team_has_no_plans(town: Town) -> None:
    match = test_teams.begun(town, "rosette", test_teams.team("ada", "cleo"), test_teams.team("ben"))
    ada, ben = (test_teams.person(town, name) for name in ("ada", "ben"))
    tried(town, match, ada, 0, "g10 e10 g9")
    tried(town, match, ben, 0, "g10 e10")
    assert planned(town, match, ada, 0) == NO_PLAN
    assert planned(town, match, ben, 0) == Plan("if g10 then e10")


def test_a_variation_ends_with_the_game_and_after_a_hundred_moves(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    ada, _, match = begun(town)
    at = None
    for move in ("pass", "pass", "accept", "accept"):
        at = analysis.attempt(town.site, match, ada, 0, at, move)
    with pytest.raises(MoveError, match="The game is over in this variation"):
        analysis.attempt(town.site, match, ada, 0, at, "g10")
    monkeypatch.setattr(analysis, "LONGEST", 1)
    first = analysis.attempt(town.site, match, ada, 0, None, "g10")
    with pytest.raises(MoveError, match="A variation can have up to 1 moves"):
        analysis.attempt(town.site, match, ada, 0, first, "e10")
