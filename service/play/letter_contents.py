"""The contents of letters: frozen data classes, stored as JSON and read back only if every value is valid."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import MISSING, Field, dataclass, fields
from datetime import datetime
from functools import cache
from types import NoneType, UnionType
from typing import (
    Any,
    ClassVar,
    Literal,
    Self,
    TypeAlias,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
)

from service.mail.reply_address import Purpose
from service.store.tables.mail_rows import Letter

Quota: TypeAlias = Literal["", "answers", "questions", "questions about replies", "receipts"]
"""What limits the answers to a player's email in a day; "" for letters that answer nothing. See `preferences`."""


class UnreadableLetter(ValueError):
    """A letter of an unknown kind, or with contents that its kind doesn't have. The message is for the log."""


@dataclass_transform(frozen_default=True, kw_only_default=True)
class Contents:
    """The contents of a letter. Every subclass is a frozen data class.

    Each subclass with a `kind` is a kind of letter, and its flags say when it is sent.
    """

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
    kind: ClassVar[str]
    category: ClassVar[str]
    """What mail providers count complaints by (Feedback-ID); the kind unless several kinds share one."""
    optional: ClassVar[bool]
    """A player can turn it off. One not sent for this reason has no error and isn't due."""
    urgent: ClassVar[bool]
    """Neither a digest nor the daily limit holds it back, because time is running out, or it is the digest itself."""
    delayable: ClassVar[bool]
    """It is sent only if the page wasn't looked at, or goes into the digest, if its reader chose so."""
    weekly: ClassVar[bool]
    """It isn't about what is open today, so it waits for the next day if the reader has had enough emails."""
    inviting: ClassVar[bool]
    """Anybody can have it sent to an address they know, so only a few are sent in a day."""
    quota: ClassVar[Quota]
    superseded_by: ClassVar[tuple[str, ...]]
    """Kinds of letters that say all that this one does. It isn't sent after one of them."""
    reply: ClassVar[Purpose]
    """The purpose of a reply to it."""

    def __init_subclass__(
        cls,
        *,
        kind: str = "",
        category: str = "",
        optional: bool = False,
        urgent: bool = False,
        delayable: bool = False,
        weekly: bool = False,
        inviting: bool = False,
        quota: Quota = "",
        superseded_by: tuple[str, ...] = (),
        reply: Purpose = Purpose.ORDER,
    ) -> None:
        cls.kind, cls.category, cls.quota, cls.reply = kind, category or kind, quota, reply
        cls.optional, cls.urgent, cls.delayable, cls.inviting = optional, urgent, delayable, inviting
        cls.superseded_by, cls.weekly = superseded_by, weekly
        dataclass(frozen=True, kw_only=True)(cls)
        if kind:
            if kind in KINDS:
                raise TypeError(f"Two kinds of letters are called {kind}.")
            KINDS[kind] = cls

    def to_json(self) -> dict[str, Any]:
        """All fields that don't have their default value."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {field.name: _plain(values[field.name]) for field in fields(self) if values[field.name] != field.default}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """The contents that `to_json` wrote; raises UnreadableLetter."""
        known = _fields(cls.kind)
        missing = {name for name, (field, _) in known.items() if field.default is MISSING} - data.keys()
        if missing or data.keys() - known.keys():
            names = ", ".join(sorted(missing | (data.keys() - known.keys())))
            raise UnreadableLetter(f"a letter of the kind {cls.kind} has missing or unknown fields: {names}")
        try:
            return cls(**{name: _read(value, known[name][1]) for name, value in data.items()})
        except (TypeError, ValueError) as error:
            raise UnreadableLetter(f"a letter of the kind {cls.kind} has a value of the wrong type") from error


KINDS: dict[str, type[Contents]] = {}
"""Every kind of letter by its name. `letter_kinds` declares them."""


def read(letter: Letter) -> Contents:
    """The contents of a stored letter; raises UnreadableLetter."""
    if letter.kind not in KINDS:
        raise UnreadableLetter(f"the kind {letter.kind!r} is unknown")
    return KINDS[letter.kind].from_json(letter.data)


def readable(letter: Letter | None) -> Contents | None:
    """`read` for a letter that may be gone: None then, and where it can't be read."""
    with suppress(UnreadableLetter):
        return None if letter is None else read(letter)
    return None


@cache
def _fields(kind: str) -> dict[str, tuple[Field[Any], Any]]:
    hints = get_type_hints(KINDS[kind])
    return {field.name: (field, hints[field.name]) for field in fields(KINDS[kind])}


def _plain(value: object) -> object:
    if isinstance(value, datetime):
        return value.isoformat()
    return [_plain(one) for one in value] if isinstance(value, list | tuple) else value


def _read(value: Any, hint: Any) -> Any:
    """A value from JSON as its field wants it; raises TypeError or ValueError."""
    if get_origin(hint) is UnionType:
        return None if value is None else _read(value, next(one for one in get_args(hint) if one is not NoneType))
    return _READERS[get_origin(hint) or hint](value, get_args(hint))


def _exactly(wanted: type) -> Callable[[Any, tuple[Any, ...]], Any]:
    def read(value: Any, _args: tuple[Any, ...]) -> Any:
        if type(value) is not wanted:  # True is an int, but not a number.
            raise TypeError(f"expected {wanted.__name__}")
        return value

    return read


def _literal(value: Any, args: tuple[Any, ...]) -> Any:
    if value not in args:
        raise ValueError(f"expected one of {args}")
    return value


def _tuple(value: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
    _exactly(list)(value, ())
    hints = [args[0]] * len(value) if args[-1] is Ellipsis else args
    return tuple(_read(one, hint) for one, hint in zip(value, hints, strict=True))


def _moment(value: Any, _args: tuple[Any, ...]) -> datetime:
    moment = datetime.fromisoformat(_exactly(str)(value, ()))
    if moment.tzinfo is None:
        raise ValueError("expected a time with its zone")
    return moment


_READERS: dict[Any, Callable[[Any, tuple[Any, ...]], Any]] = {
    **{plain: _exactly(plain) for plain in (bool, int, str, dict)},
    Literal: _literal,
    tuple: _tuple,
    datetime: _moment,
}


Unheard: TypeAlias = Literal["", "secret", "silent"]
"""Why nobody reads the text below an order: nobody learns of the order, or messages are off in the match."""


class Seen(Contents):
    """About a match, as the place `seat` saw it after `ply` entries. `announce` fills these in for each reader.

    `outside` shows only what everybody sees.
    """

    ply: int = -1
    seat: int = -1
    outside: bool = False


class Timed(Seen):
    """A `deadline`, of the reader or of the player it is about; None without a running clock."""

    deadline: datetime | None = None


class OfPlayer(Timed):
    """About the player who has the seat `by`. `who` is their name if they're in a team and names are shown.

    `mate`: they share the reader's seat.
    """

    by: int
    who: str = ""
    mate: bool = False


class OrderAnswer(Contents):
    """About an order that the reader gave by email, or ahead. `unheard` is why its remark reached nobody."""

    submission: int
    outside: bool = False
    unheard: Unheard = ""
