"""Undo: an order is held back for a while, and one that was withdrawn was never there for anybody else."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from sqlalchemy import select

from service.mail.grammar.orders import parse
from service.play.orders import undo
from service.play.orders.submit import AT_ONCE, Incoming, submit
from service.play.pages import match_page
from service.store.models import Player, Seat, Submission
from service.store.tables.mail_rows import Letter
from tests.play.conftest import Town, plain
from tests.play.table.test_teams import begun, person, team
from tests.play.timekeeping.test_clocks import HOUR, begin, deadline, log, order, swept

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
    """How long a move sent now would be held."""
    with town.store.reading() as session:
        return undo.until(session, town.now, match, player_id, parse("g10"))


def known(town: Town, match: int, viewer: int | None) -> tuple[object, ...]:
    """All that a page tells this viewer, and how far the match is."""
    page = match_page.match_page(town.site, match, viewer)
    return (page and page.line, page and page.entries, page and page.scene, page and page.held), match_page.newest(
        town.site, match
    )


def letters(town: Town) -> int:
    with town.store.reading() as session:
        return len(session.scalars(select(Letter.id)).all())


def test_a_withdrawn_move_was_never_there(town: Town) -> None:
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


def test_a_held_move_is_judged_by_the_sweep_as_of_when_it_was_sent(town: Town) -> None:
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


def test_an_undo_that_came_in_time_counts_however_late_it_is_judged(town: Town) -> None:
    ada, _, match = careful(town)
    hold(town, ada, match, 0, "g10")
    order(town, ada, match, 0, "undo")
    town.queue.clear()  # The worker sleeps until the move is due.
    swept(town, timedelta(minutes=10))
    assert verdicts(town) == ["withdrawn", "accepted"]
    assert log(town, match) == []


def test_what_is_sent_after_a_held_order_waits_with_it(town: Town) -> None:
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


def test_a_move_by_mail_is_held_as_well_and_all_of_it_is_set_by_mail(town: Town) -> None:
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


def test_a_move_of_somebody_who_asked_for_no_time_to_undo_is_never_held(town: Town) -> None:
    ada, _, match = begin(town, "3d/move")
    assert held_until(town, match, ada) is None
    order(town, ada, match, 0, "g10")
    order(town, ada, match, 0, "undo")
    town.work()
    assert log(town, match) == [(0, "g10")]


def test_nobody_waits_for_a_choice_that_others_make_too(town: Town) -> None:
    """A delay would tell who has sealed a choice."""
    ada, _, match = careful(town, "none")
    assert held_until(town, match, ada) is not None
    with town.store.writing() as session:
        for number in (0, 1):
            session.get_one(Seat, (match, number)).awaited = True
    assert held_until(town, match, ada) is None


def test_orders_held_back_keep_nobody_else_waiting(town: Town) -> None:
    """However many they are: a delay would tell that there are some."""
    ada, ben, match = careful(town)
    for number in range(1, AT_ONCE + 2):
        hold(town, ada, match, 0, f"g{number}")
    order(town, ben, match, 1, "resign")
    town.work()
    assert log(town, match) == [(1, "resign")]


def sent(town: Town, player_id: int, match: int, text: str, **more: object) -> str:
    """Sends an order a second later, for the round of the page unless another is given, and returns its key."""
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
    """What the page says nobody has seen yet."""
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
def test_a_second_move_replaces_the_one_that_is_held(
    town: Town, first: str, second: str, door: dict[str, object]
) -> None:
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


def test_a_second_move_that_cant_be_played_is_refused_at_once_and_the_first_is_played(town: Town) -> None:
    ada, _, match = careful(town)
    one = sent(town, ada, match, "g11")
    for text, meant in (("g99", 1), ("nonsense", 1), ("g9", 0)):
        two = sent(town, ada, match, text, round=meant)
        assert state(town, two, ada)[0] == "refused"
        assert waiting(town, match, ada) == ["g11"]
    swept(town, timedelta(minutes=2))
    assert log(town, match) == [(0, "g11")]
    assert state(town, one, ada) == ("accepted", "")


def test_a_move_that_cant_be_played_isnt_held_first(town: Town) -> None:
    ada, _, match = careful(town)
    assert state(town, sent(town, ada, match, "g99"), ada)[0] == "refused"
    assert waiting(town, match, ada) == []


@pytest.mark.parametrize("second", ["if e10 then e9", "standing pass", "pause", "takeback", "forget"])
def test_what_is_no_move_leaves_the_held_one_as_it_is(town: Town, second: str) -> None:
    ada, _, match = careful(town, "3d/move, late passes")
    one = sent(town, ada, match, "g11")
    two = sent(town, ada, match, second)
    assert state(town, two, ada) == ("held", ""), "It waits with the move."
    assert waiting(town, match, ada)[0] == "g11"
    swept(town, timedelta(minutes=3))
    assert log(town, match) == [(0, "g11")]
    assert [state(town, key, ada)[0] for key in (one, two)] == ["accepted", "accepted"]


@pytest.mark.parametrize(("first", "second"), [("draw", "I2-I4"), ("I2-I4", "draw")])
def test_a_draw_offered_with_a_move_is_offered_and_the_move_played(town: Town, first: str, second: str) -> None:
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


@pytest.mark.parametrize(
    ("orders", "played"), [(("undo", "g9"), ["g9"]), (("g9", "undo"), []), (("undo", "g9", "g8"), ["g8"])]
)
def test_moves_and_withdrawals_count_in_the_order_they_came_however_late_they_are_judged(
    town: Town, orders: tuple[str, ...], played: list[str]
) -> None:
    ada, _, match = careful(town)
    for text in ("g11", *orders):
        town.now += timedelta(seconds=1)
        submit(town.site, Incoming(f"web:{text}", match, 0, ada, 1, parse(text), "web", may_undo=True))
    town.queue.clear()  # The worker sleeps until all of them are due.
    swept(town, timedelta(minutes=10))
    assert [move for _, move in log(town, match)] == played


def test_a_move_that_came_when_the_time_of_the_first_was_over_is_refused_at_once(town: Town) -> None:
    ada, _, match = careful(town)
    sent(town, ada, match, "g11")
    town.now += timedelta(seconds=SECONDS)  # The sweep hasn't come by yet.
    two = sent(town, ada, match, "g9")
    assert log(town, match) == [(0, "g11")]
    verdict = match_page.verdict(town.site, two, ada)
    assert verdict is not None
    assert verdict.message.startswith("That order was for move 1, but the match is now at move 2.")


def test_by_email_a_second_move_replaces_the_first_and_an_answer_says_so(town: Town) -> None:
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


def test_what_a_partner_sends_replaces_nothing(town: Town) -> None:
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


def test_the_page_says_what_a_move_replaces_and_what_went_to_nobody(town: Town) -> None:
    ada, _, match = careful(town)
    sent(town, ada, match, "g11", remark="To the corner!")
    sent(town, ada, match, "g9")
    page = match_page.match_page(town.site, match, ada)
    assert page is not None
    (held,) = page.held
    assert (held.text, held.replaced, held.unsaid) == ("g9", "g11", "To the corner!")
    assert held.until > town.now
