"""The alliance round: declarations sealed and open, who wins, and what is shown."""

from __future__ import annotations

from typing import Any

import pytest

from service.engine.game import Illegal, OutOfTurn, Position, Unreadable
from service.games.multiplayer_go.count import formed, qualifies, winners
from tests.games.multiplayer_go.playing import notes, played, scores, start, turn, waited

STRATEGY = (
    "black: a7 b7 d5 d6 d7 d8 d9 d10 e4 e5 e7 f4 f7 g5 g6 g7; white: a5 b5 c5 c6 c7 c8 d4 e1 e2 e3; "
    "red: f1 f2 g3 g4 h4 h5 j5 k5; blue: g8 g9 g10 h7 j6 k6; prisoners: black white 5 red 5, red black 3 white 1"
)


def declaring(alliances: str = "sealed", game: str = "multigo-coop", **options: str) -> Position:
    """The inventor's end position in its alliance round."""
    now = start(game, 4, STRATEGY, size="10", alliances=alliances, **options)
    passes = dict.fromkeys(now.sides, "pass")
    now = turn(now, passes)
    return turn(now, dict.fromkeys(now.sides, "accept"))


def test_the_table_of_coalitions_is_shown_to_all() -> None:
    for game in ("multigo-coop", "multigo-parallel-coop"):
        now = declaring(game=game)
        assert now.phase == "alliances"
        panel = dict(now.view(None).facts)
        assert panel["Prisoners"] == "Black: white 5, red 5; Red: black 3, white 1"
        assert panel["Points"] == "Black 13, White 15, Red 17, Blue 11"
        assert panel["If shared territory were split"] == "Black 21, White 20, Red 17, Blue 14"
        assert panel["All points"] == "74; an alliance needs more than 5/12 of them, 31 or more"
        assert panel["Enough together"].startswith("Black + White + Red + Blue 60, Black + White + Blue 50, ")
        assert panel["Enough together"].endswith(", Black + White 33, White + Red 31")
        assert panel["Not enough together"] == "Black + Blue 30, Red + Blue 28, White + Blue 26, Black + Red 22"


def test_facts_of_the_count() -> None:
    facts: Any = declaring().facts
    assert facts["territory"] == {"black": 3, "white": 15, "red": 13, "blue": 11}
    assert facts["points"] == {"black": "13", "white": "15", "red": "17", "blue": "11"}
    assert facts["total"] == 74
    assert facts["coalitions"][0] == {"members": ["black", "white"], "points": "33", "qualifies": True}
    assert len(facts["coalitions"]) == 11
    over = played(declaring(), "black: alone, white: alone, red: alone, blue: alone")
    assert over.facts["coalitions"] == facts["coalitions"]


@pytest.mark.parametrize(
    ("declarations", "expected"),
    [
        ("alone, alone, alone, alone", "0 0 1 0"),
        ("ally white, ally black, alone, alone", "1/2 1/2 0 0"),
        ("ally white, ally black, ally blue, ally red", "1/2 1/2 0 0"),
        ("ally blue, alone, alone, ally black", "0 0 1 0"),  # 30 of 74 are not enough.
        ("ally white, ally red, ally white, alone", "0 1/2 1/2 0"),
        ("ally white, alone, alone, alone", "0 0 1 0"),
        ("ally white red, ally black, alone, alone", "0 0 1 0"),  # Not the same set.
        ("ally white red, ally black red, ally black white, alone", "1/3 1/3 1/3 0"),
        ("ally white red blue, ally black red blue, ally black white blue, ally black white red", "1/4 1/4 1/4 1/4"),
    ],
)
@pytest.mark.parametrize("alliances", ["sealed", "open"])
def test_the_winning_alliance(declarations: str, expected: str, alliances: str) -> None:
    now = declaring(alliances)
    for seat, declaration in enumerate(declarations.split(", ")):
        now = now.play(seat, declaration)
    assert scores(now) == expected.split()


def test_the_table_for_eight_seats_is_cut_for_people_but_not_for_programs() -> None:
    now = start("multigo-parallel-coop", 8, "black: a1; white: e5", size="5")
    now = turn(turn(now, dict.fromkeys(now.sides, "pass")), dict.fromkeys(now.sides, "accept"))
    facts: Any = now.facts
    assert len(facts["coalitions"]) == 247
    panel = dict(now.view(None).facts)
    assert len(panel["Enough together"].split(", ")) == 26
    assert panel["Enough together"].endswith(" and 38 more")
    assert panel["Not enough together"] == "all others"


def test_a_table_of_eight_in_which_nobody_has_enough_says_just_that() -> None:
    now = start("multigo-parallel-coop", 8, "black: a1; white: e5; orange: c3", size="5")
    now = turn(now.forfeit(7, "resignation"), dict.fromkeys(now.sides[:7], "pass"))
    panel = dict(turn(now, dict.fromkeys(now.sides[:7], "accept")).view(None).facts)
    assert panel["Enough together"] == "nobody"
    assert "Not enough together" not in panel


def test_without_alliances_the_count_ends_the_match_and_shared_territory_is_split() -> None:
    now = declaring("off")
    assert scores(now) == ["1", "0", "0", "0"]
    assert now.facts["points"] == {"black": "21", "white": "20", "red": "17", "blue": "14"}
    assert "coalitions" not in now.facts
    assert dict(now.view(None).facts)["If shared territory were neutral"] == "Black 13, White 15, Red 17, Blue 11"
    neutral = declaring("off", shared_territory="neutral")
    assert scores(neutral) == ["0", "0", "1", "0"]


def test_split_territory_between_allies_only_is_all_theirs() -> None:
    """If territory is split, allies also get all areas that only they border and their share of other areas."""
    facts: Any = declaring(shared_territory="split").facts
    pairs = {tuple(row["members"]): row["points"] for row in facts["coalitions"]}
    assert pairs[("black", "white")] == str(33 + 3)


def test_sealed_declarations_are_secret_and_can_be_replaced() -> None:
    begun = declaring()
    assert "Nobody sees the declarations until everybody has made one." in notes(begun)
    assert "Stones taken from an ally don't count for the alliance." in notes(begun)
    now = begun.play(0, "ally white")
    assert (now.round, now.public_turns, now.facts) == (begun.round, begun.public_turns, begun.facts)
    for seat in (None, 1, 2, 3):
        assert now.view(seat) == begun.view(seat)
    assert "You've declared to ally with White; nobody else knows" in notes(now, 0)
    assert "You've declared to stay alone" in notes(now.play(0, "alone"), 0)
    now = played(now, "white: ally black, red: alone, black: ally blue, blue: alone")
    assert scores(now) == ["0", "0", "1", "0"]


def test_open_declarations_are_shown_and_a_change_lets_the_others_choose_again() -> None:
    """A first declaration doesn't ask the others again."""
    now = played(declaring("open"), "black: ally white, white: ally black, red: alone")
    assert waited(now) == ["blue"]
    assert "If you change yours, all others can choose again" in notes(now)
    assert "Black wants to ally with White. White wants to ally with Black. Red wants to stay alone." in notes(now)
    same = played(now, "white: ally black")
    assert waited(same) == ["blue"], "Repeating a declaration changes nothing."
    changed = played(now, "white: ally red")
    assert waited(changed) == ["black", "red", "blue"]
    assert changed.round > now.round
    assert (now.asked_since, changed.asked_since) == (declaring("open").round, changed.round)
    assert scores(played(changed, "red: ally white, black: alone, blue: alone")) == ["0", "1/2", "1/2", "0"]


@pytest.mark.parametrize(
    ("orders", "told"),
    [
        (
            "black: ally blue, blue: ally black, white: alone, red: alone",
            "Black wanted to ally with Blue. White wanted to stay alone. Red wanted to stay alone. "
            "Blue wanted to ally with Black. Black and Blue have only",
        ),
        (
            "black: ally white, white: alone, red: alone, blue: alone",
            "Allies must all choose each other and nobody else. None did, so each counts alone.",
        ),
        (
            "black: alone, white: alone, red: alone, blue: alone",
            "Blue wanted to stay alone. Nobody wanted an ally, so each counts alone.",
        ),
        (
            "black: ally white red, white: ally black red, red: ally black white, blue: alone",
            "Black, White and Red are allies: together they have",
        ),
    ],
)
def test_the_notes_say_what_each_declared_and_why_an_alliance_won_or_not(orders: str, told: str) -> None:
    over = played(declaring(), orders)
    assert told in notes(over)
    assert ("Nobody wanted an ally" in notes(over)) == ("Nobody wanted an ally" in told)


@pytest.mark.parametrize("game", ["multigo-coop", "multigo-parallel-coop"])
@pytest.mark.parametrize("alliances", ["sealed", "open"])
def test_the_others_read_who_has_left_and_not_who_has_declared(game: str, alliances: str) -> None:
    now = played(declaring(alliances, game), "blue: ally white, red: resign")
    assert "Red resigned; the stones stay on the board." in notes(now)
    declared = played(now, "white: alone")
    assert (notes(declared) == notes(now)) is (alliances == "sealed")
    last = now.play(1, "timeout")
    assert "White ran out of time; the stones stay on the board." in notes(last)


def test_a_player_who_left_cannot_be_an_ally() -> None:
    now = played(declaring(), "blue: ally white, white: alone, black: alone, blue: resign")
    assert now.phase == "alliances"
    assert waited(now) == ["red"]
    with pytest.raises(Illegal, match="Blue has left the match and cannot be an ally"):
        now.play(2, "ally blue")
    assert scores(played(now, "red: alone")) == ["0", "0", "1", "0"]
    facts: Any = now.facts
    assert facts["total"] == 74
    assert all("blue" not in row["members"] for row in facts["coalitions"])
    last = played(now, "white: resign, red: resign")
    assert scores(last) == ["1", "0", "0", "0"]


@pytest.mark.parametrize("alliances", ["sealed", "open"])
def test_an_alliance_that_lost_a_member_dissolves_and_blocks_nobody(alliances: str) -> None:
    """Every member must name the same players; those who named a player who left may name others, but needn't."""
    now = played(declaring(alliances), "black: ally white blue, white: ally black blue, blue: resign")
    assert waited(now) == ["red"]
    assert scores(played(now, "red: alone")) == ["0", "0", "1", "0"]
    assert scores(played(now, "black: ally white, white: ally black, black: ally white, red: alone")) == [
        *("1/2", "1/2", "0", "0")
    ]


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("ally white", "ally white"),
        ("Ally with Red and White.", "ally white red"),
        ("ally: black, white, myself", "ally white"),
        ("I ally white", "ally white"),
        ("alliance with blue", "ally blue"),
        ("Alone", "alone"),
        ("prefer white", "prefer white"),
        ("resign", "resign"),
        ("c7", "c7"),
    ],
)
def test_reading_orders(typed: str, read: str) -> None:
    assert declaring().read(0, typed) == read


@pytest.mark.parametrize(
    ("typed", "error", "told"),
    [
        ("ally", Unreadable, "Which colours? Write for example ally red blue."),
        ("ally pink", Unreadable, "'pink' isn't a colour. Write for example ally red blue."),
        ("ally green", Illegal, "Nobody plays Green here; the colours are black, white, red and blue."),
        ("ally black", Illegal, "An alliance needs somebody else: name your allies (ally red blue), or say alone."),
        ("c7", Illegal, "The board has been counted. Name your allies (ally red blue), or say alone."),
        ("pass", Illegal, "The board has been counted. Name your allies (ally red blue), or say alone."),
        ("dead c3", Illegal, "The board has been counted. Name your allies (ally red blue), or say alone."),
        ("what now", Unreadable, "'what now' isn't clear. Name your allies (ally red blue), or say alone."),
        ("a1 b2", Unreadable, "'a1 b2' isn't clear. Name your allies (ally red blue), or say alone."),
    ],
)
def test_refusals(typed: str, error: type[Exception], told: str) -> None:
    now = declaring()
    with pytest.raises(error) as refused:
        now.play(0, now.read(0, typed))
    assert str(refused.value) == told


def test_a_draft_adds_allies_one_by_one() -> None:
    now = declaring()
    assert [*now.moves(0)] == ["alone"]
    first = now.draft(0, "")
    assert [choice.text for choice in first.choices] == [
        "alone",
        "ally white red blue",
        "ally white",
        "ally red",
        "ally blue",
    ]
    second = now.draft(0, "ally red")
    assert second.complete
    assert [choice.text for choice in second.choices] == ["ally white red", "ally red blue"]
    assert "You've declared to ally with Red" in " ".join(second.scene.notes)
    last = played(now, "white: ally black, red: alone, blue: alone")
    for text in ("ally red", "alone", "resign", "prefer red"):
        assert last.draft(0, text).scene == now.draft(0, text).scene, "Drafting last does not reveal the others."
    assert ("You prefer", "red") in now.draft(0, "prefer red").scene.facts


def test_no_declaration_is_accepted_after_the_match() -> None:
    with pytest.raises(OutOfTurn):
        played(declaring(), "black: alone, white: alone, red: alone, blue: alone").play(0, "alone")


# ---- arithmetic


@pytest.mark.parametrize(
    ("points", "total", "enough"), [(31, 74, True), (30, 74, False), (50, 120, False), (51, 120, True)]
)
def test_an_alliance_needs_more_than_five_twelfths(points: int, total: int, enough: bool) -> None:
    assert qualifies(points, total) is enough


def test_an_alliance_exists_if_all_its_members_name_it() -> None:
    pair, trio = frozenset({0, 1}), frozenset({0, 1, 2})
    assert formed({0: pair, 1: pair, 2: trio}) == [pair]
    assert formed({0: trio, 1: pair, 2: trio}) == []
    assert formed({0: frozenset({0}), 1: frozenset({1})}) == []


def test_a_failed_alliance_dissolves_and_a_strong_one_may_still_lose() -> None:
    pair, other = frozenset({0, 1}), frozenset({2, 3})
    singles = {frozenset({seat}): 10 for seat in range(4)}
    assert winners({pair: 60, other: 55} | singles, 120) == {0, 1}
    assert winners({pair: 20} | singles | {frozenset({3}): 30}, 120) == {3}
    assert winners({pair: 51} | singles | {frozenset({3}): 60}, 120) == {3}


def test_alliances_in_crossmans_counting() -> None:
    """Allies also get areas that only they border; all points are the empty points less all stones lost."""
    facts: Any = declaring(prisoners="crossman").facts
    assert facts["points"] == {"black": "0", "white": "9", "red": "8", "blue": "11"}
    assert facts["total"] == 60 - 14
    rows = {tuple(row["members"]): (row["points"], row["qualifies"]) for row in facts["coalitions"]}
    assert rows[("black", "white")] == ("19", False)
    assert rows[("white", "blue")] == ("20", True)
