"""Agreements on the page: what is offered, who sees it, and how one press answers it."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import TypeAlias

from service.play.match import invitations, lobby
from service.play.match.lobby import Chair
from service.play.pages.match_page import match_page
from tests.play.conftest import Town
from tests.web.conftest import Forms, Visitor, judge

Play: TypeAlias = Callable[[Visitor, str], str]


def press(town: Town, visitor: Visitor, page: str, text: str) -> None:
    """Presses the button that sends this order."""
    html = visitor.get(page).text
    assert f'value="{text}"' in html
    form = next(fields for action, fields in Forms(html).forms if action == f"{page}/order")
    pressed = {"nonce": f"{form['nonce']}-{text}", "text": text, "shown": text, "csrf_token": form["csrf_token"]}
    assert visitor.client.post(f"{page}/order", data=pressed).status_code == 303
    judge(town)


def test_a_takeback_is_asked_for_and_agreed_to(
    town: Town, match: str, ada: Visitor, bruno: Visitor, anybody: Visitor, play: Play
) -> None:
    assert 'value="takeback"' not in ada.get(match).text
    play(ada, "e9")
    press(town, ada, match, "takeback")
    assert "You've asked to take back your e9." in ada.read(match)
    assert "Black asks to take back e9." in bruno.read(match)
    assert "take the last move back" not in anybody.read(match)
    press(town, bruno, match, "accept takeback")
    page = ada.get(match).text
    assert "<s>e9</s>" in page
    assert "Black took the last move back." in ada.read(match)
    assert "Your move" in ada.read(match)


def test_a_pause_is_asked_for_withdrawn_and_agreed_to(
    town: Town, match: str, ada: Visitor, bruno: Visitor, anybody: Visitor
) -> None:
    press(town, ada, match, "pause for 14 days")
    press(town, ada, match, "withdraw")
    assert "asks for a pause" not in bruno.read(match)
    press(town, bruno, match, "pause for 14 days")
    (text,) = re.findall(r'value="(accept pause [^"]*)"', ada.get(match).text)
    press(town, ada, match, text.replace("&#43;", "+"))
    for visitor in (ada, bruno, anybody):
        assert "Paused by agreement until Saturday 5 December, 12:00 (UTC) ." in visitor.read(match)
    assert "Ask to end the pause" in ada.read(match)


def test_a_move_can_be_undone_while_nobody_has_seen_it(town: Town, match: str, ada: Visitor, bruno: Visitor) -> None:
    ada.send("/account", look="auto", grace="60")
    sent = ada.send(match, f"{match}/order", text="e9")
    judge(town)
    page = str(sent.location)
    assert "No one has seen your move e9 yet." in ada.read(page)
    assert "being looked at" not in ada.read(page)
    assert "to move" in bruno.read(match)
    assert "e9" not in bruno.read(match)
    bar = ada.get(page).text.partition('class="bar"')[2].partition('id="verdict"')[0]
    assert "No one has seen your move" in bar, "It is in view on a phone, beside the box."
    assert '<button form="withdraw">Undo</button>' in bar
    seen = ada.send(page, f"{match}/order", to=f"{match}/preview", text="undo")
    assert seen.status_code == 200, "it could be undone"
    undone = ada.send(page, f"{match}/order", text="undo")
    judge(town)
    assert "Your move was withdrawn, and no one has seen it." in ada.read(str(undone.location))
    assert "Your move e9 was withdrawn, and no one has seen it." in ada.read(page)
    assert "No one has seen your move" not in ada.read(match)


def test_a_second_move_replaces_the_one_that_is_held_and_the_page_says_so(
    town: Town, match: str, ada: Visitor, bruno: Visitor
) -> None:
    ada.send("/account", look="auto", grace="60")
    first = ada.send(match, f"{match}/order", text="e9", remark="Good luck")
    judge(town)
    second = ada.send(match, f"{match}/order", text="e10")
    assert "e10 yet" in ada.read(match), "It is announced before it is judged."
    judge(town)
    told = ada.read(str(second.location))
    assert "No one has seen your move e10 yet." in told
    assert "It replaces e9 . What you wrote with e9 was sent to nobody: Good luck" in told
    assert "You sent another move in place of e9 , which no one has seen." in ada.read(str(first.location))
    waiting = ada.send(match, f"{match}/order", text="if e11 then f11")
    judge(town)
    assert "Your order if e11 then f11 waits until then too." in ada.read(str(waiting.location))
    town.now += timedelta(minutes=2)
    town.queue.append(("judge", int(match.rpartition("/")[2])))
    judge(town)
    assert "Black played e10." in bruno.read(match)
    assert "Your move e10 was accepted." in ada.read(str(second.location))


def test_a_rematch_needs_one_press(town: Town, match: str, ada: Visitor, bruno: Visitor, play: Play) -> None:
    play(ada, "e9")
    bruno.client.post(
        f"{match}/order", data=Forms(bruno.get(match).text).forms[1][1] | {"text": "resign", "shown": "resign"}
    )
    judge(town)
    assert "Rematch with sides swapped" in ada.read(match)
    press(town, ada, match, "rematch")
    assert "Go to the rematch" in bruno.read(match)
    assert "You're invited" in bruno.read("/match/2")


def test_of_three_everybody_moves_one_seat_on_in_a_rematch(town: Town, ada: Visitor, bruno: Visitor) -> None:
    chairs = [Chair("me"), Chair("player", player_id=bruno.id), Chair("bot")]
    number = lobby.open_match(town.site, ada.id, "multigo", {"size": "5"}, chairs)
    invitations.answer(town.site, number, bruno.id, accept=True)
    for visitor in (ada, bruno):
        visitor.send(f"/match/{number}", f"/match/{number}/order", text="resign", shown="resign")
        town.work()
    assert "Rematch with seats rotated" in ada.read(f"/match/{number}")
    assert "swapped" not in ada.read(f"/match/{number}")
    press(town, ada, f"/match/{number}", "rematch")
    page = match_page(town.site, number + 1, None)
    assert page is not None
    assert [seat.name for seat in page.line.seats][1:] == ["Ada", "Bruno"]
