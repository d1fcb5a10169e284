"""Matches as people describe them in one line."""

from __future__ import annotations

import pytest

from service.clock.control import DEFAULT
from service.play.match import proposal
from service.play.match.lobby import Chair, Proposal
from service.play.match.proposal import ProposalError

ME = Chair("me")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            "multigo vs open, a@x.example and b@x.example",
            Proposal(
                "multigo",
                {},
                (ME, Chair("open"), Chair("email", "a@x.example"), Chair("email", "b@x.example")),
                DEFAULT,
            ),
        ),
        ("rosette vs open", Proposal("rosette", {}, (ME, Chair("open")), DEFAULT)),
        ("Pillars of Medusa versus bot.", Proposal("pillars", {}, (ME, Chair("bot")), DEFAULT)),
        ("go rated=yes vs bot", Proposal("go", {}, (ME, Chair("bot")), DEFAULT)),
        ("go rated=No vs bot", Proposal("go", {}, (ME, Chair("bot")), DEFAULT, rated=False)),
        ("lotus vs Heron", Proposal("lotus", {}, (ME, Chair("bot", bot="heron")), DEFAULT)),
        ("go press=group,anonymous vs bot", Proposal("go", {}, (ME, Chair("bot")), DEFAULT, "group,anonymous")),
        (
            "go size=9, komi=6.5, rated=no, vs bot",
            Proposal("go", {"size": "9", "komi": "6.5"}, (ME, Chair("bot")), DEFAULT, rated=False),
        ),
        ("go size=9 komi=6.5 vs bot", Proposal("go", {"size": "9", "komi": "6.5"}, (ME, Chair("bot")), DEFAULT)),
        (
            "multigo size=9 clock=3d/move, weekends off vs a@x.example, b@x.example open",
            Proposal(
                "multigo",
                {"size": "9"},
                (ME, Chair("email", "a@x.example"), Chair("email", "b@x.example"), Chair("open")),
                "3d/move, weekends off",
            ),
        ),
        (
            "medusa vs Ada@Example.org <mailto:Ada@Example.org>",
            Proposal("medusa", {}, (ME, Chair("email", "ada@example.org")), DEFAULT),
        ),
        (
            'go size=9 setup="black: d4 e5; white: f5; turn: white" vs bot',
            Proposal("go", {"size": "9", "setup": "black: d4 e5; white: f5; turn: white"}, (ME, Chair("bot")), DEFAULT),
        ),
        (
            "go clock=“3d/move, weekends off” vs open setup=„black: d4“ size=9",
            Proposal("go", {"size": "9", "setup": "black: d4"}, (ME, Chair("open")), "3d/move, weekends off"),
        ),
        ("medusa against <ada@example.org>", Proposal("medusa", {}, (ME, Chair("email", "ada@example.org")), DEFAULT)),
    ],
)
def test_a_description_becomes_a_proposal(text: str, wanted: Proposal) -> None:
    assert proposal.read(text) == wanted


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "Which game?"),
        ("multiplayer go big vs bot", "'big' isn't an option"),
        ("go vs", "Name your opponent"),
        ("rosette vs ada@example.org base 5", "'base' isn't an email address. .* Write an option like komi=4.5."),
        ("go vs ada", "'ada' isn't an email address. Name players by their address"),
        ("go rated=false vs bot", "^Write rated=yes or rated=no.$"),
        ("multigo substitutes=off vs bot bot", "^Write substitutes=yes or substitutes=no.$"),
        ('go setup="black: d4 vs bot', "The closing quotation mark is missing"),
    ],
)
def test_a_description_that_cannot_begin_a_match_is_refused(text: str, why: str) -> None:
    with pytest.raises(ProposalError, match=why):
        proposal.read(text)
