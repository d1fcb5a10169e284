"""The news in a letter: all that happened since its reader moved, and what an earlier letter already said of it."""

from __future__ import annotations

from email.message import EmailMessage

import pytest

from service.play.match import lobby
from service.play.match.lobby import Chair
from service.play.pages import match_page
from service.store.models import Player
from tests.play.conftest import Town, plain
from tests.play.match.test_remarks import TWO, mail
from tests.play.match.test_remarks import table as remarked
from tests.play.orders.test_conditional import send
from tests.play.table import test_teams as teams
from tests.play.timekeeping.test_clocks import DAY, MINUTE, player, swept
from tests.play.timekeeping.test_late_turns import table

TOLD = "Earlier, as you already know: "


def to_blue(town: Town) -> EmailMessage:
    (found,) = [one for one in town.post() if one["To"].addresses[0].username == "blue"]
    return found


def words(one: EmailMessage) -> str:
    """The news above the board."""
    return " ".join(plain(one).partition("\n   ")[0].split())


def rounds(town: Town) -> EmailMessage:
    """Black moves, White is late, Red and Black move. Returns White's email after that."""
    _, match = table(town, "1d/move, late passes, no vacation", "multigo")
    mail(town, match, "red: a1", "a quiet corner")
    assert words(to_blue(town)) == 'Black played a1. Black: "a quiet corner"'
    swept(town, DAY + MINUTE)
    mail(town, match, "green: b2", "busy, are you?")
    town.post()
    mail(town, match, "red: c3")
    return to_blue(town)


def test_old_news_comes_last_and_is_marked(town: Town) -> None:
    again = rounds(town)
    assert "(the others have moved)" in again["Subject"]
    told = words(again)
    assert told.index("You were late and passed.") < told.index("busy, are you?") < told.index("c3") < told.index(TOLD)
    assert told.endswith(f"{TOLD}Black played a1.")
    assert "a quiet corner" not in told
    html = again.get_body(("html",))
    assert html is not None
    assert f"{TOLD}Black played a1." in html.get_content()


def test_after_a_move_nothing_old_is_repeated(town: Town) -> None:
    town.reply(rounds(town), "d4")
    mail(town, 1, "green: e5")
    assert words(to_blue(town)) == "Red played e5. Black is skipped in this round, to make up for moving first."


def test_captures_are_reported_even_if_others_have_moved_since(town: Town) -> None:
    _, match = table(town, "1d/move, no vacation", "multigo")
    mail(town, match, "red: a1")
    town.reply(to_blue(town), "b1")
    mail(town, match, "green: a2")
    mail(town, match, "red: c3")
    told = to_blue(town)
    captured = "Red played a2. a1 left the board (black 1); White and Red took the liberties together"
    assert words(told) == f"{captured}, so it's eliminated. Black played c3."
    html = told.get_body(("html",))
    assert html is not None
    assert captured in " ".join(html.get_content().split())


def test_a_turn_about_which_no_email_was_sent_is_news_however_old(town: Town) -> None:
    _, match = table(town, "1d/move, late passes, no vacation", "multigo")
    with town.store.writing() as session:
        session.get_one(Player, player(town, "blue@example.org")).post = "off"
    mail(town, match, "red: a1", "a quiet corner")
    with town.store.writing() as session:
        session.get_one(Player, player(town, "blue@example.org")).post = "instant"
    swept(town, DAY + MINUTE)
    mail(town, match, "green: b2")
    town.post()
    mail(town, match, "red: c3")
    told = words(to_blue(town))
    assert told.startswith('Black played a1. "a quiet corner"')
    assert TOLD not in told


def test_a_digest_has_the_same_news_as_a_separate_email(town: Town) -> None:
    _, match = table(town, "3d/move", "multigo")
    with town.store.writing() as session:
        session.get_one(Player, player(town, "green@example.org")).post = "digest"
    mail(town, match, "red: a1", "a quiet corner")
    mail(town, match, "blue: b2", "and another")
    town.post()
    swept(town, DAY / 4)
    (digest,) = town.post()
    told = words(digest)
    assert 'Black played a1. "a quiet corner"' in told
    assert 'White played b2. White: "and another"' in told


def test_a_conditional_move_is_marked_as_one_for_its_owner_alone(town: Town) -> None:
    match = remarked(town, TWO)
    mail(town, match, "ada: g10; if e10 then g11")
    mail(town, match, "ben: e10", "now what?")
    town.post()
    mail(town, match, "ben: e9")
    (turn,) = (one for one in town.post() if one["To"].addresses[0].username == "ada")
    assert words(turn) == 'White played e10. "now what?" Black played g11 as your conditional move. White played e9.'
    (history,) = town.write("ben@example.org", "history")
    assert "conditional move" not in plain(history)


def test_show_reports_a_round_in_short_lines(town: Town) -> None:
    _, match = table(town, "3d/move")
    for move in ("red: a1", "blue: a2", "green: b1"):
        mail(town, match, move)
    town.post()
    (shown,) = town.write("red@example.org", f"match {match}\nshow")
    told = plain(shown)
    assert "the liberties together" in " ".join(told.split())
    assert max(map(len, told.splitlines())) <= 72


def test_a_loss_on_time_is_reported_once(town: Town) -> None:
    table(town, "1d/move, no vacation", "multigo")
    swept(town, DAY + MINUTE)
    assert words(to_blue(town)) == "Black ran out of time; the stones stay on the board."


def test_the_pass_that_ends_a_match_is_news(town: Town) -> None:
    _, match = table(town, "3d/move", "multigo")
    passes = ("red: pass", "blue: pass", "green: pass")
    for order in (*passes, "blue: resume", *passes):
        town.post()
        mail(town, match, order)
    assert words(to_blue(town)) == (
        "Black, White and Red drew on points. Red passed. Black, White and Red have the same number of points."
    )


@pytest.mark.parametrize(("first", "then"), [("blue: a2", "green: b1"), ("green: b1", "blue: a2")])
def test_a_resignation_and_the_round_before_are_reported_once(town: Town, first: str, then: str) -> None:
    people, match = table(town, "3d/move", "multigo-parallel")
    for order in ("red: a1", "blue: c3", "green: e5", first):
        mail(town, match, order)
    town.post()
    send(town, people[0], match, 0, "resign")
    left = "Black resigned; the stones stay on the board."
    (turn,) = (one for one in town.post() if "your move" in one["Subject"])
    assert words(turn) == f"Placed at the same time: Black a1, White c3, Red e5. {left}"
    mail(town, match, then)
    turns = [one for one in town.post() if "your move" in one["Subject"]]
    assert len(turns) == 2
    for turn in turns:
        assert words(turn).startswith(f"{left} Placed at the same time: White a2, Red b1. a1 left the board")


def test_choices_of_earlier_rounds_are_not_said_to_be_played(town: Town) -> None:
    """In the first round they collided, so no stone was placed."""
    people, match = table(town, "1d/round, late passes, no vacation", "multigo-parallel")
    for point, other in (("c3", "c3"), ("a1", "e5")):
        mail(town, match, f"blue: {point}")
        mail(town, match, f"green: {other}")
        swept(town, DAY + MINUTE)
        turn = {one["To"].addresses[0].username: one for one in town.post() if "your move" in one["Subject"]}["red"]
    assert f"{TOLD}White chose c3; Red chose c3;" in words(turn)
    page = match_page.match_page(town.site, match, people[0])
    assert page is not None
    assert [play.move for play in page.news if play.chosen and not play.told] == ["c3", "c3", "late"]


@pytest.mark.parametrize(
    ("answer", "readers"), [("accept", []), ("accept\n\nIt was a good game, but a long one.", ["blue", "green"])]
)
def test_the_same_dead_stones_are_asked_about_once_and_again_for_a_message_or_the_last_answer(
    town: Town, answer: str, readers: list[str]
) -> None:
    _, match = table(town, "1d/move, no vacation", "multigo")
    for side in ("red", "blue", "green"):
        mail(town, match, f"{side}: pass")
    asked = {one["To"].addresses[0].username: one for one in town.post() if "Play has ended" in words(one)}
    assert sorted(asked) == ["blue", "green", "red"]
    town.reply(asked["red"], answer)
    again = town.post()
    assert [one["To"].addresses[0].username for one in again] == readers
    assert all("It was a good game" in words(one) for one in again)
    town.reply(asked["blue"], "accept")
    (last,) = town.post()
    assert last["To"].addresses[0].username == "green"
    assert "Still to accept: Red." in words(last)
    town.reply(asked["green"], "accept")
    assert "drew on points" in to_blue(town)["Subject"]


def test_who_resigns_during_a_count_changes_it_so_the_others_are_asked_again(town: Town) -> None:
    people = [player(town, f"{name}@example.org") for name in ("red", "blue", "green", "pink")]
    chairs = [Chair("me"), *(Chair("paired", player_id=person) for person in people[1:])]
    match = lobby.open_match(town.site, people[0], "multigo-parallel", {"size": "5"}, chairs, "1d/round, no vacation")
    for seat, person in enumerate(people):
        send(town, person, match, seat, "pass")
    town.post()
    send(town, people[3], match, 3, "resign")
    asked = town.post()
    assert [one["To"].addresses[0].username for one in asked] == ["red", "blue", "green"]
    for one in asked:
        assert "Blue resigned; the stones stay on the board." in words(one)
        assert "With this count, Black, White and Red would share the win." in words(one)


def test_the_first_of_two_moves_in_a_row_is_news_about_the_reader(town: Town) -> None:
    people = [player(town, f"{name}@example.org") for name in ("red", "blue", "green", "yellow", "pink")]
    chairs = [Chair("me"), *(Chair("paired", player_id=number) for number in people[1:])]
    match = lobby.open_match(town.site, people[0], "multigo", {"size": "5"}, chairs, "1d/move")
    for seat, point in enumerate(("a1", "a5", "e1", "e5")):
        send(town, people[seat], match, seat, point)
    town.post()
    send(town, people[4], match, 4, "c3")
    (again,) = town.post()
    assert again["Subject"].endswith(": your move 6 (you played c3)")
    assert words(again) == "You played c3. Green moves twice in this round, because no corner is left."


def test_a_choice_sealed_before_somebody_left_is_news_to_those_who_chose_after_that(town: Town) -> None:
    _, match = table(town, "1d/round")
    mail(town, match, "red: a1", "see you there")
    send(town, player(town, "green@example.org"), match, 2, "resign")
    town.reply(to_blue(town), "pass")
    told = to_blue(town)
    assert told["Subject"].endswith(": your move in round 3 (Black chose a1)")
    assert '"see you there"' in plain(told)


def test_a_digest_for_one_of_a_team_has_no_news_from_before_their_last_move(town: Town) -> None:
    match = teams.begun(town, "rosette", teams.team("ada", "eva"), teams.team("ben"))
    with town.store.writing() as session:
        session.get_one(Player, teams.person(town, "ada")).post = "digest"
    for name, move in (("ada", "e9"), ("ben", "c4"), ("eva", "g5"), ("ben", "c6")):
        assert teams.order(town, match, name, move) == ""
    town.post()
    swept(town, DAY / 4)
    (digest,) = town.post()
    assert words(digest).endswith("White played c4. Black (Eva) played g5. White played c6.")
    assert "e9" not in words(digest)
