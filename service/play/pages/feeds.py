"""The feeds and calendar of a player behind a secret address: turns and deadlines."""

from __future__ import annotations

from collections.abc import Sequence

from service.play.links import Link, LinkError
from service.play.notify import following
from service.play.notify.following import News
from service.play.pages import match_lists
from service.play.pages.match_lists import MatchLine
from service.play.site import Site
from service.store.models import Player


def address(site: Site, player_id: int) -> str:
    """The secret beginning of a player's feed addresses."""
    with site.store.reading() as session:
        return Link.FEED.to(site, _meant(session.get_one(Player, player_id)))


def renew(site: Site, player_id: int) -> None:
    """Gives a player new addresses. The old ones stop working."""
    with site.transaction() as tx:
        tx.session.get_one(Player, player_id, with_for_update=True).feeds += 1


def waiting(site: Site, token: str) -> tuple[MatchLine, ...] | None:
    """The matches that wait for the player whose address this is; None if it is nobody's."""
    player_id = _reader(site, token)
    if player_id is None:
        return None
    return tuple(line for line in match_lists.my_matches(site, player_id) if line.my_turn and line.state == "running")


def followed(site: Site, token: str) -> Sequence[News] | None:
    """The latest news of the players that the owner of this address follows; None if nobody has it."""
    player_id = _reader(site, token)
    if player_id is None:
        return None
    with site.store.reading() as session:
        return following.news(session, player_id)


def _reader(site: Site, token: str) -> int | None:
    """The player whose address this is."""
    try:
        meant = Link.FEED.read(site, token)
    except LinkError:
        return None
    player_id: int = meant[0] if isinstance(meant, list) else meant
    with site.store.reading() as session:
        player = session.get(Player, player_id)
    return None if player is None or player.left is not None or _meant(player) != meant else player_id


def _meant(player: Player) -> int | list[int]:
    """What an address contains: the player's id and, after a reset, its version."""
    return [player.id, player.feeds] if player.feeds else player.id
