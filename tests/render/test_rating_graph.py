"""The graph of a player's ratings."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from xml.etree import ElementTree

import pytest

from service.render.rating_graph import HEIGHT, MARGIN, WIDTH, Point, svg

BEGAN = datetime(2026, 11, 21, 12, tzinfo=UTC)
NAME = "{http://www.w3.org/2000/svg}"


def drawn(*ratings: tuple[float, float]) -> ElementTree.Element:
    points = [Point(BEGAN + timedelta(days=day), *rating) for day, rating in enumerate(ratings)]
    return ElementTree.fromstring(svg(points, "Rating at Go"))


def places(graph: ElementTree.Element, kind: str) -> list[tuple[float, float]]:
    line = graph.find(kind)
    assert line is not None
    return [(float(x), float(y)) for x, y in (pair.split(",") for pair in line.attrib["points"].split())]


def test_a_rating_that_rises_goes_up_from_left_to_right() -> None:
    graph = drawn((1500, 200), (1600, 120), (1700, 80))
    assert graph.attrib["aria-label"] == "Rating at Go"
    line = places(graph, "polyline")
    assert [x for x, _ in line] == [MARGIN, WIDTH / 2, WIDTH - MARGIN]
    assert [y for _, y in line] == sorted((y for _, y in line), reverse=True)
    circle = graph.find("circle")
    assert circle is not None
    assert (float(circle.attrib["cx"]), float(circle.attrib["cy"])) == line[-1]
    band = places(graph, "polygon")
    upper, lower = band[:3], band[:2:-1]
    assert all(high < here < low for (_, high), (_, here), (_, low) in zip(upper, line, lower, strict=True))
    assert [text.text for text in graph.findall("text")] == ["1300", "1400", "1500", "1600", "1700", "1800"]


def test_a_single_rating_is_in_the_middle() -> None:
    ((x, y),) = places(drawn((1500, 350)), "polyline")
    assert x == WIDTH / 2
    assert MARGIN / 2 < y < HEIGHT - MARGIN / 2


@pytest.mark.parametrize("spread", [45, 500, 3000])
def test_the_lines_across_stay_apart_however_far_the_ratings_are(spread: float) -> None:
    graph = drawn((1500 - spread, 45), (1500 + spread, 350))
    rungs = [float(rung.attrib["y1"]) for rung in graph.findall("line")]
    assert 2 <= len(rungs) <= 13
    assert all(MARGIN / 2 <= y <= HEIGHT - MARGIN / 2 for y in rungs)
