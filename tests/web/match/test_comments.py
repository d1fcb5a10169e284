"""Comments on matches that are over: who writes and reads them, and who removes them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from service.play.talk import comments, moderation
from service.play.talk.messages import TalkError
from service.store.models import Player
from tests.play.conftest import Town
from tests.web.conftest import Forms, Visitor, words

Play = Callable[[Visitor, str], str]


@pytest.fixture
def over(ada: Visitor, bruno: Visitor, match: str, play: Play) -> str:
    """Ada has moved, and Bruno has resigned."""
    play(ada, "e9")
    play(bruno, "resign")
    return match


def comment(visitor: Visitor, match: str, text: str, ply: int = 1, **fields: str) -> int:
    page = f"{match}/at/{ply}"
    return visitor.send(page, f"{page}/comment", text=text, **fields).status_code


def test_everybody_can_read_a_comment_at_its_move(ada: Visitor, anybody: Visitor, over: str) -> None:
    for _ in range(2):
        assert comment(ada, over, "A <b>quiet</b> move.", nonce="the same") == 303
    assert comment(ada, over, "Good luck", 0) == 303
    page = anybody.get(over)
    assert page.text.count("<blockquote>A &lt;b&gt;quiet&lt;/b&gt; move.</blockquote>") == 1
    assert "Ada on the starting position" in words(page)
    assert "Ada on move 1" in words(page)
    assert "Good luck" not in anybody.read(f"{over}/at/1")
    assert "A <b>quiet</b> move." in anybody.read(f"{over}/at/1").replace("&lt;", "<").replace("&gt;", ">")
    assert "Comment on move" not in anybody.read(f"{over}/at/1")


def test_links_and_addresses_that_act_for_their_reader_are_left_out_of_comments(ada: Visitor, over: str) -> None:
    link, address = "http://127.0.0.1:8000/mail/stop/" + "x" * 40, f"games+{'abc234' * 6}@example.org"
    assert comment(ada, over, f"A quiet move.\n{link}\nWrite to {address}") == 303
    page = ada.read(f"{over}/at/1")
    assert "A quiet move." in page
    assert link not in page
    assert address not in page


def test_a_running_match_cannot_be_commented_on(town: Town, ada: Visitor, match: str, play: Play) -> None:
    play(ada, "e9")
    assert "Comment" not in ada.read(match)
    with pytest.raises(TalkError, match="Only a match that is over"):
        comments.add(town.site, int(match.rpartition("/")[2]), ada.id, 1, "Hm", "key")


def test_its_author_and_operators_can_remove_a_comment(town: Town, ada: Visitor, bruno: Visitor, over: str) -> None:
    number = int(over.rpartition("/")[2])
    comment(ada, over, "Too much")
    assert "Remove" not in bruno.read(over)
    assert bruno.client.post(f"{over}/comments/1/remove").status_code in (400, 404)
    assert not comments.remove(town.site, number, 1, bruno.id)
    assert ada.send(over, f"{over}/comments/1/remove").location == f"{over}#comments"
    assert "Too much" not in ada.read(over)
    comment(bruno, over, "Again")
    (line,) = comments.read(town.site, number, ada.id, is_operator=True)
    assert line.may_remove
    assert comments.remove(town.site, number, line.id, ada.id, is_operator=True)


def test_a_blocked_player_neither_writes_nor_is_heard(
    town: Town, ada: Visitor, bruno: Visitor, over: str, sign_in: Callable[[str], Visitor]
) -> None:
    cleo = sign_in("cleo@example.org")
    assert comment(cleo, over, "I saw that") == 303
    moderation.set_block(town.site, ada.id, cleo.id, blocked=True)
    assert "I saw that" not in ada.read(over)
    assert "I saw that" in bruno.read(over)
    assert comment(cleo, over, "And more") == 422


@pytest.mark.parametrize(
    ("text", "ply", "why"),
    [
        (" ", 1, "Your comment is empty."),
        ("x" * 2_001, 1, "up to 2,000 characters; this one has 2,001"),
        ("Hm", 9, "There's no such move"),
    ],
)
def test_what_is_refused(town: Town, ada: Visitor, over: str, text: str, ply: int, why: str) -> None:
    with pytest.raises(TalkError, match=why):
        comments.add(town.site, int(over.rpartition("/")[2]), ada.id, ply, text, "key")


def test_guests_have_to_sign_in_first_and_comments_are_limited(
    town: Town, ada: Visitor, bruno: Visitor, over: str
) -> None:
    number = int(over.rpartition("/")[2])
    for at in range(comments.MOST):
        comments.add(town.site, number, ada.id, 1, f"Comment {at}", f"key {at}")
    with pytest.raises(TalkError, match="up to 50 comments"):
        comments.add(town.site, number, ada.id, 1, "More", "more")
    comments.add(town.site, number, ada.id, 1, "Comment 49", "key 49")  # The same form sent again.
    assert len(comments.read(town.site, number, ada.id)) == comments.MOST
    with town.store.writing() as session:
        session.get_one(Player, bruno.id).email = None
    with pytest.raises(TalkError, match="Sign in"):
        comments.add(town.site, number, bruno.id, 1, "Hm", "guest")


def test_other_players_cannot_remove_a_comment(town: Town, ada: Visitor, bruno: Visitor, over: str) -> None:
    comment(ada, over, "Too much")
    csrf = dict(Forms(bruno.get("/account").text).forms)["/sign-out"]["csrf_token"]
    assert bruno.client.post(f"{over}/comments/1/remove", data={"csrf_token": csrf}).status_code == 404
    assert "Too much" in ada.read(over)
