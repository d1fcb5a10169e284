"""Programs wait for events: each comes once, and only as many programs wait as the site has room for."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from datetime import timedelta

import pytest

from service.api import bell
from service.config import ROOT
from service.play.match import lobby
from service.play.match.lobby import Chair
from service.play.talk import happenings
from service.play.talk.happenings import Cursor
from service.store.models import Match
from service.store.tables.player_data import Saying
from service.web import places
from tests.api.conftest import Program
from tests.play.conftest import Town


def told(program: Program, after: str = "") -> tuple[list[tuple[str, int]], str]:
    found = program.ask(f"/events?after={after}").json
    return [(one["what"], one["match"]) for one in found["events"]], found["after"]


def test_a_program_first_gets_what_is_waiting_and_then_what_is_new(
    town: Town, ada: Program, bruno: Program, match: int
) -> None:
    assert told(ada)[0] == [("turn", match)]
    news, after = told(bruno)
    assert news == []
    town.now += timedelta(minutes=1)
    ada.order(match, "e9")
    news, after = told(bruno, after)
    assert news == [("turn", match)]
    assert told(bruno, after)[0] == []
    town.now += timedelta(minutes=1)
    ada.send(f"/matches/{match}/messages", {"text": "Hello"})
    news, after = told(bruno, after)
    assert news == [("said", match)]
    town.now += timedelta(minutes=1)
    bruno.order(match, "resign")
    assert told(ada, told(ada)[1])[0] == []
    assert told(bruno, after)[0] == [("over", match)]


@pytest.mark.parametrize("asked", [True, False])
def test_no_event_comes_again_ten_seconds_later(
    town: Town, ada: Program, bruno: Program, match: int, asked: bool
) -> None:
    """A cursor has whole milliseconds, but an event's time has microseconds."""
    town.now = town.now.replace(microsecond=0) + timedelta(minutes=1)
    after = told(bruno)[1]
    town.now += timedelta(microseconds=1_500)
    ada.order(match, "e9")
    if asked:
        news, after = told(bruno, after)
        assert news == [("turn", match)]
    town.now += timedelta(seconds=10, microseconds=400)
    news, after = told(bruno, after if asked else "")
    assert news == ([] if asked else [("turn", match)])
    assert told(bruno, after)[0] == []


def test_a_message_from_a_blocked_player_is_not_an_event(town: Town, ada: Program, bruno: Program, match: int) -> None:
    after = told(bruno)[1]
    bruno.send(f"/players/{ada.id}/block", None, "PUT")
    for texts in ((ada, "Hello"), (bruno, "Bye")):
        town.now += timedelta(minutes=1)
        texts[0].send(f"/matches/{match}/messages", {"text": texts[1]})
    assert ("said", match) not in told(bruno, after)[0]
    bruno.send(f"/players/{ada.id}/block", None, "DELETE")
    assert ("said", match) in told(bruno, after)[0]


def test_what_others_say_at_a_table_to_which_a_blocked_host_invites_is_not_an_event(
    town: Town, ada: Program, bruno: Program, enter: Callable[..., Program]
) -> None:
    cleo = enter("cleo")
    bruno.send(f"/players/{ada.id}/block", None, "PUT")
    number = ada.send("/matches", {"new": "multigo vs bruno@example.org, cleo@example.org"}).json["id"]
    cleo.send(f"/matches/{number}/answer", {"accept": True})
    _, after = told(bruno)
    town.now += timedelta(minutes=1)
    assert cleo.send(f"/matches/{number}/messages", {"text": "Hello"}).status == 200
    assert told(bruno, after)[0] == []


def test_an_invitation_is_an_event(town: Town, ada: Program, bruno: Program) -> None:
    _, after = told(bruno)
    town.now += timedelta(minutes=1)
    number = ada.send("/matches", {"new": "lotus vs bruno@example.org"}).json["id"]
    assert told(bruno, after)[0] == told(bruno)[0] == [("invitation", number)]
    town.now += timedelta(minutes=1)
    bruno.send(f"/matches/{number}/answer", {"accept": False})
    assert told(ada, after)[0][-1] == ("declined", number)


def test_a_late_commit_is_not_missed_and_nothing_comes_twice(
    town: Town, ada: Program, bruno: Program, match: int
) -> None:
    _, after = told(bruno)
    town.now += timedelta(seconds=20)
    _, after = told(bruno, after)
    with town.store.writing() as session:
        session.get_one(Match, match).moved = town.now - timedelta(seconds=5)
    news, after = told(bruno, after)
    assert news == [("moved", match)]
    for _ in range(3):
        news, after = told(bruno, after)
        assert news == []
        town.now += timedelta(seconds=4)


def test_many_events_come_in_several_answers(
    town: Town, ada: Program, bruno: Program, match: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(happenings, "LISTED", 3)
    _, after = told(bruno)
    for number in range(5):
        town.now += timedelta(seconds=1)
        assert ada.send(f"/matches/{match}/messages", {"text": f"Word {number}"}).status == 200
    first, after = told(bruno, after)
    second, after = told(bruno, after)
    third, _ = told(bruno, after)
    assert [len(first), len(second), len(third)] == [3, 2, 0]


def test_what_waits_at_first_comes_in_several_answers(
    town: Town, ada: Program, bruno: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(happenings, "LISTED", 2)
    pair = [Chair("me"), Chair("paired", player_id=bruno.id)]
    waiting = [lobby.open_match(town.site, ada.id, "rosette", {"base": "5"}, pair) for _ in range(5)]
    town.now += timedelta(minutes=1)
    heard, after = told(ada)
    town.now += timedelta(minutes=1)
    for match in (waiting[0], waiting[-1]):
        assert bruno.order(match, "resign").status == 200
    for _ in range(3):
        news, after = told(ada, after)
        heard += news
    expected = [*(("turn", match) for match in waiting[:-1]), ("over", waiting[0]), ("over", waiting[-1])]
    assert heard == expected
    assert told(ada, after)[0] == []


def test_a_cursor_may_name_the_largest_number(ada: Program) -> None:
    assert told(ada, f"1763726400123..{'9' * 17}.{'9' * 10}")[0] == []


def test_events_of_the_same_moment_come_in_several_answers(
    town: Town, ada: Program, bruno: Program, match: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(happenings, "LISTED", 2)
    _, after = told(bruno)
    town.now += timedelta(minutes=1)
    pair = [Chair("me"), Chair("paired", player_id=bruno.id)]
    others = [lobby.open_match(town.site, ada.id, "lotus", {}, pair) for _ in range(2)]
    with town.store.writing() as session:
        for number in (match, *others):
            session.get_one(Match, number).moved = town.now
    first, after = told(bruno, after)
    second, _ = told(bruno, after)
    assert {number for _, number in first + second} == {match, *others}
    assert [len(first), len(second)] == [2, 1]


def test_of_many_events_within_seconds_none_is_lost(town: Town, ada: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(happenings, "LISTED", 1)
    begins = happenings.waiting(town.site, ada.id).after
    town.now += timedelta(minutes=1)
    opened = [lobby.practise(town.site, ada.id, game) for game in ("lotus", "rosette", "medusa", "go")]
    found: list[int] = []
    for _ in range(6):
        news = happenings.since(town.site, ada.id, begins)
        found += [one.match_id for one in news.happenings]
        begins = news.after
    assert found == opened


def test_whispers_among_others_do_not_hide_what_was_said_later(
    town: Town, ada: Program, bruno: Program, match: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(happenings, "LISTED", 1)
    _, after = told(bruno)
    for number, to in enumerate((0b1, 0b1, 0b1, None)):
        town.now += timedelta(minutes=1)
        saying = {"match_id": match, "seat": 0, "player_id": ada.id, "to": to, "text": "Hello", "said": town.now}
        with town.store.writing() as session:
            session.add(Saying(key=f"said {number}", **saying))
    town.now += timedelta(minutes=1)
    assert told(bruno, after)[0] == [("said", match)]


@pytest.mark.parametrize("cursor", ["x", "-1", "1.abc", "1e3", "9" * 16, "1." + "0" * 3201])
def test_a_cursor_that_no_answer_had_is_refused(ada: Program, cursor: str) -> None:
    assert ada.ask(f"/events?after={cursor}").status == 422


def test_a_cursor_reads_back_what_it_wrote() -> None:
    cursor = Cursor.read("1763726400123.0123456789abcdef")
    assert Cursor.read(cursor.write()) == cursor
    assert cursor.write() == "1763726400123.0123456789abcdef"


def test_a_cursor_within_what_waits_reads_back_what_it_wrote() -> None:
    text = "1763726400123.0123456789abcdef.1763726400123456.78"
    assert Cursor.read(text).write() == text


def test_a_program_waits_until_something_happens(town: Town, ada: Program, bruno: Program, match: int) -> None:
    _, after = told(bruno)
    town.now += timedelta(minutes=1)
    heard: list[object] = []
    waiting = threading.Thread(target=lambda: heard.append(bruno.ask(f"/events?after={after}&wait=25").json["events"]))
    waiting.start()
    began = time.monotonic()
    while not bell.of(town.site)._waiting:
        time.sleep(0.01)
    ada.order(match, "e9")
    waiting.join()
    assert time.monotonic() - began < 25, "it is woken, not only checked at the end of the wait"
    assert [one["what"] for one in heard[0]] == ["turn"]  # type: ignore[attr-defined]


def test_the_bell_rings_only_for_players_of_a_match_that_changed(
    town: Town, ada: Program, bruno: Program, match: int
) -> None:
    watching = bell.Bell()
    watching._looks = True  # It queries only when this test says so.
    with watching.listening(town.site, bruno.id) as his, watching.listening(town.site, bruno.id + 9) as another:
        watching._ring(town.site)
        his.clear()
        another.clear()
        watching._ring(town.site)
        assert (his.is_set(), another.is_set()) == (False, False)
        town.now += timedelta(minutes=1)
        ada.order(match, "e9")
        watching._ring(town.site)
        assert (his.is_set(), another.is_set()) == (True, False)


def test_the_bell_looks_for_all_who_wait_in_one_thread(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    looking: list[object] = []
    monkeypatch.setattr(bell.Bell, "_look", lambda _, site: looking.append(site))
    watching = bell.Bell()
    with watching.listening(town.site, 1), watching.listening(town.site, 2):
        for thread in threading.enumerate():
            if thread.name == "bell":
                thread.join(10)
    assert len(looking) == 1


def test_requests_beyond_the_room_for_waiting_are_answered_immediately(
    ada: Program, bruno: Program, match: int
) -> None:
    _, after = told(ada)
    with ExitStack() as waiting:
        assert [waiting.enter_context(places.room(ada.id)) for _ in range(places.EACH + 1)] == [True] * places.EACH + [
            False
        ]
        answer = ada.ask(f"/events?after={after}&wait=25").json
        assert (answer["events"], answer["pause"]) == ([], 2)
        others = places.WAITING - places.EACH
        assert all(waiting.enter_context(places.room(1_000 + number)) for number in range(others))
        answer = bruno.ask(f"/events?after={told(bruno)[1]}&wait=25").json
        assert (answer["events"], answer["pause"]) == ([], 2)
    answer = ada.ask(f"/events?after={after}&wait=0.1").json
    assert (answer["events"], answer["pause"]) == ([], 0)


def test_waiting_requests_do_not_hold_up_others(enter: Callable[..., Program], anybody: Program) -> None:
    """There are more of them than requests may be worked on at a time."""
    programs = [enter(name) for name in ("ada", "bruno", "carla")]
    heard: list[int] = []

    def ask(one: Program, after: str) -> None:
        client = Program(one.client.application.test_client(), one.id, one.token)
        heard.append(client.ask(f"/events?after={after}&wait=1").status)

    waiting = [threading.Thread(target=ask, args=(one, told(one)[1])) for one in programs for _ in range(places.EACH)]
    assert len(waiting) > places.WORKING
    for one in waiting:
        one.start()
    assert anybody.ask("/games").status == 200
    assert heard == []
    for one in waiting:
        one.join()
    assert heard == [200] * len(waiting)


def test_a_process_has_a_thread_for_each_request() -> None:
    (threads,) = re.findall(r"--threads (\d+)", (ROOT / "Procfile").read_text())
    assert int(threads) == places.WORKING + places.WAITING


def test_a_query_costs_the_same_however_much_there_is(town: Town, ada: Program, match: int) -> None:
    """It reads only recent matches and messages, by indexes."""
    asked: list[str] = []
    with town.store.engine.connect() as connection:
        for statement in (happenings._MOVED, happenings._SAID):
            text = str(statement.compile(town.store.engine))
            asked += [row[3] for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}", ("2026-11-21",))]
    assert [re.sub(r"(COVERING )?INDEX", "INDEX", one) for one in asked] == [
        "SEARCH match USING INDEX match_by_time (moved>?)",
        "SEARCH saying USING INDEX saying_by_time (said>?)",
    ]
    assert {change.match_id for change in happenings.recent(town.site)} == {match}
    town.now += timedelta(seconds=11)
    assert happenings.recent(town.site) == frozenset()


def test_a_failed_query_does_not_end_later_ones(
    town: Town, ada: Program, bruno: Program, match: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, after = told(bruno)
    with monkeypatch.context() as broken:
        broken.setattr(happenings, "recent", lambda _site: 1 / 0)
        assert bruno.ask(f"/events?after={after}&wait=0.5").json["events"] == []
    town.now += timedelta(minutes=1)
    threading.Timer(0.5, lambda: ada.order(match, "e9")).start()
    assert [one["what"] for one in bruno.ask(f"/events?after={after}&wait=25").json["events"]] == ["turn"]


def test_an_empty_wait_ends(town: Town, ada: Program, match: int) -> None:
    _, after = told(ada)
    answer = ada.ask(f"/events?after={after}&wait=0.1").json
    assert (answer["events"], answer["pause"]) == ([], 0)
