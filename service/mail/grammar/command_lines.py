"""Lines of an email as commands: which command a line is, and whether it counts."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from service.games import GAMES
from service.mail.grammar import conditional
from service.mail.grammar.command_words import (
    BY_NAME,
    GAME,
    HARMLESS,
    HERE,
    LESSON,
    OF_EVENT,
    PHRASES,
    TOPIC,
    TOPICS,
    Command,
)
from service.mail.grammar.orders import Conditional, Draw, Offer, Rematch, Resign, Standing, is_unsure, parse

IsMove: TypeAlias = Callable[[str], bool]
"""Whether the game reads a text as a move, legal or not."""

WITH_MOVES = ("if", "preview", "move", "standing")
"""Commands followed by moves."""

_WHISPER = re.compile(r"\s*say\s+to\s[^:\n]{1,100}:", re.IGNORECASE)
_MEANT = {phrase: BY_NAME[name] for name, phrases in PHRASES.items() for phrase in phrases}
_RESIGNED = re.compile(rf"(?:resign|{'|'.join(PHRASES['resign'])})\s*[.,;:!\u2013\u2014-]+\s*(\S.*)", re.IGNORECASE)
"""A resignation followed by a sentence."""
_LEFT = re.compile(rf"withdraw\s++(?:from\s++)?((?=.*\b{OF_EVENT}\b)\S.*)", re.IGNORECASE)
"""Leaving an event, whose name has the word for its kind; without that word, `withdraw` withdraws an offer."""
_OFFERED = re.compile(r"offer\s++(?:(?:an?|the)\s++)?(\S.*)", re.IGNORECASE)
"""A draw, takeback, pause, its end or a rematch, offered like a seat."""
_MEANT |= {f"{phrase} {HERE}": BY_NAME["off"] for phrase in ("unsubscribe", "stop emails", "stop mails")}

_AFTER_QUESTION = " .,;:!\"'`)]*>"
"""What a game ignores behind a move may also be behind a question mark, as in `(pass?)`."""

_ALL_EMAILS = frozenset(phrase for phrase in PHRASES["off"] if "all" in phrase.split())


@dataclass(frozen=True, slots=True)
class Line:
    """A line as it was written, the command it begins with, and what follows it.

    `command` is None if there is none. `ignored` says why a line isn't read: it is below an `end`, or there are too
    `many`.
    """

    text: str
    command: Command | None = None
    rest: str = ""
    ignored: Literal["", "end", "many"] = ""

    @property
    def is_order(self) -> bool:
        """Whether it's an order to be judged in a match: a move, or a word that answers or offers something."""
        return self.command is None or self.command.order

    @property
    def stops_match(self) -> bool:
        """Whether it's a phrase such as `stop`, which in a reply stops the emails about one match."""
        phrase = _phrase(self.text)
        return phrase in PHRASES["off"] and phrase not in _ALL_EMAILS

    @property
    def asks(self) -> bool:
        """Whether it's written as a question, which isn't an order."""
        return self.text.rstrip(_AFTER_QUESTION).endswith("?")


def line(text: str) -> Line:
    """Parses one line as the first of an email. Case and punctuation around words don't matter."""
    text = text.strip()
    if meant := _MEANT.get(_phrase(text)):
        question = "?" * Line(text).asks
        said = f"{meant.name}{question}" if meant.order else text
        return Line(said, meant, HERE if text.lower().rstrip(" .!").endswith(HERE) else "")
    if isinstance(parse(text), Resign):
        return Line(text, BY_NAME["resign"])
    if resigned := _RESIGNED.fullmatch(text):
        return Line(text, BY_NAME["resign"], resigned[1])
    if (offered := _OFFERED.fullmatch(text)) and isinstance(parse(text.rstrip(" ?!.")), Draw | Offer | Rematch):
        return replace(line(offered[1]), text=text)
    if left := _LEFT.fullmatch(text):
        return Line(text, BY_NAME["withdraw from"], left[1])
    word, _, rest = text.partition(" ")
    command = BY_NAME.get(word.strip(".,;:!?*\"'").lower())
    rest = rest.strip()
    if command is not None and command.bare and not _may_follow(command, rest):
        command = None
    return Line(text, command, rest if command else "")


def _phrase(text: str) -> str:
    return text.strip().lower().replace("\u2019", "'").strip(' .,;:!?*"')


def counts(found: Line, is_move: IsMove) -> bool:
    """Whether the whole line is an order or a command, so that it counts even below others."""
    command, rest = found.command, found.rest
    if command is None:
        return not found.asks and is_order(found.text, is_move)
    if rest and found.text.partition(" ")[0].endswith(","):
        return False
    if command.name in WITH_MOVES:
        return _names_moves(command, found, is_move)
    if command.after in (GAME, LESSON):
        step = r"\s+\d{1,2}[.!?]*$" if command.after == LESSON else "$"
        return not rest or _is_game(re.sub(step, "", rest))
    if command.after == TOPIC:
        first = rest.lower().partition(" ")[0].strip(" .?'\"")
        return not rest or first in (*BY_NAME, *TOPICS) or _is_game(rest)
    return (command.name in HARMLESS or not found.asks) and _may_follow(command, rest)


def is_order(text: str, is_move: IsMove) -> bool:
    """Whether a text is a move, conditional moves, or a move with conditional moves."""
    order = parse(text)
    if is_unsure(text):
        return False
    if not isinstance(order, Conditional):
        return is_move(text)
    try:
        steps = [step for branch in conditional.branches(order.plan) for step in branch]
    except conditional.UnclearBranch:
        return False
    return (not order.now or is_move(order.now)) and all(is_move(text) for step in steps for text in step)


def _names_moves(command: Command, found: Line, is_move: IsMove) -> bool:
    if command.name == "if":
        return not found.asks and is_order(found.text, is_move)
    if command.name == "standing":
        order = parse(found.text)
        return isinstance(order, Standing) and (not order.choices or is_move(order.moves))
    return bool(found.rest) and is_order(found.rest, is_move)


def _is_game(text: str) -> bool:
    word = re.sub(r"[\W_]+", "", text.lower())
    return any(word in map(_letters, (game.name, game.title)) for game in GAMES.values())


def _letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", text.lower())


def is_no_message(first_line: str, is_alone: bool, is_move: IsMove) -> bool:
    """Whether the answer to a message begins with a line of moves, or is nothing but a command or an order.

    A player who answers their latest email may mean it for the board, and others must not see a sealed choice.
    """
    found = line(first_line)
    if found.command is None:
        return is_order(first_line, is_move)
    has_moves = found.command.name in WITH_MOVES and bool(found.rest)
    whole = counts(found, is_move) and (has_moves or (is_alone and found.is_order))
    return whole or (is_alone and not found.rest) or is_order(first_line, is_move)


def _may_follow(command: Command, rest: str) -> bool:
    return re.fullmatch(command.after, rest.strip(".,;:!? "), re.IGNORECASE) is not None


def asks(first_line: str) -> bool:
    """Whether a reply that begins with this line is a command rather than an order."""
    return not line(first_line).is_order


def whispers(first_line: str) -> bool:
    """Whether this line is a message to only some of the others."""
    return _WHISPER.match(first_line) is not None
