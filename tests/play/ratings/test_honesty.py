"""What operators see about suspicious pairs, and annulled matches."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import delete, select

from service.cli import main
from service.games import GAMES
from service.play.accounts import sessions
from service.play.company import event_pages, events, ladders
from service.play.company.events import Plan
from service.play.operations import statistics
from service.play.pages import profiles, records
from service.play.ratings import honesty, recompute
from service.render.notation.records import formats
from service.store.models import Match
from service.store.tables.events import EventMatch, EventSeat
from service.store.tables.ratings import GameStatistics, RatedSeat
from tests.play.company.test_cups import order
from tests.play.company.test_doors import barred
from tests.play.conftest import Town
from tests.play.ratings.test_rate import ben_resigns, play, ratings, seats
from tests.play.timekeeping.test_clocks import begin, player, swept


def test_a_pair_that_throws_matches_is_reported_and_others_are_not(
    town: Town, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ada, ben, match = ben_resigns(town)
    row = {"player_id": ada, "game": "rosette", "seat": 0, "share": "1", "absence": None, "fixed": False, "bot": False}
    row |= {"rating_before": 1200.0, "rating": 1200.0, "deviation": 50.0, "ended": town.now}
    with town.store.writing() as session:
        for number in range(8):
            other = Match(game="rosette", options={}, seed=1, created=town.now, moved=town.now, state="over")
            session.add(other)
            session.flush()
            late = {"absence": "0"} if number == 7 else {}
            session.add(RatedSeat(match_id=other.id, **row))
            beaten = {"player_id": ben, "seat": 1, "share": "0", "rating_before": 1800.0}
            session.add(RatedSeat(match_id=other.id, **row | beaten | late))
    (pair,) = honesty.listed(town.site)
    assert (pair.odd.what, pair.odd.one, pair.odd.other, pair.odd.matches) == ("throws", ada, ben, 8)
    monkeypatch.setenv("STONEPOST_DATA", str(town.settings.data))
    monkeypatch.setenv("STONEPOST_SECRET", town.settings.secret)
    monkeypatch.setenv("DATABASE_URL", town.settings.database_url)
    assert main(["reports"]) == 0
    assert f"'Player 1' ({ada}) and 'Player 2' ({ben}): the first won 8 of 8 points; 0" in capsys.readouterr().out
    assert match
    town.now += timedelta(days=365, seconds=-1)
    assert [one.odd.matches for one in honesty.listed(town.site)] == [7]
    town.now += timedelta(seconds=1)
    assert honesty.listed(town.site) == []


def test_an_annulled_match_no_longer_changes_ratings(town: Town) -> None:
    ada, ben, match = ben_resigns(town)
    _, _, second = begin(town, "3d/move")
    play(town, second, (ada, 0, "e5"), (ben, 1, "f6"), (ada, 0, "g7"), (ben, 1, "resign"))
    both = ratings(town)
    assert recompute.annul(town.site, match)
    assert [row.match_id for row in seats(town)] == [second, second]
    alone = ratings(town)
    assert round(alone[ada, "rosette"].rating) == 1662 < both[ada, "rosette"].rating
    assert recompute.annul(town.site, match)
    assert {key: row.rating for key, row in ratings(town).items()} == {key: row.rating for key, row in alone.items()}
    assert not recompute.annul(town.site, 999)


def test_an_annulled_match_counts_in_no_list(town: Town) -> None:
    ada, ben, match = ben_resigns(town)

    def counted() -> tuple[list[tuple[int, int, int]], list[str | None], int, bool]:
        with town.store.writing() as session:
            session.execute(delete(GameStatistics))
        for _ in GAMES:
            statistics.compute(town.site)
        found = [profiles.profile(town.site, one, None) for one in (ada, ben)]
        results = [(one.won, one.lost, one.shared) for page in found if page is not None for one in page.results]
        (line,) = profiles.history(town.site, ada, "").lines
        record = records.export(town.site, match, next(iter(formats(GAMES["rosette"], 2).values()))) or ""
        settings = statistics.of(town.site, "rosette").settings
        return results, [line.reason, *(seat.score for seat in line.seats)], len(settings), "result" in record

    assert counted() == ([(1, 0, 0), (0, 1, 0)], ["resignation", "1", "0"], 1, True)
    assert recompute.annul(town.site, match)
    assert counted() == ([], ["annulled", None, None], 0, False)


def test_an_annulled_match_of_a_cup_gives_no_points(town: Town) -> None:
    people = [player(town, f"{name}@example.org") for name in ("ada", "ben", "cleo", "dana")]
    cup = events.found(town.site, people[0], Plan("Winter cup", "rosette", "3d/move"))
    for one in people:
        events.join(town.site, cup, one)
    swept(town)
    page = event_pages.page(town.site, cup, None)
    assert page is not None
    table = next(table for table in page.tables if table.match_id)
    (one, _), (other, _) = table.seats
    assert table.match_id is not None
    moves = ((one, 0, "e5"), (other, 1, "f6"), (one, 0, "g7"), (other, 1, "resign"))
    play(town, table.match_id, *moves)
    swept(town)
    points = {line.name: line.points for line in (event_pages.page(town.site, cup, None) or page).lines}
    assert points[str(one)] == 1
    assert recompute.annul(town.site, table.match_id)
    after = event_pages.page(town.site, cup, None)
    assert after is not None
    assert {line.points for line in after.lines} == {0}
    assert next(found for found in after.tables if found.number == table.number).void


def test_a_loss_on_time_in_a_cup_bars_nobody_once_the_match_is_annulled(town: Town) -> None:
    second = barred(town)
    with town.store.reading() as session:
        seat = session.scalars(select(EventSeat).where(EventSeat.late)).one()
        match_id = session.get_one(EventMatch, (seat.event_id, seat.number)).match_id
    assert match_id is not None
    order(town, match_id, 0, "resign")
    assert recompute.annul(town.site, match_id)
    events.join(town.site, second, 1)


def test_a_cup_ends_though_its_last_match_is_annulled_before_its_result_is_noted(town: Town) -> None:
    people = [player(town, f"{name}@example.org") for name in ("ada", "ben", "cleo", "dana")]
    cup = events.found(town.site, people[0], Plan("Winter cup", "rosette", "3d/move"))
    for one in people:
        events.join(town.site, cup, one)
    swept(town)
    with town.store.reading() as session:
        matches = session.scalars(select(Match)).all()
        seated = [(match.id, match.seats[0].player_id or 0) for match in matches]
    for match_id, first in seated:
        play(town, match_id, (first, 0, "resign"))
        assert recompute.annul(town.site, match_id)
    swept(town)
    page = event_pages.page(town.site, cup, None)
    assert page is not None
    assert page.line.event.state == "over"
    assert {line.points for line in page.lines} == {0}


def test_annulling_a_challenge_leaves_the_ladder_as_it_is(town: Town) -> None:
    ada, ben = (player(town, f"{name}@example.org") for name in ("ada", "ben"))
    ladder = events.found(town.site, ada, Plan("", "rosette", "3d/move", kind="ladder"))
    for one in (ada, ben):
        events.join(town.site, ladder, one)
    ladders.challenge(town.site, ladder, ben, ada)
    swept(town)
    with town.store.reading() as session:
        match = session.scalars(select(Match)).one()
        holders = [seat.player_id or 0 for seat in match.seats]
    first, second = (holders.index(one) for one in holders)
    moves = [(holders[0], first, "e5"), (holders[1], second, "f6")]
    resigns = [(holders[0], first, "g7"), (holders[1], second, "resign")] if holders[1] == ada else [(ada, 0, "resign")]
    play(town, match.id, *moves, *resigns)
    swept(town)
    assert order_on(town, ladder) == [ben, ada]
    assert recompute.annul(town.site, match.id)
    swept(town)
    assert order_on(town, ladder) == [ben, ada]
    assert ratings(town) == {}


def order_on(town: Town, ladder: int) -> list[int]:
    page = event_pages.page(town.site, ladder, None)
    assert page is not None
    assert page.rungs is not None
    return [*page.rungs.order]


def test_accounts_in_one_event_with_the_same_ip_address_are_listed(
    town: Town, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ada, ben, cleo, dana = (player(town, f"{name}@example.org") for name in ("ada", "ben", "cleo", "dana"))
    cup, other = (
        events.found(town.site, ada, Plan(f"{name} cup", "rosette", "3d/move")) for name in ("Winter", "Spring")
    )
    for event, one in ((cup, ada), (cup, ben), (cup, cleo), (other, dana)):
        events.join(town.site, event, one)
    for one, network in ((ada, "192.0.2.1"), (ben, "192.0.2.1"), (cleo, ""), (dana, "192.0.2.1"), (ada, "192.0.2.9")):
        for _ in range(2):
            sessions.begin(town.site, one, "Firefox", network=network)
    (group,) = honesty.neighbours(town.site)
    assert group == (cup, "Winter cup", ((ada, "Player 1"), (ben, "Player 2")))
    monkeypatch.setenv("STONEPOST_DATA", str(town.settings.data))
    monkeypatch.setenv("STONEPOST_SECRET", town.settings.secret)
    monkeypatch.setenv("DATABASE_URL", town.settings.database_url)
    assert main(["reports"]) == 0
    said = capsys.readouterr().out
    assert said == "'Winter cup': 'Player 1' (1), 'Player 2' (2) signed in from the same address\n"
    events.end(town.site, cup, ada, is_operator=True)
    assert honesty.neighbours(town.site) == []


def test_operators_read_how_often_a_pair_shared_wins(
    town: Town, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    three = [player(town, f"{name}@example.org") for name in ("ada", "ben", "cem")]
    row: dict[str, Any] = {"game": "multigo-coop", "absence": None, "fixed": False, "bot": False, "ended": town.now}
    row |= {"rating_before": 1500.0, "rating": 1500.0, "deviation": 50.0}
    with town.store.writing() as session:
        for _ in range(8):
            match = Match(game="multigo-coop", options={}, seed=1, created=town.now, moved=town.now, state="over")
            session.add(match)
            session.flush()
            for seat, (number, share) in enumerate(zip(three, ("1/2", "1/2", "0"), strict=True)):
                session.add(RatedSeat(match_id=match.id, player_id=number, seat=seat, share=share, **row))
    monkeypatch.setenv("STONEPOST_DATA", str(town.settings.data))
    monkeypatch.setenv("STONEPOST_SECRET", town.settings.secret)
    monkeypatch.setenv("DATABASE_URL", town.settings.database_url)
    assert main(["reports"]) == 0
    told = "'Player 1' (1) and 'Player 2' (2) shared 8 of 8 matches; 0.2 were expected (z = 16.2)\n"
    assert capsys.readouterr().out == told
