"""Whole matches by mail alone: a real Postfix in front of us, and players with real mail programs behind another."""

from __future__ import annotations

import re
import smtplib
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode
from urllib.request import urlopen

import pytest
from sqlalchemy import select

from service.config import ROOT
from service.engine.game import Position
from service.games import GAMES
from service.mail.letters import dkim_sign
from service.store.models import Player
from service.store.tables.mail_rows import IncomingMail
from tests.cases import FULL
from tests.processes import mail_programs, postfix
from tests.processes.deployment import Deployment, wait_for
from tests.processes.dovecot import WHY_NOT, Dovecot
from tests.processes.mail_programs import Person, by_mutt, by_s_nail, by_s_nail_below, by_swaks
from tests.processes.postfix import GONE, NAME, Postfix

WHY = WHY_NOT or postfix.why_not() or mail_programs.why_not()

pytestmark = [
    pytest.mark.skipif(bool(WHY), reason=WHY),
    pytest.mark.processes,
]

DOMAIN = "play.example.org"
DESK = f"play@{DOMAIN}"
CLUB = "club@example.org"
"""A mailbox whose mail is also for us, fetched over IMAP."""
README = (ROOT / "README.md").read_text()
POSTFIX_LINES = re.findall(r"^postconf -e .*$", README, re.MULTILINE)


class Plan(NamedTuple):
    """A short match: options as an email has them, orders `side: order` separated by semicolons, how it ends."""

    options: str
    orders: str
    end: str


COUNTED = "black: pass; white: pass; black: accept; white: accept"

PLANS = {
    "medusa": Plan(
        "base=4",
        f"black: e4; white: c2; black: f7; white: c6; black: g7; white: g4; black: g6 g7-e7; white: d5; {COUNTED}",
        "White won on points",
    ),
    "lotus": Plan("", f"black: e1; white: f1; {COUNTED}", "White won on points"),
    "rosette": Plan(
        "base=5",
        "black: e9; white: e10; black: e11; white: pass; black: pass; white: accept; black: accept",
        "White won on points",
    ),
    "pillars": Plan(
        "",
        "white: E3-E5; black: H10-H8; white: draw; black: accept",
        "White and Black drew by agreement",
    ),
    "go": Plan(
        "size=9 komi=0.5",
        "black: c3; white: g7; black: pass; white: pass; black: dead g7; white: accept",
        "Black won on points",
    ),
    "multigo": Plan(
        "size=5",
        "black: b2; white: d4; red: d2; black: pass; white: pass; red: pass; black: accept; white: accept; red: accept",
        "Black, White and Red drew on points",
    ),
    "multigo-coop": Plan(
        "size=5",
        f"black: b2; white: d4; {COUNTED}; black: ally white; black: alone; white: alone",
        "Black and White drew on points",
    ),
    "multigo-parallel": Plan(
        "size=5",
        "black: b2; red: d2; white: d4; white: pass; black: pass; red: pass; red: accept; black: accept; white: accept",
        "Black, White and Red drew on points",
    ),
    "multigo-parallel-coop": Plan(
        "size=5",
        "white: d4; black: b2; white: pass; black: pass; white: accept; black: accept; "
        "black: ally white; white: ally black",
        "Black and White drew on points",
    ),
}

PLAYED = [*PLANS] if FULL else ["medusa", "pillars", "go", "multigo", "multigo-parallel-coop"]
"""Games that differ by mail: turns in two parts, a draw, dead stones, three players, sealed moves and alliances. The
others are like them, and are played only with all cases."""

PROGRAMS = (by_s_nail, by_mutt, by_s_nail_below, by_swaks)


@dataclass
class World:
    """Stonepost behind its Postfix, and everybody else's mail."""

    service: Deployment
    postfix: Postfix
    dovecot: Dovecot
    home: Path
    matches: dict[str, Future[list[Person]]] = field(default_factory=dict)

    def person(self, address: str, number: int = 0) -> Person:
        """Somebody with a mailbox; the number chooses their mail program."""
        program, port = PROGRAMS[number % len(PROGRAMS)], self.postfix.ports["submission"]
        return Person(address, self.dovecot.maildir(address), port, program, self.home, self.dovecot.url(address))


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """All servers, on which a match of each of these games is being played from the beginning."""
    with ExitStack() as stack:
        dovecot = stack.enter_context(Dovecot())
        service = Deployment(tmp_path_factory.mktemp("data"))
        # What `stonepost mail dkim-key` would write, and the record that it would print.
        key = dkim_sign.new_key()
        (service.data / "dkim.pem").write_bytes(key)
        keys = [f"stonepost._domainkey.{DOMAIN} {dkim_sign.record(key)}"]
        front = Postfix(dovecot.ports["lmtp"], ["smtpd_authorized_xclient_hosts = 127.0.0.1"], keys)
        front.set_up(line.replace("2424", str(service.ports["LMTP_PORT"])) for line in POSTFIX_LINES)
        stack.enter_context(front)
        certificates = service.data / "certificates.pem"
        certificates.write_text("".join((at.home / "certificate.pem").read_text() for at in (front, dovecot)))
        service.settings_given |= {
            "MAIL_DOMAIN": DOMAIN,
            "MAIL_TRUST": "verified",
            "TRUSTED_AUTHSERV_ID": NAME,
            "SMTP_URL": f"smtp://localhost:{front.ports['mx']}",
            "IMAP_URL": dovecot.url(CLUB, "imaps", "localhost"),
            "SSL_CERT_FILE": str(certificates),
        }
        stack.enter_context(service.running())
        world = World(service, front, dovecot, tmp_path_factory.mktemp("people"))
        players = stack.enter_context(ThreadPoolExecutor(5))
        for number, game in enumerate(PLAYED):
            world.matches[game] = players.submit(play, world, number, game)
        yield world


def play(world: World, number: int, game: str) -> list[Person]:
    """Plays a match from its invitation to its result, which everybody has read then."""
    plan = PLANS[game]
    sides = [*dict.fromkeys(re.findall(r"(\w+):", plan.orders))]
    seats = GAMES[game].sides(len(sides))
    people = {
        side: world.person(f"{side}.{game}@example.{'org' if at % 2 else 'net'}", number + at)
        for at, side in enumerate(seats)
    }
    host, *guests = people.values()
    if len(guests) == 1:
        host.write(DESK, f"new {game} {plan.options} vs {guests[0].address}")
        guests[0].answer("you're invited to play", "accept\nHello from me")
    else:
        host.write(DESK, "status", f"new {game} {plan.options} vs {' '.join('open' for _ in guests)}")
        opened = re.search(r"writing\s+join\s+(\d+)", answer := text_of(host, "Re: "))
        assert opened, answer
        for guest in guests:
            guest.write(DESK, f"join {opened[1]}")
            assert "You have a seat in" in text_of(guest, "Re: ")
    options = dict(option.split("=") for option in plan.options.split())
    answered: set[tuple[str, int]] = set()
    position: Position = GAMES[game].begin(len(seats), 0, GAMES[game].settle(len(seats), options))
    for line in plan.orders.split("; "):
        side, _, order = line.partition(": ")
        again = (side, position.round) in answered
        seat = seats.index(side)
        numbered = f"your move {'in round ' * GAMES[game].parallel}{position.round} ("
        subject = numbered if seat in position.turns or again else "a draw is offered"
        people[side].answer(subject, f"{order}\nOrder {order} it is.", again=again)
        answered.add((side, position.round))
        position = position.play(seat, position.read(seat, order))
    for person in people.values():
        assert plan.end in text_of(person, f": {plan.end}")
    return [*people.values()]


def text_of(person: Person, subject: str) -> str:
    part = person.find(subject).get_body(("plain",))
    assert part is not None
    return str(part.get_content())


def test_no_game_is_left_out() -> None:
    assert PLANS.keys() == GAMES.keys()


@pytest.mark.parametrize("game", PLAYED)
def test_a_whole_match_is_played_by_mail_alone(world: World, game: str) -> None:
    people = world.matches[game].result(timeout=500)
    for person in people:
        results = [str(mail["Authentication-Results"]) for mail in person.mails()]
        assert results
        assert all("using TLSv1" in " ".join(mail.get_all("Received", [])) for mail in person.mails())
        assert all(re.search(rf"{NAME};\s+dkim=pass .*header.d={DOMAIN}", result) for result in results)


def test_nothing_was_lost_or_bounced_meanwhile(world: World) -> None:
    for match in world.matches.values():
        match.result(timeout=500)
    assert not re.findall(r"status=(?:bounced|deferred).*|(?:warning|error|fatal): .*", world.postfix.log)


def kept(world: World, sender: str) -> list[tuple[str, str]]:
    """Door and verdict of every mail from an address, the oldest first."""
    with world.service.site.store.reading() as session:
        mails = session.scalars(select(IncomingMail).order_by(IncomingMail.id)).all()
        return [(mail.door, mail.verdict) for mail in mails if f"From: {sender}".encode() in mail.raw]


FORGED = (f"{NAME}; dkim=pass header.d=example.org", f"{NAME}; spf=pass smtp.mailfrom=example.org")
"""Results that a stranger attributes to our own server."""


def test_a_stranger_with_a_stolen_address_cannot_move_whatever_they_claim(world: World) -> None:
    ada, ben = world.person("ada@example.org"), world.person("ben@example.net", 1)
    ada.write(DESK, f"new rosette base=5 vs {ben.address}")
    ben.answer("you're invited to play", "accept")
    turn = ada.find("your move 1 (")

    stranger = replace(ada, submission=world.postfix.ports["mx"])
    stolen = turn["Reply-To"].addresses[0].addr_spec
    claims = (("--add-header", f"Authentication-Results: {claim}") for claim in FORGED)
    stranger.write(stolen, "e9", f"Re: {turn['Subject']}", *chain(*claims))
    asked = text_of(ada, "Did you send this?")
    assert "e9" in asked
    assert kept(world, ada.address) == [("lmtp", "obeyed"), ("lmtp", "held")]

    ada.answer("your move 1 (", "e10")
    assert "Black played e10" in text_of(ben, "your move 2 (")


def test_a_genuine_email_that_is_replayed_moves_nothing(world: World) -> None:
    eve, ron = world.person("eve@example.org"), world.person("ron@example.net")
    eve.write(DESK, f"new rosette base=5 vs {ron.address}")
    ron.answer("you're invited to play", "accept")
    eve.answer("your move 1 (", "e10")
    ron.answer("your move 2 (", "e9")
    before = kept(world, eve.address)
    with world.service.site.store.reading() as session:
        (raw,) = [raw for raw in session.scalars(select(IncomingMail.raw)) if b"\ne10" in raw and b"eve@" in raw]
    to = eve.find("your move 1 (", again=True)["Reply-To"].addresses[0].addr_spec
    with smtplib.SMTP("127.0.0.1", world.postfix.ports["mx"], timeout=60) as line:
        line.sendmail("stranger@example.com", [to, to.upper()], raw)

    def delivered() -> bool:
        taken = re.findall(r"(\w+): from=<stranger@example.com>", world.postfix.log)
        return bool(taken) and f"{taken[0]}: removed" in world.postfix.log

    wait_for(delivered, "the replay")
    eve.find("your move 3 (")
    assert kept(world, eve.address) == before


def test_mail_for_the_club_is_fetched_from_its_mailbox(world: World) -> None:
    ida = world.person("ida@example.org")
    ida.write(CLUB, "games", "", "--header", f"To: {DESK}")
    ida.find("Re: ")
    assert kept(world, ida.address) == [("imap", "obeyed")]


FROM_OUTSIDE = ("--xclient-addr", "93.184.216.34", "--xclient-name", "mail.unsigned.example")
"""How the mail server of a provider that doesn't sign connects to ours."""


def pressed(person: Person, subject: str, **form: str) -> str:
    """Opens the page that an email asks its reader to open, and presses a button there; returns what it said."""
    found = re.search(r"http://\S+/mail/confirm/\S+", text_of(person, subject))
    assert found
    with urlopen(found[0]) as page:
        said = str(page.read().decode())
    with urlopen(found[0], urlencode(form).encode()) as answer:
        assert "Thank you" in answer.read().decode()
    return said


def test_somebody_whose_provider_does_not_sign_confirms_once_and_plays_by_mail(world: World) -> None:
    zoe, yan = world.person("zoe@example.org", 3), world.person("yan@example.net")
    unsigned = replace(zoe, submission=world.postfix.ports["mx"])

    def write(to: str, text: str, *more: str) -> None:
        unsigned.write(to, text, "", *FROM_OUTSIDE, *more)

    def reply(subject: str, text: str) -> None:
        turn = zoe.find(subject)
        write(turn["Reply-To"].addresses[0].addr_spec, text, "--header", f"In-Reply-To: {turn['Message-ID']}")

    write(DESK, f"new rosette base=5 vs {yan.address}")
    zoe.find("Did you write to Stonepost?")
    write(DESK, "status")
    wait_for(lambda: len(kept(world, zoe.address)) == 2, "the second email")
    assert "new rosette" in pressed(zoe, "Did you write to Stonepost?")
    assert "You opened Rosette" in text_of(zoe, "Re: ")
    yan.answer("you're invited to play", "accept")

    reply("your move 1 (", "e9")
    assert "Yes, and trust replies from this network" in pressed(zoe, "Did you send this? e9", network="1")
    assert "White to move" in text_of(zoe, "you played e9")
    yan.answer("your move 2 (", "e10")
    reply("your move 3 (", "e11")
    assert "Black played e11" in text_of(yan, "your move 4 (")
    assert [mail["Subject"] for mail in zoe.mails() if "Did you" in mail["Subject"]] == [
        "Did you write to Stonepost?",
        "Did you send this? status",
        "Did you send this? e9",
    ]
    assert [verdict for _, verdict in kept(world, zoe.address)] == ["obeyed", "held", "order", "order"]


def test_bounced_mail_is_recognised_by_its_return_path(world: World) -> None:
    leo = world.person("leo@example.org")
    leo.write(DESK, f"new rosette base=5 vs {GONE}")

    def bounced() -> bool:
        with world.service.site.store.reading() as session:
            return bool(session.scalars(select(Player.bounced).where(Player.email == GONE)).first())

    wait_for(bounced, "the bounce")
