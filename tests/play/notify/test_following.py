"""Following players and events: what followers hear of, and what they don't."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from sqlalchemy import select

from service.play.company import events
from service.play.company.events import Plan
from service.play.match import lobby
from service.play.match.lobby import Chair
from service.play.notify import following
from service.play.notify.following import FollowError
from service.play.operations import retention
from service.play.operations.sweep import sweep
from service.play.table import press
from service.play.talk import moderation
from service.store.models import Player
from service.store.tables.company import Appearance
from tests.play.conftest import Town, plain
from tests.play.inbox.test_company_commands import ADA, answered, named

BEN, CLEO = "ben@example.org", "cleo@example.org"


def meet(town: Town, one: int, other: int, talk: str = press.DEFAULT) -> int:
    """A running match of the two."""
    match = lobby.open_match(town.site, one, "lotus", {}, [Chair("me"), Chair("paired", player_id=other)], talk=talk)
    town.work()
    town.post()
    return match


def resign(town: Town, sender: str, match: int) -> None:
    town.now += timedelta(minutes=1)
    (asked,) = town.write(sender, f"match {match}\nresign")[-1:]
    town.reply(asked, "yes")
    town.post()


def told(town: Town, player_id: int) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(news.what, news.title, news.who) for news in following.shown(town.site, player_id).news]


@pytest.fixture
def people(town: Town) -> tuple[int, int, int]:
    return named(town, ADA), named(town, BEN), named(town, CLEO)


def test_followers_hear_when_matches_begin_and_end(town: Town, people: tuple[int, int, int]) -> None:
    ada, ben, cleo = people
    before = meet(town, ben, cleo)
    town.now += timedelta(minutes=1)
    assert "You're following Ben. Nobody else can see that." in answered(town, ADA, "follow Ben")
    answered(town, ADA, "follow Cleo")
    resign(town, BEN, meet(town, ben, cleo))
    resign(town, CLEO, before)
    assert told(town, ada) == [
        ("ended", "Lotus 1", ("Ben", "Cleo")),
        ("ended", "Lotus 2", ("Ben", "Cleo")),
        ("began", "Lotus 2", ("Ben", "Cleo")),
    ]
    assert told(town, ben) == []
    assert "You're following Ben and Cleo." in answered(town, ADA, "follow")
    assert "You're no longer following Ben." in answered(town, ADA, "unfollow Ben")
    assert told(town, ada)[0] == ("ended", "Lotus 1", ("Cleo",))


def test_followers_dont_hear_of_anonymous_matches(town: Town, people: tuple[int, int, int]) -> None:
    ada, ben, cleo = people
    following.follow_player(town.site, ada, ben)
    resign(town, BEN, meet(town, ben, cleo, "none-anonymous"))
    assert told(town, ada) == []


def test_a_blocked_player_hears_nothing_and_cannot_follow(town: Town, people: tuple[int, int, int]) -> None:
    ada, ben, cleo = people
    following.follow_player(town.site, ada, ben)
    meet(town, ben, cleo)
    moderation.set_block(town.site, ben, ada, blocked=True)
    assert (told(town, ada), following.shown(town.site, ada).players) == ([], [])
    assert "You can't follow Ben." in answered(town, ADA, "follow ben")


def _guest(town: Town, ada: int) -> int:
    del ada
    guest = named(town, "gus@example.org")
    with town.store.writing() as session:
        session.get_one(Player, guest).email = None
    return guest


def _bot(town: Town, ada: int) -> int:
    match = lobby.practise(town.site, ada, "lotus")
    with town.store.reading() as session:
        return session.query(Player.id).where(Player.bot.is_not(None)).scalar() or match


@pytest.mark.parametrize(
    ("who", "why"),
    [
        (lambda _town, ada: ada, "You can't follow yourself."),
        (lambda _town, _ada: 999, "There's no such player."),
        (_guest, "There's no such player."),
        (_bot, "Computer opponents can't be followed"),
    ],
)
def test_players_who_cannot_be_followed(town: Town, who: Callable[[Town, int], int], why: str) -> None:
    ada = named(town, ADA)
    with pytest.raises(FollowError, match=why):
        following.follow_player(town.site, ada, who(town, ada))


def test_an_event_is_followed_and_an_unknown_name_is_refused(town: Town, people: tuple[int, int, int]) -> None:
    ada, ben, cleo = people
    cup = events.found(town.site, ben, Plan("Winter cup", "lotus", "3d/move"))
    assert "You're following Winter cup" in answered(town, ADA, "follow Winter cup")
    assert "There's no player or event called Zoe here." in answered(town, ADA, "follow Zoe")
    town.now += timedelta(minutes=1)
    for player_id in (ben, cleo, named(town, "dana@example.org"), named(town, "emil@example.org")):
        events.join(town.site, cup, player_id)
    assert told(town, ada) == [("began", "Winter cup", ())]
    town.work()
    town.post()
    assert "You're no longer following Winter cup." in answered(town, ADA, "unfollow winter cup")
    assert told(town, ada) == []


def test_the_digest_has_each_piece_of_news_once(town: Town, people: tuple[int, int, int]) -> None:
    ada, ben, cleo = people
    following.follow_player(town.site, ada, ben)
    answered(town, ADA, "digest 18")
    meet(town, ben, cleo)
    town.now = town.now.replace(hour=18)
    for _ in range(2):
        sweep(town.site)
        town.work()
    (digest,) = [mail for mail in town.post() if mail["To"].addresses[0].addr_spec == ADA]
    assert digest["Subject"] == "News from players and events you follow"
    assert "Ben began a match: Lotus 1.\nhttp://127.0.0.1:8000/match/1" in plain(digest)
    town.now += timedelta(days=1)
    sweep(town.site)
    town.work()
    assert [mail for mail in town.post() if mail["To"].addresses[0].addr_spec == ADA] == []


def test_old_news_is_deleted(town: Town, people: tuple[int, int, int]) -> None:
    ada, ben, cleo = people
    answered(town, ADA, "follow Ben")
    meet(town, ben, cleo)
    town.now += timedelta(days=90, minutes=-1)
    retention.delete_old(town.site)
    assert [what for what, *_ in told(town, ada)] == ["began"]
    answered(town, ADA, "status")
    sweep(town.site)
    town.now += timedelta(hours=1)
    sweep(town.site)
    with town.store.reading() as session:
        assert session.scalars(select(Appearance)).all() == []
    assert told(town, ada) == []


def test_there_are_limits_of_players_and_events_that_one_may_follow(
    town: Town, people: tuple[int, int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, ben, cleo = people
    cups = [events.found(town.site, ben, Plan(f"Cup {number}", "lotus", "3d/move")) for number in range(3)]
    monkeypatch.setattr(following, "MOST", 1)
    for _ in range(2):  # The second time changes nothing.
        following.follow_player(town.site, ada, ben)
        following.follow_event(town.site, ada, cups[0])
    with pytest.raises(FollowError, match="You can follow up to 1 players and as many events"):
        following.follow_player(town.site, ada, cleo)
    with pytest.raises(FollowError, match="You can follow up to 1 players and as many events"):
        following.follow_event(town.site, ada, cups[1])
    following.follow_event(town.site, cleo, cups[1])


def test_an_event_that_does_not_exist_is_not_followed(town: Town, people: tuple[int, int, int]) -> None:
    with pytest.raises(following.FollowError, match="There's no such event"):
        following.follow_event(town.site, people[0], 99)
