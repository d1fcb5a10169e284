"""The list of limits agrees with the code."""

from __future__ import annotations

from service.config import ROOT
from tests.limits import Limit, of_module, page

MODULE = '''
"""A module."""

MOST = 20_000
"""Letters in a
row."""
LATELY = timedelta(days=2) / HALF
QUICKEST, _SLOWEST = 0.2, -10.0
IS_ON, NAME, KINDS = True, "a", ()
counted: int = 3
'''


def test_a_limit_is_a_number_or_a_time_with_the_text_below_it() -> None:
    assert [*of_module("a.py", MODULE)] == [
        Limit("a.py", "MOST", "20000", "Letters in a row."),
        Limit("a.py", "LATELY", "timedelta(days=2) / HALF", ""),
        Limit("a.py", "QUICKEST, _SLOWEST", "(0.2, -10.0)", ""),
    ]


def test_the_list_has_all_limits_as_they_are() -> None:
    listed = (ROOT / "service" / "LIMITS.md").read_text()
    assert listed == page(), "run: python -m tests.limits > service/LIMITS.md"
