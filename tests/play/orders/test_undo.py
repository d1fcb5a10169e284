"""Undo: an order is held for a while, and to everybody else a withdrawn one has never existed."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from sqlalchemy import select

from service.engine.game import OutOfTurn
from service.mail.grammar.orders import parse
from service.play.match import substitutes
from service.play.orders import undo
from service.play.orders.submit import AT_ONCE, Incoming, submit
from service.play.pages import match_page
from service.store.models import Player, Seat, Submission
from service.store.tables.mail_rows import Letter
from tests.play.conftest import Town, plain
from tests.play.table.test_teams import begun, person, team
from tests.play.timekeeping.test_clocks import HOUR, begin, deadline, log, order, player, swept

SECONDS = 60


def careful(town: Town, clock: str = "3d/move") -> tuple[int, int, int]:
    """A match in which the first player's moves are held for a minute."""
    ada, ben, match = begin(town, clock + (", no vacation" if clock != "none" else ""))
    with town.store.writing() as session:
        session.get_one(Player, ada).grace = SECONDS
    return ada, ben, match


def hold(town: Town, player_id: int, match: int, seat: int, text: str) -> str:
    """Sends an order as the page does, and returns its key."""
    key = f"web:{town.now}:{text}"
    submit(town.site, Incoming(key, match, seat, player_id, None, parse(text), "web", may_undo=True))
    town.work()
    return key


def held_until(town: Town, match: int, player_id: int) -> datetime | None:
    """Until when a move sent now would be held; None if it wouldn't be."""
    with town.store.reading() as session:
        return undo.until(session, town.now, match, player_id, parse("g10"))


def known(town: Town, match: int, viewer: int | None) -> tuple[object, ...]:
    """All that the page shows this viewer, and how far the match is in public."""
    page = match_page.match_page(town.site, match, viewer)
    return (page and page.line, page and page.entries, page and page.scene, page and page.held), match_page.newest(
        town.site, match
    )


def letters(town: Town) -> int:
    with town.store.reading() as session:
        return len(session.scalars(select(Letter.id)).all())


def test_others_never_see_a_withdrawn_move(town: Town) -> None:
    ada, ben, match = careful(town)
    before = [known(town, match, viewer) for viewer in (ben, None)], letters(town)
    key = hold(town, ada, match, 0, "g10")
    assert ([known(town, match, viewer) for viewer in (ben, None)], letters(town)) == before
    mine = match_page.match_page(town.site, match, ada)
    assert mine is not None
    assert [one.text for one in mine.held] == ["g10"]
    order(town, ada, match, 0, "undo")
    town.work()
    assert match_page.verdict(town.site, key, ada) == match_page.Verdict("withdrawn", "", "g10", "", match, deed="move")
    swept(town, timedelta(minutes=5))
    assert ([known(town, match, viewer) for viewer in (ben, None)], letters(town)) == before
    assert log(town, match) == []


def test_a_held_move_is_judged_by_the_sweep_as_if_it_were_still_the_time_it_was_sent(town: Town) -> None:
    ada, _, match = careful(town)
    sent = town.now
    key = hold(town, ada, match, 0, "g10")
    assert match_page.verdict(town.site, key, ada) == match_page.Verdict("held", "", "g10", "", match, deed="move")
    swept(town, timedelta(seconds=SECONDS - 10))
    assert log(town, match) == []
    swept(town, timedelta(seconds=30))
    assert log(town, match) == [(0, "g10")]
    page = match_page.match_page(town.site, match, None)
    assert page is not None
    assert page.entries[0].played == sent
    order(town, ada, match, 0, "undo")
    town.work()
    assert verdicts(town)[-1] == "refused"
    assert log(town, match) == [(0, "g10")]


def verdicts(town: Town) -> list[str | None]:
    with town.store.reading() as session:
        return list(session.scalars(select(Submission.verdict).order_by(Submission.id)))


def test_an_undo_in_time_counts_however_late_it_is_judged(town: Town) -> None:
    ada, _, match = careful(town)
    hold(town, ada, match, 0, "g10")
    order(town, ada, match, 0, "undo")
    town.queue.clear()  # The worker sleeps until the move is due.
    swept(town, timedelta(minutes=10))
    assert verdicts(town) == ["withdrawn", "accepted"]
    assert log(town, match) == []


def test_orders_sent_after_a_held_one_wait_with_it(town: Town) -> None:
    ada, ben, match = careful(town)
    hold(town, ada, match, 0, "g10")
    order(town, ada, match, 0, "if e10 then e9")
    order(town, ben, match, 1, "extend 1d")
    town.work()
    assert verdicts(town) == [None, None, "accepted"]
    swept(town, timedelta(minutes=2))
    assert verdicts(town) == ["accepted"] * 3


def test_a_move_held_past_the_deadline_was_in_time_and_nothing_is_held_in_the_last_hour(town: Town) -> None:
    ada, _, match = careful(town)
    end = deadline(town, match, 0)
    assert end is not None
    town.now = end - HOUR - timedelta(seconds=SECONDS + 1)
    assert held_until(town, match, ada) is not None
    town.now = end - HOUR
    assert held_until(town, match, ada) is None
    submit(town.site, Incoming("web:held", match, 0, ada, None, parse("g10"), "web"))
    with town.store.writing() as session:
        session.scalars(select(Submission)).one().held = end + HOUR
    swept(town, 2 * HOUR - timedelta(minutes=5))
    assert log(town, match) == []
    swept(town, timedelta(minutes=10))
    assert log(town, match) == [(0, "g10")]


def test_undo_of_a_sealed_choice_names_the_word_that_withdraws_it(town: Town) -> None:
    town.write("ada@example.org", "new multigo-parallel size=5 vs ben@example.net vs cy@example.net")
    for name in ("ben", "cy"):
        town.write(f"{name}@example.net", "join 1")
    town.write("ada@example.org", "c3")
    (answer,) = town.write("ada@example.org", "undo")
    said = " ".join(plain(answer).split())
    assert "Nobody else sees your choice before the round is resolved. To withdraw it, write wait." in said
    assert "already gone out" not in said
    with pytest.raises(OutOfTurn, match="write wait"):
        match_page.preview(town.site, 1, player(town, "ada@example.org"), "undo")
    (answer,) = town.write("ada@example.org", "wait")
    assert "Accepted: wait" in plain(answer)


def test_undo_of_a_sealed_alliance_names_no_word_that_is_refused_there(town: Town) -> None:
    players = ["ada@example.org", "ben@example.net", "cy@example.net"]
    town.write(players[0], "new multigo-coop size=5 vs ben@example.net vs cy@example.net")
    for one in players[1:]:
        town.write(one, "join 1")
    for move in ("pass", "accept"):
        for one in players:
            town.write(one, move)
    town.write(players[0], "ally white")
    (answer,) = town.write(players[0], "undo")
    said = " ".join(plain(answer).split())
    assert "Nobody else sees your choice before everybody has chosen. To change it, send another." in said
    (answer,) = town.write(players[0], "alone")
    assert "Accepted: alone" in plain(answer)


def test_moves_by_email_are_held_too_and_undo_is_set_up_by_email(town: Town) -> None:
    town.write("ada@example.org", "new rosette base=5 vs ben@example.net\ngrace 60")
    town.write("ben@example.net", "join 1")
    (answer,) = town.write("ada@example.org", "g10")
    assert "Accepted: g10 in Rosette 1. Nobody sees it for 60 seconds" in " ".join(plain(answer).split())
    (answer,) = town.write("ada@example.org", "undo\nshow")
    assert "Your order in Rosette 1 was withdrawn. Nobody has seen it." in plain(answer)
    assert "[" not in plain(answer).partition("| show")[2]
    town.write("ada@example.org", "g11")
    swept(town, timedelta(minutes=2))
    assert log(town, 1) == [(0, "g11")]
    assert "your move 2" in town.post()[0]["Subject"]
    (answer,) = town.write("ada@example.org", "undo\ngrace 45\ngrace none")
    said = " ".join(plain(answer).split())
    assert "Your order has already gone out." in said
    assert "Write one of 0, 30, 60, 300 seconds" in said
    assert "Your moves go out right away." in said


def test_moves_are_not_held_unless_the_player_asked_for_it(town: Town) -> None:
    ada, _, match = begin(town, "3d/move")
    assert held_until(town, match, ada) is None
    order(town, ada, match, 0, "g10")
    order(town, ada, match, 0, "undo")
    town.work()
    assert log(town, match) == [(0, "g10")]


def test_choices_in_a_simultaneous_round_are_not_held(town: Town) -> None:
    """A delay would show who has sealed a choice."""
    ada, _, match = careful(town, "none")
    assert held_until(town, match, ada) is not None
    with town.store.writing() as session:
        for number in (0, 1):
            session.get_one(Seat, (match, number)).awaited = True
    assert held_until(town, match, ada) is None


def test_held_orders_dont_delay_other_players(town: Town) -> None:
    """However many there are: a delay would show that there are some."""
    ada, ben, match = careful(town)
    for number in range(1, AT_ONCE + 2):
        hold(town, ada, match, 0, f"g{number}")
    order(town, ben, match, 1, "resign")
    town.work()
    assert log(town, match) == [(1, "resign")]


def test_a_former_players_held_move_doesnt_delay_the_substitute(town: Town) -> None:
    match = begun(town, "rosette", team("ada"), team("ben"), substitutes=True)
    ada, eva = person(town, "ada"), person(town, "eva")
    with town.store.writing() as session:
        session.get_one(Player, ada).grace = SECONDS
    former = sent(town, ada, match, "g10")
    substitutes.offer(town.site, match, ada, "anybody")
    substitutes.join(town.site, match, eva)
    assert state(town, sent(town, eva, match, "g9"), eva)[0] == "accepted"
    swept(town, timedelta(minutes=2))
    assert log(town, match) == [(0, "substitute"), (0, "g9")]
    assert state(town, former, ada)[0] == "refused"


def sent(town: Town, player_id: int, match: int, text: str, **more: object) -> str:
    """Sends an order a second later, by default for round 1 and from the page, and returns its key."""
    town.now += timedelta(seconds=1)
    key = f"web:{town.now}:{text}"
    known: dict[str, object] = {"round": 1, "door": "web", "may_undo": True} | more
    incoming = Incoming(key, match, 0, player_id, order=parse(text), **known)  # type: ignore[arg-type]
    submit(town.site, incoming)
    town.work()
    return key


def state(town: Town, key: str, player_id: int) -> tuple[str, str]:
    verdict = match_page.verdict(town.site, key, player_id)
    assert verdict is not None
    return verdict.state, verdict.code


def waiting(town: Town, match: int, player_id: int) -> list[str]:
    """The orders that, according to the page, nobody else has seen yet."""
    page = match_page.match_page(town.site, match, player_id)
    assert page is not None
    return [one.text for one in page.held]


@pytest.mark.parametrize(
    ("first", "second", "door"),
    [
        ("g11", "g9", {}),
        ("g11", "g11", {}),
        ("g11", "g9 if e10 then e9", {}),
        ("g11 if e10 then e9", "g9", {}),
        ("resign", "g9", {}),
        ("g11", "pass", {}),
        ("g11", "g9 or g8", {"round": None}),
        ("g11", "g9", {"door": "api"}),
        ("g11", "g9", {"door": "api", "may_undo": False}),
    ],
)
def test_a_second_move_replaces_a_held_one(town: Town, first: str, second: str, door: dict[str, object]) -> None:
    ada, ben, match = careful(town)
    before = known(town, match, ben), letters(town)
    one = sent(town, ada, match, first)
    two = sent(town, ada, match, second, **door)
    assert state(town, one, ada) == ("withdrawn", undo.REPLACED)
    if door.get("may_undo", True):
        assert waiting(town, match, ada) == [second]
        assert (known(town, match, ben), letters(town)) == before
        swept(town, timedelta(seconds=SECONDS - 2))
        assert log(town, match) == [], "It is held from when it was sent, and so is the clock."
    swept(town, timedelta(minutes=2))
    assert [move for _, move in log(town, match)] == [second.partition(" ")[0]]
    assert state(town, two, ada) == ("accepted", "")


def test_an_illegal_second_move_is_refused_at_once_and_the_first_is_played(town: Town) -> None:
    ada, _, match = careful(town)
    one = sent(town, ada, match, "g11")
    for text, meant in (("g99", 1), ("nonsense", 1), ("g9", 0)):
        two = sent(town, ada, match, text, round=meant)
        assert state(town, two, ada)[0] == "refused"
        assert waiting(town, match, ada) == ["g11"]
    swept(town, timedelta(minutes=2))
    assert log(town, match) == [(0, "g11")]
    assert state(town, one, ada) == ("accepted", "")


def test_an_illegal_move_is_refused_without_being_held(town: Town) -> None:
    ada, _, match = careful(town)
    assert state(town, sent(town, ada, match, "g99"), ada)[0] == "refused"
    assert waiting(town, match, ada) == []


@pytest.mark.parametrize("second", ["if e10 then e9", "standing pass", "pause", "takeback", "forget"])
def test_an_order_that_isnt_a_move_doesnt_replace_a_held_move(town: Town, second: str) -> None:
    ada, _, match = careful(town, "3d/move, late passes")
    one = sent(town, ada, match, "g11")
    two = sent(town, ada, match, second)
    assert state(town, two, ada) == ("held", ""), "It waits with the move."
    assert waiting(town, match, ada)[0] == "g11"
    swept(town, timedelta(minutes=3))
    assert log(town, match) == [(0, "g11")]
    assert [state(town, key, ada)[0] for key in (one, two)] == ["accepted", "accepted"]


@pytest.mark.parametrize(("first", "second"), [("draw", "I2-I4"), ("I2-I4", "draw")])
def test_a_draw_offer_and_a_move_are_held_and_judged_together(town: Town, first: str, second: str) -> None:
    ada, ben, match = begin(town, "3d/move, no vacation", "pillars")
    with town.store.writing() as session:
        session.get_one(Player, ada).grace = SECONDS
    sent(town, ada, match, first)
    sent(town, ada, match, second)
    assert waiting(town, match, ada) == [first, second]
    swept(town, timedelta(minutes=2))
    assert sorted(move for _, move in log(town, match)) == ["I2-I4", "draw"]
    order(town, ben, match, 1, "draw")
    swept(town)
    assert log(town, match)[-1] == (1, "draw"), "The offer stands: who answers it with a draw accepts it."


def test_a_move_replaces_the_acceptance_of_a_draw(town: Town) -> None:
    ada, ben, match = begin(town, "3d/move, no vacation", "pillars")
    with town.store.writing() as session:
        session.get_one(Player, ada).grace = SECONDS
    order(town, ben, match, 1, "draw")
    town.work()
    one = sent(town, ada, match, "draw", round=2)
    sent(town, ada, match, "I2-I4", round=2)
    assert state(town, one, ada) == ("withdrawn", undo.REPLACED)
    swept(town, timedelta(minutes=2))
    assert [move for _, move in log(town, match)] == ["draw", "I2-I4"]


@pytest.mark.parametrize("answer", ["accept takeback", "accept", "takeback"])
def test_agreeing_to_a_takeback_withdraws_the_held_answer_to_that_move(town: Town, answer: str) -> None:
    ada, ben, match = careful(town)
    order(town, ada, match, 0, "g11")
    swept(town, timedelta(minutes=2))
    with town.store.writing() as session:
        session.get_one(Player, ben).grace = SECONDS
    reply = Incoming("web:reply", match, 1, ben, 2, parse("e10"), "web", may_undo=True)
    submit(town.site, reply)
    order(town, ada, match, 0, "takeback")
    town.work()
    submit(town.site, Incoming("web:answer", match, 1, ben, 2, parse(answer), "web", may_undo=True))
    town.work()
    assert state(town, "web:reply", ben) == ("withdrawn", undo.REPLACED)
    assert waiting(town, match, ben) == [answer]
    swept(town, timedelta(minutes=2))
    assert log(town, match) == [(0, "g11"), (0, "takeback")]
    assert state(town, "web:answer", ben) == ("accepted", "")


def test_agreeing_to_an_earlier_takeback_leaves_the_held_answer_alone(town: Town) -> None:
    ada, ben, match = careful(town)
    order(town, ada, match, 0, "g11")
    swept(town, timedelta(minutes=2))
    with town.store.writing() as session:
        session.get_one(Player, ben).grace = SECONDS
    submit(town.site, Incoming("web:reply", match, 1, ben, 2, parse("e10"), "web", may_undo=True))
    order(town, ada, match, 0, "takeback")
    town.work()
    submit(town.site, Incoming("web:answer", match, 1, ben, 1, parse("accept takeback"), "web", may_undo=True))
    town.work()
    swept(town, timedelta(minutes=2))
    assert log(town, match) == [(0, "g11"), (1, "e10")]
    assert state(town, "web:answer", ben) == ("refused", "out-of-turn")


@pytest.mark.parametrize(
    ("orders", "played"), [(("undo", "g9"), ["g9"]), (("g9", "undo"), []), (("undo", "g9", "g8"), ["g8"])]
)
def test_moves_and_withdrawals_count_in_the_order_received_however_late_they_are_judged(
    town: Town, orders: tuple[str, ...], played: list[str]
) -> None:
    ada, _, match = careful(town)
    for text in ("g11", *orders):
        town.now += timedelta(seconds=1)
        submit(town.site, Incoming(f"web:{text}", match, 0, ada, 1, parse(text), "web", may_undo=True))
    town.queue.clear()  # The worker sleeps until all of them are due.
    swept(town, timedelta(minutes=10))
    assert [move for _, move in log(town, match)] == played


def test_a_move_sent_after_the_first_is_no_longer_held_is_refused_at_once(town: Town) -> None:
    ada, _, match = careful(town)
    sent(town, ada, match, "g11")
    town.now += timedelta(seconds=SECONDS)  # The sweep hasn't come by yet.
    two = sent(town, ada, match, "g9")
    assert log(town, match) == [(0, "g11")]
    verdict = match_page.verdict(town.site, two, ada)
    assert verdict is not None
    assert verdict.message.startswith("That order was for move 1, but the match is now at move 2.")


def test_a_second_move_by_email_replaces_the_first_and_an_answer_says_so(town: Town) -> None:
    town.write("ada@example.org", "new rosette base=5 vs ben@example.net\ngrace 60")
    begun = town.write("ben@example.net", "join 1")
    turn = next(mail for mail in begun if "your move" in mail["Subject"])
    town.reply(turn, "g11\n\nTo the corner!")
    town.post()
    town.reply(turn, "g9")
    (told,) = town.post()
    said = " ".join(plain(told).split())
    assert "Your order g11 was withdrawn, because you sent g9 after it. Nobody has seen g11." in said
    assert (
        'What you wrote below it wasn\'t sent to anybody, because nobody else sees this order: "To the corner!"' in said
    )
    swept(town, timedelta(minutes=2))
    assert log(town, 1) == [(0, "g9")]


def test_a_partners_order_doesnt_replace_a_held_move(town: Town) -> None:
    match = begun(town, "rosette", team("ada", "eva"), team("ben"))
    ada, eva = person(town, "ada"), person(town, "eva")
    with town.store.writing() as session:
        session.get_one(Player, ada).grace = SECONDS
    sent(town, ada, match, "g11")
    theirs = sent(town, eva, match, "g9", may_undo=False)
    assert waiting(town, match, ada) == ["g11"]
    assert waiting(town, match, eva) == []
    swept(town, timedelta(minutes=2))
    assert log(town, match) == [(0, "g11")]
    assert state(town, theirs, eva)[0] == "refused"


def test_the_page_shows_what_a_move_replaces_and_the_remark_that_was_not_sent(town: Town) -> None:
    ada, _, match = careful(town)
    sent(town, ada, match, "g11", remark="To the corner!")
    sent(town, ada, match, "g9")
    page = match_page.match_page(town.site, match, ada)
    assert page is not None
    (held,) = page.held
    assert (held.text, held.replaced, held.unsaid) == ("g9", "g11", "To the corner!")
    assert held.until > town.now


def test_nothing_is_held_of_a_player_without_a_seat(town: Town) -> None:
    _, _, match = careful(town)
    stranger = person(town, "eva")
    with town.store.writing() as session:
        session.get_one(Player, stranger).grace = SECONDS
    assert held_until(town, match, stranger) is None
    assert held_until(town, match + 1, stranger) is None
