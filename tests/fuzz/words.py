"""Other things that people write: lines of emails, clocks, dates, wishes, events, proposals, and headers of mail."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from random import Random
from zoneinfo import ZoneInfo

from service.clock import control, dates, duration
from service.clock.duration import ClockError
from service.contests import results
from service.games import GAMES
from service.mail import reply_address
from service.mail.grammar import command_examples, command_lines, conditional, orders, reading
from service.mail.grammar.order_words import WORDS
from service.mail.grammar.reading import before_the_board
from service.mail.senders import authentication_results, dkim_signature
from service.play.company import event_text, wish_text
from service.play.company.events import EventError
from service.play.company.wish_text import WishError
from service.play.match import proposal
from service.play.match.proposal import ProposalError
from tests.fuzz import mutation
from tests.fuzz.doors import Door, check_sentence
from tests.fuzz.orders import golden

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
LARGEST = 100_000
"""The most characters: as many as are read of an email."""

ZONES = ("UTC", "Pacific/Kiritimati", "Pacific/Pago_Pago", "Europe/Lisbon", "Africa/Casablanca")
REFUSALS = (ClockError, EventError, ProposalError, WishError, results.ResultError)

COMMANDS = tuple(
    example.replace("GAME", game)
    for examples in command_examples.EXAMPLES.values()
    for example in examples
    for game in list(GAMES)[:: len(GAMES) - 1]
)
"""Every command, about two games."""

MOVES = tuple(move for game in ("go", "medusa", "pillars") for move in golden(game)[:20])
WRITTEN = (*COMMANDS, *(word.name for word in WORDS), *MOVES, "Best, Ada", "Thanks!", "> e5", "end", "", "e5 or d4?")
DATES = (
    "until 24 December", "until 2027-01-06", "for 10 days", "2 weeks", "1d12h", "29 February", "Feb 29 2028",
    "0001-01-01", "until 9999-12-31", "2026-12-24t00:00:00+00:00", "2026-13-45t99:99:99+00:00",
    "till Dec 24th, 2026", "90min", "99999w",
)  # fmt: skip
CLOCKS = (
    *control.EXAMPLES, control.DEFAULT, "3d/move, weekends off, sleep 23-7, no vacation, late passes",
    "3d/round, late extends", "rounds at 18:00 Europe/Lisbon sat sun, late extends", "fischer 10d+1d, mon tue off",
)  # fmt: skip
RESULTS = (
    "2026-11-22 ada=1/2 ben=0.5 cem!=0",
    "# ada 1400 30 0.06",
    "2026-11-22 ada=1 ben=0",
    "2026-11-23 ada=0 ben=1",
)
HEADERS = (
    "mx.example.org; spf=pass smtp.mailfrom=a@b.example; dkim=pass header.d=b.example (ok)",
    "mx.example.org 1; dmarc=fail (p=none) header.from=b.example; none",
    "v=1; a=rsa-sha256; d=b.example; s=k; h=From:To:Subject; bh=AAAA; b=AAAA; t=1763700000; x=1763800000; i=@b.example",
    "g+aaqqcaibaeaaaaaaaaaaaaaaaaaa@play.example",
)  # fmt: skip


def _order(text: str) -> None:
    order = orders.parse(text)
    assert orders.restored(order.kind, order.text) == order, "an order is stored as its kind and its text"
    assert orders.choices(text)
    orders.accepts_opening(text)
    orders.accepts_invitation(order)
    orders.declines_invitation(order)


def _line(text: str) -> None:
    found = command_lines.line(text)
    command_lines.counts(found, lambda said: len(said) < 4)
    command_lines.asks(text)
    command_lines.whispers(text)


def _email(text: str) -> None:
    subject, _, body = text.partition("\n")
    before_the_board([*GAMES.values()], subject, body)
    found = reading.parse(subject, body, lambda said: len(said) < 4, lambda said: "5" in said)
    assert len(found.lines) <= 100


def _conditional(text: str) -> None:
    with suppress(conditional.UnclearBranch):
        conditional.branches(text)


def _clock(text: str) -> None:
    clock = control.Control.parse(text)
    assert control.Control.parse(clock.write()) == clock, clock.write()
    clock.begin()


def _date(text: str) -> None:
    for zone in ZONES:
        assert dates.read_end(text, NOW, ZoneInfo(zone)).tzinfo is not None


def _amount(text: str) -> None:
    amount = duration.read_amount(text)
    assert duration.read_amount(duration.write_amount(amount)) == amount


def _wish(text: str) -> None:
    wanted = wish_text.read(text)
    assert wish_text.read(wish_text.write(wanted)) == wanted, wish_text.write(wanted)


def _results(text: str) -> None:
    for read in results.read(text):
        str(read)


def _header(text: str) -> None:
    authentication_results.parse(text)
    dkim_signature.read(text)
    reply_address.read("secret", text)


KINDS: dict[str, tuple[Callable[[str], object], Sequence[str]]] = {
    "order": (_order, WRITTEN),
    "line": (_line, WRITTEN),
    "email": (_email, ["\n".join(WRITTEN[at : at + 4]) for at in range(0, len(WRITTEN), 3)]),
    "conditional": (_conditional, [*command_examples.EXAMPLES["if"], "if e5 then d4 if c3 then b2; pass then pass"]),
    "clock": (_clock, CLOCKS),
    "date": (_date, DATES),
    "amount": (_amount, DATES),
    "wish": (
        _wish,
        [*(line for line in COMMANDS if line.startswith("wish")), "all 3h/move rating above 1500 at most 5"],
    ),
    "event": (event_text.read, [line.partition(" ")[2] for line in COMMANDS if line.startswith("create")]),
    "proposal": (proposal.read, [line.partition(" ")[2] for line in COMMANDS if line.startswith("new")]),
    "results": (_results, ["\n".join(RESULTS), *RESULTS]),
    "header": (_header, HEADERS),
}


class Words(Door):
    name = "words"
    share = 60

    def make(self, chance: Random) -> tuple[str, str]:
        kind = chance.choice([*KINDS])
        return kind, mutation.text(chance, KINDS[kind][1], LARGEST if chance.random() < 0.2 else 10_000)

    def take(self, given: tuple[str, str]) -> bool:
        kind, text = given
        try:
            KINDS[kind][0](text)
        except REFUSALS as error:
            check_sentence(str(error), longest=1_000)
            return False
        return True
