"""Calls of hooks and devices while processes die: `make fire`, or `python -m tests.processes.hooks_under_fire 1000`.

Half of the doors are hooks, whose calls the reference library verifies, and half are devices, which decrypt what they
are sent. One more hook hangs and one redirects, to check that nobody waits for them.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from itertools import cycle
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from sqlalchemy import func, select
from standardwebhooks.webhooks import Webhook

from service.mail.letters.web_push import CURVE, public, unpadded
from service.play.accounts import identity
from service.play.notify import doors
from service.play.site import Site
from service.store.tables.doors import Call, Door
from tests.mail.letters.test_web_push import opened
from tests.play.outbox.receiver import Receiver, receiving
from tests.processes.deployment import Deployment, wait_for

VICTIMS = ("hooks", "queue", "beat", "hooks", "think", "worker", "hooks", "upkeep", "web", "mail")
PLAYERS = 5
KEY, AUTH = ec.derive_private_key(7, CURVE), bytes(range(16))


def register(site: Site, receiver: Receiver, player: int) -> list[Door]:
    """Adds four hooks and four devices of a player, which all work."""
    keys = {"p256dh": unpadded(public(KEY)), "auth": unpadded(AUTH)}
    found = [
        doors.add_hook(site, player, receiver.at(f"hook/{player}/{n}"), "standard", doors.EVENTS) for n in range(4)
    ]
    return found + [doors.add_device(site, player, receiver.at(f"push/{player}/{n}"), keys, "Phone") for n in range(4)]


def owe(site: Site, door: Door, number: int) -> None:
    """Adds a call without a nudge: the sweep has to find it."""
    with site.transaction() as tx:
        data = {"title": f"Go {number}", "side": "black", "number": number}
        tx.session.add(
            Call(key=f"fire:{door.id}:{number}", door_id=door.id, event="said", data=data, created=tx.now, due=tx.now)
        )


def waiting(site: Site, found: list[Door]) -> int:
    with site.store.reading() as session:
        ours = Call.door_id.in_([door.id for door in found])
        return session.scalar(select(func.count()).select_from(Call).where(ours, Call.sent.is_(None))) or 0


def fire(deployment: Deployment, receiver: Receiver, calls: int, kinds: Sequence[str] = VICTIMS) -> str:
    """Owes this many calls while one process after the other is killed; returns the figures, or fails."""
    site, began = deployment.site, time.monotonic()
    with site.transaction() as tx:
        numbers = [identity.by_email(tx.session, f"fire{n}@example.org", tx.now).id for n in range(PLAYERS)]
    found = [door for number in numbers for door in register(site, receiver, number)]
    bad = [doors.add_hook(site, numbers[0], receiver.at(path), "standard", doors.EVENTS) for path in ("hang", "away")]
    victims, killed = cycle(kinds), 0
    for number, door in zip(range(calls), cycle(found), strict=False):
        owe(site, door, number)
        if number % 10 == 0:
            for one in bad:
                owe(site, one, number)
        if number % max(1, calls // (2 * len(kinds))) == 0:
            deployment.kill(next(victims))
            killed += 1
    wait_for(lambda: not waiting(site, found), "the end of all calls", 400)
    took = time.monotonic() - began
    hooks = {f"/hook/{door.player_id}/{n % 4}": door for n, door in enumerate(found) if door.form != doors.PUSH}
    once = Counter[str]()
    for posted in list(receiver.posted):
        if posted.path.startswith("/hook"):
            secret = doors.signing_secrets(site.settings, hooks[posted.path], site.now())[0]
            Webhook(secret).verify(posted.body, posted.headers)
            assert json.loads(posted.body)["type"] == "said"
            once[posted.headers["webhook-id"]] += 1
        elif posted.path.startswith("/push"):
            assert "Go " in json.loads(opened(posted.body, KEY, AUTH))["notification"]["title"]
            once[posted.path + posted.headers["topic"]] += 1
    assert len(once) == calls, f"{calls} were owed and {len(once)} came"
    assert not [one for one in receiver.posted if one.path == "/elsewhere"], "a redirect was followed"
    again = sum(once.values()) - calls
    return f"{calls} calls, {killed} processes killed: none lost, {again} sent again under the same id, {took:.0f} s"


def main() -> None:
    """Prints the figures of a deployment of its own."""
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    with ExitStack() as stack:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        receiver = stack.enter_context(receiving(place, patch))
        (data := place / "data").mkdir()
        deployment = Deployment(data, {"HOOKS_PRIVATE": "1", "SMTP_URL": ""})
        print(fire(stack.enter_context(deployment.running()), receiver, calls))


if __name__ == "__main__":
    main()
