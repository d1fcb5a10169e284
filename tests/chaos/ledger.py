"""What players have ordered and read, recorded outside the service, and the comparison with what the service did."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import NamedTuple

from sqlalchemy import Engine, text

from service.engine.game import Position
from service.mail import reply_address
from tests.processes.deployment import Arrival


class Order(NamedTuple):
    """A move that a player has ordered, and the round that it is for."""

    match: int
    seat: int
    round: int
    move: str


@dataclass
class Table:
    """A match as its players know it from their own moves. `players` has an email address for each seat."""

    match: int
    players: tuple[str, ...]
    position: Position
    lock: Lock = field(default_factory=Lock)


@dataclass
class Ledger:
    """The players' own records. Orders are recorded before they are sent, and again once they are acknowledged."""

    tables: dict[int, Table] = field(default_factory=dict)
    ordered: set[Order] = field(default_factory=set)
    acknowledged: set[Order] = field(default_factory=set)
    late: set[Order] = field(default_factory=set)
    """Orders for a round in which another order of the player has been acknowledged: each must be refused."""
    told: set[tuple[int, int, str]] = field(default_factory=set)
    """The match, the round and the player of each turn that the player got an email about."""


class SubmissionRow(NamedTuple):
    """A stored order."""

    id: int
    match: int
    seat: int
    round: int
    text: str
    verdict: str | None


class EntryRow(NamedTuple):
    """A move in the log of a match."""

    match: int
    seat: int
    round: int
    move: str
    submission: int | None


class LetterRow(NamedTuple):
    """A letter: `state` is `sent`, `owed`, `given up`, or `dropped` if its recipient no longer wants or needs it."""

    message_id: str
    kind: str
    state: str


@dataclass(frozen=True)
class Rows:
    """All that the database contains about the matches."""

    submissions: Sequence[SubmissionRow]
    entries: Sequence[EntryRow]
    letters: Sequence[LetterRow]


SUBMISSIONS = "SELECT id, match_id, seat, round, text, verdict FROM submission ORDER BY id"
ENTRIES = "SELECT match_id, seat, round, move, submission_id FROM entry ORDER BY match_id, ply"
LETTERS = """
    SELECT key, kind, CASE WHEN sent IS NOT NULL THEN 'sent' WHEN due IS NOT NULL THEN 'owed'
                           WHEN error <> '' THEN 'given up' ELSE 'dropped' END AS state FROM letter ORDER BY id
"""
UNFINISHED = """
    SELECT (SELECT count(*) FROM submission WHERE verdict IS NULL) +
           (SELECT count(*) FROM letter WHERE sent IS NULL AND due IS NOT NULL)
"""


def rows(engine: Engine, domain: str, matches: Container[int]) -> Rows:
    """Reads the orders and moves of these matches, and all letters, without the service's own code."""
    with engine.connect() as connection:
        return Rows(
            [SubmissionRow(*row) for row in connection.execute(text(SUBMISSIONS)) if row.match_id in matches],
            [EntryRow(*row) for row in connection.execute(text(ENTRIES)) if row.match_id in matches],
            [
                LetterRow(reply_address.message_id(row.key, domain), row.kind, row.state)
                for row in connection.execute(text(LETTERS))
            ],
        )


def unfinished(engine: Engine) -> int:
    """How many orders are still to be judged and letters to be sent, together."""
    with engine.connect() as connection:
        return connection.execute(text(UNFINISHED)).scalar() or 0


@dataclass
class Findings:
    """What went wrong, by kind: each list must be empty. Also the copies of emails that arrived, which are allowed."""

    wrong: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    copies_unsaid: int = 0
    """Copies of emails that the relay had taken without acknowledging them."""
    copies_said: list[tuple[float, float]] = field(default_factory=list)
    """For copies of emails that the relay had acknowledged: when the email came, and when its copy. The process that
    sent the email died before it could store that."""

    @property
    def kinds(self) -> set[str]:
        return {kind for kind, found in self.wrong.items() if found}


def compare(ledger: Ledger, rows: Rows, arrived: Sequence[Arrival]) -> Findings:
    """What the service has lost, doubled or misapplied, once all its work is done."""
    found = Findings()
    _compare_orders(found, ledger, rows.submissions)
    _compare_entries(found, ledger, rows)
    _compare_letters(found, ledger, rows, arrived)
    _count_copies(found, arrived)
    return found


def _compare_orders(found: Findings, ledger: Ledger, stored: Iterable[SubmissionRow]) -> None:
    verdicts: dict[Order, list[str | None]] = defaultdict(list)
    for row in stored:
        verdicts[Order(row.match, row.seat, row.round, row.text)].append(row.verdict)
    for order in ledger.acknowledged | ledger.late:
        given = verdicts.get(order, [])
        expected = "refused" if order in ledger.late else "accepted"
        if not given:
            found.wrong["lost"].append(f"{order} was acknowledged but isn't stored")
        elif None in given:
            found.wrong["unjudged"].append(f"{order}")
        elif len(given) > 1:
            found.wrong["doubled"].append(f"{order} is stored {len(given)} times")
        elif given != [expected]:
            found.wrong["misapplied"].append(f"{order} was {given[0]}, not {expected}")


def _compare_entries(found: Findings, ledger: Ledger, rows: Rows) -> None:
    played = [Order(row.match, row.seat, row.round, row.move) for row in rows.entries]
    found.wrong["misapplied"] += [f"nobody ordered {one}" for one in played if one not in ledger.ordered]
    found.wrong["doubled"] += [f"{one} was played {count} times" for one, count in Counter(played).items() if count > 1]
    found.wrong["lost"] += [f"{order} was never played" for order in ledger.acknowledged - set(played)]
    orders = {row.id: Order(row.match, row.seat, row.round, row.text) for row in rows.submissions}
    for row, move in zip(rows.entries, played, strict=True):
        if row.submission is None or orders[row.submission] != move:
            found.wrong["misapplied"].append(f"{move} belongs to another order")


def _compare_letters(found: Findings, ledger: Ledger, rows: Rows, arrived: Iterable[Arrival]) -> None:
    taken = {one.message_id for one in arrived}
    for letter in rows.letters:
        if letter.state in ("owed", "given up"):
            found.wrong["letter lost"].append(f"a {letter.kind} is {letter.state}")
        elif letter.state == "sent" and letter.message_id not in taken:
            found.wrong["letter lost"].append(f"a {letter.kind} was marked as sent and never arrived")
    for table in ledger.tables.values():
        for seat in table.position.turns:
            if (table.match, table.position.round, table.players[seat]) not in ledger.told:
                found.wrong["letter lost"].append(f"seat {seat} of match {table.match} doesn't know of its turn")


def _count_copies(found: Findings, arrived: Iterable[Arrival]) -> None:
    earlier: dict[str, list[Arrival]] = defaultdict(list)
    for one in arrived:
        if former := earlier[one.message_id]:
            if former[-1].said:
                found.copies_said.append((former[-1].when, one.when))
            else:
                found.copies_unsaid += 1
            if one.content != former[0].content:
                found.wrong["different copy"].append(one.message_id)
        former.append(one)
