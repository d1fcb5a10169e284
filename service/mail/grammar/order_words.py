"""The words that orders begin with, and what each means, for `help`, the web and GRAMMAR.md."""

from __future__ import annotations

from dataclasses import dataclass

from service.mail.grammar.orders import (
    Accept,
    Conditional,
    Decline,
    Draw,
    Extend,
    LeaveTeam,
    Move,
    Offer,
    Order,
    Pass,
    Rematch,
    Resign,
    Review,
    Standing,
    Undo,
    Withdraw,
)

MOVES = "MOVES"
"""As a Word's `after`: moves may follow."""

_THING = r"(?:(?:the\s+)?(?:draw|take ?back|pause|adjourn|resume play|invitation|rematch|seat|count))?"


@dataclass(frozen=True, slots=True)
class Word:
    """A word that orders of a kind begin with. `after` is a pattern for what may follow it below the first line of an
    email, or MOVES. `asked`: the email's writer has to confirm it first."""

    name: str
    kind: type[Order]
    usage: str
    summary: str
    after: str = ""
    asked: bool = False


WORDS = (
    Word("move", Move, "move MOVE", "Play a move. In a reply the move alone on the first line is enough.", MOVES),
    Word("pass", Pass, "pass", "Pass, if the game allows it."),
    Word("draw", Draw, "draw", "Offer or accept a draw, in games that allow it."),
    Word("accept", Accept, "accept", "Accept an invitation, or what your opponent proposes or offers.", _THING),
    Word(
        "if",
        Conditional,
        "if MOVE then MOVE",
        "Conditional move: your reply to a move that others may make. Put a ; between two of these.",
        MOVES,
    ),
    Word(
        "standing",
        Standing,
        "standing MOVE [or MOVE ...]",
        "The move to play for you if you run out of time, in a match where late turns pass.",
        MOVES,
    ),
    Word("forget", Conditional, "forget", "Cancel your conditional moves."),
    Word("decline", Decline, "decline", "Decline an invitation or an offer.", _THING),
    Word("undo", Undo, "undo", "Withdraw your move before anybody has seen it: see grace."),
    Word("withdraw", Withdraw, "withdraw", "Withdraw your offer.", _THING),
    Word(
        "takeback",
        Offer,
        "takeback",
        "Ask to take your last move back. All the others have to agree. The clocks go back to what they were then, "
        "without time given since.",
    ),
    Word(
        "pause",
        Offer,
        "pause [until DATE]",
        "Ask to stop all clocks, for 14 days or until a date.",
        r"(?:until\s+[\w .:/-]{1,20}|(?:for\s+)?\d+\s?[a-z]+)?",
    ),
    Word("rematch", Rematch, "rematch", "After a match: play the same game again, with the sides changed."),
    Word("review", Review, "review", "After a match: see the costliest moves and what would have been better."),
    Word("resume", Move, "resume", "Play on after a count. In a pause, resume play asks to end it.", r"(?:play)?"),
    Word(
        "leave",
        LeaveTeam,
        "leave team",
        "Drop out of the team that shares your seat. The rest of the team plays on.",
        r"(?:(?:the|my)\s+)?team",
    ),
    Word(
        "extend",
        Extend,
        "extend [2d]",
        "Give the players whose turn it is more time: 3 days, or as much as you write.",
        r"(?:(?:by|for)\s+)?(?:\d+\s?\w*)?",
    ),
    Word("resign", Resign, "resign", "Give up. You're asked once whether you mean it.", asked=True),
)
"""The words for orders, as `help` lists them."""
