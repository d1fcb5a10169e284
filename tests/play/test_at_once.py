"""Several threads on one database at once: each submission is judged once, and each form has its effect once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from sqlalchemy import select

from service.mail.grammar.orders import parse
from service.play.accounts import guests, identity
from service.play.match import invitations, lobby
from service.play.match.judge import judge_waiting
from service.play.match.lobby import Chair
from service.play.orders.submit import Incoming, submit
from service.play.pages import match_lists
from service.store.models import Entry, Player, Submission
from tests.play.conftest import Town

AT_ONCE = 6


def begin(town: Town) -> tuple[int, int]:
    """A match in which Ada is to move: the match's id and hers."""
    with town.store.writing() as session:
        ada = identity.by_email(session, "ada@example.org", town.now).id
        bruno = identity.by_email(session, "bruno@example.org", town.now).id
    match_id = lobby.open_match(town.site, ada, "rosette", {}, [Chair("me"), Chair("email", "bruno@example.org")])
    invitations.answer(town.site, match_id, bruno, accept=True)
    town.queue.clear()
    return match_id, ada


def test_copies_of_an_order_are_kept_once(town: Town) -> None:
    match_id, ada = begin(town)
    order = Incoming("mail:<1@example.org>", match_id, 0, ada, 1, parse("f12"), "web")
    with ThreadPoolExecutor(AT_ONCE) as doors:
        kept = [*doors.map(lambda _: submit(town.site, order), range(AT_ONCE))]
    assert len({*kept}) == 1


def test_copies_of_a_form_open_one_match(town: Town) -> None:
    _, ada = begin(town)
    chairs = [Chair("me"), Chair("open")]
    with ThreadPoolExecutor(AT_ONCE) as doors:
        opened = [
            *doors.map(
                lambda _: lobby.open_match(town.site, ada, "rosette", {}, chairs, key="web:1:form"), range(AT_ONCE)
            )
        ]
    assert len({*opened}) == 1
    assert match_lists.needing(town.site, ada) == 1


def test_pressing_a_button_several_times_makes_one_guest(town: Town) -> None:
    with ThreadPoolExecutor(AT_ONCE) as doors:
        entered = [*doors.map(lambda _: guests.enter(town.site, "key", "Firefox").id, range(AT_ONCE))]
    assert len({*entered}) == 1
    with town.store.reading() as session:
        assert [*session.scalars(select(Player.id))] == entered[:1]


def test_of_several_moves_judged_at_once_one_is_played(town: Town) -> None:
    match_id, ada = begin(town)
    for number, move in enumerate(("f12", "g11", "f14", "e13", "f12", "g13")):
        submit(town.site, Incoming(f"web:{number}", match_id, 0, ada, 1, parse(move), "web"))
    with ThreadPoolExecutor(AT_ONCE) as workers:
        for _ in workers.map(lambda _: judge_waiting(town.site, match_id), range(AT_ONCE)):
            pass
    with town.store.reading() as session:
        orders = session.scalars(select(Submission).order_by(Submission.id)).all()
        assert [order.verdict for order in orders] == ["accepted", *["refused"] * 5]
        assert [*session.scalars(select(Entry.move))] == ["f12"]
