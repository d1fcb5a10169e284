"""Profiles, the list of all matches, and what lists cost."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from html import unescape

import pytest

from service.games import GAMES
from service.play.accounts import guests, identity
from service.play.match import lobby, review
from service.play.pages import profiles
from service.play.table import results
from service.store.models import Match, Seat
from service.store.tables.ratings import PlayerRating
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
        results.add(session, match)
        return match.id


def test_a_profile_counts_results_by_game(town: Town, ada: Visitor, bruno: Visitor, anybody: Visitor) -> None:
    for scores in (("1", "0"), ("1", "0"), ("0", "1"), ("1/2", "1/2")):
        played(town, *scores, players=(ada.id, bruno.id))
    played(town, "0", "1", game="lotus", players=(ada.id, bruno.id))
    played(town, state="running", players=(ada.id, bruno.id))
    page = anybody.read(f"/player/{ada.id}")
    assert "Game Won Lost Shared Rating Lotus 0 1 0 Rosette 2 1 1" in page
    assert page.count("Ada vs Bruno") == 6


def test_a_profile_shows_a_rating_without_results(town: Town, ada: Visitor, anybody: Visitor) -> None:
    """The only rated match counted for her rating, and then for the results of the substitute."""
    with town.store.writing() as session:
        rating = {"rating": 1432.0, "deviation": 90.0, "volatility": 0.06, "floor": 1342.0}
        session.add(PlayerRating(player_id=ada.id, game="lotus", **rating, matches=1, at=town.now))
    assert "1432" in anybody.read("/ratings/lotus")
    assert "Lotus 0 0 0 1432" in anybody.read(f"/player/{ada.id}")


def test_each_game_has_a_page_of_ratings_and_the_first_is_the_default(
    anybody: Visitor,
) -> None:
    for path, game in (("/ratings", next(iter(GAMES))), *((f"/ratings/{game}", game) for game in GAMES)):
        assert f"Ratings at {GAMES[game].title} " in anybody.read(path)
    assert anybody.get("/ratings/tennis").status_code == 404


def test_names_lead_to_profiles(match: str, bruno: Visitor, ada: Visitor) -> None:
    assert f'href="/player/{ada.id}"' in bruno.get(match).text


def test_a_profile_shows_no_address_and_an_unknown_player_has_none(ada: Visitor, anybody: Visitor) -> None:
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
        ("player=bru", {1, 2}),
        ("player=%25", set()),
        ("player=_", set()),
        ("player=" + "x" * 5000, set()),
        ("game=lotus", {2}),
        ("game=chess", set()),
        ("state=over", {2}),
        ("state=open", {3}),
        ("state=declined", {1, 2, 3}),
        ("player=bruno&state=running&game=rosette", {1}),
        ("before=3", {1, 2}),
        ("after=1", {2, 3}),
        ("after=3", set()),
        ("before=-7", {1, 2, 3}),
        ("before=99999999999999999999", {1, 2, 3}),
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


def test_the_page_says_that_players_are_left_out_if_many_names_begin_alike(
    town: Town, ada: Visitor, bruno: Visitor, anybody: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    identity.rename(town.site, bruno.id, "Adam")
    others = [guests.enter(town.site, name, "").id for name in ("one", "two")]
    first, second = (played(town, "1", "0", players=pair) for pair in zip((ada.id, bruno.id), others, strict=True))
    monkeypatch.setattr(profiles, "NAMED", 2)
    both = anybody.get("/matches?player=ad")
    monkeypatch.setattr(profiles, "NAMED", 1)
    one = anybody.get("/matches?player=ad")
    assert [f'href="/match/{first}"' in page.text for page in (both, one)] == [True, True]
    assert [f'href="/match/{second}"' in page.text for page in (both, one)] == [True, False]
    assert ["Enter more of the name" in page.text for page in (both, one)] == [False, True]


def test_a_search_is_shown_as_it_was_typed(anybody: Visitor) -> None:
    assert 'value="&#34;&gt;&lt;script&gt;"' in anybody.get('/matches?player="><script>').text


def test_long_lists_come_in_pages(town: Town, ada: Visitor, bruno: Visitor, anybody: Visitor) -> None:
    for _ in range(51):
        played(town, "1", "0", players=(ada.id, bruno.id))
    for path in ("/matches?player=ada", f"/player/{ada.id}"):
        first = anybody.get(path).text
        assert (first.count('class="line"'), "Earlier matches" in first, "Later matches" in first) == (50, True, False)
        second = anybody.get(linked(first, "next")).text
        assert (second.count('class="line"'), "Earlier matches" in second) == (1, False)
        back = anybody.get(linked(second, "prev")).text
        assert [back.count(f'href="/match/{number}"') for number in (51, 2, 1)] == [1, 1, 0]


def linked(page: str, rel: str) -> str:
    return unescape(re.findall(rf'rel="{rel}" href="([^"]+)"', page)[0])


def test_the_filters_of_a_list_are_marked(anybody: Visitor) -> None:
    page = anybody.get("/matches?state=running&game=lotus&player=ada").text
    assert re.findall(r'aria-current="true">([^<]+)<', page) == ["Being played", "Lotus"]
    assert 'href="/matches?player=ada&amp;game=lotus&amp;state=over"' in page
    assert 'value="ada"' in page


def test_matches_of_guests_against_the_computer_stay_out_of_lists_to_watch(
    town: Town, anybody: Visitor, sign_in: Callable[[str], Visitor], ada: Visitor
) -> None:
    path = str(anybody.send("/play", "/play/lotus").location)
    assert anybody.get(path).status_code == 200
    for page in ("/", "/matches"):
        assert f'href="{path}"' not in ada.get(page).text
    assert f'href="{path}"' in anybody.get("/").text, "It is among the guest's own."
    with town.site.transaction() as tx:
        guests.claim(tx.session, tx.session.get_one(Match, 1).creator_id or 0, ada.id)
    assert f'href="{path}"' in anybody.get("/matches").text


def test_a_list_shows_the_board_of_each_match_at_an_address_that_is_cached(
    match: str, ada: Visitor, anybody: Visitor, play: Callable[[Visitor, str], str]
) -> None:
    play(ada, "e9")
    (address,) = set(re.findall(r'<img class="thumb" src="([^"]+)"', anybody.get("/matches").text))
    assert address == f"{match}/round/2/board.svg"
    picture = anybody.get(address)
    assert (picture.status_code, picture.mimetype) == (200, "image/svg+xml")
    assert picture.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    again = anybody.client.get(address, headers={"If-None-Match": picture.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")
    assert anybody.get(f"{match}/round/1/board.svg").location == address, "An old list leads to the board as it is now."
    assert anybody.get("/match/999/round/1/board.svg").status_code == 404


def test_a_player_can_be_invited_from_their_page_with_the_settings_of_the_last_match(
    match: str, ada: Visitor, bruno: Visitor, sign_in: Callable[[str], Visitor], anybody: Visitor
) -> None:
    carla = sign_in("carla@example.org")
    assert "Play Ada" not in anybody.read(f"/player/{ada.id}")
    assert "Play Ada" not in carla.read(f"/player/{ada.id}"), "She has no settings yet."
    assert "Rosette , base 5." in ada.read(f"/player/{bruno.id}")
    new = ada.send(f"/player/{bruno.id}", f"/player/{bruno.id}/play").location
    assert new not in (None, match)
    assert "Ada would like to play Rosette with you. You'd play White." in bruno.read(str(new))
    assert "bruno@example.org" not in ada.get(str(new)).text, "She hasn't written his address here."


def test_a_computer_opponent_is_invited_to_its_own_game_with_the_settings_of_the_last_match(
    town: Town, ada: Visitor
) -> None:
    for game, board in (("lotus", "5"), ("go", "9"), ("rosette", "5")):
        lobby.practise(town.site, ada.id, game, board=board)
    with town.store.writing() as session:
        harrow = identity.bot(session, "harrow", town.now).id
    assert "Go , size 9." in ada.read(f"/player/{harrow}")
    new = ada.send(f"/player/{harrow}", f"/player/{harrow}/play").location
    with town.store.reading() as session:
        match = session.get_one(Match, int(str(new).rpartition("/")[2]))
        assert (match.game, match.seats[1].player_id) == ("go", harrow)


def test_a_moment_tried_again_is_no_setting_of_the_next_match(
    town: Town, match: str, ada: Visitor, bruno: Visitor, play: Callable[[Visitor, str], str]
) -> None:
    for visitor, move in ((ada, "e9"), (bruno, "e8"), (ada, "resign")):
        play(visitor, move)
    again = review.try_again(town.site, int(match.rpartition("/")[2]), 2, ada.id)
    with town.store.reading() as session:
        computer = next(seat.player_id for seat in session.get_one(Match, again).seats if seat.player_id != ada.id)
    new = ada.send(f"/player/{computer}", f"/player/{computer}/play").location
    with town.store.reading() as session:
        opened = session.get_one(Match, int(str(new).rpartition("/")[2]))
        assert (opened.options["setup"], opened.options["base"], opened.rated) == ("", "5", True)


@pytest.mark.parametrize("page", ["/", "/matches", "/matches?player=a&game=rosette&state=running", "/player/1"])
def test_a_list_of_fifty_matches_needs_no_more_statements_than_one_of_one(
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
    assert counts[0] == counts[1] <= 11, counts


def test_a_players_own_history_has_all_their_finished_matches_in_pages_and_nothing_else(
    town: Town, ada: Visitor, bruno: Visitor, anybody: Visitor
) -> None:
    first = played(town, "1", "0", players=(ada.id, bruno.id))
    secret = played(town, "0", "1", game="lotus", players=(ada.id, bruno.id))
    with town.store.writing() as session:
        session.get_one(Match, secret).practice = True
    running = played(town, state="running", players=(ada.id, bruno.id))
    for _ in range(50):
        played(town, "1", "0", players=(bruno.id, ada.id))
    page = ada.get("/history")
    assert page.text.count('class="thumb"') == 50
    assert f'href="/match/{running}"' not in page.text
    earlier = re.search(r'rel="next" href="([^"]+)"', page.text)
    assert earlier is not None
    last = ada.get(unescape(earlier[1]))
    assert [int(number) for number in re.findall(r'class="line" href="/match/(\d+)"', last.text)] == [secret, first]
    assert f'href="/match/{secret}"' in ada.get("/history?game=lotus").text
    assert ada.get("/history?game=chess").text.count('class="thumb"') == 50
    assert anybody.get("/history").status_code == 303
