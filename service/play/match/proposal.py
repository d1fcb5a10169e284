"""Reads `new GAME [OPTION=VALUE ...] [press=PRESS] [clock=CLOCK] [with MATE] vs OTHERS`.

After any player, `with` and another say that the two share the seat and move in turn.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from service.bots.roster import NAMES
from service.clock.control import DEFAULT
from service.games import GAMES
from service.play.match.lobby import Chair, Proposal
from service.play.table import press

_VERSUS = re.compile(r"\s(?:vs\.?|versus|against)\s", re.IGNORECASE)
_WITH = re.compile(r"(?:^|\s)with\s+(\S+)", re.IGNORECASE)
"""A player and the players who share the seat, each after a `with`."""
_OPTION = re.compile(r"[a-z-]+=[^@]*$", re.IGNORECASE)
"""Anywhere in the text, a word such as komi=4.5 is an option and not part of an address."""
_CLOCK = re.compile(r"\sclock=(.*?)(?=\s[a-z-]+=|\s(?:vs\.?|versus|against)\s|\s*$)", re.IGNORECASE)
"""The clock may contain spaces: it ends with the line, before the others, or before the next option."""
_QUOTED = re.compile(r'\s([a-z-]+)=["“”„]([^"“”„]*)(["“”„]?)', re.IGNORECASE)
"""A value with spaces is in quotation marks, straight or curly."""
_BETWEEN = ("vs", "vs.", "versus", "against", "and", "&")
"""Separators between several opponents."""
_LINK = re.compile(r"<mailto:[^>]*>", re.IGNORECASE)
_LONGEST_TITLE = max(len(game.title.split()) for game in GAMES.values())
"""Words."""


class ProposalError(ValueError):
    """A description that no match can begin from. The message is one or two sentences for its writer."""


def read(text: str) -> Proposal:
    """The proposed match, with the writer in the first seat; raises ProposalError. The game checks the options."""
    text, quoted = _unquoted(f" {text} ")
    clock = _CLOCK.search(text)
    settings, *others = _VERSUS.split(f" {_CLOCK.sub(' ', text)} ", maxsplit=1)
    mates = chairs(" ".join(_WITH.findall(settings)))
    invited = _words(" ".join(others))
    before = (word.rstrip(",;") for word in _WITH.sub(" ", settings).split())
    words = [*filter(None, before), *(word for word in invited if _OPTION.match(word))]
    named = [word for word in words if "=" not in word]
    game = _first_game(named)
    against = [word for word in invited if not _OPTION.match(word)]
    if not against:
        raise ProposalError(f"Name your opponent: write new {game} vs ada@example.org, or vs open, or vs bot.")
    _check_players(against)
    table = (Chair("me", mates=mates), *_shared(against))
    options = dict(word.split("=", 1) for word in words if "=" in word) | quoted
    timed = options.pop("clock", "") or (clock[1].strip() if clock else "")
    spoken, substitutes = options.pop("press", press.DEFAULT), _says_yes(options, "substitutes")
    rated = _says_yes(options, "rated") is not False
    return Proposal(game, options, table, timed or DEFAULT, spoken, substitutes, rated=rated)


def _says_yes(options: dict[str, str], name: str) -> bool | None:
    """Takes an option that is `yes` or `no` out of the options; None if it isn't there. Raises ProposalError."""
    said = options.pop(name, "").lower()
    if said not in ("", "yes", "no"):
        raise ProposalError(f"Write {name}=yes or {name}=no.")
    return said == "yes" if said else None


def _unquoted(text: str) -> tuple[str, dict[str, str]]:
    """The text without options in quotation marks, and those options; raises ProposalError."""
    found = _QUOTED.findall(text)
    for name, value, closed in found:
        if not closed:
            raise ProposalError(f'The closing quotation mark is missing: write {name}="{value.strip()[:200]}" vs open.')
    return _QUOTED.sub(" ", text), {name.lower(): " ".join(value.split()) for name, value, _ in found}


def chairs(text: str) -> tuple[Chair, ...]:
    """Chairs written one after the other, separated by spaces or commas."""
    return tuple(map(_chair, _words(text)))


def _shared(words: list[str]) -> Iterator[Chair]:
    """The chairs of the others: a name after `with` shares the seat of the name before it."""
    for team in re.split(r"\s(?!with\s)(?<!\swith\s)", " ".join(words), flags=re.IGNORECASE):
        first, *mates = chairs(re.sub(r"\swith\s", " ", team, flags=re.IGNORECASE))
        yield replace(first, mates=tuple(mates))


def _words(text: str) -> list[str]:
    words = re.split(r"[\s,;]+", _LINK.sub(" ", text).strip(" .,;"))
    return [word for word in words if word and word.lower() not in _BETWEEN]


def _check_players(words: list[str]) -> None:
    """Raises ProposalError for a word that can't be a player, such as an option without its equals sign."""
    if any("(bot)" in word.lower() for word in words):
        raise ProposalError(
            "A bot account can't be named here. Invite it on its page, or in a program with POST "
            "/api/v1/players/NUMBER/matches."
        )
    for word in words:
        if "@" not in word and word.lower() not in ("with", "open", "bot", *NAMES):
            raise ProposalError(
                f"{word[:40]!r} isn't an email address. Name players by their address, or write open or bot. "
                "Write an option like komi=4.5."
            )


def game_named(text: str, command: str) -> str:
    """A game by its name or title; raises ProposalError with those there are, to be written after `command`."""
    wanted = " ".join(text.lower().split()).strip(" .")
    for game in GAMES.values():
        if wanted in (game.name, game.title.lower()):
            return game.name
    if wanted:
        raise ProposalError(
            f"There's no game called {text[:40]!r} here. Write {command} and one of {', '.join(GAMES)}."
        )
    raise ProposalError(f"Which game? Write {command} and one of {', '.join(GAMES)}.")


def _first_game(words: list[str]) -> str:
    """The game named by the longest possible beginning of `words`; raises ProposalError, also for leftover words."""
    for count in range(min(len(words), _LONGEST_TITLE), 1, -1):
        if any(" ".join(words[:count]).lower() == game.title.lower() for game in GAMES.values()):
            break
    else:
        count = 1
    game = game_named(" ".join(words[:count]), "new")
    if words[count:]:
        raise ProposalError(
            f"{words[count][:40]!r} isn't an option. Write an option like komi=4.5. For all of them, write help {game}."
        )
    return game


def _chair(word: str) -> Chair:
    word = word.strip("<>").lower()
    if word in NAMES:
        return Chair("bot", bot=word)
    return Chair("open" if word == "open" else "bot") if word in ("open", "bot") else Chair("email", word)
