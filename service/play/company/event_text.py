"""Parses `create NAME [at GAME] [clock=CLOCK] [seats=N] [rating=A-B] [rated=no]`."""

from __future__ import annotations

import re

from service.clock.control import DEFAULT
from service.games import GAMES
from service.play import names
from service.play.company.events import KINDS, EventError, Plan

_OPTION = re.compile(r"(?:^|\s)([a-z]+)=(.*?)(?=\s[a-z]+=|\s*$)", re.IGNORECASE)
"""A clock may contain spaces: a value ends with the line, or before the next option."""

_BOUNDS = re.compile(r"(\d{1,4})?-(\d{1,4})?")


def example() -> str:
    """An example of a whole line."""
    return f"create Winter cup at {next(iter(GAMES))} clock=3d/move"


def read(text: str) -> Plan:
    """The event that is described; raises EventError for anything that isn't understood."""
    text = " ".join(text.split()).strip(" .")
    options = {name.lower(): value.strip().lower() for name, value in _OPTION.findall(text)}
    name = _OPTION.sub("", text).strip(" ,")
    unknown = options.keys() - {"clock", "seats", "rating", "rated"}
    if unknown:
        raise EventError(f"{min(unknown)} isn't a setting of an event. Write it like {example()}.")
    name, game = _game(name)
    kinds = [word for word in names.key(name).split() if word in KINDS]
    if not kinds:
        raise EventError(f"The name needs one of the words {', '.join(KINDS)}. Write it like {example()}.")
    if game is None and kinds[-1] != "tour":
        raise EventError(f"Which game? Write it like {example()}.")
    lowest, highest = _bounds(options.get("rating", "-"))
    return Plan(
        name=name,
        game=game or next(iter(GAMES)),
        clock=options.get("clock") or DEFAULT,
        seats=_seats(options.get("seats", "2")),
        rated=_yes(options.get("rated", "yes")),
        lowest=lowest,
        highest=highest,
        kind=kinds[-1],
    )


def _game(text: str) -> tuple[str, str | None]:
    """The name of the event, and the game behind it or in it, if there is one."""
    titles = {title.lower(): game.name for game in GAMES.values() for title in (game.title, game.name)}
    for title in sorted(titles, key=len, reverse=True):
        behind = re.fullmatch(rf"(.*?)(?:\s+(?:at|of|in))?\s+{re.escape(title)}", text, re.IGNORECASE)
        if behind:
            return behind[1], titles[title]
    for title in sorted(titles, key=len, reverse=True):
        if re.search(rf"\b{re.escape(title)}\b", text, re.IGNORECASE):
            return text, titles[title]
    return text, None


def _bounds(text: str) -> tuple[int | None, int | None]:
    found = _BOUNDS.fullmatch(text)
    if found is None:
        raise EventError(
            "Write the ratings of those who may enter like rating=1300-1700, rating=1300- or rating=-1700."
        )
    lowest, highest = found.groups()
    return (int(lowest) if lowest else None, int(highest) if highest else None)


def _seats(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 3):
        raise EventError("Write how many players each table has as a number, for example seats=2.")
    return int(text)


def _yes(text: str) -> bool:
    if text not in ("yes", "no"):
        raise EventError("Write rated=yes or rated=no.")
    return text == "yes"
