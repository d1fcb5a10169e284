"""Calls hooks and devices (doors): one connection to each at a time, which sends its waiting calls in order.

A door that doesn't answer is paused, longer each time, and its calls wait. So it blocks one thread for five seconds now
and then, however many calls it is owed, and delays other doors no longer than that. If a process dies, the next one
continues when its lease ends, and sends what wasn't confirmed again, under the same id.
"""

from __future__ import annotations

import logging
import time
from datetime import datetime, timedelta
from urllib.parse import urlsplit

from sqlalchemy import bindparam, delete, func, select, update
from sqlalchemy.orm import Session

from service.mail.letters import hooks, web_push
from service.mail.letters.hooks import Request
from service.play import hook_client, links
from service.play.letter_kinds import Invitation, Result, Turn
from service.play.notify import doors
from service.play.notify.announce import owe_owner
from service.play.outbox.match_context import templates
from service.play.site import Site, Transaction
from service.store.models import Match, Player
from service.store.tables.doors import WAITING, Call, Door

log = logging.getLogger(__name__)

LEASE = timedelta(seconds=15)
"""How long a process keeps a door after its latest call: longer than any call takes."""

TURN = 5.0
"""Seconds after which a door that still has calls waiting gives up the thread to others."""

LONGEST_REST = timedelta(hours=4)
"""The longest pause after a failure. Pauses begin at one sweep and double."""

OPEN = timedelta(seconds=40)
"""A device stays quiet if the match was on a screen within this time. An open page reports more often than that."""

LOOKS = timedelta(seconds=60)
"""How long it then waits to learn whether the news was seen there."""

LIFE = timedelta(days=1)
"""After this time, news is no longer worth sending to a device."""

GONE = (404, 410)
"""What a push service answers when a subscription has ended. A hook says only 410."""


def call(site: Site, door_id: int) -> None:
    """Sends a door its waiting calls, unless another process is doing so. After a failure it is due again later."""
    until = time.monotonic() + TURN
    if not _take(site, door_id):
        return
    while (found := _next(site, door_id)) is not None:
        if not _sent(site, *found):
            return
        if time.monotonic() > until:
            break
    _leave(site, door_id)


def _take(site: Site, door_id: int) -> bool:
    """Leases the door to this process."""
    with site.transaction() as tx:
        door = tx.session.get(Door, door_id, with_for_update=True)
        if door is None or door.off is not None or door.rests > tx.now:
            return False
        door.rests = tx.now + LEASE
        return True


def _leave(site: Site, door_id: int) -> None:
    """Ends the lease. Calls owed meanwhile, whose nudge found the door leased, get another nudge."""
    with site.transaction() as tx:
        tx.session.execute(update(Door).where(Door.id == door_id).values(rests=tx.now))
    with site.store.reading() as session:
        more = session.scalars(_WAITING, {"door": door_id, "now": site.now()}).first()
    if more is not None:
        site.nudge("call", door_id)


_WAITING = select(Call).where(WAITING, Call.door_id == bindparam("door"), Call.due <= bindparam("now"))
_FIRST = _WAITING.order_by(Call.id).limit(1)


def _next(site: Site, door_id: int) -> tuple[Door, Call] | None:
    """The door and its first call that is due. Calls that are obsolete or can wait are dropped or postponed on the
    way."""
    while True:
        with site.transaction() as tx:
            door = tx.session.get(Door, door_id)
            first = tx.session.scalars(_FIRST, {"door": door_id, "now": tx.now}).first()
            if door is None or first is None:
                return None
            door.rests = tx.now + LEASE
            first.due = _when(tx.session, door, first, tx.now)
            if first.due is not None and first.due <= tx.now:
                return door, first


def _when(session: Session, door: Door, owed: Call, now: datetime) -> datetime | None:
    """When to make a call; None for never, because the news was seen or is obsolete."""
    if door.form != doors.PUSH:
        return now
    match = None if owed.match_id is None else session.get(Match, owed.match_id)
    place = None if match is None else match.place_of(door.player_id)
    is_obsolete = match is not None and (
        (owed.event == Turn.kind and not getattr(place, "to_move", False))
        or (owed.event == Invitation.kind and (match.state != "open" or place is None or place.accepted))
    )
    if is_obsolete or now > owed.created + LIFE:
        return None
    if place is None or place.seen is None or place.seen < owed.created - OPEN:
        return now
    if place.seen > owed.created:
        return None
    return max(now, owed.created + LOOKS)


def _sent(site: Site, door: Door, owed: Call) -> bool:
    """Makes one call and records its result; false if the door is paused from now on."""
    began = site.now()
    try:
        status = hook_client.answer(request(site, door, owed, began), private=site.settings.hooks_private)
        failed = "" if 200 <= status < 300 else f"It answered {status}."
    except hook_client.HookFailed as error:
        status, failed = 0, _why(str(error))
    except ValueError:
        status, failed = (410 if door.form == doors.PUSH else 0), "It can't be called."
    with site.transaction() as tx:
        kept = _locked(tx, door) if failed else tx.session.get(Door, door.id, with_for_update=True)
        call = tx.session.get(Call, owed.id)
        if kept is None or call is None:
            return False  # Its player has removed it meanwhile.
        if failed:
            _note_failed(tx, kept, call, status, failed)
            return False
        kept.used, kept.failing, kept.tries, kept.error = tx.now, None, 0, ""
        call.sent, call.due, call.error = tx.now, None, ""
        return kept.off is None


def _locked(tx: Transaction, door: Door) -> Door | None:
    """The door, locked after the key of the player who may be owed an email about it. Where a player is locked, their
    doors may be removed next."""
    reader = select(func.coalesce(Player.owner_id, Player.id)).where(Player.id == door.player_id)
    keys = select(Player.id).where(Player.id.in_(reader)).with_for_update(read=True, key_share=True)
    tx.session.execute(keys).all()
    return tx.session.get(Door, door.id, with_for_update=True)


def _why(error: str) -> str:
    if "private network" in error:
        return "Its address is in a private network."
    return {
        "TimeoutError": "It didn't answer within five seconds.",
        "SSLCertVerificationError": "Its certificate isn't valid.",
        "ConnectionRefusedError": "It refused the connection.",
    }.get(error, "It couldn't be reached.")


def _note_failed(tx: Transaction, door: Door, owed: Call, status: int, why: str) -> None:
    owed.error, door.error, door.tries = why, why, door.tries + 1
    door.failing = door.failing or tx.now
    log.warning("a call of door %s failed (%s)", door.id, why)
    if door.form == doors.PUSH and status in GONE:
        tx.session.execute(delete(Door).where(Door.id == door.id))
    elif status == 410 or tx.now - door.failing >= doors.FAILED_FOR_GOOD:
        _switch_off(tx, door)
    else:
        pause = timedelta(seconds=tx.site.settings.sweep_seconds) * 2 ** min(door.tries - 1, 20)
        door.rests = tx.now + min(pause, LONGEST_REST)
        waiting = update(Call).where(WAITING, Call.door_id == door.id, Call.due < door.rests)
        tx.session.execute(waiting.values(due=door.rests))


def _switch_off(tx: Transaction, door: Door) -> None:
    """Stops calling a door, and tells its player by email."""
    door.off, began = tx.now, door.failing or tx.now
    tx.session.execute(update(Call).where(WAITING, Call.door_id == door.id).values(due=None))
    if door.form == doors.PUSH:
        return
    host = urlsplit(door.address).hostname or ""
    owe_owner(tx, f"hook-off:{door.id}:{began.isoformat()}", door.player_id, "hook-off", host)


def request(site: Site, door: Door, owed: Call, now: datetime) -> Request:
    """The HTTP request for a call; raises ValueError for a device with a wrong key."""
    settings, seconds = site.settings, int(now.timestamp())
    link = f"{settings.public_url}/match/{owed.match_id}" if owed.match_id else f"{settings.public_url}/account/doors"
    words, name = _words(owed), links.name(site, owed)
    if door.form == doors.PUSH:
        device = web_push.Device(door.address, door.keys["p256dh"], door.keys["auth"])
        tag = f"match-{owed.match_id}" if owed.event in (Turn.kind, Result.kind) else hooks.name(name)
        content = web_push.notification(words[0], words[1], link, tag)
        contact, life = f"mailto:{settings.desk}", int(LIFE.total_seconds())
        return web_push.request(device, name, content, settings.secret, contact, seconds=seconds, life=life)
    if door.form == "standard":
        data = {**owed.data, "url": link}
        content = {"type": owed.event, "timestamp": owed.created.isoformat(), "data": data}
        return hooks.signed(door.address, name, doors.signing_secrets(settings, door, now), seconds, content)
    return hooks.request(f"{door.form}+{door.address}", name, f"{words[1]} {link}")


def _words(owed: Call) -> tuple[str, str]:
    """The title and the sentence of a notification."""
    said = templates().text.get_template("mail/doors/words.txt").module
    given = (owed.event, owed.data.get("title", ""), owed.data.get("side", ""))
    return str(said.title(*given)).strip(), str(said.text(*given)).strip()  # type: ignore[attr-defined]


def waiting_doors(session: Session, now: datetime, waited: datetime, most: int) -> list[int]:
    """The doors with calls that have been due for some time, for the sweep."""
    free = Door.rests <= now
    due = select(Call.door_id).where(WAITING, Call.due < waited).join(Door, Door.id == Call.door_id).where(free)
    return list(session.scalars(due.distinct().limit(most)))
