"""Commands by which players find each other by email: ratings, wishes and events."""

from __future__ import annotations

from datetime import timedelta

import pytest

from service.mail.grammar import command_lines
from service.play.accounts import display_names
from service.play.company import events
from service.play.company.events import Plan
from service.play.operations.sweep import sweep
from service.store.models import Player
from service.store.tables.events import Event
from service.store.tables.ratings import PlayerRating
from tests.play.conftest import Town, plain
from tests.play.test_match import player

ADA, BEN = "ada@example.org", "ben@example.org"


def named(town: Town, email: str) -> int:
    """A player named after the address, with a capital letter."""
    number = player(town, email)
    with town.store.writing() as session:
        display_names.take(session, session.get_one(Player, number), email.partition("@")[0].capitalize())
    return number


def rate(town: Town, player_id: int, game: str, rating: float, deviation: float) -> None:
    with town.store.writing() as session:
        row = {"rating": rating, "deviation": deviation, "volatility": 0.06, "floor": rating - deviation}
        session.add(PlayerRating(player_id=player_id, game=game, matches=7, at=town.now, **row))


def answered(town: Town, sender: str, text: str) -> str:
    """The text of the answer to an email, on one line."""
    (answer,) = town.write(sender, text)
    return " ".join(plain(answer).split())


@pytest.fixture
def ratings(town: Town) -> None:
    ada, _ = named(town, ADA), named(town, BEN)
    rate(town, ada, "lotus", 1612.4, 81)
    rate(town, ada, "go", 1490, 200)


@pytest.mark.parametrize("text", ["rating", "rating?", "Rating me", "rating Ada", "RATING ADA."])
@pytest.mark.usefixtures("ratings")
def test_a_player_reads_their_own_ratings(town: Town, text: str) -> None:
    said = answered(town, ADA, text)
    assert "Lotus: 1612 (deviation 81) Go: 1490? (deviation 200)" in said
    assert "A question mark means that a rating is provisional" in said
    assert "Your matches and ratings on the web: http://127.0.0.1:8000/player/1" in said


@pytest.mark.usefixtures("ratings")
def test_anybody_may_read_the_ratings_of_another(town: Town) -> None:
    said = answered(town, BEN, "rating ada")
    assert "Lotus: 1612 (deviation 81)" in said
    assert "Ada on the web: http://127.0.0.1:8000/player/1" in said


@pytest.mark.usefixtures("ratings")
def test_the_answer_about_a_player_without_a_rating_or_one_that_doesnt_exist(town: Town) -> None:
    assert "You haven't finished a rated match yet." in answered(town, BEN, "rating")
    assert "Ben hasn't finished a rated match yet." in answered(town, ADA, "rating Ben")
    assert "There's no player called Zoe here." in answered(town, ADA, "rating Zoe")
    assert "There's no player called Player 1 here." in answered(town, BEN, "rating Player 1")


@pytest.mark.parametrize(
    ("text", "is_command"),
    [("rating", True), ("rating Ada", True), ("rating Ada B. C.", True), ("rating is what I want to see", False)],
)
def test_below_another_line_rating_is_a_command_only_with_a_name(text: str, is_command: bool) -> None:
    assert command_lines.counts(command_lines.line(text), lambda _text: False) is is_command


def test_a_wish_is_set_shown_changed_and_ended_by_email(town: Town) -> None:
    named(town, ADA)
    assert "You aren't looking for opponents now. To look for some, write for example: wish" in answered(
        town, ADA, "wish"
    )
    said = answered(town, ADA, "wish lotus, rosette 1d-7d up to 3")
    assert "You're looking for opponents at Lotus and Rosette, with 1 day to 7 days a move, in up to 3 matches" in said
    assert "If you've had no match for a day, a computer opponent will play you." in said
    assert "The same on the web: http://127.0.0.1:8000/wishes" in said
    said = answered(town, ADA, "wish go 3d rating above 1400 no bots rated=no up to 1")
    assert (
        "You're looking for an opponent at Go, with 3 days a move against opponents rated 1400 or higher, for one "
        "match at a time. These matches don't change ratings. You'll only be matched with people."
    ) in said
    assert "You're looking for an opponent at Go" in answered(town, ADA, "wish")
    assert "You're no longer looking for opponents." in answered(town, ADA, "wish off")
    assert "You weren't looking for opponents, so nothing changes." in answered(town, ADA, "wish off")


def test_two_wishes_by_email_become_a_match_within_a_sweep(town: Town) -> None:
    for sender in (ADA, BEN):
        named(town, sender)
        answered(town, sender, "wish lotus")
    sweep(town.site)
    town.work()
    mails = town.post()
    assert all("The match you were looking for has begun." in plain(mail) for mail in mails)
    subjects = {mail["To"].addresses[0].username: mail["Subject"] for mail in mails}
    assert sorted(subjects.values()) == ["Lotus 1: the match has begun", "Lotus 1: your move 1 (the match has begun)"]
    assert "Being played now: Lotus 1" in answered(town, ADA, "wish")


def test_the_error_about_a_wish_says_how_to_write_one(town: Town) -> None:
    named(town, ADA)
    said = answered(town, ADA, "wish chess 3d")
    assert "'chess' isn't a game or a setting of a wish. Write it like wish" in said
    assert "You aren't looking for opponents now." in answered(town, ADA, "wish")


@pytest.mark.parametrize("text", ["Wish you luck!", "wish me luck", "Wish all the best", "wish it were over"])
def test_a_kind_word_is_not_a_wish(text: str) -> None:
    assert command_lines.line(text).command is None


def test_a_cup_is_played_by_email_alone(town: Town) -> None:
    names = ("ada", "ben", "cleo", "dana")
    for name in names:
        named(town, f"{name}@example.org")
    said = answered(town, ADA, "events")
    assert "No event is open or being played. Anybody can create one: write create Winter cup at medusa" in said
    assert (
        "You've created Winter cup (Lotus, clock=3d/move). To enter it yourself, write join Winter cup. Others "
        "can enter in the same way. The event on the web: http://127.0.0.1:8000/events/1"
    ) in answered(town, ADA, "create Winter cup at lotus clock=3d/move")
    assert (
        "Winter cup (Lotus, clock=3d/move): 0 of 4 players have joined. To enter, write join Winter cup."
        in answered(town, ADA, "events")
    )
    for name in names[:3]:
        assert "You're in Winter cup. It begins when 4 players have joined" in answered(
            town, f"{name}@example.org", "join winter cup"
        )
    assert "You're no longer in Winter cup." in answered(town, ADA, "withdraw from Winter cup")
    assert "(3 so far)." in answered(town, ADA, "join the winter cup") + answered(town, ADA, "join Winter cup")
    assert "Winter cup hasn't begun." in answered(town, BEN, "standings Winter cup")
    joined = {mail["Subject"]: plain(mail) for mail in town.write("dana@example.org", "join Winter cup")}
    assert "Winter cup has begun.\n\nYou play all your matches at the same time" in joined.pop("Winter cup has begun")
    assert "it's being played" in next(iter(joined.values()))
    refused = answered(town, "eric@example.org", "join winter cup")
    assert "Winter cup has begun, so it's too late to enter it." in refused
    sweep(town.site)
    town.work()
    turns = [mail for mail in town.post() if "Lotus" in mail["Subject"]]
    assert len(turns) == 6, "only those who are to move get an email about a match"
    assert all("your move" in turn["Subject"] for turn in turns)
    assert all("Winter cup: a match has begun. " in plain(turn) for turn in turns)
    town.reply(turns[0], "k4")
    (second,) = [mail for mail in town.post() if "your move 2" in mail["Subject"]]
    named_first = plain(turns[0]).partition("You're playing ")[2].partition(".")[0]
    assert " ".join(plain(second).split()).startswith("Winter cup: a match has begun. ")
    assert f"is playing {named_first}. {named_first} played k4." in " ".join(plain(second).split())
    town.reply(second, "j4")
    turns[0] = next(mail for mail in town.post() if "your move 3" in mail["Subject"])
    assert "a match has begun" not in plain(turns[0])
    for turn in turns:
        town.reply(turn, "resign")
        (asked,) = [mail for mail in town.post() if "resign" in plain(mail) and mail["To"] == turn["To"]][:1]
        town.reply(asked, "yes")
        town.post()
    sweep(town.site)
    town.work()
    over = [mail for mail in town.post() if mail["Subject"] == "Winter cup is over"]
    assert len(over) == 4
    said = answered(town, ADA, "standings winter cup")
    assert "Winter cup, Lotus: place, player, points" in said
    assert "Ada" in said


def test_the_answer_about_an_event_says_who_may_enter_it(town: Town) -> None:
    named(town, ADA)
    assert "It's open to players rated 1300 to 1700." in answered(town, ADA, "create A cup at lotus rating=1300-1700")
    assert "write join A cup. It's open to players rated 1300 to 1700." in answered(town, ADA, "events")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("withdraw from Winter cup", "withdraw from"),
        ("Withdraw Winter Cup.", "withdraw from"),
        ("withdraw", "withdraw"),
        ("withdraw the draw", "withdraw"),
        ("standings Winter cup", "standings"),
    ],
)
def test_withdrawing_from_an_event_doesnt_withdraw_an_offer(text: str, name: str) -> None:
    command = command_lines.line(text).command
    assert command is not None
    assert command.name == name


def test_a_league_is_joined_left_and_shown_by_email_alone(town: Town) -> None:
    names = ("ada", "ben", "cleo", "dana", "emil", "fay", "gus")
    ids = [named(town, f"{name}@example.org") for name in names]
    events.found(town.site, ids[0], Plan("Winter league", "lotus", "3d/move", kind="league"))
    events.found(town.site, ids[0], Plan("", "go", "3d/move", kind="ladder"))
    events.found(town.site, ids[0], Plan("Grand tour", "go", "3d/move", kind="tour"))
    said = answered(town, ADA, "events")
    assert "Winter league (Lotus, clock=3d/move): 0 of 6 players have joined." in said
    assert "Go ladder (Go, clock=3d/move): being played by 0 players. To enter, write join Go ladder." in said
    assert "Grand tour (All games, clock=3d/move): 0 of 4 players have joined." in said
    for name in names[:6]:
        said = answered(town, f"{name}@example.org", "join lotus league")
    assert "You're in Winter league. It begins on Saturday 28 November" in said
    assert "You're no longer in Winter league." in answered(town, ADA, "withdraw from winter league")
    assert "Winter league hasn't begun. It begins on" in answered(town, ADA, "standings winter league")
    answered(town, ADA, "join winter league")
    town.now += timedelta(days=8)
    sweep(town.site)
    sweep(town.site)
    town.work()
    town.post()
    assert "Winter league, Lotus: place, player, points" in answered(town, BEN, "standings winter league")
    assert "You're in the next season of Winter league." in answered(town, "gus@example.org", "join winter league")
    assert "You've left Winter league. Your seats in its matches are offered" in answered(
        town, BEN, "withdraw from winter league"
    )
    assert "Which event do you mean?" in answered(town, BEN, "standings")


def test_of_many_events_that_may_be_meant_three_are_named(town: Town) -> None:
    ada, ben = named(town, ADA), named(town, BEN)
    for host, game in ((ada, "go"), (ada, "lotus"), (ben, "medusa"), (ben, "rosette")):
        events.join(town.site, events.found(town.site, host, Plan("", game, "3d/move", kind="ladder")), ada)
    said = " ".join(answered(town, ADA, "standings").split())
    ladders = "standings Rosette ladder or standings Medusa ladder or standings Lotus ladder"
    assert f"Which event do you mean? Write {ladders}, or events to see them all." in said
    answered(town, ADA, "withdraw from rosette ladder")
    ladders = "standings Medusa ladder or standings Lotus ladder or standings Go ladder"
    assert f"Write {ladders}." in " ".join(answered(town, ADA, "standings").split())


def test_the_standings_of_a_cup_that_was_ended_before_it_began_say_so(town: Town) -> None:
    ada = named(town, ADA)
    events.end(town.site, events.found(town.site, ada, Plan("Winter cup", "lotus", "3d/move")), ada, is_operator=False)
    said = answered(town, ADA, "standings Winter cup")
    assert "Winter cup was ended before it began." in said
    assert "players have joined" not in said


def test_nobody_is_invited_to_a_tour_of_which_no_game_is_left(town: Town) -> None:
    number = events.found(town.site, named(town, ADA), Plan("Grand tour", "go", "3d/move", kind="tour"))
    with town.site.transaction() as tx:
        event = tx.session.get_one(Event, number)
        event.state, event.part = "running", 1
    assert "To enter, write join Grand tour" not in answered(town, BEN, "events")
    with town.site.transaction() as tx:
        tx.session.get_one(Event, number).begins = town.now
    assert "To enter, write join Grand tour" in answered(town, BEN, "events")
