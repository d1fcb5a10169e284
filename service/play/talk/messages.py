"""What the players of a match say to each other, and what each notes for themselves alone."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import count

from sqlalchemy import ColumnElement, delete, false, or_, select, true
from sqlalchemy.orm import Session

from service.games import GAMES
from service.mail.reply_address import Purpose, ReplyAddress
from service.play import bans
from service.play.letter_kinds import Said
from service.play.links import mark
from service.play.notify.announce import tell
from service.play.site import Site, Transaction, transactional
from service.play.table import blocks, press, teams
from service.play.table.press import Press
from service.play.talk import moderation
from service.store.insert import insert_once
from service.store.models import Match, Place, Submission
from service.store.tables.player_data import Note, Saying

LONGEST_SAYING = 2_000
LONGEST_NOTE = 20_000
LATELY = timedelta(hours=1)
"""Within this time, the same words again are a repeated form, not a second message."""
HEARD = 200
"""How many of the latest messages a page shows."""


class TalkError(ValueError):
    """A refused message or note. The message is one sentence for its writer."""


@dataclass(frozen=True, slots=True)
class SaidLine:
    """A message the viewer may read.

    `side` is "" if nobody is to know who said it. `to` are the sides it was for, none if it was for the whole
    table; a viewer who was one of them answers the seats `answer`.
    """

    side: str
    name: str
    to: tuple[str, ...]
    answer: tuple[int, ...]
    text: str
    said: datetime


@dataclass(frozen=True, slots=True)
class Talk:
    """The conversation of a match as one viewer may read it. `may_speak` if somebody would hear them.

    `others` are the seats, with their sides, that the viewer may speak to alone; `team` is the viewer's own, if it is
    shared.
    """

    press: Press
    lines: tuple[SaidLine, ...]
    may_speak: bool
    others: tuple[tuple[int, str], ...]
    team: int | None
    may_note: bool
    note: str


def heard(site: Site, match_id: int, player_id: int | None) -> Talk:
    """The conversation and the viewer's own note.

    What is said to the table, watchers hear once the match is over, or at once where press is public; what is said
    to chosen seats, never.
    """
    with site.store.reading() as session:
        match = session.get_one(Match, match_id)
        own, known = match.place_of(player_id), press.of(match)
        note = None if player_id is None else session.get(Note, (player_id, match_id))
        listening = [] if own is None else listeners(match, own)
        sides = GAMES[match.game].sides(len(match.seats))
        return Talk(
            press=known,
            lines=_lines(session, match, own, sides),
            may_speak=own is not None and own.accepted and bool(listening) and known.level != "none",
            others=_alone(match, own, listening, sides),
            team=None if own is None or not teams.is_shared(match, own.number) else own.number,
            may_note=own is not None or note is not None,
            note=note.text if note else "",
        )


@transactional
def say(tx: Transaction, match_id: int, player_id: int, text: str, key: str, to: Iterable[int] = ()) -> None:
    """Says something to everybody at the table, or to chosen seats; once for each key. Raises TalkError."""
    match = tx.session.get(Match, match_id)
    own = None if match is None else match.place_of(player_id)
    if match is None or own is None or not own.accepted:
        raise TalkError("Only players with a seat in this match can write messages in it.")
    bans.refuse_banned(tx, player_id, TalkError)
    chosen = set(to)
    _check_press(press.of(match), chosen - {own.number})
    if not chosen <= {place.number for place in match.places if place is not own}:
        raise TalkError("You can only write to the other players in this match, so this wasn't sent to anybody.")
    text = press.without_signature(match, own.player, _measured(text, LONGEST_SAYING, "A message"))
    if not text.strip():
        raise TalkError("A message needs at least one word.")
    if not listeners(match, own, chosen):
        raise TalkError("Nobody else is there to read it, so it wasn't sent.")
    _check_new(tx, match, own, text, key, chosen)
    _put(tx, match, own, text, key, chosen)


def listeners(match: Match, own: Place, to: Collection[int] = ()) -> list[Place]:
    """The people who read what the player of `own` says: all the others at the table, or those in some seats."""
    others = [place for place in match.places if place is not own and press.hears(place)]
    return [place for place in others if not to or place.number in to]


def check_audience(only: bool, to: Sequence[int]) -> None:
    """Raises TalkError if a form says that a message is for some `only` and names nobody, or the other way round."""
    if only and not to:
        raise TalkError("Choose who your message is for: tick players, or choose everybody at the table.")
    if to and not only:
        raise TalkError("Choose either everybody or the players you ticked, not both.")


def _check_new(tx: Transaction, match: Match, own: Place, text: str, key: str, chosen: Collection[int]) -> None:
    """Raises TalkError if somebody who went back to a page, or wrote the same email again, would say it twice.

    What others say among themselves in between makes no difference, because the answer would reveal it.
    """
    heard = select(Saying).where(Saying.match_id == match.id, _may_hear(match, own))
    last = tx.session.scalars(heard.order_by(Saying.id.desc()).limit(1)).first()
    if last is None or last.key == key or last.said < tx.now - LATELY:
        return
    if (last.seat, last.player_id, last.to, last.text) == (own.number, own.player_id, _audience(chosen), text):
        raise TalkError("You've just sent this message, word for word, so it wasn't sent again.")


def say_below(tx: Transaction, match: Match, own: Place, submission: Submission, carried: Collection[int] = ()) -> None:
    """Says to the table what was written below an order that isn't a move, such as `accept`, unless messages are off.

    It may be as long as what is written with a move. The players `carried` already get a letter that has it.
    """
    text = press.without_signature(match, own.player, submission.remark)
    if not text.strip() or press.of(match).level == "none":
        return
    _put(tx, match, own, text, _said_below(submission), set(), carried)


def is_said(session: Session, submission: Submission) -> bool:
    """Whether what was written below an order was said to the table."""
    return session.scalars(select(Saying.id).where(Saying.key == _said_below(submission))).first() is not None


def _said_below(submission: Submission) -> str:
    return f"remark:{mark(submission)}"


def _put(
    tx: Transaction,
    match: Match,
    own: Place,
    text: str,
    key: str,
    chosen: Collection[int],
    carried: Collection[int] = (),
) -> None:
    saying = {"match_id": match.id, "seat": own.number, "player_id": own.player_id, "to": _audience(chosen)}
    said = insert_once(tx.session, Saying, key=key, text=text, said=tx.now, **saying)
    if said is None:
        return
    hearing = [seat for seat in _hearing(tx.session, match, own, chosen) if seat.player_id not in carried]
    shown = teams.is_shared(match, own.number) and not press.hides_writers(match) and own.player is not None
    name = own.player.name if shown and own.player else ""
    told = Said(by=own.number, text=text, name=name, chosen=tuple(sorted(chosen)))
    tell(tx, f"said:{mark(said)}", hearing, told)


def _audience(chosen: Collection[int]) -> int | None:
    """The audience as a row stores it: a bit for each seat, None for the whole table."""
    return sum(1 << number for number in chosen) or None


def answering(session: Session, match: Match, own: Place, meant: ReplyAddress) -> tuple[int, ...]:
    """The seats that an answer to a message goes to, none for the whole table; raises TalkError."""
    if meant.purpose == Purpose.TALK:
        if own.number != meant.seat:
            raise TalkError("You answered a message that wasn't sent to you, so your answer wasn't sent to anybody.")
        return tuple(number for number in range(meant.round.bit_length()) if meant.round >> number & 1)
    saying = session.get(Saying, meant.round)
    if saying is None or saying.match_id != match.id or not _hears(own, saying):
        raise TalkError("You answered a message that wasn't sent to you, so your answer wasn't sent to anybody.")
    return _among(saying, own.number)


def keep_note(site: Site, match_id: int, player_id: int, text: str) -> None:
    """Keeps a player's own note on a match in place of the one before, also once somebody else has the seat.

    Raises TalkError.
    """
    text = _measured(text, LONGEST_NOTE, "A note")
    with site.transaction() as tx:
        match = tx.session.get(Match, match_id)
        noted = tx.session.get(Note, (player_id, match_id)) is not None
        if match is None or not (noted or match.place_of(player_id)):
            raise TalkError("Only players with a seat in this match can keep notes on it.")
        tx.session.execute(delete(Note).where(Note.player_id == player_id, Note.match_id == match_id))
        if text.strip():
            # Of two that are saved together, one is kept.
            insert_once(tx.session, Note, player_id=player_id, match_id=match_id, text=text)


def _check_press(known: Press, chosen: set[int]) -> None:
    """Raises TalkError if this press doesn't allow talking, or not to some seats alone."""
    if known.level == "none":
        raise TalkError("Messages are off in this match, so this wasn't sent to anybody.")
    if chosen and known.level != "private":
        raise TalkError("In this match every message goes to the whole table, so this wasn't sent to anybody.")


def _alone(
    match: Match, own: Place | None, listening: Sequence[Place], sides: Sequence[str]
) -> tuple[tuple[int, str], ...]:
    """The seats that a player may speak to alone: their own team if talking is allowed, others in private press."""
    level = press.of(match).level
    if own is None or level == "none":
        return ()
    numbers = {place.number for place in listening if level == "private" or place.number == own.number}
    return tuple((number, sides[number]) for number in sorted(numbers))


def not_hearing(session: Session, match: Match, player_id: int | None) -> set[int]:
    """The players at the table who have blocked this one, so that they don't get what this one writes.

    Nobody if writers are hidden, because it would show who wrote it.
    """
    return set() if press.hides_writers(match) else moderation.keeping_away(session, match.places, player_id)


def _hearing(session: Session, match: Match, own: Place, chosen: Collection[int]) -> list[Place]:
    """The players who get a message: whole teams, including its writer's."""
    away = not_hearing(session, match, own.player_id)
    among = {*chosen, own.number} if chosen else ()
    return [seat for seat in listeners(match, own, among) if seat.player_id not in away]


def _hears(own: Place, saying: Saying) -> bool:
    """Whether a message was for this seat or came from it, since its player has it."""
    if saying.to is None:
        return True
    among = saying.seat == own.number or bool(saying.to >> own.number & 1)
    return among and (own.taken is None or saying.said >= own.taken)


def _among(saying: Saying, own: int) -> tuple[int, ...]:
    """The other seats between which a message was: those that heard it, and the one that said it.

    One that a team keeps to itself was between nobody else, and the answer goes to the team.
    """
    between = 0 if saying.to is None else saying.to | 1 << saying.seat
    others = tuple(seat for seat in range(between.bit_length()) if between >> seat & 1 and seat != own)
    return others if others or saying.to is None else (own,)


def newest(site: Site, match_id: int, player_id: int | None) -> datetime | None:
    """When the latest message was written that the viewer may read; None if there is none, or no such match."""
    with site.store.reading() as session:
        match = session.get(Match, match_id)
        if match is None:
            return None
        said = select(Saying.said).where(*_heard(match, match.place_of(player_id)))
        return session.scalars(said.order_by(Saying.id.desc()).limit(1)).first()


def heard_since(session: Session, player_id: int, since: datetime, most: int) -> Sequence[Saying]:
    """The messages of others that a player may read, in any match, that were written after this time; oldest first."""
    own = select(teams.places_of(player_id).c.match_id)  # Without invitations that they aren't shown.
    others = Saying.player_id.is_distinct_from(player_id)
    said = select(Saying).where(Saying.match_id.in_(own), Saying.said > since, others)
    heard: list[Saying] = []
    # Whispers among others don't count, or many of them would hide what was said later.
    for first in count(0, most):
        found = session.scalars(said.order_by(Saying.said, Saying.id).offset(first).limit(most)).all()
        heard += _heard_of(session, player_id, found)
        if len(heard) >= most or len(found) < most:
            break
    return heard[:most]


def _heard_of(session: Session, player_id: int, found: Sequence[Saying]) -> Iterator[Saying]:
    """Those of these messages of others that a player may read."""
    blocked = blocks.kept_away(session, player_id, {one.player_id for one in found if one.player_id is not None})
    for saying in found:
        match = session.get_one(Match, saying.match_id)
        place = match.place_of(player_id)
        is_blocked = saying.player_id in blocked and not press.hides_writers(match)
        if place is not None and _hears(place, saying) and not is_blocked:
            yield saying


def _lines(session: Session, match: Match, own: Place | None, sides: Sequence[str]) -> tuple[SaidLine, ...]:
    said = select(Saying).where(*_heard(match, own))
    latest = reversed(session.scalars(said.order_by(Saying.id.desc()).limit(HEARD)).all())
    return tuple(_line(match, own, sides, saying) for saying in latest)


def _heard(match: Match, own: Place | None) -> tuple[ColumnElement[bool], ...]:
    """The messages of a match that a viewer reads: not those of players they have blocked, if it shows who writes."""
    conditions = (Saying.match_id == match.id, _may_hear(match, own))
    if own is None or own.player_id is None or press.hides_writers(match):
        return conditions
    return (*conditions, ~blocks.between(own.player_id, Saying.player_id))


def _may_hear(match: Match, own: Place | None) -> ColumnElement[bool]:
    """What the seat, or with None a watcher, may hear."""
    if own is None:
        listens = match.state == "over" or press.of(match).level == "public"
        return Saying.to.is_(None) & (true() if listens else false())
    among = or_(Saying.seat == own.number, Saying.to.bitwise_and(1 << own.number) != 0)
    # Whispers to a former player of the seat stay private to that player.
    return or_(Saying.to.is_(None), among if own.taken is None else among & (Saying.said >= own.taken))


def _line(match: Match, own: Place | None, sides: Sequence[str], saying: Saying) -> SaidLine:
    unsigned = press.of(match).names == "unsigned"
    to = saying.to or 0
    return SaidLine(
        side="" if unsigned else sides[saying.seat],
        name="" if press.hides_writers(match) or saying.player is None else saying.player.name,
        to=tuple(side for number, side in enumerate(sides) if to >> number & 1),
        answer=() if own is None else _among(saying, own.number),
        text=saying.text,
        said=saying.said,
    )


def _measured(text: str, longest: int, what: str) -> str:
    """The text as typed, with line ends as we store them; raises TalkError if it is too long."""
    text = text.replace("\r\n", "\n").replace("\0", "")
    if len(text) > longest:
        raise TalkError(f"{what} can have up to {longest:,} characters; this one has {len(text):,}.")
    return text
