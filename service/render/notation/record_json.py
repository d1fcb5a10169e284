"""Records as JSON, with one move per line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from service.engine.game import Outcome
from service.engine.record_formats import Format, Order, Record, complete, instant, outcome, wrong
from service.games import GAMES

_MOVE_KEY = re.compile(r'"move"\s*:')


class Json(Format):
    """`{"game", "title", "options", "seats": [{"side", "name"}], "moves": [{"side", "move", …}], "result"}`."""

    suffix = "json"
    media_type = "application/json"
    title = "JSON"

    def recognises(self, text: str) -> bool:
        return text.lstrip().startswith("{")

    def write(self, record: Record) -> str:
        game = GAMES[record.game]
        sides = game.sides(len(record.names))
        seats = [{"side": side, "name": name} for side, name in zip(sides, record.names, strict=True)]
        moves = [
            {
                "side": sides[entry.seat],
                "move": entry.move,
                "round": entry.round,
                "time": entry.played.isoformat() if entry.played else None,
                "remark": entry.remark,
            }
            for entry in record.entries
        ]
        ended = record.outcome
        result = ended and {"scores": dict(zip(sides, map(str, ended.scores), strict=True)), "reason": ended.reason}
        top: dict[str, object] = {
            "game": record.game,
            "title": game.title,
            "options": dict(record.options),
            "result": result,
        }
        return (
            "{\n" + ",\n".join([*map(_pair, top.items()), _listing("seats", seats), _listing("moves", moves)]) + "\n}\n"
        )

    def read(self, text: str) -> Record:
        try:
            told = json.loads(text)
        except json.JSONDecodeError as error:
            raise wrong(error.lineno, f"This is not JSON: {error.msg} at column {error.colno}.") from None
        except (ValueError, RecursionError):
            raise wrong(1, "This JSON is nested too deeply, or holds a number too long.") from None
        name = _member(told, "game", str, "")
        if name not in GAMES:
            raise wrong(_line(text, "game"), f"There's no game {name[:40]!r}; there are {', '.join(GAMES)}.")
        game = GAMES[name]
        seats = _member(told, "seats", list, [])
        options = {str(key): str(value) for key, value in _member(told, "options", dict, {}).items()}
        names = [_member(seat, "name", str, "") for seat in seats] or [""] * game.min_seats
        if not game.min_seats <= len(names) <= game.max_seats:
            raise wrong(_line(text, "seats"), f"{game.title} is not for {len(names)} players.")
        return complete(
            game,
            options,
            names,
            _spoken(text, told),
            _claimed(text, told, game.sides(len(names))),
            _line(text, "options"),
        )


def _pair(member: tuple[str, object]) -> str:
    name, value = member
    return f'  "{name}": {json.dumps(value, ensure_ascii=False)}'


def _listing(name: str, values: Sequence[object]) -> str:
    """A list with each of its values on a line of its own."""
    rows = ",\n".join(f"    {json.dumps(value, ensure_ascii=False)}" for value in values)
    return f'  "{name}": [\n{rows}\n  ]' if values else f'  "{name}": []'


def _spoken(text: str, told: object) -> Iterator[Order]:
    keys = _MOVE_KEY.finditer(text)
    for move in _member(told, "moves", list, []):
        key = next(keys, None)
        line = text.count("\n", 0, key.start()) + 1 if key else 1
        side, order = _member(move, "side", str, "", line), _member(move, "move", str, "", line)
        played, remark = _member(move, "time", str, "", line), _member(move, "remark", str, "", line)
        yield Order(line, f"{side}: {order}" if side else order, instant(played), remark)


def _claimed(text: str, told: object, sides: Sequence[str]) -> Outcome | None:
    result = _member(told, "result", dict, {})
    if not result:
        return None
    line = _line(text, "result")
    scores = {str(side): str(score) for side, score in _member(result, "scores", dict, {}, line).items()}
    try:
        return outcome(sides, scores, _member(result, "reason", str, "", line))
    except ValueError:
        raise wrong(line, "The scores must include each side and add up to one point.") from None


_WANTED: dict[type[Any], str] = {str: "text", list: "a list", dict: "an object"}


def _member(of: object, name: str, kind: type[Any], default: Any, line: int = 1) -> Any:
    """A member of a JSON object, `default` if it is null or missing. Raises RecordError for another type."""
    if not isinstance(of, Mapping):
        raise wrong(line, f"An object with {name!r} was expected, not {json.dumps(of)[:40]}.")
    value = of.get(name)
    if value is None:
        return default
    if not isinstance(value, kind):
        raise wrong(line, f"{name!r} must be {_WANTED[kind]}, not {json.dumps(value)[:40]}.")
    return value


def _line(text: str, member: str) -> int:
    """The number of the line where the name of a member first occurs."""
    return text.count("\n", 0, max(text.find(f'"{member}"'), 0)) + 1
