"""Computer opponents. They see what a player sees and order through the same door."""

from __future__ import annotations

from service.bots.thought import Bot
from service.bots.yardsticks import pebble

BOTS: dict[str, Bot] = {"pebble": pebble}
"""The opponents that hold seats today, by name."""
