"""Undo: an order is held back for a while, and one that was withdrawn was never there for anybody else."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import select

from service.mail.grammar.orders import parse
from service.play.match.judge import AT_ONCE
from service.play.orders import undo
from service.play.orders.submit import Incoming, submit
from service.play.pages import match_page
from service.store.models import Player, Seat, Submission
from service.store.tables.mail_rows import Letter
from tests.play.conftest import Town, plain
from tests.play.timekeeping.test_clocks import HOUR, begin, deadline, log, order, swept

SECONDS = 60


def careful(town: Town, clock: str = "3d/move") -> tuple[int, int, int]:
    """A match in which the first player's moves are held for a minute."""
    ada, ben, match = begin(town, clock + (", no vacation" if clock != "none" else ""))
    with town.store.writing() as session:
        session.get_one(Player, ada).grace = SECONDS
    return ada, ben, match


def hold(town: Town, player_id: int, match: int, seat: int, text: str) -> str:
    """Sends an order as the page does, and returns its key."""
    key = f"web:{town.now}:{text}"
    submit(town.site, Incoming(key, match, seat, player_id, None, parse(text), "web", may_undo=True))
    town.work()
    return key


def held_until(town: Town, match: int, player_id: int) -> datetime | None:
    """How long a move sent now would be held."""
    with town.store.reading() as session:
        return undo.until(session, town.now, match, player_id, parse("g10"))


def known(town: Town, match: int, viewer: int | None) -> tuple[object, ...]:
    """All that a page tells this viewer, and how far the match is."""
    page = match_page.match_page(town.site, match, viewer)
    return (page and page.line, page and page.entries, page and page.scene, page and page.held), match_page.newest(
        town.site, match
    )


def letters(town: Town) -> int:
    with town.store.reading() as session:
        return len(session.scalars(select(Letter.id)).all())


def test_a_withdrawn_move_was_never_there(town: Town) -> None:
    ada, ben, match = careful(town)
    before = [known(town, match, viewer) for viewer in (ben, None)], letters(town)
    key = hold(town, ada, match, 0, "g10")
    assert ([known(town, match, viewer) for viewer in (ben, None)], letters(town)) == before
    mine = match_page.match_page(town.site, match, ada)
    assert mine is not None
    assert mine.held is not None
    assert mine.held[0] == "g10"
    order(town, ada, match, 0, "undo")
    town.work()
    assert match_page.verdict(town.site, key, ada) == match_page.Verdict("withdrawn", "", "g10", "", match)
    swept(town, timedelta(minutes=5))
    assert ([known(town, match, viewer) for viewer in (ben, None)], letters(town)) == before
    assert log(town, match) == []


def test_a_held_move_is_judged_by_the_sweep_as_of_when_it_was_sent(town: Town) -> None:
    ada, _, match = careful(town)
    sent = town.now
    key = hold(town, ada, match, 0, "g10")
    assert match_page.verdict(town.site, key, ada) == match_page.Verdict("held", "", "g10", "", match)
    swept(town, timedelta(seconds=SECONDS - 10))
    assert log(town, match) == []
    swept(town, timedelta(seconds=30))
    assert log(town, match) == [(0, "g10")]
    page = match_page.match_page(town.site, match, None)
    assert page is not None
    assert page.entries[0].played == sent
    order(town, ada, match, 0, "undo")
    town.work()
    assert verdicts(town)[-1] == "refused"
    assert log(town, match) == [(0, "g10")]


def verdicts(town: Town) -> list[str | None]:
    with town.store.reading() as session:
        return list(session.scalars(select(Submission.verdict).order_by(Submission.id)))


def test_an_undo_that_came_in_time_counts_however_late_it_is_judged(town: Town) -> None:
    ada, _, match = careful(town)
    hold(town, ada, match, 0, "g10")
    order(town, ada, match, 0, "undo")
    town.queue.clear()  # The worker sleeps until the move is due.
    swept(town, timedelta(minutes=10))
    assert verdicts(town) == ["withdrawn", "accepted"]
    assert log(town, match) == []


def test_what_is_sent_after_a_held_order_waits_with_it(town: Town) -> None:
    ada, ben, match = careful(town)
    hold(town, ada, match, 0, "g10")
    order(town, ada, match, 0, "if e10 then e9")
    order(town, ben, match, 1, "extend 1d")
    town.work()
    assert verdicts(town) == [None, None, "accepted"]
    swept(town, timedelta(minutes=2))
    assert verdicts(town) == ["accepted"] * 3


def test_a_move_held_past_the_deadline_was_in_time_and_nothing_is_held_in_the_last_hour(town: Town) -> None:
    ada, _, match = careful(town)
    end = deadline(town, match, 0)
    assert end is not None
    town.now = end - HOUR - timedelta(seconds=SECONDS + 1)
    assert held_until(town, match, ada) is not None
    town.now = end - HOUR
    assert held_until(town, match, ada) is None
    submit(town.site, Incoming("web:held", match, 0, ada, None, parse("g10"), "web"))
    with town.store.writing() as session:
        session.scalars(select(Submission)).one().held = end + HOUR
    swept(town, 2 * HOUR - timedelta(minutes=5))
    assert log(town, match) == []
    swept(town, timedelta(minutes=10))
    assert log(town, match) == [(0, "g10")]


def test_a_move_by_mail_is_held_as_well_and_all_of_it_is_set_by_mail(town: Town) -> None:
    town.write("ada@example.org", "new rosette base=5 vs ben@example.net\ngrace 60")
    town.write("ben@example.net", "join 1")
    (answer,) = town.write("ada@example.org", "g10")
    assert "Accepted: g10 in Rosette 1. Nobody sees it for 60 seconds" in " ".join(plain(answer).split())
    (answer,) = town.write("ada@example.org", "undo\nshow")
    assert "Your order in Rosette 1 was withdrawn. Nobody has seen it." in plain(answer)
    assert "[" not in plain(answer).partition("| show")[2]
    town.write("ada@example.org", "g11")
    swept(town, timedelta(minutes=2))
    assert log(town, 1) == [(0, "g11")]
    assert "your move 2" in town.post()[0]["Subject"]
    (answer,) = town.write("ada@example.org", "undo\ngrace 45\ngrace none")
    said = " ".join(plain(answer).split())
    assert "Your order has already gone out." in said
    assert "Write one of 0, 30, 60, 300 seconds" in said
    assert "Your moves go out right away." in said


def test_a_move_of_somebody_who_asked_for_no_time_to_undo_is_never_held(town: Town) -> None:
    ada, _, match = begin(town, "3d/move")
    assert held_until(town, match, ada) is None
    order(town, ada, match, 0, "g10")
    order(town, ada, match, 0, "undo")
    town.work()
    assert log(town, match) == [(0, "g10")]


def test_nobody_waits_for_a_choice_that_others_make_too(town: Town) -> None:
    """A delay would tell who has sealed a choice."""
    ada, _, match = careful(town, "none")
    assert held_until(town, match, ada) is not None
    with town.store.writing() as session:
        for number in (0, 1):
            session.get_one(Seat, (match, number)).awaited = True
    assert held_until(town, match, ada) is None


def test_orders_held_back_keep_nobody_else_waiting(town: Town) -> None:
    """However many they are: a delay would tell that there are some."""
    ada, ben, match = careful(town)
    for number in range(1, AT_ONCE + 2):
        hold(town, ada, match, 0, f"g{number}")
    order(town, ben, match, 1, "resign")
    town.work()
    assert log(town, match) == [(1, "resign")]
