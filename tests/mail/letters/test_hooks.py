"""What hooks are sent, by program."""

from __future__ import annotations

import json
from urllib.parse import parse_qs

import pytest

from service.mail.letters.hooks import request

TEXT = "Rosette 12 is over:\n@everyone & <!channel>[x](y) won.\n\nhttps://play.example/match/12"
LINE = "Rosette 12 is over: @\u200beveryone & <!channel>[x]\u200b(y) won. https://play.example/match/12"


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("discord+https://discord.example/api/1/x", {"content": LINE, "allowed_mentions": {"parse": []}}),
        (
            "slack+https://slack.example/T/B/x",
            {"text": LINE.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")},
        ),
        ("mattermost+https://chat.example/hooks/x", {"text": LINE}),
        ("matrix+https://hookshot.example/webhook/x", {"text": LINE}),
    ],
)
def test_chat_programs_get_json_that_mentions_nobody(address: str, told: object) -> None:
    sent = request(address, "club:1", TEXT)
    assert json.loads(sent.body) == told
    assert sent.headers["Content-Type"] == "application/json"
    assert f"{sent.host}{sent.target}" == address.partition("+https://")[2]
    assert sent.port == 443


def test_mastodon_and_ntfy_get_their_own_formats() -> None:
    toot = request("mastodon+https://s3cret@social.example:8443", "club:1", TEXT)
    assert (toot.host, toot.port, toot.target) == ("social.example", 8443, "/api/v1/statuses")
    assert parse_qs(toot.body.decode()) == {"status": [LINE]}
    assert toot.headers["Authorization"] == "Bearer s3cret"
    note = request("ntfy+https://ada:pass@ntfy.example/topic?a=b", "club:1", TEXT)
    assert (note.target, note.body.decode()) == ("/topic?a=b", LINE)
    assert note.headers["Authorization"] == "Basic YWRhOnBhc3M="


def test_a_copy_has_the_same_key_and_a_long_text_is_cut() -> None:
    one, copy, other = (request("discord+https://h.example/x", key, "x" * 9_000) for key in ("a", "a", "b"))
    assert one == copy
    assert one.headers["Idempotency-Key"] != other.headers["Idempotency-Key"]
    assert len(json.loads(one.body)["content"]) == 2_000
    toot = request("mastodon+https://s3cret@social.example", "a", "x" * 9_000)
    assert len(parse_qs(toot.body.decode())["status"][0]) == 500


def test_a_link_below_a_text_that_is_cut_stays_whole() -> None:
    toot = request("mastodon+https://s3cret@social.example", "a", f"{'Ada and ' * 90}\n\nhttps://play.example/match/12")
    (told,) = parse_qs(toot.body.decode())["status"]
    assert len(told) == 500
    assert told.endswith(" and Ada a\u2026 https://play.example/match/12")


def test_mastodon_is_found_if_its_address_ends_in_a_slash() -> None:
    assert request("mastodon+https://s3cret@social.example/", "a", "x").target == "/api/v1/statuses"
    assert request("mastodon+https://s3cret@social.example/api/v2/statuses", "a", "x").target == "/api/v2/statuses"
