"""Clocks as text, and their deadlines on the calendar."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from service.clock.control import DEFAULT, EXAMPLES, UTC_ZONE, Control, choose
from service.clock.duration import ClockError
from service.clock.hours import NEVER
from service.clock.rounds import Rounds
from service.clock.systems import Budget
from service.clock.vacation import vacation_day

BERLIN, SYDNEY, NEW_YORK = ZoneInfo("Europe/Berlin"), ZoneInfo("Australia/Sydney"), ZoneInfo("America/New_York")
DAY, HOUR = timedelta(days=1), timedelta(hours=1)


def at(text: str, zone: ZoneInfo = UTC_ZONE) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=zone).astimezone(UTC)


@pytest.mark.parametrize(
    ("typed", "stored"),
    [
        ("3d/move", "3d/move"),
        ("3 days per move", "3d/move"),
        ("36h / move", "1d12h/move"),
        ("2d/round", "2d/round"),
        ("Fischer 10d + 1d cap 14d", "fischer 10d+1d cap 14d"),
        ("fischer 72h+36h", "fischer 3d+1d12h"),
        ("byo-yomi 10d 5 x 3d, weekends off", "byoyomi 10d 5x3d, weekends off"),
        ("canadian 10d 5/7d", "canadian 10d 5/7d"),
        ("absolute 30d, SLEEP 23-7", "absolute 30d, sleep 23-7"),
        ("3d/move, fri sat off, no vacation, late passes", "3d/move, fri sat off, no vacation, late passes"),
        ("7d/move, sat sun off, vacation, late loses", "7d/move, weekends off"),
        ("7d/move, weekends off, fri off", "7d/move, fri sat sun off"),
        ("7d/move, tue off, thu off", "7d/move, tue thu off"),
        ("7d/move, sleep 23-7, sleep 23-7", "7d/move, sleep 23-7"),
        ("none", "none"),
        (DEFAULT, DEFAULT),
    ],
)
def test_clocks_are_read_liberally_and_written_canonically(typed: str, stored: str) -> None:
    assert Control.parse(typed).write() == stored
    assert Control.parse(stored) == Control.parse(typed)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "'' isn't a clock. Write one of these: 3d/move, fischer 10d+1d cap 14d, byoyomi 10d 5x3d"),
        ("soon", "'soon' isn't a clock. Write one of these: 3d/move"),
        ("3x/move", "'3x' isn't a length of time. Write days as 3d, hours as 12h, both as 1d12h."),
        ("0d/move", "'0d' isn't between one minute and one year."),
        ("900d/move", "'900d' isn't between one minute and one year."),
        ("fischer 10d", "Write a Fischer clock like fischer 10d+1d, or fischer 10d+1d cap 14d."),
        ("fischer 10d+1d cap 5d", "A Fischer clock's cap can't be less than its starting time."),
        ("byoyomi 10d", "Write byo-yomi like byoyomi 10d 5x3d"),
        ("byoyomi 10d 900x3d", "Choose between 1 and 100 periods, not 900."),
        ("canadian 10d", "Write Canadian time like canadian 10d 5/7d"),
        (
            "3d/move, mondays",
            "'mondays' isn't part of a clock. You can add these, each after a comma: weekends off",
        ),
        (f"3d/move, {60 * 'x'}yz", f"'{60 * 'x'}' isn't part of a clock."),
        (f"rounds at 18:00 {40 * 'x'}yz", f"'{40 * 'x'}' isn't a day of the week or a time zone."),
        ("byoyomi 10d 1234567890x3d", "Choose between 1 and 100 periods, not 12345678."),
        ("3d/move, sleep 7-7", "Write the night like sleep 23-7: two different hours from 0 to 23."),
        ("3d/move, mon tue wed thu fri sat sun off", "At least one weekday must count."),
        ("3d/move, mon tue wed thu fri off, weekends off", "At least one weekday must count."),
        ("3d/move, sleep 23-7, sleep 12-14", "A clock can have only one night, for example: sleep 23-7."),
        ("rounds", "Write rounds at fixed hours like this: rounds at 18:00 mon wed fri Europe/Lisbon."),
        ("rounds at 24:00", "Write rounds at fixed hours like this: rounds at 18:00 mon wed fri Europe/Lisbon."),
        ("rounds at 18:60", "Write rounds at fixed hours like this: rounds at 18:00 mon wed fri Europe/Lisbon."),
        (
            "rounds at 18:00 lisbon",
            "'lisbon' isn't a day of the week or a time zone. Write mon wed fri, or Europe/Lisbon.",
        ),
        (
            "fischer 10d+1d, late extends",
            "Only a clock with a fixed time per move or round can have late extends: 3d/move, late extends.",
        ),
        (
            "none, late extends",
            "Only a clock with a fixed time per move or round can have late extends: 3d/move, late extends.",
        ),
    ],
)
def test_the_error_for_a_clock_shows_a_correct_one(text: str, sentence: str) -> None:
    with pytest.raises(ClockError) as error:
        Control.parse(text)
    assert str(error.value).startswith(sentence)


@pytest.mark.parametrize(
    "text",
    [
        "rounds at 23:00, sleep 23-7",
        "rounds at 18:00 sat sun, weekends off",
        "rounds at 00:00 sat europe/berlin, weekends off",
        "rounds at 18:00 mon sat, mon off, sleep 12-20",
        "byoyomi 366d 100x366d, mon tue wed thu fri sat off, sleep 1-0",
    ],
)
def test_a_clock_that_never_runs_out_is_refused_for_a_new_match(text: str) -> None:
    """Such a clock is still read where it was chosen before, and has no deadline."""
    with pytest.raises(ClockError, match="With this clock, a turn would never end"):
        choose(text)
    control, now = Control.parse(text), at("2026-11-21")
    assert control.deadline(control.begin(), now) is None
    assert control.reminders(control.begin(), now) == ()
    assert control.press(control.begin(), now, now + DAY) == control.begin()


def test_no_more_than_a_hundred_years_are_searched_for_a_deadline() -> None:
    """Looking at every day until the year 9999 takes a minute."""
    week = Control.parse("366d/move, mon tue wed thu fri sat off, sleep 1-0").hours
    begun = at("2026-11-21")
    assert week.after(begun, 366 * DAY, BERLIN) == NEVER
    assert week.counted(begun, NEVER, BERLIN) < 366 * DAY
    rounds = Control.parse("rounds at 3:00, sleep 23-7")
    assert isinstance(rounds.system, Rounds)
    assert rounds.system.lasts(Budget(), begun, rounds.hours, ()) is None


@pytest.mark.parametrize(
    "text", [*EXAMPLES, "rounds at 7:00, sleep 23-7", "rounds at 18:00, weekends off", "rounds at 9:00, sleep 10-8"]
)
def test_clocks_that_end_can_be_chosen(text: str) -> None:
    assert choose(text) == Control.parse(text)


def test_the_examples_are_clocks() -> None:
    assert [Control.parse(text).write() for text in EXAMPLES] == list(EXAMPLES)


def budgets(clock: str, *used: timedelta) -> list[Budget]:
    control = Control.parse(clock)
    assert control.system is not None
    budget, seen = control.begin(), []
    for time in used:
        budget = control.system.press(budget, time)
        seen.append(budget)
    return seen


def test_a_fischer_bank_grows_to_its_cap() -> None:
    assert budgets("fischer 10d+1d cap 12d", DAY, HOUR, HOUR, HOUR, 12 * DAY) == [
        Budget(10 * DAY),
        Budget(11 * DAY - HOUR),
        Budget(12 * DAY - 2 * HOUR),
        Budget(12 * DAY),
        Budget(DAY),
    ]


def test_extra_time_above_the_cap_is_kept() -> None:
    control = Control.parse("fischer 10d+1d cap 12d")
    assert control.system is not None
    assert control.system.press(Budget(15 * DAY), DAY) == Budget(14 * DAY)


def test_a_move_within_a_byoyomi_period_keeps_it() -> None:
    assert budgets("byoyomi 2d 3x1d", DAY, DAY, DAY, DAY + HOUR, DAY, 2 * DAY) == [
        Budget(DAY, count=3),
        Budget(count=3),
        Budget(count=3),
        Budget(count=2),
        Budget(count=2),
        Budget(count=1),
    ]


def test_extra_time_in_a_block_is_only_for_that_block() -> None:
    """Otherwise a player who moves immediately would have less time for later moves than one who uses it up."""
    control = Control.parse("canadian 1d 2/7d")
    assert control.system is not None
    (within,) = budgets("canadian 1d 2/7d", 3 * DAY)
    assert within.extended(DAY) == Budget(over=6 * DAY, count=1)
    assert control.system.press(within.extended(DAY), HOUR) == Budget(over=7 * DAY, count=2)
    assert control.begin().extended(DAY) == Budget(2 * DAY, 7 * DAY, 2)


def test_canadian_blocks_start_again() -> None:
    assert budgets("canadian 1d 2/7d", HOUR, DAY, DAY, 3 * DAY) == [
        Budget(23 * HOUR, 7 * DAY, 2),
        Budget(over=7 * DAY - HOUR, count=1),
        Budget(over=7 * DAY, count=2),
        Budget(over=4 * DAY, count=1),
    ]


def test_a_turn_passed_late_in_a_canadian_block_is_followed_by_a_new_block() -> None:
    """Or the rest of the block's turns would run out of time as they begin."""
    assert budgets("canadian 1d 5/7d, late passes", 8 * DAY, 6 * DAY, DAY) == [
        Budget(over=7 * DAY, count=5),
        Budget(over=DAY, count=4),
        Budget(over=7 * DAY, count=5),
    ]


@pytest.mark.parametrize(
    ("clock", "zone", "begun", "deadline"),
    [
        ("3d/move", BERLIN, "2026-11-20 12:00", "2026-11-23 12:00"),
        ("3d/move, weekends off", BERLIN, "2026-11-20 12:00", "2026-11-25 12:00"),
        ("1d/move, weekends off", BERLIN, "2026-11-21 12:00", "2026-11-24 00:00"),
        # Time that runs out at the end of Friday lasts until Monday begins.
        ("12h/move, weekends off", BERLIN, "2026-11-20 12:00", "2026-11-23 00:00"),
        ("16h/move, sleep 23-7", NEW_YORK, "2026-11-20 22:00", "2026-11-21 22:00"),
        ("8h/move, sleep 0-8", NEW_YORK, "2026-11-20 20:00", "2026-11-21 12:00"),
        # Clocks go back on 25 October, so this calendar day has 25 hours.
        ("1d/move", BERLIN, "2026-10-24 12:00", "2026-10-25 11:00"),
        # They go forward on 29 March, a Sunday that doesn't count, so no hour is lost.
        ("2d/move, weekends off", BERLIN, "2026-03-27 12:00", "2026-03-31 12:00"),
        # Clocks change during the night: it has seven or nine hours, but the days don't change.
        ("16h/move, sleep 23-7", BERLIN, "2026-03-28 12:00", "2026-03-29 12:00"),
        ("16h/move, sleep 23-7", SYDNEY, "2026-04-04 12:00", "2026-04-05 12:00"),
        ("16h/move, sleep 23-7", SYDNEY, "2026-10-03 12:00", "2026-10-04 12:00"),
    ],
)
def test_deadlines(clock: str, zone: ZoneInfo, begun: str, deadline: str) -> None:
    control = Control.parse(clock)
    assert control.deadline(control.begin(), at(begun, zone), zone) == at(deadline, zone)


def test_a_first_turn_has_dates_in_the_players_zone() -> None:
    began = at("2026-10-20 12:00", BERLIN)
    turn = Control.parse("byoyomi 10d 2x3d, weekends off").first_turn(began, BERLIN)
    assert turn is not None
    assert [end and end.isoformat() for end in turn] == ["2026-11-11T12:00:00+01:00", "2026-11-03T12:00:00+01:00"]
    assert Control.parse("fischer 10d+1d").first_turn(began, BERLIN) == (at("2026-10-30 11:00", BERLIN), None)
    assert Control.parse("none").first_turn(began, BERLIN) is None


def test_a_clock_by_the_round_is_the_same_for_all_zones() -> None:
    control = Control.parse("1d/round, weekends off")
    begun = at("2026-11-20 12:00")
    assert len({control.deadline(control.begin(), begun, zone) for zone in (BERLIN, SYDNEY, NEW_YORK)}) == 1
    assert not control.spends_vacation


def test_without_a_clock_there_is_no_deadline() -> None:
    control = Control.parse("none")
    assert control.deadline(control.begin(), at("2026-11-20")) is None
    assert control.press(control.begin(), at("2026-11-20"), at("2027-11-20")) == control.begin()


def test_a_day_that_a_zone_skipped_does_not_count() -> None:
    """Samoa crossed the date line: Thursday 29 December 2011 was followed by Saturday 31 December."""
    apia = ZoneInfo("Pacific/Apia")
    control = Control.parse("2d/move, mon off")
    assert control.deadline(control.begin(), at("2011-12-29 12:00", apia), apia) == at("2012-01-01 12:00", apia)


def test_a_year_has_thirty_days_of_vacation() -> None:
    spent = [(at("2026-01-01") + n * DAY, at("2026-01-02") + n * DAY) for n in range(30)]
    assert vacation_day(at("2026-06-01"), spent[:29]) == (at("2026-06-01"), at("2026-06-02"))
    assert vacation_day(at("2026-06-01"), spent) is None
    assert vacation_day(at("2027-01-01"), spent) == (at("2027-01-01"), at("2027-01-02"))
    assert vacation_day(at("2026-01-01 12:00"), spent[:1]) is None


def test_time_that_is_paused_for_good_never_runs_out() -> None:
    begun = at("2026-11-21T12:00")
    for clock in ("3d/move", "3d/move, weekends off"):
        control = Control.parse(clock)
        assert control.hours.after(begun, DAY, UTC_ZONE, [(begun + HOUR, NEVER)]) == NEVER
        assert control.hours.after(begun, HOUR / 2, UTC_ZONE, [(begun + 3 * DAY, NEVER)]) < NEVER


@pytest.mark.parametrize(("days", "fits"), [("", True), ("mon tue wed thu fri sat ", False)])
def test_the_clock_of_a_match_is_no_longer_than_what_is_stored(days: str, fits: bool) -> None:
    clock = f"rounds at 18:00 {days}America/Argentina/ComodRivadavia, mon tue wed thu fri off, sleep 23-7, no vacation"
    if fits:
        assert choose(clock).write() == clock
        return
    with pytest.raises(ClockError, match="can have up to 120 characters; this one has 122"):
        choose(clock)
