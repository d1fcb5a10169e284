"""The context of a command in an email: who wrote it, and which match it is about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

from service.engine.game import MoveError
from service.engine.options import OptionError
from service.games import GAMES
from service.mail.grammar.reading import Reading
from service.play.accounts.identity import AccountError
from service.play.company.events import EventError
from service.play.company.wish_text import WishError
from service.play.match.invitations import LobbyError
from service.play.match.judge import lock
from service.play.match.proposal import ProposalError
from service.play.notify.following import FollowError
from service.play.notify.preferences import ChoiceError
from service.play.site import Transaction
from service.play.talk.messages import TalkError
from service.store.models import Match, Place, Player
from service.store.tables.mail_rows import IncomingMail

Item: TypeAlias = dict[str, Any]
"""The result of one line, as JSON."""


class CommandError(ValueError):
    """A line that can't be carried out. The message is one sentence for its writer."""


def check_open(found: Reading) -> None:
    """Raises CommandError if part of a message isn't for all its readers."""
    if found.is_private:
        raise CommandError(
            "This wasn't sent to anybody. All of it would be one message, and a line of it looks like it's meant for "
            "somebody else, or like a move that the others mustn't know yet. Send them in separate emails."
        )


REFUSALS = (
    CommandError,
    ProposalError,
    LobbyError,
    AccountError,
    ChoiceError,
    TalkError,
    MoveError,
    OptionError,
    WishError,
    EventError,
    FollowError,
)
"""The errors with which a line may fail; each is a sentence for its writer that says why."""


@dataclass(frozen=True)
class Question:
    """An order that its writer is asked about, and the round it is for."""

    match: Match
    order: str
    round: int


@dataclass
class Desk:
    """An email of commands being run: its writer, the match its lines are about, and their results so far."""

    tx: Transaction
    mail: IncomingMail
    player: Player
    match: Match | None
    resigns: Match | None = None
    asks: Question | None = None
    round: int | None = None
    """The round that the mail answers, for an order on its first line."""
    event: int | None = None
    """The event whose news the email answers."""

    @property
    def own(self) -> Place | None:
        """The writer's place in the match the line is about, where there is one."""
        return self.match.place_of(self.player.id) if self.match else None

    def turn_to(self, match: Match) -> Match:
        """Makes the lines below about this match, and returns it. The mail answers a round of its own match only."""
        if self.match is None or match.id != self.match.id:
            self.round = None
        self.match = match
        return match

    def about(self) -> Match:
        """The match the line is about; raises CommandError if the mail names none."""
        if self.match is None:
            raise CommandError("Which match is this about? Write a line such as match 12 above it.")
        return self.match

    def seat(self) -> tuple[Match, Place]:
        """That match and the writer's place in it; raises CommandError."""
        match, own = self.about(), self.own
        if own is None:
            raise CommandError(f"You have no seat in {title(match)}.")
        return match, own

    def locked(self) -> tuple[Match, Place]:
        """`seat` with the match locked, so that no move passes the seat to a partner before this transaction ends."""
        lock(self.tx.session, self.about().id)
        return self.seat()


def title(match: Match) -> str:
    """A match as emails name it: "Rosette 12"."""
    return f"{GAMES[match.game].title} {match.id}"


def number(text: str, example: str) -> int:
    """The number of a match; raises CommandError."""
    digits = text.strip(" #.")
    if not digits.isdecimal() or len(digits) > 9:
        raise CommandError(f"Write the number of the match, for example {example}.")
    return int(digits)
