"""How a player likes to see boards: with coordinates or not, theme and stones; and from which side in a match."""

from __future__ import annotations

from typing import cast

from service.engine.scene import Scene
from service.play.site import Transaction, transactional
from service.render.art.palette import CLASSIC, BoardTheme, Design, StoneSet, Theme
from service.render.orientation import Sight, seen
from service.store.models import Match, Player


def design(player: Player | None) -> Design:
    """The board theme and stones of a player; the classic ones for other visitors."""
    if player is None:
        return CLASSIC
    return Design(cast(BoardTheme, player.boards), cast(StoneSet, player.stones))


def theme(player: Player | None) -> Theme | None:
    """Whether a player wants pages light or dark; None for the device's setting."""
    return cast(Theme, player.look) if player is not None and player.look != "auto" else None


def sided(scene: Scene, match: Match, player_id: int) -> Scene:
    """A board of a match, from the side chosen by one of its players."""
    place = match.place_of(player_id)
    return seen(scene, Sight(turned=True)) if place is not None and place.turned else scene


@transactional
def choose(tx: Transaction, player_id: int, match_id: int, sight: Sight) -> bool:
    """Saves a player's choice of coordinates for all boards and the orientation of this one; False if they have no
    place at it."""
    tx.session.get_one(Player, player_id).coordinates = sight.coordinates
    match = tx.session.get(Match, match_id)
    place = None if match is None else match.place_of(player_id)
    if place is not None:
        place.turned = sight.turned
    return place is not None
