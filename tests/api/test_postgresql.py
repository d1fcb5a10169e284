"""What PostgreSQL refuses and SQLite doesn't: the API answers it too."""

from __future__ import annotations

import pytest

from tests.api.conftest import Program
from tests.databases import fresh_on_postgresql


@pytest.fixture
def database(postgres: str) -> str:
    return fresh_on_postgresql(postgres)


def test_a_key_that_no_order_can_have_is_not_found(ada: Program) -> None:
    for key in ("a%00b", "%ff", "a b", '"one"', "x" * 101):
        assert ada.ask(f"/orders/{key}").status == 404, key
