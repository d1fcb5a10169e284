"""Matches that ended long ago are packed, and everything that may come after still works."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import delete, event, func, select, update

from service.mail.grammar.orders import parse
from service.play.accounts import deletion
from service.play.inbox.receive import receive
from service.play.match import review
from service.play.operations import packing
from service.play.operations.sweep import sweep
from service.play.orders.submit import Incoming, submit
from service.play.pages.match_page import match_page
from service.play.pages.records import export
from service.play.ratings import recompute
from service.play.table import replay
from service.play.talk import comments, messages
from service.render.notation.record_json import Json
from service.store.entries import Logged, entries, pack, unpack
from service.store.models import Entry, Match, Player, Submission
from service.store.session import Store
from service.store.tables.bot_turns import BotTurn
from service.store.tables.mail_rows import Letter
from service.store.tables.player_data import Saying
from service.store.tables.ratings import PlayerRating, RatedSeat
from service.store.tables.reviews import Review, ReviewReader
from tests.play.conftest import WORK, Town, plain
from tests.play.inbox.test_run_commands import ADA, BEN, rosette
from tests.play.ratings.test_rate import play, ratings, seats
from tests.play.timekeeping.test_clocks import begin, swept

LONG = timedelta(days=31)

NUMBERS, WORDS = st.integers(0, 2**40), st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
LOGS = st.lists(
    st.builds(
        Logged,
        st.just(0),
        st.integers(0, 7),
        WORDS,
        WORDS,
        NUMBERS.map(lambda number: datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=number)),
        NUMBERS,
        st.booleans(),
        st.none() | NUMBERS,
        st.sampled_from(("", "late", "replaced", "ahead")),
        st.none() | NUMBERS,
    ),
    max_size=20,
)


def left(town: Town) -> list[int]:
    """The numbers of entries, of orders, and of letters about a match."""
    with town.store.reading() as session:
        letters = select(func.count(Letter.id)).where(Letter.match_id.is_not(None))
        counts = (select(func.count()).select_from(Entry), select(func.count(Submission.id)), letters)
        return [session.scalar(count) or 0 for count in counts]


def mailed(town: Town) -> dict[str, EmailMessage]:
    """A match that ended with an order by email; each player's last email about a turn."""
    turns = rosette(town)
    town.reply(turns[ADA], "g10\n\nWell met.")
    (turns[BEN],) = (mail for mail in town.post() if mail["To"].addresses[0].addr_spec == BEN)
    town.reply(turns[BEN], "resign")
    town.reply(town.post()[-1], "yes")
    town.post()
    return turns


def one_more(town: Town) -> None:
    """Begins another match, so that the latest rows aren't those of the first."""
    town.reply(town.write(ADA, f"new rosette vs {BEN}")[0], "accept")
    town.post()


@given(LOGS)
def test_a_packed_log_is_read_as_it_was(log: list[Logged]) -> None:
    numbered = [entry._replace(ply=ply) for ply, entry in enumerate(log, 1)]
    assert list(unpack(pack(numbered))) == numbered


def test_packing_keeps_the_log_and_deletes_orders_and_letters(town: Town) -> None:
    mailed(town)
    one_more(town)
    before, page = left(town), match_page(town.site, 1, None)
    assert before[0] == 2
    assert packing.pack_old(town.site) == 0
    town.now += timedelta(days=29, hours=23)
    assert (packing.pack_old(town.site), left(town)) == (0, before)
    town.now += timedelta(days=1)
    town.settings = replace(town.settings, keep=replace(town.settings.keep, pack=0))
    assert (packing.pack_old(town.site), left(town)) == (0, before)
    town.settings = replace(town.settings, keep=replace(town.settings.keep, pack=30))
    sweep(town.site)
    town.work()
    replay.forget()
    assert left(town)[0] == 0
    with town.store.reading() as session:
        assert session.scalars(select(Submission.match_id).distinct()).all() == [2]
        assert set(session.scalars(select(Letter.match_id).where(Letter.match_id.is_not(None)))) == {2}
        assert len(session.scalars(select(Match.log).where(Match.id == 1)).one() or b"") < 160
        log = entries(session, session.get_one(Match, 1), authors=True)
        assert [(one.ply, one.seat, one.move, one.remark) for one in log] == [
            (1, 0, "g10", "Well met."),
            (2, 1, "resign", ""),
        ]
        assert [one.by for one in log] == [place.player_id for place in session.get_one(Match, 1).seats]
    now = match_page(town.site, 1, None)
    assert page is not None
    assert now is not None
    assert (now.entries, now.scene, now.rows) == (page.entries, page.scene, page.rows)


def _unjudged(town: Town) -> None:
    with town.store.writing() as session:
        session.execute(update(Submission).where(Submission.id == 1).values(verdict=None))


def _owed(town: Town) -> None:
    with town.store.writing() as session:
        session.execute(update(Letter).where(Letter.match_id == 1).values(sent=None, due=town.now))


def _held(town: Town) -> None:
    with town.store.writing() as session:
        values = {"held": True, "due": None, "created": town.now - timedelta(days=29)}
        session.execute(update(Letter).where(Letter.match_id == 1).values(values))


def _in_review(town: Town) -> None:
    review.ask(town.site, 1, 1)


@pytest.mark.parametrize("busy", [_unjudged, _owed, _held, _in_review])
def test_a_match_with_unfinished_work_waits_and_others_dont_wait_for_it(
    town: Town, busy: Callable[[Town], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packing, "AT_ONCE", 1)
    mailed(town)
    ada, ben, second = begin(town, "none")
    play(town, second, (ada, 0, "e5"), (ben, 1, "resign"))
    town.now += LONG
    busy(town)
    assert [packing.pack_old(town.site) for _ in range(2)] == [1, 0]
    with town.store.reading() as session:
        assert session.scalars(select(Match.id).where(Match.log.is_not(None))).all() == [second]


def test_letters_of_the_last_week_and_the_latest_rows_stay(town: Town) -> None:
    """SQLite would reuse the number of the latest row if it were deleted."""
    mailed(town)
    town.now += timedelta(days=25)
    with town.store.reading() as session:
        ada, latest = session.get_one(Match, 1).seats[0].player_id or 0, session.scalar(select(func.max(Submission.id)))
    messages.say(town.site, 1, ada, "Another one?", "web:said")
    town.work()
    town.now += timedelta(days=6)
    assert packing.pack_old(town.site) == 1
    assert left(town) == [0, 1, 1]
    with town.store.reading() as session:
        assert session.scalars(select(Submission.id)).all() == [latest]
        assert session.scalars(select(Letter.kind).where(Letter.match_id == 1)).all() == ["said"]


def test_what_is_written_about_a_packed_match_goes_too(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "SLICE", 2)
    mailed(town)
    one_more(town)
    town.now += LONG
    assert packing.pack_old(town.site) == 1
    with town.store.reading() as session:
        ada = session.get_one(Match, 1).seats[0].player_id or 0
    messages.say(town.site, 1, ada, "Another one?", "web:said")
    submit(town.site, Incoming("web:late", 1, 0, ada, None, parse("f11"), "web"))
    town.work()
    town.post()
    one_more(town)
    kept = left(town)
    for days in (6, 2):
        town.now += timedelta(days=days)
        for _ in range(20):
            town.now += timedelta(seconds=town.settings.sweep_seconds)
            packing.pack_old(town.site)
        if days == 6:
            assert left(town) == kept
    with town.store.reading() as session:
        assert set(session.scalars(select(Submission.match_id))) == {2, 3}
        assert set(session.scalars(select(Letter.match_id).where(Letter.match_id.is_not(None)))) == {2, 3}


def test_the_turns_of_opponents_in_a_packed_match_go(town: Town) -> None:
    mailed(town)
    one_more(town)
    with town.store.writing() as session:
        session.add_all(BotTurn(match_id=match, seat=0, ply=0, leased=town.now) for match in (1, 2))
    town.now += LONG
    assert packing.pack_old(town.site) == 1
    with town.store.reading() as session:
        assert session.scalars(select(BotTurn.match_id)).all() == [2]


def test_many_matches_are_packed_in_bounded_steps(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "AT_ONCE", 5)
    monkeypatch.setattr(packing, "IN_ONE", 2)
    for _ in range(7):
        ada, ben, match = begin(town, "none")
        play(town, match, (ada, 0, "e5"), (ben, 1, "resign"))
        town.now += timedelta(days=1)  # So that no invitation waits for a digest.
    town.now += LONG
    written: list[str] = []
    event.listen(town.store.engine, "commit", lambda _: written.append("commit"))
    assert [packing.pack_old(town.site) for _ in range(3)] == [5, 2, 0]
    assert len(written) == 4


@pytest.mark.parametrize("database", ["sqlite", "postgresql"], indirect=True)
@pytest.mark.parametrize("statement", ["UPDATE", "DELETE FROM entry", "DELETE FROM submission", "COMMIT"])
def test_a_kill_in_the_middle_loses_nothing(town: Town, statement: str) -> None:
    mailed(town)
    one_more(town)
    town.now += LONG
    before, page = left(town), record(town)
    _killed_at(town, statement)
    assert (left(town), record(town)) == (before, page)
    assert packing.pack_old(town.site) == 1
    assert left(town) < before
    assert record(town) == page


def record(town: Town) -> str:
    replay.forget()
    return export(town.site, 1, Json()) or ""


def _killed_at(town: Town, statement: str) -> None:
    """Packs in a process that is killed just before it executes this statement."""
    town.store.close()
    child = os.fork()
    if not child:
        store = Store(town.store.url)

        def die(*given: object) -> None:
            if len(given) == 1 or str(given[2]).startswith(statement):
                os.kill(os.getpid(), signal.SIGKILL)

        event.listen(store.engine, "commit" if statement == "COMMIT" else "before_cursor_execute", die)
        packing.pack_old(replace(town.site, store=store))
        os._exit(0)
    assert os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGKILL


def both_ways(town: Town, after: Callable[[], object]) -> None:
    """Asserts that `after` returns the same whether the match is packed or not."""
    town.now += LONG
    found = []
    for packed in (False, True):
        if packed:
            assert packing.pack_old(town.site) >= 1
            replay.forget()
        found.append(after())
    assert found[0]
    assert found[0] == found[1]


def told(town: Town, reply: bytes, recipients: list[str]) -> list[tuple[str, str]]:
    """The emails that answer a reply: address and text of each."""
    receive(town.site, reply, recipients, "smtp")
    town.work()
    return [(str(mail["To"]), plain(mail)) for mail in town.post()]


@pytest.mark.parametrize("text", ["f11", "resign", "takeback", "status", "nonsense"])
def test_a_late_reply_is_answered_as_before(town: Town, text: str) -> None:
    turns = mailed(town)
    both_ways(town, lambda: told(town, *town.written(turns[ADA], text)))


def test_a_late_move_of_a_player_who_lost_on_time_is_answered_as_before(town: Town) -> None:
    *_, match = begin(town, "3d/move, no vacation")
    turn = next(mail for mail in town.post() if ADA in str(mail["To"]))
    swept(town, timedelta(days=4))
    town.post()
    with town.store.reading() as session:
        assert session.get_one(Match, match).reason == "time"
    both_ways(town, lambda: "Your time ran out before this order" in told(town, *town.written(turn, "f11"))[0][1])


def test_a_message_that_quotes_a_deleted_letter_is_passed_on(town: Town) -> None:
    mailed(town)
    with town.store.reading() as session:
        ada = session.get_one(Match, 1).seats[0].player_id or 0
    messages.say(town.site, 1, ada, "Another one?", "web:said")
    town.work()
    (letter,) = town.post()
    town.now += LONG
    assert packing.pack_old(town.site) == 1
    town.reply(letter, "With pleasure.")
    with town.store.reading() as session:
        assert session.scalars(select(Saying.text).order_by(Saying.id)).all() == ["Another one?", "With pleasure."]
    assert "With pleasure." in plain(town.post()[0])


def test_a_command_above_a_quoted_digest_about_a_packed_match_is_obeyed(town: Town) -> None:
    turns = rosette(town)
    with town.store.writing() as session:
        session.execute(update(Player).where(Player.email == BEN).values(most=1))
        ada = session.get_one(Match, 1).seats[0].player_id or 0
    messages.say(town.site, 1, ada, "Look at this.", "web:said")
    town.work()
    swept(town, timedelta(days=2, hours=6))
    (found,) = (mail for mail in town.post() if "Look at this." in plain(mail))
    town.reply(turns[ADA], "resign")
    town.reply(town.post()[-1], "yes")
    one_more(town)
    town.now += LONG
    swept(town)
    town.post()
    with town.store.reading() as session:
        assert session.get_one(Match, 1).log is not None
        digests = session.scalars(select(Letter).where(Letter.kind == "digest")).all()
        assert [letter.sent is not None for letter in digests] == [True, True]
    (said,) = town.write(BEN, f"status\n\n{plain(found)}", In_Reply_To=found["Message-ID"])
    assert "Rosette 1 with Player 1: over." in plain(said)


def test_a_packed_match_can_have_a_rematch_a_review_and_comments(town: Town) -> None:
    turns = mailed(town)
    one_more(town)
    town.now += LONG
    assert packing.pack_old(town.site) == 1
    replay.forget()
    town.reply(turns[ADA], "rematch")
    assert any("rematch" in mail["Subject"].lower() for mail in town.post())
    town.reply(turns[ADA], "review")
    (reviewed,) = town.post()
    assert plain(reviewed).startswith("The computer has looked back at your match.")
    with town.store.reading() as session:
        ada = session.get_one(Match, 1).seats[0].player_id or 0
        assert session.get_one(Review, 1).finished is not None
        assert session.scalar(select(func.count()).select_from(ReviewReader)) == 0, "Nobody waits any more."
    comments.add(town.site, 1, ada, 1, "The best corner.", "comment")


def test_the_order_of_a_review_stays_until_that_is_finished(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    turns = mailed(town)
    one_more(town)
    town.now += LONG
    assert packing.pack_old(town.site) == 1
    monkeypatch.setitem(WORK, "review", lambda _site, _match: None)  # The process that thinks isn't running.
    town.reply(turns[ADA], "review")
    one_more(town)
    town.now += packing.FRESH + timedelta(hours=1)
    packing.pack_old(town.site)
    monkeypatch.undo()
    review.go_on(town.site)
    town.work()
    assert any(plain(mail).startswith("The computer has looked back at your match.") for mail in town.post())
    packing.pack_old(town.site)
    with town.store.reading() as session:
        assert session.scalars(select(Submission.id).where(Submission.match_id == 1)).all() == []
        assert session.get_one(Review, 1).finished is not None


def test_a_packed_match_can_be_annulled_and_ratings_computed_again(town: Town) -> None:
    ada, ben, match = begin(town, "3d/move")
    play(town, match, (ada, 0, "e5"), (ben, 1, "f6"), (ada, 0, "g7"), (ben, 1, "resign"))
    town.now += LONG
    before = [(row.player_id, row.rating) for row in seats(town)]
    assert packing.pack_old(town.site) == 1
    assert recompute.again(town.site) == 1
    assert [(row.player_id, row.rating) for row in seats(town)] == before
    assert len(ratings(town)) == 2
    assert recompute.annul(town.site, match)
    with town.store.reading() as session:
        assert session.scalar(select(func.count()).select_from(RatedSeat)) == 0
        assert session.scalar(select(func.count()).select_from(PlayerRating)) == 0
    page = match_page(town.site, match, ada)
    assert page is not None
    assert [entry.move for entry in page.entries] == ["e5", "f6", "g7", "resign"]


def test_a_player_of_a_packed_match_can_leave(town: Town) -> None:
    mailed(town)
    town.now += LONG
    assert packing.pack_old(town.site) == 1
    with town.store.reading() as session:
        ada = session.get_one(Match, 1).seats[0].player_id or 0
    deletion.leave(town.site, ada)
    page = match_page(town.site, 1, None)
    assert page is not None
    assert page.line.seats[0].name == deletion.NAME
    assert page.entries[0].remark == "Well met."


def test_a_move_in_a_packed_match_ends_an_absence(town: Town) -> None:
    (ada, ben, lost), (*_, friendly) = begin(town, "2d/move, no vacation"), begin(town, "none")
    with town.store.writing() as session:
        session.get_one(Match, friendly).rated = False
    play(town, lost, (ada, 0, "e5"), (ben, 1, "f6"), (ada, 0, "g7"))
    swept(town, timedelta(days=3))
    play(town, friendly, (ada, 0, "e5"), (ben, 1, "f6"), (ada, 0, "resign"))
    *_, again = begin(town, "40d/move, no vacation")
    play(town, again, (ada, 0, "e5"), (ben, 1, "f6"), (ada, 0, "g7"))
    with town.store.writing() as session:
        # As if only the friendly match had shown that Ben was there.
        session.execute(update(Entry).where(Entry.match_id == again).values(played=town.now - LONG))
    swept(town, timedelta(days=41))
    own = [row.absence for row in seats(town) if row.player_id == ben]
    with town.store.reading() as session:
        assert session.get_one(Match, friendly).log is not None
    assert (len(own), len(set(own))) == (2, 2)


def test_the_summary_of_a_restored_site_counts_packed_moves(town: Town) -> None:
    from service.cli.backups import _summary

    mailed(town)
    both_ways(town, lambda: _summary(town.store, town.settings.data))


def test_a_letter_about_an_order_that_is_gone_is_quoted_and_stops_nothing(town: Town) -> None:
    """The latest letter of all stays, whatever it tells of."""
    turns = mailed(town)
    town.now += timedelta(days=1)
    with town.store.reading() as session:
        before = session.scalar(select(func.max(Letter.id)))
    town.reply(turns[ADA], "f11")
    (refused,) = town.post()
    with town.store.writing() as session:
        (letter,) = session.scalars(select(Letter).where(Letter.id > before))
        assert letter.kind == "refusal"
        session.execute(delete(Submission).where(Submission.id == letter.data["submission"]))
    replay.forget()
    town.reply(refused, "status\n\nI would have liked to know how you all are doing over there.")
    assert "Rosette 1 with Player 2: over." in plain(town.post()[0])
