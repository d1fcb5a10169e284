"""The words people may write to us: the table from which the parser, `help`, the web page and GRAMMAR.md are made.

`reading` decides which lines of an email are read; `line` finds what one line begins with, and `counts` whether all of
it is an order or command.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from service.mail.grammar.order_words import MOVES, WORDS

MOST_LINES = 25
"""The most lines of commands in one email; the rest is returned to the writer."""

END = ("end", "--", "stop here")
"""Lines that end the email: what is below isn't read."""

COMMENT = "//"

HERE = "here"
"""After a command about all emails, it restricts the command to those about one match."""

RULES = (
    "The first line you write is your move, your order or a command. A greeting above it doesn't count.",
    "What you write below a move or an order goes to the other players as a remark.",
    "Lines below the first are carried out only if every line you wrote is an order or a command, down to the line "
    "end, your signature or the quoted email. One line that is neither makes all of them a remark.",
    "A message that begins with say, or a comment, includes everything below it, and no command in it is carried out.",
    "A conditional move is a whole line: if MOVE then MOVE. A sentence with if and then is a remark.",
    "A question is never an order: if you write pass? you're asked whether you mean it, and a line such as c7? or d8 "
    "is refused. You're also asked when a line below the first would resign, pass, agree to a draw or to the count, or "
    "leave a team.",
    "A line that begins with // is skipped. Capital and small letters mean the same.",
)
"""How an email is read, for those who write it."""


GRACE = r"(?:(\d{1,4})(?:\s*s(?:ec(?:ond)?s?)?)?|none|off)?"
"""A pattern of what may follow `grace`: seconds, with or without a unit."""

_HERE = r"(?:here)?"
_NAMED = r"(?:\S{1,60}|(?-i:[^\W\d_a-z]\S*)(?:\s+\S+){1,2})?"
"""A pattern of what may follow a command about a player: a name."""


TAKES_ALL = ("say", "comment")
"""Commands to which everything below belongs."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command people may write. `about` is `match` if it needs a match to be about.

    `order`: the line is an order for that match, written as in a reply. `after` is a pattern for what may follow below
    the first line, so that no sentence counts as a command; MOVES, TOPIC, GAME and LESSON stand for moves and the
    arguments of help, rules and learn. `bare`: on the first line too, only what `after` allows may follow.
    """

    name: str
    usage: str
    summary: str
    about: Literal["match", "anything"] = "anything"
    order: bool = False
    bare: bool = False
    after: str = ""


TOPIC, GAME, LESSON = "TOPIC", "GAME", "LESSON"


OF_EVENT = r"(?:cup|league|ladder|tour)"
"""Words of which the name of each event has one."""

NAMES_EVENT = rf".*\b{OF_EVENT}\b.*"

COMMANDS: tuple[Command, ...] = (
    *(Command(word.name, word.usage, word.summary, "match", not word.asked, word.asked, word.after) for word in WORDS),
    Command("preview", "preview MOVE", "See what a move would do. Nothing is played.", "match", after=MOVES),
    Command(
        "show",
        "show [NUMBER]",
        "See the board now, or as it was after that many moves.",
        "match",
        after=r"(?:\d{1,4})?",
    ),
    Command("history", "history", "See all moves and remarks so far.", "match", bare=True),
    Command("why", "why", "Ask a computer opponent for beginners why it made its last move.", "match", bare=True),
    Command("estimate", "estimate", "During the count, ask which stones the computer finds dead.", "match", bare=True),
    Command(
        "say",
        "say [to SIDES:] TEXT",
        "Say something to the others, to the sides you name, or to your team. Everything below is part of the message.",
        "match",
        after=r".*",
    ),
    Command(
        "comment",
        "comment NUMBER TEXT",
        "Comment on a move of a match that's over, by its number; 0 is the starting position. Everybody can read it. "
        "Everything below is part of the comment.",
        "match",
        bare=True,
        after=r"(?:on\s+)?(?:move\s+)?#?\d{1,4}(?:\W.*)?",
    ),
    Command("mute", "mute", "Get no email about this match except reminders.", "match", bare=True, after=_HERE),
    Command(
        "unmute",
        "unmute",
        "Get the same emails about this match as about your others.",
        "match",
        bare=True,
        after=_HERE,
    ),
    Command("match", "match NUMBER", "Say which match the lines below are about.", after=r"#?\d{1,9}"),
    Command("status", "status", "See your matches, and which of them wait for you.", bare=True),
    Command("games", "games", "See the games you can play here, and the open seats.", bare=True),
    Command("rules", "rules [GAME]", "Get the rules of a game.", after=GAME),
    Command(
        "learn",
        "learn GAME [STEP]",
        "Learn a game in three minutes. Each email has a position and a task, and you reply with a move.",
        after=LESSON,
    ),
    Command(
        "problem",
        "problem GAME [NUMBER]",
        "Get a problem: a position in which one move is best. You reply with that move.",
        after=LESSON,
    ),
    Command(
        "new",
        "new GAME [OPTION=VALUE ...] [clock=CLOCK] vs ADDRESS | open | bot",
        "Start a match. press=none, public, group or private says who may talk. with ADDRESS after a player means that "
        "the two share a seat and move in turn. rated=no keeps the match from changing ratings.",
        after=r"\S.*\bvs\b.*",
    ),
    Command(
        "join",
        "join MATCH [SIDE] | EVENT",
        "Take an open seat, or replace a player who gives up a seat. With the name of an event, enter it.",
        after=rf"#?\d{{1,9}}(?:\s+\w+)?|{NAMES_EVENT}",
    ),
    Command(
        "events", "events", "See the cups, leagues, ladders and tours under way, and those you can join.", bare=True
    ),
    Command(
        "create",
        "create EVENT [at GAME] [clock=CLOCK] [seats=NUMBER] [rated=no]",
        "Create an event that anybody can join. Its name needs the word cup, league, ladder or tour. A tour includes "
        "all games, and a ladder is named after its game. rating=1300-1700 says who may enter.",
        bare=True,
        after=NAMES_EVENT,
    ),
    Command(
        "standings",
        "standings EVENT",
        "See who is ahead in an event. In a reply to an email about it, its name isn't needed.",
        bare=True,
        after=rf"(?:{NAMES_EVENT})?",
    ),
    Command(
        "challenge",
        "challenge NAME [GAME] ladder",
        "Challenge a player who is up to ten places above you on the ladder of a game.",
        after=r".*\bladder",
    ),
    Command(
        "withdraw from",
        "withdraw from EVENT",
        "Leave an event. Once it has begun, anybody may take over your seats, and you play until somebody does. "
        "On a ladder, you still finish your matches.",
        after=NAMES_EVENT,
    ),
    Command(
        "wish",
        "wish [GAMES [CLOCK] [up to NUMBER] | off]",
        "Look for opponents: name the games, the time for a move, and how many matches at once. Matches begin "
        "automatically until you write wish off. wish alone shows what you're looking for. You can add rating "
        "1300-1700 for your opponents, no bots and rated=no.",
        bare=True,
        after=r"(?!(?:you|me|us|him|her|them|i|we|it|that|there|every|all\s+(?:the|a|my))\b).*",
    ),
    Command(
        "notices",
        "notices [GAMES on | off]",
        "Get an email, at most one a day, when somebody looks for opponents at these games. You accept by replying. "
        "notices alone shows your choice, and notices off ends it.",
        bare=True,
        after=r"(?:\w+(?:\s*,\s*[\w-]+)*|(?:[\w,-]+\s+){1,20}(?:on|off))?",
    ),
    Command(
        "gazette",
        "gazette [on | off]",
        "Get an email once a week with open seats, events, a finished match and a problem. gazette alone shows your "
        "choice.",
        bare=True,
        after=r"(?:on|off)?",
    ),
    Command(
        "rating",
        "rating [NAME]",
        "See your ratings, or those of another player.",
        after=_NAMED,
    ),
    Command(
        "follow",
        "follow [NAME | EVENT]",
        "Hear when a player begins or finishes a match, or when an event begins and ends: in your digest or a feed. "
        "Nobody else can see that. follow alone lists what you follow.",
        bare=True,
        after=rf"{NAMES_EVENT}|{_NAMED}",
    ),
    Command(
        "unfollow",
        "unfollow NAME | EVENT",
        "Stop following a player or an event.",
        bare=True,
        after=rf"{NAMES_EVENT}|{_NAMED}",
    ),
    Command(
        "offer",
        "offer seat [to ADDRESS]",
        "Offer your seat to anybody, or to one person. offer none takes that back.",
        "match",
        after=r"(?:(?:my|the)\s+)?(?:none|seat(?:\s+to\s+\S+)?)",
    ),
    Command(
        "name",
        "name NEW NAME",
        "Choose the name that other players see.",
        after=r"(?-i:[^\W\d_a-z]\S*)(?:\s+\S+){0,2}",
    ),
    Command(
        "address",
        "address NEW@ADDRESS",
        "Change your email address. You confirm it with links sent to both addresses.",
        after=r"\S+@\S+",
    ),
    Command(
        "instant", "instant [here]", "Get every email at once; with here, about this match.", bare=True, after=_HERE
    ),
    Command(
        "unseen",
        "unseen [here]",
        "Get an email about your turn only if you haven't looked at the match within 30 minutes.",
        bare=True,
        after=_HERE,
    ),
    Command(
        "digest",
        "digest [HOURS | here]",
        "Get your turns together in one email, at the hours you name.",
        after=r"(?:here|[\d ,]*)",
    ),
    Command(
        "off",
        "off [here]",
        "Get no email except answers to your own, not even reminders. stop all does the same, and so does stop in an "
        "email that isn't a reply. In a reply to an email about a match, stop and unsubscribe are about that match.",
        bare=True,
        after=_HERE,
    ),
    Command(
        "most",
        "most NUMBER | none",
        "Get at most that many emails a day. The rest comes in one.",
        after=r"(?:\d{1,6}|none)",
    ),
    Command(
        "vacation",
        "vacation [on | off]",
        "See your vacation days, or choose whether they are spent when your time runs out.",
        after=r"(?:on|off)?",
    ),
    Command(
        "zone",
        "zone [ZONE]",
        "See or set the time zone of your deadlines, such as zone Europe/Lisbon.",
        after=r"[\w/+-]*(?:\s+\w+)?",
    ),
    Command(
        "grace",
        "grace [SECONDS]",
        "See or set for how long you can undo a move: 0, 30, 60 or 300 seconds.",
        after=GRACE,
    ),
    Command(
        "receipts",
        "receipts [on | off]",
        "See or set whether a move you send by email is confirmed.",
        after=r"(?:on|off)?",
    ),
    Command(
        "help",
        "help [GAME | WORD]",
        "Get this list, how to write the moves of a game, or more about a word, clock, press or teams.",
        after=TOPIC,
    ),
)

PHRASES = {
    "help": (
        "how do i play", "how do i play this", "how do you play", "how do we play", "how to play", "how does it work",
        "how do i start", "how do i start a game", "how do i start a match", "how can i start a game",
        "how does this work", "how do i move", "how do i reply", "what do i do", "what can i write", "what now",
        "help me", "help please", "please help", "i need help", "hilfe", "aide", "ayuda", "ajuda", "aiuto",
    ),
    "draw": ("i offer a draw", "i offer you a draw", "i propose a draw", "remis"),
    "status": ("is it my turn", "is it my move", "whose turn is it", "whose move is it"),
    "rules": ("what are the rules", "rules please", "spielregeln", "regeln"),
    "off": (
        "stop", "unsubscribe", "unsubscribe me", "please unsubscribe", "please unsubscribe me", "stop emails",
        "stop mails", "stop all emails", "stop sending me emails", "stop sending me these emails", "stop these emails",
        "stop emailing me", "no more emails", "no more mails", "remove me", "take me off your list",
        "stop all", "stop all mails", "unsubscribe all", "unsubscribe from all", "unsubscribe me from all",
        "abmelden", "abbestellen", "désabonner", "désinscription", "se désabonner", "cancelar suscripción",
    ),
    "resign": ("i resign", "i give up", "i surrender", "ich gebe auf", "j'abandonne"),
}  # fmt: skip
"""Whole lines from people who don't know the command."""

TOPICS = ("clock", "press", "substitutes", "teams")
"""Settings of a new match that `help` explains, apart from the options of its game."""

BY_NAME = {command.name: command for command in COMMANDS}
BY_NAME["adjourn"] = BY_NAME["pause"]

ESTIMATE_NOW = "Ask which stones the computer finds dead."
"""What `estimate` does, shown while it can be used."""

HARMLESS = (
    "preview", "show", "history", "why", "estimate", "status", "games", "rules", "learn", "problem", "rating",
    "events", "standings", "help",
)  # fmt: skip
"""Commands that change nothing, and so are carried out even with a question mark."""


def named(word: str) -> Command | None:
    """The command with this name."""
    return BY_NAME.get(word)
