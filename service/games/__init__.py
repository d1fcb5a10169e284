"""Every game on offer. The one place where games are named."""

from __future__ import annotations

from service.engine.game import Game
from service.games.go import Go
from service.games.pillars import PillarsOfMedusa
from service.games.rosette import Rosette

GAMES: dict[str, Game] = {game.name: game for game in (Rosette(), PillarsOfMedusa(), Go())}
