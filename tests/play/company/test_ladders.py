"""Ladders: who a player may challenge, what a result does to the order, and how a player leaves."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from sqlalchemy import select

from service.play.accounts import deletion
from service.play.company import event_matches, event_pages, events, ladders
from service.play.company.events import EventError, Plan
from service.play.match import lobby
from service.play.match.lobby import Chair, Proposal
from service.play.talk import moderation
from service.store.models import Match, Player, TimeOff
from service.store.tables.events import Entrant, EventSeat
from tests.play.company.test_cups import order, running
from tests.play.company.test_leagues import named, said
from tests.play.conftest import Town

NAMES = tuple("abcdefghijklm")


def ladder(town: Town, names: tuple[str, ...] = NAMES, game: str = "lotus") -> dict[str, int]:
    """A ladder with these players, the first at the top. Returns their ids."""
    ids = {name: named(town, name) for name in names}
    events.found(town.site, ids[names[0]], Plan("", game, "3d/move", kind="ladder"))
    for name in names:
        events.join(town.site, 1, ids[name])
    return ids


def challenge(town: Town, ids: dict[str, int], one: str, other: str) -> int:
    """Begins a challenge and returns its match."""
    before = {*running(town)}
    ladders.challenge(town.site, 1, ids[one], ids[other])
    event_matches.look_after(town.site)
    (match_id,) = {*running(town)} - before
    return match_id


def end(town: Town, ids: dict[str, int], match_id: int, winner: str | None, how: str = "resignation") -> None:
    """Ends a match for one of the two, or as a draw."""
    with town.store.writing() as session:
        match = session.get_one(Match, match_id)
        match.state, match.reason = "over", how
        for seat in match.seats:
            seat.score = "1/2" if winner is None else "1" if seat.player_id == ids[winner] else "0"
            seat.deadline, seat.to_move = None, False
            if how == "time" and seat.score == "0":
                entry = Match.metadata.tables["entry"].insert()
                match.ply += 1
                row = {"match_id": match_id, "ply": match.ply, "seat": seat.number, "move": "timeout", "round": 1}
                session.execute(entry.values(**row, private=False, fate="", remark="", played=town.now))
    event_matches.look_after(town.site)


def places(town: Town) -> str:
    """The first letters of the names on the ladder, from the top."""
    with town.store.reading() as session:
        found = select(Player.name).join(Entrant, Entrant.player_id == Player.id).where(Entrant.place.is_not(None))
        names = "".join(name[0] for name in session.scalars(found.order_by(Entrant.place))).lower()
        numbers = session.scalars(select(Entrant.place).where(Entrant.place.is_not(None)).order_by(Entrant.place)).all()
    assert list(numbers) == list(range(1, len(names) + 1))
    return names


def vacation(town: Town, player_id: int) -> None:
    """Gives the player a day of vacation from now."""
    with town.store.writing() as session:
        day = {"begins": town.now, "ends": town.now + timedelta(days=1), "player_id": player_id}
        session.add(TimeOff(key=f"vacation:{player_id}:{town.now.isoformat()}", **day))


def waiting_match(town: Town, player_id: int, other_id: int, game: str = "go") -> None:
    """A match that isn't a challenge and waits for the first of the two."""
    chairs = [Chair("paired", player_id=player_id), Chair("paired", player_id=other_id)]
    with town.site.transaction() as tx:
        lobby.set_up(tx, player_id, Proposal(game, {}, chairs, "3d/move"))


def test_each_game_has_one_ladder_that_runs_at_once(town: Town) -> None:
    ladder(town, ("a", "b"))
    assert places(town) == "ab"
    with pytest.raises(EventError, match="There's already an event called Lotus ladder"):
        events.found(town.site, named(town, "c"), Plan("", "lotus", "1d/move", kind="ladder"))


def test_a_ladder_is_open_to_everybody_with_limits_on_clocks_and_founders(town: Town) -> None:
    ada = named(town, "ada")
    for plan, why in (
        (Plan("", "lotus", "3d/move", lowest=9000, kind="ladder"), "Everybody can join a ladder or a tour"),
        (Plan("", "lotus", "22d/move", kind="ladder"), "can give players up to 21 days for a move"),
        (Plan("", "lotus", "fischer 1d+30d", kind="ladder"), "can give players up to 21 days for a move"),
        (Plan("", "lotus", "11d/move, late extends", kind="ladder"), "can give players up to 21 days for a move"),
    ):
        with pytest.raises(EventError) as refused:
            events.found(town.site, ada, plan)
        assert why in str(refused.value)
    for game, clock in (("lotus", "fischer 14d+2d cap 21d"), ("rosette", "10d/move, late extends")):
        events.found(town.site, ada, Plan("", game, clock, kind="ladder"))
    with pytest.raises(EventError, match="You've created 2 ladders"):
        events.found(town.site, ada, Plan("", "go", "3d/move", kind="ladder"))


def test_the_name_of_an_event_that_was_ended_can_be_used_again(town: Town) -> None:
    ids = ladder(town, ("a", "b"))
    events.end(town.site, 1, ids["a"], is_operator=True)
    with town.store.reading() as session:
        assert events.named(session, "Lotus ladder").id == 1
    for plan in (Plan("", "lotus", "1d/move", kind="ladder"), Plan("Winter cup", "go", "1d/move")):
        number = events.found(town.site, ids["b"], plan)
        with town.store.reading() as session:
            assert events.named(session, plan.name or "Lotus ladder").id == number
        events.end(town.site, number, ids["b"], is_operator=True)
        assert events.found(town.site, ids["a"], plan) > number


@pytest.mark.parametrize(
    ("challenger", "challenged", "winner", "then"),
    [
        ("b", "a", "b", "bacdefghijklm"),
        ("e", "a", "e", "baecdfghijklm"),
        ("k", "a", "k", "bacdekfghijlm"),
        ("e", "a", "a", "abcdfeghijklm"),
        ("e", "a", None, "abcdefghijklm"),
        ("m", "l", "l", "abcdefghijklm"),
    ],
)
def test_a_winner_climbs_half_the_distance_and_a_loser_falls_by_one(
    town: Town, challenger: str, challenged: str, winner: str | None, then: str
) -> None:
    ids = ladder(town)
    end(town, ids, challenge(town, ids, challenger, challenged), winner)
    assert places(town) == then


def test_a_challenge_played_by_orders_changes_the_places(town: Town) -> None:
    ids = ladder(town, ("a", "b"))
    match_id = challenge(town, ids, "b", "a")
    with town.store.reading() as session:
        match = session.get_one(Match, match_id)
        assert (match.state, match.game, match.rated, match.substitutes) == ("running", "lotus", True, False)
        seat = next(seat.number for seat in match.seats if seat.player_id == ids["a"])
    order(town, match_id, seat, "resign")
    event_matches.look_after(town.site)
    assert places(town) == "ba"
    with town.store.reading() as session:
        led = session.execute(select(EventSeat.player_id, EventSeat.place)).all()
    assert {(player_id, place) for player_id, place in led} == {(ids["b"], 1), (ids["a"], 2)}


def test_the_player_who_has_had_the_first_seat_less_often_gets_it(town: Town) -> None:
    ids = ladder(town, ("a", "b", "c"))
    firsts = []
    for one, other in (("b", "a"), ("c", "a"), ("c", "b")):
        match_id = challenge(town, ids, one, other)
        with town.store.reading() as session:
            firsts.append(session.get_one(Match, match_id).seats[0].player_id)
        end(town, ids, match_id, None)
    assert firsts == [ids["a"], ids["c"], ids["b"]]


WRONG: dict[str, tuple[Callable[[Town, dict[str, int]], object], str, str, str]] = {
    "herself": (
        lambda _town, _ids: None,
        "b",
        "b",
        "You can't challenge yourself.",
    ),
    "below": (
        lambda _town, _ids: None,
        "b",
        "c",
        "above you on the Lotus ladder. C isn't one of them.",
    ),
    "too far": (lambda _town, _ids: None, "m", "a", "up to 10 places above you"),
    "again": (
        lambda town, ids: challenge(town, ids, "c", "a"),
        "c",
        "a",
        "You're already playing A on the Lotus ladder",
    ),
    "a third": (
        lambda town, ids: [challenge(town, ids, "d", other) for other in "ab"],
        "d",
        "c",
        "You have two challenges running",
    ),
    "a third by others": (
        lambda town, ids: [challenge(town, ids, one, "a") for one in "bc"],
        "d",
        "a",
        "A has been challenged twice already",
    ),
    "left": (lambda town, ids: events.withdraw(town.site, 1, ids["a"]), "b", "a", "A isn't on the Lotus ladder"),
    "not on it": (
        lambda town, ids: events.withdraw(town.site, 1, ids["b"]),
        "b",
        "a",
        "You aren't on the Lotus ladder",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_challenge_that_cannot_be_made_says_why(town: Town, name: str) -> None:
    ids = ladder(town)
    prepare, one, other, why = WRONG[name]
    prepare(town, ids)
    with pytest.raises(EventError) as refused:
        ladders.challenge(town.site, 1, ids[one], ids[other])
    assert why in str(refused.value)


def test_a_player_may_have_two_challenges_made_and_two_received_at_once(town: Town) -> None:
    ids = ladder(town, tuple("abcde"))
    for one, other in (("c", "a"), ("c", "b"), ("d", "c"), ("e", "c")):
        challenge(town, ids, one, other)
    assert len(running(town)) == 4


def test_a_blocked_player_can_challenge_the_one_who_blocked_them(town: Town) -> None:
    ids = ladder(town, tuple("ab"))
    moderation.set_block(town.site, ids["a"], ids["b"], blocked=True)
    c = named(town, "c")
    moderation.set_block(town.site, ids["a"], c, blocked=True)
    events.join(town.site, 1, c)
    match_id = challenge(town, ids, "b", "a")
    end(town, ids, match_id, "b")
    assert places(town) == "bac"


def test_a_player_on_vacation_cannot_challenge_or_be_challenged_and_keeps_their_place(town: Town) -> None:
    ids = ladder(town, tuple("abcdef"))
    match_id = challenge(town, ids, "d", "a")
    for name, other in (("e", "c"), ("b", "c")):
        waiting_match(town, ids[name], ids[other])
        vacation(town, ids[name])
    end(town, ids, match_id, "d")
    assert places(town) == "cbdaef"
    with pytest.raises(EventError, match="B is on vacation and can't be challenged"):
        ladders.challenge(town.site, 1, ids["d"], ids["b"])
    with pytest.raises(EventError, match="Once you've moved there"):
        ladders.challenge(town.site, 1, ids["e"], ids["c"])
    town.now += timedelta(days=2)
    ladders.challenge(town.site, 1, ids["e"], ids["b"])


def test_a_vacation_that_began_elsewhere_doesnt_save_a_place_that_is_lost(town: Town) -> None:
    ids = ladder(town, tuple("abc"))
    match_id = challenge(town, ids, "b", "a")
    waiting_match(town, ids["a"], ids["c"])
    vacation(town, ids["a"])
    end(town, ids, match_id, "b")
    assert places(town) == "bac"


def test_the_ladder_doesnt_show_a_vacation_that_no_match_shows(town: Town) -> None:
    """In a secret round it would show who hasn't chosen yet."""
    ids = ladder(town, tuple("abc"))
    waiting_match(town, ids["a"], ids["b"], "multigo-parallel")
    vacation(town, ids["a"])
    ladders.challenge(town.site, 1, ids["b"], ids["a"])
    with town.store.reading() as session:
        event = events.named(session, "lotus ladder")
        assert ladders.rungs(session, event, town.now).away == frozenset()


def test_a_player_who_loses_on_time_is_off_the_ladder_until_they_finish_a_match_in_time(town: Town) -> None:
    ids = ladder(town, tuple("abcd"))
    other = challenge(town, ids, "c", "a")
    end(town, ids, challenge(town, ids, "b", "a"), "b", "time")
    assert places(town) == "bcda"  # A still plays C.
    with pytest.raises(EventError, match="A isn't on the Lotus ladder"):
        ladders.challenge(town.site, 1, ids["d"], ids["a"])
    end(town, ids, other, "a")
    assert places(town) == "bdc"
    with pytest.raises(EventError, match="once you've finished 1 rated match without"):
        events.join(town.site, 1, ids["a"])


def test_a_player_who_leaves_keeps_their_place_until_their_matches_are_over(town: Town) -> None:
    ids = ladder(town, tuple("abcd"))
    match_id = challenge(town, ids, "c", "a")
    events.withdraw(town.site, 1, ids["a"])
    assert places(town) == "abcd"
    with pytest.raises(EventError, match="You're leaving the Lotus ladder"):
        events.join(town.site, 1, ids["a"])
    end(town, ids, match_id, "c")
    assert places(town) == "bcd"
    events.join(town.site, 1, ids["a"])
    assert places(town) == "bcda"
    events.withdraw(town.site, 1, ids["b"])
    assert places(town) == "cda"


def test_a_player_who_deletes_their_account_is_off_the_ladder(town: Town) -> None:
    """At once if they have no match there, and otherwise once it is over, like anybody who leaves."""
    ids = ladder(town, tuple("abcd"))
    challenge(town, ids, "d", "b")
    for name in "ab":
        deletion.leave(town.site, ids[name])
    with pytest.raises(EventError, match="A former player isn't on the Lotus ladder"):
        ladders.challenge(town.site, 1, ids["c"], ids["a"])
    event_matches.look_after(town.site)
    assert places(town) == "acd"  # The first is B, who is now A former player.
    with pytest.raises(EventError, match="A former player isn't on the Lotus ladder"):
        ladders.challenge(town.site, 1, ids["c"], ids["b"])
    town.work()
    event_matches.look_after(town.site)
    assert places(town) == "cd"


def test_a_challenge_that_cannot_start_is_dropped(town: Town) -> None:
    ids = ladder(town, tuple("ab"))
    ladders.challenge(town.site, 1, ids["b"], ids["a"])
    with town.store.writing() as session:
        session.get_one(Player, ids["a"]).left = town.now
    event_matches.look_after(town.site)
    assert (running(town), places(town)) == ([], "b")


def test_an_ended_ladder_has_no_challenges(town: Town) -> None:
    ids = ladder(town, tuple("ab"))
    with pytest.raises(EventError, match="Only an operator"):
        events.end(town.site, 1, ids["a"], is_operator=False)
    events.end(town.site, 1, ids["a"], is_operator=True)
    with pytest.raises(EventError, match="There's no such ladder"):
        ladders.challenge(town.site, 1, ids["b"], ids["a"])


def by_mail(town: Town, name: str, text: str) -> str:
    (mail,) = [mail for mail in town.write(f"{name}@example.org", text) if mail["Subject"].startswith("Re:")]
    return said(mail)


def test_a_ladder_is_climbed_by_email_alone(town: Town) -> None:
    ids = ladder(town, tuple("abc"))
    with town.store.writing() as session:
        session.get_one(Player, ids["a"]).post = "instant"
    assert "You're on the Lotus ladder. To see who you can challenge, write standings" in by_mail(
        town, "dora", "join lotus ladder"
    )
    table = by_mail(town, "c", "standings lotus ladder")
    assert "1. A 2. B 3. C" in table
    assert "You can challenge B and A. For example, write challenge B Lotus ladder." in table
    mails = {mail["Subject"]: mail for mail in town.write("c@example.org", "challenge a ladder")}
    assert "You've challenged A on the Lotus ladder. Your match begins within a minute" in said(mails["Re: your email"])
    mail = mails["Lotus ladder: C challenges you"]
    assert "A challenge can't be declined, but you can leave" in said(mail)
    assert "You're already playing A on the Lotus ladder." in by_mail(town, "c", "challenge a lotus ladder")
    assert "You can challenge players up to 10 places above you" in by_mail(town, "a", "challenge c ladder")
    for text in ("decline", "No, thank you.", "accept", "Yes!"):
        town.reply(mail, text)
        (answer,) = [mail for mail in town.post() if mail["Subject"].startswith("Re:")]
        assert "There's nothing to accept or decline in Lotus ladder." in said(answer)
    town.reply(mail, "withdraw")
    (answer,) = [mail for mail in town.post() if mail["Subject"].startswith("Re:")]
    assert "Please finish your matches there." in said(answer)
    assert "You're off the Lotus ladder." in by_mail(town, "b", "withdraw from lotus ladder")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("challenge", "Write the player's name and the ladder, for example: challenge Ada Medusa ladder."),
        ("challenge c ladder", "You can't challenge yourself."),
        ("challenge b on the lotus ladder", "You've challenged B on the Lotus ladder."),
        ("challenge b on the ladder", "You've challenged B on the Lotus ladder."),
        ("challenge b the Lotus ladder", "You've challenged B on the Lotus ladder."),
        ("standings the Lotus ladder", "1. A 2. B 3. C"),
        ("withdraw from the lotus ladder", "You're off the Lotus ladder."),
        ("standings", "1. A 2. B 3. C"),
        ("withdraw", "Which event do you mean? Write withdraw from Lotus ladder."),
        ("join", "Write the number of the match, for example join 12."),
        ("challenge b", "Write the player's name and the ladder"),
        ("challenge zoe ladder", "There's no player called zoe here. To see who you can challenge, write standings"),
        ("challenge b rosette ladder", "You aren't on the Rosette ladder. Join it first."),
        (
            "challenge b go ladder",
            "There's no Go ladder. To create one, write create Go ladder.",
        ),
        ("challenge dora ladder", "You and Dora aren't on the same ladder."),
    ],
)
def test_the_error_about_a_challenge_by_email_says_how_to_write_it(town: Town, text: str, why: str) -> None:
    ids = ladder(town, tuple("abc"))
    dora = named(town, "dora")
    other = events.found(town.site, dora, Plan("", "rosette", "3d/move", kind="ladder"))
    for player in (ids["b"], dora):
        events.join(town.site, other, player)
    assert why in by_mail(town, "c", text)


def test_a_challenger_with_several_common_ladders_names_one(town: Town) -> None:
    ids = ladder(town, tuple("abc"))
    other = events.found(town.site, ids["b"], Plan("", "rosette", "3d/move", kind="ladder"))
    for name in "bc":
        events.join(town.site, other, ids[name])
    assert (
        "You and B are on several ladders. Please name one: challenge B Lotus ladder or challenge B Rosette ladder."
        in by_mail(town, "c", "challenge b ladder")
    )
    assert "You've challenged B on the Rosette ladder." in by_mail(town, "c", "challenge b rosette ladder")


def test_nobody_is_challenged_who_does_not_exist(town: Town) -> None:
    ids = ladder(town, tuple("ab"))
    with pytest.raises(EventError, match="There's no such player on the Lotus ladder"):
        ladders.challenge(town.site, 1, ids["b"], 99)
    assert running(town) == []


def test_nobody_can_be_challenged_on_a_ladder_that_was_ended(town: Town) -> None:
    ids = ladder(town, tuple("abc"))
    events.end(town.site, 1, ids["a"], is_operator=True)
    page = event_pages.page(town.site, 1, ids["c"])
    assert page is not None
    assert page.open_to == ()
