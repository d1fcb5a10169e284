"""Comments by email on a match that is over, and comments in its records."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from service.mail.grammar import command_lines
from service.play.pages.match_page import match_page
from service.play.pages.records import export
from service.play.talk import comments, moderation
from service.store.models import Player
from service.store.tables.player_data import Comment
from tests.play.conftest import Town
from tests.play.inbox.test_company_commands import answered, named
from tests.play.match.test_review import ADA, BEN, begun, play, together

EVE = "eve@example.org"


@pytest.fixture
def over(town: Town) -> int:
    """White has resigned after two moves."""
    match = begun(town, "go", size="9")
    play(town, match, "e5", "c3", "g7", "resign")
    town.post()
    return match


def test_a_comment_by_email_has_all_lines_below_it_and_is_in_the_history_and_the_records(town: Town, over: int) -> None:
    mail = f"match {over}\n\ncomment 2 The corner was bigger,\nand g3 was sente.\n\npass"
    said = answered(town, EVE, mail)
    assert f"Everybody can read your comment: http://127.0.0.1:8000/match/{over}/at/2" in said
    answered(town, BEN, f"match {over}\ncomment on move 0: Good luck?")
    with town.store.reading() as session:
        found = session.scalars(select(Comment).order_by(Comment.id)).all()
        assert [(one.ply, one.text) for one in found] == [
            (2, "The corner was bigger,\nand g3 was sente.\n\npass"),
            (0, "Good luck?"),
        ]
    said = answered(town, ADA, f"match {over}\nhistory")
    assert "Comments: Player 2 on the starting position: Good luck? Player 3 on move 2: The corner was bigger," in said
    for suffix, text in records(town, over).items():
        assert "The corner was bigger," in text, suffix
        assert "Good luck?" in text, suffix
    assert "C[Player 3: The corner was bigger" in records(town, over)["sgf"]


def records(town: Town, match: int, viewer: int | None = None) -> dict[str, str]:
    said = comments.recorded(town.site, match, viewer)
    page = match_page(town.site, match, None)
    assert page is not None
    return {one.suffix: export(town.site, match, one, said) or "" for one in page.notations}


def test_an_email_sent_twice_is_one_comment_and_a_blocked_author_isnt_heard(town: Town, over: int) -> None:
    eve, ada = named(town, EVE), 1
    answered(town, EVE, f"match {over}\ncomment 1 Hm")
    town.mails -= 1
    assert town.write(EVE, f"match {over}\ncomment 1 Hm") == []
    assert "Eve: Hm" in records(town, over)["sgf"]
    moderation.set_block(town.site, ada, eve, blocked=True)
    assert "Eve" not in records(town, over, ada)["sgf"]
    assert "Eve" not in answered(town, ADA, f"match {over}\nhistory")
    assert "doesn't want to hear from you" in answered(town, EVE, f"match {over}\ncomment 1 More")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("comment 9 Hm", "There's no such move in this match."),
        ("comment 1", "Your comment is empty."),
        ("comment", "This line wasn't understood"),
        ("comment allez-vous", "This line wasn't understood"),
    ],
)
def test_comments_that_are_refused(town: Town, over: int, text: str, why: str) -> None:
    assert why in answered(town, EVE, f"match {over}\n{text}")


def test_a_running_match_cannot_be_commented_on_by_email(town: Town) -> None:
    match = begun(town, "go", size="9")
    play(town, match, "e5")
    town.post()
    assert "Only a match that is over can be commented on." in answered(town, EVE, f"match {match}\ncomment 1 Hm")


def test_comments_number_the_moves_that_everybody_sees(town: Town) -> None:
    """Choices that were replaced during their round have no number."""
    together(town, "a1", "d4")
    with town.store.reading() as session:
        ada = session.scalars(select(Player.id)).first() or 0
    comments.add(town.site, 1, ada, 1, "First", "first")
    comments.add(town.site, 1, ada, 2, "Second", "second")
    text = records(town, 1)["txt"]
    assert text.index("First") < text.index("Second")


@pytest.mark.parametrize(
    ("text", "is_command"), [("comment 12 Quiet", True), ("Comment on move 3: hm", True), ("Comment ca va", False)]
)
def test_comment_is_a_command_only_with_a_number(text: str, is_command: bool) -> None:
    assert (command_lines.line(text).command is not None) is is_command


def test_a_colon_may_stand_before_the_number(town: Town, over: int) -> None:
    said = answered(town, EVE, f"match {over}\ncomment : 2 Too slow!")
    assert f"Everybody can read your comment: http://127.0.0.1:8000/match/{over}/at/2" in said
    assert ": Too slow!" in records(town, over)["sgf"]
