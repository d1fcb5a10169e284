"""Go and Rosette through the public interface of a game, against sgfmill and OpenSpiel."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pyspiel

from service.engine.game import Position
from service.engine.record import lines, write
from service.games import GAMES
from tests.bench.kernel import GRID, random_games, sgfmill
from tests.bench.measure import Figure, ratio, seconds

GO, ROSETTE = GAMES["go"], GAMES["rosette"]
LOGS = [[(colour - 1, GRID.names[point]) for point, colour in game] for game in random_games()]
START = GO.start()
MOVES = sum(map(len, LOGS))
JUDGED = "capture, suicide and repetition judged, per move"
IMMUTABLE = "the same and a new immutable position for every move"


def played(start: Position, log: list[tuple[int, str]]) -> Position:
    position = start
    for seat, move in log:
        position = position.play(seat, move)
    return position


def go_play() -> None:
    for log in LOGS:
        played(START, log)


def go_replay() -> None:
    for log in LOGS:
        GO.replay(START, log)


def open_spiel_checked() -> None:
    game = pyspiel.load_game("go(board_size=19,komi=7.5)")
    for placements in random_games():
        state = game.new_initial_state()
        for point, _ in placements:
            state.apply_action_with_legality_check(point)


def rosette_logs(number: int = 6, length: int = 300) -> list[list[tuple[int, str]]]:
    """Games of random legal placements on the usual board."""
    chance = random.Random(7)
    return [_rosette_log(chance, length) for _ in range(number)]


def _rosette_log(chance: random.Random, length: int) -> list[tuple[int, str]]:
    position, log = ROSETTE.start(), []
    for ply in range(length):
        move = chance.choice([*position.moves(ply % 2)][:-1])
        position = position.play(ply % 2, move)
        log.append((ply % 2, move))
    return log


def figures() -> Iterator[Figure]:
    yield Figure("go-replay", ratio(go_replay, sgfmill), 1 / 8, f"Go's replay(), {JUDGED}, over sgfmill's play")
    yield Figure(
        "go-replay-open-spiel",
        ratio(go_replay, open_spiel_checked),
        1,
        f"Go's replay(), {JUDGED}, over OpenSpiel's apply_action_with_legality_check",
    )
    yield Figure("go-play", ratio(go_play, sgfmill), None, f"Go's play(), {IMMUTABLE}, over sgfmill's play")
    yield from _rosette()
    yield from _lists()
    yield _one_more()


def _rosette() -> Iterator[Figure]:
    logs, start = rosette_logs(), ROSETTE.start()
    replay, play, theirs = seconds(
        lambda: [ROSETTE.replay(start, log) for log in logs], lambda: [played(start, log) for log in logs], sgfmill
    )
    per = sum(map(len, logs)) * theirs / MOVES
    yield Figure("rosette-replay", replay / per, 1 / 8, f"Rosette's replay(), {JUDGED}, over sgfmill's play on 19x19")
    yield Figure("rosette-play", play / per, None, f"Rosette's play(), {IMMUTABLE}, over sgfmill's play on 19x19")


def _lists() -> Iterator[Figure]:
    """The legal moves after 150 random ones."""
    position = GO.replay(START, LOGS[0][:150])
    state = pyspiel.load_game("go(board_size=19,komi=7.5)").new_initial_state()
    for point, _ in random_games()[0][:150]:
        state.apply_action(point)
    assert len(state.legal_actions()) == len([*position.moves(0)])
    ours = ratio(lambda: [[*position.moves(0)] for _ in range(20)], lambda: [state.legal_actions() for _ in range(20)])
    yield Figure("go-legal-list", ours, 30, "the legal moves of a 19x19 middle game, over OpenSpiel's legal_actions")


def _one_more() -> Figure:
    """From the text of a record to its text with one more move, as when the service judges an order."""
    text = write(START, LOGS[1][:250])
    seat, move = LOGS[1][250]

    def judge() -> str:
        log = [(0 if said[0] == "b" else 1, said[7:]) for _, said in lines(text)]
        position = GO.replay(GO.start(), log)
        canonical = position.read(seat, move)
        position.play(seat, canonical)
        return write(START, [*log, (seat, canonical)])

    (took,) = seconds(lambda: [judge() for _ in range(10)])
    return Figure("go-judge-250-ms", took / 10 * 1000, 0.5, "ms to decode 250 moves, judge one more and encode")
