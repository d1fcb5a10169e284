"""The words people may write to us, and what each line of a mail says with them.

Two rules decide how a mail is read. A reply whose first line is no command is an order: that line is the move, and
what stands below it a remark. Every other mail is commands, one to a line; a fresh mail may begin with its Subject.
A line about a match that begins with none of these words may still be one of that game's own moves.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

MOST_LINES = 25
"""Lines of commands that one mail may have; what follows is given back."""

PATIENCE = 5
"""After so many lines in a row that say nothing to us, the rest is taken for a letter to somebody else."""

END = ("end", "--", "stop here")
"""A line that ends the commands: what stands below it is not looked at."""

COMMENT = "//"

HERE = "here"
"""What follows a command about all mails that is to be about those of one match only."""


@dataclass(frozen=True, slots=True)
class Command:
    """One word people may write. `about` is `match` where it needs a match to be about.

    `order` says that the line is an order for that match, written as in a reply; `bare` that nothing may follow, but
    `here` where that is allowed: it makes the command one about a match.
    """

    name: str
    usage: str
    summary: str
    about: Literal["match", "anything"] = "anything"
    order: bool = False
    bare: bool = False
    here: bool = False


def _order(name: str, usage: str, summary: str) -> Command:
    return Command(name, usage, summary, "match", order=True)


COMMANDS: tuple[Command, ...] = (
    _order("move", "move MOVE", "Play a move. In a reply the move alone on the first line is enough."),
    _order("pass", "pass", "Pass, where the game allows it."),
    _order("draw", "draw", "Offer a draw or accept one, where the game knows it."),
    _order("accept", "accept", "Accept an invitation, or what your opponent proposes or offers."),
    _order(
        "if",
        "if MOVE then MOVE",
        "Order ahead: a move of theirs and your reply to it. A ; comes between two.",
    ),
    _order("standing", "standing MOVE [or MOVE ...]", "What is played for you where late turns pass and you are late."),
    _order("forget", "forget", "Drop what you have ordered ahead."),
    _order("decline", "decline", "Decline an invitation, or what is offered."),
    _order("undo", "undo", "Withdraw your move while nobody has seen it: see grace."),
    _order("withdraw", "withdraw", "Withdraw what you have offered."),
    _order("takeback", "takeback", "Ask to take your last move back; all others have to agree."),
    _order("pause", "pause [until DATE]", "Ask to let all clocks stand, for 14 days or until a date."),
    _order("rematch", "rematch", "Once a match is over: the same again, with the sides changed."),
    _order("resume", "resume", "Play on after a count. In a pause, resume play asks to end it."),
    _order("leave", "leave team", "Drop out of the team that shares your seat; the others of it play on."),
    _order("extend", "extend [2d]", "Give those to move more time: 3 days, or as much as you write."),
    Command("resign", "resign", "Give up. You are asked once whether you mean it.", "match", bare=True),
    Command("preview", "preview MOVE", "See what a move would do; nothing is played.", "match"),
    Command("show", "show [NUMBER]", "See the board as it stands, or as it was after that many moves.", "match"),
    Command("history", "history", "See all moves and remarks so far.", "match", bare=True),
    Command(
        "say", "say [to SIDES:] TEXT", "Say something to the others, or to those sides, or your team, alone.", "match"
    ),
    Command(
        "mute",
        "mute",
        "Get no mails about this match but reminders.",
        "match",
        bare=True,
        here=True,
    ),
    Command("unmute", "unmute", "Get mails about this match as about all others.", "match", bare=True, here=True),
    Command("match", "match NUMBER", "Say which match the lines below are about."),
    Command("status", "status", "See your matches and which of them wait for you.", bare=True),
    Command("games", "games", "See the games played here and the open seats.", bare=True),
    Command("rules", "rules [GAME]", "Get the rules of a game."),
    Command(
        "new",
        "new GAME [OPTION=VALUE ...] [clock=CLOCK] vs ADDRESS | open | bot",
        "Begin a match. press=none, public, group or private: who may talk. with ADDRESS after a player: they share a "
        "seat and move in turn.",
    ),
    Command("join", "join MATCH [SIDE]", "Take an open seat, or that of a player who is to be replaced."),
    Command(
        "offer",
        "offer seat [to ADDRESS]",
        "Offer your seat to anybody, or to one; offer none takes that back.",
        "match",
    ),
    Command("name", "name NEW NAME", "Choose the name that other players see."),
    Command("address", "address NEW@ADDRESS", "Ask for another address; links sent to both addresses confirm that."),
    Command("instant", "instant [here]", "Get every mail at once; with here, about this match.", bare=True, here=True),
    Command(
        "unseen",
        "unseen [here]",
        "Get your turn by mail only if you did not look within 30 minutes.",
        bare=True,
        here=True,
    ),
    Command("digest", "digest [HOURS | here]", "Get your turns in one mail, at the hours of your day you name."),
    Command("off", "off [here]", "Get no mails except answers to your own, not even reminders.", bare=True, here=True),
    Command("most", "most NUMBER | none", "Get so many mails a day at most; the rest comes in one."),
    Command("receipts", "receipts [on | off]", "See or set whether a move you send by email is confirmed."),
    Command("vacation", "vacation [on | off]", "See your vacation, or have it spent or kept when time runs out."),
    Command("zone", "zone [ZONE]", "See or set the time zone your deadlines are told in, such as zone Europe/Lisbon."),
    Command("grace", "grace [SECONDS]", "See or set for how long you can undo a move: 0, 30, 60 or 300 seconds."),
    Command(
        "help",
        "help [GAME | WORD]",
        "Get this list, how a game is written and set up, or more on a word, clock, press or teams.",
    ),
)

EXAMPLES = {
    "move": ("move g10",),
    "accept": ("accept", "accept pause", "accept takeback"),
    "decline": ("decline", "decline pause"),
    "resume": ("resume", "resume play"),
    "if": ("if e10 then g11", "if e10 then g11 if f9 then resign; if pass then pass", "if draw then draw"),
    "standing": ("standing c7 or d8 or pass", "standing none"),
    "pause": ("pause", "pause until 24 December"),
    "extend": ("extend", "extend 2d"),
    "preview": ("preview g10",),
    "show": ("show", "show 12"),
    "say": ("say Good luck", "say to red blue: Shall we?", "say to team: What now?"),
    "match": ("match 12",),
    "rules": ("rules GAME",),
    "new": (
        "new GAME vs ada@example.org",
        "new GAME press=group clock=3d/move, weekends off vs open",
        "new GAME vs bot",
        "new GAME with eva@example.org vs ben@example.org with open",
    ),
    "join": ("join 12", "join 12 white"),
    "offer": ("offer seat", "offer seat to ada@example.org", "offer none"),
    "name": ("name Ada",),
    "address": ("address ada@example.org",),
    "mute": ("mute", "mute here"),
    "unmute": ("unmute", "unmute here"),
    "instant": ("instant", "instant here"),
    "unseen": ("unseen", "unseen here"),
    "digest": ("digest 8 20", "digest here"),
    "off": ("off", "off here"),
    "most": ("most 10", "most none"),
    "receipts": ("receipts", "receipts off"),
    "vacation": ("vacation", "vacation off"),
    "zone": ("zone", "zone Europe/Lisbon"),
    "grace": ("grace", "grace 60", "grace 0"),
    "help": ("help", "help GAME", "help clock"),
}
"""How commands with something after them may look, the name of a game being left out."""

TOPICS = ("clock", "press", "substitutes", "teams")
"""What of a new match has words of its own, beside the options of its game."""

_OPEN = re.compile(r"""^\s*new\b.*=["“”„][^"“”„]*$""", re.IGNORECASE)
"""A value that has a quotation mark before it and none after it."""

_WHISPER = re.compile(r"\s*say\s+to\s[^:\n]{1,100}:", re.IGNORECASE)
_NO_REMARK = re.compile(
    r"^\s*(?:say\s+to\s[^:\n]{1,100}:|if\s(?=[^\n]{0,200}?(?:\d|pass|draw))(?:\S+\s+){1,4}then\s|draw[.?!]?\s*$)",
    re.IGNORECASE | re.MULTILINE,
)
"""Below an order: words to some alone, an order ahead as moves are written, the offer of a draw."""

_BY_NAME = {command.name: command for command in COMMANDS}
_BY_NAME["adjourn"] = _BY_NAME["pause"]


@dataclass(frozen=True, slots=True)
class Line:
    """A line as it was written, the command it begins with, and what stands after it.

    `command` is None where there is none; `ignored` says why a line is not to be looked at: it stands below an
    `end`, or there are too `many`.
    """

    text: str
    command: Command | None = None
    rest: str = ""
    ignored: Literal["", "end", "many"] = ""


def line(text: str) -> Line:
    """One line. Case and the punctuation around a word do not count."""
    word, _, rest = text.strip().partition(" ")
    command = _BY_NAME.get(word.strip(".,;:!?*\"'").lower())
    rest = rest.strip()
    if command is not None and command.bare and not _may_follow(command, rest.strip(".,;:!?")):
        command = None
    return Line(text.strip(), command, rest if command else "")


def _may_follow(command: Command, rest: str) -> bool:
    return not rest or (command.here and rest.lower() == HERE)


def named(word: str) -> Command | None:
    """The command called so."""
    return _BY_NAME.get(word)


def asks(first_line: str, below: str = "") -> bool:
    """Whether a reply that begins with this line is commands, and not an order with a remark below it.

    It is also where a line below an order is one that no remark may become, because all would read what is not for all.
    """
    command = line(first_line).command
    return (command is not None and not command.order) or _NO_REMARK.search(below) is not None


def whispers(first_line: str) -> bool:
    """Whether this line says something to some alone."""
    return _WHISPER.match(first_line) is not None


def lines(subject: str, text: str) -> tuple[Line, ...]:
    """The lines of a mail of commands. The Subject counts where it begins with a command and answers nothing.

    Many write the same in both places, or only its first words: what the Subject says is not done a second time.
    """
    written = [written for written in text.splitlines() if written.strip() and not written.lstrip().startswith(COMMENT)]
    said = any(f"{_bare(words)} ".startswith(f"{_bare(subject)} ") for words in written)
    if line(subject).command is not None and not said:
        written.insert(0, subject)
    found: list[Line] = []
    written = list(_joined(written))
    for at, words in enumerate(written):
        if words.strip().lower() in END:
            return (*found, *_ignored(written[at + 1 :], "end"))
        if at == MOST_LINES:
            return (*found, *_ignored(written[at:], "many"))
        found.append(line(words))
    return tuple(found)


def _joined(written: list[str]) -> Iterator[str]:
    """The lines, each with those that a mail program broke off from it within quotation marks."""
    at = 0
    while at < len(written):
        known = _OPEN.search(written[at]) and _closed(written[at], written[at + 1 :])
        yield known[0] if known else written[at]
        at += known[1] if known else 1


def _closed(begun: str, following: list[str]) -> tuple[str, int] | None:
    """A line with those up to the second quotation mark, and how many they are; None if a command comes first."""
    for count, words in enumerate(following[:MOST_LINES], start=2):
        if line(words).command is not None:
            return None
        begun = f"{begun.strip()} {words.strip()}"
        if not _OPEN.search(begun):
            return begun, count
    return None


def _ignored(left: list[str], why: Literal["end", "many"]) -> Iterator[Line]:
    """Lines not to be looked at; a dot stands for those that are too many to be given back."""
    yield from (Line(words.strip(), ignored=why) for words in left[:MOST_LINES])
    if len(left) > MOST_LINES:
        yield Line(f"... ({len(left) - MOST_LINES})", ignored=why)


def _bare(text: str) -> str:
    """A line without what `line` does not look at."""
    return " ".join(text.lower().split()).strip(".,;:!?*\"'")
