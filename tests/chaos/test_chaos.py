"""A short run of `make chaos` finds planted bugs, and nothing without them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from service.games import GAMES
from tests.cases import FULL
from tests.chaos import planted
from tests.chaos.faults import FAULTS, schedule
from tests.chaos.ledger import EntryRow, Ledger, LetterRow, Order, Rows, SubmissionRow, Table, compare
from tests.chaos.run import Plan, run
from tests.processes.deployment import Arrival

ADA, BRUNO = "ada@example.org", "bruno@example.org"
FIRST = Order(7, 0, 1, "d4")
LATER = FIRST._replace(move="c3")


def notes() -> Ledger:
    """Ada has played d4 in match 7 and changed her mind too late; Bruno knows that it's his turn."""
    position = GAMES["go"].start(2, size="5").play(0, "d4")
    ledger = Ledger({7: Table(7, (ADA, BRUNO), position)}, {FIRST}, {FIRST}, {LATER})
    ledger.told.update({(7, 1, ADA), (7, position.round, BRUNO)})
    return ledger


ROWS = Rows(
    [SubmissionRow(1, *FIRST, "accepted"), SubmissionRow(2, *LATER, "refused")],
    [EntryRow(*FIRST, 1)],
    [
        LetterRow("<1@x>", "turn", "sent"),
        LetterRow("<2@x>", "refusal", "sent"),
        LetterRow("<3@x>", "receipt", "dropped"),
    ],
)
ARRIVED = (Arrival("<1@x>", b"turn", True), Arrival("<2@x>", b"refusal", True))


def judged(verdict: str | None, number: int = 0) -> Rows:
    """The rows with another verdict on one of the orders."""
    orders = [*ROWS.submissions]
    orders[number] = orders[number]._replace(verdict=verdict)
    return replace(ROWS, submissions=orders)


@pytest.mark.parametrize(
    ("found", "rows"),
    [
        (set(), ROWS),
        ({"lost"}, replace(ROWS, submissions=ROWS.submissions[1:], entries=[])),
        ({"lost"}, replace(ROWS, entries=[])),
        ({"unjudged"}, judged(None)),
        ({"misapplied"}, judged("refused")),
        ({"misapplied"}, judged("accepted", 1)),
        ({"doubled"}, replace(ROWS, submissions=[*ROWS.submissions, SubmissionRow(3, *FIRST, "refused")])),
        ({"doubled"}, replace(ROWS, entries=[*ROWS.entries, EntryRow(*FIRST, 1)])),
        ({"misapplied"}, replace(ROWS, entries=[*ROWS.entries, EntryRow(7, 1, 2, "c3", 2)])),
        ({"lost", "misapplied"}, replace(ROWS, entries=[EntryRow(*FIRST._replace(seat=1), 1)])),
        ({"letter lost"}, replace(ROWS, letters=[*ROWS.letters, LetterRow("<4@x>", "turn", "sent")])),
        ({"letter lost"}, replace(ROWS, letters=[*ROWS.letters, LetterRow("<4@x>", "turn", "owed")])),
        ({"letter lost"}, replace(ROWS, letters=[*ROWS.letters, LetterRow("<4@x>", "turn", "given up")])),
    ],
)
def test_the_comparison_finds_faults(found: set[str], rows: Rows) -> None:
    assert compare(notes(), rows, ARRIVED).kinds == found


def test_a_turn_without_an_email_counts_as_a_lost_letter() -> None:
    ledger = notes()
    ledger.told = {(7, 1, ADA)}
    assert compare(ledger, ROWS, ARRIVED).wrong["letter lost"] == ["seat 1 of match 7 doesn't know of its turn"]


def test_copies_are_counted_by_kind() -> None:
    unsaid = Arrival("<1@x>", b"turn", False)
    found = compare(notes(), ROWS, [unsaid, *ARRIVED, ARRIVED[0], ARRIVED[1]._replace(content=b"other")])
    assert (found.copies_unsaid, len(found.copies_said), found.kinds) == (1, 2, {"different copy"})


def test_a_schedule_depends_on_its_seed_and_has_every_fault() -> None:
    def first(seed: int) -> list[tuple[float, str, float]]:
        return [fault for fault, _ in zip(schedule([*FAULTS], seed, 15), FAULTS, strict=False)]

    assert first(1) == first(1) != first(2)
    assert {name for _, name, _ in first(1)} == {*FAULTS}


@pytest.mark.processes
@pytest.mark.skipif(not FULL, reason="takes long: make soak tries it")
@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_nothing_is_lost_doubled_or_misapplied(database: str) -> None:
    result = run(Plan(orders=400, database=database))
    assert result.findings.kinds == set(), str(result)


@pytest.mark.processes
@pytest.mark.skipif(not FULL, reason="takes long: make soak tries it")
@pytest.mark.parametrize(
    ("bug", "faults", "found"),
    [
        (planted.marks_letters_sent_too_early, "letters", "letter lost"),
        (planted.takes_copies_as_orders, "letters", "doubled"),
        (planted.judges_only_queued_orders, "kill-queue,flush,full-queue", "unjudged"),
    ],
)
def test_a_run_finds_planted_bugs(bug: Callable[[], None], faults: str, found: str) -> None:
    program = ("-m", "tests.chaos.planted", bug.__name__)
    plan = Plan(orders=200, faults=faults.split(","), every=8, patience=15, trouble=0.1, program=program)
    assert found in run(plan).findings.kinds
