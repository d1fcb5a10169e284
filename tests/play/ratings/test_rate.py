"""Which matches are rated, and what they do to ratings."""

from __future__ import annotations

from datetime import timedelta
from itertools import pairwise

import pytest
from sqlalchemy import select, update

from service.play import audit
from service.play.accounts import deletion
from service.play.match import substitutes
from service.play.pages import leader_boards, match_page
from service.play.ratings import rate, recompute
from service.play.table import results
from service.store.models import Entry, Match, Player
from service.store.tables.ratings import PlayerRating, RatedSeat, SeatAdvantage
from tests.play.conftest import Town, plain
from tests.play.timekeeping.test_clocks import begin, order, player, swept


def ratings(town: Town) -> dict[tuple[int, str], PlayerRating]:
    with town.store.reading() as session:
        return {(row.player_id, row.game): row for row in session.scalars(select(PlayerRating))}


def seats(town: Town) -> list[RatedSeat]:
    with town.store.reading() as session:
        return list(session.scalars(select(RatedSeat).order_by(RatedSeat.match_id, RatedSeat.seat)))


def play(town: Town, match: int, *orders: tuple[int, int, str]) -> None:
    for player_id, seat, text in orders:
        order(town, player_id, match, seat, text)
        town.work()


def ben_resigns(town: Town) -> tuple[int, int, int]:
    ada, ben, match = begin(town, "3d/move")
    play(town, match, (ada, 0, "e5"), (ben, 1, "f6"), (ada, 0, "g7"), (ben, 1, "resign"))
    return ada, ben, match


def test_a_match_to_the_end_changes_both_ratings(town: Town) -> None:
    ada, ben, match = ben_resigns(town)
    found = ratings(town)
    assert [round(found[who, "rosette"].rating) for who in (ada, ben)] == [1662, 1338]
    assert [(row.match_id, row.seat, row.share, round(row.rating_before)) for row in seats(town)] == [
        (match, 0, "1", 1500),
        (match, 1, "0", 1500),
    ]
    with town.store.reading() as session:
        assert leader_boards.changed(session, match, ada) == (1500, 1662)
        assert str(leader_boards.of_player(session, ada)["rosette"]) == "1662?"
        assert [round(point.rating) for point in leader_boards.histories(session, ben)["rosette"]] == [1338]


@pytest.mark.parametrize(
    "orders",
    [
        [(0, "resign")],
        [(0, "e5"), (1, "resign")],
    ],
)
def test_a_match_in_which_a_player_never_moved_is_not_rated(town: Town, orders: list[tuple[int, str]]) -> None:
    ada, ben, match = begin(town, "3d/move")
    play(town, match, *[((ada, ben)[seat], seat, text) for seat, text in orders])
    assert not seats(town)


def test_a_preference_doesnt_count_as_a_move(town: Town) -> None:
    ada, ben, match = begin(town, "3d/move", "multigo-coop", size="7")
    play(town, match, (ada, 0, "c3"), (ben, 1, "prefer black"), (ben, 1, "resign"))
    assert not seats(town)


@pytest.mark.parametrize(
    ("orders", "rated"),
    [
        ([(0, "e5"), (0, "takeback"), (1, "accept takeback"), (0, "e5"), (1, "resign")], False),
        ([(0, "e5"), (1, "f6"), (1, "takeback"), (0, "accept takeback"), (1, "resign")], False),
        ([(0, "e5"), (1, "f6"), (1, "takeback"), (0, "accept takeback"), (1, "g7"), (0, "resign")], True),
    ],
    ids=["agreeing to a takeback", "taken back", "played again"],
)
def test_a_move_that_was_taken_back_doesnt_count_as_a_move(
    town: Town, orders: list[tuple[int, str]], rated: bool
) -> None:
    ada, ben, match = begin(town, "3d/move")
    play(town, match, *[((ada, ben)[seat], seat, text) for seat, text in orders])
    assert bool(seats(town)) is rated


def test_a_match_from_a_setup_is_not_rated(town: Town) -> None:
    ada, ben, match = begin(town, "3d/move", setup="black: e5; turn: white")
    play(town, match, (ben, 1, "f6"), (ada, 0, "g7"), (ben, 1, "resign"))
    assert not seats(town)


def test_a_match_agreed_to_be_unrated_is_not_rated(town: Town) -> None:
    ada, ben, match = begin(town, "3d/move")
    with town.store.writing() as session:
        session.execute(update(Match).values(rated=False))
    play(town, match, (ada, 0, "e5"), (ben, 1, "f6"), (ada, 0, "resign"))
    assert not seats(town)


def test_a_match_with_a_guest_is_not_rated(town: Town) -> None:
    ada, ben, match = begin(town, "3d/move")
    play(town, match, (ada, 0, "e5"), (ben, 1, "f6"))
    with town.store.writing() as session:
        session.get_one(Player, ben).email = None
    play(town, match, (ada, 0, "resign"))
    assert not seats(town)


def test_a_match_of_a_player_against_themselves_is_not_rated(town: Town) -> None:
    ada, ben, match = begin(town, "3d/move")
    play(town, match, (ada, 0, "e5"), (ben, 1, "f6"))
    with town.store.writing() as session:
        session.get_one(Match, match).seats[1].player_id = ada
    play(town, match, (ada, 0, "resign"))
    assert not seats(town)


def handed_over(town: Town, match: int, *holders: int) -> None:
    """Hands the seat of the first of these players over to the second, from there to the third, and so on."""
    with town.store.writing() as session:
        session.get_one(Match, match).substitutes = True
    for holder, heir in pairwise(holders):
        substitutes.offer(town.site, match, holder, "anybody")
        substitutes.join(town.site, match, heir)
        town.work()


@pytest.mark.parametrize(
    ("heirs", "resigns", "after"),
    [
        (("eva",), 1, [1662, 1338]),
        (("eva", "fay"), 1, [1662, 1338]),
        (("eva",), 0, [1338, 1500]),
    ],
    ids=["lost", "lost by the second substitute", "won"],
)
def test_a_player_who_hands_over_a_seat_can_lose_but_not_gain_and_substitutes_are_not_rated(
    town: Town, heirs: tuple[str, ...], resigns: int, after: list[int]
) -> None:
    """And the others are rated against the player who handed it over, however strong a substitute may be."""
    ada, ben, match = begin(town, "3d/move")
    others = [player(town, f"{name}@example.org") for name in heirs]
    with town.store.writing() as session:
        numbers = {"rating": 2300.0, "deviation": 60.0, "volatility": 0.06, "floor": 2240.0, "matches": 9}
        session.add_all(PlayerRating(player_id=who, game="rosette", at=town.now, **numbers) for who in others)
    play(town, match, (ada, 0, "e5"), (ben, 1, "f6"))
    handed_over(town, match, ben, *others)
    play(town, match, ((ada, others[-1])[resigns], resigns, "resign"))
    found = ratings(town)
    assert [round(found[who, "rosette"].rating) for who in (ada, ben)] == after
    assert [(row.rating, row.matches) for row in (found[who, "rosette"] for who in others)] == [(2300, 9)] * len(others)
    assert [row.player_id for row in seats(town)] == [ada, ben]
    before = [(row.player_id, row.rating_before, row.rating) for row in seats(town)]
    recompute.again(town.site)
    assert [(row.player_id, row.rating_before, row.rating) for row in seats(town)] == before


@pytest.mark.parametrize(("resigns", "after"), [(1, [1662, 1338]), (0, [1338, 1662])])
def test_the_player_who_makes_the_first_move_of_a_seat_is_rated_for_it(
    town: Town, resigns: int, after: list[int]
) -> None:
    ada, ben, match = begin(town, "3d/move")
    eva = player(town, "eva@example.org")
    handed_over(town, match, ben, eva)
    play(town, match, (ada, 0, "e5"), (eva, 1, "f6"), ((ada, eva)[resigns], resigns, "resign"))
    assert [round(ratings(town)[who, "rosette"].rating) for who in (ada, eva)] == after
    assert (ben, "rosette") not in ratings(town)


@pytest.mark.parametrize("texts", [(), ("c3",)])
def test_a_sealed_move_that_lapsed_when_the_seat_was_handed_over_doesnt_show_in_the_ratings(
    town: Town, texts: tuple[str, ...]
) -> None:
    ada, ben, match = begin(town, "3d/move", "multigo-parallel-coop", size="7")
    eva = player(town, "eva@example.org")
    play(town, match, *((ben, 1, text) for text in texts))
    handed_over(town, match, ben, eva)
    play(town, match, (ada, 0, "e5"), (eva, 1, "b2"), (eva, 1, "resign"))
    assert [row.player_id for row in seats(town)] == [ada, eva]


def test_a_substitutes_loss_on_time_is_not_an_absence_of_the_player_before(town: Town) -> None:
    ada, ben, match = begin(town, "3d/move")
    play(town, match, (ada, 0, "e5"), (ben, 1, "f6"), (ada, 0, "g7"))
    handed_over(town, match, ben, player(town, "eva@example.org"))
    swept(town, timedelta(days=3, minutes=1))
    assert [(row.player_id, row.share, row.absence) for row in seats(town)] == [(ada, "1", None), (ben, "0", None)]


def test_a_match_of_computers_is_not_rated(town: Town) -> None:
    ada, ben, match = begin(town, "3d/move")
    play(town, match, (ada, 0, "e5"), (ben, 1, "f6"))
    with town.store.writing() as session:
        for number, name in ((ada, "tadpole"), (ben, "heron")):
            session.get_one(Player, number).bot = name
    with town.site.transaction() as tx:
        assert not rate.who_is_rated(tx.session, tx.session.get_one(Match, match))


@pytest.mark.parametrize("rated", [False, True])
def test_a_move_that_the_clock_played_doesnt_count_as_the_players(town: Town, rated: bool) -> None:
    ada, ben, match = begin(town, "3d/move, late passes, no vacation")
    play(town, match, (ada, 0, "e5"))
    swept(town, timedelta(days=3, minutes=1))  # Now the clock passes for Ben.
    with town.store.reading() as session:
        assert session.scalars(select(Entry.fate).where(Entry.seat == 1)).all() == ["late"]
    if rated:
        play(town, match, (ada, 0, "g7"), (ben, 1, "f6"))
    play(town, match, (ada, 0, "resign"))
    assert bool(seats(town)) is rated


def test_losses_on_time_during_one_absence_are_one_rating_period(town: Town) -> None:
    """Three matches lost on time at different hours, then one more after an order elsewhere."""
    matches = [begin(town, f"{days}d/move") for days in (2, 3, 4)]
    ada, ben, _ = matches[0]
    for _, _, match in matches:
        play(town, match, (ada, 0, "e5"), (ben, 1, "f6"), (ada, 0, "g7"))
    for _ in range(3):
        swept(town, timedelta(days=2))
    absences = {row.absence for row in seats(town) if row.player_id == ben}
    assert len(seats(town)) == 6
    assert len(absences) == 1
    assert None not in absences
    _, _, last = begin(town, "2d/move")
    play(town, last, (ada, 0, "e5"), (ben, 1, "f6"), (ada, 0, "g7"))
    swept(town, timedelta(days=3))
    assert len({row.absence for row in seats(town) if row.player_id == ben}) == 2


@pytest.mark.parametrize(("texts", "absences"), [((), 1), (("c3",), 1), (("prefer red",), 1), (("c3", "resign"), 2)])
def test_a_sealed_move_between_two_losses_on_time_doesnt_show_in_the_rating(
    town: Town, texts: tuple[str, ...], absences: int
) -> None:
    (ada, ben, first), (*_, second) = (begin(town, f"{days}d/move, no vacation") for days in (2, 4))
    *_, together = begin(town, "none", "multigo-parallel-coop", size="7")
    for match in (first, second):
        play(town, match, (ada, 0, "e5"), (ben, 1, "f6"), (ada, 0, "g7"))
    swept(town, timedelta(days=3))
    play(town, together, *((ben, 1, text) for text in texts))
    swept(town, timedelta(days=3))
    own = [row.absence for row in seats(town) if row.player_id == ben and row.absence]
    assert (len(own), len(set(own))) == (2, absences)


@pytest.mark.parametrize("other", ["go", "surround"])
def test_a_match_changes_the_ratings_at_its_own_game_alone(town: Town, other: str) -> None:
    people = [player(town, email) for email in ("ada@example.org", "ben@example.net")]
    with town.store.writing() as session:
        row = {"deviation": 60.0, "volatility": 0.06, "floor": 1780.0, "matches": 9, "at": town.now}
        session.add_all(PlayerRating(player_id=who, game=other, rating=1900.0, **row) for who in people)
    ben_resigns(town)
    found = ratings(town)
    assert [round(found[who, "rosette"].rating) for who in people] == [1662, 1338]
    assert [round(found[who, other].rating) for who in people] == [1900, 1900]


def test_ratings_are_computed_again_from_the_rated_matches(town: Town) -> None:
    for _ in range(3):
        ben_resigns(town)
        town.now += timedelta(days=20)

    def stored() -> list[dict[str, object]]:
        with town.store.reading() as session:
            rows = [
                row
                for table in (PlayerRating, RatedSeat, SeatAdvantage)
                for row in session.scalars(select(table).order_by(*table.__table__.primary_key))
            ]
            return [{name: value for name, value in vars(row).items() if name[0] != "_"} for row in rows]

    before = stored()
    assert recompute.again(town.site) == 3
    assert stored() == before


def test_the_last_match_of_a_player_who_leaves_is_rated_by_the_rating_they_had(town: Town) -> None:
    ada, ben, first = ben_resigns(town)
    _, _, last = begin(town, "3d/move")
    play(town, last, (ada, 0, "e5"), (ben, 1, "f6"))
    deletion.leave(town.site, ada)
    town.work()
    before = {key: row.rating for key, row in ratings(town).items()}
    assert [round(row.rating_before) for row in seats(town) if row.match_id == last] == [1662, 1338]
    recompute.again(town.site)
    assert {key: row.rating for key, row in ratings(town).items()} == before
    recompute.annul(town.site, first)
    with town.store.reading() as session:
        assert results.of_player(session, ada) == {"rosette": (0, 1, 0)}


def test_a_leaderboard_has_active_players_with_a_certain_rating(town: Town) -> None:
    ids = [player(town, f"p{number}@example.org") for number in range(60)]
    with town.store.writing() as session:
        for number, player_id in enumerate(ids):
            session.add(
                PlayerRating(
                    player_id=player_id, game="go", rating=1500 + number // 2, deviation=111 if number == 59 else 60,
                    volatility=0.06, floor=1440 + number // 2, matches=20,
                    at=town.now - timedelta(days=400 if number == 58 else 10),
                )
            )  # fmt: skip
    first = leader_boards.leaders(town.site, "go")
    assert [(line.place, line.player_id) for line in first.leaders[:3]] == [(1, ids[56]), (2, ids[57]), (3, ids[54])]
    assert first.after is not None
    rest = leader_boards.leaders(town.site, "go", first.after)
    assert [line.place for line in rest.leaders] == list(range(51, 59))
    assert rest.after is None
    assert not {line.player_id for line in rest.leaders} & {line.player_id for line in first.leaders}


def test_ratings_are_the_same_in_however_many_steps_they_are_written(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    ben_resigns(town)
    ben_resigns(town)
    before = ratings(town), [(row.match_id, row.seat, row.rating_before) for row in seats(town)]
    with town.store.writing() as session:
        session.execute(update(RatedSeat).values(rating_before=1.0))
    monkeypatch.setattr(recompute, "BATCH", 1)
    assert recompute.again(town.site) == 2
    after = ratings(town), [(row.match_id, row.seat, row.rating_before) for row in seats(town)]
    assert after[1] == before[1]
    assert {key: row.rating for key, row in after[0].items()} == {key: row.rating for key, row in before[0].items()}


def test_two_operators_who_annul_a_match_leave_one_line_in_the_log(town: Town) -> None:
    _, _, match_id = ben_resigns(town)
    assert recompute.annul(town.site, match_id, None, "Thrown.")
    assert recompute.annul(town.site, match_id, None, "They threw it.")
    assert [line.text for line in audit.lines(town.site, about="match", about_id=match_id)] == ["Thrown."]


@pytest.mark.parametrize(("moves", "is_said"), [(["0 e5"], True), (["0 e5", "1 f6"], False)])
def test_a_match_that_isnt_rated_because_not_everybody_moved_says_so(
    town: Town, moves: list[str], is_said: bool
) -> None:
    ada, ben, match = begin(town, "3d/move")
    for move in [*moves, "1 resign"]:
        seat, text = move.split()
        play(town, match, ((ada, ben)[int(seat)], int(seat), text))
    shown = match_page.match_page(town.site, match, ada)
    assert shown is not None
    assert shown.unmoved == is_said
    told = [mail for mail in town.post() if "won" in mail["Subject"]]
    said = "The match isn't rated, because not everyone has moved."
    assert {said in " ".join(plain(mail).split()) for mail in told} == {is_said}


def test_a_match_that_was_agreed_not_to_be_rated_says_nothing_about_it(town: Town) -> None:
    ada, ben, match = begin(town, "3d/move")
    with town.store.writing() as session:
        session.get_one(Match, match).rated = False
    play(town, match, (ben, 1, "resign"))
    shown = match_page.match_page(town.site, match, ada)
    assert shown is not None
    assert not shown.unmoved
