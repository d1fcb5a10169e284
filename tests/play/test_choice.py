"""When people want their mails."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select

from service.play import choice
from service.play.choice import ChoiceError
from service.play.stop import state, stop
from service.play.sweep import sweep
from service.store.models import Player
from tests.play.conftest import Town, plain
from tests.play.test_obey import ADA, BEN, answer, rosette


def subjects(town: Town) -> list[str]:
    """The mails after a sweep."""
    sweep(town.house)
    town.work()
    return [mail["Subject"] for mail in town.post()]


def test_a_turn_may_wait_until_it_is_clear_that_it_was_not_seen(town: Town) -> None:
    turns = rosette(town)
    answer(town, "unseen", sender=BEN)
    town.reply(turns[ADA], "g10")
    assert town.post() == []
    town.now += timedelta(minutes=20)
    assert subjects(town) == []
    town.now += timedelta(minutes=11)
    assert subjects(town) == ["Rosette 1: your move 2 (Black played g10)"]


def test_whoever_looks_at_the_match_in_time_gets_no_mail(town: Town) -> None:
    turns = rosette(town)
    answer(town, "unseen", sender=BEN)
    town.reply(turns[ADA], "g10")
    with town.store.reading() as session:
        ben = session.scalars(select(Player.id).where(Player.email == BEN)).one()
    town.now += timedelta(minutes=5)
    choice.saw(town.house, 1, ben)
    town.now += timedelta(minutes=40)
    assert subjects(town) == []


def test_a_digest_brings_all_turns_at_the_hours_of_ones_own_day(town: Town) -> None:
    town.now = datetime(2026, 11, 21, 12, tzinfo=UTC)
    turns = rosette(town)
    with town.store.writing() as session:
        session.scalars(select(Player).where(Player.email == BEN)).one().zone = "America/New_York"
    said = answer(town, "digest 8, 20", sender=BEN)
    assert said["digest 8, 20"].startswith("You get your turns in one mail at 8, 20 o'clock (America/New_York).")
    town.reply(turns[ADA], "g10")
    assert subjects(town) == []
    town.now = datetime(2026, 11, 21, 13, 5, tzinfo=UTC)
    sweep(town.house)
    town.work()
    (digest,) = town.post()
    assert digest["Subject"] == "1 match waits for you: Rosette 1"
    assert "Rosette 1: your move, you have White.\nBlack played g10." in plain(digest)
    assert subjects(town) == []
    token = str(digest["List-Unsubscribe"]).strip("<>").rpartition("/")[2]
    town.reply(digest, "match 1\nmove e10")
    assert "Taken: move e10 in Rosette 1." in plain(town.post()[-1])
    stop(town.house, token)
    assert state(town.house, token).all_stopped


@pytest.mark.parametrize("hours", ["25", "noon", "8-9", "-1"])
def test_hours_there_are_none_of(town: Town, hours: str) -> None:
    assert answer(town, f"digest {hours}")[f"digest {hours}"].startswith("Write the hours of the day from 0 to 23")


def test_a_choice_there_is_none_of() -> None:
    with pytest.raises(ChoiceError, match="choose instant, unseen, digest or off"):
        choice.choose(Player(), "weekly")
