"""The contract in service/engine/game.py, tested for every game in GAMES."""

from __future__ import annotations

import json
import random
import re
from contextlib import suppress
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from service.config import ROOT
from service.engine.game import SUBSTITUTE, Game, Illegal, MoveError, OutOfTurn, Position
from service.engine.options import OptionError
from service.engine.record import snapshot, steps, write
from service.engine.scene import MARKS, Scene
from service.engine.waiting import Waiting
from service.games import GAMES
from service.render.text import text as text_board
from tests.cases import cases
from tests.games.playing import Playout, Variant, playout, variants

VARIANTS = [*variants()]
SEEDS = (1, 2, 3)
every_variant = pytest.mark.parametrize("variant", VARIANTS, ids=str)
every_playout = pytest.mark.parametrize(
    ("variant", "seed"), [(variant, seed) for variant in VARIANTS for seed in SEEDS[: cases(2, full=3)]], ids=str
)

CONTRACT = {
    name
    for kind in (Waiting, Position)
    for name, member in vars(kind).items()
    if not name.startswith("_") and (callable(member) or isinstance(member, property))
}
"""The methods and properties of a position; data such as `phase` or `draws` is assigned, not overridden."""
MOST_OVERRIDDEN = 8


def sample(variant: Variant, seed: int, few: int = 12) -> list[Position]:
    """Some positions of a random match, including its first and last."""
    positions = playout(variant, seed).positions
    chosen = random.Random(seed).sample(positions, min(few, len(positions)))
    return [positions[0], *chosen, positions[-1]]


def public(position: Position) -> dict[str, Any]:
    return snapshot(0, position)


def whole(position: Position) -> list[Any]:
    """Everything about a position that anybody can see."""
    seats = range(len(position.sides))
    moves = [[*position.moves(seat)] for seat in seats]
    return [public(position), position.turns, moves, [seen(position.view(seat)) for seat in (None, *seats)]]


def seen(scene: Scene) -> list[Any]:
    return [scene.board.name, dict(scene.pieces), dict(scene.marks), dict(scene.owners), scene.facts, scene.notes]


def test_names() -> None:
    assert [game.name for game in GAMES.values()] == [*GAMES]
    assert all(game.title and game.summary.endswith(".") for game in GAMES.values())


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.name)
def test_the_engines_readme_lists_the_options_of_a_game(game: Game) -> None:
    rows = re.findall(r"^\| (`.+`) \| (.+) \|$", (ROOT / "service/engine/README.md").read_text(), re.MULTILINE)
    listed = {name: {*re.findall(r"`([\w-]+)`", row)} for names, row in rows for name in re.findall(r"[\w-]+", names)}
    assert {option.name for option in game.options} <= listed.get(game.name, set())


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.name)
def test_the_sample_of_a_game_shows_a_board_in_play(game: Game) -> None:
    """At least twelve pieces, or on a small board a quarter of the cells."""
    position = game.sample()
    assert position.outcome is None
    assert len(position.occupants) >= min(12, len(position.view(None).board.names) / 4)


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.name)
def test_the_words_of_a_game_can_be_read_in_their_phases(game: Game) -> None:
    variant = max((variant for variant in VARIANTS if variant.game is game), key=lambda variant: variant.seats)
    known: dict[str, Position] = {}
    for seed in SEEDS:
        for position in playout(variant, seed).positions:
            known.setdefault(position.phase, position)
    assert {word.phase for word in game.words} == set(known) - {"over"}
    for word in game.words:
        position = known[word.phase]
        with suppress(Illegal):
            position.read(position.turns[0], word.usage)


@every_playout
def test_turns_are_empty_if_and_only_if_there_is_an_outcome(variant: Variant, seed: int) -> None:
    for position in playout(variant, seed).positions:
        assert (position.turns == ()) == (position.outcome is not None) == (position.phase == "over")
        assert set(position.turns) <= set(position.active) or position.outcome
        assert set(position.turns) <= set(position.public_turns)


@every_playout
def test_random_play_ends_and_the_scores_sum_to_one(variant: Variant, seed: int) -> None:
    last = playout(variant, seed).positions[-1]
    assert last.outcome is not None
    assert len(last.outcome.scores) == variant.seats
    assert sum(last.outcome.scores) == 1
    assert all(score >= 0 for score in last.outcome.scores)


@every_playout
def test_every_listed_move_can_be_played_and_reads_as_itself(variant: Variant, seed: int) -> None:
    for position in sample(variant, seed, few=4):
        for seat in position.turns:
            moves = [*position.moves(seat)]
            assert moves, "A seat in `turns` can move."
            assert len(set(moves)) == len(moves)
            for move in random.Random(seed).sample(moves, min(25, len(moves))):
                assert position.read(seat, f"  {move} ") == move
                assert position.play(seat, move).round >= position.round


@every_playout
def test_a_seat_whose_turn_it_isnt_has_no_moves_and_is_refused(variant: Variant, seed: int) -> None:
    for position in sample(variant, seed):
        for seat in set(range(variant.seats)) - set(position.turns):
            assert [*position.moves(seat)] == []
            if seat not in position.public_turns:  # A sealed choice may be replaced.
                with pytest.raises(MoveError):
                    position.play(seat, "pass")


@every_playout
def test_the_round_rises_with_every_public_change(variant: Variant, seed: int) -> None:
    positions = playout(variant, seed).positions
    for before, after in pairwise(positions):
        assert after.round >= before.round
        assert after.asked_since <= after.round
        if before.occupants != after.occupants or before.public_turns != after.public_turns:
            assert after.round > before.round


@every_playout
def test_replay_gives_an_equal_position(variant: Variant, seed: int) -> None:
    match = playout(variant, seed)
    for cut in {0, 1, len(match.log) // 2, len(match.log) - 1, len(match.log)}:
        assert whole(variant.game.replay(variant.start(), match.log[:cut])) == whole(match.positions[cut])


@every_playout
def test_play_goes_on_from_a_replayed_position(variant: Variant, seed: int) -> None:
    match = playout(variant, seed)
    middle = len(match.log) // 2
    again = variant.game.replay(variant.start(), match.log[:middle])
    for (seat, move), expected in zip(match.log[middle:], match.positions[middle + 1 :], strict=True):
        again = again.play(seat, move)
        assert public(again) == public(expected)


@every_playout
def test_playing_does_not_change_earlier_positions(variant: Variant, seed: int) -> None:
    start = variant.start()
    before = whole(start)
    for seat in start.turns:
        for move in start.moves(seat):
            start.play(seat, move)
            break
    assert whole(start) == before


@every_playout
def test_a_record_survives_a_round_trip(variant: Variant, seed: int) -> None:
    match = playout(variant, seed)
    read = [(step.seat, step.move) for step in steps(variant.start(), write(match.positions[0], match.log))]
    assert read == [*match.log]


@every_playout
def test_a_setup_starts_the_position_again(variant: Variant, seed: int) -> None:
    for position in sample(variant, seed):
        again = variant.start(position.setup)
        assert again.setup == position.setup
        assert again.occupants == position.occupants


@every_playout
def test_public_data_survives_json(variant: Variant, seed: int) -> None:
    for position in sample(variant, seed):
        assert json.loads(json.dumps(public(position))) == public(position)


@every_playout
def test_views_and_text_boards(variant: Variant, seed: int) -> None:
    for position in sample(variant, seed, few=4):
        for seat in (None, *range(variant.seats)):
            scene = position.view(seat)
            cells = set(range(len(scene.board.names)))
            assert {*scene.pieces, *scene.marks, *scene.owners} <= cells
            assert {mark for marks in scene.marks.values() for mark in marks} <= {*MARKS}
            assert len(scene.colours) == variant.seats
            assert max(map(len, text_board(scene).splitlines())) <= 72
        assert set(position.occupants) == {scene.board.names[cell] for cell in position.view(None).pieces}


@every_playout
def test_drafts_lead_to_moves(variant: Variant, seed: int) -> None:
    for position in sample(variant, seed, few=3):
        for seat in position.turns:
            draft = position.draft(seat, "")
            assert not draft.complete
            for _ in range(6):
                if not draft.choices:
                    break
                choice = random.Random(seed).choice(draft.choices)
                assert all(cell in draft.scene.board.index for cell in choice.cells)
                assert choice.cells or choice.label
                draft = position.draft(seat, choice.text)
                if draft.complete:
                    position.play(seat, position.read(seat, draft.text))
            assert draft.complete or draft.text == "" or draft.choices


@every_playout
def test_a_seat_that_resigned_has_no_turns_and_a_match_for_two_ends(variant: Variant, seed: int) -> None:
    for position in sample(variant, seed, few=3):
        for seat in position.active:
            left = position.play(seat, "resign")
            assert seat not in left.turns
            assert seat not in left.active
            assert left.round > position.round
            if len(position.active) == 2:
                assert left.outcome is not None
                assert left.outcome.scores[seat] == 0
            with pytest.raises(OutOfTurn):
                left.play(seat, "pass")


@every_playout
def test_only_the_clock_plays_timeout_which_is_like_resigning(variant: Variant, seed: int) -> None:
    for position in sample(variant, seed, few=3):
        for seat in position.active:
            left = position.play(seat, "timeout")
            assert seat not in left.active
            if len(position.active) == 2:
                assert left.outcome is not None
                assert left.outcome.reason == "time"
            with pytest.raises(MoveError):
                position.read(seat, "timeout")


def sealing(match: Playout) -> list[tuple[Position, int, str]]:
    """The moments when a choice was sealed: moves that didn't change the public situation."""
    moments = zip(pairwise(match.positions), match.log, strict=True)
    return [(before, *entry) for (before, after), entry in moments if before.round == after.round]


@every_playout
def test_a_sealed_choice_is_invisible_to_others(variant: Variant, seed: int) -> None:
    for position, seat, move in sealing(playout(variant, seed))[:6]:
        others = [viewer for viewer in (None, *range(variant.seats)) if viewer != seat]
        choices = [move, *[*position.moves(seat)][:2]]
        known = [observed(position.play(seat, choice), others) for choice in choices]
        assert all(each == observed(position, others) for each in known)


@every_playout
def test_a_substitute_changes_nothing_public_and_inherits_no_secrets(variant: Variant, seed: int) -> None:
    for position in sample(variant, seed):
        for seat in position.active:
            with pytest.raises(MoveError):
                position.read(seat, SUBSTITUTE)
            after = position.play(seat, SUBSTITUTE)
            assert public(after) == public(position)
            assert after.round == position.round
            assert seen(after.view(seat)) == seen(after.view(None)) == seen(position.view(None))
            assert set(after.turns) == {*position.turns, *({seat} & {*position.public_turns})}


@every_playout
def test_a_sealed_choice_stays_sealed_when_somebody_leaves(variant: Variant, seed: int) -> None:
    for position, seat, move in sealing(playout(variant, seed))[:6]:
        sealed = position.play(seat, move)
        for other in sealed.turns:
            left = sealed.play(other, "resign")
            if left.turns and seat in left.active and seat not in left.turns and not position.is_private(move):
                assert left.sealed_since <= position.round


def observed(position: Position, viewers: list[int | None]) -> list[Any]:
    """Everything that the given viewers can find out."""
    found: list[Any] = [public(position)]
    for viewer in viewers:
        found.append(seen(position.view(viewer)))
        if viewer is not None:
            found += [[*position.moves(viewer)], position.draft(viewer, "").choices]
            found += [tried(position, viewer, text) for text in ("pass", "a1", "b2", "accept", "nonsense")]
    return found


def tried(position: Position, seat: int, text: str) -> str:
    try:
        position.play(seat, position.read(seat, text))
    except MoveError as error:
        return str(error)
    return "played"


WORDS = st.sampled_from(
    ["a1", "c3", "G-14", "a1-b2", "pass", "accept", "dead", "none", "take", "prefer", "ally", "red", "O-O", "N", "x"]
)
TEXTS = st.text(max_size=30) | st.lists(WORDS | st.text(max_size=3), max_size=6).map(" ".join)


@every_variant
@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(text=TEXTS, where=st.integers(0, 10**6))
def test_random_text_is_answered_with_a_sentence(variant: Variant, text: str, where: int) -> None:
    positions = playout(variant, 1).positions
    position = positions[where % len(positions)]
    seat = where % variant.seats
    for use in (position.read, position.play, position.draft):
        try:
            use(seat, text)
        except MoveError as error:
            message = str(error)
            assert message.rstrip()[-1] in ".?"
            assert "\n" not in message
            assert len(message) < 600
    try:
        read = position.read(seat, text)
    except MoveError:
        return
    assert position.read(seat, read) == read, "Canonical text reads as itself."


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.name)
@settings(max_examples=40, deadline=None)
@given(value=TEXTS | st.from_regex(r"(black|white|turn|marker|round|red): ?[a-z]?\d+( [a-z]\d+)*; ?", fullmatch=True))
def test_bad_options_are_answered_with_a_sentence(game: Game, value: str) -> None:
    with pytest.raises(OptionError):
        game.start(unheard_of=value)
    for option in game.options:
        assert complaint(game, option.name, value)[-1] in ".?"
    with pytest.raises(OptionError):
        game.start(game.max_seats + 1)


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.name)
@pytest.mark.parametrize("value", ["9" * 5_000, "[" * 2_000, "/" * 10 + "9" * 5_000, "w " + "9" * 5_000])
def test_overlong_options_are_refused_in_a_sentence(game: Game, value: str) -> None:
    for option in game.options:
        assert len(complaint(game, option.name, value)) < 600
    with pytest.raises(OptionError) as refused:
        game.start(**{value: "1"})  # type: ignore[arg-type]
    assert len(str(refused.value)) < 600


def complaint(game: Game, option: str, value: str) -> str:
    try:
        game.start(**{option: value})  # type: ignore[arg-type]
    except OptionError as error:
        return str(error)
    return "Fine."


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.name)
def test_settled_options_settle_to_themselves(game: Game) -> None:
    settled = game.settle(game.min_seats, {})
    assert game.settle(game.min_seats, settled) == settled
    for option in game.options:
        for choice in option.choices:
            assert option.accept(choice) == choice


@pytest.mark.parametrize("name", ["go", "rosette", "lotus", "medusa", "pillars"])
def test_a_plain_game_for_two_overrides_few_members_of_the_contract(name: str) -> None:
    own = [kind for kind in type(GAMES[name].start()).__mro__ if kind.__module__.startswith("service.games.")]
    overridden = {member for kind in own for member in vars(kind)} & CONTRACT
    assert {"moves", "advance", "facts", "setup", "view"} <= overridden
    assert len(overridden) <= MOST_OVERRIDDEN, sorted(overridden)
