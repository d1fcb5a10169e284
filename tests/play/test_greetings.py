"""Emails as people write them, in running matches of several kinds of games, and what their writers are answered."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from service.store.models import Entry
from tests.play.conftest import Town, parsed, plain
from tests.play.test_prose import ADA, BEN, begun, moves, posted, spoken

CLEO = "cleo@example.org"
KINDS = [
    ("go", 2, "f6"),
    ("rosette", 2, "g10"),
    ("medusa", 2, "a1"),
    ("pillars", 2, "D2-D4"),
    ("multigo-parallel", 3, "f12"),
]
WIDE = {ord(narrow): chr(ord(narrow) + 0xFEE0) for narrow in "0123456789"}
WRITTEN = [
    "Hi Ada,\n\n{}",
    "Benさん、こんにちは。\n\n{}",
    "Hallo Ben,\n{}\n\nViele Grüße\nAda",
    "{} \N{THUMBS UP SIGN}",
    "{}!",
    "{} please",
    "wide {}",
]


@pytest.mark.parametrize(("game", "seats", "move"), KINDS, ids=[kind[0] for kind in KINDS])
@pytest.mark.parametrize("written", WRITTEN)
def test_a_move_is_played_whatever_people_add_to_it(town: Town, game: str, seats: int, move: str, written: str) -> None:
    turn = begun(town, game, seats)[ADA]
    if written.startswith("wide "):
        town.reply(turn, move.translate(WIDE))
    else:
        town.reply(turn, written.format(move))
    assert moves(town) == [move]
    with town.store.reading() as session:
        remark = session.scalars(select(Entry.remark)).one()
    assert remark == ("Hallo Ben,\nViele Grüße\nAda" if "Viele" in written else "")


@pytest.mark.parametrize(("first", "count"), [("f6", ["f6"]), ("status", [])])
def test_a_pass_below_the_first_line_has_to_be_confirmed(town: Town, first: str, count: list[str]) -> None:
    mails = begun(town, "go")
    town.reply(mails[ADA], "a1")
    (turn,) = town.post()
    town.reply(turn, f"{first}\npass")
    (question,) = [mail for mail in town.post() if mail["To"].addresses[0].addr_spec == BEN]
    assert "Do you mean pass as your order in Go 1? Nothing has been done yet." in " ".join(plain(question).split())
    assert moves(town) == ["a1", *count]
    if not count:
        town.reply(question, "yes")
        assert moves(town) == ["a1", "pass"]


def counted(town: Town) -> None:
    """Both have passed in match 1 of Go, so they have to agree on the count."""
    mails = begun(town, "go")
    town.reply(mails[ADA], "pass")
    (turn,) = town.post()
    town.reply(turn, "pass")
    town.post()


def test_accept_below_the_first_line_after_play_has_to_be_confirmed(town: Town) -> None:
    counted(town)
    town.write(ADA, "match 1\nstatus\naccept")
    assert moves(town) == ["pass", "pass"]
    (question,) = town.write(ADA, "match 1\nstatus\naccept")
    assert "Do you mean accept as your order in Go 1?" in " ".join(plain(question).split())
    town.reply(question, "Yes, thanks")
    assert moves(town) == ["pass", "pass"]
    town.reply(question, "Yes.")
    assert moves(town) == ["pass", "pass", "accept"]


def test_accept_alone_on_the_first_line_accepts_the_count(town: Town) -> None:
    counted(town)
    town.write(ADA, "match 1\naccept")
    mails = town.write(BEN, "match 1\naccept")
    assert moves(town) == ["pass", "pass", "accept", "accept"]
    assert any("won" in mail["Subject"] for mail in mails)


def test_a_private_remark_in_a_sealed_round_reaches_nobody(town: Town) -> None:
    """A plan below a sealed choice must not be shown to the others, neither before nor after the round."""
    mails = begun(town, "multigo-parallel", 3)
    town.reply(mails[ADA], "a1\nif you play e5 then I play c3")
    assert moves(town) == ["a1"]
    told = posted(town)
    assert set(told) == {ADA}
    assert "This wasn't sent to anybody, because a line in it reads like a message for somebody else" in told[ADA]
    for name in (BEN, CLEO):
        town.reply(mails[name], "b2" if name == BEN else "d4")
    seen = posted(town)
    assert not [name for name in (BEN, CLEO) if "e5" in seen.get(name, "") or "c3" in seen.get(name, "")]
    assert spoken(town) == spoken(town, CLEO) == []
    with town.store.reading() as session:
        assert set(session.scalars(select(Entry.remark))) == {""}


def test_an_open_remark_in_a_sealed_round_is_heard_after_it(town: Town) -> None:
    mails = begun(town, "multigo-parallel", 3)
    town.reply(mails[ADA], "a1\nThe heron stands still.")
    assert set(posted(town)) == {ADA}
    town.reply(mails[BEN], "b2")
    town.reply(mails[CLEO], "d4")
    seen = posted(town)
    assert "The heron stands still." in seen[BEN]
    assert "The heron stands still." in seen[CLEO]


@pytest.mark.parametrize(
    ("game", "text", "answer"),
    [
        ("lotus", "draw?", "Lotus has no draws by agreement, so nothing was offered: to end the match"),
        ("pillars", "draw?", "Do you mean draw as your order in Pillars of Medusa 1?"),
        ("pillars", "resign please", "Do you really want to resign Pillars of Medusa 1?"),
        ("pillars", "I resign. Well played!", "Do you really want to resign Pillars of Medusa 1?"),
        ("go", "resign\n\nThank you for the game", "To send it too, write it again below your yes."),
        ("go", "Please stop sending me these emails", "You'll get no emails about Go 1 until you write unmute"),
        ("go", "Is it my turn?", "Go 1 with Player 2: your move"),
        ("go", "", "Your email has no text of your own. Write your move on the first line."),
        (
            "rosette",
            "Thanks for the game, Ben. I'll answer tomorrow.",
            "Nobody else has read your email. To say something to the others without a move, begin",
        ),
    ],
)
def test_an_email_without_a_move_is_answered(town: Town, game: str, text: str, answer: str) -> None:
    town.reply(begun(town, game)[ADA], text)
    assert answer in posted(town)[ADA]
    assert moves(town) == []


def test_i_offer_a_draw_offers_a_draw(town: Town) -> None:
    town.reply(begun(town, "pillars")[ADA], "I offer a draw.")
    assert moves(town) == ["draw"]


def test_words_below_a_confirmed_resignation_are_heard(town: Town) -> None:
    town.reply(begun(town)[ADA], "resign\nThank you for the game")
    (question,) = town.post()
    town.reply(question, "yes\nThank you for the game")
    assert moves(town) == ["resign"]
    assert "Thank you for the game" in posted(town)[BEN]


def test_thanks_below_a_command_are_not_commented_on(town: Town) -> None:
    (answer,) = town.write(ADA, "status\nThanks")
    assert "| Thanks" not in plain(answer)


def test_a_receipt_quotes_the_conditional_moves_sent_with_the_move(town: Town) -> None:
    town.reply(begun(town, "go")[ADA], "d4; if e5 then c3")
    town.post()
    (receipt,) = map(parsed, town.receipts)
    assert "You played d4. You also sent: if e5 then c3. White to move." in " ".join(plain(receipt).split())
