"""The conversation of a match, private notes, and the next match that waits."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.play.conftest import Town, plain
from tests.web.conftest import Visitor, words


def say(visitor: Visitor, match: str, text: str, **fields: str) -> None:
    assert visitor.send(match, f"{match}/say", text=text, **fields).status_code == 303


def test_players_read_each_other_on_the_page_and_by_mail(town: Town, ada: Visitor, bruno: Visitor, match: str) -> None:
    say(ada, match, "Good luck, <b>friend</b> & co")
    assert "<blockquote>Good luck, &lt;b&gt;friend&lt;/b&gt; &amp; co</blockquote>" in bruno.get(match).text
    town.work()
    (mail,) = (mail for mail in town.post() if "Good luck" in plain(mail))
    assert "bruno@example.org" in mail["To"]


def test_watchers_hear_the_table_when_the_match_is_over(
    ada: Visitor, bruno: Visitor, anybody: Visitor, match: str, play: Callable[[Visitor, str], str]
) -> None:
    say(ada, match, "A secret plan")
    assert "A secret plan" not in anybody.get(match).text
    assert "A secret plan" in bruno.get(match).text
    play(bruno, "resign")
    assert "A secret plan" in anybody.get(match).text


def test_a_whisper_by_mail_stays_between_two(
    town: Town, ada: Visitor, bruno: Visitor, anybody: Visitor, match: str, play: Callable[[Visitor, str], str]
) -> None:
    number = match.rpartition("/")[2]
    town.write("ada@example.org", f"match {number}\nsay to white: between us\nsay for all")
    assert "to White alone" in bruno.read(match)
    play(bruno, "resign")
    assert "between us" not in anybody.get(match).text
    assert "for all" in anybody.get(match).text


def test_a_message_sent_twice_is_said_once(ada: Visitor, bruno: Visitor, match: str) -> None:
    for _ in range(2):
        say(ada, match, "Only once", nonce="the same")
    assert bruno.get(match).text.count("Only once") == 1


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("  ", "A message needs at least one word."),
        ("x" * 2001, "A message has at most 2,000 characters; this one has 2,001."),
    ],
)
def test_what_cannot_be_said_comes_back_to_be_made_right(ada: Visitor, match: str, text: str, sentence: str) -> None:
    answer = ada.send(match, f"{match}/say", text=text)
    assert answer.status_code == 422
    assert sentence in words(answer)
    assert f">{text}</textarea>" in answer.text


def test_only_those_at_the_table_talk_and_note(ada: Visitor, match: str, sign_in: Callable[[str], Visitor]) -> None:
    carla = sign_in("carla@example.org")
    assert 'name="text"' not in carla.get(match).text
    for act in ("say", "note"):
        answer = carla.send("/account", "", to=f"{match}/{act}", text="Let me in")
        assert answer.status_code == 422
        assert "Only those who have a seat in this match" in words(answer)
    assert "Let me in" not in ada.get(match).text


def test_notes_are_for_ones_own_eyes(ada: Visitor, bruno: Visitor, match: str) -> None:
    ada.send(match, f"{match}/note", text="</textarea>His corner is weak\r\nand cold")
    assert "&lt;/textarea&gt;His corner is weak\nand cold</textarea>" in ada.get(match).text
    assert "corner is weak" not in bruno.get(match).text
    ada.send(match, f"{match}/note", text="")
    assert "corner is weak" not in ada.get(match).text


def test_nobody_talks_to_a_bot(ada: Visitor) -> None:
    path = str(ada.send("/play", "/play/rosette").location)
    assert "Say something" not in ada.read(path)
    assert "Your notes" in ada.read(path)


def test_the_next_match_is_the_next_that_waits(town: Town, ada: Visitor) -> None:
    paths = {str(ada.send("/play", f"/play/{game}").location) for game in ("rosette", "lotus", "go")}
    seen, here = set(), str(ada.get("/next").location)
    for _ in range(3):
        seen.add(here)
        here = str(ada.get(f"/next?after={here.rpartition('/')[2]}").location)
    assert seen == paths


def test_nothing_waits_for_who_has_nothing_to_do(bruno: Visitor, match: str) -> None:
    assert bruno.get(f"/next?after={match.rpartition('/')[2]}").location == "/"
    assert "No other match waits for you." in bruno.read("/")
