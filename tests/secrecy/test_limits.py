"""How many requests somebody has left doesn't show what another player has hidden, even at the same address."""

from __future__ import annotations

from limits.storage import MemoryStorage

from service.web.security import limiter
from tests.secrecy.test_later_acts import MATCH, form
from tests.secrecy.worlds import IN_TURN, World

HIDDEN_ACTS = (
    form("ada", f"{MATCH}/order", text="d6", round="3"),
    form("ada", f"{MATCH}/order", text="wait", round="3"),
    form("ada", f"{MATCH}/order", text="prefer red"),
    form("ada", f"{MATCH}/order", text="standing g7"),
    form("ada", f"/match/{IN_TURN}/order", text="if b6 then c6"),
    form("ada", f"{MATCH}/preview", text="b2"),
    form("ada", f"{MATCH}/say", text="psst", audience="some", reader="3"),
    form("ada", f"{MATCH}/note", text="a note"),
    form("ada", f"{MATCH}/explore/4/try", at="", text="e5"),
)
"""All that a player can do on the web without others noticing."""


def counted() -> dict[str, int]:
    """How many requests were counted, by whose they were and their route."""
    assert isinstance(limiter.storage, MemoryStorage)
    return dict(limiter.storage.storage)


def test_hidden_acts_count_only_against_their_own_player(worlds: list[World]) -> None:
    """All players here have the same IP address, like those in a school."""
    limiter.enabled = True
    world = worlds[0]
    for act in HIDDEN_ACTS:
        act(world)
    mine = f"/player {world.id('ada')}/"
    assert {key.partition("/")[2].split("/")[1] for key in counted()} == {
        "match.send",
        "match.preview",
        "talk.say",
        "explore.attempt",
    }
    assert [key for key in counted() if mine not in key] == []
