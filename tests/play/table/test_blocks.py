"""A block keeps a person with all their bots, or one bot, away from a person with all theirs, or from one bot."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest
from sqlalchemy import select

from service.mail.grammar.orders import parse
from service.play.accounts.programs import bot_accounts
from service.play.match import lobby, substitutes
from service.play.match.invitations import LobbyError
from service.play.match.judge import judge_waiting
from service.play.match.lobby import Chair
from service.play.notify import following
from service.play.notify.following import FollowError
from service.play.orders.submit import Incoming, submit
from service.play.pages import match_lists
from service.play.table.log import visible_entries
from service.play.talk import comments, happenings, messages, moderation
from service.play.talk.messages import TalkError
from service.store.models import Match, Player
from service.store.tables.mail_rows import Letter
from tests.cases import FULL
from tests.play.conftest import Town
from tests.play.inbox.test_company_commands import ADA, named

BEN = "ben@example.org"

Reach: TypeAlias = Callable[[Town, int, int], Callable[[], bool]]
"""Sets things up before a block; the result says whether the second player still reaches the first."""


def playing(town: Town, one: int, other: int) -> int:
    """A running match of the two; the first has Black."""
    return lobby.open_match(town.site, one, "rosette", {"base": "5"}, [Chair("me"), Chair("paired", player_id=other)])


def move(town: Town, match: int, player_id: int, seat: int, text: str, remark: str = "") -> None:
    submit(town.site, Incoming(f"web:{match}:{text}", match, seat, player_id, None, parse(text), "web", remark=remark))
    judge_waiting(town.site, match)


def done(refusal: type[Exception], act: Callable[[], object]) -> bool:
    try:
        act()
    except refusal:
        return False
    return True


def invites(town: Town, keeper: int, other: int) -> Callable[[], bool]:
    chairs = [Chair("me"), Chair("player", player_id=keeper)]
    return lambda: done(LobbyError, lambda: lobby.open_match(town.site, other, "lotus", {}, chairs))


def is_shown_an_invitation(town: Town, keeper: int, other: int) -> Callable[[], bool]:
    chairs = [Chair("me"), Chair("player", player_id=keeper)]
    match = lobby.open_match(town.site, other, "lotus", {}, chairs)
    return lambda: match in {line.id for line in match_lists.my_matches(town.site, keeper)}


def joins(town: Town, keeper: int, other: int) -> Callable[[], bool]:
    match = lobby.open_match(town.site, keeper, "lotus", {}, [Chair("me"), Chair("open")])
    return lambda: done(LobbyError, lambda: substitutes.join(town.site, match, other))


def speaks(town: Town, keeper: int, other: int) -> Callable[[], bool]:
    match = playing(town, keeper, other)

    def is_heard() -> bool:
        begins = happenings.since(town.site, keeper, happenings.waiting(town.site, keeper).after).after
        messages.say(town.site, match, other, "Hear me", f"web:{match}")
        on_page = bool(messages.heard(town.site, match, keeper).lines)
        happened = [one.what for one in happenings.since(town.site, keeper, begins).happenings]
        assert ("said" in happened) == on_page
        assert [line.text for line in messages.heard(town.site, match, other).lines] == ["Hear me"]
        return on_page

    return is_heard


def writes_below_a_move(town: Town, keeper: int, other: int) -> Callable[[], bool]:
    match = playing(town, other, keeper)
    move(town, match, other, 0, "e9", "Hear me")

    def is_read() -> bool:
        with town.store.reading() as session:
            ((own,), (read,)) = (
                [entry.remark for entry in visible_entries(session, session.get_one(Match, match), seat)]
                for seat in (0, 1)
            )
        assert own == "Hear me"
        return bool(read)

    return is_read


def comments_on_a_match(town: Town, keeper: int, other: int) -> Callable[[], bool]:
    third = named(town, "cleo@example.org")
    match = playing(town, keeper, third)
    move(town, match, third, 1, "resign")
    comments.add(town.site, match, other, 0, "Well played", f"web:{match}")

    def is_read() -> bool:
        read = bool(comments.read(town.site, match, keeper))
        wrote = done(TalkError, lambda: comments.add(town.site, match, other, 0, "I say", f"again:{match}"))
        assert read == wrote
        assert comments.read(town.site, match, other)
        return read

    return is_read


def follows(town: Town, keeper: int, other: int) -> Callable[[], bool]:
    following.follow_player(town.site, other, keeper)

    def is_told() -> bool:
        told = keeper in {one.id for one in following.shown(town.site, other).players}
        assert told == done(FollowError, lambda: following.follow_player(town.site, other, keeper))
        return told

    return is_told


WAYS: tuple[Reach, ...] = (
    *(invites, is_shown_an_invitation, joins, speaks, writes_below_a_move),
    *(comments_on_a_match, follows),
)


@pytest.fixture
def ids(town: Town) -> dict[str, int]:
    """Ada, Ben and a bot of each."""
    found = {"ada": named(town, ADA), "ben": named(town, BEN)}
    return found | {f"{name}bot": bot_accounts.make(town.site, number, name).id for name, number in found.items()}


KEPT = {
    "ben ada": {"ben ada", "ben adabot", "benbot ada", "benbot adabot"},
    "ben adabot": {"ben adabot", "benbot adabot"},
    "benbot ada": {"benbot ada", "benbot adabot"},
    "benbot adabot": {"benbot adabot"},
}
"""The pairs that each block keeps apart."""

CASES = [
    (way, block)
    for number, way in enumerate(WAYS)
    for at, block in enumerate(KEPT)
    if FULL or at in (0, number % 3 + 1)
]
"""Every way with the largest block, and with one of the others in turn; with all cases, every way with every block."""


@pytest.mark.parametrize(("way", "block"), CASES, ids=[f"{way.__name__} {block}" for way, block in CASES])
def test_a_block_includes_the_bots_of_both_and_a_block_of_a_bot_that_bot_alone(
    town: Town, ids: dict[str, int], way: Reach, block: str
) -> None:
    pairs = [f"{keeper} {other}" for keeper in ("ben", "benbot") for other in ("ada", "adabot")]
    reach = {pair: way(town, *(ids[name] for name in pair.split())) for pair in pairs}
    blocking, blocked = (ids[name] for name in block.split())
    moderation.set_block(town.site, blocking, blocked, True)
    assert {pair for pair in pairs if not reach[pair]()} == KEPT[block]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_a_blocked_player_can_still_be_reached(town: Town, ids: dict[str, int], way: Reach) -> None:
    reach = [way(town, ids[keeper], ids[other]) for keeper in ("ada", "adabot") for other in ("ben", "benbot")]
    moderation.set_block(town.site, ids["ben"], ids["ada"], True)
    assert [one() for one in reach] == [True] * 4


@pytest.mark.parametrize("database", ["sqlite", "postgresql"], indirect=True)
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_a_block_includes_bots_created_later(town: Town, ids: dict[str, int], way: Reach) -> None:
    moderation.set_block(town.site, ids["ben"], ids["adabot"], True)
    later = bot_accounts.make(town.site, ids["ada"], "later").id
    before, after = (way(town, ids[name], later) for name in ("ben", "benbot"))
    assert before(), "A block of a bot alone holds for that bot alone."
    moderation.set_block(town.site, ids["ben"], ids["ada"], True)
    bot_accounts.end(town.site, ids["ada"], ids["adabot"])
    assert not after()


@pytest.mark.parametrize("block", ["ada adabot", "adabot ada"])
def test_a_block_doesnt_hide_what_players_wrote_themselves(town: Town, ids: dict[str, int], block: str) -> None:
    blocking, blocked = (ids[name] for name in block.split())
    moderation.set_block(town.site, blocking, blocked, True)
    match = playing(town, ids["ben"], ids["adabot"])
    messages.say(town.site, match, ids["adabot"], "Hear me", "key")
    assert messages.heard(town.site, match, ids["adabot"]).lines


@pytest.mark.parametrize(("other", "is_owed"), [("ada", False), ("adabot", False), ("cleo", True)])
def test_a_seat_offered_to_a_player_who_blocked_the_owner_is_not_sent(
    town: Town, ids: dict[str, int], other: str, is_owed: bool
) -> None:
    cleo = named(town, "cleo@example.org")
    match = lobby.open_match(
        town.site, {**ids, "cleo": cleo}[other], "lotus", {}, [Chair("me"), Chair("bot")], substitutes=True
    )
    moderation.set_block(town.site, ids["ben"], ids["ada"], True)
    substitutes.offer(town.site, match, {**ids, "cleo": cleo}[other], BEN)
    with town.store.reading() as session:
        (due,) = session.scalars(select(Letter.due).join(Player).where(Player.email == BEN, Letter.match_id == match))
    assert (due is not None) == is_owed
