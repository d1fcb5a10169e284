"""Computer opponents take their turns: in every game, once, and without holding up anybody else."""

from __future__ import annotations

import pytest
from sqlalchemy import func, select

from service.bots import opponents
from service.bots.thought import Thought, View
from service.games import GAMES
from service.mail.orders import parse
from service.play.match import bot_moves, lobby
from service.play.match.lobby import Chair, LobbyError
from service.play.operations.pipeline import judge_and_send
from service.play.orders.submit import Incoming, submit
from service.play.table import replay
from service.store.models import Match, Submission
from tests.play.conftest import Town
from tests.play.timekeeping.test_clocks import player

ADA = "ada@example.org"


def move_first(town: Town, match_id: int) -> None:
    """Ada plays the first legal move of her own."""
    with town.store.reading() as session:
        match = session.get_one(Match, match_id)
        position = replay.position(session, match)
        move = next(iter(position.moves(0)))
        seat = match.seats[0]
        order = Incoming(f"web:{match_id}", match_id, 0, seat.player_id or 0, position.round, parse(move), "web")
    submit(town.site, order)


def bots_orders(town: Town) -> list[str | None]:
    """What became of all that computer opponents have ordered."""
    with town.store.reading() as session:
        return list(session.scalars(select(Submission.verdict).where(Submission.door == "bot")))


@pytest.mark.parametrize("game", GAMES)
def test_every_games_learner_answers(town: Town, game: str) -> None:
    match = lobby.practise(town.site, player(town, ADA), game)
    move_first(town, match)
    town.work()
    orders = bots_orders(town)
    assert len(orders) >= GAMES[game].usual_seats - 1
    assert {*orders} == {"accepted"}


def test_the_opponent_asked_for_sits_down(town: Town) -> None:
    match = lobby.practise(town.site, player(town, ADA), "lotus", "heron")
    with town.store.reading() as session:
        assert session.get_one(Match, match).seats[1].player.name == "Heron"  # type: ignore[union-attr]
    assert lobby.practise(town.site, player(town, ADA), "lotus", "heron") == match
    assert lobby.practise(town.site, player(town, ADA), "lotus", "tadpole") != match


def test_an_opponent_plays_only_its_own_game(town: Town) -> None:
    ada = player(town, ADA)
    told = "Heron doesn't play Go. The computer opponents there are Clover, Harrow, Whetstone."
    with pytest.raises(LobbyError, match=told):
        lobby.practise(town.site, ada, "go", "heron")
    with pytest.raises(LobbyError, match=told):
        lobby.open_match(town.site, ada, "go", {}, [Chair("me"), Chair("bot", bot="heron")])


def test_it_thinks_with_no_database_session_open_and_orders_once(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    match = lobby.practise(town.site, player(town, ADA), "lotus")
    thoughts = []
    think = opponents.hurried_order

    def watched(view: View, name: str, seed: int) -> Thought:
        thoughts.append(town.store.engine.pool.checkedout())  # type: ignore[attr-defined]
        return think(view, name, seed)

    monkeypatch.setattr(opponents, "hurried_order", watched)
    move_first(town, match)
    judge_and_send(town.site, match)
    for _ in range(3):
        bot_moves.think(town.site, match)
    assert thoughts == [0]
    town.work()
    with town.store.reading() as session:
        assert session.scalar(select(func.count()).where(Submission.door == "bot")) == 1
