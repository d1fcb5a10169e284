"""Profiles, the list of all matches, and what lists cost."""

from __future__ import annotations

from datetime import timedelta

import pytest

from service.store.models import Match, Seat
from tests.play.conftest import Town
from tests.web.conftest import Visitor, statements


def played(town: Town, *scores: str, state: str = "over", game: str = "rosette", players: tuple[int, ...]) -> int:
    """A match that has been played, with these scores."""
    with town.store.writing() as session:
        match = Match(game=game, options={}, seed=1, state=state, created=town.now, moved=town.now, reason="resigned")
        seats = zip(players, scores or [None] * len(players), strict=True)
        match.seats = [
            Seat(number=number, player_id=player, accepted=True, score=score)
            for number, (player, score) in enumerate(seats)
        ]
        session.add(match)
        session.flush()
        return match.id


def test_a_profile_counts_results_by_game(town: Town, ada: Visitor, bruno: Visitor, anybody: Visitor) -> None:
    for scores in (("1", "0"), ("1", "0"), ("0", "1"), ("1/2", "1/2")):
        played(town, *scores, players=(ada.id, bruno.id))
    played(town, "0", "1", game="lotus", players=(ada.id, bruno.id))
    played(town, state="running", players=(ada.id, bruno.id))
    page = anybody.read(f"/player/{ada.id}")
    assert "Game Won Lost Shared Rating Lotus 0 1 0 Rosette 2 1 1" in page
    assert page.count("Ada vs Bruno") == 6


def test_names_lead_to_profiles(match: str, bruno: Visitor, ada: Visitor) -> None:
    assert f'href="/player/{ada.id}"' in bruno.get(match).text


def test_a_profile_tells_no_address_and_nobody_has_none(ada: Visitor, anybody: Visitor) -> None:
    assert "@" not in anybody.get(f"/player/{ada.id}").text
    for nobody in ("9999", "9" * 40, "-1", "ada"):
        assert anybody.get(f"/player/{nobody}").status_code == 404


def test_private_invitations_are_listed_nowhere(ada: Visitor, bruno: Visitor, anybody: Visitor) -> None:
    path = str(ada.send("/new/rosette", other1="email", address1="bruno@example.org").location)
    pages = ("/matches", "/matches?state=open", "/matches?player=bruno", f"/player/{ada.id}")
    assert not any(f'href="{path}"' in anybody.get(page).text for page in pages)
    bruno.send(path, f"{path}/answer", answer="decline")
    assert not any(f'href="{path}"' in anybody.get(page).text for page in pages)


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("", {1, 2, 3}),
        ("player=ADA", {1, 2, 3}),
        ("player=run", {1, 2}),
        ("player=%25", set()),
        ("player=_", set()),
        ("player=" + "x" * 5000, set()),
        ("game=lotus", {2}),
        ("game=chess", set()),
        ("state=over", {2}),
        ("state=open", {3}),
        ("state=declined", {1, 2, 3}),
        ("player=bruno&state=running&game=rosette", {1}),
        ("page=2", set()),
        ("page=-7", {1, 2, 3}),
        ("page=99999999999999999999", set()),
    ],
)
def test_matches_are_found_by_player_game_and_state(
    town: Town, ada: Visitor, bruno: Visitor, anybody: Visitor, question: str, found: set[int]
) -> None:
    played(town, state="running", players=(ada.id, bruno.id))
    played(town, "1", "0", game="lotus", players=(ada.id, bruno.id))
    ada.send("/new/rosette", other1="open")
    page = anybody.get(f"/matches?{question}").text
    assert {number for number in (1, 2, 3) if f'href="/match/{number}"' in page} == found


def test_a_question_is_shown_as_it_was_typed(anybody: Visitor) -> None:
    assert 'value="&#34;&gt;&lt;script&gt;"' in anybody.get('/matches?player="><script>').text


def test_long_lists_come_in_pages(town: Town, ada: Visitor, bruno: Visitor, anybody: Visitor) -> None:
    for _ in range(51):
        played(town, "1", "0", players=(ada.id, bruno.id))
    for page in ("/matches?player=ada", f"/player/{ada.id}?"):
        first, second = anybody.get(page).text, anybody.get(f"{page}&page=2").text
        assert (first.count('class="line"'), second.count('class="line"')) == (50, 1)
        assert "Earlier matches" in first
        assert "Earlier matches" not in second


@pytest.mark.parametrize("page", ["/", "/matches", "/matches?player=a&game=rosette&state=running", "/player/1"])
def test_a_list_asks_the_database_as_often_for_fifty_matches_as_for_one(
    town: Town, ada: Visitor, bruno: Visitor, page: str
) -> None:
    counts = []
    for matches in (1, 49):
        for _ in range(matches):
            played(town, state="running", players=(ada.id, bruno.id))
            town.now += timedelta(minutes=1)
        with statements(town) as asked:
            assert ada.get(page).status_code == 200
        counts.append(len(asked))
    assert counts[0] == counts[1] <= 10, counts
