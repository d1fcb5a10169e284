"""From which side a player likes to see boards, and whether with coordinates."""

from __future__ import annotations

from service.play.site import Site
from service.render.orientation import Sight
from service.store.models import Player


def of(player: Player, seat: int | None) -> Sight:
    """How a player sees the board of a match in which they have this seat, or watch."""
    return Sight(player.turned if seat else player.turned_first, player.coordinates)


def choose(site: Site, player_id: int, seat: int | None, sight: Sight) -> None:
    """Keeps how a player sees boards. The side is kept apart for matches in which they move first or watch."""
    with site.transaction() as tx:
        player = tx.session.get_one(Player, player_id)
        player.coordinates = sight.coordinates
        if seat:
            player.turned = sight.turned
        else:
            player.turned_first = sight.turned
