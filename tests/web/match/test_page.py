"""The match page without scripts: looking, previewing, sending, and what it says."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from html import unescape

import pytest

from service.games import GAMES
from service.mail.grammar.orders import parse
from service.play import links
from service.play.match import invitations, lobby
from service.play.match.lobby import Chair
from service.play.orders.submit import Incoming, submit
from service.play.pages import match_lists, match_page
from service.play.pages.match_lists import MatchLine
from service.store.models import Match, Player, Submission
from tests.play.conftest import Town
from tests.render.boards import targets
from tests.web.conftest import Forms, Visitor, judge, words

Play = Callable[[Visitor, str], str]


def title(visitor: Visitor, path: str) -> str:
    return unescape(re.findall(r"<title>(.*?)</title>", visitor.get(path).text)[0])


def standing(visitor: Visitor, path: str, cell: str) -> str:
    """What the picture says is on a cell."""
    return targets(visitor.get(path).text)[cell].says


def test_a_refused_order_stays_to_be_corrected(town: Town, match: str, ada: Visitor, play: Play) -> None:
    sent = ada.send(match, f"{match}/order", text="e99", remark="For luck")
    judge(town)
    shown = ada.get(str(sent.location)).text
    assert 'name="text" class="move" value="e99"' in shown
    assert 'aria-invalid="true" aria-describedby="text-error order-help"' in shown
    assert 'id="text-error">There&#39;s no point e99 on this board.' in shown
    assert ">For luck</textarea>" in shown
    accepted = ada.send(match, f"{match}/order", text="e9")
    judge(town)
    shown = ada.get(str(accepted.location)).text
    assert 'value="e9"' not in shown
    assert "aria-invalid" not in shown


def test_the_page_says_whose_turn_it_is(match: str, ada: Visitor, bruno: Visitor, anybody: Visitor, play: Play) -> None:
    assert title(ada, match) == "● Your move · Rosette vs Bruno"
    assert title(bruno, match) == "Rosette vs Ada"
    assert title(anybody, match) == "Rosette · Ada vs Bruno"
    assert "Black to move" in anybody.read(match)
    play(ada, "e9")
    assert "Your move" in bruno.read(match)
    assert "Black played e9." in bruno.read(match)


@pytest.mark.parametrize(
    ("seats", "said"),
    [(4, "; White, Red and Blue to move too"), (5, "; 4 others to move too")],
)
def test_the_page_counts_the_others_to_move_if_they_are_many(
    town: Town, ada: Visitor, sign_in: Callable[[str], Visitor], seats: int, said: str
) -> None:
    others = [sign_in(f"player{number}@example.org").id for number in range(1, seats)]
    chairs = [Chair("me"), *(Chair("paired", player_id=other) for other in others)]
    number = lobby.open_match(town.site, ada.id, "multigo-parallel", {"size": "5"}, chairs)
    assert f"Your move {said}" in ada.read(f"/match/{number}")


def test_a_preview_shows_the_move_and_plays_nothing(match: str, ada: Visitor) -> None:
    shown = ada.send(match, f"{match}/order", to=f"{match}/preview", text="E9", remark="Good luck")
    assert 'value="e9"' in shown.text
    assert ">Good luck</textarea>" in shown.text
    assert standing(ada, match, "e9") == "empty"
    assert ada.get(f"{match}/at/1").status_code == 404


def test_a_preview_for_the_script_is_data(match: str, ada: Visitor) -> None:
    token = re.findall(r'name="csrf_token" value="([^"]+)"', ada.get(match).text)[0]
    ask = {"headers": {"Accept": "application/json"}}
    seen = ada.client.post(f"{match}/preview", data={"text": "e9", "csrf_token": token}, **ask).json
    assert seen is not None
    assert (seen["text"], seen["complete"], seen["choices"]) == ("e9", True, [])
    assert 'data-says="Black, last move"' in seen["board"]
    refused = ada.client.post(f"{match}/preview", data={"text": "z99", "csrf_token": token}, **ask)
    assert refused.status_code == 200
    assert "z99" in (refused.json or {})["message"]


def test_a_button_previews_what_needs_no_board(match: str, ada: Visitor) -> None:
    assert 'value="pass"' in ada.send(match, f"{match}/order", to=f"{match}/preview", choice="pass").text


def test_a_preview_says_what_would_happen(match: str, ada: Visitor, bruno: Visitor, play: Play) -> None:
    play(ada, "f12")
    play(bruno, "f13")
    play(ada, "f14")
    play(bruno, "a8")
    seen = words(ada.send(match, f"{match}/order", to=f"{match}/preview", text="e13"))
    assert "Preview of e13 : Black played e13 and captured 1 stone: f13." in seen
    assert "Prisoners: Black 1, White 0 instead of Black 0, White 0. Then White would be to move." in seen
    assert "Prisoners Black 1, White 0" in seen
    cleared = ada.send(match, f"{match}/order", to=f"{match}/preview", text="e13", choice="")
    assert "Preview of" not in words(cleared)


@pytest.mark.parametrize("order", ["pass", "Resign."])
def test_an_order_that_gives_something_up_has_to_be_confirmed(town: Town, match: str, ada: Visitor, order: str) -> None:
    asked = ada.send(match, f"{match}/order", text=order)
    assert "Send it again to confirm." in words(asked)
    judge(town)
    assert title(ada, match).startswith("● Your move")
    filled = dict(reversed(Forms(asked.text).forms))[f"{match}/order"]
    assert filled["text"] == order.lower().rstrip(".")
    answer = ada.client.post(f"{match}/order", data=filled)
    assert answer.status_code == 303
    judge(town)
    assert not title(ada, match).startswith("● Your move")


def test_the_example_of_a_conditional_move_can_be_played_here(match: str, ada: Visitor, play: Play) -> None:
    (when, then) = re.findall(r"conditional moves: if (\S+) then (\S+) \.", ada.read(match))[0]
    assert f"Write conditional moves like this: if {when} then {then}." in play(ada, "if only I knew")
    assert "Your conditional moves (only you can see these)" in play(ada, f"e9 if {when} then {then}")


def test_the_title_of_every_page_counts_what_needs_the_reader(
    town: Town, match: str, ada: Visitor, bruno: Visitor, anybody: Visitor, play: Play
) -> None:
    ada.send("/new/lotus", own="1", other1="email", address1="bruno@example.org")
    for page in ("/rules", "/matches", "/account"):
        assert title(ada, page).startswith("(1) ")
        assert title(bruno, page).startswith("(1) ")
        assert not title(anybody, page).startswith("(")
    play(ada, "e9")
    assert title(ada, "/rules") == "Rules · Stonepost"
    assert title(bruno, "/rules") == "(2) Rules · Stonepost"
    assert title(bruno, match) == "● Your move · Rosette vs Ada"


def test_an_order_waits_until_it_is_judged(town: Town, match: str, ada: Visitor, bruno: Visitor) -> None:
    sent = ada.send(match, f"{match}/order", text="e9", remark="Hello")
    page = str(sent.location)
    number = page.rpartition("=")[2]
    assert "Your order is being processed." in ada.read(page)
    assert f'data-order="{number}"' in ada.get(page).text
    assert "data-order" not in bruno.get(page).text
    assert '<meta http-equiv="refresh"' in ada.get(page).text
    waiting = ada.get(f"{match}/news?order={number}").json or {}
    assert waiting["verdict"] == {"message": "", "state": "waiting"}
    judge(town)
    assert "Your move e9 was accepted." in ada.read(page)
    judged = ada.get(f"{match}/news?order={number}").json or {}
    assert judged["verdict"] == {"message": "", "state": "accepted"}
    assert (waiting["at"].split()[:2], judged["at"].split()[:2]) == (["1", "running"], ["2", "running"])
    assert standing(ada, match, "e9") == "Black, last move"
    assert "Hello" in ada.read(match)


def test_a_refusal_says_what_was_wrong_and_keeps_the_turn(match: str, ada: Visitor, bruno: Visitor, play: Play) -> None:
    play(ada, "e9")
    assert "e9 is taken by Black." in play(bruno, "e9")
    assert title(bruno, match) == "● Your move · Rosette vs Ada"


def test_only_its_sender_sees_the_verdict_on_an_order(
    town: Town, match: str, ada: Visitor, bruno: Visitor, play: Play
) -> None:
    play(ada, "e9")
    page = str(bruno.send(match, f"{match}/order", text="e9").location)
    judge(town)
    assert "is taken" in bruno.read(page)
    assert "is taken" not in ada.read(page)
    assert (bruno.get(page.replace("?", "/news?")).json or {})["verdict"]["state"] == "refused"
    assert (ada.get(page.replace("?", "/news?")).json or {})["verdict"] is None


def test_a_form_sent_twice_is_one_order(town: Town, match: str, ada: Visitor) -> None:
    nonce = "chosen-by-the-page"
    first, second = (ada.send(match, f"{match}/order", text="e9", nonce=nonce).location for _ in range(2))
    assert first == second
    judge(town)
    with town.store.reading() as session:
        assert session.query(Submission).count() == 1


def test_an_order_from_a_page_left_open_is_not_misapplied(
    town: Town, match: str, ada: Visitor, bruno: Visitor, play: Play
) -> None:
    for visitor, move in ((ada, "e9"), (bruno, "e10")):
        play(visitor, move)
    late = ada.send(match, f"{match}/order", text="e11", round="1")
    judge(town)
    assert "That order was for move 1, but the match is now at move 3." in ada.read(str(late.location))
    assert standing(ada, match, "e11") == "empty"


def test_an_order_from_a_page_that_was_opened_before_a_backup_was_restored_is_not_misapplied(
    town: Town, match: str, ada: Visitor, bruno: Visitor, play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = dict(reversed(Forms(ada.get(match).text).forms))[f"{match}/order"]["restored"]
    monkeypatch.setitem(links._restorations, town.store, [town.now])
    for visitor, move in ((ada, "e9"), (bruno, "e10")):
        play(visitor, move)
    late = ada.send(match, f"{match}/order", text="e11", restored=opened)
    judge(town)
    assert "a board that was lost when the service was restored" in ada.read(str(late.location))
    assert standing(ada, match, "e11") == "empty"
    play(ada, "e11")
    assert standing(ada, match, "e11") != "empty"


def test_an_order_for_a_match_that_was_lost_isnt_played_in_a_later_match_with_its_number(
    town: Town, match: str, ada: Visitor, play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = dict(reversed(Forms(ada.get(match).text).forms))[f"{match}/order"]["restored"]
    monkeypatch.setitem(links._restorations, town.store, [town.now - timedelta(hours=1)])
    late = ada.send(match, f"{match}/order", text="e9", restored=opened)
    judge(town)
    assert "a board that was lost when the service was restored" in ada.read(str(late.location))
    assert standing(ada, match, "e9") == "empty"
    play(ada, "e9")
    assert standing(ada, match, "e9") != "empty"


def test_spectators_cannot_order(match: str, ada: Visitor, anybody: Visitor, sign_in: Callable[[str], Visitor]) -> None:
    carla = sign_in("carla@example.org")
    for watcher in (anybody, carla):
        assert "Send" not in watcher.read(match)
        assert 'id="draft"' not in watcher.get(match).text
    token = re.findall(r'name="csrf_token" value="([^"]+)"', carla.get("/account").text)[0]
    assert carla.client.post(f"{match}/order", data={"text": "e9", "csrf_token": token}).status_code == 403
    refused = carla.client.post(f"{match}/preview", data={"text": "e9", "csrf_token": token})
    assert "You have no seat in this match" in words(refused)


def test_every_past_position_has_an_address(
    match: str, ada: Visitor, bruno: Visitor, anybody: Visitor, play: Play
) -> None:
    play(ada, "e9")
    play(bruno, "e10")
    assert standing(anybody, f"{match}/at/1", "e9") == "Black, last move"
    assert standing(anybody, f"{match}/at/1", "e10") == "empty"
    assert "Before the first move" in anybody.read(f"{match}/at/0")
    assert "After move 1 of 2" in anybody.read(f"{match}/at/1")
    assert anybody.get(f"{match}/at/3").status_code == 404


def test_resigning_ends_the_match(match: str, ada: Visitor, bruno: Visitor, anybody: Visitor, play: Play) -> None:
    play(ada, "e9")
    assert "can't be undone" in ada.read(match)
    assert "White won by resignation." in play(ada, "resign")
    assert title(bruno, match) == "Rosette vs Ada"
    assert "You won: White won by resignation." in bruno.read("/")
    assert "You lost: White won by resignation." in ada.read("/")
    assert "You " not in anybody.read("/matches")
    assert "data-live" not in anybody.get(match).text
    # They may still talk, and ask for a rematch.
    assert 'data-live="slowly"' in bruno.get(match).text


def test_passing_twice_and_agreeing_counts_the_board(match: str, ada: Visitor, bruno: Visitor, play: Play) -> None:
    play(ada, "e9")
    play(bruno, "pass")
    assert "accept" in play(ada, "pass") or "accept" in bruno.read(match)
    assert "White has yet to agree on the dead stones" not in ada.read(match)

    def previewed(visitor: Visitor) -> str:
        return words(visitor.send(match, f"{match}/order", to=f"{match}/preview", text="accept"))

    count = "Preview of accept : Accepted by White. Still to accept: Black. With this count, Black would win by"
    assert count in previewed(bruno)
    told = play(bruno, "accept")
    assert "Black has yet to agree on the dead stones" in told
    assert "Agree on the dead stones" in ada.read(match)
    assert "Accepted by White. Still to accept: Black. With this count, Black would win by" in ada.read(match)
    assert re.search(r"Preview of accept : Black finished ahead by [\d.]+ points\. The match would", previewed(ada))
    assert "Black won on points." in play(ada, "accept")


@pytest.mark.parametrize(
    "remark", ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "{{ 7 * 7 }}", "a\nb"]
)
def test_remarks_are_shown_as_they_were_typed(
    match: str, ada: Visitor, bruno: Visitor, play: Play, remark: str
) -> None:
    play(ada, "e9", remark=remark)  # type: ignore[call-arg]
    page = bruno.get(match).text
    (quoted, *_) = re.findall(r"(?s)<blockquote>(.*?)</blockquote>", page)
    assert unescape(quoted) == f"Black: {remark}"
    assert "<script>alert" not in page
    assert "<img src=x" not in page


def test_an_unknown_match_is_not_found(ada: Visitor) -> None:
    for path in ("/match/999", "/match/999/at/0", "/match/999/news", "/match/x"):
        assert ada.get(path).status_code == 404


def test_a_message_is_news_to_those_who_may_read_it(match: str, ada: Visitor, bruno: Visitor, anybody: Visitor) -> None:
    def said(visitor: Visitor) -> str:
        return str((visitor.get(f"{match}/news").json or {})["said"])

    assert [said(visitor) for visitor in (ada, bruno, anybody)] == ["", "", ""]
    ada.send(match, f"{match}/say", text="Good luck")
    assert said(ada) == said(bruno) != ""
    assert said(anybody) == ""
    assert f'data-said="{said(bruno)}"' in bruno.get(match).text


def test_moves_are_in_rows_with_a_column_for_each_player(match: str, ada: Visitor, bruno: Visitor, play: Play) -> None:
    for visitor, move in ((ada, "e9"), (bruno, "e10"), (ada, "e11")):
        play(visitor, move)
    table = ada.get(match).text.partition("<table>")[2].partition("</table>")[0]
    rows = [" ".join(re.sub(r"<[^>]*>", " ", row).split()) for row in table.split("<tr")[1:]]
    assert [row.removeprefix("> ") for row in rows] == ["Move Ada Bruno", "1 e9 e10", "3 e11"]


def test_the_marker_is_drawn_on_its_track(ada: Visitor) -> None:
    path = str(ada.send("/new/lotus", other1="bot", own="0").location)
    track = ada.get(path).text.partition('<span class="track"')[2].partition("</dd>")[0]
    points = re.findall(r"<i(?: class=\"(\w+)\")?></i>", track)
    assert len(points) == 15
    assert (points.index("middle"), points.index("marker")) == (7, 10), "The komi is three points for White."


@pytest.mark.parametrize("game", GAMES)
def test_three_easily_forgotten_rules_are_beside_the_board(ada: Visitor, game: str) -> None:
    others = {f"other{number}": "open" for number in range(1, GAMES[game].usual_seats)}
    page = ada.get(str(ada.send(f"/new/{game}", **others).location)).text
    assert page.partition('id="reminders" open')[2].partition("</details>")[0].count("<li>") == 3


def test_the_menu_says_what_its_entries_do(match: str, ada: Visitor, bruno: Visitor, play: Play) -> None:
    play(ada, "e9")
    play(bruno, "e10")
    menu = words(ada.get(match)).partition("More ")[2]
    for entry in ("Ask for a takeback", "Ask for a pause", "Share", "Emails about this match", "Resign"):
        assert entry in menu


def test_the_order_box_explains_how_orders_are_written(ada: Visitor, bruno: Visitor, match: str) -> None:
    told = ada.read(match)
    assert re.search(r"(\w\d+) Place a stone there\.", told)
    assert "if MOVE then MOVE Conditional move: your reply" in told
    assert "dead c3 f7" not in told


def test_the_order_box_omits_words_that_the_match_does_not_accept(ada: Visitor, match: str) -> None:
    late = str(ada.send("/new/pillars", other1="bot", own="0", own_clock="3d/move, late passes").location)
    listed = {path: re.findall(r'<dt class="move">(\w+)', ada.get(path).text) for path in (match, late)}
    assert {"draw", "standing"}.isdisjoint(listed[match])
    assert {"draw", "standing", "takeback"} <= {*listed[late]}


def confirmation(town: Town, match: str, visitor: Visitor, text: str) -> str:
    """What the page says once an order of the visitor's is judged."""
    sent = visitor.send(match, f"{match}/order", text=text, shown=text)
    judge(town)
    return words(visitor.get(str(sent.location)))


@pytest.mark.parametrize(
    ("before", "order", "sentence"),
    [
        ("", "e9", "Your move e9 was accepted."),
        ("", "if e9 then f9", "Your conditional moves are saved."),
        ("", "e9 if f9 then g9", "Your move e9 was accepted, and your conditional moves are saved."),
        ("", "forget", "Your conditional moves are dropped."),
        ("", "pause", "You asked for a pause."),
        ("pause", "withdraw", "You withdrew your offer."),
        ("white: pause", "decline pause", "You declined the pause."),
        ("white: pause", "accept", "You accepted."),
        ("e9", "takeback", "You asked to take your last move back."),
        ("e9, e10, white: takeback", "decline takeback", "You declined the takeback."),
        ("e9, e10, white: takeback", "accept takeback", "You agreed to the takeback."),
        ("", "pass", "You passed."),
        ("", "resign", "You resigned."),
        ("e9, pass, pass", "accept", "You accepted the count."),
        ("e9, pass, pass", "dead e9", "You marked as dead: e9."),
        ("e9", "extend 2d", "You gave the other players more time."),
    ],
)
def test_each_order_is_confirmed_in_its_own_sentence(
    town: Town, match: str, ada: Visitor, bruno: Visitor, before: str, order: str, sentence: str
) -> None:
    number = int(match.rpartition("/")[2])
    moves = [text for text in before.split(", ") if text]
    for turn, text in enumerate(moves):
        seat, sender = (1, bruno) if turn % 2 or text.startswith("white: ") else (0, ada)
        given = parse(text.removeprefix("white: "))
        submit(town.site, Incoming(f"web:{turn}", number, seat, sender.id, None, given, "web"))
        judge(town)
    assert sentence in confirmation(town, match, ada, order)


def test_a_page_and_its_verdict_are_from_the_same_moment(
    town: Town, match: str, ada: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worker may judge the order while the page is being put together."""
    sent = ada.send(match, f"{match}/order", text="e9")

    def meanwhile(match: Match, viewer_id: int | None) -> MatchLine:
        judge(town)
        return read(match, viewer_id)

    read = match_lists.match_row
    monkeypatch.setattr(match_page, "match_row", meanwhile)
    told = ada.read(str(sent.location))
    assert "Your order is being processed." in told
    assert "White to move" not in told
    told = ada.read(str(sent.location))
    assert "Your move e9 was accepted." in told
    assert "White to move" in told


def report(visitor: Visitor, match: str) -> str:
    """What the page says has just happened."""
    return words(visitor.get(match)).partition("Your move ")[2].partition(" Your move Preview")[0]


def test_the_latest_event_is_reported_once_whatever_came_after_it(town: Town, ada: Visitor, bruno: Visitor) -> None:
    number = lobby.open_match(town.site, ada.id, "pillars", {}, [Chair("me"), Chair("player", player_id=bruno.id)])
    invitations.answer(town.site, number, bruno.id, accept=True)
    match = f"/match/{number}"

    def send(visitor: Visitor, text: str) -> None:
        visitor.send(match, f"{match}/order", text=text, shown=text)
        judge(town)

    send(ada, "I2-I4")
    send(ada, "draw")
    assert report(bruno, match) == (
        "White played I2-I4. White offers a draw: you accept it with draw, or decline it by moving."
    )
    assert "You've offered a draw: Black accepts it with draw, or declines it by moving." in ada.read(match)
    send(bruno, "decline")
    assert "Black declined the draw. White played I2-I4." in ada.read(match)
    send(ada, "takeback")
    assert report(bruno, match) == "Black declined the draw. White played I2-I4."


def previewed(visitor: Visitor, match: str, text: str) -> str:
    """What the preview says about an order, or why it is refused."""
    return words(visitor.send(match, f"{match}/order", to=f"{match}/preview", text=text))


def test_the_preview_says_what_each_order_does(town: Town, ada: Visitor, bruno: Visitor) -> None:
    chairs = [Chair("me"), Chair("player", player_id=bruno.id)]
    number = lobby.open_match(town.site, ada.id, "medusa", {}, chairs, "3d/move, late passes")
    invitations.answer(town.site, number, bruno.id, accept=True)
    match = f"/match/{number}"

    send = partial(confirmation, town, match)
    planned = "If the next move is f5, you'll answer f7."
    assert f"{planned} Conditional moves have no picture" in previewed(ada, match, "e5 if f5 then f7")
    assert "Black played e5." in previewed(ada, match, "e5 if f5 then f7")
    assert "Preview of e6 : Black played e6." in previewed(ada, match, "e6 or e7")
    send(ada, "e5")
    said = previewed(ada, match, "if f5 then f7 if g5 then g4")
    assert f"{planned} If the move after that is g5, you'll answer g4." in said
    assert (
        'value="if f5 then f7 if g5 then g4"'
        in ada.send(match, f"{match}/order", to=f"{match}/preview", text="if f5 then f7 if g5 then g4").text
    )
    for order, sentence in {
        "forget": "Your conditional moves will be dropped.",
        "standing f7": "If you run out of time, f7 is played for you, if it's legal then.",
        "standing f7 or f9": "the first of these that is legal then is played for you: f7, f9.",
        "standing none": "Your standing order will be dropped.",
        "extend 2d": "You'll give the players whose turn it is more time.",
        "takeback": "You'll ask to take your last move back. All the others have to agree.",
        "pause": "You'll ask for a pause.",
    }.items():
        assert sentence in previewed(ada, match, order)
        assert "isn't" not in send(ada, order).partition("Your move")[0], "Send accepts it too."
    assert "You'll withdraw your offer." in previewed(ada, match, "withdraw")
    assert "You'll agree to the takeback." in previewed(bruno, match, "accept takeback")
    assert "You'll decline the offer." in previewed(bruno, match, "decline")


@pytest.mark.parametrize(
    "order",
    [
        "if e9 then",
        "if nonsense then f9",
        "if e9 then f9; if e9 then g9",
        "standing e9",
        "standing nonsense",
        "undo",
        "rematch",
        "review",
        "takeback",
        "pause until yesterday",
        "withdraw",
        "accept pause",
        "accept",
        "decline",
        "yes",
        "draw",
        "leave team",
        "extend 90d",
        "extend",
        "resume play",
        "nonsense",
        "e9 or nonsense",
        "dead e9",
    ],
)
def test_the_preview_refuses_the_same_orders_as_send_in_the_same_words(
    town: Town, match: str, ada: Visitor, order: str
) -> None:
    shown = ada.send(match, f"{match}/order", to=f"{match}/preview", text=order)
    sent = ada.send(match, f"{match}/order", text=order, shown=order)
    judge(town)
    told = ada.get(str(sent.location)).text
    (sentence,) = re.findall(r'(?s)<p class="note refused" id="text-error">(.*?)</p>', told)
    assert shown.status_code == 422
    assert unescape(sentence) in unescape(shown.text)


def test_there_is_no_position_after_a_move_that_was_not_made(anybody: Visitor, match: str) -> None:
    for path in ("", "/board.svg", "/board.png", "/card.png", "/embed", "/share"):
        assert anybody.get(f"{match}/at/0{path}").status_code == 200, path
        assert anybody.get(f"{match}/at/1{path}").status_code == 404, path


def test_a_page_that_is_open_keeps_its_players_other_devices_quiet(town: Town, ada: Visitor, match: str) -> None:
    number = int(match.rpartition("/")[2])

    def seen() -> datetime | None:
        with town.store.reading() as session:
            return session.get_one(Match, number).seats[0].seen

    with town.store.writing() as session:
        session.get_one(Player, ada.id).post = "unseen"
    ada.get(f"{match}/news")
    assert seen() is None
    ada.get(f"{match}/news?open=1")
    assert seen() == town.now
