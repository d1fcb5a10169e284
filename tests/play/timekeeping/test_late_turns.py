"""Missed turns, and choices that never became public: what is played, who hears of it, and who never does."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from service.engine.game import Illegal
from service.play.match import invitations, lobby, substitutes
from service.play.match.lobby import Chair
from service.play.orders import alternatives
from service.play.pages import match_page
from service.play.table import replay
from service.store.models import Match, Player, Seat
from tests.play.conftest import Town, plain
from tests.play.orders.test_conditional import send
from tests.play.timekeeping.test_clocks import DAY, HOUR, MINUTE, begin, deadline, log, player, swept, to_move

NAMES = ("red", "blue", "green")


def table(town: Town, clock: str, game: str = "multigo-parallel") -> tuple[list[int], int]:
    """A small match of three that begins now: the players and the match."""
    people = [player(town, f"{name}@example.org") for name in NAMES]
    chairs = [Chair("me"), *(Chair("email", f"{name}@example.org") for name in NAMES[1:])]
    match = lobby.open_match(town.site, people[0], game, {"size": "5"}, chairs, clock)
    for person in people[1:]:
        invitations.answer(town.site, match, person, True)
    town.work()
    town.post()
    return people, match


def moves(town: Town, match: int, viewer: int | None) -> list[tuple[int, str]]:
    page = match_page.match_page(town.site, match, viewer)
    assert page is not None
    return [(entry.ply, entry.move) for entry in page.entries]


def test_a_round_goes_on_without_a_late_player_and_everybody_is_informed(town: Town) -> None:
    people, match = table(town, "1d/round, late passes")
    send(town, people[1], match, 1, "a1")
    send(town, people[2], match, 2, "pass")
    town.post()
    swept(town, DAY + MINUTE)
    assert log(town, match)[-1] == (0, "late")
    assert to_move(town, match) == [0, 1, 2]
    mails = town.post()
    assert {mail["To"].addresses[0].username for mail in mails} == set(NAMES)
    assert all("Black sent no move in time." in plain(mail) for mail in mails)
    page = match_page.match_page(town.site, match, None)
    assert page is not None
    assert "Black sent no move in time." in page.scene.notes


def test_a_standing_order_is_played_for_a_late_player_and_hidden_from_others(town: Town) -> None:
    people, match = table(town, "1d/round, late passes")
    assert send(town, people[0], match, 0, "standing a1 or b2 or pass") == "accepted"
    for viewer in (people[1], people[2], None):
        page = match_page.match_page(town.site, match, viewer)
        assert page is not None
        assert page.standing == ""
    for other, cell in (("c1", "c2"), ("d1", "d2"), ("e1", "e2"), ("e3", "e4")):
        send(town, people[1], match, 1, other)
        send(town, people[2], match, 2, cell)
        swept(town, DAY + MINUTE)
    assert [move for seat, move in log(town, match) if seat == 0] == ["a1", "b2", "pass", "pass"]
    with town.store.reading() as session:
        assert session.get_one(Seat, (match, 0)).missed == 0
    assert send(town, people[0], match, 0, "standing none") == "accepted"
    assert send(town, people[0], match, 0, "standing nonsense") == "refused"
    cells = [f"{column}{row}" for column in "abc" for row in range(1, 5)]
    verdicts = [send(town, people[0], match, 0, f"standing {' or '.join(cells[:count])}") for count in (10, 11, 12)]
    assert verdicts == ["accepted", "refused", "refused"]


def test_a_standing_order_by_email_is_confirmed_until_it_is_dropped(town: Town) -> None:
    begin(town, "3d/move, late passes", "go", size="9")
    turn = next(mail for mail in town.post() if "your move 1 (" in mail["Subject"])
    for order, done, said in (
        ("standing order: c3 or d4", "saved", "Your standing order is saved: c3 or d4.\nWhenever you run out of time,"),
        (
            "standing none",
            "dropped",
            "Your standing order is dropped.\nIf you run out of time, no move is played for you.",
        ),
    ):
        town.reply(turn, order)
        (told,) = town.post()
        assert told["Subject"].endswith(f": your standing order is {done}")
        assert plain(told).startswith(said)


def test_a_standing_order_ends_the_count_of_missed_turns_once_its_move_is_public(town: Town) -> None:
    """Blue, who is on vacation, has time left in the round when the clock plays for Black."""
    people, match = table(town, "1d/move, late passes")
    with town.store.writing() as session:
        session.get_one(Player, people[1]).vacation = True
        seat = session.get_one(Seat, (match, 0))
        seat.missed, seat.sought = substitutes.MISSED, substitutes.ANYBODY
    send(town, people[0], match, 0, "standing a1")
    send(town, people[2], match, 2, "c2")
    swept(town, DAY + HOUR)
    assert log(town, match)[-1] == (0, "a1")
    assert to_move(town, match) == [1]
    assert absence(town, match) == (substitutes.MISSED, substitutes.ANYBODY)
    send(town, people[1], match, 1, "e5")
    assert moves(town, match, None) == [(1, "c2"), (2, "a1"), (3, "e5")]
    assert absence(town, match) == (0, None)


def absence(town: Town, match: int) -> tuple[int, int | None]:
    """How many turns Black has missed, and the `sought` of the seat."""
    with town.store.reading() as session:
        seat = session.get_one(Seat, (match, 0))
    return seat.missed, seat.sought


def test_a_standing_order_is_refused_if_late_turns_lose(town: Town) -> None:
    ada, _, match = begin(town, "1d/move")
    assert send(town, ada, match, 0, "standing g10") == "refused"


@pytest.mark.parametrize("choices", ["wait", "a1 or wait", "prefer white", "a1? or b1"])
def test_a_standing_order_is_refused_if_it_is_unclear_or_never_played(town: Town, choices: str) -> None:
    people, match = table(town, "1d/round, late passes")
    assert send(town, people[0], match, 0, f"standing {choices}") == "refused"
    page = match_page.match_page(town.site, match, people[0])
    assert page is not None
    assert page.standing == ""


def test_a_late_player_gets_more_time_once_and_everybody_is_informed(town: Town) -> None:
    people, match = table(town, "1d/round, late extends")
    first = deadline(town, match, 0)
    assert first is not None
    send(town, people[1], match, 1, "a1")
    send(town, people[2], match, 2, "b1")
    town.post()
    assert _late(town, match) == [False, False, False]
    swept(town, DAY + MINUTE)
    assert deadline(town, match, 0) == first + DAY
    told = {mail["To"].addresses[0].username: " ".join(plain(mail).split()) for mail in town.post()}
    assert "You're late. The match waits once more, for 23 hours 58 minutes" in told["red"].replace("59 m", "58 m")
    assert "Black is late." in told["blue"]
    assert "Black is late." in told["green"]
    assert _late(town, match) == [True, False, False]
    swept(town, DAY)
    assert log(town, match)[-1] == (0, "late")
    assert deadline(town, match, 0) is not None


def _late(town: Town, match: int) -> list[bool]:
    """Which seats the page of a match shows as late."""
    page = match_page.match_page(town.site, match, None)
    assert page is not None
    return [seat.late for seat in page.line.seats]


def test_a_late_player_who_has_chosen_is_shown_as_late_until_the_round_is_over(town: Town) -> None:
    people, match = table(town, "1d/round, late extends")
    send(town, people[1], match, 1, "a1")
    swept(town, DAY + MINUTE)
    assert _late(town, match) == [True, False, True]
    assert send(town, people[0], match, 0, "b1") == "accepted"
    assert _late(town, match) == [True, False, True], "or everybody would learn that Black has chosen"
    assert send(town, people[2], match, 2, "c1") == "accepted"
    assert _late(town, match) == [False, False, False]


def test_players_are_informed_of_time_given_whether_or_not_they_have_chosen(town: Town) -> None:
    people, match = table(town, "1d/round")
    send(town, people[1], match, 1, "a1")
    town.post()
    assert send(town, people[0], match, 0, "extend 1d") == "accepted"
    told = {mail["To"].addresses[0].username: plain(mail) for mail in town.post()}
    assert told.keys() == {"blue", "green"}
    assert all("Black gave you more time." in words for words in told.values())


def test_a_player_who_takes_a_choice_back_has_the_time_that_was_given_meanwhile(town: Town) -> None:
    people, match = table(town, "1d/round")
    ends = deadline(town, match, 1)
    assert ends is not None
    send(town, people[1], match, 1, "a1")
    for _ in range(2):
        assert send(town, people[0], match, 0, "extend 1d") == "accepted"
    assert send(town, people[1], match, 1, "wait") == "accepted"
    assert deadline(town, match, 1) == ends + 2 * DAY == deadline(town, match, 2)


def test_rounds_end_at_their_time_of_day(town: Town) -> None:
    people, match = table(town, "rounds at 18:00 mon wed fri Europe/Lisbon, late passes")
    assert deadline(town, match, 0) == datetime(2026, 11, 23, 18, tzinfo=UTC)
    send(town, people[1], match, 1, "a1")
    swept(town, datetime(2026, 11, 23, 18, 1, tzinfo=UTC) - town.now)
    assert [move for _, move in log(town, match)] == ["a1", "late", "late"]
    assert deadline(town, match, 0) == datetime(2026, 11, 25, 18, tzinfo=UTC)


@pytest.mark.parametrize("clock", ["1d/move", "absolute 3d", "1d/move, late passes"])
def test_a_count_that_nobody_finishes_is_accepted_on_time(town: Town, clock: str) -> None:
    ada, ben, match = begin(town, clock + ", no vacation")
    for player_id, seat, text in ((ada, 0, "g10"), (ben, 1, "pass"), (ada, 0, "pass"), (ben, 1, "dead g10")):
        send(town, player_id, match, seat, text)
    swept(town, 4 * DAY)
    page = match_page.match_page(town.site, match, None)
    assert page is not None
    assert (page.line.state, page.line.reason) == ("over", "points")
    assert log(town, match)[-1] == (0, "accept")
    town.post()
    assert page.entries[-1].late


def test_a_pass_by_the_clock_is_reported_as_one(town: Town) -> None:
    people, match = table(town, "1d/move, late passes", "multigo")
    swept(town, DAY + MINUTE)
    (mail,) = [mail for mail in town.post() if mail["To"].addresses[0].username == "blue"]
    assert "Black was late and passed" in mail["Subject"]
    assert "Black was late and passed." in plain(mail)
    assert "Black passed." not in plain(mail)
    page = match_page.match_page(town.site, match, people[1])
    assert page is not None
    assert ([play.side for play in page.news], page.notes, page.scene.notes) == (["Black"], (), ("Black passed.",))
    send(town, people[1], match, 1, "a1")
    send(town, people[2], match, 2, "b1")
    (mail,) = [mail for mail in town.post() if mail["To"].addresses[0].username == "red"]
    assert "your move" in mail["Subject"]


# ---- ranked choices


def test_the_first_legal_choice_is_played(town: Town) -> None:
    ada, ben, match = begin(town, "none")
    assert send(town, ada, match, 0, "g10") == "accepted"
    assert send(town, ben, match, 1, "g10 or e10 or pass") == "accepted"
    assert send(town, ada, match, 0, "g10, or e10") == "refused"
    assert send(town, ada, match, 0, "z99x or e9") == "refused", "A slip of the pen is no choice."
    assert log(town, match)[:2] == [(0, "g10"), (1, "e10")]


def test_conditional_moves_may_have_a_second_choice(town: Town) -> None:
    ada, ben, match = begin(town, "none")
    send(town, ada, match, 0, "g10; if e10 then e10 or e9")
    send(town, ben, match, 1, "e10")
    assert log(town, match) == [(0, "g10"), (1, "e10"), (0, "e9")]


def test_the_refusal_is_that_of_the_first_choice(town: Town) -> None:
    ada, _, match = begin(town, "none")
    send(town, ada, match, 0, "g10")
    with town.store.reading() as session:
        position = replay.position(session, session.get_one(Match, match))
    with pytest.raises(Illegal, match="g10 is taken by Black"):
        alternatives.choose(position, 1, "g10 or g10")


# ---- choices that never became public


def test_replaced_choices_are_shown_only_to_their_owner_forever(town: Town) -> None:
    people, match = table(town, "none")
    for text in ("c3", "b2", "a1"):
        send(town, people[0], match, 0, text)
    send(town, people[1], match, 1, "e5")
    send(town, people[2], match, 2, "e4")
    assert moves(town, match, None) == moves(town, match, people[1]) == [(1, "a1"), (2, "e5"), (3, "e4")]
    assert [move for _, move in moves(town, match, people[0])] == ["c3", "b2", "a1", "e5", "e4"]
    for seat in (0, 1, 2):
        send(town, people[seat], match, seat, "resign")
    assert "c3" not in [move for _, move in moves(town, match, None)]


def test_a_resignation_doesnt_reveal_the_choices_around_it(town: Town) -> None:
    """Its number and URL don't count sealed choices, and the choices of a round that it ends stay sealed forever."""
    people, match = table(town, "none")
    send(town, people[0], match, 0, "c3")
    send(town, people[1], match, 1, "b2")
    send(town, people[1], match, 1, "resign")
    assert moves(town, match, None) == moves(town, match, people[2]) == [(1, "resign")]
    page = match_page.match_page(town.site, match, people[2], 1)
    assert page is not None
    assert page.last == 1
    send(town, people[2], match, 2, "resign")
    assert moves(town, match, None) == [(1, "resign"), (2, "resign")]
    assert (0, "c3") in moves(town, match, people[0])


def test_a_round_that_begins_shortly_before_its_hour_lasts_until_the_next(town: Town) -> None:
    town.now = datetime(2026, 11, 23, 15, tzinfo=UTC)
    _, match = table(town, "rounds at 18:00")
    assert deadline(town, match, 1) == datetime(2026, 11, 24, 18, tzinfo=UTC)


def test_wait_takes_a_choice_back_and_gains_no_time(town: Town) -> None:
    people, match = table(town, "1d/move, late passes")
    end = deadline(town, match, 0)
    assert end is not None
    for text in ("c3", "b2", "wait"):
        swept(town, HOUR)
        assert send(town, people[0], match, 0, text) == "accepted"
    assert deadline(town, match, 0) == end
    for others in (("e5", "e4"), ("d5", "d4"), ("a5", "a4")):
        assert to_move(town, match) == [0, 1, 2]
        send(town, people[1], match, 1, others[0])
        send(town, people[2], match, 2, others[1])
        assert to_move(town, match) == [0]
        assert send(town, people[0], match, 0, "wait") == "accepted"
        swept(town, DAY + MINUTE)
    assert [move for seat, move in log(town, match) if seat == 0] == ["c3", "b2", "wait", *["wait", "late"] * 3]
    assert {"c3", "b2", "wait"}.isdisjoint(move for _, move in moves(town, match, people[1]))
    with town.store.reading() as session:
        assert session.get_one(Seat, (match, 0)).missed == 3, "Others can't see who waits, so it counts as missed."


def test_a_choice_cannot_be_taken_back_after_the_players_time_is_up(town: Town) -> None:
    """One player's vacation makes the round longer than another player's time in it."""
    people, match = table(town, "1d/move, late passes")
    send(town, people[0], match, 0, "c3")
    with town.store.writing() as session:
        for person in people[1:]:
            session.get_one(Player, person).vacation = True
    swept(town, DAY + HOUR)
    assert send(town, people[0], match, 0, "wait") == "refused"
    send(town, people[1], match, 1, "e5")
    send(town, people[2], match, 2, "e4")
    assert [move for _, move in moves(town, match, None)] == ["c3", "e5", "e4"]


def test_a_standing_order_of_which_nothing_can_be_played_passes(town: Town) -> None:
    people, match = table(town, "1d/move, late passes")
    assert send(town, people[0], match, 0, "standing b1 or c1") == "accepted"
    assert [send(town, people[seat], match, seat, cell) for seat, cell in ((1, "b1"), (2, "c1"))] == ["accepted"] * 2
    assert send(town, people[0], match, 0, "a1") == "accepted"
    for seat, cell in ((1, "e5"), (2, "d4")):
        send(town, people[seat], match, seat, cell)
    swept(town, DAY + MINUTE)
    assert [move for seat, move in log(town, match) if seat == 0] == ["a1", "late"]


@pytest.mark.parametrize(
    ("game", "standing", "played"),
    [
        ("multigo-parallel", "prefer white", "late"),
        ("multigo-parallel", "wait", "late"),
        ("multigo-coop", "prefer white or c3", "c3"),
        ("pillars", "draw", "timeout"),
        ("pillars", "draw or E4", "E3-E4"),
    ],
)
def test_a_standing_order_plays_nothing_that_leaves_the_match_waiting(
    town: Town, game: str, standing: str, played: str
) -> None:
    _, _, match = begin(town, "1d/move, late passes, no vacation", game)
    with town.store.writing() as session:
        session.get_one(Seat, (match, 0)).standing = standing  # Some of these are refused by now.
    swept(town, DAY + MINUTE)
    assert log(town, match)[0] == (0, played)


def test_a_standing_order_may_accept_a_draw(town: Town) -> None:
    ada, ben, match = begin(town, "1d/move, late passes, no vacation", "pillars")
    assert send(town, ada, match, 0, "standing draw") == "accepted"
    assert send(town, ben, match, 1, "draw") == "accepted"
    swept(town, DAY + MINUTE)
    assert log(town, match) == [(1, "draw"), (0, "draw")]


def test_players_who_have_sealed_a_choice_hear_that_somebody_has_left_in_the_round(town: Town) -> None:
    people, match = table(town, "1d/round")
    send(town, people[0], match, 0, "a1")
    assert town.post() == []
    send(town, people[1], match, 1, "resign")
    mails = {mail["To"].addresses[0].username: mail for mail in town.post()}
    assert {name: mail["Subject"].partition(": ")[2] for name, mail in mails.items()} == {
        "red": "White resigned",
        "green": "your move in round 2 (White resigned)",
    }
    told = "White resigned.\nYour sealed choice counts, unless you change it before the round ends.\n"
    assert plain(mails["red"]).startswith(told)
    assert "(X)" in plain(mails["red"])
    town.reply(mails["red"], "c3")
    send(town, people[2], match, 2, "e5")
    assert moves(town, match, None) == [(1, "resign"), (2, "c3"), (3, "e5")]


def test_players_who_have_sealed_a_choice_hear_of_no_loss_on_time_if_others_follow_at_once(town: Town) -> None:
    people, match = table(town, "1d/round, no vacation")
    send(town, people[0], match, 0, "a1")
    swept(town, DAY + MINUTE)
    told = [mail["Subject"].partition(": ")[2] for mail in town.post() if mail["To"].addresses[0].username == "red"]
    assert told == ["Black won on time"]


def test_a_round_in_which_nobody_moved_is_reported_as_such(town: Town) -> None:
    table(town, "1d/round, late passes")
    swept(town, DAY + MINUTE)
    assert {mail["Subject"].partition(": ")[2] for mail in town.post()} == {
        "your move in round 2 (no move came in time)"
    }
