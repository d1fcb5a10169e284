"""The kinds of letters: a registry, read by all code that looks for letters of some sort.

service/README.md says how to add a letter. Contents have only what doesn't follow from the match and its log. Sides are
seat numbers.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal, TypeAlias

from service.mail.reply_address import Purpose
from service.play.company_letters import ClubNotice as ClubNotice
from service.play.company_letters import EventNews as EventNews
from service.play.company_letters import Gazette as Gazette
from service.play.company_letters import Openings as Openings
from service.play.letter_contents import KINDS as KINDS
from service.play.letter_contents import Contents, OfPlayer, OrderAnswer, Seen, Timed
from service.play.letter_contents import read as read

AccountEvent: TypeAlias = Literal[
    "address-asked", "address-approve", "address-proven", "address-changed", "address-taken", "passkey-added",
    "passkey-removed", "password-set", "password-changed", "password-removed", "leaving-asked", "hook-off",
    "address-kept", "token-made", "banned", "ban-lifted", "bot-banned", "bot-ban-lifted",
]  # fmt: skip


class Turn(Timed, kind="turn", optional=True, delayable=True):
    """The reader is to move. `dropped` are the reader's conditional moves that didn't fit."""

    dropped: str = ""


class Reminder(Timed, kind="reminder", optional=True, urgent=True):
    """The reader's time is running out, or did, and a day of vacation is used: this many are left after it."""

    vacation: int | None = None


class Begun(Seen, kind="begun", optional=True, delayable=True):
    """The match has begun, and the reader isn't the first to move."""


class Result(Seen, kind="result", optional=True, reply=Purpose.RESULT):
    """The match is over."""


class Said(Seen, kind="said", optional=True, reply=Purpose.TALK):
    """The seat `by` wrote `text`, to the seats `chosen` or, if there are none, to all. `name` is set in teams."""

    by: int
    text: str
    name: str = ""
    chosen: tuple[int, ...] = ()


class Invitation(Seen, kind="invitation", optional=True, inviting=True, reply=Purpose.INVITATION):
    """The player `inviter` asks the reader to play, or to play the match `rematch` again."""

    inviter: int
    rematch: int | None = None


class InvitationDeclined(Seen, kind="declined", optional=True):
    """The player invited as `by` declined, and wrote `text`. `name` is theirs if it may be shown."""

    by: int
    name: str = ""
    text: str = ""


class InvitationWithdrawn(Seen, kind="withdrawn", optional=True):
    """The match was called off before it began. `name` is that of the player who opened it, if it may be shown."""

    name: str = ""


class RematchAsked(OrderAnswer, kind="rematch", quota="answers"):
    """The rematch that the reader asked for is the match `title`, in which they have the seat `by`. `open`: a seat of
    somebody who has left is open to anybody."""

    by: int
    title: str
    open: bool = False


class Reviewed(OrderAnswer, kind="reviewed", quota="answers", reply=Purpose.RESULT):
    """The computer has looked back at the match, as the reader asked."""


class Refusal(OrderAnswer, kind="refusal", quota="answers"):
    """The order wasn't played: it was played `again`, or it `waits` for a partner, or it is a `sentence`."""

    again: bool = False
    waits: bool = False
    sentence: bool = False


class Receipt(OrderAnswer, kind="receipt", quota="receipts", superseded_by=("turn", "result")):
    """The order was accepted. `event` is one of `letter_types.Receipt`."""

    event: str


class Saved(OrderAnswer):
    """An order that nobody else sees yet is saved: a receipt, for players who want receipts."""


class ChoiceSaved(Saved, kind="choice_saved", category="noted", quota="answers"):
    """A choice is sealed until the round is resolved. `offered`: until then anybody can take the reader's seat."""

    offered: bool = False


class NotReady(Saved, kind="not_ready", category="noted", quota="answers"):
    """The reader said that they're not ready, which takes back their choice."""


class PrivateSaved(Saved, kind="private_saved", category="noted", quota="answers"):
    """An order that isn't a move, and that only its player knows of, is saved."""


class ConditionalSaved(OrderAnswer, kind="conditional_saved", category="ahead", quota="answers"):
    """Conditional moves are saved."""


class StandingSaved(OrderAnswer, kind="standing_saved", category="ahead", quota="answers"):
    """A standing order is saved."""


class OrderWithdrawn(OrderAnswer, kind="undone", quota="answers"):
    """The earlier `order` was withdrawn, by `undo` or by another, which is `by` then."""

    order: str
    by: str = ""


class RemarkUnheard(OrderAnswer, kind="unheard", quota="answers"):
    """The order was accepted, but what was written below it reached nobody."""


class Offer(Seen):
    """What the seat `by` offered or answered, with the `text` written below it."""

    by: int
    text: str = ""


class PauseOffer(Offer):
    """A pause, to last `until` then."""

    until: datetime | None = None


class TakebackOffer(Offer):
    """A takeback, of the moves `taken`: pairs of seat and move."""

    taken: tuple[tuple[int, str], ...] = ()


class DrawOffered(Offer, kind="draw_offered", category="agreement", optional=True, reply=Purpose.DRAW):
    """A draw is offered."""


class DrawDeclined(Offer, kind="draw_declined", category="agreement", optional=True):
    """The reader's offer of a draw was declined."""


class TakebackOffered(
    TakebackOffer, kind="takeback_offered", category="agreement", optional=True, reply=Purpose.TAKEBACK
):
    """Somebody asks to take moves back."""


class TakebackAgreed(TakebackOffer, kind="takeback_agreed", category="agreement", optional=True):
    """Moves were taken back."""


class TakebackDeclined(Offer, kind="takeback_declined", category="agreement", optional=True):
    """The reader's takeback was declined."""


class PauseOffered(PauseOffer, kind="pause_offered", category="agreement", optional=True, reply=Purpose.PAUSE):
    """Somebody asks for a pause."""


class PauseAgreed(PauseOffer, kind="pause_agreed", category="agreement", optional=True):
    """The match is paused."""


class PauseDeclined(Offer, kind="pause_declined", category="agreement", optional=True):
    """The reader's pause was declined."""


class ResumeOffered(Offer, kind="resume_offered", category="agreement", optional=True, reply=Purpose.RESUME):
    """Somebody asks to end the pause."""


class ResumeAgreed(Offer, kind="resume_agreed", category="agreement", optional=True):
    """The pause is over."""


class ResumeDeclined(Offer, kind="resume_declined", category="agreement", optional=True):
    """The pause goes on."""


class TimeExtended(Timed, kind="extended", optional=True):
    """The seat `by` gave the reader more time."""

    by: int


class Departed(Seen, kind="departed", optional=True):
    """A player left in a round for which the reader has sealed a choice, and the round goes on."""


class Late(OfPlayer, kind="late", optional=True):
    """A player is late, and the match waits for them once more."""


class TurnsMissed(OfPlayer, kind="sought", optional=True):
    """A player has missed enough turns for others to take the seat."""


class SeatOffered(Seen, kind="seat", optional=True, inviting=True):
    """The reader can take over a seat from the player `name`."""

    name: str = ""


class SeatTaken(Seen, kind="taken", optional=True):
    """The reader has taken over a seat."""


class NewPlayer(Seen, kind="substitute", optional=True):
    """The player `name` has taken over the seat `by`."""

    by: int
    name: str = ""


class SeatLost(Seen, kind="released", optional=True):
    """Somebody else has taken over the reader's seat, in which the reader had `sealed` a choice."""

    sealed: bool = False


class TimedOut(Seen, kind="timed_out", optional=True):
    """The reader has run out of time in a match that goes on."""


class TeamLeft(Seen, kind="left", optional=True):
    """The reader is no longer in a team."""


class TeamSmaller(Seen, kind="fewer", optional=True):
    """The player `name` is no longer in the team of the seat `by`."""

    by: int
    name: str = ""


class Bouncing(OfPlayer, kind="bounces", optional=True):
    """Emails to another player are bouncing."""


class SignIn(Contents, kind="sign_in"):
    """A link to sign in. `expires` is in seconds since 1970, `guest` a guest whose matches the reader may claim.
    `newcomer`: the reader has never confirmed their address. `wanted` is the path of the page that it leads to."""

    nonce: str
    expires: int
    guest: int | None = None
    newcomer: bool = False
    wanted: str = ""


class Account(Contents, kind="account"):
    """Something about the reader's account changed, or is about to. `name` is that of a passkey, a token or a hook's
    host, or why somebody is banned. `holder` has the token, the hook or the ban: the reader, or one of their bots.
    `change` is an AddressChange, `due` when the account or the ban ends. It goes to `address` if not the reader's."""

    event: AccountEvent
    name: str = ""
    holder: str = ""
    address: str = ""
    change: int | None = None
    due: datetime | None = None


class CommandsAnswer(Contents, kind="answer", quota="answers"):
    """The result of each line of the email `mail`, as `command_answers` reads `lines`.

    A reply is about the `round` of a `match`, in which the reader has a `seat`. With `resigns`, it confirms that they
    resign. `asks` has the order and the round of the question that it answers.
    """

    mail: int
    lines: tuple[dict[str, Any], ...]
    resigns: bool
    asks: dict[str, Any] | None = None
    match: int | None = None
    round: int | None = None
    seat: int | None = None


class Confirm(Contents, kind="confirm", quota="questions"):
    """The email `mail` waits until its sender is confirmed. `changed`: another came before under its Message-ID."""

    mail: int
    changed: bool = False


class ConfirmReply(Confirm, kind="confirm_reply", category="confirm", quota="questions about replies"):
    """As `Confirm`, for a reply to an address that was signed for the reader. Strangers, who don't know such an
    address, can't use up these questions."""


class UnknownSender(Contents, kind="unknown_sender"):
    """The email `mail` came from the reader's address, which nobody has confirmed; later that day `more` came."""

    mail: int
    more: tuple[int, ...] = ()


class Digest(Contents, kind="digest", optional=True, urgent=True):
    """Matches that wait for the reader: match, ply, seat and deadline ("" for none); the letters `held`; and the `news`
    they follow: what, its title and path, and who. `here`: they chose digests for single matches only."""

    rows: tuple[tuple[int, int, int, str], ...]
    held: tuple[int, ...] = ()
    news: tuple[tuple[str, str, str, str], ...] = ()
    here: bool = False


class Limit(Contents, kind="limit"):
    """The reader has had the `most` letters of a day, which is their `own` choice or the limit for all."""

    most: int
    own: bool
    hours: str


Message: TypeAlias = Said | InvitationDeclined | Offer
"""The letters that carry what somebody wrote, as their `text`."""
OPTIONAL = tuple(kind for kind, letter in KINDS.items() if letter.optional)
COUNTED = tuple(kind for kind, letter in KINDS.items() if letter.optional and not letter.urgent)
"""The kinds that count towards a player's daily limit."""
INVITING = tuple(kind for kind, letter in KINDS.items() if letter.inviting)
ANSWERS = tuple(kind for kind, letter in KINDS.items() if letter.quota)
