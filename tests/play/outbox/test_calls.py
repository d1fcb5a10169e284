"""Hooks and devices: calls are made once, signed, and retried with the same id; hooks that fail are switched off."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from threading import Event, Thread, Timer
from typing import Any

import pytest
from sqlalchemy import select, update
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from service.mail.grammar.orders import parse
from service.mail.letters import hooks
from service.play import hook_client
from service.play.match import invitations, lobby
from service.play.match.lobby import Chair
from service.play.notify import doors
from service.play.notify.doors import DoorError
from service.play.operations import retention
from service.play.operations.sweep import sweep
from service.play.orders.submit import Incoming, submit
from service.play.outbox import calls
from service.play.outbox.deliver import judge_and_send
from service.play.talk import messages
from service.store.models import Player
from service.store.tables.doors import Call, Door
from tests.play.conftest import Town, plain
from tests.play.inbox.test_company_commands import named
from tests.play.outbox.receiver import Posted, Receiver, receiving
from tests.ports import free_port


@pytest.fixture
def receiver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, town: Town) -> Iterator[Receiver]:
    town.settings = replace(town.settings, hooks_private=True)
    with receiving(tmp_path, monkeypatch) as told:
        yield told


def hook(town: Town, player: int, address: str, form: str = "standard", events: tuple[str, ...] = doors.EVENTS) -> Door:
    return doors.add_hook(town.site, player, address, form, events)


def again(town: Town, door: Door) -> Door:
    with town.store.reading() as session:
        return session.get_one(Door, door.id)


def invite(town: Town, host: int, guest: int) -> int:
    match = lobby.open_match(town.site, host, "lotus", {}, [Chair("me"), Chair("paired", player_id=guest)])
    town.work()
    return match


def later(town: Town, **time: float) -> None:
    town.now += timedelta(**time)
    sweep(town.site)
    town.work()


def verified(town: Town, door: Door, one: Posted, generation: int = 0) -> dict[str, object]:
    """The contents of a call, if the reference library accepts its signature."""
    secret = hooks.secret(town.settings.secret, door.seed, generation)
    # The library compares the time of a call with the real clock, which isn't the town's.
    library = Webhook(secret)
    when = datetime.fromtimestamp(int(one.headers["webhook-timestamp"]), tz=town.now.tzinfo)
    assert abs(when - town.now) < timedelta(minutes=5)
    ours = library.sign(one.headers["webhook-id"], when, one.body.decode())
    if ours not in one.headers["webhook-signature"].split():
        raise WebhookVerificationError
    told = json.loads(one.body)
    assert isinstance(told, dict)
    return told


def test_turns_invitations_messages_and_results_are_sent_once(town: Town, receiver: Receiver) -> None:
    ada, ben = named(town, "ada@example.org"), named(town, "ben@example.org")
    door = hook(town, ben, receiver.at("ben"))
    lobby.open_match(town.site, ada, "lotus", {}, [Chair("me"), Chair("email", "ben@example.org")])
    town.work()
    (invitation,) = [mail for mail in town.post() if mail["To"].addresses[0].addr_spec == "ben@example.org"]
    town.reply(invitation, "accept")
    (turn,) = [mail for mail in town.post() if mail["Subject"].startswith("Lotus 1: your move")]
    town.reply(turn, "k4")
    messages.say(town.site, 1, ada, "psst", "nonce-of-a-form")
    town.work()
    (asked,) = town.write("ada@example.org", "match 1\nresign")[-1:]
    town.reply(asked, "yes")
    told = [verified(town, door, one) for one in receiver.posted]
    assert [one["type"] for one in told] == ["invitation", "turn", "said", "result"]
    assert told[1]["timestamp"] == "2026-11-21T12:00:04+00:00"
    assert told[1]["data"] == {
        "match": 1,
        "game": "lotus",
        "title": "Lotus 1",
        "side": "white",
        "seat": 1,
        "round": 2,
        "deadline": "2026-11-28T12:00:04+00:00",
        "url": "http://127.0.0.1:8000/match/1",
    }
    assert "psst" not in receiver.posted[2].body.decode()
    assert len({*receiver.names()}) == 4
    later(town, minutes=1)
    assert len(receiver.posted) == 4


def test_after_a_restoration_calls_about_what_waits_for_the_player_are_owed_again(town: Town) -> None:
    """What they answered may be lost: a move, or the acceptance of an invitation. A bot without them waits for ever."""
    hosts = [named(town, f"{name}@example.org") for name in ("running", "declined", "asked", "shared")]
    ben, guest = named(town, "ben@example.org"), Chair("email", "ben@example.org")
    off, on = hook(town, ben, "https://off.example.org"), hook(town, ben, "https://on.example.org")
    running, declined, asked = (
        lobby.open_match(town.site, host, "lotus", {}, [Chair("me"), guest]) for host in hosts[:3]
    )
    shared = lobby.open_match(town.site, hosts[3], "lotus", {}, [Chair("me"), Chair("open", mates=(guest,))])
    for match in (running, declined):
        invitations.answer(town.site, match, ben, match == running)
    submit(town.site, Incoming("web:1", running, 0, hosts[0], 1, parse("k4"), "web"))
    judge_and_send(town.site, running)
    with town.store.writing() as session:
        session.execute(update(Call).values(due=None, sent=town.now))
        session.get_one(Door, off.id).off = town.now
        doors.call_again(session, town.now)
        owed = session.execute(select(Call.match_id, Call.event).where(Call.door_id == on.id, Call.due.is_not(None)))
        assert {tuple(row) for row in owed} == {(running, "turn"), (asked, "invitation"), (shared, "invitation")}
        assert session.scalars(select(Call).where(Call.door_id == off.id, Call.due.is_not(None))).all() == []


def test_only_the_chosen_events_are_sent(town: Town, receiver: Receiver) -> None:
    ada, ben = named(town, "ada@example.org"), named(town, "ben@example.org")
    hook(town, ada, receiver.at("ada"), events=("result",))
    invite(town, ada, ben)
    assert receiver.posted == []


@pytest.mark.parametrize(
    ("form", "body"),
    [
        ("discord", {"content": "It's your move in Lotus 1. You play black. {url}", "allowed_mentions": {"parse": []}}),
        ("slack", {"text": "It's your move in Lotus 1. You play black. {url}"}),
        ("mattermost", {"text": "It's your move in Lotus 1. You play black. {url}"}),
        ("matrix", {"text": "It's your move in Lotus 1. You play black. {url}"}),
        ("ntfy", "It's your move in Lotus 1. You play black. {url}"),
    ],
)
def test_each_program_is_called_in_its_own_form(town: Town, receiver: Receiver, form: str, body: object) -> None:
    ada, ben = named(town, "ada@example.org"), named(town, "ben@example.org")
    hook(town, ada, receiver.at("x?wait=true"), form)
    invite(town, ada, ben)
    (told,) = receiver.posted
    wanted = json.dumps(body) if not isinstance(body, str) else body
    assert told.body.decode() == wanted.replace("{url}", "http://127.0.0.1:8000/match/1")
    assert told.path == "/x?wait=true"


def test_a_failed_call_is_retried_with_the_same_id(town: Town, receiver: Receiver) -> None:
    ada, ben = named(town, "ada@example.org"), named(town, "ben@example.org")
    door = hook(town, ada, receiver.at("ada"))
    receiver.status = 503
    invite(town, ada, ben)
    assert again(town, door).error == "It answered 503."
    later(town, seconds=1)
    assert len(receiver.posted) == 1, "it rests"
    later(town, seconds=20)
    receiver.status = 200
    later(town, minutes=1)
    later(town, minutes=1)
    assert len(receiver.posted) == 3
    assert len({*receiver.names()}) == 1
    assert verified(town, door, receiver.posted[0]) == verified(town, door, receiver.posted[2])
    assert (again(town, door).failing, again(town, door).tries) == (None, 0)


@pytest.mark.parametrize("how", ["test", "add"])
def test_a_hook_whose_player_has_mended_it_is_called_at_once(town: Town, receiver: Receiver, how: str) -> None:
    ada, ben = named(town, "ada@example.org"), named(town, "ben@example.org")
    door = hook(town, ada, receiver.at("ada"))
    receiver.status = 503
    invite(town, ada, ben)
    for _ in range(30):
        later(town, minutes=30)
    assert again(town, door).rests > town.now + timedelta(hours=1)
    receiver.status, receiver.posted[:] = 200, []
    if how == "test":
        doors.test(town.site, ada, door.id)
    else:
        hook(town, ada, receiver.at("ada"))
    town.work()
    assert len(receiver.posted) == (2 if how == "test" else 1)
    assert again(town, door).failing is None


def test_a_test_doesnt_end_the_lease_of_a_call_under_way(town: Town, receiver: Receiver) -> None:
    ada = named(town, "ada@example.org")
    door = hook(town, ada, receiver.at("ada"))
    doors.test(town.site, ada, door.id)
    assert calls._take(town.site, door.id)
    town.now += timedelta(seconds=2)
    doors.test(town.site, ada, door.id)
    town.work()
    assert receiver.posted == []


def test_a_hook_that_fails_doesnt_delay_others(town: Town, receiver: Receiver) -> None:
    ada, ben = named(town, "ada@example.org"), named(town, "ben@example.org")
    good, bad = hook(town, ada, receiver.at("ada")), hook(town, ben, receiver.at("ben"))
    receiver.status = 503
    for host, guest in ((ada, ben), (ben, ada)):
        lobby.open_match(town.site, host, "lotus", {}, [Chair("me"), Chair("paired", player_id=guest)])
    calls.call(town.site, bad.id)
    assert (again(town, good).tries, again(town, bad).tries) == (0, 1)
    receiver.status, receiver.posted[:] = 200, []
    calls.call(town.site, good.id)
    assert receiver.posted, "it doesn't rest"


def test_a_door_with_many_calls_waits_for_its_next_turn(
    town: Town, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, ben = named(town, "ada@example.org"), named(town, "ben@example.org")
    door = hook(town, ada, receiver.at("ada"))
    for _ in range(3):
        lobby.open_match(town.site, ada, "lotus", {}, [Chair("me"), Chair("paired", player_id=ben)])
    monkeypatch.setattr(calls, "TURN", -1)
    town.queue.clear()
    calls.call(town.site, door.id)
    assert len(receiver.posted) == 1
    assert town.queue == [("call", door.id)]
    town.work()
    assert len({*receiver.names()}) == len(receiver.posted) == 3


def test_a_call_whose_process_died_is_made_again_with_the_same_id(town: Town, receiver: Receiver) -> None:
    ada, ben = named(town, "ada@example.org"), named(town, "ben@example.org")
    door = hook(town, ada, receiver.at("ada"))
    invite(town, ada, ben)
    with town.store.writing() as session:  # As if the call had never been noted.
        session.execute(update(Call).values(sent=None, due=town.now))
        session.execute(update(Door).values(rests=town.now + calls.LEASE))
    calls.call(town.site, door.id)
    assert len(receiver.posted) == 1, "the lease goes on"
    later(town, seconds=30)
    assert receiver.names() == receiver.names()[:1] * 2


def test_after_five_days_of_failure_a_hook_is_switched_off_and_an_email_says_so(town: Town, receiver: Receiver) -> None:
    ada, ben = named(town, "ada@example.org"), named(town, "ben@example.org")
    door = hook(town, ada, receiver.at("ada"))
    receiver.status = 500
    invite(town, ada, ben)
    for _ in range(21):
        later(town, hours=6)
    assert again(town, door).off is not None
    assert len(receiver.posted) == 21
    assert len({*receiver.names()}) == 1
    (mail,) = [mail for mail in town.post() if mail["Subject"].startswith("Your hook")]
    assert mail["Subject"] == "Your hook was switched off: localhost"
    assert "hasn't accepted a call for five days" in " ".join(plain(mail).split())
    receiver.status, receiver.posted[:] = 200, []
    doors.turn_on(town.site, ada, door.id)
    invite(town, ada, ben)
    assert len(receiver.posted) == 1, "what it was owed is dropped, and the next is told"


@pytest.mark.parametrize("form", doors.FORMS)
def test_a_hook_that_is_gone_is_switched_off_at_once(town: Town, receiver: Receiver, form: str) -> None:
    ada, ben = named(town, "ada@example.org"), named(town, "ben@example.org")
    door = hook(town, ada, receiver.at("ada"), form)
    receiver.status = 410
    invite(town, ada, ben)
    assert again(town, door).off is not None
    invite(town, ada, ben)
    assert len(receiver.posted) == 1
    assert [mail["Subject"] for mail in town.post()].count("Your hook was switched off: localhost") == 1


def test_a_hook_that_is_switched_off_takes_no_calls_from_others(town: Town, receiver: Receiver) -> None:
    ada, ben = named(town, "ada@example.org"), named(town, "ben@example.org")
    gone, good = hook(town, ada, receiver.at("gone")), hook(town, ada, receiver.at("good"))
    lobby.open_match(town.site, ada, "lotus", {}, [Chair("me"), Chair("paired", player_id=ben)])
    receiver.status = 410
    calls.call(town.site, gone.id)
    assert again(town, gone).off is not None
    receiver.status, receiver.posted[:] = 200, []
    calls.call(town.site, good.id)
    assert [one.path for one in receiver.posted] == ["/good"]


def test_for_a_day_calls_are_signed_with_two_secrets(town: Town, receiver: Receiver) -> None:
    ada, ben = named(town, "ada@example.org"), named(town, "ben@example.org")
    door = hook(town, ada, receiver.at("ada"))
    doors.rotate(town.site, ada, door.id)
    invite(town, ada, ben)
    assert verified(town, door, receiver.posted[0], 0) == verified(town, door, receiver.posted[0], 1)
    town.now += timedelta(hours=25)
    invite(town, ada, ben)
    verified(town, door, receiver.posted[1], 1)
    with pytest.raises(WebhookVerificationError):
        verified(town, door, receiver.posted[1], 0)


def test_a_secret_is_replaced_once_by_a_form_that_is_sent_twice(town: Town, receiver: Receiver) -> None:
    ada, ben = named(town, "ada@example.org"), named(town, "ben@example.org")
    door = hook(town, ada, receiver.at("ada"))
    for _ in range(2):
        doors.rotate(town.site, ada, door.id)
        town.now += timedelta(seconds=5)
    invite(town, ada, ben)
    verified(town, door, receiver.posted[0], 0)
    town.now += timedelta(minutes=1)
    doors.rotate(town.site, ada, door.id)
    assert again(town, door).rotation == 2


def test_hooks_that_hang_or_redirect_dont_delay_others(
    town: Town, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hook_client, "PATIENCE", 1)
    town.pace = timedelta(milliseconds=10)
    ada, ben = named(town, "ada@example.org"), named(town, "ben@example.org")
    hanging, away = (hook(town, ada, receiver.at(path)) for path in ("hang", "away"))
    good = hook(town, ada, receiver.at("good"))
    for _ in range(5):
        invite(town, ada, ben)
    assert len(receiver.names("good")) == 5
    assert len(receiver.names("away")) == 1, "one call found it out, and the others wait with it"
    assert receiver.names("elsewhere") == []
    assert again(town, hanging).error == "It didn't answer within five seconds."
    assert again(town, away).error == "It answered 302."
    assert (again(town, hanging).tries, again(town, good).tries) == (1, 0)


def test_a_slow_handshake_times_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server sends one byte now and then, so that no single wait is long."""
    monkeypatch.setattr(hook_client, "PATIENCE", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as server:

        def drag() -> None:
            line, _ = server.accept()
            with line, suppress(OSError):
                line.sendall(b"\x16\x03\x03\x3f\xff")  # The beginning of a long handshake record.
                while not over.wait(0.05):
                    line.sendall(b"\x00")

        over = Event()
        dragging = Thread(target=drag, daemon=True)
        dragging.start()
        asked = hooks.to(f"https://127.0.0.1:{server.getsockname()[1]}/", "text/plain", b"", {})
        with pytest.raises(hook_client.HookFailed):
            hook_client.answer(asked, private=True)
        over.set()
        dragging.join()


def test_looking_up_the_address_counts_towards_the_five_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[float] = []

    class Clock(Timer):
        def __init__(self, interval: float, *others: Any) -> None:
            given.append(interval)
            super().__init__(interval, *others)

    def look_up(*_asked: object, **_more: object) -> list[Any]:
        time.sleep(0.3)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))]

    monkeypatch.setattr(hook_client, "PATIENCE", 2.0)
    monkeypatch.setattr(hook_client, "Timer", Clock)
    port = free_port()
    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    with pytest.raises(hook_client.HookFailed):
        hook_client.answer(hooks.to(f"https://slow.example:{port}/", "text/plain", b"", {}), private=True)
    assert [one < 1.8 for one in given] == [True]


def test_a_private_address_is_refused_when_the_hook_is_called(town: Town, receiver: Receiver) -> None:
    """The name may have had another address when the hook was registered."""
    ada, ben = named(town, "ada@example.org"), named(town, "ben@example.org")
    door = hook(town, ada, receiver.at("ada"))
    town.settings = replace(town.settings, hooks_private=False)
    invite(town, ada, ben)
    assert again(town, door).error == "Its address is in a private network."
    assert receiver.posted == []


@pytest.mark.parametrize("host", ["bot..example.org", f"{'b' * 64}.example.org"])
def test_a_hook_whose_host_can_have_no_address_fails_like_any_other(town: Town, host: str) -> None:
    ada, ben = named(town, "ada@example.org"), named(town, "ben@example.org")
    door = hook(town, ada, f"https://{host}/")
    invite(town, ada, ben)
    assert again(town, door).error == "It couldn't be reached."


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("", "must begin with https://"),
        ("http://bot.example.org/", "must begin with https://"),
        ("https:///path", "must begin with https://"),
        ("https://bot.example.org:0/", "must begin with https://"),
        ("https://bot.example.org:99999/", "must begin with https://"),
        ("https://[::1", "must begin with https://"),
        ("https://bot.example.org/a b", "must begin with https://"),
        ("https://bot.example.org/\r\nHost: x", "must begin with https://"),
        ("https://127.0.0.1/", "private network"),
        ("https://10.1.2.3/", "private network"),
        ("https://169.254.169.254/latest", "private network"),
        ("https://[::1]/", "private network"),
        ("https://[fd00::1]/", "private network"),
        ("https://[fec0::1]/", "private network"),
        ("https://[64:ff9b::169.254.169.254]/", "private network"),
        ("https://localhost/", "private network"),
        ("https://printer.local/", "private network"),
        ("https://intranet/", "private network"),
        (f"https://bot.example.org/{'x' * 1000}", "at most 1000 characters"),
    ],
)
def test_impossible_addresses_of_hooks_are_refused(town: Town, address: str, why: str) -> None:
    with pytest.raises(DoorError, match=why):
        hook(town, 1, address)


@pytest.mark.parametrize(
    ("address", "found"),
    [
        ("93.184.216.34", True),
        ("2606:4700::1111", True),
        ("64:ff9b::93.184.216.34", True),
        ("64:ff9b::10.0.0.5", False),
        ("64:ff9b:1::93.184.216.34", False),
        ("2002:a00:5::1", False),
        ("2001:0:a00:5::1", False),
        ("::ffff:10.0.0.5", False),
        ("::ffff:0:10.0.0.5", False),
        ("::127.0.0.1", False),
        ("5f00::1", False),
        ("fe80::1%eth0", False),
        ("ff0e::1", False),
        ("224.0.0.1", False),
        ("100.64.0.1", False),
    ],
)
def test_addresses_on_the_internet_are_public(address: str, found: bool) -> None:
    assert hook_client.is_public(address) == found


def test_a_player_has_at_most_ten_hooks(town: Town) -> None:
    ada = named(town, "ada@example.org")
    for number in range(doors.MOST):
        hook(town, ada, f"https://bot.example.org/{number}")
    with pytest.raises(DoorError, match="already have 10"):
        hook(town, ada, "https://bot.example.org/more")
    hook(town, ada, "https://bot.example.org/1", "slack")
    assert [door.form for door in doors.of(town.site, ada)].count("slack") == 1


def test_players_cannot_change_the_hooks_of_others(town: Town) -> None:
    ada, ben = named(town, "ada@example.org"), named(town, "ben@example.org")
    door = hook(town, ada, "https://bot.example.org/ada")
    doors.rotate(town.site, ben, door.id)
    doors.test(town.site, ben, door.id)
    doors.remove(town.site, ben, door.id)
    assert (again(town, door).rotation, town.queue) == (0, [])
    doors.remove(town.site, ada, door.id)
    assert doors.of(town.site, ada) == []


def test_a_test_call_is_sent(town: Town, receiver: Receiver) -> None:
    ada = named(town, "ada@example.org")
    door = hook(town, ada, receiver.at("ada"))
    doors.test(town.site, ada, door.id)
    doors.test(town.site, ada, door.id)
    town.work()
    (told,) = receiver.posted
    assert verified(town, door, told)["type"] == "test"


def test_a_player_without_an_address_gets_calls_too(town: Town, receiver: Receiver) -> None:
    ada, ben = named(town, "ada@example.org"), named(town, "ben@example.org")
    hook(town, ben, receiver.at("ben"))
    with town.store.writing() as session:
        session.execute(update(Player).where(Player.id == ben).values(email=None))
    match = invite(town, ben, ada)
    assert json.loads(receiver.posted[0].body)["data"]["match"] == match


def test_finished_calls_are_deleted_after_a_month(town: Town, receiver: Receiver) -> None:
    ada, ben = named(town, "ada@example.org"), named(town, "ben@example.org")
    hook(town, ada, receiver.at("ada"))
    invite(town, ada, ben)
    town.now += timedelta(days=31)
    retention.delete_old(town.site)
    with town.store.reading() as session:
        assert session.scalars(select(Call.id)).all() == []


def test_a_hook_that_its_player_removes_as_it_is_called_is_forgotten(town: Town, receiver: Receiver) -> None:
    ada, ben = named(town, "ada@example.org"), named(town, "ben@example.org")
    door = hook(town, ada, receiver.at("ada"))
    lobby.open_match(town.site, ada, "lotus", {}, [Chair("me"), Chair("paired", player_id=ben)])
    with town.store.reading() as session:
        owed = session.scalars(select(Call)).first()
    assert owed is not None
    doors.remove(town.site, ada, door.id)
    assert calls._sent(town.site, door, owed) is False
    assert doors.of(town.site, ada) == []
