"""Private analysis: what is tried, what is kept, and that it neither shows nor uncovers anything."""

from __future__ import annotations

import pytest

from service.engine.game import MoveError
from service.play import browse, explore
from tests.play.conftest import Town
from tests.play.test_browse import at_once, order


def drawn(branches: tuple[explore.Branch, ...]) -> str:
    """`c3 (b2) (d4 (pass))`."""
    return " ".join(f"({one.move}{' ' if one.after else ''}{drawn(one.after)})" for one in branches)


def tree(town: Town, match: int, player: int, ply: int = 0) -> str:
    study = explore.study(town.house, match, player, ply, None)
    assert study is not None
    return drawn(study.tree)


def test_variations_are_kept_for_the_player_who_tried_them(town: Town) -> None:
    match, (ada, ben) = at_once(town, "ada ben")
    first = explore.attempt(town.house, match, ada, 0, None, "C3")
    reply = explore.attempt(town.house, match, ada, 0, first, "d4")
    explore.attempt(town.house, match, ada, 0, first, "pass")
    assert explore.attempt(town.house, match, ada, 0, None, "c3") == first
    assert tree(town, match, ada) == "(c3 (d4) (pass))"
    assert tree(town, match, ben) == ""
    assert explore.study(town.house, match, ben, 0, first) is None
    explore.forget(town.house, ben, first)
    explore.forget(town.house, ada, reply)
    assert tree(town, match, ada) == "(c3 (pass))"
    explore.forget(town.house, ada, first)
    assert tree(town, match, ada) == ""


def test_trying_plays_nothing(town: Town) -> None:
    match, (ada, _) = at_once(town, "ada ben")
    explore.attempt(town.house, match, ada, 0, None, "c3")
    page = browse.match_page(town.house, match, ada)
    assert page is not None
    assert (page.last, page.entries) == (0, ())


def test_a_sealed_move_of_others_is_not_uncovered(town: Town) -> None:
    """Playing on from the true position would resolve the round with Black's sealed choice in it."""
    match, players = at_once(town, "ada ben eva")
    order(town, match, players, 0, "c3")
    order(town, match, players, 1, "b2")
    ben, eva = players[1:]
    tried = None
    for move, side in (("a1", "black"), ("b2", "white"), ("d4", "red")):
        study = explore.study(town.house, match, ben, 0, tried)
        assert study is not None
        assert study.side == side
        tried = explore.attempt(town.house, match, ben, 0, tried, move)
    study = explore.study(town.house, match, ben, 0, tried)
    assert study is not None
    names = study.draft.scene.board.names
    assert {names[cell] for cell in study.draft.scene.pieces} == {"a1", "b2", "d4"}
    for who, ply in ((eva, 1), (ben, 2)):
        with pytest.raises(MoveError, match="no such position"):
            explore.attempt(town.house, match, who, ply, None, "d4")
    order(town, match, players, 2, "d4")
    assert tree(town, match, ben, 0) == "(a1 (b2 (d4)))"
    assert explore.study(town.house, match, ben, 0, tried) == study


def test_what_the_rules_forbid_cannot_be_tried(town: Town) -> None:
    match, (ada, _) = at_once(town, "ada ben")
    for text, at in (("z9", None), ("c3", 77)):
        with pytest.raises(MoveError):
            explore.attempt(town.house, match, ada, 0, at, text)
    with pytest.raises(MoveError):
        explore.attempt(town.house, match, ada, 5, None, "c3")
