"""Structs that several operations share: matches in lists, their seats, and confirmations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Annotated, Literal, TypeAlias, TypeVar

from msgspec import UNSET, Meta, Struct, UnsetType

from service.engine.scene import Scene
from service.play.accounts.display_names import BOT_MARK
from service.play.pages.match_lists import MatchLine, SeatLine
from service.render.text import text as text_board

Row: TypeAlias = Annotated[int, Meta(ge=0, le=2**31 - 1)]
"""The id of a row in the database, or a round."""

Ply: TypeAlias = Annotated[int, Meta(ge=0, le=1_000_000)]

State: TypeAlias = Literal["open", "running", "over", "declined"]


Value = TypeVar("Value")


def given(value: Value | UnsetType) -> Value | None:
    """A parameter for a use case: None if it was left out. An address can't contain `null`."""
    return None if value is UNSET else value


class Strict(Struct, forbid_unknown_fields=True):
    """The contents of a request. Unknown fields are refused."""


class Done(Struct):
    """Confirmation, with the address of what was changed."""

    url: str


class Named(Struct):
    """Something with a number and a name."""

    id: int
    name: str


class Seat(Struct):
    """A side of a match and its player. `player` is null while names are hidden, for teams and open seats, and for
    somebody who hasn't answered an invitation, unless you invited them by name."""

    number: int
    side: str
    name: str
    player: int | None
    is_me: bool
    is_bot: bool
    accepted: bool
    to_move: bool
    deadline: datetime | None
    score: str | None
    team: Sequence[str] = ()


class Line(Struct):
    """A match as lists show it."""

    id: int
    url: str
    game: str
    state: State
    round: int
    moved: datetime
    clock: str
    seats: Sequence[Seat]
    my_seat: int | None
    my_turn: bool
    invited: bool
    reason: str | None


class Lines(Struct):
    """Matches, and the address of the next page; null on the last one."""

    matches: Sequence[Line]
    next: str | None = None


def seat(line: SeatLine) -> Seat:
    """A seat as the API returns it."""
    return Seat(
        number=line.number,
        side=line.side,
        name=line.name,
        player=line.player_id,
        is_me=line.is_me,
        is_bot=line.is_bot or line.name.endswith(BOT_MARK),
        accepted=line.accepted,
        to_move=line.to_move,
        deadline=line.deadline,
        score=line.score,
        team=[member.name for member in line.team],
    )


def line(found: MatchLine) -> Line:
    """A match in a list, as the API returns it."""
    return Line(
        id=found.id,
        url=address(found.id),
        game=found.game,
        state=found.state,  # type: ignore[arg-type]
        round=found.round,
        moved=found.moved,
        clock=found.clock.write(),
        seats=[seat(one) for one in found.seats],
        my_seat=found.my_seat,
        my_turn=found.my_turn,
        invited=found.invited,
        reason=found.reason,
    )


def lines(found: Iterable[MatchLine], following: str | None = None) -> Lines:
    """A list of matches as the API returns it."""
    return Lines([line(one) for one in found], following)


def address(match_id: int) -> str:
    """The address of a match."""
    return f"/api/v1/matches/{match_id}"


def board(scene: Scene) -> str:
    """The board in plain characters, 72 columns at most."""
    return text_board(scene)
