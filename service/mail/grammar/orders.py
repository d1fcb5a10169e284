"""What a player may order in a match: every kind of order, how it's written, and the one parser for all of them.

An order is parsed where it comes in, from the web or an email, stored as its kind and its text, and judged by its kind.
The words of each kind, which `help`, the web and GRAMMAR.md show, are in `order_words`. Any text is an order: if it
isn't of another kind, it's a `Move`, which only the game can read or refuse.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Self, TypeAlias

from service.engine.stone_games.stone_orders import tidy

LONGEST = 2_000
"""The most characters of an order. A longer one is cut to one more, and refused when it is judged."""

_WHAT = r"(?P<what>take ?back|resume play|(?<=offer )resume|pause|adjourn)\b ?(?P<until>.*)"
"""`resume` alone is a move after a count."""
_OFFERS = {"takeback": "takeback", "resumeplay": "resume", "resume": "resume", "pause": "pause", "adjourn": "pause"}
_POLITE = r"[\s,.!:;-]+(?:with pleasure|gladly|happily|please|(?:many )?thanks|thank you|sorry)"
YES = (
    *("yes", "y", "yep", "yeah", "yes please", "yes i do", "ok", "okay", "sure", "fine", "agreed", "confirm"),
    *("ja", "oui", "sí", "si", "sim", "da", "hai", "はい"),
)
"""What agrees where exactly one thing is asked."""
_ACCEPTED = re.compile(rf"(?:{'|'.join(('accept', *YES))})(?:{_POLITE})?", re.IGNORECASE)
_DECLINED = re.compile(rf"(?:decline|no)(?:{_POLITE})?", re.IGNORECASE)
_CHOSEN = re.compile(rf"(?:accept|yes|join)(?:{_POLITE})?", re.IGNORECASE)
_PLAN = re.compile(r"\b(?:if\b|forget\W*\Z)", re.IGNORECASE)
_OR = re.compile(r"(?<![\s,])[\s,]++or\s+", re.IGNORECASE)


def _plain(text: str) -> str:
    """A text with single spaces and no punctuation at its end, so that patterns needn't allow for them."""
    return " ".join(text.split()).rstrip(" .,;!")


@dataclass(frozen=True, slots=True)
class _Written:
    """An order with its text as it was typed. The named groups of its `form` are its fields."""

    text: str
    kind: ClassVar[str]
    """Stored with the text, so the name of a kind never changes."""
    form: ClassVar[str]

    @classmethod
    def read(cls, text: str) -> Self | None:
        """The text as an order of this kind, or None."""
        found = re.fullmatch(cls.form, _plain(text), re.IGNORECASE)
        return cls(text, **found.groupdict("")) if found else None

    @property
    def is_sentence(self) -> bool:
        """Whether it has more words than a move."""
        return len(self.text.split()) > 3


@dataclass(frozen=True, slots=True)
class Move(_Written):
    """A text that only the game can read: a move, the game's own word, or choices such as `c7 or d8`."""

    kind = "move"

    @classmethod
    def read(cls, text: str) -> Self | None:
        return cls(text)

    @property
    def resumes(self) -> bool:
        """Whether it's `resume`, which plays on after a count."""
        return tidy(self.text) == "resume"


@dataclass(frozen=True, slots=True)
class _OneWord(_Written):
    """A word that all games have, read as leniently as they read it."""

    @classmethod
    def read(cls, text: str) -> Self | None:
        return cls(text) if tidy(text) == cls.kind else None


@dataclass(frozen=True, slots=True)
class Pass(_OneWord):
    """`pass`, a move wherever the game has it."""

    kind = "pass"


@dataclass(frozen=True, slots=True)
class Resign(_OneWord):
    """`resign`."""

    kind = "resign"


@dataclass(frozen=True, slots=True)
class Draw(_Written):
    """A draw by agreement, which is a move in games that have it. Without a verb it offers or accepts."""

    verb: str
    kind = "draw"
    form = r"\W*(?:(?P<verb>offer|accept|decline) )?(?:an? |the )?draw\W*"

    @classmethod
    def read(cls, text: str) -> Self | None:
        found = re.fullmatch(cls.form, _plain(text), re.IGNORECASE)
        return cls(text, (found["verb"] or "").lower()) if found else None


@dataclass(frozen=True, slots=True)
class _Agreement(_Written):
    """A word about an offer. `what` is `takeback`, `pause`, `resume`, or "" if not given; `until` is the end of a pause
    as typed, in lower case, or "" if not given."""

    what: str
    until: str

    @classmethod
    def read(cls, text: str) -> Self | None:
        found = re.fullmatch(cls.form, _plain(text).lower())
        if not found:
            return None
        what, until = _OFFERS.get((found["what"] or "").replace(" ", ""), ""), found["until"] or ""
        return cls(text, what, until) if not until or what == "pause" else None


@dataclass(frozen=True, slots=True)
class Offer(_Agreement):
    """`takeback`, `offer pause until 24 December`, `resume play`: all have to agree."""

    kind = "offer"
    form = rf"(?:offer (?:an? |the )?)?{_WHAT}"


@dataclass(frozen=True, slots=True)
class Accept(_Agreement):
    """`accept`, to an invitation, an offer or the count, or `accept pause`."""

    kind = "accept"
    form = rf"accept(?: (?:the )?{_WHAT})?"


@dataclass(frozen=True, slots=True)
class Decline(_Agreement):
    """`decline`, or `decline takeback`."""

    kind = "decline"
    form = rf"decline(?: (?:the )?{_WHAT})?"


@dataclass(frozen=True, slots=True)
class Withdraw(_Agreement):
    """`withdraw`, which withdraws the player's own offers."""

    kind = "withdraw"
    form = rf"withdraw(?: (?:the )?{_WHAT})?"


@dataclass(frozen=True, slots=True)
class Yes(_Written):
    """`yes`, which accepts an invitation and nothing else."""

    kind = "yes"
    form = "yes"


@dataclass(frozen=True, slots=True)
class No(_Written):
    """`no`, which declines an invitation and nothing else."""

    kind = "no"
    form = "no"


@dataclass(frozen=True, slots=True)
class Conditional(_Written):
    """Conditional moves as typed, or `forget` to cancel them, and the move to play `now`, or ""."""

    now: str
    plan: str
    kind = "conditional"

    @classmethod
    def read(cls, text: str) -> Self | None:
        plain = _plain(text)
        found = _PLAN.search(plain)
        if found is None:
            return None
        begins = 0 if is_unsure(plain) else found.start()
        return cls(text, plain[:begins].rstrip(" ;,."), plain[begins:])

    @property
    def forgets(self) -> bool:
        """Whether it cancels the conditional moves."""
        return self.plan.lower().startswith("forget")


@dataclass(frozen=True, slots=True)
class Standing(_Written):
    """The moves to play for a player who runs out of time, the best first."""

    moves: str
    kind = "standing"
    form = r"standing(?: order)?\b[ :]*(?P<moves>.*)"

    @property
    def choices(self) -> tuple[str, ...]:
        """The moves; empty to cancel the standing order."""
        return () if self.moves.lower() in ("", "none", "off") else choices(self.moves)


@dataclass(frozen=True, slots=True)
class Undo(_Written):
    """Withdraws the previous order, which nobody has seen yet."""

    kind = "undo"
    form = r"undo\W*"


@dataclass(frozen=True, slots=True)
class Rematch(_Written):
    """Asks for the same match again once it is over."""

    kind = "rematch"
    form = r"(?:(?:offer (?:an? |the )?)?rematch|play again)\W*"


@dataclass(frozen=True, slots=True)
class Review(_Written):
    """Asks the computer to review the match once it is over."""

    kind = "review"
    form = r"review\W*"


@dataclass(frozen=True, slots=True)
class LeaveTeam(_Written):
    """Leaves the seat to the others who share it."""

    kind = "leave team"
    form = r"leave (?:(?:the|my) )?team"


@dataclass(frozen=True, slots=True)
class Extend(_Written):
    """Gives the others more time. `amount` is as typed, or ""."""

    amount: str
    kind = "extend"
    form = r"extend\b(?: ?(?:by|for)\b)? ?(?P<amount>.*)"


@dataclass(frozen=True, slots=True)
class Timeout(_Written):
    """The clock's order for a player whose time is up. Nobody can type it."""

    kind = "timeout"
    form = "timeout"


Agreement: TypeAlias = Offer | Accept | Decline | Withdraw
Order: TypeAlias = (
    Move | Pass | Resign | Draw | Agreement | Yes | No
    | Conditional | Standing | Undo | Rematch | Review | LeaveTeam | Extend | Timeout
)  # fmt: skip

TYPED: tuple[type[Order], ...] = (
    Undo, Rematch, Review, LeaveTeam, Standing, Extend, Offer, Accept, Decline, Withdraw, Draw, Yes, No, Pass,
    Resign, Conditional, Move,
)  # fmt: skip
"""The kinds in the order in which a text is tried as each. The last two can begin like any other."""

_STORED: dict[str, type[Order]] = {kind.kind: kind for kind in (*TYPED, Timeout)}


@lru_cache(maxsize=256)
def parse(text: str) -> Order:
    """Parses a text as an order; at worst it is a `Move` that the game refuses.

    Cached, because several callers parse the lines of the same email, and trying all kinds is slow.
    """
    return next(order for kind in TYPED if (order := kind.read(text.replace("\0", "")[: LONGEST + 1])) is not None)


def restored(kind: str, text: str) -> Order:
    """An order as it was stored. One of an unknown kind counts as a move."""
    return (_STORED[kind].read(text) if kind in _STORED else None) or Move(text)


def choices(text: str) -> tuple[str, ...]:
    """The moves of `c7 or d8 or pass`, the best first; a single one without `or`."""
    return tuple(choice for part in _OR.split(text) if (choice := part.strip())) or (text,)


def is_unsure(text: str) -> bool:
    """Whether there is a question mark within it, as in `c7? or d8`: which move is meant isn't clear."""
    return "?" in text.rstrip(" ?!.,;:)]'\"`*>")


def accepts_invitation(order: Order) -> bool:
    """Whether it accepts an invitation, a seat or the only other offer, possibly politely: `accept`, `ok`, or
    `sure, thanks`.

    A draw or a count can't be accepted so: nothing but `accept` ends a match.
    """
    return _ACCEPTED.fullmatch(_plain(order.text)) is not None


_NUMBERED = re.compile(r"(.*?)(?:\s+(?:number\s+)?#?(\d{1,2}))?[\s.!]*")
"""Words, and the number after them, if any."""


def accepts_opening(text: str) -> tuple[int | None] | None:
    """The number that a reply to a list accepts, as in `accept 2` or `join 2`, or (None,) without a number; None if the
    reply doesn't accept. A list asks nothing, so `ok, thanks` accepts nothing."""
    found = _NUMBERED.fullmatch(text)
    if found is None or _CHOSEN.fullmatch(_plain(found[1])) is None:
        return None
    return (int(found[2]) if found[2] else None,)


def declines_invitation(order: Order) -> bool:
    """Whether it declines an invitation, as even `no, thank you` does."""
    return _DECLINED.fullmatch(_plain(order.text)) is not None


def answers_invitation(text: str) -> bool:
    """Whether a text accepts or declines an invitation."""
    order = parse(text)
    return accepts_invitation(order) or declines_invitation(order)


def answers_offer(order: Order) -> bool:
    """Whether it's only `draw`, `accept` or `decline`, which a game reads only while something is offered."""
    if isinstance(order, Draw):
        return not order.verb
    return isinstance(order, Accept | Decline) and not order.what
