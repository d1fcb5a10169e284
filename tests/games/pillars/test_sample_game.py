"""The opening, and the inventor's sample game."""

from __future__ import annotations

import pytest

from tests.cases import cases
from tests.games.pillars.boards import (
    PILLARS,
    TOKENS,
    at,
    moves,
    played,
    sample,
    stone,
    to_move,
)

# The opening


def test_first_moves() -> None:
    expected = [
        "a2a3",
        "a2a4",
        "b1a3",
        "b1c3",
        "b2b3",
        "b2b4",
        "c2c3",
        "c2c4",
        "d1c3",
        "d2d3",
        "d2d4",
        "e2c3",
        "e2d4",
        "e3e4",
        "e3e5",
        "f3a8",
        "f3b7",
        "f3c6",
        "f3d5",
        "f3e4",
        "f3g4",
        "f3h5",
        "f3i6",
        "f3j7",
        "f3k8",
        "f4f5",
        "g1h3",
        "g2h4",
        "g2i3",
        "g3g4",
        "g3g5",
        "h2h3",
        "h2h4",
        "i1h3",
        "i1j3",
        "i2i3",
        "i2i4",
        "j1i3",
        "j1k3",
        "j2j3",
        "j2j4",
        "k2k3",
        "k2k4",
    ]
    start = PILLARS.start()
    assert sorted(start.read(0, text) for text in expected) == sorted(moves(start))


@pytest.mark.parametrize(("depth", "count"), [(1, 43), (2, 1841), (3, 87158), (4, 4106008)][: cases(3, full=4)])
def test_perft(depth: int, count: int) -> None:
    assert PILLARS.perft(PILLARS.start(), depth) == count


def test_the_setup_is_the_fen() -> None:
    fen = "thavqksavht/wwwwpmpwwww/4wa~w4/5w5/11/11/11/5W5/4WA~W4/WWWWPMPWWWW/THAVQKSAVHT w AKak 0 1"
    start = PILLARS.start()
    assert (start.setup, start.facts) == (fen, {"check": False, "stone": [], "fen": fen})
    assert start.occupants["f3"] == "A~"
    assert start.occupants["g11"] == "s"
    assert len(start.occupants) == 52
    assert at(fen) == start


# The inventor's sample game


def test_every_token_of_the_sample_game_means_one_move() -> None:
    position = PILLARS.start()
    assert len(TOKENS) == 49
    for token in TOKENS:
        seat = to_move(position)
        move = position.read(seat, token)
        assert move in position.moves(seat)
        position = position.play(seat, move)
    assert position.facts["check"] is True
    assert position.outcome is None
    assert moves(position) == ["ME-F9", "ME-G8"]


@pytest.mark.parametrize(
    ("move", "squares"),
    [(5, "d8"), (7, "e9"), (8, "a9 a10 a11 c10 c11"), (17, "c10 d10 d11")],
)
def test_stone_pieces_in_the_sample_game(move: int, squares: str) -> None:
    """After White's move of that number."""
    assert stone(sample(2 * move - 1)) == squares


def test_tokens_of_the_sample_game_are_read_liberally() -> None:
    assert sample(18).read(0, "D3") == "D2-D3"
    assert sample(39).read(1, "J x I9") == "J10xI9"


def test_a_capture_on_e10_at_move_6() -> None:
    """Without Black's Medusa, 6. MExE10 is check; the Pillar and the Serpent, now free, can capture White's."""
    assert sample(10).setup.startswith("tha1qksavht/wwwwvm2www/4wa~2p2/")
    without = at("tha1qksavht/wwwwv3www/4wa~2p2/2Mp1w1w3/6w4/11/4W6/3S1W5/2P2A~W4/WWWW2PWWWW/THAVQK1AVHT w AKak 6 6")
    after = played(without, "ME x E10")
    assert after.facts["check"] is True
    assert sorted(moves(after)) == ["PxE10", "SxE10"]


def test_replay_gives_the_same_position() -> None:
    position, log = PILLARS.start(), []
    for ply, token in enumerate(TOKENS):
        move = position.read(ply % 2, token)
        log.append((ply % 2, move))
        position = position.play(ply % 2, move)
    replayed = PILLARS.replay(PILLARS.start(), log)
    assert replayed == position
    assert replayed.view(None) == position.view(None)
