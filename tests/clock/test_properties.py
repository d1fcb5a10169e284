"""Properties of all clocks, in all zones, on all dates."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from service.clock.control import Control
from service.clock.hours import Hours, Stretch
from service.clock.rounds import LEAST, Rounds
from service.clock.systems import NOTHING, Absolute, Byoyomi, Canadian, Fischer, Fixed, System
from service.clock.vacation import vacation_day

ZONES = [
    ZoneInfo(name)
    for name in (
        "UTC",
        "Europe/Berlin",
        "America/Sao_Paulo",
        "Australia/Lord_Howe",
        "Pacific/Apia",
        "Asia/Kathmandu",
        "America/St_Johns",
        "Africa/Cairo",
    )
]
DAY, MICROSECOND = timedelta(days=1), timedelta(microseconds=1)

zones = st.sampled_from(ZONES)
amounts = st.integers(1, 40 * 1440).map(lambda minutes: timedelta(minutes=minutes))
any_time = st.integers(0, 16 * 366 * 1440).map(lambda n: datetime(2011, 12, 1, tzinfo=UTC) + timedelta(minutes=n))


def changes(zone: ZoneInfo) -> list[datetime]:
    """The times, to within half a day, after the clocks or the date of a zone were changed in those years."""
    hours = [datetime(2011, 12, 1, tzinfo=UTC) + timedelta(hours=n) for n in range(0, 16 * 366 * 24, 12)]
    offsets = [hour.astimezone(zone).utcoffset() for hour in hours]
    return [hours[at + 1] for at in range(len(hours) - 1) if offsets[at] != offsets[at + 1]]


changed = st.deferred(lambda: st.sampled_from([change for zone in ZONES for change in changes(zone)]))
moments = any_time | st.builds(lambda change, n: change - timedelta(minutes=n), changed, st.integers(0, 2880))
"""Half of them are within two days before the clocks of some zone were changed."""

hours = st.builds(
    Hours,
    st.frozensets(st.integers(0, 6), max_size=5),
    st.none() | st.tuples(st.integers(0, 23), st.integers(0, 23)).filter(lambda pair: pair[0] != pair[1]),
)
counts = st.integers(1, 9)
systems: st.SearchStrategy[System] = st.one_of(
    st.builds(Fixed, amounts, st.booleans()),
    st.builds(
        lambda bank, more, cap: Fischer(bank, more, bank + cap if cap else None), amounts, amounts, st.none() | amounts
    ),
    st.builds(Byoyomi, amounts, counts, amounts),
    st.builds(Canadian, amounts, counts, amounts),
    st.builds(Absolute, amounts),
)
controls = st.builds(Control, systems, hours, st.booleans(), st.sampled_from(["lose", "pass"]))


@st.composite
def times_off(draw: st.DrawFn, near: datetime) -> list[Stretch]:
    begins = sorted(draw(st.lists(st.integers(-20 * 24, 60 * 24), max_size=4)))
    return [(near + timedelta(hours=n), near + timedelta(hours=n) + draw(amounts)) for n in begins]


@given(controls)
def test_controls_survive_a_round_trip(control: Control) -> None:
    assert Control.parse(control.write()) == control


@given(hours, moments, amounts, zones, st.data())
def test_counting_is_the_inverse_of_setting_a_deadline(
    week: Hours, since: datetime, amount: timedelta, zone: ZoneInfo, data: st.DataObject
) -> None:
    off = data.draw(times_off(since))
    until = week.after(since, amount, zone, off)
    assert until >= since + amount
    assert week.counted(since, until, zone, off) == amount
    assert week.counted(since, until + timedelta(seconds=1), zone, off) > amount


@given(hours, moments, amounts, amounts, zones, st.data())
def test_counting_adds_up(
    week: Hours, since: datetime, first: timedelta, second: timedelta, zone: ZoneInfo, data: st.DataObject
) -> None:
    off = data.draw(times_off(since))
    middle, end = since + first, since + first + second
    parts = week.counted(since, middle, zone, off), week.counted(middle, end, zone, off)
    assert NOTHING <= parts[0] <= first
    assert sum(parts, NOTHING) == week.counted(since, end, zone, off)


@given(systems, st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1), st.none() | amounts), min_size=1, max_size=12))
def test_budgets_are_never_negative_and_a_faster_move_never_leaves_less(
    system: System, moves: list[tuple[float, float, timedelta | None]]
) -> None:
    """However much extra time the opponent gives."""
    budget = system.begin()
    for part, quicker, gift in moves:
        given = budget.extended(gift or NOTHING)
        assert system.total(given) == system.total(budget) + (gift or NOTHING)
        budget = given
        used = system.total(budget) * part
        if isinstance(system, Canadian):
            used = min(used, system.total(budget) - MICROSECOND)  # A block that runs out is followed by a new one.
        after, sooner = system.press(budget, used), system.press(budget, used * quicker)
        assert min(after.main, after.over, system.total(after)) >= NOTHING
        assert after.count >= 0
        assert system.total(sooner) >= system.total(after)
        budget = after


@given(controls, moments, zones, st.lists(st.tuples(amounts, st.integers(0, 3000)), max_size=6))
@settings(deadline=None)
def test_looking_at_a_clock_does_not_change_it(
    control: Control, since: datetime, zone: ZoneInfo, moves: list[tuple[timedelta, int]]
) -> None:
    """A clock shows the same whether it is read every minute or once a week."""
    budget = control.begin()
    for lead, look in moves:
        deadline = control.deadline(budget, since, zone)
        assert deadline is not None
        assert since <= deadline
        assert control.deadline(budget, since, zone) == deadline
        half_way = min(since + timedelta(minutes=look), deadline)
        control.press(budget, since, half_way, zone)
        at = max(since, deadline - lead)
        budget, since = control.press(budget, since, at, zone), at


@given(controls, moments, amounts, zones, st.data())
@settings(deadline=None)
def test_a_later_start_or_more_time_off_never_makes_a_deadline_earlier(
    control: Control, since: datetime, later: timedelta, zone: ZoneInfo, data: st.DataObject
) -> None:
    off = data.draw(times_off(since))
    budget = control.begin()
    ends = [
        control.deadline(budget, since, zone),
        control.deadline(budget, since, zone, off[:1]),
        control.deadline(budget, since, zone, off),
        control.deadline(budget, since + later, zone, off),
        control.deadline(budget.extended(later), since + later, zone, off),
    ]
    assert ends == sorted(end for end in ends if end is not None)


@given(moments, st.lists(amounts, max_size=80))
def test_vacation_is_never_spent_twice(begun: datetime, turns: list[timedelta]) -> None:
    spent: list[Stretch] = []
    now = begun
    for turn in turns:
        now += turn
        day = vacation_day(now, spent)
        if day:
            assert all(end <= day[0] or day[1] <= begin for begin, end in spent)
            spent.append(day)
    years = {begin.year for begin, _ in spent}
    assert all(sum(begin.year == year for begin, _ in spent) <= 30 for year in years)


@given(controls, moments, zones)
def test_a_day_of_vacation_adds_time_and_uses_none(control: Control, since: datetime, zone: ZoneInfo) -> None:
    deadline = control.deadline(control.begin(), since, zone)
    assert deadline is not None
    day = vacation_day(deadline, [])
    assume(day is not None)
    assert day is not None
    later = control.deadline(control.begin(), since, zone, [day])
    assert later is not None
    assert later >= deadline + DAY
    assert control.press(control.begin(), since, later, zone, [day]) == control.press(
        control.begin(), since, deadline, zone
    )


@given(controls, moments, zones, amounts, amounts, st.floats(0, 1), st.floats(0, 1))
@settings(deadline=None)
def test_a_pause_moves_the_deadline_and_uses_no_time_even_if_cut_short(
    control: Control, since: datetime, zone: ZoneInfo, lead: timedelta, length: timedelta, part: float, cut: float
) -> None:
    """Clocks stop during a pause: the time used is the same at its beginning and at its end, early or not."""
    budget = control.begin()
    deadline = control.deadline(budget, since, zone)
    assert deadline is not None
    begins = min(since + lead * part, deadline)
    whole, short = (begins, begins + length), (begins, begins + length * cut)
    ends = [control.deadline(budget, since, zone, [pause]) for pause in (whole, short)]
    assert None not in ends
    assert deadline <= (ends[1] or deadline) <= (ends[0] or deadline)
    assert (ends[0] or deadline) - begins >= length
    left = control.press(budget, since, whole[1], zone, [whole])
    assert left == control.press(budget, since, begins, zone)
    assert min(left.main, left.over) >= NOTHING
    # A pause that was cut to zero length has no effect.
    assert control.deadline(budget, since, zone, [(begins, begins)]) == deadline


rounds = st.builds(
    Rounds,
    st.builds(time, st.integers(0, 23), st.integers(0, 59)),
    st.frozensets(st.integers(0, 6), min_size=1),
    zones,
)


@given(rounds, moments, st.data())
@settings(deadline=None)
def test_rounds_end_at_their_hour_on_their_days_even_when_clocks_change(
    system: Rounds, since: datetime, data: st.DataObject
) -> None:
    control = Control(system, late="extend")
    assert Control.parse(control.write()) == control
    off = data.draw(times_off(since))
    deadline = control.deadline(control.begin(), since, off=off)
    assert deadline is not None
    assert (system.lasts(control.begin(), since, Hours(), off) or NOTHING) >= LEAST
    local = deadline.astimezone(system.zone)
    assert local.weekday() in system.days
    there = local.replace(tzinfo=None, microsecond=0)
    skipped = datetime.combine(there.date(), system.hour, system.zone).astimezone(UTC).astimezone(system.zone)
    assert there.time() in (system.hour, skipped.time())
    assert all(not begin <= deadline < end for begin, end in off)
    a_little_later = control.deadline(control.begin(), since + data.draw(amounts), off=off)
    assert a_little_later is not None
    assert a_little_later >= deadline
    more = control.prolonged(control.begin())
    assert more is not None
    later = control.deadline(more, since, off=off)
    assert later is not None
    assert later > deadline
    assert control.prolonged(more) is None
    assert control.press(more, since, later, off=off) == control.begin()
