"""What a player may order: each text is an order of one kind, stored as its kind and text."""

from __future__ import annotations

from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.mail.grammar import order_words, orders
from service.mail.grammar.command_examples import EXAMPLES
from service.mail.grammar.command_words import COMMANDS
from service.mail.grammar.order_words import WORDS  # fmt: skip
from service.mail.grammar.orders import (
    LONGEST,
    TYPED,
    Accept,
    Conditional,
    Decline,
    Draw,
    Extend,
    LeaveTeam,
    Move,
    No,
    Offer,
    Order,
    Pass,
    Rematch,
    Resign,
    Review,
    Standing,
    Timeout,
    Undo,
    Withdraw,
    Yes,
    parse,
    restored,
)
from service.play.match.judge import JUDGES

READ: tuple[tuple[str, Order], ...] = (
    ("g10", Move("g10")),
    ("", Move("")),
    ("g10 or c7", Move("g10 or c7")),
    ("dead c3 f7", Move("dead c3 f7")),
    ("resume", Move("resume")),
    ("resigned", Move("resigned")),
    ("accept the", Move("accept the")),
    ("accept g10", Move("accept g10")),
    ("takeback please", Move("takeback please")),
    ("pauses", Move("pauses")),
    ("undo g10", Move("undo g10")),
    ("leave the match", Move("leave the match")),
    ("timeout", Move("timeout")),
    ("pass", Pass("pass")),
    ("My move is: pass!", Pass("My move is: pass!")),
    ("Resign.", Resign("Resign.")),
    ("I resign", Resign("I resign")),
    ("draw", Draw("draw", "")),
    ("a draw?", Draw("a draw?", "")),
    ("Offer a draw.", Draw("Offer a draw.", "offer")),
    ("accept the draw", Draw("accept the draw", "accept")),
    ("accept", Accept("accept", "", "")),
    ("Accept!", Accept("Accept!", "", "")),
    ("accept the takeback", Accept("accept the takeback", "takeback", "")),
    ("accept pause until 24 December", Accept("accept pause until 24 December", "pause", "until 24 december")),
    ("decline", Decline("decline", "", "")),
    ("decline  resume play.", Decline("decline  resume play.", "resume", "")),
    ("withdraw", Withdraw("withdraw", "", "")),
    ("withdraw take back", Withdraw("withdraw take back", "takeback", "")),
    ("takeback", Offer("takeback", "takeback", "")),
    ("Take  back.", Offer("Take  back.", "takeback", "")),
    ("Offer a takeback.", Offer("Offer a takeback.", "takeback", "")),
    ("offer pause until 24 December", Offer("offer pause until 24 December", "pause", "until 24 december")),
    ("offer seat", Move("offer seat")),
    ("Offer resume.", Offer("Offer resume.", "resume", "")),
    ("resume", Move("resume")),
    ("accept resume", Move("accept resume")),
    ("offer a rematch", Rematch("offer a rematch")),
    ("pause", Offer("pause", "pause", "")),
    ("adjourn for 14 days", Offer("adjourn for 14 days", "pause", "for 14 days")),
    ("resume play", Offer("resume play", "resume", "")),
    ("yes", Yes("yes")),
    ("No.", No("No.")),
    ("if c7 then d8", Conditional("if c7 then d8", "", "if c7 then d8")),
    ("g10; if c7 then\nd8", Conditional("g10; if c7 then\nd8", "g10", "if c7 then d8")),
    ("draw if c7 then d8", Conditional("draw if c7 then d8", "draw", "if c7 then d8")),
    ("forget", Conditional("forget", "", "forget")),
    ("g10, forget.", Conditional("g10, forget.", "g10", "forget")),
    ("forget g10 if c7 then d8", Conditional("forget g10 if c7 then d8", "forget g10", "if c7 then d8")),
    ("knife or gift", Move("knife or gift")),
    ("Standing order: c7 or  d8.", Standing("Standing order: c7 or  d8.", "c7 or d8")),
    ("standing c7; if d8 then e9", Standing("standing c7; if d8 then e9", "c7; if d8 then e9")),
    ("undo!", Undo("undo!")),
    ("rematch?", Rematch("rematch?")),
    ("Review!", Review("Review!")),
    ("Play again", Rematch("Play again")),
    ("leave my team.", LeaveTeam("leave my team.")),
    ("extend", Extend("extend", "")),
    ("extend by 2 d.", Extend("extend by 2 d.", "2 d")),
)


@pytest.mark.parametrize(("text", "order"), READ, ids=[text for text, _ in READ])
def test_which_order_a_text_is(text: str, order: Order) -> None:
    assert parse(text) == order
    assert restored(order.kind, text) == order


def test_the_table_above_has_every_kind_that_can_be_typed() -> None:
    assert {type(order) for _, order in READ} == set(TYPED)


WRITTEN = st.lists(
    st.sampled_from([
        *(word.name for word in WORDS), "if", "then", "or", "g10", "c7", "the", "order", "until", "team", "yes", "no",
        "offer", "a", "resume play", "take back", "none", ";", ".", "!", "?", ",", "\n", "  ", "\0", "É",
    ]),
    max_size=8,
).map(" ".join)  # fmt: skip


@given(st.one_of(WRITTEN, st.text(max_size=60)))
def test_every_text_is_an_order_that_reads_back_from_its_kind_and_text(text: str) -> None:
    order = parse(text)
    assert order.text == text.replace("\0", "")
    assert parse(order.text) == order
    assert restored(order.kind, order.text) == order


@given(WRITTEN)
def test_only_conditional_moves_and_moves_overlap_with_other_kinds(text: str) -> None:
    read = [kind for kind in TYPED if kind not in (Conditional, Move) and kind.read(text) is not None]
    assert len(read) <= 1


@pytest.mark.parametrize("kind", ["", "undo", "standing", "from a later version"])
def test_a_stored_order_that_its_kind_cannot_read_is_a_move(kind: str) -> None:
    assert restored(kind, "g10") == Move("g10")


def test_only_the_clock_orders_a_timeout() -> None:
    assert restored(Timeout.kind, "timeout") == Timeout("timeout")
    assert Timeout not in TYPED


@pytest.mark.parametrize(
    "text", [" ", ".", " .", "if ", "forget ", "draw ", "accept pause .", "standing : ", "; ", "a1 or ", "then if "]
)
def test_a_long_text_is_parsed_quickly(text: str) -> None:
    began = perf_counter()
    parse(text * LONGEST + "x")
    parse(f"accept pause {text * LONGEST}x")
    assert perf_counter() - began < 1


def test_an_order_that_is_too_long_is_cut_but_stays_too_long() -> None:
    assert parse("if a1 then b2; " * 1_000).text == ("if a1 then b2; " * 1_000)[: LONGEST + 1]


def test_every_kind_has_one_name_and_one_judge() -> None:
    kinds = {*TYPED, Timeout}
    assert len({kind.kind for kind in kinds}) == len(kinds)
    assert all(len(kind.kind) <= 20 for kind in kinds), "what the column holds"
    assert set(JUDGES) == kinds


@pytest.mark.parametrize("word", WORDS, ids=lambda word: word.name)
def test_the_examples_of_a_word_are_orders_of_its_kind(word: order_words.Word) -> None:
    assert word.usage.split()[0] == word.name
    for example in EXAMPLES.get(word.name, (word.name if word.name != "leave" else word.usage,)):
        assert type(parse(example)) in (word.kind, Offer if example == "resume play" else word.kind)


def test_the_table_of_commands_begins_with_the_words_of_orders() -> None:
    assert [command.name for command in COMMANDS][: len(WORDS)] == [word.name for word in WORDS]
    assert [command.name for command in COMMANDS if command.order] == [word.name for word in WORDS if not word.asked]


@pytest.mark.parametrize(
    ("text", "chosen"),
    [
        ("standing c7 or d8 or pass", ("c7", "d8", "pass")),
        ("standing c7, or d8", ("c7", "d8")),
        ("standing none", ()),
        ("standing off", ()),
        ("standing", ()),
    ],
)
def test_the_choices_of_a_standing_order(text: str, chosen: tuple[str, ...]) -> None:
    order = parse(text)
    assert isinstance(order, Standing)
    assert order.choices == chosen


@pytest.mark.parametrize(
    ("text", "number"),
    [("accept 2", (2,)), ("Yes, please!", (None,)), ("join #3.", (3,)), ("ok, thanks", None), ("fine", None)],
)
def test_which_replies_accept_what_is_in_a_list(text: str, number: tuple[int | None] | None) -> None:
    assert orders.accepts_opening(text) == number


@pytest.mark.parametrize(
    ("text", "accepts", "declines", "answers"),
    [
        ("accept", True, False, True),
        ("yes", True, False, False),
        ("decline.", False, True, True),
        ("no", False, True, False),
        ("draw", False, False, True),
        ("accept draw", False, False, False),
        ("accept pause", False, False, False),
        ("decline takeback", False, False, False),
        ("g10", False, False, False),
        ("Accept, with pleasure!", True, False, False),
        ("Accept - thank you", True, False, False),
        ("Yes please.", True, False, False),
        ("ok", True, False, False),
        ("Sure, thanks!", True, False, False),
        ("fine by me", False, False, False),
        ("No, thanks!", False, True, False),
        ("Decline. Thank you.", False, True, False),
        ("No, sorry.", False, True, False),
        ("Decline, sorry", False, True, False),
        ("Accept my thanks", False, False, False),
        ("Accept, with pleasure, my apologies", False, False, False),
        ("Accept the draw, with pleasure", False, False, False),
        ("I can't accept, thanks", False, False, False),
        ("Yes, with pleasure if you give me a week", False, False, False),
        ("No problem, thanks", False, False, False),
        ("noplease", False, False, False),
    ],
)
def test_which_orders_answer_an_invitation_or_an_offer(text: str, accepts: bool, declines: bool, answers: bool) -> None:
    order = parse(text)
    assert orders.accepts_invitation(order) is accepts
    assert orders.declines_invitation(order) is declines
    assert orders.answers_offer(order) is answers
