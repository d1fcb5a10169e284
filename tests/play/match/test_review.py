"""Reviews of matches that are over: the winning chances, the worst moves, and another try at them."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import func, select

from service.engine.game import OutOfTurn
from service.mail.grammar.orders import parse
from service.play.accounts import deletion
from service.play.accounts.programs import bot_accounts
from service.play.match import invitations, lobby, review
from service.play.match.lobby import Chair
from service.play.match.review import Moment, SecondLook
from service.play.operations import failed_letters
from service.play.operations.sweep import sweep
from service.play.orders.submit import Incoming, submit
from service.play.pages.match_page import match_page
from service.play.pages.records import export
from service.play.table import replay
from service.play.table.log import EntryLine
from service.render.notation.record_text import Text
from service.store.models import Match
from service.store.tables.mail_rows import Letter
from service.store.tables.reviews import Review, ReviewedMove
from tests.play.conftest import WORK, Town, parsed, plain, writing
from tests.play.timekeeping.test_clocks import player

ADA, BEN = "ada@example.org", "ben@example.net"


def play(town: Town, match_id: int, *moves: str) -> None:
    """The two players play these moves in turn."""
    for move in moves:
        with town.store.reading() as session:
            match = session.get_one(Match, match_id)
            seat = (replay.position(session, match).turns or (0,))[0]
            by, round_ = match.seats[seat].player_id or 0, match.round
        submit(town.site, Incoming(f"web:{match_id}:{round_}:{move}", match_id, seat, by, round_, parse(move), "web"))
        town.work()


def begun(town: Town, game: str, **options: str) -> int:
    ada, ben = player(town, ADA), player(town, BEN)
    match = lobby.open_match(town.site, ada, game, options, [Chair("me"), Chair("player", player_id=ben)])
    invitations.answer(town.site, match, ben, accept=True)
    return match


def seen(town: Town, match: int) -> SecondLook:
    page = match_page(town.site, match, None)
    assert page is not None
    assert page.second_look is not None
    return page.second_look


def together(town: Town, *first: str) -> SecondLook:
    """A review of a match of one round, in which Black sealed these choices before the final one."""
    match = begun(town, "multigo-parallel", size="5")
    with town.store.writing() as session:
        session.get_one(Match, match).seed = 7
        black, white = (seat.player_id or 0 for seat in session.get_one(Match, match).seats)
    orders = [*((0, black, text) for text in (*first, "c3")), (1, white, "b2"), (0, black, "resign")]
    for number, (seat, by, text) in enumerate(orders):
        submit(town.site, Incoming(f"web:{match}:{number}", match, seat, by, None, parse(text), "web"))
        town.work()
    review.ask(town.site, match, player(town, ADA))
    town.work()
    return seen(town, match)


def test_a_review_doesnt_show_choices_that_were_replaced(town: Town) -> None:
    one, other = together(town), together(town, "a1", "wait", "d4")
    assert [(moment.side, moment.move) for moment in one.moments] == [("black", "c3"), ("white", "b2")]
    assert [replace(moment, logged=0) for moment in one.moments] == [
        replace(moment, logged=0) for moment in other.moments
    ]
    assert (one.done, one.total) == (other.done, other.total) == (2, 2)
    assert one.at_once


def test_the_email_about_a_review_counts_rounds_where_all_choose_at_once(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(review, "costs", lambda moments, *_: [replace(one, cost=0.4) for one in moments])
    together(town)
    result = [mail for mail in town.post() if BEN in mail["To"]][-1]
    town.reply(result, "review")
    (letter,) = town.post()
    said = " ".join(plain(letter).split())
    assert "Round 1: White chose b2, which lowered White's winning chances by 40 percentage points." in said


def test_a_review_leaves_out_preferences_about_prisoners(town: Town) -> None:
    """They are no moves, so they cost nothing and no other move would have been better."""
    match = begun(town, "multigo-coop", size="5")
    play(town, match, "c3", "prefer black", "b2", "c2", "prefer none", "b3", "resign")
    review.ask(town.site, match, player(town, ADA))
    town.work()
    assert [moment.move for moment in seen(town, match).moments] == ["c3", "b2", "c2", "b3"]


def test_a_move_is_the_same_with_and_without_the_colours_it_takes() -> None:
    line = EntryLine(2, 2, 0, "black", "c3 take white", 1, "", datetime(2026, 11, 23, tzinfo=UTC))
    for best, same in (("c3", True), ("c4", False)):
        found = review._moment(line, ReviewedMove(ply=2, shares=[1.0, 0.0], best=best, line=[best]))
        assert (found.move == found.best) is same


def test_a_round_that_went_by_without_a_player_is_no_move() -> None:
    """Only the clock plays `late`: nobody chose it, so no other point was better."""
    line = EntryLine(2, 2, 0, "black", "late", 1, "", datetime(2026, 11, 23, tzinfo=UTC), late=True)
    chosen = line._replace(seat=1, side="white", move="c3", late=False)
    assert review.moves([line, chosen]) == [chosen]


SETUP = "k10/11/11/2K8/11/11/11/11/5T5/11/11 w - 0 1"


def test_a_review_judges_all_moves_and_lets_each_moment_be_tried_again(town: Town) -> None:
    match = begun(town, "pillars", setup=SETUP)
    play(town, match, "T-F4", "K-A10", "T-A4", "resign")
    review.ask(town.site, match, player(town, ADA))
    town.work()
    look = seen(town, match)
    assert look.is_finished
    assert (look.done, look.total) == (3, 3)
    assert all(abs(sum(one.shares) - 1) < 1e-9 for one in look.moments)
    record = export(town.site, match, Text()) or ""
    assert record.count("White's chances: ") == 2
    assert record.count("Black's chances: ") == 1
    again = review.try_again(town.site, match, 2, player(town, ADA))
    with town.store.reading() as session:
        opened = session.get_one(Match, again)
        assert [seat.player.name for seat in opened.seats if seat.player] == ["Obsidian", "Player 1"]
        assert replay.position(session, opened).turns == (1,)


def test_a_match_is_replayed_for_its_review_before_anything_is_written(town: Town) -> None:
    match = begun(town, "pillars", setup=SETUP)
    play(town, match, "T-F4", "K-A10", "resign")
    review.ask(town.site, match, player(town, ADA))
    replay.forget()
    with writing(town.store) as found:
        review.go_on(town.site)
    assert found.rules == []
    assert seen(town, match).done == 2


def over(town: Town, count: int) -> list[int]:
    """This many finished matches of two moves each."""
    matches = [begun(town, "pillars", setup=SETUP) for _ in range(count)]
    for match in matches:
        play(town, match, "T-F4", "K-A10", "resign")
    town.queue.clear()
    return matches


def test_a_person_with_all_their_bots_asks_for_three_reviews_at_a_time(town: Town) -> None:
    *matches, fourth, fifth = over(town, 5)
    ada, ben = player(town, ADA), player(town, BEN)
    rose = bot_accounts.make(town.site, ada, "Rose").id
    for match, asker in zip(matches, (ada, rose, ada), strict=True):
        review.ask(town.site, match, asker)
    for asker in (ada, rose):
        with pytest.raises(OutOfTurn, match="still working on 3 reviews that you asked for"):
            review.ask(town.site, fourth, asker)
    review.ask(town.site, matches[0], ada)
    review.ask(town.site, fourth, ben)
    review.ask(town.site, fourth, ada)
    assert town.queue == [("review", match) for match in (*matches, fourth)], "each is on the queue once"
    town.work()
    assert all(seen(town, match).is_finished for match in (*matches, fourth))
    review.ask(town.site, fifth, rose)
    with town.store.reading() as session:
        asked = session.execute(select(Review.match_id, Review.asker_id).order_by(Review.match_id)).all()
    assert [*map(tuple, asked)] == [*((match, None) for match in (*matches, fourth)), (fifth, rose)]


def test_reviews_take_turns_however_often_one_is_on_the_queue(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(review, "AT_A_TIME", 1)
    one, other = over(town, 2)
    review.ask(town.site, one, player(town, ADA))
    town.now += timedelta(seconds=1)
    review.ask(town.site, other, player(town, BEN))
    town.queue[:0] = town.queue[:1] * 9
    done = []
    for _ in range(4):
        task, _ = town.queue.pop(0)
        town.now += timedelta(seconds=1)
        review.go_on(town.site)
        done.append((task, seen(town, one).done, seen(town, other).done))
    assert done == [("review", 1, 0), ("review", 1, 1), ("review", 2, 1), ("review", 2, 2)]


def test_a_sweep_hands_out_one_turn_however_many_reviews_wait(town: Town) -> None:
    for match in over(town, 3):
        review.ask(town.site, match, player(town, ADA))
    town.queue.clear()
    town.now += timedelta(minutes=5)
    sweep(town.site)
    assert [task for task, _ in town.queue].count("review") == 1


def test_a_running_match_cannot_be_reviewed(town: Town) -> None:
    match = begun(town, "lotus")
    play(town, match, "a1")
    with pytest.raises(OutOfTurn, match="only once it's over"):
        review.ask(town.site, match, player(town, ADA))
    with pytest.raises(OutOfTurn, match="that's over"):
        review.try_again(town.site, match, 1, player(town, ADA))


def test_a_match_without_a_move_cannot_be_reviewed(town: Town) -> None:
    match = begun(town, "lotus")
    play(town, match, "resign")
    with pytest.raises(OutOfTurn, match="Nobody made a move in this match"):
        review.ask(town.site, match, player(town, ADA))
    assert "Reply with review" not in plain(town.post()[-1])
    moved = begun(town, "lotus")
    play(town, moved, "a1", "resign")
    assert "Reply with review" in plain(town.post()[-1])


@pytest.mark.parametrize("game", ["go", "rosette", "lotus", "medusa", "pillars"])
def test_every_game_for_two_is_reviewed_once(town: Town, game: str) -> None:
    options = {"go": {"size": "5"}, "rosette": {"base": "5"}, "medusa": {"base": "4"}}.get(game, {})
    match = begun(town, game, **options)
    with town.store.reading() as session:
        first = [*replay.position(session, session.get_one(Match, match)).moves(0)]
    play(town, match, first[0])
    with town.store.reading() as session:
        second = [*replay.position(session, session.get_one(Match, match)).moves(1)]
    play(town, match, second[-1] if second[-1] != "pass" else second[0], "resign")
    for _ in range(2):
        review.ask(town.site, match, player(town, ADA))
        town.work()
    look = seen(town, match)
    assert look.is_finished
    assert [one.move for one in look.moments] == [first[0], second[-1] if second[-1] != "pass" else second[0]]
    assert all(one.line[0] == one.best for one in look.moments)


def test_a_review_asked_for_by_email_is_sent_by_email(town: Town) -> None:
    match = begun(town, "pillars", setup=SETUP)
    play(town, match, "T-F4", "K-A10", "resign")
    letters = {
        mail["To"].addresses[0].addr_spec: mail for mail in town.post() if "ended" in str(mail) or mail["Subject"]
    }
    town.reply(letters[BEN], "review")
    (letter,) = town.post()
    assert letter["To"].addresses[0].addr_spec == BEN
    assert "a second look" in letter["Subject"]
    text = letter.get_body(("plain",)).get_content()  # type: ignore[union-attr]
    assert "The computer has looked back at your match." in text
    assert ("these moments" in text) == ("was better" in text)
    (receipt,) = map(parsed, town.receipts)
    assert receipt["Subject"].endswith(": you asked for a review")
    with town.store.reading() as session:
        assert session.scalar(select(func.count()).select_from(ReviewedMove)) == 2


def test_a_review_is_not_emailed_to_a_player_who_has_deleted_the_account(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = begun(town, "pillars", setup=SETUP)
    play(town, match, "T-F4", "K-A10", "resign")
    letters = {mail["To"].addresses[0].addr_spec: mail for mail in town.post()}
    with monkeypatch.context() as meanwhile:
        meanwhile.setitem(WORK, "review", lambda *_: None)
        town.reply(letters[BEN], "review")
    deletion.leave(town.site, player(town, BEN))
    review.go_on(town.site)
    town.work()
    assert seen(town, match).is_finished
    assert failed_letters.letters(town.site) == []
    with town.store.reading() as session:
        assert session.scalars(select(Letter.id).where(Letter.due.is_not(None), Letter.sent.is_(None))).all() == []


def test_an_emailed_review_names_the_moves_that_cost_most(town: Town) -> None:
    setup = "black: c1 c2 c3 c4 c5; white: a4 a5 b1 b2 b3 b4 b5; turn: white"
    match = begun(town, "go", size="5", setup=setup)
    play(town, match, "e1", "a2", "resign")
    letters = {mail["To"].addresses[0].addr_spec: mail for mail in town.post()}
    town.reply(letters[BEN], "review")
    (letter,) = town.post()
    text = " ".join(plain(letter).split())
    assert "Move 1: White played e1, which lowered White's winning chances by" in text
    assert "lets you try each of these moments again." in text


def moment(ply: int, seat: int, shares: tuple[float, ...], move: str = "c3", best: str = "d4") -> Moment:
    return Moment(ply, ply, ply, seat, "black", move, shares, best, (best,))


def test_the_cost_of_a_move_is_the_expectation_before_it_less_the_one_after() -> None:
    log = [moment(1, 0, (0.6, 0.4)), moment(2, 1, (0.2, 0.8)), moment(3, 0, (0.9, 0.1), "d4"), moment(4, 1, (0.5, 0.5))]
    assert [(one.ply, one.percent) for one in review.costs(log, (1.0, 0.0))] == [(1, 40), (2, 70), (4, 50)]
    assert [one.ply for one in review.costs(log, ())] == [1, 2]


def test_a_review_that_is_finished_comes_at_once_to_a_player_who_asks_by_email(town: Town) -> None:
    match = begun(town, "pillars", setup=SETUP)
    play(town, match, "T-F4", "K-A10", "resign")
    letters = {mail["To"].addresses[0].addr_spec: mail for mail in town.post()}
    review.ask(town.site, match, player(town, ADA))
    town.work()
    town.reply(letters[BEN], "review")
    (letter,) = town.post()
    assert (letter["To"].addresses[0].addr_spec, "a second look" in letter["Subject"]) == (BEN, True)
    assert "The computer has looked back at your match." in plain(letter)


@pytest.mark.parametrize("asked", [False, True])
def test_a_review_asked_for_among_other_commands_comes_by_email(town: Town, asked: bool) -> None:
    match = begun(town, "pillars", setup=SETUP)
    play(town, match, "T-F4", "K-A10", "resign")
    if asked:
        review.ask(town.site, match, player(town, ADA))
        town.work()
    town.post()
    answers = town.write(ADA, f"match {match}\nreview")
    assert {mail["Subject"] for mail in answers} == {"Re: your email", "Pillars of Medusa 1: a second look"}


def test_nothing_is_reviewed_when_no_match_waits_for_it(town: Town) -> None:
    match = begun(town, "pillars", setup=SETUP)
    play(town, match, "T-F4", "K-A10", "resign")
    review.ask(town.site, match, player(town, ADA))
    town.work()
    before = seen(town, match)
    review.go_on(town.site)
    assert seen(town, match) == before


def test_a_moment_of_the_count_is_not_replayed(town: Town) -> None:
    match = begun(town, "go", size="5")
    play(town, match, "c3", "pass", "pass", "dead c3")
    for seat in (0, 1):
        by = player(town, (ADA, BEN)[seat])
        submit(town.site, Incoming(f"web:accept{seat}", match, seat, by, None, parse("accept"), "web"))
        town.work()
    page = match_page(town.site, match, None)
    assert page is not None
    assert page.line.state == "over"
    with pytest.raises(OutOfTurn, match="You can only replay moments of play, not of the count after it"):
        review.try_again(town.site, match, 4, player(town, ADA))


def test_a_draw_by_agreement_costs_nobody_anything(town: Town) -> None:
    match = begun(town, "pillars", setup="7k3/11/11/11/11/11/11/11/11/QQ9/5K5 w - 0 1")
    play(town, match, "draw", "K-E1", "draw")
    review.ask(town.site, match, player(town, ADA))
    town.work()
    look = seen(town, match)
    assert (look.is_finished, look.scores, [one.move for one in look.moments]) == (True, (0.5, 0.5), ["K-E1"])
    assert look.worst == ()


def test_what_a_player_lost_by_leaving_is_no_cost_of_the_last_move(town: Town) -> None:
    ada, ben, cy = (player(town, each) for each in (ADA, BEN, "cy@example.com"))
    chairs = [Chair("me"), Chair("player", player_id=ben), Chair("player", player_id=cy)]
    match = lobby.open_match(town.site, ada, "multigo", {"size": "5"}, chairs)
    for each in (ben, cy):
        invitations.answer(town.site, match, each, accept=True)
    play(town, match, "c3", "a1")
    submit(town.site, Incoming(f"web:{match}:leaves", match, 1, ben, None, parse("resign"), "web"))
    town.work()
    play(town, match, "d4", "pass", "pass", "accept", "accept")
    review.ask(town.site, match, ada)
    town.work()
    look = seen(town, match)
    assert [(one.seat, one.move) for one in look.moments] == [(0, "c3"), (1, "a1"), (2, "d4"), (0, "pass"), (2, "pass")]
    assert look.moments[1].shares[1] > review.NOTABLE
    assert "a1" not in [one.move for one in look.worst]
