"""Taking one's data away, and leaving for good."""

from __future__ import annotations

import json
from collections.abc import Callable

from tests.play.conftest import Town
from tests.web.conftest import Visitor, judge, links, words


def test_one_takes_away_all_that_is_ones_own_and_nothing_else(
    ada: Visitor, bruno: Visitor, match: str, play: Callable[[Visitor, str], str]
) -> None:
    play(ada, "c5")
    ada.send(match, f"{match}/note", text="My plan")
    bruno.send(match, f"{match}/note", text="Another plan")
    file = ada.get("/account/data.json")
    assert "attachment" in file.headers["Content-Disposition"]
    data = json.loads(file.text)
    assert data["player"][0]["email"] == "ada@example.org"
    assert data["matches"][0]["moves"] == ["black: c5"]
    assert [note["text"] for note in data["note"]] == ["My plan"]
    assert "bruno@example.org" not in file.text
    assert "Another plan" not in file.text
    with ada.client.session_transaction() as session:
        assert session["visit"] not in file.text


def test_who_leaves_resigns_and_is_forgotten(town: Town, ada: Visitor, bruno: Visitor, match: str) -> None:
    offer = str(ada.send("/new/rosette", other1="open").location)
    assert ada.send("/account/leave", words="leave").location == "/"
    judge(town)
    assert "resign" in bruno.read(match).lower()
    assert "A former player" in bruno.read(match)
    assert "Declined" in bruno.read(offer)
    assert "Plays here no more." in bruno.read(f"/player/{ada.id}")
    assert "Ada" not in bruno.read(match)
    assert ada.get("/account").location == "/sign-in"


def test_the_address_begins_anew(ada: Visitor, sign_in: Callable[[str], Visitor]) -> None:
    ada.send("/account/leave", words=" Leave ")
    assert sign_in("ada@example.org").id != ada.id


def test_a_link_sent_before_leads_nowhere(town: Town, ada: Visitor, anybody: Visitor) -> None:
    anybody.send("/sign-in", "/sign-in", email="ada@example.org")
    town.work()
    (link,) = links(town)
    ada.send("/account/leave", words="leave")
    assert "is deleted. Ask for a new link" in words(anybody.send(link))


def test_nobody_leaves_by_accident(ada: Visitor) -> None:
    answer = ada.send("/account/leave")
    assert answer.status_code == 422
    assert "Write the word leave" in words(answer)
    assert ada.get("/account").status_code == 200
