"""What the computer answers by email: why it moved, and which stones are dead."""

from __future__ import annotations

from service.play.match import invitations, lobby
from service.play.match.lobby import Chair
from tests.play.conftest import Town, plain
from tests.play.inbox.test_run_commands import ADA, BEN, answer, said
from tests.play.timekeeping.test_clocks import player

SETUP = "black: b1 b2 b3 b4 b5 e5; white: c1 c2 c3 c4 c5 a5; turn: black"
"""White's a5 is dead in Black's area, Black's e5 in White's."""
REFUSED = "Only computer opponents for beginners say why they moved, and only about the last move of {title}."


def test_the_beginners_opponent_says_in_one_sentence_why_it_moved(town: Town) -> None:
    town.write(ADA, "new go size=5 vs clover")
    assert answer(town, "match 1\nwhy")["why"].replace("\n", " ") == REFUSED.format(title="Go 1")
    turn = town.write(ADA, "match 1\nc3")[-1]
    assert turn["Subject"].startswith("Go 1: your move")
    town.reply(turn, "why?")
    words = said(town.post()[-1])["why?"].replace("\n", " ")
    assert words.startswith("Why did Clover play ")
    assert words.count(". ") == 0
    assert words.endswith(".")


def test_strong_opponents_dont_say_why_they_moved(town: Town) -> None:
    town.write(ADA, "new go size=5 vs harrow")
    town.write(ADA, "match 1\nc3")
    assert answer(town, "match 1\nwhy")["why"].replace("\n", " ") == REFUSED.format(title="Go 1")


def test_dead_stones_are_estimated_by_email_and_can_be_proposed(town: Town) -> None:
    ada, ben = player(town, ADA), player(town, BEN)
    chairs = [Chair("me"), Chair("player", player_id=ben)]
    match = lobby.open_match(town.site, ada, "go", {"size": "5", "setup": SETUP}, chairs)
    invitations.answer(town.site, match, ben, accept=True)
    town.work()
    assert "dead stones" in answer(town, f"match {match}\nestimate")["estimate"]
    for sender in (ADA, BEN):
        letters = town.write(sender, f"match {match}\npass")
    (turn,) = [mail for mail in letters if mail["To"].addresses[0].addr_spec == ADA]
    assert "estimate\n    Ask which stones the computer finds dead." in plain(turn)
    waits = answer(town, f"match {match}\nestimate")["estimate"].replace("\n", " ")
    assert waits == f"The computer is looking for dead stones in Go {match}. Write estimate again in a minute."
    found = answer(town, f"match {match}\nestimate", sender=BEN)["estimate"].replace("\n", " ")
    assert "It thinks: dead a5 e5. If you agree, reply with these words." in found
    town.reply(turn, "dead a5 e5")
    assert "Black proposes as dead: a5 e5." in plain(town.post()[-1]).replace("\n", " ")
