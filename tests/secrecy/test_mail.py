"""Emails to others, headers included, don't show what a player hides."""

from __future__ import annotations

from service.mail.grammar.command_words import COMMANDS, MOST_LINES
from service.play.table import replay
from tests.play.conftest import parsed, plain
from tests.secrecy.asking import POINTS
from tests.secrecy.worlds import HIDDEN, LATER, OTHERS, World, mailed, raws

LINES: dict[str, list[str]] = {
    "resign": ["resign"],
    "preview": [f"preview {move}" for move in POINTS[:4]],
    "show": ["show", "show 4", "show 99"],
    "history": ["history"],
    "why": ["why"],
    "estimate": ["estimate"],
    "say": ["say to black: psst", "say to purple: psst"],
    "receipts": ["receipts"],
    "mute": ["mute"],
    "unmute": ["unmute"],
    "grace": ["grace many"],
    "match": ["match 1"],
    "status": ["status"],
    "games": ["games"],
    "rules": ["rules"],
    "learn": ["learn", "learn multigo"],
    "problem": ["problem", "problem multigo"],
    "new": ["new nothing"],
    "join": ["join 1", "join winter cup"],
    "events": ["events"],
    "create": ["create nothing", "create secret cup at nowhere"],
    "standings": ["standings no cup", "standings winter cup"],
    "challenge": ["challenge ada ladder", "challenge nobody go ladder"],
    "withdraw from": ["withdraw from no cup", "withdraw from winter cup"],
    "wish": ["wish", "wish chess", "wish lotus 3d no bots"],
    "notices": ["notices", "notices go on", "notices off"],
    "comment": ["comment 1 Well played", "comment nothing"],
    "gazette": ["gazette", "gazette on", "gazette off"],
    "follow": ["follow", "follow cleo", "follow nobody"],
    "unfollow": ["unfollow cleo"],
    "rating": ["rating", "rating Ada"],
    "offer": ["offer seat to nobody"],
    "help": ["help multigo"],
    "name": ["name"],
    "vacation": ["vacation"],
    "zone": ["zone"],
    "instant": ["instant here"],
    "unseen": ["unseen here"],
    "digest": ["digest here"],
    "off": ["off here"],
    "most": ["most none"],
    "address": ["address nobody"],
}
"""How others give each command that isn't an order."""


def test_every_command_is_given_here() -> None:
    assert LINES.keys() == {command.name for command in COMMANDS if not command.order}


def test_emails_to_others_are_the_same_whatever_a_player_hides(worlds: list[World]) -> None:
    boxes, given = [], [line for lines in LINES.values() for line in lines]
    for world in worlds:
        replay.forget()
        for name in ("bruno", "emil"):
            for first in range(0, len(given), MOST_LINES - 1):
                world.town.now = LATER
                lines = given[first : first + MOST_LINES - 1]
                world.town.write(f"{name}@example.org", "\n".join(["match 1", *lines]))
        for turn in map(parsed, raws(world, "cleo")):
            if "your move" in turn["Subject"]:
                world.town.now = LATER
                world.town.reply(turn, "c3\nA remark")
        boxes.append(mailed(world))
    assert all(box == boxes[0] for box in boxes)
    assert {name: len(mails) > 1 for name, mails in boxes[0].items()} == dict.fromkeys(OTHERS[:3], True)
    mails = [raw for world in worlds for name in OTHERS[:3] for raw in raws(world, name)]
    assert not [raw for raw in mails if "This line was ignored" in plain(parsed(raw))]
    assert not [hidden for hidden in HIDDEN if hidden for raw in mails if hidden.words in plain(parsed(raw))]
    assert [raw for raw in raws(worlds[1], "dana") if "whisper quagmire" in plain(parsed(raw))]
