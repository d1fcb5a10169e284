"""A second, slow implementation of reversal, with names and scans of the whole board, directly from the rules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

Stones: TypeAlias = dict[str, int]
Graph: TypeAlias = Mapping[str, frozenset[str]]


def groups(stones: Stones, graph: Graph) -> list[frozenset[str]]:
    """All groups: each stone with its neighbours of one colour, grown until nothing is added."""
    found: list[frozenset[str]] = []
    left = set(stones)
    while left:
        group: set[str] = set()
        grown = {min(left)}
        while grown != group:
            group = grown
            touching = {near for name in group for near in graph[name] if stones.get(near) == stones[name]}
            grown = group | touching
        left -= group
        found.append(frozenset(group))
    return found


def dead(stones: Stones, graph: Graph, rings: list[frozenset[str]], colour: int) -> list[frozenset[str]]:
    """The groups of a colour without a liberty or a ring."""
    return [
        group
        for group in groups(stones, graph)
        if stones[min(group)] == colour
        and all(near in stones for name in group for near in graph[name])
        and not any(ring <= group for ring in rings)
    ]


def settle(stones: Stones, graph: Graph, rings: list[frozenset[str]], mover: int) -> int:
    """Reverse dead groups, first the enemy's, then alternating colours; returns the number of reversals."""
    rounds = 0
    colour = 3 - mover
    for _ in range(4):
        doomed = dead(stones, graph, rings, colour)
        for group in doomed:
            for name in group:
                stones[name] = 3 - colour
        rounds += bool(doomed)
        colour = 3 - colour
    return rounds
