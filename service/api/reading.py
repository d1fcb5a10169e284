"""Reads the parameters and bodies of requests into structs. Errors are sentences that name the field."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Literal, TypeVar, get_args

import msgspec
from flask import request
from msgspec import Struct

from service.api.answers import JSON
from service.api.problem_details import Refused

Given = TypeVar("Given", bound=Struct)
Part = Literal["field", "parameter"]

LONGEST_NAME = 60
"""The most characters of an unknown name that an answer repeats."""


def query(wanted: type[Given] | None) -> Given | None:
    """The parameters of this request; raises Refused."""
    args = request.args
    twice = next((name for name in args if len(args.getlist(name)) > 1), None)
    if twice is not None:
        raise _malformed(f"The parameter {twice[:LONGEST_NAME]} is given twice.", twice)
    if wanted is None:
        if unknown := next(iter(args), None):
            raise _malformed(_unknown("parameter", unknown), unknown)
        return None
    return _checked("parameter", wanted, lambda: msgspec.convert(args.to_dict(), wanted, strict=False))


def body(wanted: type[Given] | None) -> Given | None:
    """The body of this request; raises Refused."""
    if wanted is None:
        return None
    if request.mimetype != JSON:
        raise Refused(415, "not-json", f"Send JSON, with Content-Type: {JSON}.")
    raw = request.get_data()
    if _ZERO.search(raw):
        raise Refused(422, "malformed", "The body must not contain a zero byte.")
    try:
        return _checked("field", wanted, lambda: msgspec.json.decode(raw, type=wanted))
    except UnicodeDecodeError as error:
        raise Refused(400, "malformed", "The body isn't valid JSON: it isn't in UTF-8.") from error
    except msgspec.DecodeError as error:
        raise Refused(400, "malformed", _not_json(str(error), raw)) from error


_ZERO = re.compile(rb"(?<!\\)(?:\\\\)*\\u0000")
"""A zero byte as a \\u escape, not text with a backslash before u0000."""


def _checked(part: Part, wanted: type[Given], read: Callable[[], Given]) -> Given:
    try:
        return read()
    except msgspec.ValidationError as error:
        raise _malformed(*told(part, wanted, str(error))) from error


def _malformed(detail: str, field: str) -> Refused:
    return Refused(422, "malformed", detail, field=field[:LONGEST_NAME])


_HALF = re.compile(rb"\\u[dD][89abAB]..(?!\\u[dD][c-fC-F])", re.DOTALL)
"""A high surrogate, as a \\u escape, that no low surrogate follows."""


def _not_json(said: str, raw: bytes) -> str:
    if "surrogate" in said or ("truncated" in said and _HALF.search(raw)):
        return "The body isn't valid JSON: escapes from \\ud800 to \\udfff come in pairs, and one is alone."
    at = re.search(r"\(byte (\d+)\)", said)
    if at is None:
        return "The body isn't valid JSON: it ends too soon."
    return f"The body isn't valid JSON: it can't be read from byte {at[1]} on."


_WORDS = {
    "int": "a whole number",
    "float": "a number",
    "str": "text",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}

_AT = re.compile(r" - at `\$\.(?P<field>\w++)(?P<inside>[^\s`]*+)`$")
"""Possessive, to avoid backtracking: a refused value can be long and look like this."""

_NAMED = re.compile(r"Object (?P<how>contains unknown|missing required) field `(?P<name>.*)`")
_KIND = re.compile(r"Expected `(?P<wanted>[\w| ]+)`, got `(?P<got>\w+)`")
_BOUND = re.compile(r"Expected `(?P<kind>\w+)` (?P<of>of length )?(?P<side>>=|<=) (?P<bound>[\d.]+)")


def told(part: Part, wanted: type[Struct], said: str) -> tuple[str, str]:
    """msgspec's error about a value that doesn't fit this struct, as a sentence, and the field that it's about."""
    if named := _NAMED.match(said):
        is_missing = named["how"] == "missing required"
        name = named["name"]
        return (f"The {part} {name} is missing." if is_missing else _unknown(part, name)), name
    at = _AT.search(said)
    if at is None:
        return "The body must be a JSON object, in braces.", ""
    field = at["field"]
    about = f"Each item of the {part} {field}" if at["inside"] else f"The {part} {field}"
    return _sentence(about, part, wanted, field, said), field


def _unknown(part: Part, name: str) -> str:
    return f"There's no {part} {name[:LONGEST_NAME]} here."


def _sentence(about: str, part: Part, wanted: type[Struct], field: str, said: str) -> str:
    if bound := _BOUND.match(said):
        return _bounded(about, bound)
    if said.startswith(("Integer value out of range", "Number out of range")):
        return f"{about} has too many digits."
    if not said.startswith("Expected `array") and (choices := _choices(wanted, field)):
        return f"{about} must be one of these: {', '.join(choices)}."
    if kind := _KIND.match(said):
        kinds = " or ".join(_WORDS.get(one, one) for one in kind["wanted"].split(" | "))
        # A parameter always comes as text.
        return f"{about} must be {kinds}." if part == "parameter" else f"{about} must be {kinds}, not {_got(kind)}."
    return f"{about} doesn't match the description of the API."


def _got(kind: re.Match[str]) -> str:
    return _WORDS.get(kind["got"], kind["got"])


def _bounded(about: str, bound: re.Match[str]) -> str:
    number = int(float(bound["bound"]))
    match bound["kind"], bound["of"], bound["side"]:
        case "str" | "array", _, ">=":
            return f"{about} is empty."
        case "str", _, _:
            return f"{about} can have up to {number:,} characters."
        case "array", _, _:
            return f"{about} can have up to {number:,} items."
        case _, _, ">=":
            return f"{about} must be at least {number:,}."
        case _:
            return f"{about} can be up to {number:,}."


def _choices(wanted: type[Struct], field: str) -> list[str]:
    """The values that a field can have, if it has a list of them."""
    known = next((one.type for one in msgspec.structs.fields(wanted) if one.name == field), None)
    return [value for value in _values(known) if isinstance(value, str)]


def _values(kind: Any) -> list[object]:
    inner = get_args(kind)
    return [one for part in inner for one in ([part] if isinstance(part, str) else _values(part))]
