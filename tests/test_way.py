"""How many files and packages a move by email passes through."""

from __future__ import annotations

import pytest

from service.config import ROOT
from tests.way import Way, trace

FILES, PACKAGES = 35, 9
EVERYTHING = 77
"""Files on the way, those at its stops included."""


@pytest.fixture(scope="module")
def way() -> Way:
    return trace()


def test_a_move_by_email_passes_through_few_files_and_packages(way: Way) -> None:
    assert sum(map(len, way.steps.values())) <= FILES
    assert len(way.steps) <= PACKAGES
    assert len(way.files) <= EVERYTHING


def test_no_call_returns_to_a_package_that_it_has_left(way: Way) -> None:
    assert not way.returns


def test_the_readme_shows_the_path_as_it_is(way: Way) -> None:
    assert f"```\n{way.shown()}\n```" in (ROOT / "service/README.md").read_text()
