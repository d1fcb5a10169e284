"""How long slow name servers can keep us waiting."""

from __future__ import annotations

import pytest

from service.mail.name_lookup import Kind, NoAnswer
from service.play import dns


def test_all_queries_about_one_email_have_a_common_time_limit() -> None:
    passed, asked = 0.0, []

    def slow(name: str, kind: Kind) -> list[str]:
        nonlocal passed
        passed += 4
        asked.append(f"{name} {kind}")
        return ["v=DKIM1"]

    look_up = dns.bounded(slow, lambda: passed)
    for number in range(3):
        assert look_up(f"{number}.example", "TXT") == ["v=DKIM1"]
    with pytest.raises(NoAnswer):
        look_up("3.example", "TXT")
    assert asked == ["0.example TXT", "1.example TXT", "2.example TXT"]
    assert passed <= dns.SECONDS_PER_MAIL + dns.PATIENCE
    assert dns.bounded(slow, lambda: passed)("another-mail.example", "TXT")
