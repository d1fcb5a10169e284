"""Computer opponents take their turns: in every game, once each, and without holding up anybody else."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from sqlalchemy import func, select

from service.bots import opponents
from service.bots.thought import Thought, View
from service.games import GAMES
from service.mail.grammar.orders import parse
from service.play.match import bot_moves, lobby
from service.play.match.invitations import LobbyError
from service.play.match.lobby import Chair
from service.play.orders.submit import Incoming, submit
from service.play.outbox.deliver import judge_and_send
from service.play.table import replay
from service.play.timekeeping import clocks
from service.store.models import Entry, Match, Submission
from service.store.tables.bot_turns import BotTurn
from tests.play.conftest import Town
from tests.play.timekeeping.test_clocks import player

ADA = "ada@example.org"


def move_first(town: Town, match_id: int) -> None:
    """Ada plays her first legal move."""
    with town.store.reading() as session:
        match = session.get_one(Match, match_id)
        position = replay.position(session, match)
        move = next(iter(position.moves(0)))
        seat = match.seats[0]
        order = Incoming(f"web:{match_id}", match_id, 0, seat.player_id or 0, position.round, parse(move), "web")
    submit(town.site, order)


def bots_orders(town: Town) -> list[str | None]:
    """The verdict on each order of a computer opponent."""
    with town.store.reading() as session:
        return list(session.scalars(select(Submission.verdict).where(Submission.door == "bot")))


@pytest.mark.parametrize("game", GAMES)
def test_the_opponent_for_beginners_answers_in_every_game(town: Town, game: str) -> None:
    sizes = [option for option in GAMES[game].options if option.name in ("size", "base")]
    smallest = {option.name: min(option.choices, key=int) for option in sizes}
    chairs = [Chair("me"), *[Chair("bot")] * (GAMES[game].usual_seats - 1)]
    match = lobby.open_match(town.site, player(town, ADA), game, smallest, chairs)
    move_first(town, match)
    town.work()
    orders = bots_orders(town)
    assert len(orders) >= GAMES[game].usual_seats - 1
    assert {*orders} == {"accepted"}


def test_the_chosen_opponent_gets_the_seat(town: Town) -> None:
    match = lobby.practise(town.site, player(town, ADA), "lotus", "heron")
    with town.store.reading() as session:
        assert session.get_one(Match, match).seats[1].player.name == "Heron"  # type: ignore[union-attr]
    assert lobby.practise(town.site, player(town, ADA), "lotus", "heron") == match
    assert lobby.practise(town.site, player(town, ADA), "lotus", "tadpole") != match


def test_no_second_match_is_opened_after_a_bot_chose_first(town: Town) -> None:
    match = lobby.practise(town.site, player(town, ADA), "multigo-parallel")
    town.work()
    assert bots_orders(town)
    assert lobby.practise(town.site, player(town, ADA), "multigo-parallel") == match
    move_first(town, match)
    town.work()
    assert lobby.practise(town.site, player(town, ADA), "multigo-parallel") != match


def test_an_opponent_plays_only_its_own_game(town: Town) -> None:
    ada = player(town, ADA)
    told = "Heron doesn't play Go. The computer opponents there are Clover, Harrow, Whetstone."
    with pytest.raises(LobbyError, match=told):
        lobby.practise(town.site, ada, "go", "heron")
    with pytest.raises(LobbyError, match=told):
        lobby.open_match(town.site, ada, "go", {}, [Chair("me"), Chair("bot", bot="heron")])


def test_a_bot_thinks_without_a_database_session_and_orders_once(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    match = lobby.practise(town.site, player(town, ADA), "lotus")
    thoughts = []
    think = opponents.hurried_order

    def watched(view: View, name: str, seed: int, past: Sequence[float]) -> Thought:
        thoughts.append(town.store.engine.pool.checkedout())  # type: ignore[attr-defined]
        return think(view, name, seed, past)

    monkeypatch.setattr(opponents, "hurried_order", watched)
    move_first(town, match)
    judge_and_send(town.site, match)
    for _ in range(3):
        bot_moves.think(town.site, match)
    assert thoughts == [0]
    town.work()
    with town.store.reading() as session:
        assert session.scalar(select(func.count()).where(Submission.door == "bot")) == 1


class Killed(BaseException):
    """The death of a process while it thinks."""


def test_a_turn_is_left_to_one_process_until_its_lease_ends(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    match = lobby.practise(town.site, player(town, ADA), "lotus")
    thoughts: list[str] = []
    think = opponents.hurried_order

    def watched(view: View, name: str, seed: int, past: Sequence[float]) -> Thought:
        thoughts.append(think(view, name, seed, past).move)
        bot_moves.think(town.site, match)  # A second process has nothing to do meanwhile.
        if len(thoughts) == 1:
            raise Killed
        return think(view, name, seed, past)

    monkeypatch.setattr(opponents, "hurried_order", watched)
    move_first(town, match)
    judge_and_send(town.site, match)
    with pytest.raises(Killed):
        bot_moves.think(town.site, match)
    bot_moves.think(town.site, match)
    assert len(thoughts) == 1
    town.now += bot_moves.lease(town.site)
    bot_moves.think(town.site, match)
    assert len(thoughts) == 2
    assert thoughts[0] == thoughts[1]
    town.work()
    with town.store.reading() as session:
        assert session.scalars(select(Entry.move).where(Entry.match_id == match, Entry.seat == 1)).all() == thoughts[:1]


def against(town: Town, bot: str, setup: str) -> int:
    """A match of Pillars against this bot, in which Ada has White."""
    chairs = [Chair("me"), Chair("bot", bot=bot)]
    return lobby.open_match(town.site, player(town, ADA), "pillars", {"setup": setup}, chairs)


def play(town: Town, match_id: int, *moves: str) -> list[str]:
    """Ada plays these moves; all moves of the match so far."""
    for number, move in enumerate(moves):
        with town.store.reading() as session:
            match = session.get_one(Match, match_id)
            ada, round_ = match.seats[0].player_id or 0, match.round
        key = f"web:{match_id}:{move}:{round_}:{number}"
        submit(town.site, Incoming(key, match_id, 0, ada, round_, parse(move), "web"))
        town.work()
    with town.store.reading() as session:
        log = select(Entry.move).where(Entry.match_id == match_id).order_by(Entry.ply)
        return list(session.scalars(log))


LOST = "5k5/w10/11/11/11/11/11/11/11/1TTT2Q4/5K5 w - 0 1"
WORSE = "5k5/w10/11/11/11/11/11/11/11/4T6/5K5 w - 3 60"


@pytest.mark.parametrize(("bot", "ends"), [("marble", True), ("chalk", False)])
def test_a_hopeless_bot_resigns_at_its_third_turn_but_one_for_beginners_never(town: Town, bot: str, ends: bool) -> None:
    match = against(town, bot, LOST)
    log = play(town, match, "T-B3", "T-B4", "T-B5")
    assert [move == "resign" for move in log[1::2]] == [False, False, ends]
    with town.store.reading() as session:
        values = session.scalars(select(BotTurn.value).where(BotTurn.match_id == match)).all()
    assert len(values) == 3
    assert all(value is not None and value < 0.03 for value in values)


def test_a_bot_answers_an_offer_of_a_draw_at_once_by_what_it_expects(town: Town) -> None:
    match = against(town, "chalk", WORSE)
    assert play(town, match, "draw") == ["draw", "decline"]  # It has not thought yet.
    assert play(town, match, "T-D2", "draw")[-2:] == ["draw", "draw"]
    with town.store.reading() as session:
        assert session.get_one(Match, match).reason == "agreement"


def test_a_bot_that_wins_declines_a_draw(town: Town) -> None:
    match = against(town, "chalk", "3qk6/1tt8/11/11/11/11/11/11/11/W10/5K5 w - 3 60")
    assert play(town, match, "W-A3", "draw")[-2:] == ["draw", "decline"]


def seated(town: Town, match_id: int) -> list[str]:
    """The names of a match's players."""
    with town.store.reading() as session:
        return [seat.player.name for seat in session.get_one(Match, match_id).seats if seat.player]


def test_each_bot_takes_one_seat_at_a_table(town: Town) -> None:
    ada = player(town, ADA)
    four = [Chair("me"), Chair("bot"), Chair("bot", bot="castellan"), Chair("bot")]
    assert seated(town, lobby.open_match(town.site, ada, "multigo", {"size": "5"}, four))[1:] == [
        "Magpie",
        "Castellan",
        "Surveyor",
    ]
    assert seated(town, lobby.practise(town.site, ada, "multigo", "surveyor"))[1:] == ["Surveyor", "Magpie"]
    with pytest.raises(LobbyError, match=r"Magpie can take only one seat of a match\."):
        lobby.open_match(town.site, ada, "multigo", {}, [Chair("me"), *[Chair("bot", bot="magpie")] * 2])
    told = r"Multiplayer Go has three computer opponents, each for one seat: Magpie, Surveyor, Castellan\."
    with pytest.raises(LobbyError, match=told):
        lobby.open_match(town.site, ada, "multigo", {}, [Chair("me"), *[Chair("bot")] * 4])


@pytest.mark.parametrize(
    ("bot", "rated", "refused"),
    [
        ("clover", True, ""),
        ("harrow", True, "Harrow doesn't agree to takebacks in rated matches."),
        ("whetstone", True, "Whetstone doesn't agree to takebacks in rated matches."),
        ("harrow", False, ""),
    ],
)
def test_bots_agree_to_takebacks_at_once_but_in_rated_matches_only_those_for_beginners(
    town: Town, bot: str, rated: bool, refused: str
) -> None:
    chairs = [Chair("me"), Chair("bot", bot=bot)]
    match = lobby.open_match(town.site, player(town, ADA), "go", {"size": "5"}, chairs, rated=rated)
    log = play(town, match, "c3", "takeback")
    with town.store.reading() as session:
        last = session.scalars(select(Submission).order_by(Submission.id.desc())).first()
        assert last is not None
        assert (last.verdict, last.message or "") == ("refused", refused) if refused else ("accepted", "")
        assert session.get_one(Match, match).seats[0].to_move
    assert ("takeback" in log) is not bool(refused)


def test_a_bot_goes_on_after_a_takeback(town: Town) -> None:
    chairs = [Chair("me"), Chair("bot", bot="clover")]
    match = lobby.open_match(town.site, player(town, ADA), "go", {"size": "5"}, chairs)
    *_, answer = play(town, match, "c3", "takeback", "c2")
    assert answer not in ("takeback", "c2")
    assert {*bots_orders(town)} == {"accepted"}


def test_a_bot_agrees_to_pauses_and_their_end(town: Town) -> None:
    chairs = [Chair("me"), Chair("bot", bot="harrow")]
    match = lobby.open_match(town.site, player(town, ADA), "go", {"size": "5"}, chairs, clock="3d/move")
    play(town, match, "c3", "pause 3d")
    with town.store.reading() as session:
        assert clocks.paused_until(session.get_one(Match, match), town.now) is not None
    play(town, match, "resume play")
    with town.store.reading() as session:
        assert clocks.paused_until(session.get_one(Match, match), town.now) is None


def test_bots_ally_with_players_who_make_them_win(town: Town) -> None:
    """On this board play soon ends; then all three declare their alliances, and one wins."""
    setup = "black: a1 a2 a3; white: c1 c2 c3; red: e1 e2 e3"
    chairs = [Chair("me"), Chair("bot", bot="finch"), Chair("bot", bot="broker")]
    match = lobby.open_match(
        town.site, player(town, ADA), "multigo-coop", {"size": "5", "setup": f"{setup}; turn: black"}, chairs
    )
    for _ in range(30):
        with town.store.reading() as session:
            found = session.get_one(Match, match)
            position = replay.position(session, found)
        if position.phase != "play" or found.state == "over":
            break
        play(town, match, "pass")
    for word in ("accept", "alone"):
        play(town, match, word)
    with town.store.reading() as session:
        assert session.get_one(Match, match).state == "over"
        moves = list(session.scalars(select(Entry.move).where(Entry.match_id == match)))
    assert any(move.startswith("ally") or move == "alone" for move in moves)


def test_a_bot_with_nothing_to_think_about_begins_no_transaction_that_writes(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = lobby.practise(town.site, player(town, ADA), "lotus", "")
    monkeypatch.setattr(town.store, "writing", lambda: pytest.fail("a transaction that writes was begun"))
    bot_moves.think(town.site, match)
