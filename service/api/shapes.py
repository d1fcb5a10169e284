"""What several operations give: matches in lists, seats, and what is asked of a list."""

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
"""A number that something in the database has, or a round."""

Ply: TypeAlias = Annotated[int, Meta(ge=0, le=1_000_000)]

State: TypeAlias = Literal["open", "running", "over", "declined"]


Value = TypeVar("Value")


def given(value: Value | UnsetType) -> Value | None:
    """A parameter as use cases take it: None if it was left out. `null` is no value that an address can have."""
    return None if value is UNSET else value


class Strict(Struct, forbid_unknown_fields=True):
    """What a request says. An unknown field is refused."""


class Done(Struct):
    """Confirmation, with the address of what was changed."""

    url: str


class Named(Struct):
    """Something with a number and a name."""

    id: int
    name: str


class Seat(Struct):
    """A side of a match and who has it; `player` is null while names are hidden, for teams and for open seats,
    and for somebody who was invited and hasn't answered, but for who has invited them by name."""

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
    """A seat as the API tells it."""
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
    """A match in a list as the API tells it."""
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
    """A list of matches as the API tells it."""
    return Lines([line(one) for one in found], following)


def address(match_id: int) -> str:
    """Where a match is."""
    return f"/api/v1/matches/{match_id}"


def board(scene: Scene) -> str:
    """The board in plain characters, 72 columns at most."""
    return text_board(scene)
