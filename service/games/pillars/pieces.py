"""The pieces as small integers: kind, whether it is a Morph, and side. An empty square is 0."""

from __future__ import annotations

from typing import TypeAlias

Piece: TypeAlias = int
"""`kind | MORPH | side`, where the kind is in the low four bits."""

SWORD, TOWER, HORSE, ADVISOR, MOUNTED_ADVISOR, PILLAR, SERPENT, QUEEN, KING, MEDUSA = KINDS = range(1, 11)
KIND = 15
MORPH = 16
WHITE = 32
BLACK = 64
SIDES = (WHITE, BLACK)
"""The side of each seat."""

STRAIGHT = frozenset({TOWER, PILLAR, SERPENT, QUEEN, MEDUSA})
DIAGONAL = frozenset({ADVISOR, MOUNTED_ADVISOR, SERPENT, QUEEN, MEDUSA})
LEAPING = frozenset({HORSE, MOUNTED_ADVISOR, PILLAR, SERPENT})
MEDUSA_REACH = 3
"""The most squares that a Medusa moves."""

NAMES = ("", "Sword", "Tower", "Horse", "Advisor", "Mounted Advisor", "Pillar", "Serpent", "Queen", "King", "Medusa")
LETTERS = ("", "W", "T", "H", "A", "MA", "P", "S", "Q", "K", "ME")
"""The inventor's letters, by kind."""
FEN_LETTERS = " WTHAVPSQKM"
"""One character for each kind."""


def fen_letter(piece: Piece) -> str:
    """`T` for White's Tower, `a~` for Black's Morph Advisor."""
    letter = FEN_LETTERS[piece & KIND]
    return (letter if piece & WHITE else letter.lower()) + ("~" if piece & MORPH else "")


def letters(piece: Piece) -> str:
    """The inventor's letters: `MA`, or in brackets `(MA)` for a Morph."""
    return f"({LETTERS[piece & KIND]})" if piece & MORPH else LETTERS[piece & KIND]


def name(piece: Piece) -> str:
    """`Tower`, `Morph Advisor`."""
    return ("Morph " if piece & MORPH else "") + NAMES[piece & KIND]
