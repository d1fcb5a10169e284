"""When a letter may go: what its reader has chosen, and what forbids it altogether."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Literal

from sqlalchemy import (
    ColumnElement,
    SQLColumnExpression,
    and_,
    bindparam,
    delete,
    exists,
    func,
    or_,
    select,
    true,
    update,
)
from sqlalchemy.orm import Session

from service.games import GAMES
from service.play.letter_contents import Quota, readable
from service.play.letter_kinds import COUNTED, INVITING, KINDS, Digest, EventNews, Limit, Reminder, Turn
from service.play.notify import gazette
from service.play.notify.announce import owe
from service.play.notify.doors import PUSH
from service.play.site import Site, Transaction, transactional
from service.store.models import Match, Place, Player, Seat, Teammate
from service.store.session import FAILURES
from service.store.tables.company import Notice
from service.store.tables.doors import Door
from service.store.tables.mail_rows import HELD, Letter

CHOICES = ("instant", "unseen", "digest", "off")
"""All emails at once; a turn only if nobody looked at the page for a while; turns once or more a day; none."""

HERE = ("", "instant", "unseen", "digest", "mute", "off")
"""The choices for one match: the general choice; with `mute` only reminders, with `off` nothing."""

KEPT = ("instant", "unseen", "digest")
"""Those with which a player who gets no other emails gets some about the match."""

UNSEEN_FOR = timedelta(minutes=30)

STILL_LOOKS = timedelta(seconds=15)
"""How often it is recorded that a player is still looking at a match."""

INVITED = 5
"""How many invitations a day a player gets as separate emails; the rest share one, at the hour of the digest."""

RELEASED = 200
"""How many held letters are released at once; the others stay in the digest."""

MOST = 10_000
QUESTIONS = 10

ABOUT_REPLIES: Quota = "questions about replies"
COUNTS: dict[Quota, tuple[Quota, ...]] = {
    "answers": ("answers", "questions", ABOUT_REPLIES),
    "questions": ("questions",),
    ABOUT_REPLIES: (ABOUT_REPLIES,),
    "receipts": ("receipts",),
}
"""For each quota of answers, the letters of which quotas count towards it."""

ENOUGH = "this address had its automatic answers for the day"


class ChoiceError(ValueError):
    """An invalid email preference. The message is one sentence for the player."""


def choose(tx: Transaction, player: Player, post: str, hours: str = "") -> None:
    """Sets when the player gets emails; raises ChoiceError. If they choose to get everything at once, held letters are
    released. `hours`, such as `8 20`, are those of the digest and of letters over the daily limit; "" keeps the present
    ones. Choosing no emails at all also clears the choices for single matches."""
    if post not in CHOICES:
        raise ChoiceError(
            f"{post[:40]!r} isn't an email preference. Choose {', '.join(CHOICES[:-1])} or {CHOICES[-1]}."
        )
    if hours.strip():
        player.digest_hours = " ".join(map(str, _hours(hours)))
    if post == "off":
        for place in (Seat, Teammate):
            tx.session.execute(update(place).where(place.player_id == player.id).values(post=""))
    before, player.post = player.post, post
    if post == "instant" != before:
        release(tx, player)


def choose_here(seat: Place, post: str) -> None:
    """Sets when the player gets emails about one match; raises ChoiceError."""
    if post not in HERE:
        raise ChoiceError(f"{post[:40]!r} isn't an email preference for a match. Choose one of {', '.join(HERE[1:])}.")
    seat.post = post


def choose_most(tx: Transaction, player: Player, most: str) -> None:
    """Sets how many letters a day the player gets at most, "" for no limit; raises ChoiceError. Raising the limit
    releases letters held by the old one."""
    if most.strip() and not (most.strip().isdecimal() and len(most.strip()) <= 9 and 0 < int(most) <= MOST):
        raise ChoiceError(f"Choose between 1 and {MOST:,} emails a day, or none for no limit.")
    before, player.most = player.most, int(most) if most.strip() else None
    raised = before is not None and (player.most is None or player.most > before)
    if raised:
        release(tx, player)


def release(tx: Transaction, player: Player) -> None:
    """Releases a player's held letters; each is checked again, and may be held again. Of the turns of a match only the
    latest is sent, and none if the match now waits for somebody else."""
    held = (Letter.player_id == player.id, HELD)
    latest = select(func.max(Letter.id)).where(*held, Letter.kind == Turn.kind).group_by(Letter.match_id)
    waits = exists().where(Seat.match_id == Letter.match_id, Seat.player_id == player.id, Seat.to_move)
    telling = or_(Letter.kind != Turn.kind, Letter.id.in_(latest) & waits)
    going = list(tx.session.scalars(select(Letter.id).where(*held, telling).order_by(Letter.id).limit(RELEASED)))
    tx.session.execute(update(Letter).where(*held, ~telling).values(held=False))
    tx.session.execute(update(Letter).where(Letter.id.in_(going), HELD).values(held=False, due=tx.now))
    for number in going:
        tx.nudge("deliver", number)


@transactional
def choose_notices(tx: Transaction, player_id: int, games: Collection[str]) -> None:
    """Sets the games that a player wants notices about, from now on."""
    # Not the key: the sweep locks a player's notices before it owes the player an email.
    tx.session.get_one(Player, player_id, with_for_update={"key_share": True})
    kept = notices(tx.session, player_id)
    tx.session.execute(delete(Notice).where(Notice.player_id == player_id, Notice.game.not_in(games)))
    rests = tx.session.scalar(select(func.max(Notice.rests)).where(Notice.player_id == player_id)) or tx.now
    new = [game for game in GAMES if game in games and game not in kept]
    tx.session.add_all(Notice(game=game, player_id=player_id, told=tx.now, rests=rests) for game in new)


def notices(session: Session, player_id: int) -> tuple[str, ...]:
    """The games that a player wants notices about, in our order."""
    chosen = set(session.scalars(select(Notice.game).where(Notice.player_id == player_id)))
    return tuple(game for game in GAMES if game in chosen)


def notices_of(site: Site, player_id: int) -> tuple[str, ...]:
    """`notices`, in a transaction of its own."""
    with site.store.reading() as session:
        return notices(session, player_id)


def choose_gazette(tx: Transaction, player: Player, *, wanted: bool) -> None:
    """Sets whether a player wants the gazette. It begins with the next issue."""
    if not wanted:
        player.gazette = None
    elif player.gazette is None:
        player.gazette = gazette.latest(tx.session)


def keep_here(site: Site, match_id: int, player_id: int, post: str) -> None:
    """`choose_here` for the player's seat in a match; raises ChoiceError."""
    with site.transaction() as tx:
        # A move must not pass the seat on meanwhile.
        match = tx.session.get(Match, match_id, with_for_update=True)
        seat = None if match is None else match.place_of(player_id)
        if seat is None:
            raise ChoiceError("You have no seat in this match.")
        choose_here(seat, post)


def wanted(tx: Transaction, letter: Letter, limit: int) -> datetime | Literal["held", "limited"] | None:
    """When its reader wants a letter: now, later, or None for never. It may be held for their digest, by choice or
    because the day's limit is reached. Answers to their own mail are always wanted; an address that bounces gets
    nothing else for now. The limit of a day is `limit` (0: none), or the reader's own."""
    kind = KINDS[letter.kind]
    if kind.superseded_by and _is_told(tx, letter, kind.superseded_by):
        return None
    player = tx.session.get_one(Player, letter.player_id)
    if not kind.optional:
        return None if letter.kind == EventNews.kind and player.bounced is not None else tx.now
    if letter.kind == Reminder.kind and not _is_timely(tx, letter):
        return None
    match = None if letter.match_id is None else tx.session.get_one(Match, letter.match_id)
    seat = None if match is None else match.place_of(letter.player_id)
    post = (seat.post if seat is not None else "") or player.post
    if post == "off" and not (letter.kind == Digest.kind and tx.session.scalar(select(keeps_some(player.id)))):
        return None
    if post == "mute" and not kind.urgent:
        return None
    if kind.urgent:
        return tx.now if player.bounced is None else None
    if letter.match_id is None:
        return _wanted_alone(tx, letter, player, limit)
    if player.bounced is not None:
        return "held"
    if kind.delayable and post == "digest":
        return "held"
    if kind.delayable and post == "unseen":
        if seat is not None and seat.seen is not None and seat.seen >= letter.created:
            return None
        if tx.now < letter.created + UNSEEN_FOR:
            return letter.created + UNSEEN_FOR
        if letter.kind == Turn.kind and not _waits_still(tx, letter):
            return None
    if kind.inviting and _sent(tx, player.id, INVITING) >= INVITED:
        return "held"
    most = limit_of(player, limit)
    return "limited" if most and sent_today(tx, player) >= most else tx.now


def keeps_some(player_id: int, match: SQLColumnExpression[int | None] | None = None) -> ColumnElement[bool]:
    """Whether a player has chosen to get emails about this `match`, or about any, whatever they chose in general."""
    return _has_chosen(player_id, KEPT, match)


def digests_some(player_id: int) -> ColumnElement[bool]:
    """Whether a player has chosen to get the turns of some match in a digest."""
    return _has_chosen(player_id, ("digest",), None)


def is_silent(player_id: int, match: SQLColumnExpression[int | None]) -> ColumnElement[bool]:
    """Whether a player has chosen to get no emails about this `match`, or only reminders."""
    return _has_chosen(player_id, ("mute", "off"), match)


def _has_chosen(
    player_id: int, choices: tuple[str, ...], match: SQLColumnExpression[int | None] | None
) -> ColumnElement[bool]:
    places = (Seat, Teammate)
    of = {place: true() if match is None else place.match_id == match for place in places}
    return or_(*(exists().where(place.player_id == player_id, place.post.in_(choices), of[place]) for place in places))


def _is_timely(tx: Transaction, letter: Letter) -> bool:
    """Whether a reminder, which may have waited for the mail server, still reminds of a turn and time to come."""
    contents = readable(letter)
    until = contents.deadline if isinstance(contents, Reminder) else None
    own = (Seat.match_id == letter.match_id, Seat.player_id == letter.player_id, Seat.to_move)
    return (until is None or until > tx.now) and bool(tx.session.scalar(select(exists().where(*own))))


def _waits_still(tx: Transaction, letter: Letter) -> bool:
    """Whether the turn that a letter is about still waits for its reader, who can answer without looking at the page,
    such as by email or with a program."""
    about = (Letter.match_id == letter.match_id, Letter.player_id == letter.player_id, Letter.kind == letter.kind)
    waits = exists().where(Seat.match_id == letter.match_id, Seat.player_id == letter.player_id, Seat.to_move)
    return bool(tx.session.scalar(select(waits & ~exists().where(*about, Letter.created > letter.created))))


def _wanted_alone(tx: Transaction, letter: Letter, player: Player, limit: int) -> datetime | None:
    """`wanted` for a letter about no match. Today's open seats are useless in tomorrow's digest, but a weekly letter
    can wait for a quieter day."""
    if player.bounced is not None or (KINDS[letter.kind].weekly and player.gazette is None):
        return None
    most = limit_of(player, limit)
    if not most or sent_today(tx, player) < most:
        return tx.now
    is_fresh = KINDS[letter.kind].weekly and tx.now < letter.created + timedelta(days=4)
    return tx.now + timedelta(hours=6) if is_fresh else None


def sent_today(tx: Transaction, player: Player) -> int:
    """How many of the letters that count towards a day's limit the player was sent within 24 hours."""
    return _sent(tx, player.id, COUNTED)


def limit_of(player: Player, limit: int) -> int:
    """How many letters a day a player gets at most: their own choice or the `limit` for all; 0 for any number."""
    return min(filter(None, (player.most, limit)), default=0)


def _sent(tx: Transaction, player_id: int, kinds: Sequence[str]) -> int:
    """How many letters of these kinds the player was sent within a day."""
    about = {"player": player_id, "since": tx.now - timedelta(days=1), "kinds": kinds}
    # What this transaction has changed doesn't affect what was sent, so it needn't be flushed first.
    return tx.session.connection().execute(_TODAY, about).scalar_one()


_TODAY = select(func.count()).where(
    Letter.player_id == bindparam("player"),
    Letter.kind.in_(bindparam("kinds", expanding=True)),
    Letter.sent > bindparam("since"),
)
"""Built once: most letters use it."""


def forbidden(tx: Transaction, letter: Letter, limit: int) -> str:
    """Why this letter must not be sent at all; "" if it may. In 24 hours, `limit` automatic answers are allowed, and
    separately as many receipts. Questions whether an email is the reader's, which anybody can provoke, have a small
    limit, and questions about replies another: two machines must not write to each other forever, and nobody may email
    a third person through us."""
    quota = KINDS[letter.kind].quota
    if not quota:
        return ""
    if quota in ("questions", ABOUT_REPLIES):
        limit = min(limit, QUESTIONS)
    kinds = [name for name, kind in KINDS.items() if kind.quota in COUNTS[quota]]
    return ENOUGH if _sent(tx, letter.player_id, kinds) >= limit else ""


def saw(site: Site, match_id: int, player_id: int) -> None:
    """Records that a player is looking at a match, if a letter depends on it or a device stays quiet meanwhile."""
    waits = and_(Seat.to_move, or_(Seat.post == "unseen", and_(Seat.post == "", Player.post == "unseen")))
    has_device = exists().where(Door.player_id == player_id, Door.form == PUSH, Door.off.is_(None))
    is_news = or_(Seat.seen.is_(None), Seat.seen < site.now() - STILL_LOOKS)
    caring = (
        select(Seat.number)
        .join(Seat.player)
        .where(Seat.match_id == match_id, Seat.player_id == player_id, or_(waits, and_(is_news, has_device)))
    )
    with site.store.reading() as session:
        number = session.scalars(caring).first()
    if number is not None:
        with suppress(*FAILURES), site.transaction() as tx:  # The page is shown even if nothing can be written.
            own = update(Seat).where(Seat.match_id == match_id, Seat.number == number, Seat.player_id == player_id)
            tx.session.execute(own.values(seen=tx.now))


def _hours(text: str) -> Sequence[int]:
    words = re.split(r"[\s,]+", text.strip())
    if not all(re.fullmatch(r"\d{1,2}", word) and int(word) < 24 for word in words):
        raise ChoiceError("Write hours of the day from 0 to 23, such as 8 20.")
    return sorted({int(word) for word in words})


def _is_told(tx: Transaction, letter: Letter, by: Sequence[str]) -> bool:
    """Whether the writer of an order has turned receipts off since, or a later letter of these kinds says more."""
    match = tx.session.get_one(Match, letter.match_id)
    own = match.place_of(letter.player_id)
    if not tx.session.get_one(Player, letter.player_id).receipts:
        return True
    if own is None or not (match.state == "over" or (isinstance(own, Seat) and own.to_move)):
        return False
    keys = [f"{kind}:{match.id}:{match.round}:{own.label}" for kind in by]
    going = or_(Letter.sent.is_not(None), Letter.due <= tx.now, Letter.due.is_not(None) & (Letter.attempts > 0))
    later = select(Letter.id).where(Letter.key.in_(keys), Letter.id > letter.id, going)
    return tx.session.scalars(later.limit(1)).first() is not None


def tell_of_limit(tx: Transaction, letter: Letter) -> None:
    """Owes the reader the notice that the day's limit is reached, once a day."""
    player = tx.session.get_one(Player, letter.player_id)
    most = limit_of(player, tx.site.settings.letters_per_day)
    key = f"limit:{player.id}:{tx.now:%Y-%m-%d}"
    owe(tx, key, player.id, Limit(most=most, own=player.most == most, hours=player.digest_hours))
