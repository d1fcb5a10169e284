"""What a page costs: statements to the database, however long the match or the list, and bytes on the wire."""

from __future__ import annotations

import gzip
import html
import re
from collections.abc import Callable

import pytest

from service.play.pages import match_lists
from tests.play.conftest import Town
from tests.web.conftest import Visitor, judge, statements

Play = Callable[[Visitor, str], str]
SERVERS_OWN = "HTTP/1.1 200 OK\r\nServer: gunicorn\r\nDate: Mon, 23 Nov 2026 02:06:58 GMT\r\nConnection: keep-alive\r\n"


@pytest.mark.parametrize(
    ("path", "most"), [("", 13), ("/at/1", 8), ("/news", 5)], ids=["now", "a past position", "news"]
)
def test_a_match_page_needs_few_statements_however_long_the_match(
    town: Town, match: str, ada: Visitor, bruno: Visitor, play: Play, path: str, most: int
) -> None:
    counts = []
    for moves in (("e9", "e10"), ("e11", "e12", "f9", "f10")):
        for number, move in enumerate(moves):
            play((ada, bruno)[number % 2], move)
        with statements(town) as seen:
            assert ada.get(match + path).status_code == 200
        counts.append(len(seen))
    assert counts[1] <= min(counts[0], most), "\n".join(seen)


def test_the_front_page_needs_few_statements_however_many_matches_there_are(town: Town, ada: Visitor) -> None:
    counts = []
    for _ in range(2):
        for _ in range(3):
            ada.send("/new/rosette", other1="open")
        with statements(town) as seen:
            ada.get("/")
        counts.append(len(seen))
    assert counts[0] == counts[1] <= 8, "\n".join(seen)


def test_a_first_visit_to_a_match_is_light(town: Town, ada: Visitor) -> None:
    """The page with its icon, stylesheets and scripts, without scripts that are only loaded once something needs
    them."""
    path = str(ada.send("/new/go", other1="bot", size="19").location)
    judge(town)

    def fetch(address: str) -> tuple[int, str]:
        """The bytes of an answer, with its headers, and what it says."""
        with ada.client.get(html.unescape(address), headers={"Accept-Encoding": "gzip, br"}) as answer:
            content: bytes = answer.data
            headers = str(answer.headers)
        pressed = "Content-Encoding: gzip" in headers
        return len(content) + len(SERVERS_OWN + headers), (gzip.decompress(content) if pressed else content).decode()

    _, page = fetch(path)
    scripts = re.findall(r'<script type="module" src="([^"]+)"', page)
    for script in scripts:
        imported = re.findall(r'^import .*"\./(\w+\.js)"', fetch(script)[1], re.MULTILINE)
        scripts += {f"{script.rpartition('/')[0]}/{name}" for name in imported} - {*scripts}
    assert len(scripts) > 5
    files = [path, *re.findall(r'<link rel="(?:stylesheet|icon)" href="([^"]+)"', page), *scripts]
    weight = sum(fetch(file)[0] for file in files)
    print(f"A first visit to a match: {weight} bytes in {len(files)} files, with headers")
    assert weight < 40_000


def test_compressed_and_plain_answers_have_the_same_content(ada: Visitor) -> None:
    plain, pressed = (ada.client.get("/rules", headers=given) for given in ({}, {"Accept-Encoding": "gzip"}))
    assert gzip.decompress(pressed.data) == plain.data
    assert "Accept-Encoding" in plain.headers["Vary"]
    refused = ada.client.get("/rules", headers={"Accept-Encoding": "gzip;q=0"})
    assert "Content-Encoding" not in refused.headers


def test_matches_that_need_a_player_are_counted_by_one_statement_from_indexes(
    town: Town, ada: Visitor, match: str
) -> None:
    with statements(town) as seen:
        assert match_lists.needing(town.site, ada.id) == 1
    (counted,) = seen
    with town.store.engine.connect() as connection:
        given = (ada.id, "running", ada.id, "open", ada.id, "open")
        plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {counted}", given).all()
    assert {"seat_by_player", "seat_unanswered", "teammate_unanswered"} <= {
        name for row in plan for name in str(row[3]).split()
    }
    assert not [row for row in plan if row[3].startswith(("SCAN seat", "SCAN match", "SCAN teammate"))]
