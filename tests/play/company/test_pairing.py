"""Wishes that match become matches: which pairs, who begins, and what keeps people apart."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from email.message import EmailMessage

import pytest
from sqlalchemy import select

from service.mail.grammar.orders import parse
from service.play.accounts import identity
from service.play.company import pairing, wishes
from service.play.company.wish_text import Wanted, read
from service.play.match.invitations import LobbyError
from service.play.notify import bounces
from service.play.operations.sweep import sweep
from service.play.orders.submit import Incoming, submit
from service.play.talk import moderation
from service.store.models import Match, Player, Seat, TimeOff
from service.store.tables.company import Wish
from service.store.tables.pulse import Pulse
from service.store.tables.ratings import PlayerRating
from tests.play.conftest import Town, plain


def player(town: Town, name: str) -> int:
    with town.store.writing() as session:
        found = identity.by_email(session, f"{name}@example.org", town.now)
        found.post, found.vacation = "off", False
        return found.id


def wish(town: Town, name: str, text: str) -> int:
    number = player(town, name)
    wishes.make(town.site, number, read(text))
    return number


def tables(town: Town) -> list[tuple[str, str, list[str]]]:
    """Each match: its game, its clock and its players, as the local part of an address or a bot's name."""
    with town.store.reading() as session:
        return [
            (match.game, match.clock, [_called(seat.player) for seat in match.seats])
            for match in session.scalars(select(Match).order_by(Match.id))
        ]


def _called(one: Player | None) -> str:
    assert one is not None
    return one.bot or (one.email or "").partition("@")[0]


def company(town: Town) -> list[set[str]]:
    return [set(names) for _, _, names in tables(town)]


def resign(town: Town, match_id: int, seat: int = 0) -> None:
    with town.store.reading() as session:
        own = session.get_one(Seat, (match_id, seat)).player_id
    assert own is not None
    submit(town.site, Incoming(f"test:{match_id}", match_id, seat, own, None, parse("resign"), "web"))
    town.work()


def test_two_players_whose_wishes_match_are_playing_after_one_sweep(town: Town) -> None:
    ada = wish(town, "ada", "lotus, rosette 1d-7d up to 3")
    wish(town, "ben", "lotus 3d-14d")
    sweep(town.site)
    assert [(game, clock, sorted(names)) for game, clock, names in tables(town)] == [
        ("lotus", "7d/move", ["ada", "ben"])
    ]
    with town.store.reading() as session:
        match = session.get_one(Match, 1)
        assert (match.state, match.rated) == ("running", True)
        own = wishes.of(session, ada)
    assert own is not None
    assert own.matches == ((1, "Lotus 1"),)
    sweep(town.site)
    assert len(tables(town)) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("lotus", "rosette"),
        ("lotus 1d-2d", "lotus 3d-7d"),
        ("lotus rating above 1501", "lotus"),
        ("lotus", "lotus rating below 1499"),
    ],
)
def test_wishes_that_differ_do_not_match(town: Town, one: str, other: str) -> None:
    wish(town, "ada", one)
    wish(town, "ben", other)
    sweep(town.site)
    assert tables(town) == []


def test_the_rating_at_the_game_itself_decides(town: Town) -> None:
    ada = wish(town, "ada", "lotus, rosette")
    wish(town, "ben", "lotus, rosette rating 1600-1800")
    with town.store.writing() as session:
        row = {"deviation": 80.0, "volatility": 0.06, "floor": 0.0, "matches": 9, "at": town.now}
        session.add(PlayerRating(player_id=ada, game="rosette", rating=1700.0, **row))
        session.add(PlayerRating(player_id=ada, game="lotus", rating=1400.0, **row))
    sweep(town.site)
    assert [game for game, _, _ in tables(town)] == ["rosette"]


@pytest.mark.parametrize(("rating", "wanted"), [(1500.4, "rating below 1500"), (1500.6, "rating above 1501")])
def test_the_rating_that_decides_is_the_one_that_is_shown(town: Town, rating: float, wanted: str) -> None:
    ada = wish(town, "ada", "lotus")
    wish(town, "ben", f"lotus {wanted}")
    with town.store.writing() as session:
        row = {"deviation": 80.0, "volatility": 0.06, "floor": 0.0, "matches": 9, "at": town.now}
        session.add(PlayerRating(player_id=ada, game="lotus", rating=rating, **row))
    assert [one.people for one in wishes.seekers(town.site, ada)] == [1]
    sweep(town.site)
    assert company(town) == [{"ada", "ben"}]


def test_a_match_is_rated_only_if_both_want_that(town: Town) -> None:
    wish(town, "ada", "lotus rated=no")
    wish(town, "ben", "lotus")
    sweep(town.site)
    with town.store.reading() as session:
        assert session.get_one(Match, 1).rated is False


@pytest.mark.parametrize("blocking", ["ada", "ben"])
def test_a_block_by_either_keeps_two_apart(town: Town, blocking: str) -> None:
    ids = {name: wish(town, name, "lotus") for name in ("ada", "ben")}
    other = "ben" if blocking == "ada" else "ada"
    moderation.set_block(town.site, ids[blocking], ids[other], blocked=True)
    sweep(town.site)
    assert tables(town) == []
    with pytest.raises(LobbyError, match="Nobody you could play is looking for Lotus any more"):
        pairing.meet(town.site, ids["ada"], "lotus", "web:1")


def test_a_player_on_vacation_is_not_paired_until_they_are_back(town: Town) -> None:
    ada = wish(town, "ada", "lotus")
    wish(town, "ben", "lotus")
    with town.store.writing() as session:
        ends = town.now + timedelta(days=1)
        session.add(TimeOff(key="ada's day off", begins=town.now, ends=ends, player_id=ada))
    for _ in range(2):
        pairing.pair(town.site)
        assert tables(town) == []
        town.now += timedelta(hours=12)
    pairing.pair(town.site)
    assert {"ada", "ben"} in company(town)


def test_ending_a_wish_leaves_those_of_others(town: Town) -> None:
    people = [wish(town, name, f"{game} rated=no") for name, game in (("ada", "lotus"), ("ben", "go"), ("cleo", "go"))]
    assert wishes.end(town.site, people[1])
    shown = [wishes.shown(town.site, player_id) for player_id in people]
    assert [one and one.wanted.games for one in shown] == [("lotus",), None, ("go",)]


def test_players_whose_email_bounces_or_who_are_leaving_are_not_paired(town: Town) -> None:
    ids = [wish(town, name, "lotus") for name in ("ada", "ben", "cleo")]
    with town.store.writing() as session:
        session.get_one(Player, ids[1]).leaves = town.now
    with town.site.transaction() as tx:
        bounces.comes_back(tx, tx.session.get_one(Player, ids[0]))
    sweep(town.site)
    assert tables(town) == []
    town.write("ada@example.org", "status")
    sweep(town.site)
    assert tables(town) == [], "others would learn of an email that is none of their business"
    town.write("ada@example.org", "wish lotus")
    sweep(town.site)
    assert company(town) == [{"ada", "cleo"}]


def test_a_limit_is_never_exceeded_and_players_who_met_least_are_paired_first(town: Town) -> None:
    wish(town, "ada", "lotus up to 2")
    for name in ("ben", "cleo", "dana"):
        wish(town, name, "lotus up to 2")
    for _ in range(6):
        sweep(town.site)
    assert Counter(name for names in company(town) for name in names) == Counter(
        dict.fromkeys(("ada", "ben", "cleo", "dana"), 2)
    )
    assert max(Counter(map(frozenset, company(town))).values()) == 1


def test_a_match_that_is_over_no_longer_counts_towards_the_limit(town: Town) -> None:
    for name in ("ada", "ben"):
        wish(town, name, "lotus, rosette up to 1")
    for _ in range(2):
        sweep(town.site)
    assert len(tables(town)) == 1
    cleo = player(town, "cleo")
    assert not wishes.seekers(town.site, cleo)
    resign(town, 1)
    assert {one.game for one in wishes.seekers(town.site, cleo)} == {"lotus", "rosette"}
    sweep(town.site)
    assert len(tables(town)) == 2


def test_two_players_have_one_match_of_a_game_at_a_time_and_change_seats_in_the_next(town: Town) -> None:
    wish(town, "ada", "lotus up to 5")
    wish(town, "ben", "lotus up to 5")
    for _ in range(3):
        sweep(town.site)
    assert len(tables(town)) == 1
    for match_id in (1, 2, 3):
        resign(town, match_id)
        sweep(town.site)
    assert [names[0] for _, _, names in tables(town)][:2] in (["ada", "ben"], ["ben", "ada"])
    assert Counter(names[0] for _, _, names in tables(town)) == {"ada": 2, "ben": 2}


def test_the_player_who_has_had_the_first_seat_less_often_gets_it_against_somebody_new(town: Town) -> None:
    wish(town, "ada", "lotus up to 1")
    wish(town, "ben", "lotus up to 1")
    sweep(town.site)
    (first, second) = tables(town)[0][2]
    resign(town, 1)
    wishes.end(town.site, player(town, second))
    wish(town, "cleo", "lotus")
    sweep(town.site)
    assert tables(town)[1][2] == ["cleo", first]


def test_after_a_day_a_computer_opponent_plays_and_the_wish_stays(town: Town) -> None:
    ada = wish(town, "ada", "lotus up to 2")
    wish(town, "ben", "rosette no bots")
    town.now += timedelta(hours=23)
    sweep(town.site)
    assert tables(town) == []
    town.now += timedelta(hours=1)
    pairing.pair(town.site)
    pairing.pair(town.site)
    ((game, _, names),) = tables(town)
    assert (game, set(names)) == ("lotus", {"ada", "tadpole"})
    assert "has begun. Tadpole, a computer opponent, is playing" in " ".join(plain(said_first(town)).split())
    wish(town, "cleo", "lotus")
    pairing.pair(town.site)
    assert company(town)[1] == {"ada", "cleo"}
    with town.store.reading() as session:
        own = wishes.of(session, ada)
    assert own is not None
    assert own.is_full


def said_first(town: Town) -> EmailMessage:
    """Turns everybody's emails on; the first one sent."""
    with town.store.writing() as session:
        for one in session.scalars(select(Player)):
            one.post = "instant"
    town.work()
    return town.post()[0]


def test_the_computer_opponent_is_the_nearest_in_rating(town: Town) -> None:
    ada = wish(town, "ada", "lotus")
    with town.store.writing() as session:
        bots = {name: identity.bot(session, name, town.now).id for name in ("tadpole", "heron", "deepwater")}
        ratings = {ada: 1620.0, bots["tadpole"]: 1200.0, bots["heron"]: 1500.0, bots["deepwater"]: 1700.0}
        row = {"deviation": 80.0, "volatility": 0.06, "floor": 0.0, "matches": 9, "at": town.now, "game": "lotus"}
        session.add_all(PlayerRating(player_id=number, rating=rating, **row) for number, rating in ratings.items())
    town.now += timedelta(days=1)
    pairing.pair(town.site)
    assert company(town) == [{"ada", "deepwater"}]


def test_a_wish_is_paused_once_its_player_loses_on_time(town: Town) -> None:
    ada = wish(town, "ada", "lotus")
    ben = wish(town, "ben", "lotus")
    sweep(town.site)
    with town.store.reading() as session:
        late = session.get_one(Seat, (1, 0)).player_id
    assert late is not None
    town.now += timedelta(days=7, minutes=1)
    with town.store.writing() as session:
        session.merge(Pulse(id=1, at=town.now))
    for _ in range(2):
        sweep(town.site)
        town.work()
    rests = {number: shown.rests for number in (ada, ben) if (shown := wishes.shown(town.site, number))}
    assert rests == {late: True, ada + ben - late: False}
    wish(town, "cleo", "lotus")
    sweep(town.site)
    assert len(tables(town)) == 2
    assert all(late not in ids for ids in _players(town)[1:])
    wishes.make(town.site, late, Wanted(("lotus",)))
    shown = wishes.shown(town.site, late)
    assert shown is not None
    assert not shown.rests


def _players(town: Town) -> list[set[int | None]]:
    with town.store.reading() as session:
        return [{seat.player_id for seat in match.seats} for match in session.scalars(select(Match).order_by(Match.id))]


def test_a_pair_found_twice_begins_one_match(town: Town) -> None:
    """As when two sweeps run at once: both have found the pair before either has begun the match."""
    wish(town, "ada", "lotus up to 5")
    wish(town, "ben", "lotus up to 5")
    two = pairing.Pair(0, town.now, "lotus", 1, 2)
    for _ in range(3):
        pairing._sit_down(town.site, two)
    assert len(tables(town)) == 1


def test_a_player_who_asks_gets_the_opponent_who_has_waited_longest(town: Town) -> None:
    wish(town, "ada", "lotus 2d-5d")
    town.now += timedelta(minutes=1)
    wish(town, "ben", "lotus")
    cleo = player(town, "cleo")
    assert [tuple(one) for one in wishes.seekers(town.site, cleo)] == [("lotus", "Lotus", 2)]
    numbers = [pairing.meet(town.site, cleo, "lotus", "web:7") for _ in range(2)]
    assert numbers == [1, 1]
    assert [(clock, set(names)) for _, clock, names in tables(town)] == [("5d/move", {"ada", "cleo"})]


def test_the_waiting_time_begins_again_when_a_player_is_paired(town: Town) -> None:
    for name in ("ada", "ben"):
        wish(town, name, "lotus up to 2")
    town.now += timedelta(hours=1)
    sweep(town.site)
    assert company(town) == [{"ada", "ben"}]
    with town.store.reading() as session:
        assert [one.since for one in session.scalars(select(Wish))] == [town.now] * 2


def test_only_possible_opponents_are_shown(town: Town) -> None:
    ada = wish(town, "ada", "lotus up to 1")
    assert wishes.seekers(town.site, ada) == []
    assert [one.people for one in wishes.seekers(town.site, None)] == [1]
    pairing.meet(town.site, player(town, "ben"), "lotus", "web:1")
    assert wishes.seekers(town.site, None) == []


def test_a_player_in_a_match_of_the_game_with_the_viewer_is_not_shown(town: Town) -> None:
    ada, ben = wish(town, "ada", "lotus"), wish(town, "ben", "lotus, go up to 3")
    sweep(town.site)
    assert company(town) == [{"ada", "ben"}]
    assert [(one.game, one.people) for one in wishes.seekers(town.site, ada)] == [("go", 1)]
    assert [one.game for one in wishes.seekers(town.site, player(town, "cleo"))] == ["lotus", "go"]
    resign(town, 1)
    assert [one.game for one in wishes.seekers(town.site, ada)] == ["lotus", "go"]
    assert [one.game for one in wishes.seekers(town.site, ben)] == ["lotus"]


def test_a_wish_answered_by_somebody_without_one_gives_the_two_no_second_match_of_the_game(town: Town) -> None:
    wish(town, "ada", "lotus up to 3")
    cleo = player(town, "cleo")
    pairing.meet(town.site, cleo, "lotus", "web:7")
    assert wishes.seekers(town.site, cleo) == []
    with pytest.raises(LobbyError, match="Nobody you could play is looking for Lotus any more"):
        pairing.meet(town.site, cleo, "lotus", "web:8")
    wish(town, "cleo", "lotus")
    sweep(town.site)
    assert company(town) == [{"ada", "cleo"}]
    resign(town, 1)
    sweep(town.site)
    assert company(town) == [{"ada", "cleo"}] * 2


def test_a_wish_for_two_games_gets_each_of_them_against_the_computer(town: Town) -> None:
    wish(town, "ada", "lotus, medusa up to 1")
    for number in (1, 2):
        for _ in range(2):
            town.now += timedelta(days=1)
            pairing.pair(town.site)
        resign(town, number)
    assert sorted(game for game, _, _ in tables(town)) == ["lotus", "medusa"]
