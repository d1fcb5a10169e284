"""Agreements: one player offers, all others agree, and until then nothing happens."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.message import EmailMessage

import pytest
from sqlalchemy import select

from service.bots.roster import OPPONENTS
from service.mail.grammar import command_words
from service.play.accounts import deletion, identity
from service.play.match import invitations, lobby, rematch, substitutes
from service.play.match.lobby import Chair
from service.play.pages import analysis, match_page
from service.play.table import replay
from service.play.table.log import that_stand, visible_entries
from service.play.talk import messages
from service.play.timekeeping import late_turns
from service.play.timekeeping.extra_time import PAUSE
from service.store.models import Entry, Match, Player, Seat, TimeOff
from service.store.tables.operators import Ban
from tests.cases import cases
from tests.play.conftest import Town, plain
from tests.play.orders.test_conditional import send
from tests.play.timekeeping.test_clocks import DAY, HOUR, MINUTE, begin, deadline, log, order, player, swept, to_move

PILLARS = "pillars"


def page(town: Town, match: int, viewer: int | None) -> match_page.MatchPage:
    found = match_page.match_page(town.site, match, viewer)
    assert found is not None
    return found


def told(town: Town) -> list[tuple[str, str]]:
    """The recipient and subject of each email since the last look."""
    return [(mail["To"].addresses[0].username, mail["Subject"].partition(": ")[2]) for mail in town.post()]


def flat(mail: EmailMessage) -> str:
    """Its text in one line."""
    return " ".join(plain(mail).split())


def sent(town: Town, player_id: int, match: int, seat: int, *texts: str) -> list[str | None]:
    return [send(town, player_id, match, seat, text) for text in texts]


# ---- pauses with impossible ends


@pytest.mark.parametrize("until", ["2026-13-45t00:00:00+00:00", "2026-12-24t99:99+00:00", "0001-01-01", "9999-12-31"])
def test_a_pause_until_an_impossible_time_is_refused(town: Town, until: str, caplog: pytest.LogCaptureFixture) -> None:
    ada, _, match = begin(town, "3d/move")
    with town.store.writing() as session:
        session.get_one(Player, ada).zone = "Asia/Tokyo"
    assert send(town, ada, match, 0, f"pause until {until}") == "refused"
    assert [record.message for record in caplog.records if record.levelname == "ERROR"] == []


@pytest.mark.parametrize(("days", "verdict"), [(90, "accepted"), (91, "refused")])
def test_a_pause_ends_within_90_days(town: Town, days: int, verdict: str) -> None:
    ada, _, match = begin(town, "3d/move")
    until = town.now + timedelta(days=days)
    assert send(town, ada, match, 0, f"pause until {until:%Y-%m-%dt%H:%M+00:00}") == verdict


# ---- takebacks


def test_a_move_is_taken_back_when_the_other_agrees_and_the_log_keeps_it(town: Town) -> None:
    ada, ben, match = begin(town, "3d/move")
    sent(town, ada, match, 0, "g10")
    before = page(town, match, None).scene
    sent(town, ben, match, 1, "e10")
    town.post()
    assert sent(town, ben, match, 1, "takeback") == ["accepted"]
    assert told(town) == [("ada", "can the last move be taken back?")]
    assert log(town, match)[-1] == (1, "e10")
    assert page(town, match, None).agreements.offers == ()
    assert sent(town, ada, match, 0, "accept") == ["accepted"]
    (turn,) = town.post()
    assert turn["Subject"].endswith(": your move 4 (you took the last move back)")
    assert plain(turn).startswith(
        "You took the last move back.\nThe board is as it was after this: Black played g10.\n"
    )
    assert to_move(town, match) == [1]
    now = page(town, match, None)
    assert now.scene == before
    assert [(entry.move, entry.undone) for entry in now.entries] == [("g10", False), ("e10", True), ("takeback", False)]
    assert sent(town, ben, match, 1, "e9") == ["accepted"]
    replay.forget()
    with town.store.reading() as session:
        row = session.get_one(Match, match)
        boards = [replay.position(session, row, ply).occupants for ply in range(5)]
    assert boards[1:] == [
        {"g10": "black"},
        {"g10": "black", "e10": "white"},
        {"g10": "black"},
        {"g10": "black", "e9": "white"},
    ]


def test_a_takeback_after_the_opponents_answer_takes_back_both_moves(town: Town) -> None:
    ada, ben, match = begin(town, "none")
    sent(town, ada, match, 0, "g10")
    sent(town, ben, match, 1, "e10")
    for row in (10, 9):
        town.post()
        sent(town, ada, match, 0, "takeback")
        (offer,) = town.post()
        assert offer["Subject"] == f"Rosette {match}: can the last 2 moves be taken back?"
        assert f"Black asks to take back g{row} and your e{row}." in plain(offer)
        (shown,) = page(town, match, ben).agreements.offers
        assert [side for side, _move in shown.taken] == ["Black", "White"]
        assert sent(town, ben, match, 1, "takeback") == ["accepted"]
        assert page(town, match, None).scene.pieces == {}
        (told_back,) = town.post()
        assert told_back["Subject"].endswith("(you took the last 2 moves back)")
        assert plain(told_back).startswith("You took the last 2 moves back.\n")
        sent(town, ada, match, 0, "g9")
        sent(town, ben, match, 1, "e9")
    replay.forget()
    assert {entry.move for entry in page(town, match, None).entries if not entry.undone} == {"g9", "e9", "takeback"}
    assert len(page(town, match, None).scene.pieces) == 2


def test_the_preview_of_an_answer_doesnt_check_it_as_a_question(town: Town) -> None:
    ada, ben, match = begin(town, "none")
    sent(town, ada, match, 0, "g10")
    sent(town, ada, match, 0, "takeback")
    assert match_page.preview(town.site, match, ben, "takeback").deed == "offer takeback"


def test_clocks_are_set_back_to_when_the_turn_began(town: Town) -> None:
    ada, ben, match = begin(town, "fischer 10d+1d")
    swept(town, 2 * DAY)
    sent(town, ada, match, 0, "g10")
    swept(town, 3 * DAY)
    sent(town, ada, match, 0, "takeback")
    sent(town, ben, match, 1, "takeback")
    end = deadline(town, match, 0)
    assert end is not None
    assert timedelta() <= town.now - (end - 10 * DAY) < MINUTE
    with town.store.reading() as session:
        waiting = session.get_one(Seat, (match, 1))
    assert waiting.budget is not None
    assert (waiting.budget["main"], waiting.deadline) == (10 * 86400, None)


def test_time_given_after_the_move_that_is_taken_back_is_gone_with_it(town: Town) -> None:
    ada, ben, match = begin(town, "fischer 10d+1d")
    sent(town, ada, match, 0, "g10")
    sent(town, ben, match, 1, "e10", "extend 2d")
    given = deadline(town, match, 0)
    assert given is not None
    assert given > town.now + 12 * DAY
    sent(town, ada, match, 0, "takeback")
    sent(town, ben, match, 1, "accept takeback")
    again = deadline(town, match, 0)
    assert again is not None
    assert town.now + 10 * DAY - MINUTE < again <= town.now + 10 * DAY


@pytest.mark.parametrize("late", [0, 1])
def test_a_takeback_ends_the_extension_of_a_late_turn(town: Town, late: int) -> None:
    ada, ben, match = begin(town, "3d/move, no vacation, late extends")
    if late == 1:
        sent(town, ada, match, 0, "g10")
    swept(town, 3 * DAY + MINUTE)
    assert late_sides(town, match) == {late}
    if late == 0:
        sent(town, ada, match, 0, "g10")
    sent(town, ada, match, 0, "takeback")
    sent(town, ben, match, 1, "accept takeback")
    assert late_sides(town, match) == set()
    if late == 1:
        sent(town, ada, match, 0, "g12")
        assert late_sides(town, match) == set()
    end = deadline(town, match, late)
    assert end is not None
    assert end <= town.now + 3 * DAY
    swept(town, 3 * DAY + MINUTE)
    assert late_sides(town, match) == {late}


def late_sides(town: Town, match: int) -> set[int]:
    """The seats that everybody knows to be late."""
    with town.store.reading() as session:
        found = session.get_one(Match, match)
        return late_turns.known(session, found, replay.position(session, found))


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["takeback"], "You haven't moved yet, so there's nothing to take back."),
        (["accept takeback"], "Nobody is asking you for a takeback now."),
        (["resume"], "Play hasn't ended yet, and resume is for the end."),
        (["withdraw"], "You have no open offer to withdraw."),
        (["pause until yesterday"], "'until yesterday' isn't a date."),
        (
            ["pause until 2031-01-01"],
            "A pause must end in the future and within 90 days",
        ),
    ],
)
def test_orders_that_make_no_sense_are_refused(town: Town, texts: list[str], message: str) -> None:
    ada, _, match = begin(town, "3d/move")
    for text in texts:
        key = f"web:{town.now}:0:{text}"
        order(town, ada, match, 0, text)
        town.work()
    verdict = match_page.verdict(town.site, key, ada)
    assert verdict is not None
    assert verdict.state == "refused"
    assert verdict.message.startswith(message)


@pytest.mark.parametrize("game", ["pillars", "go"])
def test_resume_in_a_pause_of_play_is_answered_with_the_words_that_end_it(town: Town, game: str) -> None:
    ada, ben, match = begin(town, "3d/move", game)
    sent(town, ada, match, 0, "pause")
    sent(town, ben, match, 1, "accept")
    key = f"web:{town.now}:0:resume"
    order(town, ada, match, 0, "resume")
    town.work()
    verdict = match_page.verdict(town.site, key, ada)
    assert verdict is not None
    assert verdict.message == "The match is paused. To ask the others to end the pause, write resume play."


def test_a_takeback_offer_lapses_with_the_next_move_and_cannot_be_repeated_after_a_refusal(town: Town) -> None:
    ada, ben, match = begin(town, "3d/move")
    sent(town, ada, match, 0, "g10", "takeback")
    sent(town, ben, match, 1, "e10")
    assert sent(town, ben, match, 1, "accept takeback") == ["refused"]
    assert page(town, match, ada).agreements.offers == ()
    sent(town, ada, match, 0, "takeback")
    assert sent(town, ben, match, 1, "decline") == ["accepted"]
    assert sent(town, ada, match, 0, "takeback") == ["refused"]
    assert log(town, match) == [(0, "g10"), (1, "e10")]


def test_one_offer_a_day_may_be_made_until_the_next_move(town: Town) -> None:
    ada, _, match = begin(town, "7d/move")
    town.post()
    assert sent(town, ada, match, 0, "pause 3d", "pause 4d") == ["accepted", "refused"]
    assert sent(town, ada, match, 0, "withdraw", "pause 3d", "pause 5d") == ["accepted", "refused", "refused"]
    assert told(town) == [("ben", "can the match be paused?")]
    assert sent(town, ada, match, 0, "g10", "pause 5d") == ["accepted", "accepted"]
    swept(town, DAY)
    assert sent(town, ada, match, 0, "pause 6d") == ["accepted"]


def test_who_takes_a_seat_over_may_ask_for_what_the_former_player_has_asked_for_today(town: Town) -> None:
    (ada, ben), eva = (player(town, f"{name}@example.org") for name in ("ada", "ben")), player(town, "eva@example.org")
    chairs = [Chair("me"), Chair("email", "ben@example.org")]
    match = lobby.open_match(town.site, ada, "rosette", {}, chairs, "7d/move", substitutes=True)
    invitations.answer(town.site, match, ben, True)
    assert sent(town, ada, match, 0, "pause 3d") == ["accepted"]
    substitutes.offer(town.site, match, ada, "anybody")
    substitutes.join(town.site, match, eva)
    town.work()
    town.post()
    assert sent(town, eva, match, 0, "pause 5d", "pause 6d") == ["accepted", "refused"]
    assert told(town) == [("ben", "can the match be paused?")]


def test_an_answer_to_an_earlier_offer_doesnt_accept_a_later_one(town: Town) -> None:
    ada, ben, match = begin(town, "3d/move")
    sent(town, ada, match, 0, "g10", "takeback")
    first = next(mail for mail in town.post() if "can the last move be" in mail["Subject"])
    sent(town, ben, match, 1, "e10")
    sent(town, ada, match, 0, "g9", "takeback")
    second = next(mail for mail in town.post() if "can the last move be" in mail["Subject"])
    town.reply(first, "accept takeback")
    (refusal,) = town.post()
    assert "That was about an earlier offer." in plain(refusal)
    assert len(log(town, match)) == 3
    town.reply(second, "accept takeback\nNo problem.")
    assert log(town, match)[-1] == (0, "takeback")


def test_an_answer_to_a_letter_agrees_only_to_the_pause_it_offers(town: Town) -> None:
    ada, _, match = begin(town, "7d/move")
    sent(town, ada, match, 0, "pause 3d")
    (first,) = (mail for mail in town.post() if "can the" in mail["Subject"])
    swept(town, DAY)
    assert sent(town, ada, match, 0, "pause 60d") == ["accepted"]
    (second,) = (mail for mail in town.post() if "can the" in mail["Subject"])
    town.reply(first, "accept")
    (refusal,) = town.post()
    assert "The offered pause now ends at another time." in flat(refusal)
    assert page(town, match, None).agreements.paused_until is None
    town.reply(second, "accept")
    assert page(town, match, None).agreements.paused_until is not None


@pytest.mark.parametrize(
    ("order", "answer", "happened"),
    [
        ("takeback", "yes", "you took the last move back"),
        ("takeback", "Yes, with pleasure!", "you took the last move back"),
        ("takeback", "No, thank you.", "the last move wasn't taken back"),
        ("pause", "yes", "the match is paused"),
        ("pause", "no", "the pause was declined"),
        ("pause", "OK.", "the match is paused"),
        ("pause", "sure, thanks\n\nSee you in two weeks.", "the match is paused"),
        ("takeback", "Fine!", "you took the last move back"),
        ("takeback", "ok, but only this time", "wasn't played"),
    ],
)
def test_an_offer_is_a_question_that_yes_and_no_answer(town: Town, order: str, answer: str, happened: str) -> None:
    ada, _, match = begin(town, "3d/move")
    sent(town, ada, match, 0, "g10", order)
    asked = next(mail for mail in town.post() if "can the" in mail["Subject"])
    town.reply(asked, answer)
    assert happened in " ".join(mail["Subject"] for mail in town.post())


def test_all_others_have_to_agree_and_bots_always_do(town: Town) -> None:
    people = [player(town, f"{name}@example.org") for name in ("red", "blue", "green")]
    chairs = [Chair("me"), Chair("email", "blue@example.org"), Chair("email", "green@example.org"), Chair("bot")]
    match = lobby.open_match(town.site, people[0], "multigo", {"size": "5"}, chairs, "none")
    for person in people[1:]:
        invitations.answer(town.site, match, person, True)
    town.work()
    sent(town, people[0], match, 0, "a1", "takeback")
    sent(town, people[1], match, 1, "accept")
    assert log(town, match) == [(0, "a1")]
    sent(town, people[2], match, 2, "accept takeback")
    assert log(town, match) == [(0, "a1"), (0, "takeback")]
    alone = lobby.open_match(town.site, people[0], "rosette", {"base": "5"}, [Chair("me"), Chair("bot")])
    town.work()
    sent(town, people[0], alone, 0, "g9", "takeback")
    assert page(town, alone, None).scene.pieces == {}


def test_players_read_that_a_takeback_drops_conditional_moves(town: Town) -> None:
    people, match = three_players(town)
    for seat, text in enumerate(("a1", "b2", "c3")):
        sent(town, people[seat], match, seat, text)
    assert sent(town, people[1], match, 1, "if e5 then d4") == ["accepted"]
    town.post()
    sent(town, people[2], match, 2, "takeback")
    asked = town.post()
    assert len(asked) == 2
    for mail in asked:
        assert "If it's taken back, all saved conditional moves are dropped." in flat(mail)
    sent(town, people[1], match, 1, "accept")
    sent(town, people[0], match, 0, "accept")
    told = {mail["To"].addresses[0].username: flat(mail) for mail in town.post()}
    assert "All saved conditional moves were dropped." in told["blue"]
    with town.store.reading() as session:
        assert [seat.ahead for seat in session.get_one(Match, match).seats] == ["", "", ""]


def test_with_three_players_the_first_takes_back_all_moves_since_theirs(town: Town) -> None:
    people = [player(town, f"{name}@example.org") for name in ("red", "blue", "green")]
    chairs = [Chair("me"), Chair("email", "blue@example.org"), Chair("email", "green@example.org")]
    match = lobby.open_match(town.site, people[0], "multigo", {"size": "5"}, chairs, "none")
    for person in people[1:]:
        invitations.answer(town.site, match, person, True)
    town.work()
    for seat, move in enumerate(("a1", "pass", "c3")):
        sent(town, people[seat], match, seat, move)
    sent(town, people[0], match, 0, "takeback")
    for seat in (1, 2):
        sent(town, people[seat], match, seat, "accept")
    (news,) = page(town, match, people[2]).news
    assert (news.side, news.move, news.taken) == ("Black", "takeback", 3)
    assert ("red", "your move 5 (you took the last 3 moves back)") in told(town)


def test_a_preference_outlasts_the_takeback_of_the_move_before_it(town: Town) -> None:
    people = [player(town, f"{name}@example.org") for name in ("red", "blue", "green")]
    chairs = [Chair("me"), Chair("email", "blue@example.org"), Chair("email", "green@example.org")]
    match = lobby.open_match(town.site, people[0], "multigo-coop", {"size": "5"}, chairs, "none")
    for person in people[1:]:
        invitations.answer(town.site, match, person, True)
    town.work()
    for again in range(2):
        sent(town, people[0], match, 0, "a1")
        if not again:
            sent(town, people[2], match, 2, "prefer black", "prefer white")
        sent(town, people[0], match, 0, "takeback")
        for seat in (1, 2):
            sent(town, people[seat], match, seat, "accept")
        own = [(entry.move, entry.undone) for entry in page(town, match, people[2]).entries]
        assert [move for move, undone in own if not undone and "prefer" in move] == ["prefer white"]
        assert "prefer" not in str([entry.move for entry in page(town, match, people[1]).entries])
        news = page(town, match, people[2]).news[-1]
        assert (news.side, news.move, news.taken) == ("Black", "takeback", 1)
    with town.store.reading() as session:
        now = replay.position(session, session.get_one(Match, match))
    assert now.first.preferences == {2: (1,)}  # type: ignore[attr-defined]


def test_games_with_simultaneous_moves_have_no_takebacks(town: Town) -> None:
    people = [player(town, f"{name}@example.org") for name in ("red", "blue")]
    chairs = [Chair("me"), Chair("email", "blue@example.org")]
    match = lobby.open_match(town.site, people[0], "multigo-parallel", {"size": "5"}, chairs)
    invitations.answer(town.site, match, people[1], True)
    town.work()
    sent(town, people[0], match, 0, "a1")
    sent(town, people[1], match, 1, "b1")
    assert sent(town, people[0], match, 0, "takeback") == ["refused"]
    assert page(town, match, people[0]).agreements.may_offer == ("pause",)


def test_records_and_variations_leave_out_moves_that_were_taken_back(town: Town) -> None:
    ada, ben, match = begin(town, "none")
    sent(town, ada, match, 0, "g10", "takeback")
    sent(town, ben, match, 1, "accept")
    sent(town, ada, match, 0, "e9")
    with town.store.reading() as session:
        entries = visible_entries(session, session.get_one(Match, match), None)
    assert [entry.move for entry in that_stand(entries)] == ["e9"]
    tried = analysis.study(town.site, match, ada, 3, None)
    assert tried is not None
    assert tried.side == "white"


# ---- draws


def test_emails_about_a_turn_name_draw_where_a_game_has_it_unless_the_reader_has_offered_one(town: Town) -> None:
    ada, _ben, match, turn = turn_of_pillars(town)
    assert "You can also write: draw, resign, show, help." in flat(turn)
    sent(town, ada, match, 0, "draw")
    town.post()
    town.reply(turn, "K1-K99")
    (refusal,) = town.post()
    assert ("draw, resign" in flat(refusal), "resign, show, help." in flat(refusal)) == (False, True)


def test_a_draw_is_offered_and_accepted_by_email(town: Town) -> None:
    ada, _, match = begin(town, "fischer 10d+1d", PILLARS)
    end = deadline(town, match, 0)
    town.post()
    assert sent(town, ada, match, 0, "draw") == ["accepted"]
    (offer,) = town.post()
    assert (offer["To"].addresses[0].username, offer["Subject"].partition(": ")[2]) == ("ben", "a draw is offered")
    assert "To accept, reply with draw. To decline, reply with decline or" in " ".join(plain(offer).split())
    assert deadline(town, match, 0) == end, "An offer is no move: it earns no time."
    town.reply(offer, "accept draw")
    assert page(town, match, None).line.reason == "agreement"
    assert all("White and Black drew by agreement. Black accepted the draw." in flat(mail) for mail in town.post())


def test_an_unclear_answer_to_a_draw_offer_is_refused_with_the_words_to_use(town: Town) -> None:
    ada, _, match = begin(town, "3d/move", PILLARS)
    town.post()
    sent(town, ada, match, 0, "draw")
    (offer,) = town.post()
    town.reply(offer, "Gladly accepted")
    (refusal,) = town.post()
    assert "A draw is offered to you. To accept it, reply with draw. To decline it, reply with decline" in flat(refusal)
    town.reply(refusal, "draw")
    assert all("White and Black drew by agreement." in flat(mail) for mail in town.post())


@pytest.mark.parametrize(
    ("orders", "shown"),
    [
        (["0 draw", "1 draw"], ["draw", "accept draw"]),
        (["0 draw", "0 E3-E4", "1 draw"], ["draw", "E3-E4", "accept draw"]),
        (["1 draw", "0 E3-E4", "0 draw"], ["draw", "E3-E4", "draw"]),
        (["0 draw", "1 decline", "1 draw"], ["draw", "decline", "draw"]),
        (
            ["0 draw", "0 E3-E4", "0 takeback", "1 accept takeback", "1 draw"],
            ["draw", "E3-E4", "takeback", "accept draw"],
        ),
    ],
)
def test_accepting_a_draw_is_shown_differently_from_offering_one(
    town: Town, orders: list[str], shown: list[str]
) -> None:
    ada, ben, match = begin(town, "3d/move", PILLARS)
    for one in orders:
        seat, text = one.split(maxsplit=1)
        assert sent(town, (ada, ben)[int(seat)], match, int(seat), text) == ["accepted"]
    seen = page(town, match, None)
    assert [entry.move for row in seen.rows for cell in row.cells for entry in cell] == shown
    assert seen.news[-1].move == shown[-1]
    assert log(town, match)[-1][1] == shown[-1].removeprefix("accept ")


@pytest.mark.parametrize(
    ("leaving", "open_offers", "verdicts", "shown"),
    [(0, [], ["refused", "accepted"], "draw"), (1, ["draw"], ["accepted", "refused"], "accept draw")],
)
def test_an_offered_draw_lapses_when_somebody_else_takes_the_seat_that_offered_it(
    town: Town, leaving: int, open_offers: list[str], verdicts: list[str], shown: str
) -> None:
    players = [*begin(town, "3d/move", PILLARS)]
    match = players.pop()
    with town.store.writing() as session:
        session.get_one(Match, match).substitutes = True
    sent(town, players[0], match, 0, "draw")
    substitutes.offer(town.site, match, players[leaving], "anybody")
    players[leaving] = player(town, "eva@example.org")
    substitutes.join(town.site, match, players[leaving])
    replay.forget()
    assert [one.kind for one in page(town, match, players[1]).agreements.offers] == open_offers
    assert sent(town, players[1], match, 1, "accept draw", "draw") == verdicts
    assert page(town, match, None).entries[-1].shown == shown


@pytest.mark.parametrize(("answer", "taking"), [("E9-E7", 1), ("decline", 0)])
def test_a_draw_that_was_declined_isnt_open_again_after_a_takeback(town: Town, answer: str, taking: int) -> None:
    players = [*begin(town, "3d/move", PILLARS)]
    match = players.pop()
    sent(town, players[0], match, 0, "draw", "E3-E4")
    sent(town, players[1], match, 1, answer)
    assert sent(town, players[taking], match, taking, "takeback") == ["accepted"]
    town.post()
    assert sent(town, players[1 - taking], match, 1 - taking, "accept") == ["accepted"]
    (turn,) = town.post()
    assert plain(turn).startswith("You took the last")
    assert page(town, match, players[1]).agreements.offers == ()
    assert sent(town, players[1], match, 1, "draw") == ["accepted"]
    assert page(town, match, None).line.state == "running"
    replay.forget()
    assert [one.side for one in page(town, match, None).agreements.offers] == []
    assert [one.side for one in page(town, match, players[0]).agreements.offers] == ["black"]


def test_accept_in_reply_to_the_email_of_an_offer_is_about_that_offer(town: Town) -> None:
    """During the count, `accept` alone would accept the count, and be stale."""
    ada, ben, match = begin(town, "3d/move")
    for texts in ("g10", "pass"):
        sent(town, ada, match, 0, texts)
        sent(town, ben, match, 1, "e10" if texts == "g10" else "pass")
    sent(town, ada, match, 0, "pause")
    offer = next(mail for mail in town.post() if "can the match be paused" in mail["Subject"])
    sent(town, ada, match, 0, "accept")
    town.post()
    town.reply(offer, "Accept.\nEnjoy the holidays.")
    (agreed,) = town.post()
    assert agreed["Subject"].endswith("the match is paused")
    assert '"Enjoy the holidays."' in plain(agreed)
    assert page(town, match, None).line.state == "running"
    assert page(town, match, ada).agreements.paused_until is not None
    town.reply(offer, "accept")
    (refusal,) = town.post()
    assert plain(refusal).startswith("Nobody is asking you for a pause now.")


def test_a_draw_is_declined_in_one_word(town: Town) -> None:
    ada, ben, match = begin(town, "3d/move", PILLARS)
    sent(town, ada, match, 0, "draw")
    town.post()
    assert [one.kind for one in page(town, match, ben).agreements.offers] == ["draw"]
    assert sent(town, ben, match, 1, "decline") == ["accepted"]
    assert told(town) == [("ada", "the draw was declined")]
    assert sent(town, ben, match, 1, "decline") == ["refused"]
    assert log(town, match) == [(0, "draw"), (1, "decline")]


def turn_of_pillars(town: Town) -> tuple[int, int, int, EmailMessage]:
    """White has to move and has the email that asks for it."""
    ada, ben, match = begin(town, "3d/move", PILLARS)
    (turn,) = [mail for mail in town.post() if "your move" in mail["Subject"]]
    return ada, ben, match, turn


@pytest.mark.parametrize(
    ("offers", "reply", "played"),
    [
        (["draw"], "E3-E4", [(1, "draw"), (0, "E3-E4")]),
        (["draw"], "draw", [(1, "draw"), (0, "draw")]),
        (["pause"], "E3-E4", [(0, "E3-E4")]),
    ],
)
def test_a_reply_to_the_last_turn_is_still_valid_after_the_opponents_offer(
    town: Town, offers: list[str], reply: str, played: list[tuple[int, str]]
) -> None:
    _, ben, match, turn = turn_of_pillars(town)
    assert sent(town, ben, match, 1, *offers) == ["accepted"]
    town.post()
    town.reply(turn, reply)
    assert log(town, match) == played


def test_a_reply_to_the_last_turn_is_still_valid_after_a_request_for_a_takeback(town: Town) -> None:
    ada, _, match, _ = turn_of_pillars(town)
    sent(town, ada, match, 0, "E3-E4")
    (turn,) = [mail for mail in town.post() if "your move" in mail["Subject"]]
    sent(town, ada, match, 0, "takeback")
    town.reply(turn, "E9-E7")
    assert log(town, match) == [(0, "E3-E4"), (1, "E9-E7")]


def test_a_reply_to_the_turn_before_an_agreed_takeback_is_stale(town: Town) -> None:
    ada, ben, match, turn = turn_of_pillars(town)
    sent(town, ada, match, 0, "E3-E4", "takeback")
    sent(town, ben, match, 1, "accept")
    town.post()
    assert log(town, match) == [(0, "E3-E4"), (0, "takeback")]
    town.reply(turn, "E3-E4")
    assert plain(town.post()[-1]).startswith("E3-E4 was already played as move 1, so it wasn't played again.")
    town.reply(turn, "(A)-E4")
    assert plain(town.post()[-1]).startswith("That order was for move 1, but the match is now at move 3.")


def test_accept_doesnt_accept_a_draw_offered_after_the_email_it_answers(town: Town) -> None:
    _, ben, match, turn = turn_of_pillars(town)
    sent(town, ben, match, 1, "draw")
    town.post()
    town.reply(turn, "accept")
    (refusal,) = town.post()
    assert plain(refusal).startswith("That order was for move 1, but the match is now at move 2.")
    assert log(town, match) == [(1, "draw")]


def test_a_reply_sent_twice_is_played_once_though_a_draw_was_offered_before_it(town: Town) -> None:
    _, ben, match, turn = turn_of_pillars(town)
    sent(town, ben, match, 1, "draw")
    town.reply(turn, "E3-E4")
    town.post()
    town.reply(turn, "E3-E4")
    assert plain(town.post()[-1]).startswith("E3-E4 was already played as move 1, so it wasn't played again.")
    assert log(town, match) == [(1, "draw"), (0, "E3-E4")]


def test_a_reply_sent_twice_offers_a_draw_once(town: Town) -> None:
    _, ben, match, turn = turn_of_pillars(town)
    town.reply(turn, "draw")
    sent(town, ben, match, 1, "decline")
    town.post()
    town.reply(turn, "draw")
    assert plain(town.post()[-1]).startswith("draw was already played as move 1, so it wasn't played again.")
    assert log(town, match) == [(0, "draw"), (1, "decline")]


# ---- pauses


def test_in_a_pause_all_clocks_stop_and_nobody_is_reminded(town: Town) -> None:
    ada, ben, match = begin(town, "3d/move, no vacation")
    swept(town, 2 * DAY)
    end = deadline(town, match, 0)
    assert end is not None
    town.post()
    sent(town, ada, match, 0, "pause until 24 December")
    assert told(town) == [("ben", "can the match be paused?")]
    assert deadline(town, match, 0) == end
    begun = town.now
    assert sent(town, ben, match, 1, "accept") == ["accepted"]
    until = datetime(2026, 12, 24, tzinfo=UTC)
    assert deadline(town, match, 0) == end + (until - begun)
    assert page(town, match, None).agreements.paused_until == until
    assert told(town) == [("ada", "the match is paused")]
    for _ in range(30):
        swept(town, DAY)
    assert told(town) == []
    assert log(town, match) == []
    swept(town, until + DAY + MINUTE - town.now)
    assert log(town, match) == [(0, "timeout")]


def test_a_pause_ends_early_when_all_agree_and_its_length_is_given_back(town: Town) -> None:
    ada, ben, match = begin(town, "3d/move, no vacation")
    end = deadline(town, match, 0)
    assert end is not None
    assert sent(town, ada, match, 0, "resume play") == ["refused"]
    until = town.now + PAUSE
    assert command_words.named("adjourn") == command_words.named("pause")
    sent(town, ben, match, 1, "adjourn")
    begun = town.now
    sent(town, ada, match, 0, "accept pause")
    swept(town, 5 * DAY)
    sent(town, ada, match, 0, "resume play")
    assert deadline(town, match, 0) == end + (until - begun)
    ended = town.now
    sent(town, ben, match, 1, "resume play")
    assert deadline(town, match, 0) == end + (ended - begun)
    assert page(town, match, None).agreements.paused_until is None
    with town.store.reading() as session:
        assert [(row.begins, row.ends) for row in session.scalars(select(TimeOff))] == [(begun, ended)]


def test_what_was_asked_about_an_earlier_pause_isnt_asked_about_a_later_one(town: Town) -> None:
    ada, ben, match = begin(town, "30d/move")
    for asking, answering in (((ada, match, 0), (ben, match, 1)), ((ben, match, 1), (ada, match, 0))):
        sent(town, *asking, "pause for 2 days")
        sent(town, *answering, "accept pause")
        if asking[0] == ada:
            sent(town, ada, match, 0, "resume play")
            assert [one.kind for one in page(town, match, ben).agreements.offers] == ["resume"]
            swept(town, 3 * DAY)
            assert page(town, match, ben).agreements.offers == ()
    paused = page(town, match, ben).agreements
    assert (paused.offers, paused.may_offer, paused.paused_until is not None) == ((), ("resume",), True)
    sent(town, ben, match, 1, "resume play")
    assert page(town, match, ben).agreements.paused_until is not None


def test_a_pause_that_would_be_over_is_no_longer_offered(town: Town) -> None:
    ada, ben, match = begin(town, "30d/move")
    sent(town, ada, match, 0, "pause for 2 days")
    swept(town, 3 * DAY)
    found = page(town, match, ben).agreements
    assert (found.offers, found.may_offer) == ((), ("pause",))


@pytest.mark.parametrize("answer", ["accept", "decline"])
def test_an_answer_in_one_word_isnt_about_a_pause_that_would_be_over(town: Town, answer: str) -> None:
    ada, ben, match = begin(town, "30d/move")
    sent(town, ada, match, 0, "pause for 2 days", "g10")
    swept(town, 3 * DAY)
    sent(town, ada, match, 0, "takeback")
    told(town)
    assert sent(town, ben, match, 1, answer) == ["accepted"]
    assert [move for _, move in log(town, match)] == ["g10", *(["takeback"] if answer == "accept" else [])]
    assert len(told(town)) == 1


def test_a_pause_agreed_to_after_the_deadline_doesnt_save_the_player(town: Town) -> None:
    """The agreement waits for the sweep, as a move would."""
    ada, ben, match = begin(town, "1d/move, no vacation")
    sent(town, ada, match, 0, "pause")
    town.now += DAY + HOUR
    order(town, ben, match, 1, "accept")
    swept(town)
    assert log(town, match) == [(0, "timeout")]
    with town.store.reading() as session:
        assert session.scalars(select(TimeOff)).all() == []


def three_players(town: Town) -> tuple[list[int], int]:
    """The players and the match."""
    people = [player(town, f"{name}@example.org") for name in ("red", "blue", "green")]
    chairs = [Chair("me"), Chair("email", "blue@example.org"), Chair("email", "green@example.org")]
    match = lobby.open_match(town.site, people[0], "multigo", {"size": "5"}, chairs, "3d/move, no vacation")
    for person in people[1:]:
        invitations.answer(town.site, match, person, True)
    town.work()
    return people, match


@pytest.mark.parametrize("resigns", [True, False])
def test_a_pause_begins_when_the_last_who_hasnt_agreed_leaves(town: Town, resigns: bool) -> None:
    people, match = three_players(town)
    sent(town, people[1], match, 1, "pause for 20 days")
    sent(town, people[2], match, 2, "accept pause")
    assert page(town, match, None).agreements.paused_until is None
    town.post()
    if resigns:
        sent(town, people[0], match, 0, "resign")
    else:
        swept(town, 3 * DAY + MINUTE)
    until = page(town, match, None).agreements.paused_until
    assert until is not None
    assert deadline(town, match, 1) == until + 3 * DAY
    assert page(town, match, people[1]).agreements.offers == ()
    assert [name for name, subject in told(town) if subject == "the match is paused"] == ["blue", "green"]


def paused(town: Town) -> tuple[list[int], int]:
    """Three players and their match, which is paused for 2 days."""
    people, match = three_players(town)
    sent(town, people[1], match, 1, "pause for 2 days")
    for seat in (0, 2):
        sent(town, people[seat], match, seat, "accept pause")
    assert page(town, match, None).agreements.paused_until is not None
    return people, match


def test_a_pause_that_is_over_doesnt_end_again_when_somebody_leaves(town: Town) -> None:
    people, match = paused(town)
    for seat in (1, 2):
        assert sent(town, people[seat], match, seat, "resume play") == ["accepted"]
    swept(town, 2 * DAY + MINUTE)
    told(town)
    assert sent(town, people[0], match, 0, "resign") == ["accepted"]
    assert [subject for _, subject in told(town) if "pause" in subject] == []


@pytest.mark.parametrize("first", ["pause for 9 days", "resume play"])
def test_of_a_longer_pause_and_its_end_the_pause_begins_when_the_last_who_hasnt_agreed_leaves(
    town: Town, first: str
) -> None:
    people, match = paused(town)
    swept(town, DAY)
    answers = {"pause for 9 days": "accept pause", "resume play": "resume play"}
    for asked in sorted(answers, key=lambda asked: asked != first):
        assert sent(town, people[1], match, 1, asked) == ["accepted"]
        assert sent(town, people[2], match, 2, answers[asked]) == ["accepted"]
    told(town)
    assert sent(town, people[0], match, 0, "resign") == ["accepted"]
    found = page(town, match, people[1]).agreements
    assert found.offers == ()
    assert found.paused_until is not None
    assert found.paused_until > town.now + 8 * DAY
    assert [name for name, subject in told(town) if "pause" in subject] == ["blue", "green"]


def test_a_turn_that_begins_in_a_pause_has_all_its_time_after_it(town: Town) -> None:
    ada, ben, match = begin(town, "3d/move, no vacation")
    sent(town, ada, match, 0, "pause for 10 days")
    sent(town, ben, match, 1, "accept pause")
    until = page(town, match, ada).agreements.paused_until
    assert until is not None
    sent(town, ada, match, 0, "g10")
    assert deadline(town, match, 1) == until + 3 * DAY
    with town.store.reading() as session:
        reminded = session.get_one(Seat, (match, 1)).remind
        assert reminded is not None
        assert reminded > until
        assert session.scalars(select(Entry.move).where(Entry.match_id == match)).all() == ["g10"]


@pytest.mark.parametrize("step", [cases(20, full=6) * HOUR, 5 * DAY, 40 * DAY], ids=["often", "seldom", "once"])
def test_pauses_and_vacations_last_the_same_however_often_the_sweep_runs(town: Town, step: timedelta) -> None:
    """Three days of the turn have passed when the pause begins. After it come the last two and two days of vacation."""
    for email in ("ada@example.org", "ben@example.net"):
        player(town, email, vacation=True)
    ada, ben, match = begin(town, "5d/move")
    began = town.now.replace(second=0)
    swept(town, began + 3 * DAY - town.now)
    sent(town, ada, match, 0, "pause for 10 days")
    sent(town, ben, match, 1, "accept pause")
    with town.store.writing() as session:
        spent = session.get_one(Seat, (match, 0)).deadline
        assert spent is not None
        assert spent - timedelta(days=15) < began + HOUR
        # Of this year's vacation, two days are left.
        days = ((began - timedelta(days=day), f"vacation:{ada}:{day}") for day in range(40, 68))
        session.add_all(TimeOff(key=key, begins=begins, ends=begins + DAY, player_id=ada) for begins, key in days)
    end = town.now + 40 * DAY
    while town.now < end:
        swept(town, min(step, end - town.now))
    with town.store.reading() as session:
        flag = session.scalars(select(Entry).where(Entry.match_id == match)).one()
        late = select(TimeOff.begins).where(TimeOff.player_id == ada).order_by(TimeOff.begins.desc()).limit(2)
        assert [*session.scalars(late)] == [spent + DAY, spent]
    assert (flag.move, flag.played.replace(microsecond=0)) == ("timeout", spent + 2 * DAY)


# ---- rematches


def test_a_rematch_is_asked_for_by_mail_and_accepted_like_an_invitation(town: Town) -> None:
    ada, ben, match = begin(town, "3d/move, weekends off", base="5")
    assert sent(town, ben, match, 1, "rematch") == ["refused"]
    sent(town, ada, match, 0, "resign")
    result = next(
        mail for mail in town.post() if mail["To"].addresses[0].username == "ben" and "won" in mail["Subject"]
    )
    assert "Reply with rematch on the first line to play again" in " ".join(plain(result).split())
    town.reply(result, "rematch\nThat was fun.")
    mails = {mail["Subject"].partition(" ")[2]: mail for mail in town.post()}
    assert '"That was fun."' in plain(mails[f"{match}: message from White"])
    asked = mails[f"{match}: your rematch is Rosette {match + 1}"]
    assert asked["To"].addresses[0].username == "ben"
    assert f"It's Rosette {match + 1}, and you're playing Black. The other player has been asked." in " ".join(
        plain(asked).split()
    )
    invitation = next(mail for subject, mail in mails.items() if "invites you to play" in subject)
    assert invitation["To"].addresses[0].username == "ada"
    assert f"Rematch of: Rosette {match}." in plain(invitation)
    assert "You need no account" not in plain(invitation)
    again = page(town, match, ada).agreements.rematch
    assert again == page(town, match, ben).agreements.rematch
    assert page(town, match, None).agreements.rematch is None
    assert again is not None
    with town.store.reading() as session:
        old, new = session.get_one(Match, match), session.get_one(Match, again)
        assert [seat.player_id for seat in new.seats] == [ben, ada]
        assert (new.game, new.options, new.clock, new.state) == (old.game, old.options, old.clock, "open")
    town.reply(invitation, "accept")
    assert page(town, again, ada).line.state == "running"
    assert sent(town, ada, match, 0, "rematch") == ["refused"]


def test_a_player_who_has_left_reads_nothing_and_their_seat_in_a_rematch_is_open(town: Town) -> None:
    ada, ben, match = begin(town, "3d/move")
    deletion.leave(town.site, ada)
    town.work()
    result = next(mail for mail in town.post() if "won" in mail["Subject"])
    assert "Anything else you reply" not in plain(result)
    town.reply(result, "Goodbye!")
    (answer,) = town.post()
    assert "Nobody else is there to read it, so it wasn't sent." in plain(answer)
    talk = messages.heard(town.site, match, ben)
    assert (talk.may_speak, talk.others, talk.lines) == (False, (), ())
    town.reply(result, "rematch")
    (asked,) = town.post()
    told = " ".join(plain(asked).split())
    assert f"so anybody can take their seat by writing join {match + 1}." in told
    assert "The others have been asked" not in told
    carl = [mail for mail in town.write("carl@example.org", f"join {match + 1}") if mail["Subject"] == "Re: your email"]
    assert "You have a seat in" in plain(carl[0])


def test_a_match_ended_when_it_ended_however_late_a_rematch_is_asked_for(town: Town) -> None:
    ada, ben, match = begin(town, "none")
    sent(town, ben, match, 1, "resign")
    ended, shown = page(town, match, ada).line.moved, match_page.newest(town.site, match)
    town.now += DAY
    sent(town, ben, match, 1, "rematch")
    assert page(town, match, ada).line.moved == ended
    assert match_page.newest(town.site, match) != shown, "Open pages load the link to the rematch."


def test_a_rematch_begins_when_both_ask_for_it_and_can_be_asked_for_again_after_a_refusal(town: Town) -> None:
    ada, ben, match = begin(town, "none")
    sent(town, ben, match, 1, "resign", "rematch")
    first = page(town, match, ada).agreements.rematch
    assert first is not None
    invitations.answer(town.site, first, ada, False)
    refused = page(town, match, ben).agreements
    assert (refused.may_offer, refused.rematch) == (("rematch",), None)
    assert sent(town, ada, match, 0, "rematch") == ["accepted"]
    assert sent(town, ben, match, 1, "rematch") == ["accepted"]
    second = page(town, match, ada).agreements.rematch
    assert second not in (None, first)
    assert page(town, second or 0, ada).line.state == "running"


def test_a_rematch_is_against_the_same_computer_opponent(town: Town) -> None:
    ada, bots = player(town, "ada@example.org"), [one.name.lower() for one in OPPONENTS["rosette"]]
    for bot in bots:
        match = lobby.open_match(town.site, ada, "rosette", {"base": "5"}, [Chair("me"), Chair("bot", bot=bot)])
        sent(town, ada, match, 0, "resign", "rematch")
        with town.store.reading() as session:
            latest = session.scalars(select(Match).order_by(Match.id.desc())).first()
            assert latest is not None
            assert [seat.player.bot for seat in latest.seats if seat.player] == [bot, None]


@pytest.mark.parametrize(
    ("talk", "said"),
    [("private", "Ada, invited as White, declined, so this match"), ("anonymous", "The player invited as ")],
)
def test_the_player_who_declines_a_rematch_is_named_unless_the_match_is_anonymous(
    town: Town, talk: str, said: str
) -> None:
    ada, ben = player(town, "ada@example.org"), player(town, "ben@example.net")
    identity.rename(town.site, ada, "Ada")
    match = lobby.open_match(town.site, ada, "lotus", {}, [Chair("me"), Chair("player", player_id=ben)], talk=talk)
    invitations.answer(town.site, match, ben, True)
    seat = [line.player_id for line in page(town, match, ada).line.seats].index(ada)
    sent(town, ben, match, 1 - seat, "resign", "rematch")
    again = page(town, match, ben).agreements.rematch
    assert again is not None
    town.post()
    invitations.answer(town.site, again, ada, False)
    town.work()
    (mail,) = town.post()
    assert plain(mail).startswith(said)


def refused(town: Town, player_id: int, match: int, seat: int, text: str) -> str:
    """Why an order is refused."""
    key = f"web:{town.now}:{text}"
    assert send(town, player_id, match, seat, text) == "refused"
    verdict = match_page.verdict(town.site, key, player_id)
    assert verdict is not None
    return verdict.message


def test_of_two_open_offers_the_player_names_the_one_they_accept(town: Town) -> None:
    ada, ben, match = begin(town, "3d/move")
    sent(town, ada, match, 0, "g10", "takeback", "pause 3d")
    why = "There's more than one open offer. Write accept takeback or accept pause."
    assert refused(town, ben, match, 1, "accept") == why
    assert log(town, match) == [(0, "g10")]
    assert sent(town, ben, match, 1, "accept pause") == ["accepted"]
    assert [one.kind for one in page(town, match, ben).agreements.offers] == ["takeback"]


def test_a_pause_is_accepted_only_until_the_day_that_was_offered(town: Town) -> None:
    ada, ben, match = begin(town, "3d/move")
    sent(town, ada, match, 0, "pause until 2026-12-01")
    why = "The offered pause now ends at another time. Look at the match before you accept it."
    assert refused(town, ben, match, 1, "accept pause until 2026-12-24") == why
    assert sent(town, ben, match, 1, "accept pause until 2026-12-01") == ["accepted"]


def test_a_pause_that_would_be_over_is_not_accepted(town: Town) -> None:
    ada, ben, match = begin(town, "7d/move")
    sent(town, ada, match, 0, "pause 1d")
    before = deadline(town, match, 0)
    town.now += 2 * DAY
    assert refused(town, ben, match, 1, "accept pause") == "The offered pause would already be over."
    assert deadline(town, match, 0) == before


def test_a_rematch_is_asked_for_ten_times_at_most(town: Town) -> None:
    ada, ben, match = begin(town, "none")
    sent(town, ben, match, 1, "resign")
    for _ in range(rematch.MOST):
        town.now += DAY
        assert sent(town, ben, match, 1, "rematch") == ["accepted"]
        invitations.answer(town.site, page(town, match, ada).agreements.rematch or 0, ada, False)
    town.now += DAY
    why = "A rematch of this match has been declined too often to ask again."
    assert refused(town, ben, match, 1, "rematch") == why


def test_a_banned_player_reads_why_they_get_no_rematch(town: Town) -> None:
    ada, ben, match = begin(town, "none")
    sent(town, ben, match, 1, "resign")
    with town.store.writing() as session:
        session.add(Ban(player_id=ben, made=town.now, until=None, reason="Insults."))
    assert refused(town, ben, match, 1, "rematch").endswith("The reason: Insults.")
    assert page(town, match, ada).agreements.rematch is None


def test_a_computer_opponent_that_is_gone_is_offered_no_match(town: Town) -> None:
    ada, _, _ = begin(town, "none")
    with town.store.writing() as session:
        gone = identity.bot(session, "a bot of an earlier version", town.now).id
    assert rematch.settings(town.site, ada, gone) is None
