"""Players' results are counted as matches end, and always equal the sum over their seats."""

from __future__ import annotations

from sqlalchemy import select

from service.play.accounts import guests, identity
from service.play.ratings import recompute
from service.play.table import results
from service.play.table.results import Count
from service.store.models import Match
from service.store.tables.ratings import PlayerResult
from tests.play.conftest import Town
from tests.play.ratings.test_rate import play
from tests.play.timekeeping.test_clocks import begin


def added_up(town: Town) -> dict[tuple[int, str], Count]:
    """The results counted from the seats of all matches."""
    found: dict[tuple[int, str], Count] = {}
    with town.store.reading() as session:
        for match in session.scalars(select(Match).where(Match.state == "over")):
            for place in match.places:
                score = match.seats[place.number].score
                if place.player_id is not None and score is not None:
                    key = (place.player_id, match.game)
                    won, lost, shared = found.get(key, Count())
                    part = (won + 1, lost, shared) if score == "1" else (won, lost + 1, shared)
                    found[key] = Count(*part) if score in ("0", "1") else Count(won, lost, shared + 1)
    return found


def counted(town: Town) -> dict[tuple[int, str], Count]:
    with town.store.reading() as session:
        rows = session.scalars(select(PlayerResult))
        counts = {(row.player_id, row.game): Count(row.won, row.lost, row.shared) for row in rows}
    return {key: count for key, count in counts.items() if any(count)}


def a_match_each(town: Town) -> tuple[int, int, list[int]]:
    """A match that Ada wins, one that Ben wins, one drawn by agreement and one that goes on."""
    matches = []
    for end in ((1, "resign"), (0, "resign"), (0, "draw"), None):
        ada, ben, match = begin(town, "3d/move", game="pillars", setup="")
        people = (ada, ben)
        orders = [(0, "f3-f4"), (1, "f9-f8")] + ([end] if end else [])
        play(town, match, *((people[seat], seat, text) for seat, text in orders))
        if end == (0, "draw"):
            play(town, match, (ben, 1, "accept"))
        matches.append(match)
    return ada, ben, matches


def test_every_match_that_ends_is_counted_once(town: Town) -> None:
    ada, ben, _ = a_match_each(town)
    assert counted(town) == added_up(town) == {(ada, "pillars"): Count(1, 1, 1), (ben, "pillars"): Count(1, 1, 1)}


def test_an_annulled_match_is_subtracted_once(town: Town) -> None:
    ada, ben, matches = a_match_each(town)
    assert recompute.annul(town.site, matches[0])
    assert recompute.annul(town.site, matches[0])
    assert counted(town) == added_up(town) == {(ada, "pillars"): Count(0, 1, 1), (ben, "pillars"): Count(1, 0, 1)}
    for match in matches[1:3]:
        assert recompute.annul(town.site, match)
    assert counted(town) == added_up(town) == {}
    with town.store.reading() as session:
        assert results.of_player(session, ada) == {}


def test_a_guests_results_are_added_to_the_players(town: Town) -> None:
    guest = guests.enter(town.site, "key", "Firefox")
    with town.store.writing() as session:
        ada = identity.by_email(session, "ada@example.org", town.now).id
        rows = [(ada, "go", 1, 2, 3), (guest.id, "go", 10, 20, 30), (guest.id, "lotus", 1, 0, 0)]
        for player_id, game, won, lost, shared in rows:
            session.add(PlayerResult(player_id=player_id, game=game, won=won, lost=lost, shared=shared))
    for _ in range(2):
        with town.store.writing() as session:
            guests.claim(session, guest.id, ada)
    assert counted(town) == {(ada, "go"): Count(11, 22, 33), (ada, "lotus"): Count(1, 0, 0)}
