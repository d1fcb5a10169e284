"""Conditional moves: played automatically, dropped when they no longer fit, and visible to nobody else."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from service.engine.game import MoveError
from service.mail.grammar.orders import Conditional, parse
from service.play.match import invitations, lobby, substitutes
from service.play.match.lobby import Chair
from service.play.orders import conditional
from service.play.orders.submit import Incoming, submit
from service.play.pages import match_page
from service.store.models import Entry, Seat, Submission
from tests.play.conftest import Town, plain
from tests.play.test_match import player


@pytest.mark.parametrize(
    ("typed", "now", "kept"),
    [
        ("if c7 then d8", "", "if c7 then d8"),
        ("If c7, then d8 if e5 then f6; if pass then pass.", "", "if c7 then d8 if e5 then f6; if pass then pass"),
        ("if c7 then d8; pass then pass", "", "if c7 then d8; if pass then pass"),
        ("g10; if e10 then e9", "g10", "if e10 then e9"),
        ("g10 if e10 then resign", "g10", "if e10 then resign"),
        ("12. g10; if 12... e10 then 13. e9", "12. g10", "if e10 then e9"),
        ("forget", "", ""),
    ],
)
def test_how_conditional_moves_are_written(typed: str, now: str, kept: str) -> None:
    order = parse(typed)
    assert isinstance(order, Conditional)
    assert order.now == now
    assert conditional.write(conditional.read(order.plan)) == kept


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("if c7", "'if c7' isn't clear. Write conditional moves like this: if c7 then d8; if pass then pass."),
        ("if c7 then d8; if C7 then e9", "There are two replies to C7: d8 and e9. Choose one of them."),
        (
            ";".join(f"if a{n} then b{n}" for n in range(60)),
            "Conditional moves can have up to 50 branches; these have 60.",
        ),
    ],
)
def test_the_refusal_says_what_is_wrong(text: str, sentence: str) -> None:
    with pytest.raises(MoveError) as error:
        conditional.read(text)
    assert str(error.value) == sentence


def test_a_tree_is_followed_branch_by_branch() -> None:
    tree = conditional.read("if a1 then b1 if c1 then d1; if a1 then b1 if c2 then d2; if a2 then b2")
    assert conditional.after(tree, "a1".__eq__) == ("b1", ((("c1", "d1"),), (("c2", "d2"),)))
    assert conditional.after(tree, "a2".__eq__) == ("b2", ())
    assert conditional.after(tree, "a3".__eq__) is None


def test_games_with_simultaneous_moves_have_no_conditional_moves(town: Town) -> None:
    """Not even when only two of three players are left."""
    ada, ben, carl = (player(town, f"{name}@example.org") for name in ("ada", "ben", "carl"))
    match = lobby.open_match(
        town.site, ada, "multigo-parallel", {"size": "5"}, [Chair("me"), Chair("open"), Chair("open")]
    )
    for other in (ben, carl):
        substitutes.join(town.site, match, other)
    reason = "In this game everybody moves at the same time, so there's no opponent's move to wait for."
    for _ in range(2):
        assert send(town, ada, match, 0, "if c3 then c4") == "refused"
        with town.store.reading() as session:
            assert (
                session.scalars(select(Submission.message).where(Submission.kind == "conditional")).all()[-1] == reason
            )
        send(town, carl, match, 2, "resign")


def begun(town: Town, game: str = "rosette", **options: str) -> tuple[int, int, int]:
    ada, ben = player(town, "ada@example.org"), player(town, "ben@example.net")
    chairs = [Chair("me"), Chair("email", "ben@example.net")]
    match = lobby.open_match(town.site, ada, game, options or ({"base": "5"} if game == "rosette" else {}), chairs)
    invitations.answer(town.site, match, ben, True)
    town.work()
    town.post()
    return ada, ben, match


def send(town: Town, player_id: int, match: int, seat: int, text: str) -> str | None:
    key = f"web:{town.now}:{text}"
    submit(town.site, Incoming(key, match, seat, player_id, None, parse(text), "web"))
    town.work()
    verdict = match_page.verdict(town.site, key, player_id)
    return None if verdict is None else verdict.state


def moves(town: Town, match: int) -> list[str]:
    with town.store.reading() as session:
        return list(session.scalars(select(Entry.move).where(Entry.match_id == match).order_by(Entry.ply)))


def test_replies_are_played_automatically_and_only_the_others_are_informed(town: Town) -> None:
    ada, ben, match = begun(town)
    assert send(town, ada, match, 0, "g10; if e10 then g9 if e9 then pass") == "accepted"
    assert moves(town, match) == ["g10"]
    town.post()
    assert send(town, ben, match, 1, "E-10") == "accepted"
    assert moves(town, match) == ["g10", "e10", "g9"]
    assert [mail["To"].addresses[0].addr_spec for mail in town.post()] == ["ben@example.net"]
    assert send(town, ben, match, 1, "e9") == "accepted"
    assert moves(town, match) == ["g10", "e10", "g9", "e9", "pass"]


def test_conditional_moves_that_no_longer_fit_are_dropped_and_their_owner_is_informed(town: Town) -> None:
    ada, ben, match = begun(town)
    send(town, ada, match, 0, "g10; if e10 then g9")
    town.post()
    send(town, ben, match, 1, "e12")
    (turn,) = town.post()
    assert "Your conditional move (if e10 then g9) didn't fit what happened," in " ".join(plain(turn).split())
    with town.store.reading() as session:
        assert session.get_one(Seat, (match, 0)).ahead == ""


def test_a_reply_that_has_become_illegal_is_refused(town: Town) -> None:
    ada, ben, match = begun(town)
    send(town, ada, match, 0, "g10; if e10 then e10")
    town.post()
    send(town, ben, match, 1, "e10")
    assert moves(town, match) == ["g10", "e10"]
    (refusal,) = town.post()
    assert refusal["To"].addresses[0].addr_spec == "ada@example.org"
    assert "e10 is taken by White." in plain(refusal)


def test_nobody_else_sees_conditional_moves(town: Town) -> None:
    ada, ben, match = begun(town)
    send(town, ada, match, 0, "g10; if e10 then g9")
    seen = {viewer: match_page.match_page(town.site, match, viewer) for viewer in (ada, ben, None)}
    assert [page and page.ahead for page in seen.values()] == ["if e10 then g9", "", ""]
    (turn,) = town.post()
    assert "Black played g10." in plain(turn)
    assert "e10 then g9" not in " ".join(plain(turn).split())


def test_conditional_moves_can_be_changed_and_dropped_at_any_time(town: Town) -> None:
    ada, _, match = begun(town)
    send(town, ada, match, 0, "g10")
    for text, kept in (("if e10 then g9", "if e10 then g9"), ("if e9 then g9", "if e9 then g9"), ("forget", "")):
        assert send(town, ada, match, 0, text) == "accepted"
        with town.store.reading() as session:
            assert session.get_one(Seat, (match, 0)).ahead == kept
    with town.store.reading() as session:
        assert session.query(Submission).count() == 4


def test_a_move_with_conditional_moves_that_are_refused_is_not_played(town: Town) -> None:
    ada, _, match = begun(town)
    assert send(town, ada, match, 0, "g10; if e10") == "refused"
    assert moves(town, match) == []


def test_conditional_moves_by_email_are_confirmed(town: Town) -> None:
    ada, _, match = begun(town)
    send(town, ada, match, 0, "g10")
    (turn,) = town.post()
    town.reply(turn, "e10")
    town.post()
    town.reply(turn, "if g9 then e9")
    (told,) = town.post()
    assert told["Subject"] == f"Rosette {match}: your conditional moves are saved"
    assert "Your conditional moves are saved: if g9 then e9." in plain(told)
    send(town, ada, match, 0, "g9")
    assert moves(town, match) == ["g10", "e10", "g9", "e9"]


def test_dropping_conditional_moves_by_email_is_confirmed(town: Town) -> None:
    ada, _, match = begun(town)
    send(town, ada, match, 0, "g10")
    (turn,) = town.post()
    town.reply(turn, "if g9 then e9")
    town.post()
    town.reply(turn, "Forget.")
    (told,) = town.post()
    assert told["Subject"] == f"Rosette {match}: your conditional moves are dropped"
    assert plain(told).startswith("Your conditional moves are dropped.\nNone will be played for you.")


@pytest.mark.parametrize(
    ("planned", "offered", "played"),
    [
        ("if draw then draw", "draw", ["draw", "draw"]),
        ("if draw then accept; if D2-D4 then resign", "draw", ["draw", "draw"]),
        ("if draw then decline; if D2-D4 then D10-D8", "draw", ["draw", "decline"]),
        ("if D2-D4 then draw if draw then draw", "D2-D4", ["D2-D4", "draw"]),
        ("if d4 then resign", "D2-D4", ["D2-D4", "resign"]),
        ("if 1. D2-D4 then 2. D10-D8", "D2-D4", ["D2-D4", "D10-D8"]),
        ("if 1. D2-D4 then 9... D10-D8", "1. D2-D4", ["D2-D4", "D10-D8"]),
    ],
)
def test_draws_and_resignations_can_be_conditional(town: Town, planned: str, offered: str, played: list[str]) -> None:
    ada, ben, match = begun(town, "pillars")
    assert send(town, ben, match, 1, planned) == "accepted"
    town.post()
    assert send(town, ada, match, 0, offered) == "accepted"
    assert moves(town, match) == played
    assert not [mail for mail in town.post() if "ben@" in mail["To"] and "is offered" in mail["Subject"]]


def test_conditional_moves_survive_an_offer(town: Town) -> None:
    ada, ben, match = begun(town, "pillars")
    send(town, ben, match, 1, "if draw then decline; if D2-D4 then D10-D8")
    for order in ("draw", "D2-D4"):
        send(town, ada, match, 0, order)
    assert moves(town, match) == ["draw", "decline", "D2-D4", "D10-D8"]


def test_a_plan_that_names_a_move_in_two_ways_doesnt_refuse_the_opponents_moves(town: Town) -> None:
    """What it says about a later move is only then found to be two replies to the same one. The first counts."""
    ada, ben, match = begun(town)
    plan = "if g10 then e10 if g9 then e9; if G10 then e10 if g9 then e8"
    assert send(town, ben, match, 1, plan) == "accepted"
    for move in ("g10", "g9"):
        assert send(town, ada, match, 0, move) == "accepted"
    assert moves(town, match) == ["g10", "e10", "g9", "e9"]


def test_a_plan_waits_while_others_are_still_to_move(town: Town) -> None:
    """With three seats, a plan answers only the move just before the player's turn."""
    people = [player(town, f"{name}@example.org") for name in ("ada", "ben", "cleo")]
    chairs = [Chair("me"), *(Chair("player", player_id=one) for one in people[1:])]
    match = lobby.open_match(town.site, people[0], "multigo", {"size": "5"}, chairs)
    for one in people[1:]:
        invitations.answer(town.site, match, one, True)
    town.work()
    planned = "if c3 then e4; if d4 then e5"
    assert send(town, people[2], match, 2, planned) == "accepted"
    town.post()
    assert send(town, people[0], match, 0, "c3") == "accepted"
    with town.store.reading() as session:
        assert session.get_one(Seat, (match, 2)).ahead == planned
    assert moves(town, match) == ["c3"]
    assert [mail["To"].addresses[0].username for mail in town.post()] == ["ben"]
    assert send(town, people[1], match, 1, "d4") == "accepted"
    assert moves(town, match) == ["c3", "d4", "e5"]
