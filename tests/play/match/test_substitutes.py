"""Seats that change hands: what the substitute gets, and what stays private to the former player."""

from __future__ import annotations

from datetime import datetime, timedelta
from email.message import EmailMessage

import pytest

from service.mail.grammar.orders import parse
from service.play.accounts import identity
from service.play.accounts.programs import bot_accounts
from service.play.match import invitations, lobby
from service.play.match import substitutes as seats
from service.play.match.invitations import LobbyError
from service.play.match.lobby import Chair
from service.play.operations.sweep import sweep
from service.play.orders.submit import Incoming, submit
from service.play.outbox.unsubscribe import state
from service.play.pages import analysis, match_lists, match_page, profiles, records
from service.play.table import board_view
from service.play.talk import messages
from service.play.timekeeping import clocks
from service.render.orientation import Sight
from service.store.models import Match, Player, Seat
from service.store.tables.operators import Ban
from service.store.tables.pulse import Pulse
from tests.play.conftest import Town, plain
from tests.play.once import once
from tests.play.table.test_press import PEOPLE, heard, order, person, to

EVA = "eva@example.org"


@once
def table(town: Town, game: str = "multigo", clock: str = "7d/move", substitutes: bool | None = None) -> int:
    """A match of ada, ben, cleo and dana. Eva exists and has no seat."""
    with town.store.writing() as session:
        for name, address in (*PEOPLE.items(), ("eva", EVA)):
            identity.by_email(session, address, town.now).name = name
    chairs = [Chair("me"), *(Chair("email", address) for address in [*PEOPLE.values()][1:])]
    ada = person(town, "ada")
    match = lobby.open_match(town.site, ada, game, {"size": "5"}, chairs, clock, substitutes=substitutes)
    for name in ("ben", "cleo", "dana"):
        invitations.answer(town.site, match, person(town, name), True)
    town.work()
    return match


def eva(town: Town) -> int:
    with town.store.writing() as session:
        return identity.by_email(session, EVA, town.now).id


def page_of(town: Town, match: int, viewer: int | None) -> match_page.MatchPage:
    page = match_page.match_page(town.site, match, viewer)
    assert page is not None
    return page


def seat(town: Town, match: int, number: int) -> Seat:
    with town.store.reading() as session:
        return session.get_one(Match, match).seats[number]


def subjects(mails: list[EmailMessage]) -> dict[str, str]:
    return {name: str(mail["Subject"]).partition(": ")[2] for name, mail in to(mails).items()}


def test_the_link_in_an_email_about_a_seat_that_isnt_the_readers_says_that_it_stops_all_emails(town: Town) -> None:
    match = table(town)
    town.post()
    seats.offer(town.site, match, person(town, "cleo"), EVA)
    town.work()
    seats.join(town.site, match, eva(town))
    town.work()
    mails = {str(mail["Subject"]).partition(": ")[2]: mail for mail in town.post()}
    for subject in ("a seat is offered to you", "somebody else took your seat"):
        html = mails[subject].get_body(("html",))
        assert html is not None
        for text in (plain(mails[subject]), str(html.get_content())):
            assert ("Stop all emails" in text, "Stop emails about this match" in text) == (True, False), subject
        assert state(town.site, str(mails[subject]["List-Unsubscribe"]).strip("<>").rpartition("/")[2]).match == ""
    assert "Stop emails about this match" in plain(mails["Red has a new player"])


def test_a_player_of_another_match_can_take_over_a_seat(town: Town) -> None:
    match, stranger = table(town), eva(town)
    other = lobby.practise(town.site, stranger, "lotus")
    submit(town.site, Incoming("web:eva", other, 0, stranger, 1, parse("d4"), "web"))
    town.work()
    with town.store.reading() as session:
        assert session.get_one(Match, other).ply > 0
    seats.offer(town.site, match, person(town, "cleo"), "anybody")
    seats.join(town.site, match, stranger)
    assert seat(town, match, 2).player_id == stranger


def test_a_seat_is_offered_and_taken_over_by_email_and_played_to_the_end(town: Town) -> None:
    match = table(town)
    for name, move in (("ada", "c3"), ("ben", "b2")):
        order(town, match, name, move)
    old = to(town.post())["cleo"]
    (answer,) = town.write(PEOPLE["cleo"], f"match {match}\noffer seat")
    assert "Until then it's yours, and you keep playing." in plain(answer).replace("\n", " ")
    (games,) = town.write(EVA, "games")
    assert f"You can take over a seat in Multiplayer Go {match}" in plain(games)
    mails = to(town.write(EVA, f"join {match}\nhistory"))
    assert "1  Black  c3" in plain(mails.pop("eva"))
    assert subjects([*mails.values()]) == {
        "ada": "Red has a new player",
        "ben": "Red has a new player",
        "dana": "Red has a new player",
        "cleo": "somebody else took your seat",
    }
    assert "Red has a new player: eva." in plain(mails["ada"])
    town.reply(old, "d4")
    (refusal,) = town.post()
    assert "Somebody else has that seat now." in plain(refusal)
    assert "You played Red." in plain(refusal)
    for viewer in (eva(town), None):
        assert [entry.move for entry in page_of(town, match, viewer).entries] == ["c3", "b2", "substitute"]
    for name in ("ada", "ben", "dana"):
        order(town, match, name, "resign")
    with town.store.reading() as session:
        assert [one.score for one in session.get_one(Match, match).seats] == ["0", "0", "1", "0"]
    assert results(town, eva(town)) == (1, 0)
    assert results(town, person(town, "cleo")) == (0, 0)
    exported = [records.export(town.site, match, notation) for notation in page_of(town, match, None).notations]
    assert all(records.bring(town.site, eva(town), (text or "").encode()) for text in exported)


def results(town: Town, player: int) -> tuple[int, int]:
    profile = profiles.profile(town.site, player, None)
    assert profile is not None
    return sum(result.won for result in profile.results), sum(result.lost for result in profile.results)


def test_a_player_who_takes_over_a_seat_on_move_gets_its_turn_and_fresh_time(town: Town) -> None:
    match = table(town, clock="fischer 10d+1d cap 14d")
    town.now += timedelta(days=9)
    seats.offer(town.site, match, person(town, "ada"), "anybody")
    seats.join(town.site, match, eva(town))
    town.work()
    turn = to(town.post())["eva"]
    assert "your move 1 (Black is now yours)" in turn["Subject"]
    assert "You have 10 days" in plain(turn)
    taken = seat(town, match, 0)
    assert taken.since is not None
    assert taken.deadline == taken.since + timedelta(days=10)
    town.reply(turn, "c3")
    assert page_of(town, match, None).scene.pieces


@pytest.mark.parametrize("sealed", [False, True])
@pytest.mark.parametrize("late", [False, True])
def test_a_substitute_has_no_more_time_in_the_round_than_the_others(town: Town, sealed: bool, late: bool) -> None:
    """All have the same deadline, even if a sealed choice lapses with its player, or the round was extended."""
    match = table(town, "multigo-parallel", "2d/round, late extends")
    end = seat(town, match, 1).deadline
    assert end is not None
    if sealed:
        order(town, match, "ada", "c3")
    if late:
        pass_time(town, 2.1)
        end += timedelta(days=2)
    town.now += timedelta(days=1)
    seats.offer(town.site, match, person(town, "ada"), "anybody")
    seats.join(town.site, match, eva(town))
    assert (seat(town, match, 0).deadline, seat(town, match, 1).deadline) == (end, end)


@pytest.mark.parametrize(("offering", "said"), [("ada", "You've taken over this seat."), ("cleo", "fresh clock.")])
def test_the_first_email_to_a_substitute_names_the_other_players(town: Town, offering: str, said: str) -> None:
    match = table(town)
    if offering == "ada":  # Whose move is the second, too.
        for name, move in (("ada", "c3"), ("ben", "b2"), ("cleo", "d4"), ("dana", "e4")):
            order(town, match, name, move)
    town.post()
    seats.offer(town.site, match, person(town, offering), "anybody")
    seats.join(town.site, match, eva(town))
    town.work()
    text = " ".join(plain(to(town.post())["eva"]).split())
    others = {"ada": "Black", "ben": "White", "cleo": "Red", "dana": "Blue"}
    del others[offering]
    assert f"{said} You're playing with" in text
    assert all(f"{name} ({side})" in text for name, side in others.items())
    assert (offering == "ada") == ("e4" in text)


def test_emails_to_a_substitute_name_nobody_who_has_left_and_no_clock_without_one(town: Town) -> None:
    match = table(town, clock="none")
    order(town, match, "ada", "c3")
    order(town, match, "ben", "resign")
    town.post()
    for leaver, heir, said in (
        ("ada", EVA, "You're now playing Black. You're playing with cleo (Red) and dana (Blue)."),
        ("cleo", "fay@example.org", "You've taken over this seat. You're playing with eva (Black) and dana (Blue)."),
    ):
        with town.store.writing() as session:
            substitute = identity.by_email(session, heir, town.now).id
        seats.offer(town.site, match, person(town, leaver), heir)
        town.work()
        (offered,) = town.post()
        assert "and you'd see all its moves. There's no clock" in " ".join(plain(offered).split())
        seats.join(town.site, match, substitute)
        town.work()
        assert " ".join(plain(to(town.post())[heir.partition("@")[0]]).split()).startswith(said)


def test_a_seat_whose_time_has_just_run_out_gets_no_fresh_time(town: Town) -> None:
    """Its result is up to the sweep, which comes a little later."""
    match, stranger = table(town), eva(town)
    seats.offer(town.site, match, person(town, "ada"), "anybody")
    town.now += timedelta(days=7, seconds=1)
    with pytest.raises(LobbyError, match="The time for this turn has just run out"):
        seats.join(town.site, match, stranger)
    *_, refusal = town.write(EVA, f"join {match}")
    assert "The time for this turn has just run out." in plain(refusal)
    assert seat(town, match, 0).player_id == person(town, "ada")


def test_a_substitute_has_as_much_time_in_the_round_as_the_player_with_most(town: Town) -> None:
    match = table(town, "multigo-parallel", "2d/round, late extends")
    order(town, match, "ada", "c3")
    with town.store.writing() as session:
        row = session.get_one(Match, match)
        clocks.extend(session, row, row.seats[2], timedelta(days=1), town.now)
    seats.offer(town.site, match, person(town, "ada"), "anybody")
    seats.join(town.site, match, eva(town))
    deadlines = [seat(town, match, number).deadline for number in range(3)]
    assert deadlines[0] == deadlines[2] != deadlines[1]


@pytest.fixture
def handed_over(town: Town) -> int:
    """Ada has a sealed choice, a preference, whispers sent and heard, a note and a variation; then Eva takes over
    Black."""
    match = table(town, "multigo-parallel-coop")
    ada, ben = person(town, "ada"), person(town, "ben")
    order(town, match, "ben", "b2")
    order(town, match, "ada", "d4", "secret remark")
    order(town, match, "ada", "prefer red")
    messages.say(town.site, match, ada, "secret whisper", "web:1", [1])
    messages.say(town.site, match, ben, "secret answer", "web:2", [0])
    messages.say(town.site, match, ben, "for the table", "web:3")
    messages.keep_note(town.site, match, ada, "secret note")
    analysis.attempt(town.site, match, ada, 0, None, "e5")
    town.work()
    town.post()
    seats.offer(town.site, match, ada, "anybody")
    seats.join(town.site, match, eva(town))
    town.work()
    return match


def test_a_substitute_doesnt_get_what_was_private_to_the_former_player(town: Town, handed_over: int) -> None:
    match, mine = handed_over, eva(town)
    mails = to(town.post())
    assert "your move in round 1" in mails["eva"]["Subject"]
    page, public = page_of(town, match, mine), page_of(town, match, None)
    assert page.line.my_turn
    assert (page.scene.notes, page.scene.facts, page.scene.pieces) == (public.scene.notes, public.scene.facts, {})
    assert heard(town, match, None) == []
    conversation = messages.heard(town.site, match, mine)
    assert [line.text for line in conversation.lines] == ["for the table"]
    with town.store.reading() as session:
        told = messages.heard_since(session, mine, town.now - timedelta(days=1), 50)
        assert [saying.text for saying in told] == ["for the table"]
    assert conversation.note == ""
    study = analysis.study(town.site, match, mine, 0, None)
    assert study is not None
    assert study.tree == ()
    assert [heard(town, match, name) for name in ("ada", "ben")] == [
        [],
        ["secret whisper", "secret answer", "for the table"],
    ]
    for number, name in enumerate(("eva", "cleo", "dana")):
        order_by(
            town, match, person(town, name) if name != "eva" else mine, (0, 2, 3)[number], ("a1", "c1", "d1")[number]
        )
    page = page_of(town, match, mine)
    assert page.line.round == 2
    assert sorted(entry.move for entry in page.entries) == ["a1", "b2", "c1", "d1", "substitute"]
    for name in ("ben", "cleo", "dana"):
        order(town, match, name, "resign")
    assert "d4" not in [entry.move for entry in page_of(town, match, mine).entries]


def test_past_positions_dont_show_a_substitute_what_the_former_player_had_chosen(town: Town) -> None:
    match, mine = table(town, "multigo-parallel-coop"), eva(town)
    for name, text in (("ada", "prefer red"), ("ada", "a1"), ("ben", "b1"), ("cleo", "c1"), ("dana", "d1")):
        order(town, match, name, text)
    for name, text in (("ada", "d4"), ("ben", "b2")):
        order(town, match, name, text)
    seats.offer(town.site, match, person(town, "ada"), "anybody")
    seats.join(town.site, match, mine)
    order_by(town, match, mine, 0, "e5")
    for name, text in (("cleo", "c2"), ("dana", "d2")):
        order(town, match, name, text)
    shown = []
    for ply in range(page_of(town, match, mine).last + 1):
        page = match_page.match_page(town.site, match, mine, ply)
        study = analysis.study(town.site, match, mine, ply, None)
        assert page is not None
        assert study is not None
        for scene in (page.scene, study.draft.scene):
            assert "You prefer" not in dict(scene.facts)
            shown += [scene.board.names[cell] for cell, marks in scene.marks.items() if "ghost" in marks]
    assert {*shown} == {"e5"}


def order_by(town: Town, match: int, player: int, number: int, text: str) -> None:
    from service.mail.grammar.orders import parse
    from service.play.orders.submit import Incoming, submit

    submit(town.site, Incoming(f"web:{match}:{player}:{text}", match, number, player, None, parse(text), "web"))
    town.work()


def test_a_former_player_sees_only_what_everybody_sees(town: Town, handed_over: int) -> None:
    match = handed_over
    order_by(town, match, eva(town), 0, "e1")
    town.post()
    (answer,) = town.write(PEOPLE["ada"], f"match {match}\nshow\nd4\npreview a1\nsay to white: psst")
    board = plain(answer).partition("| show")[2].partition("X Black")[0]
    assert "1  . . . . . 1" in board
    assert not {"X", "["} & {*board}
    assert plain(answer).count(f"You have no seat in Parallel Cooperative Multiplayer Go {match}.") == 3


def test_answers_to_old_emails_reach_nobody_and_show_nothing(town: Town) -> None:
    match = table(town, "multigo-parallel")
    mails = to(town.post())
    messages.say(town.site, match, person(town, "ben"), "psst", "web:1", [0])
    town.work()
    whisper = to(town.post())["ada"]
    seats.offer(town.site, match, person(town, "ada"), EVA)
    seats.join(town.site, match, eva(town))
    order_by(town, match, eva(town), 0, "e1")
    town.work()
    town.post()
    town.reply(mails["ada"], "d4")
    (refusal,) = town.post()
    assert "Somebody else has that seat now." in plain(refusal)
    assert "sealed" not in plain(refusal)
    assert "X" not in plain(refusal).partition("X Black")[0]
    town.reply(whisper, "what now")
    (refusal,) = town.post()
    assert "You have no seat in" in plain(refusal)
    assert heard(town, match, "ben") == ["psst"]


def test_a_seat_offered_to_one_player_is_for_that_player_alone(town: Town) -> None:
    match = table(town)
    mails = to(town.write(PEOPLE["ada"], f"match {match}\noffer seat to {EVA}"))
    assert mails["eva"]["Subject"].endswith("a seat is offered to you")
    offered = " ".join(plain(mails["eva"]).split())
    assert "ada offers you a seat in this match: Black." in offered
    assert "You have 7 days for each move." in offered
    assert "If your first turn began now, it would last until" in offered
    assert "Players may talk to the whole table or to chosen players alone." in offered
    with town.store.writing() as session:
        other = identity.by_email(session, "finn@example.org", town.now).id
    with pytest.raises(LobbyError, match="This match has begun and has no open seat"):
        seats.join(town.site, match, other)
    assert match_lists.open_matches(town.site) == []
    with pytest.raises(LobbyError, match="already offered your seat to somebody today"):
        seats.offer(town.site, match, person(town, "ada"), "finn@example.org")
    town.reply(mails["eva"], "d4")
    assert "Somebody else has that seat now." in plain(to(town.post())["eva"])
    town.reply(mails["eva"], "OK!")
    assert seat(town, match, 0).player_id == eva(town)


def test_of_several_seats_on_offer_the_one_that_is_named_is_taken(town: Town) -> None:
    match = table(town)
    seats.offer(town.site, match, person(town, "ada"), "anybody")
    mails = to(town.write(PEOPLE["cleo"], f"match {match}\noffer seat to {EVA}"))
    with pytest.raises(LobbyError, match="That seat isn't on offer, but another one is"):
        seats.join(town.site, match, eva(town), 1)
    town.reply(mails["eva"], "accept")
    assert [seat(town, match, number).player_id == eva(town) for number in (0, 2)] == [False, True]


def test_a_substitute_doesnt_see_the_board_as_the_former_player_had_turned_it(town: Town) -> None:
    match = table(town)
    board_view.choose(town.site, person(town, "ada"), match, Sight(turned=True))
    seats.offer(town.site, match, person(town, "ada"), "anybody")
    seats.join(town.site, match, eva(town))
    assert not seat(town, match, 0).turned


def test_what_was_held_for_a_player_who_lost_the_seat_isnt_in_their_digest(town: Town) -> None:
    match = table(town)
    town.write(PEOPLE["ada"], "most 1")
    town.write(PEOPLE["ben"], f"match {match}\nsay Hello")
    town.post()
    seats.offer(town.site, match, person(town, "ada"), "anybody")
    seats.join(town.site, match, eva(town))
    town.work()
    town.post()
    town.now = town.now.replace(hour=18) + timedelta(days=1)
    sweep(town.site)
    town.work()
    (digest,) = (mail for mail in town.post() if mail["To"].addresses[0].addr_spec == PEOPLE["ada"])
    assert "message from" not in plain(digest)


def test_seats_that_cannot_change_hands(town: Town) -> None:
    fixed, match = table(town, substitutes=False), table(town)
    with pytest.raises(LobbyError, match="allow substitutes"):
        seats.offer(town.site, fixed, person(town, "ada"), "anybody")
    with pytest.raises(LobbyError, match="no seat in this match to offer"):
        seats.offer(town.site, match, eva(town), "anybody")
    with pytest.raises(LobbyError, match="The seat is already yours"):
        seats.offer(town.site, match, person(town, "ada"), PEOPLE["ada"])
    seats.offer(town.site, match, person(town, "ada"), "anybody")
    seats.join(town.site, match, person(town, "ben"))
    assert seat(town, match, 0).player_id == person(town, "ada")
    order(town, match, "ada", "c3")
    people = (person(town, "ada"), person(town, "ben"), eva(town), None)
    assert [lists(town, match, one) for one in people] == [False, False, True, True]
    seats.join(town.site, match, eva(town))
    seats.offer(town.site, match, person(town, "ben"), "anybody")
    assert [lists(town, match, one) for one in people] == [False, False, False, True]
    with pytest.raises(LobbyError, match="already played in this match"):
        seats.join(town.site, match, person(town, "ada"))
    seats.offer(town.site, match, person(town, "ben"), "")
    order(town, match, "cleo", "resign")
    with pytest.raises(LobbyError, match="no seat in this match to offer"):
        seats.offer(town.site, match, person(town, "cleo"), "anybody")


def test_players_and_their_bots_take_no_second_seat_in_a_match(town: Town) -> None:
    match, ada, ben = table(town), person(town, "ada"), person(town, "ben")
    bot, other = (bot_accounts.make(town.site, ada, name).id for name in ("Adabot", "Adabot 2"))
    order(town, match, "ada", "c3")
    seats.offer(town.site, match, ben, "anybody")
    with pytest.raises(LobbyError, match="owner or another of their bots"):
        seats.join(town.site, match, bot)
    seats.offer(town.site, match, ada, "anybody")
    seats.offer(town.site, match, ben, "")
    with pytest.raises(LobbyError, match="owner or another of their bots"):
        seats.join(town.site, match, other)
    assert [lists(town, match, one) for one in (bot, other, eva(town))] == [False, False, True]
    seats.join(town.site, match, eva(town))
    seats.offer(town.site, match, ben, "anybody")
    with pytest.raises(LobbyError, match="owner or another of their bots"):
        seats.join(town.site, match, bot)
    assert [lists(town, match, one) for one in (bot, ada)] == [False, False]


def test_an_owner_takes_no_seat_in_a_match_of_their_bot(town: Town) -> None:
    match, stranger = table(town), eva(town)
    seats.offer(town.site, match, person(town, "cleo"), "anybody")
    seats.join(town.site, match, bot_accounts.make(town.site, stranger, "Evabot").id)
    seats.offer(town.site, match, person(town, "dana"), "anybody")
    with pytest.raises(LobbyError, match="One of your bots"):
        seats.join(town.site, match, stranger)
    assert not lists(town, match, stranger)


def lists(town: Town, match: int, viewer: int | None) -> bool:
    """Whether the match is in this viewer's list of matches with an open seat."""
    return match in [line.id for line in match_lists.open_matches(town.site, viewer)]


def pass_time(town: Town, days: float) -> None:
    town.now += timedelta(days=days)
    with town.store.writing() as session:
        session.merge(Pulse(id=1, at=town.now))
    sweep(town.site)
    town.work()


def dawdle(town: Town, match: int, turns: int) -> None:
    """Ada misses this many turns; the others pass or place in time."""
    points = iter(f"{column}{row}" for row in (1, 3, 5) for column in "abcde")
    for _ in range(turns):
        pass_time(town, 3.1)
        for name in ("ben", "cleo", "dana"):
            if page_of(town, match, person(town, name)).line.my_turn:
                order(town, match, name, next(points))


def dropping_out(town: Town) -> int:
    match = table(town, "multigo-parallel", "3d/move, no vacation, late passes")
    town.post()
    dawdle(town, match, 3)
    return match


def test_a_player_who_misses_three_turns_may_be_replaced_and_after_six_is_out(town: Town) -> None:
    match = dropping_out(town)
    mails = [mail for mail in town.post() if "may be replaced" in mail["Subject"]]
    assert sorted(subjects(mails).values()) == [*["Black may be replaced"] * 3, "you may be replaced"]
    told = [plain(mail).replace("\n", " ") for mail in mails]
    assert sum("You've missed three turns in a row." in text for text in told) == 1
    assert [line.id for line in match_lists.open_matches(town.site)] == [match]
    dawdle(town, match, 3)
    assert [entry.move for entry in page_of(town, match, None).entries if entry.side == "black"][-1] == "timeout"
    assert match_lists.open_matches(town.site) == []
    assert seat(town, match, 0).sought is None


def test_a_player_who_comes_back_in_time_keeps_the_seat(town: Town) -> None:
    match = dropping_out(town)  # The others have chosen already, so Ada's order ends the round.
    order(town, match, "ada", "pass")
    assert match_lists.open_matches(town.site) == []
    with pytest.raises(LobbyError):
        seats.join(town.site, match, eva(town))


def test_the_substitute_for_an_absent_player_starts_without_missed_turns(town: Town) -> None:
    match = dropping_out(town)
    seats.join(town.site, match, eva(town))
    assert (seat(town, match, 0).missed, seat(town, match, 0).player_id) == (0, eva(town))
    pass_time(town, 3.1)
    assert seat(town, match, 0).missed == 1
    assert datetime.tzname(town.now) == "UTC"


def test_what_was_offered_before_a_seat_changed_hands_can_no_longer_be_accepted(town: Town) -> None:
    match = table(town)
    order(town, match, "ada", "pause until 24 December")
    assert [offer.kind for offer in page_of(town, match, person(town, "ben")).agreements.offers] == ["pause"]
    seats.offer(town.site, match, person(town, "ada"), "anybody")
    seats.join(town.site, match, eva(town))
    for name in ("ben", "cleo", "dana"):
        assert page_of(town, match, person(town, name)).agreements.offers == ()
        order(town, match, name, "accept pause")
    assert page_of(town, match, None).agreements.paused_until is None


def test_a_standing_order_of_the_former_player_isnt_played_for_the_substitute(town: Town) -> None:
    match = table(town, "multigo-parallel", "3d/move, no vacation, late passes")
    order(town, match, "ada", "standing e5")
    seats.offer(town.site, match, person(town, "ada"), "anybody")
    seats.join(town.site, match, eva(town))
    assert page_of(town, match, eva(town)).standing == ""
    for name, point in (("ben", "a1"), ("cleo", "b1"), ("dana", "c1")):
        order(town, match, name, point)
    pass_time(town, 3.1)
    entries = page_of(town, match, None).entries
    assert [entry.move for entry in entries if entry.side == "black"] == ["substitute", "late"]


def test_the_substitute_in_an_anonymous_match_is_not_named(town: Town) -> None:
    match = table(town)
    with town.store.writing() as session:
        session.get_one(Match, match).press = "private anonymous"
    seats.offer(town.site, match, person(town, "ada"), EVA)
    town.work()
    assert "ada" not in plain(to(town.post())["eva"])
    seats.join(town.site, match, eva(town))
    town.work()
    assert "eva" not in plain(to(town.post())["ben"])
    with town.store.reading() as session:
        assert session.get_one(Player, eva(town)).name == "eva"


def test_who_is_out_of_a_match_offers_nothing_and_undoes_nothing_before_it(town: Town) -> None:
    match = table(town)
    order(town, match, "ada", "c3")
    order(town, match, "ben", "resign")
    assert refusal(town, match, "ben", "pause 3d") == "You're no longer playing in this match."
    why = "Somebody has left the match since your last move, so it can't be taken back."
    assert refusal(town, match, "ada", "takeback") == why


def refusal(town: Town, match: int, name: str, text: str) -> str:
    """Why an order is refused."""
    own = next(one.number for one in (seat(town, match, n) for n in range(4)) if one.player_id == person(town, name))
    key = f"web:{town.now}:{text}"
    submit(town.site, Incoming(key, match, own, person(town, name), None, parse(text), "web"))
    town.work()
    verdict = match_page.verdict(town.site, key, person(town, name))
    assert verdict is not None
    assert verdict.state == "refused"
    return verdict.message


def test_a_banned_player_takes_no_seat_that_they_were_offered(town: Town) -> None:
    match = table(town)
    seats.offer(town.site, match, person(town, "ada"), EVA)
    town.work()
    offered = to(town.post())["eva"]
    with town.store.writing() as session:
        session.add(Ban(player_id=eva(town), made=town.now, until=None, reason="Insults."))
    town.reply(offered, "accept")
    assert "The reason: Insults." in " ".join(plain(to(town.post())["eva"]).split())
    assert seat(town, match, 0).player_id == person(town, "ada")


def test_a_player_at_the_table_takes_no_second_seat(town: Town) -> None:
    match = table(town)
    seats.offer(town.site, match, person(town, "ada"), "anybody")
    with pytest.raises(LobbyError, match="You already have a seat in this match"), town.site.transaction() as tx:
        seats.take(tx, match, person(town, "ben"))
    with pytest.raises(LobbyError, match="There's no such match"):
        seats.offer(town.site, match + 1, person(town, "ada"), "anybody")
