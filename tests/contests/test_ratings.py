"""Table Glicko-2: Glickman's own example, two seats as in his paper, and properties of larger tables."""

from __future__ import annotations

from math import exp, pi, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.contests.ledger import Account, Seat, settle
from service.contests.ratings import SETTLED, Played, Rating, expected, rated
from service.store.tables import ratings as ratings_table

SCALE = 173.7178

ratings = st.builds(Rating, st.floats(600, 2600), st.floats(45, 350), st.floats(0.03, 0.1))


def alone(before: Rating, share: float, others: list[Rating]) -> Rating:
    return rated(before, [Played(share, before.rating, [(other.rating, other.deviation) for other in others])])


def test_glickmans_worked_example() -> None:
    """http://www.glicko.net/glicko/glicko2.pdf: 1464.06, 151.52, 0.05999."""
    player = Rating(1500, 200, 0.06)
    period = [Played(1, 1500, [(1400, 30)]), Played(0, 1500, [(1550, 100)]), Played(0, 1500, [(1700, 300)])]
    after = rated(player, period)
    assert (after.rating, after.deviation) == pytest.approx((1464.05, 151.52), abs=0.01)
    assert after.volatility == pytest.approx(0.05999, abs=0.00001)


@given(ratings, ratings, st.sampled_from([0.0, 0.5, 1.0]))
def test_two_seats_are_glickmans_glicko_2(player: Rating, other: Rating, share: float) -> None:
    """Steps 3, 4, 6 and 7 of the paper for one game, with the new volatility."""
    g = 1 / sqrt(1 + 3 * (other.deviation / SCALE) ** 2 / pi**2)
    chance = 1 / (1 + exp(-g * (player.rating - other.rating) / SCALE))
    after = alone(player, share, [other])
    widened = (player.deviation / SCALE) ** 2 + after.volatility**2
    deviation = 1 / sqrt(1 / widened + g * g * chance * (1 - chance))
    assert after.deviation == pytest.approx(min(350.0, max(45.0, SCALE * deviation)))
    change = SCALE * deviation**2 * g * (share - chance)
    assert after.rating - player.rating == pytest.approx(max(-350.0, min(350.0, change)), abs=1e-6)
    assert expected(player.rating, [(other.rating, other.deviation)]) == pytest.approx(chance)


@pytest.mark.parametrize(
    ("seats", "share", "change"),
    [(2, 1, 162), (2, 0.5, 0), (4, 1, 264), (4, 0.5, 88), (4, 0, -88), (8, 1, 345), (8, 0, -49)],
)
def test_newcomers_at_one_table(seats: int, share: float, change: int) -> None:
    assert round(alone(Rating(), share, [Rating()] * (seats - 1)).rating) == 1500 + change


@given(ratings, st.lists(ratings, min_size=1, max_size=7))
def test_winning_alone_never_costs_points_and_losing_never_gains_any(player: Rating, others: list[Rating]) -> None:
    assert alone(player, 1, others).rating >= player.rating
    assert alone(player, 0, others).rating <= player.rating


@given(ratings, st.lists(ratings, min_size=2, max_size=7))
def test_a_win_shared_by_the_whole_table_changes_nothing(player: Rating, others: list[Rating]) -> None:
    assert alone(player, 1 / (len(others) + 1), others) == player


@given(ratings, st.lists(ratings, min_size=1, max_size=7), st.randoms(use_true_random=False))
def test_the_order_of_seats_changes_nothing(player: Rating, others: list[Rating], random: object) -> None:
    shuffled = sorted(others, key=lambda other: other.rating)
    one, two = alone(player, 1, others), alone(player, 1, shuffled)
    assert (one.rating, one.deviation) == pytest.approx((two.rating, two.deviation))


def test_idle_time_widens_a_deviation_up_to_a_newcomers() -> None:
    assert Rating(1500, 60).aged(365).deviation == pytest.approx(74.7, abs=0.5)
    assert Rating(1500, 60).aged(3 * 365).deviation == pytest.approx(98, abs=1)
    assert Rating(1500, 60).aged(10**9).deviation == 350


ADA = Account(Rating(1500, 80), 0.0, 9)


def test_matches_lost_in_one_absence_are_one_rating_period() -> None:
    """All count together, against the rating from before the absence, no matter how far apart they end."""
    lost = [Seat(("ada",), 0, absence="away"), Seat(("ben",), 1)]
    accounts = {"ada": ADA, "ben": ADA}
    for day in (10.0, 20.0):
        accounts |= settle(day, lost, accounts) | {"ben": ADA}
    before = ADA.rating.aged(20)
    ben = [ADA.rating.aged(10), ADA.rating.aged(20)]
    period = [
        Played(0, met.rating, [(other.rating, other.deviation)])
        for met, other in zip([ADA.rating.aged(10), before], ben, strict=True)
    ]
    assert accounts["ada"].rating == rated(before, period)
    assert accounts["ada"].matches == 11


def test_opponents_are_rated_against_the_rating_from_before_an_absence() -> None:
    lost = [Seat(("ada",), 0, absence="away"), Seat(("ben",), 1)]
    first = settle(100, lost, {"ada": ADA, "ben": ADA})
    again = settle(100, lost, {"ada": first["ada"], "ben": ADA})
    assert again["ben"] == first["ben"]
    met = ADA.rating.aged(100)
    assert first["ben"].rating == rated(met, [Played(1, met.rating, [(met.rating, met.deviation)])])


def test_a_finished_match_ends_an_absence() -> None:
    lost = [Seat(("ada",), 0, absence="away"), Seat(("ben",), 1)]
    accounts = {"ada": ADA, "ben": ADA}
    accounts |= settle(1, lost, accounts)
    accounts |= settle(2, [Seat(("ada",), 1), Seat(("ben",), 0)], accounts)
    assert accounts["ada"].absent is None


def test_a_match_with_a_bot_changes_ratings_only_while_the_player_is_provisional() -> None:
    seats = [Seat(("ada",), 1), Seat(("heron",), 0, bot=True)]
    assert settle(1, seats, {"ada": ADA}) == {}
    assert settle(1, seats, {}).keys() == {"ada", "heron"}


def test_a_team_shares_its_change_of_rating() -> None:
    start = {name: Account(Rating(1500, 80)) for name in ("ada", "ben", "cem", "dan")}
    team = settle(1, [Seat(("ada", "ben"), 1), Seat(("cem", "dan"), 0)], start)
    alone = settle(1, [Seat(("ada",), 1), Seat(("cem",), 0)], start)
    gained, won = team["ada"].rating.rating - 1500, alone["ada"].rating.rating - 1500
    assert gained == pytest.approx(won / 2, rel=0.1)
    assert team["ben"] == team["ada"]


def test_a_win_gains_less_in_a_seat_with_an_advantage() -> None:
    even = settle(1, [Seat(("ada",), 1), Seat(("ben",), 0)], {})
    given = settle(1, [Seat(("ada",), 1, advantage=200), Seat(("ben",), 0)], {})
    assert given["ada"].rating.rating < even["ada"].rating.rating


def test_a_rating_is_no_surer_by_a_clock_that_was_set_back() -> None:
    known = Rating(1600, 60, 0.06)
    assert known.aged(0) == known.aged(-30) == known
    assert known.aged(30).deviation > known.deviation


def test_a_leader_boards_index_has_the_deviation_of_the_ratings() -> None:
    assert str(ratings_table.SETTLED) == f"deviation <= {SETTLED:g}"


def test_a_draw_between_equals_makes_no_rating_more_volatile() -> None:
    for volatility in (0.001, 0.06, 1.0):
        for deviation in (45, 350):
            after = alone(Rating(1500, deviation, volatility), 0.5, [Rating(1500, deviation, volatility)])
            assert 0 < after.volatility < volatility * 1.0001
