"""Hooks and devices (doors), which notify a player, and the calls owed to them. A call says little: which event, in
which match, and where to look. Calls follow the rules of letters: each is owed once under a key, and is due until it is
accepted. `play/outbox/calls` makes them."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from secrets import token_urlsafe
from typing import Literal, TypeAlias, get_args
from urllib.parse import urlsplit

from sqlalchemy import and_, bindparam, delete, func, select, update
from sqlalchemy.orm import Session

from service.config import Settings
from service.games import GAMES
from service.mail.letters import hooks, web_push
from service.play.hook_client import is_public
from service.play.letter_contents import Contents, Seen, Timed
from service.play.letter_kinds import Invitation, Result, Said, Turn
from service.play.site import Site, Transaction
from service.store.insert import insert_once
from service.store.models import Match, Player, Seat, Teammate
from service.store.tables.doors import WAITING, Call, Door

EVENTS = (Turn.kind, Invitation.kind, Result.kind, Said.kind)
"""The events that can be sent to a door."""

TEST = "test"
"""The event that a player sends to their own door."""

Form: TypeAlias = Literal["standard", "discord", "slack", "mattermost", "matrix", "ntfy"]
FORMS: tuple[Form, ...] = get_args(Form)
"""The form in which a hook gets its events: Standard Webhooks, or a message in a chat program."""

PUSH = "push"
"""The form of a device."""

MOST = 10
"""The most doors of one player."""

LONGEST_ADDRESS = 1000

BOTH_VALID = timedelta(days=1)
"""How long calls are still signed with the old secret after it was replaced."""

REPEATED = timedelta(minutes=1)
"""Within this time, asking again for a new secret is a repeated request: a second new one would end the secret that the
receiver still has."""

FAILED_FOR_GOOD = timedelta(days=5)
"""After this time without a success, a door is switched off and its calls are dropped."""

_KEY = re.compile(r"[A-Za-z0-9_-]{20,100}={0,2}")
_LOCAL = re.compile(r"(?:.*\.)?(?:localhost|local|internal|home\.arpa|onion)\.?|[^.]+")


class DoorError(ValueError):
    """A hook or device that can't be kept. The message is one sentence for the player, about the form's `field`."""

    def __init__(self, sentence: str, field: str = "address") -> None:
        super().__init__(sentence)
        self.field = field


def of(site: Site, *player_ids: int) -> Sequence[Door]:
    """The hooks and devices of these players, the oldest first."""
    with site.store.reading() as session:
        return session.scalars(select(Door).where(Door.player_id.in_(player_ids)).order_by(Door.id)).all()


def add_hook(site: Site, player_id: int, address: str, form: str, events: Collection[str]) -> Door:
    """Registers a hook, or changes its events and format; raises DoorError."""
    if form not in FORMS:
        raise DoorError(f"Choose one of these formats: {', '.join(FORMS)}.", "format")
    if not (chosen := [event for event in EVENTS if event in events]):
        raise DoorError(f"Choose at least one event: {', '.join(EVENTS)}.", "events")
    found = checked(site.settings, address)
    return _keep(site, player_id, found, form=form, events=" ".join(chosen), keys={}, name="")


def add_device(site: Site, player_id: int, address: str, keys: Mapping[str, str], name: str) -> Door:
    """Registers a browser's push subscription, with its `p256dh` and `auth`; raises DoorError."""
    if any(_KEY.fullmatch(str(keys.get(part, ""))) is None for part in ("p256dh", "auth")):
        raise DoorError("This browser's subscription is incomplete. Please try again.")
    kept = {part: str(keys[part]) for part in ("p256dh", "auth")}
    found = checked(site.settings, address)
    try:
        web_push.check(web_push.Device(found, **kept))
    except ValueError as error:
        raise DoorError("This browser's subscription is incomplete. Please try again.") from error
    return _keep(site, player_id, found, form=PUSH, events=" ".join(EVENTS), keys=kept, name=name[:80])


def _keep(site: Site, player_id: int, address: str, **values: object) -> Door:
    with site.transaction() as tx:
        # Not the key: where a door is switched off, it is locked before its player is owed an email.
        tx.session.get_one(Player, player_id, with_for_update={"key_share": True})
        own = tx.session.scalars(select(Door).where(Door.player_id == player_id).with_for_update()).all()
        door = next((one for one in own if one.address == address), None)
        if door is None and len(own) >= MOST:
            raise DoorError(f"You already have {MOST} hooks and devices. Remove one you no longer use first.")
        if door is None:
            door = Door(player_id=player_id, address=address, seed=token_urlsafe(16), made=tx.now, rests=tx.now)
            tx.session.add(door)
        else:
            _end_pause(tx, door)
        for field, value in values.items():
            setattr(door, field, value)
        door.off, door.failing, door.tries, door.error = None, None, 0, ""
        return door


def checked(settings: Settings, address: str) -> str:
    """The address, if a hook can have it; raises DoorError. Where its host is found is checked at each call."""
    address = address.strip()
    try:
        parts = urlsplit(address)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        host, port = "", 0
    if (
        not host
        or parts.scheme != "https"
        or port == 0
        or not address.isascii()
        or re.search(r"[\x00-\x20\x7f]", address)
    ):
        raise DoorError("The address must begin with https://, for example https://bot.example.org/stonepost.")
    if len(address) > LONGEST_ADDRESS:
        raise DoorError(f"The address can have at most {LONGEST_ADDRESS} characters.")
    if not settings.hooks_private and _is_local(host):
        raise DoorError("The address must be one that can be reached from the internet, not one in a private network.")
    return address


def _is_local(host: str) -> bool:
    try:
        return not is_public(host)
    except ValueError:
        return _LOCAL.fullmatch(host) is not None


def remove(site: Site, player_id: int, door_id: int) -> None:
    """Deletes a door of a player, or of one of their bots, with its calls. A second call changes nothing."""
    with site.transaction() as tx:
        if _own(tx, player_id, door_id) is not None:
            tx.session.execute(delete(Door).where(Door.id == door_id))


def rotate(site: Site, player_id: int, door_id: int) -> None:
    """Replaces a hook's secret, once within REPEATED. For a day calls are signed with both."""
    with site.transaction() as tx:
        door = _own(tx, player_id, door_id)
        if door is None or door.form != "standard":
            return
        if door.former_until is None or door.former_until <= tx.now + BOTH_VALID - REPEATED:
            door.rotation += 1
            door.former_until = tx.now + BOTH_VALID


def turn_on(site: Site, player_id: int, door_id: int) -> None:
    """Switches a door on again after it was switched off."""
    with site.transaction() as tx:
        if (door := _own(tx, player_id, door_id)) is not None:
            door.off, door.failing, door.tries, door.rests = None, None, 0, tx.now


def test(site: Site, player_id: int, door_id: int) -> None:
    """Owes one of the player's doors a test, at most one a second. A pause after failures ends."""
    with site.transaction() as tx:
        if (door := _own(tx, player_id, door_id)) is not None and door.off is None:
            _end_pause(tx, door)
            _owe(tx, f"test:{door_id}:{tx.now:%Y-%m-%dT%H:%M:%S}", door.id, TEST, {})


def _end_pause(tx: Transaction, door: Door) -> None:
    """Makes the calls of a door due that wait for the end of its pause. A lease isn't a pause: no call waits for it."""
    paused = (WAITING, Call.door_id == door.id, Call.due == door.rests, Call.due > tx.now)
    if tx.session.scalars(update(Call).where(*paused).values(due=tx.now).returning(Call.id)).all():
        door.rests = tx.now
        tx.nudge("call", door.id)


def _own(tx: Transaction, player_id: int, door_id: int) -> Door | None:
    """The door, if it's the player's or that of one of their bots."""
    door = tx.session.get(Door, door_id, with_for_update=True)
    if door is None:
        return None
    return door if player_id in (door.player_id, tx.session.get_one(Player, door.player_id).owner_id) else None


def signing_secrets(settings: Settings, door: Door, now: datetime) -> tuple[str, ...]:
    """The secrets that the door's calls are signed with: the present one and, for a day, the former one.

    They follow from the site's secret, so that no copy of the database has them.
    """
    rotating = door.former_until is not None and now < door.former_until
    rotations = [door.rotation, door.rotation - 1] if rotating else [door.rotation]
    return tuple(hooks.secret(settings.secret, door.seed, rotation) for rotation in rotations)


def call(tx: Transaction, key: str, player_id: int, contents: Contents, match: Match) -> None:
    """Owes a player's hooks and devices a call about a letter, each once."""
    if contents.kind not in EVENTS:
        return
    assert isinstance(contents, Seen), "these events are about a match"
    for door_id, events in tx.session.connection().execute(_OPEN, {"player": player_id}):
        if contents.kind in events.split():
            _owe(tx, f"{key}@{door_id}", door_id, contents.kind, _about(match, contents), match.id)


def call_again(session: Session, now: datetime) -> None:
    """Owes the hooks and devices of all who are to move, or to answer an invitation, the latest call about it again,
    since what they have answered may be lost. A call made before `now` is a copy to them unless a backup was restored
    in between (`links.name`)."""
    invited = and_(Call.event == Invitation.kind, Match.state == "open")
    for place, waits in (
        (Seat, and_(Call.event == Turn.kind, Seat.to_move)),
        *((place, and_(invited, ~place.accepted)) for place in (Seat, Teammate)),
    ):
        own = and_(place.match_id == Call.match_id, place.player_id == Door.player_id)
        latest = select(func.max(Call.id)).join(Door, Door.id == Call.door_id).join(Match, Match.id == Call.match_id)
        of_each = latest.join(place, own).where(waits, Door.off.is_(None)).group_by(Call.door_id, Call.match_id)
        session.execute(update(Call).where(Call.id.in_(of_each)).values(created=now, due=now, sent=None))


_OPEN = select(Door.id, Door.events).where(Door.player_id == bindparam("player"), Door.off.is_(None))
"""Built once: most letters use it."""


def _about(match: Match, contents: Seen) -> dict[str, object]:
    game = GAMES[match.game]
    about = {
        "match": match.id,
        "game": match.game,
        "title": f"{game.title} {match.id}",
        "side": game.sides(len(match.seats))[contents.seat],
        "seat": contents.seat,
    }
    if isinstance(contents, Turn):
        about["round"] = match.round
    until = contents.deadline if isinstance(contents, Timed) else None
    return about | ({"deadline": until.isoformat()} if until is not None else {})


def _owe(
    tx: Transaction, key: str, door_id: int, event: str, data: Mapping[str, object], match_id: int | None = None
) -> None:
    values = {"door_id": door_id, "event": event, "match_id": match_id, "data": data}
    if insert_once(tx.session, Call, key=key, created=tx.now, due=tx.now, error="", **values) is not None:
        tx.nudge("call", door_id)
