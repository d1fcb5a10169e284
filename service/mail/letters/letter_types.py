"""What our emails say: data for each kind of letter, put into words by `letter_words` and templates.

Side names come capitalised as they are shown ("Black"), boards as text of at most 72 columns, links as full URLs (""
leaves the line out), times in the reader's own zone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, ClassVar, TypeAlias

from service.mail.letters.confirmations import NOT_TOLD as NOT_TOLD
from service.mail.letters.confirmations import ClubNotice as ClubNotice
from service.mail.letters.confirmations import Company as Company
from service.mail.letters.confirmations import Confirm as Confirm
from service.mail.letters.confirmations import EventNews as EventNews
from service.mail.letters.confirmations import FollowedNews as FollowedNews
from service.mail.letters.confirmations import Gazette as Gazette
from service.mail.letters.confirmations import Limit as Limit
from service.mail.letters.confirmations import Openings as Openings
from service.mail.letters.confirmations import Receipt as Receipt
from service.mail.letters.confirmations import UnknownSender as UnknownSender


@dataclass(frozen=True, slots=True)
class Played:
    """A move as it happened: who, what, and the remark sent with it. `told`: the game's own notes describe it.
    `undone`: it was taken back; `taken`: how many moves it took back. `late`: the clock played it. `own`: the reader
    played it; `ahead`: as a conditional move. `chosen`: the others chose at the same time. `before`: the reader has had
    an email about it. `notes`: what the game said right after it, if others moved since."""

    side: str
    move: str
    remark: str = ""
    told: bool = False
    undone: bool = False
    late: bool = False
    ahead: bool = False
    before: bool = False
    notes: tuple[str, ...] = ()
    taken: int = 0
    chosen: bool = False
    own: bool = False


@dataclass(frozen=True, slots=True)
class Deadline:
    """A player's time: `left` from now on, `until` in the reader's zone (a `ZoneInfo` is shown as its city)."""

    left: timedelta
    until: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """What every email about a running match shows: `title` is like "Rosette 12", `number` the number of the reader's
    next move, or of the round if the game is `parallel`. `others` are the sides that will read a remark, `watched`
    whether spectators will too; `examples` are legal moves, the best to show first; `commands` other words that may be
    sent; `facts` label and text ("Prisoners", "Black 0, White 2"). `explained` are orders and meanings if, after play,
    orders other than moves are needed; `partners` share the reader's seat. `over`: it has ended.
    """

    title: str
    number: int
    parallel: bool = False
    side: str
    others: tuple[str, ...]
    watched: bool = False
    board: str
    facts: tuple[tuple[str, str], ...] = ()
    deadline: Deadline | None = None
    examples: tuple[str, ...]
    commands: tuple[str, ...] = ("pass", "resign", "show", "help")
    explained: tuple[tuple[str, str], ...] = ()
    partners: tuple[str, ...] = ()
    over: bool = False
    link: str
    mute_link: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn(Table):
    """The reader is to move. `played` is what has happened since the reader's last move. `notes` are the game's
    sentences about the last move, including the move itself; `dropped` are the reader's conditional moves that didn't
    apply. `company` is set only at the beginning."""

    kind: ClassVar[str] = "turn"
    company: Company = NOT_TOLD
    played: tuple[Played, ...] = ()
    dropped: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Reminder(Table):
    """The reader hasn't moved yet. While a day of vacation is used, `vacation` is the number of days left after it."""

    kind: ClassVar[str] = "reminder"
    vacation: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal(Table):
    """An order wasn't carried out. `order` is the line that was read ("" if none was found), `reason` whole sentences.

    `sent` is the player's own text, unchanged. `to_move` is false if the match waits for somebody else or is over.
    `again`: it was carried out once already; `is_sentence`: it reads like words for the others, not like a move;
    `offered`: a draw is offered to the reader. `what` is the order's kind, `invitation` before a match has begun.
    """

    kind: ClassVar[str] = "refusal"
    order: str
    reason: str
    sent: str
    again: bool = False
    to_move: bool = True
    is_sentence: bool = False
    offered: bool = False
    what: str = "move"


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """A match, perhaps of an `event`, is over. `winners` are sides, several if the point is shared; `scores` give each
    side's share, `reason` the outcome's word, `notes` the game's sentences. `rated`: the reader's rating before and
    after; `unmoved`: unrated, as not everybody moved. `moved`: there are moves to review. `listening` get replies."""

    kind: ClassVar[str] = "result"
    title: str
    game: str = ""
    rated: tuple[int, int] | None = None
    unmoved: bool = False
    moved: bool = True
    side: str
    played: tuple[Played, ...] = ()
    winners: tuple[str, ...]
    reason: str
    notes: tuple[str, ...] = ()
    scores: tuple[tuple[str, str], ...] = ()
    listening: tuple[str, ...] = ()
    event: str = ""
    board: str
    facts: tuple[tuple[str, str], ...] = ()
    link: str
    mute_link: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Invitation:
    """Somebody asks the reader to play. `host` is a name; `settings` label and text ("Board", "7"), with the clock.

    An `unnamed` host has a number as its `host`: `met` is a match ("Rosette 3") from which the reader may know them.
    `terms` explain the clock, and `press` who may write to who. The reader replies with `accept` or `decline`, or uses
    the page at `link`. A `newcomer` may not know that this is all it takes. `number` is how others see a nameless one.
    """

    kind: ClassVar[str] = "invitation"
    title: str
    game: str
    summary: str
    host: str
    side: str
    partners: tuple[str, ...] = ()
    settings: tuple[tuple[str, str], ...] = ()
    terms: str = ""
    press: str = ""
    unnamed: bool = False
    met: str = ""
    board: str = ""
    link: str
    mute_link: str = ""
    rules_link: str = ""
    learn_link: str = ""
    newcomer: bool = True
    number: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that happened in a match, described in a few sentences by `mail/events/<kind>.txt`.

    `values` are the values in these sentences, apart from `title` and `side`. `quoted` is the remark sent with it.
    `unheard` is why the reader's own `remark` wasn't sent: `secret` because nobody else sees the order, `silent`
    because the match has no messages. `terms` explain the clock to a reader who may join.
    """

    kind: str
    title: str
    side: str
    values: Mapping[str, object]
    quoted: str = ""
    unheard: str = ""
    remark: str = ""
    terms: tuple[str, ...] = ()
    board: str
    link: str
    mute_link: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """Somebody at the table says `remark`: the side `by`, or "" if nobody may know which; in a team, `name` did.

    `to` are the sides it was said to and `answers` those that a reply goes to, both empty for the whole `table`, which
    is all sides but the reader's. `watched`: spectators can read it immediately.
    """

    kind: ClassVar[str] = "said"
    title: str
    by: str
    name: str = ""
    to: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    table: tuple[str, ...]
    watched: bool = False
    remark: str
    board: str
    link: str
    mute_link: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SignIn:
    """A link that signs the reader in, once, for as long as `valid`. `learn_link` is set for newcomers."""

    kind: ClassVar[str] = "sign_in"
    link: str
    valid: timedelta
    learn_link: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """Something about the account called `player` has changed, or will: `event` says what, `name` for which key.

    `new` is the new address, `due` when the account will be deleted. `link` is where to confirm, approve or object;
    `valid` for how long, if it expires.
    """

    kind: ClassVar[str] = "account"
    event: str
    player: str
    name: str
    when: datetime
    new: str = ""
    due: datetime | None = None
    link: str
    valid: timedelta | None


@dataclass(frozen=True, slots=True)
class Answered:
    """One line of an email of commands and its result.

    `said` names a sentence of `mail/answer/lines.txt`, `about` has its values; a `board` there is text, and a `picture`
    is where the HTML part finds it as an image.
    """

    line: str
    said: str
    about: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The results of all lines of an email of commands. `subject` is that email's; `resigns` is a match's title.

    `unread` is set if some line wasn't understood, so that `help` is mentioned.
    """

    kind: ClassVar[str] = "answer"
    subject: str
    lines: tuple[Answered, ...]
    resigns: str = ""
    unread: bool = False
    link: str


@dataclass(frozen=True, slots=True)
class Waiting:
    """A match that waits for the reader, as in a `Turn`; `picture` is where the HTML finds the board, or ""."""

    title: str
    match: int
    side: str
    notes: tuple[str, ...]
    board: str
    link: str
    played: tuple[Played, ...] = ()
    deadline: Deadline | None = None
    picture: str = ""
    dropped: str = ""
    facts: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Kept:
    """An email that was left to a digest: its subject, what somebody said in it, and the page."""

    subject: str
    said: str
    link: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Digest:
    """All matches that wait for the reader, who may have chosen digests `here` only, emails held back, and news."""

    kind: ClassVar[str] = "digest"
    matches: tuple[Waiting, ...]
    kept: tuple[Kept, ...] = ()
    followed: tuple[FollowedNews, ...] = ()
    here: bool = False
    link: str


Letter: TypeAlias = (
    Turn
    | Reminder
    | Refusal
    | Result
    | Invitation
    | Event
    | Receipt
    | Said
    | SignIn
    | Account
    | Answer
    | Confirm
    | Digest
    | EventNews
    | Gazette
    | Limit
    | Openings
    | ClubNotice
    | UnknownSender
)


def given_back(letter: Letter) -> tuple[str, ...]:
    """The reader's own words that a letter quotes."""
    match letter:
        case Refusal(sent=words) | Confirm(sent=words) | Receipt(remark=words) | Event(remark=words):
            return (words,)
        case Answer(lines=lines):
            return tuple(line.line for line in lines)
        case _:
            return ()
