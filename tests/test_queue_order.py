"""The queues that a worker looks at."""

from __future__ import annotations

from itertools import groupby

from kombu.utils.imports import symbol_by_name

from worker.app import QUEUES, app
from worker.queue_order import MostlySorted


def looks(queues: list[str], count: int) -> list[list[str]]:
    order: MostlySorted = symbol_by_name(app.conf.broker_transport_options["queue_order_strategy"])()
    order.update(queues)
    return [order.consume(len(queues)) for _ in range(count)]


def test_moves_come_first_and_letters_are_never_left_out() -> None:
    found = looks(["post", "judge", "rest"], 24)
    assert [[name, len([*group])] for name, group in groupby(names[0] for names in found)] == [
        *(["judge", 3], ["post", 1], ["judge", 3], ["rest", 1]) * 3
    ]
    assert all(sorted(names) == ["judge", "post", "rest"] for names in found)
    assert found[0] == ["judge", "post", "rest"]


def test_opponents_move_before_matches_are_reviewed() -> None:
    """A turn of a review takes some seconds, and hundreds of reviews may wait."""
    assert ("think" in QUEUES["think"], QUEUES["review"]) == (True, ("review",))
    found = looks(["review", "think"], 8)
    assert [names[0] for names in found] == ["think", "think", "think", "review"] * 2


def test_a_worker_with_one_queue_always_looks_at_it() -> None:
    assert looks(["think"], 9) == [["think"]] * 9
    assert looks([], 9) == [[]] * 9
