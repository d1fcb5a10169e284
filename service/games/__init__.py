"""Every game on offer. The one place where games are named."""

from __future__ import annotations

from service.engine.game import Game
from service.games.go import Go
from service.games.lotus import Lotus
from service.games.medusa import Medusa
from service.games.multiplayer_go import Alone, AloneAtOnce, Cooperative, CooperativeAtOnce
from service.games.pillars import PillarsOfMedusa
from service.games.rosette import Rosette

GAMES: dict[str, Game] = {
    game.name: game
    for game in (
        Medusa(),
        Lotus(),
        Rosette(),
        PillarsOfMedusa(),
        Alone(),
        Cooperative(),
        AloneAtOnce(),
        CooperativeAtOnce(),
        Go(),
    )
}
