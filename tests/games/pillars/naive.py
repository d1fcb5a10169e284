"""A simple and slow implementation of Pillars of Medusa, with which tests compare the real one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

Spot: TypeAlias = tuple[int, int]
Men: TypeAlias = dict[Spot, str]
"""For each file and rank, both from 1: a FEN letter with its `~`."""

STRAIGHT = [(0, 1), (1, 0), (0, -1), (-1, 0)]
DIAGONAL = [(1, 1), (1, -1), (-1, -1), (-1, 1)]
LEAPS = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)]
SLIDES = {"T": STRAIGHT, "A": DIAGONAL, "V": DIAGONAL, "P": STRAIGHT}
SLIDES |= dict.fromkeys("SQKM", STRAIGHT + DIAGONAL)
REACH = {"K": 1, "M": 3}
FILES = "abcdefghijk"


def read(fen: str) -> tuple[Men, bool, str]:
    """The pieces, whether White moves, and the castling field."""
    placement, side, castling, *_ = fen.split()
    men: Men = {}
    for down, row in enumerate(placement.split("/")):
        file = 0
        for token in row.replace("11", ".." * 5 + ".").replace("10", "." * 10):
            if token == "~":
                men[file, 11 - down] += "~"
            elif token.isalpha():
                file += 1
                men[file, 11 - down] = token
            else:
                file += 1 if token == "." else int(token)
    return men, side == "w", castling


def is_white(man: str) -> bool:
    return man[0].isupper()


def is_stone(men: Men, spot: Spot) -> bool:
    """Whether a piece is next to an enemy Medusa, and isn't a Medusa itself: rulings 1 and 3."""
    if men[spot][0] in "mM":
        return False
    gaze = "m" if is_white(men[spot]) else "M"
    near = [(spot[0] + across, spot[1] + up) for across, up in STRAIGHT + DIAGONAL]
    return any(men.get(place, ".")[0] == gaze for place in near)


def on_board(spot: Spot) -> bool:
    return 1 <= spot[0] <= 11 and 1 <= spot[1] <= 11


def reaches(men: Men, spot: Spot) -> Iterator[Spot]:
    """The squares that a piece other than a Sword can reach, including those of its own side's pieces."""
    kind = men[spot][0].upper()
    for across, up in LEAPS if kind in "HVPS" else []:
        yield spot[0] + across, spot[1] + up
    for across, up in SLIDES.get(kind, []):
        for distance in range(1, REACH.get(kind, 10) + 1):
            place = spot[0] + distance * across, spot[1] + distance * up
            yield place
            if place in men:
                break


def captures(men: Men, spot: Spot) -> Iterator[Spot]:
    """The squares that a piece attacks; a stone piece attacks none (ruling 4)."""
    if is_stone(men, spot):
        return
    if men[spot][0] in "wW":
        up = 1 if is_white(men[spot]) else -1
        yield spot[0] - 1, spot[1] + up
        yield spot[0] + 1, spot[1] + up
    else:
        yield from reaches(men, spot)


def attacked(men: Men, target: Spot, by_white: bool) -> bool:
    return any(target in captures(men, spot) for spot, man in men.items() if is_white(man) == by_white)


def targets(men: Men, spot: Spot) -> Iterator[Spot]:
    man = men[spot]
    if is_stone(men, spot):
        return
    for place in captures(men, spot):
        taken = men.get(place)
        if on_board(place) and (is_white(taken) != is_white(man) if taken else man[0] not in "wW"):
            yield place
    if man[0] in "wW":
        up, home = (1, (1, 2, 3)) if is_white(man) else (-1, (9, 10, 11))
        for steps in (1, 2) if spot[1] in home else (1,):
            place = spot[0], spot[1] + up * steps
            if place in men or not on_board(place):
                break
            yield place


def forms(man: str, taken: str | None, rank: int) -> set[str]:
    """What a piece may be after its move: rulings 8 to 12."""
    white = is_white(man)
    last = 11 if white else 1
    found = {("M" if white else "m") if man[0] in "wW" and rank == last else man}
    if "~" in man and taken and man.lower() != taken.lower():
        letter = taken[0].upper() if white else taken[0].lower()
        turned = letter + ("" if "~" in taken else "~")
        if not (letter in "wW" and rank == last):
            found.add(turned)
    return found


def name(spot: Spot) -> str:
    return f"{FILES[spot[0] - 1]}{spot[1]}"


def legal(fen: str) -> set[tuple[str, str, str]]:
    """Every legal move as from, to and the piece that is then there; castling as the King onto his own Tower."""
    men, white, castling = read(fen)
    found = set()
    for spot, man in men.items():
        if is_white(man) != white:
            continue
        for place in targets(men, spot):
            for form in forms(man, men.get(place), place[1]):
                after = {other: piece for other, piece in men.items() if other != spot} | {place: form}
                king = next(other for other, piece in after.items() if piece == ("K" if white else "k"))
                if not attacked(after, king, not white):
                    found.add((name(spot), name(place), form))
    home = 1 if white else 11
    for letter, corner in (("A", 1), ("K", 11)):
        if (letter if white else letter.lower()) in castling:
            path = [(file, home) for file in (range(1, 7) if corner == 1 else range(6, 12))]
            free = not any(spot in men for spot in path if spot[0] not in (6, corner))
            if free and not any(attacked(men, spot, not white) for spot in path):
                found.add((f"f{home}", name((corner, home)), "K" if white else "k"))
    return found
