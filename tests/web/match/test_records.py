"""Records and pictures on the web."""

from __future__ import annotations

import re
from collections.abc import Callable
from io import BytesIO

import pytest

from service.games import GAMES
from tests.web.conftest import Visitor, words

Play = Callable[[Visitor, str], str]


def test_every_notation_is_linked_and_can_be_downloaded(match: str, ada: Visitor, anybody: Visitor, play: Play) -> None:
    play(ada, "e9")
    links = re.findall(r'href="(/match/[^"]*(?:record|board)\.[^"]*)"', anybody.get(match).text)
    assert {link.rpartition(".")[2] for link in links} == {"txt", "json", "svg", "png"}
    answers = {link.rpartition(".")[2]: anybody.get(link) for link in links}
    assert {answer.status_code for answer in answers.values()} == {200}
    assert "black: e9" in answers["txt"].text
    assert answers["json"].json is not None
    assert answers["json"].json["moves"][0]["move"] == "e9"
    assert answers["svg"].text.startswith("<svg")
    assert answers["png"].data.startswith(b"\x89PNG")


def test_a_page_says_that_a_notation_cannot_record_a_game(match: str, anybody: Visitor) -> None:
    answer = anybody.get(f"{match}/record.sgf")
    assert answer.status_code == 404
    assert "SGF can't record a match of Rosette. You can download it as text or JSON" in words(answer)


@pytest.mark.parametrize("path", ["/match/99/record.txt", "/match/99/at/0/board.svg", "{match}/at/7/board.png"])
def test_what_is_not_there(match: str, anybody: Visitor, path: str) -> None:
    assert anybody.get(path.format(match=match)).status_code == 404


def test_a_record_is_imported_and_shown(ada: Visitor, anybody: Visitor) -> None:
    record = "(;SZ[9]PB[Shusai]PW[Go <Seigen>]RE[B+R];B[ee]C[hello];W[cc])"
    answer = ada.send("/import", text=record)
    assert answer.status_code == 303
    page = str(answer.location)
    assert "Black won by resignation." in anybody.read(page)
    assert "Played elsewhere and imported by Ada." in anybody.read(page)
    assert "Shusai" in anybody.read(page)
    assert "open seat" not in anybody.get(page).text
    assert "Go &lt;Seigen&gt;" in anybody.get(page).text
    assert "hello" in anybody.read(f"{page}/at/1")
    assert "B[ee]C[hello]" in anybody.get(f"{page}/record.sgf").text


def test_a_record_can_be_imported_as_a_file(ada: Visitor, anybody: Visitor) -> None:
    form = ada.get("/import").text
    token = form.partition('name="csrf_token" value="')[2].partition('"')[0]
    file = BytesIO(f"# stonepost replay {next(iter(GAMES))}\npass\n".encode()), "match.txt"
    answer = ada.client.post("/import", data={"csrf_token": token, "file": file, "text": ""})
    assert answer.status_code == 303
    assert "The record ends here, before the match was over." in anybody.read(str(answer.location))


def test_a_record_that_cannot_be_read_stays_in_the_form(ada: Visitor) -> None:
    answer = ada.send("/import", text="(;SZ[9]\n;B[ee]\n;W[ee])")
    assert answer.status_code == 422
    assert "Line 3: e5 is taken by Black." in words(answer)
    assert ";W[ee])</textarea>" in answer.text


def test_only_players_can_import_records(anybody: Visitor) -> None:
    assert "/sign-in" in str(anybody.get("/import").location)


def test_a_record_that_is_too_large_is_refused(ada: Visitor) -> None:
    assert "A game record can have up to 200,000 bytes" in words(ada.send("/import", text="x" * 200_001))
    assert ada.send("/import", text="x" * 300_000).status_code == 413
