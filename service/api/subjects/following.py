"""Following players and events, and blocking and reporting players."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Literal

from msgspec import Meta, Struct

from service.api.operations import Call, operation
from service.api.problem_details import Refused
from service.api.shapes import Done, Named, Strict
from service.api.subjects.talk import refused
from service.play.notify import following as followed
from service.play.notify.following import Followed, FollowError
from service.play.talk import moderation
from service.play.talk.moderation import LONGEST_REPORT, PeaceError
from service.web.current_player import site

HERE = "/api/v1/following"


class News(Struct):
    """What the players in `who` began or ended; for an event, `who` is empty. `page` is a page for people."""

    at: datetime
    what: Literal["began", "ended"]
    title: str
    page: str
    who: Sequence[str]


class Following(Struct):
    """The players and the events that the player follows, and the latest 50 pieces of news about them."""

    players: Sequence[Named]
    contests: Sequence[Named]
    news: Sequence[News]


class Report(Strict):
    """What happened, in the player's own words."""

    text: Annotated[str, Meta(min_length=1, max_length=LONGEST_REPORT)]


@operation("GET", "/following", Following, tag="following", scope="read")
def following(call: Call) -> Following:
    """The players and events that the player follows, with their news. Nobody sees who follows them."""
    found, public = followed.shown(site(), call.player.id), site().settings.public_url
    return Following(
        players=_named(found.players),
        contests=_named(found.events),
        news=[News(one.at, one.what, one.title, f"{public}{one.path}", one.who) for one in found.news],
    )


@operation("PUT", "/following/players/<number:player_id>", Done, tag="following", scope="lobby", limit="60 per hour")
def follow_player(call: Call, player_id: int) -> Done:
    """Follows a player."""
    try:
        followed.follow_player(site(), call.player.id, player_id)
    except FollowError as error:
        raise refused(error) from error
    return Done(HERE)


@operation("DELETE", "/following/players/<number:player_id>", Done, tag="following", scope="lobby")
def unfollow_player(call: Call, player_id: int) -> Done:
    """Stops following a player."""
    followed.unfollow_player(site(), call.player.id, player_id)
    return Done(HERE)


@operation("PUT", "/following/contests/<number:event_id>", Done, tag="following", scope="lobby", limit="60 per hour")
def follow_contest(call: Call, event_id: int) -> Done:
    """Follows an event."""
    try:
        followed.follow_event(site(), call.player.id, event_id)
    except FollowError as error:
        raise refused(error) from error
    return Done(HERE)


@operation("DELETE", "/following/contests/<number:event_id>", Done, tag="following", scope="lobby")
def unfollow_contest(call: Call, event_id: int) -> Done:
    """Stops following an event."""
    followed.unfollow_event(site(), call.player.id, event_id)
    return Done(HERE)


@operation("PUT", "/players/<number:player_id>/block", Done, tag="players", scope="talk")
def block(call: Call, player_id: int) -> Done:
    """Blocks a player: no invitations, no messages, no comments. They don't learn of it. Blocking a person also blocks
    their bots, and protects the player's bots too. Blocking a bot blocks only that bot. The player may still have to
    play them in events."""
    moderation.set_block(site(), call.player.id, player_id, True)
    if not moderation.is_blocked(site(), call.player.id, player_id):
        raise Refused(404, "not-found", f"There's no player {player_id}, or it's you.")
    return Done(_player(player_id))


@operation("DELETE", "/players/<number:player_id>/block", Done, tag="players", scope="talk")
def unblock(call: Call, player_id: int) -> Done:
    """Unblocks a player."""
    moderation.set_block(site(), call.player.id, player_id, False)
    return Done(_player(player_id))


@operation(
    "POST",
    "/players/<number:player_id>/report",
    Done,
    tag="players",
    scope="talk",
    body=Report,
    limit="10 per hour",
)
def report(call: Call, player_id: int) -> Done:
    """Reports a player to the operators. The same text about the same player counts as one report."""
    try:
        moderation.report(site(), call.player.id, player_id, call.body.text)
    except PeaceError as error:
        raise refused(error) from error
    return Done(_player(player_id))


def _player(player_id: int) -> str:
    return f"/api/v1/players/{player_id}"


def _named(found: Sequence[Followed]) -> list[Named]:
    return [Named(one.id, one.name) for one in found]
