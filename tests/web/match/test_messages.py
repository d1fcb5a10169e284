"""The conversation of a match, private notes, and the next match that waits."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta

import pytest

from tests.play.conftest import Town, plain
from tests.web.conftest import Visitor, markup, words


def say(visitor: Visitor, match: str, text: str, **fields: str) -> None:
    assert visitor.send(match, f"{match}/say", text=text, **fields).status_code == 303


def test_players_read_each_other_on_the_page_and_by_mail(town: Town, ada: Visitor, bruno: Visitor, match: str) -> None:
    say(ada, match, "Good luck, <b>friend</b> & co")
    assert "<blockquote>Good luck, &lt;b&gt;friend&lt;/b&gt; &amp; co</blockquote>" in bruno.get(match).text
    town.work()
    (mail,) = (mail for mail in town.post() if "Good luck" in plain(mail))
    assert "bruno@example.org" in mail["To"]


def test_spectators_can_read_messages_when_the_match_is_over(
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
    town.write("ada@example.org", f"match {number}\nsay to white: between us")
    town.write("ada@example.org", f"match {number}\nsay for all")
    assert "to White only" in bruno.read(match)
    play(bruno, "resign")
    assert "between us" not in anybody.get(match).text
    assert "for all" in anybody.get(match).text


def test_a_message_sent_twice_appears_once(ada: Visitor, bruno: Visitor, match: str) -> None:
    for _ in range(2):
        say(ada, match, "Only once", nonce="the same")
    assert bruno.get(match).text.count("Only once") == 1


def test_the_same_message_is_not_sent_again_until_somebody_has_answered(
    town: Town, ada: Visitor, bruno: Visitor, match: str
) -> None:
    """Somebody may have gone back to the page, whose form has another nonce by then."""
    say(ada, match, "Ready?")
    refused = ada.send(match, f"{match}/say", text="Ready?")
    assert refused.status_code == 422
    assert "You've just sent this message, word for word, so it wasn't sent again." in words(refused)
    assert ">Ready?</textarea>" in refused.text
    say(bruno, match, "Not yet")
    say(ada, match, "Ready?")
    town.now += timedelta(hours=2)
    say(ada, match, "Ready?")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("  ", "A message needs at least one word."),
        ("x" * 2001, "A message can have up to 2,000 characters; this one has 2,001."),
    ],
)
def test_a_refused_message_comes_back_to_be_corrected(ada: Visitor, match: str, text: str, sentence: str) -> None:
    answer = ada.send(match, f"{match}/say", text=text)
    assert answer.status_code == 422
    assert sentence in words(answer)
    assert f">{text}</textarea>" in answer.text


def test_only_players_of_the_match_can_write_messages_and_notes(
    ada: Visitor, match: str, sign_in: Callable[[str], Visitor]
) -> None:
    carla = sign_in("carla@example.org")
    assert 'name="text"' not in carla.get(match).text
    for act in ("say", "note"):
        answer = carla.send("/account", "", to=f"{match}/{act}", text="Let me in")
        assert answer.status_code == 422
        assert "Only players with a seat in this match" in words(answer)
    assert "Let me in" not in ada.get(match).text


def test_only_their_author_can_read_notes(ada: Visitor, bruno: Visitor, match: str) -> None:
    ada.send(match, f"{match}/note", text="</textarea>His corner is weak\r\nand cold")
    assert "&lt;/textarea&gt;His corner is weak\nand cold</textarea>" in ada.get(match).text
    assert "corner is weak" not in bruno.get(match).text
    ada.send(match, f"{match}/note", text="")
    assert "corner is weak" not in ada.get(match).text


def test_bots_get_no_messages(ada: Visitor) -> None:
    path = str(ada.send("/play", "/play/rosette").location)
    assert "Write to" not in ada.read(path)
    assert "Your notes" in ada.read(path)


def test_the_next_match_is_the_next_one_that_waits(town: Town, ada: Visitor) -> None:
    paths = {str(ada.send("/play", f"/play/{game}").location) for game in ("rosette", "lotus", "go")}
    seen, here = set(), str(ada.get("/next").location)
    for _ in range(3):
        seen.add(here)
        here = str(ada.get(f"/next?after={here.rpartition('/')[2]}").location)
    assert seen == paths


def test_an_invitation_waits_too_and_comes_before_matches_that_do_not(town: Town, ada: Visitor, bruno: Visitor) -> None:
    invited = str(ada.send("/new/go", other1="email", address1="bruno@example.org").location)
    town.now += timedelta(hours=1)
    path = str(bruno.send("/new/lotus", other1="email", address1="ada@example.org", own="1").location)
    ada.send(path, f"{path}/answer", answer="accept")
    listed = bruno.get("/").text.partition("Open seats")[0]
    assert 0 < listed.index(invited) < listed.index(path)
    assert "Next match waiting for me" in bruno.read(path)
    assert bruno.get(f"/next?after={path.rpartition('/')[2]}").location == invited
    assert "Next match waiting for me" not in bruno.read(invited)


def test_a_player_with_nothing_to_do_reads_that_no_match_waits(bruno: Visitor, match: str) -> None:
    assert bruno.get(f"/next?after={match.rpartition('/')[2]}").location == "/"
    assert "No other match is waiting for you." in bruno.read("/")


@pytest.fixture
def table(ada: Visitor, bruno: Visitor, sign_in: Callable[[str], Visitor]) -> tuple[str, Visitor]:
    """The path of a running match of three, and Carla, who plays Red."""
    carla = sign_in("carla@example.org")
    path = str(ada.send("/new/multigo", seats="3", other1="open", other2="open", size="5").location)
    for one in (bruno, carla):
        one.send(path, f"{path}/join")
    return path, carla


def test_a_message_goes_to_those_ticked(
    ada: Visitor, bruno: Visitor, anybody: Visitor, table: tuple[str, Visitor]
) -> None:
    path, carla = table
    say(ada, path, "For Red alone", audience="some", reader="2")
    assert "Ada to Red only" in carla.read(path)
    assert "For Red alone" not in bruno.get(path).text + anybody.get(path).text
    assert "only the players ticked here: White Red" in ada.read(path)
    (answer,) = re.findall(r'href="(/match/[^"]*reader=[^"]*)#saying"', carla.get(path).text)
    assert re.findall(r'value="(\d)" checked', carla.get(answer.replace("&amp;", "&")).text) == ["0"]
    assert re.findall(r'value="(\d)" checked', carla.get(path).text) == []


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"audience": "some"}, "Choose who your message is for"),
        ({"audience": "all", "reader": "2"}, "Choose either everybody or the players you ticked"),
        ({"audience": "some", "reader": "0"}, "You can only write to the other players in this match"),
        ({"audience": "some", "reader": "9"}, "You can only write to the other players in this match"),
    ],
)
def test_an_unclear_audience_is_refused(
    ada: Visitor, bruno: Visitor, table: tuple[str, Visitor], fields: dict[str, str], sentence: str
) -> None:
    path, carla = table
    answer = ada.send(path, f"{path}/say", text="Psst", **fields)
    assert answer.status_code == 422
    assert sentence in words(answer)
    assert ("checked>only the players" in answer.text) == (fields["audience"] == "some")
    assert "Psst" not in bruno.get(path).text + carla.get(path).text


def test_the_form_offers_kinds_of_press_and_the_page_explains_the_chosen_one(
    town: Town, ada: Visitor, bruno: Visitor, sign_in: Callable[[str], Visitor]
) -> None:
    chosen = {"press": "group", "names": "anonymous"}
    path = str(ada.send("/new/multigo?seats=3", other1="open", other2="open", size="5", **chosen).location)
    assert "Players talk to the whole table, not to chosen players." in bruno.read(path)
    assert "Ada" not in markup(bruno.get(path)) + markup(bruno.get("/"))
    carla = sign_in("carla@example.org")
    for one in (bruno, carla):
        one.send(path, f"{path}/join")
    say(ada, path, "We should ally")
    assert "It shows the name of your side." in bruno.read(path)
    page = markup(bruno.get(path))
    assert "We should ally" in page
    assert not {"Ada", "Carla"} & set(re.findall(r"\w+", page))
    assert not {f"/player/{one.id}" for one in (ada, carla)} & set(re.findall(r"/player/\d+", page))


def test_without_press_nothing_can_be_written(ada: Visitor, bruno: Visitor) -> None:
    path = str(ada.send("/new/multigo?seats=2", other1="open", size="5", press="none").location)
    bruno.send(path, f"{path}/join")
    page = ada.read(path)
    assert "Write to" not in page
    assert "Add a remark" not in page
    assert bruno.send(path, f"{path}/note", to=f"{path}/say", text="Hello").status_code == 422


@pytest.mark.parametrize("act", ["say", "note"])
def test_a_message_or_note_in_an_unknown_match_is_not_found(ada: Visitor, match: str, act: str) -> None:
    for number in ("0", "999"):
        answer = ada.send(match, f"{match}/{act}", f"/match/{number}/{act}", text="Hello?")
        assert (answer.status_code, "Hello?" in answer.text) == (404, False)
