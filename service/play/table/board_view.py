"""How a player likes to see boards: from which side, whether with coordinates, in which theme and with which stones."""

from __future__ import annotations

from typing import cast

from service.play.site import Site
from service.render.orientation import Sight
from service.render.palette import CLASSIC, BoardTheme, Design, StoneSet, Theme
from service.store.models import Player


def of(player: Player, seat: int | None) -> Sight:
    """How a player sees the board of a match in which they have this seat, or watch."""
    return Sight(player.turned if seat else player.turned_first, player.coordinates)


def design(player: Player | None) -> Design:
    """The board theme and stones of a player; the classic ones for visitors who are none."""
    if player is None:
        return CLASSIC
    return Design(cast(BoardTheme, player.boards), cast(StoneSet, player.stones))


def theme(player: Player | None) -> Theme | None:
    """Whether a player wants pages light or dark; None for what the device prefers."""
    return cast(Theme, player.look) if player is not None and player.look != "auto" else None


def choose(site: Site, player_id: int, seat: int | None, sight: Sight) -> None:
    """Keeps how a player sees boards. The side is kept apart for matches in which they move first or watch."""
    with site.transaction() as tx:
        player = tx.session.get_one(Player, player_id)
        player.coordinates = sight.coordinates
        if seat:
            player.turned = sight.turned
        else:
            player.turned_first = sight.turned
