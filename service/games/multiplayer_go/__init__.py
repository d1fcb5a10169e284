"""Multiplayer Go (J. P. Neto, "Other Players"): Go for two to eight, in four games.

Players move in turn or all at the same time, and they cooperate in captures and in victory, or don't.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from service.engine.game import Game, Log, Position
from service.engine.grid import read_size, sized
from service.engine.options import Option, Word
from service.engine.scene import STONES
from service.engine.stone_games.stone_orders import AGREEMENT, PASS, STONE
from service.games.multiplayer_go.order import Order
from service.games.multiplayer_go.parallel import Parallel
from service.games.multiplayer_go.prisoners import Sharing
from service.games.multiplayer_go.replay import replay
from service.games.multiplayer_go.rules import Rules
from service.games.multiplayer_go.sequential import Sequential

if TYPE_CHECKING:
    from service.engine.record_formats import Format

SIDES = tuple(STONES)
"""The colours in turn order, black to orange."""

SIZE = Option(
    "size",
    "19",
    tuple(map(str, range(5, 26))),
    "Rows and columns; by email also 7x9, seven rows of nine.",
    read_size,
    "9",
)
STRENGTH = Option(
    "strength",
    "equal",
    ("equal", "weakest-first"),
    "Among three or four equal players, the first are skipped in round 3. You can also seat the weakest first.",
)
AT_ONCE = STRENGTH._replace(
    choices=("equal",), summary="Moves are simultaneous, so nobody is first.", read=STRENGTH.accept
)
"""Either value is accepted and changes nothing."""
ALLIANCES = Option(
    "alliances",
    "sealed",
    ("sealed", "open", "off"),
    "Whether players may unite after the count to share the victory, and whether their declarations are secret. "
    "With three players almost any two have enough together.",
)
SHARED = Option(
    "shared-territory",
    "",
    ("neutral", "split"),
    "What empty points between several colours are worth: nothing, or an even share to each.",
)
NEUTRAL = SHARED._replace(
    default="neutral", choices=("neutral",), summary="Empty points between several colours count for nobody."
)
PRISONERS = Option(
    "prisoners",
    "share",
    ("share", "crossman"),
    "Captors get the stones they take; or, after Allan Crossman, every stone lost costs its owner a point.",
)
SETUP = Option("setup", "", (), "Stones to start from, such as black: b2 b3; white: d4.", str.strip)

ORDERS = (STONE, PASS)
SEALED = (
    Word("c7", "Choose where to place a stone; another order changes your choice."),
    PASS,
    Word("wait", "Say that you're here but not ready: your choice is withdrawn until you send another or time is up."),
)
TOGETHER = (
    Word("c7 take blue white", "Place a stone, and say whose stones you take when prisoners are shared."),
    Word("prefer blue white", "Say whose stones you'd rather take from now on. Others see it only after the match."),
    Word("prefer none", "Withdraw your preference."),
)
UNITING = (
    Word("ally red blue", "Share the victory with them, if they say the same.", "alliances"),
    Word("alone", "Stay without allies.", "alliances"),
)


class MultiplayerGo(Game):
    """One of the four games, by whether moves are simultaneous and whether players cooperate."""

    min_seats = 2
    max_seats = len(SIDES)
    usual_seats = 3
    cooperative: ClassVar[bool]

    def sides(self, seats: int) -> tuple[str, ...]:
        return SIDES[:seats]

    def settle(self, seats: int, options: Mapping[str, str]) -> dict[str, str]:
        """Every option; by default, shared territory is split in cooperative games without alliances, else neutral."""
        settled = super().settle(seats, options)
        if not settled["shared-territory"]:
            settled["shared-territory"] = "split" if settled["alliances"] == "off" else "neutral"
        return settled

    def begin(self, seats: int, seed: int, options: Mapping[str, str]) -> Position:
        del seed
        sharing = Sharing.COOPERATIVE if self.cooperative else Sharing.SOLE
        rules = Rules(
            self.title,
            sized(options["size"]),
            self.sides(seats),
            self.cooperative,
            Sharing.NOBODY if options["prisoners"] == "crossman" else sharing,
            options["shared-territory"] == "split",
            options.get("alliances", "off"),
            Order(seats, options["strength"] == "equal"),
        )
        return (Parallel if self.parallel else Sequential).start(rules, options["setup"])

    def replay(self, start: Position, log: Log) -> Position:
        return replay(start, log)

    def formats(self, seats: int) -> tuple[Format, ...]:
        """SGF only for two players who move in turn: it has two colours, and one move at a time."""
        from service.games.sgf import Sgf

        return (Sgf(self, self.title),) if seats == 2 and not self.parallel else ()


class Alone(MultiplayerGo):
    name = "multigo"
    title = "Multiplayer Go"
    summary = "Go for up to eight: players move in turn, each for themselves."
    parallel, cooperative = False, False
    options = (SIZE, STRENGTH, NEUTRAL, PRISONERS, SETUP)
    words = (*ORDERS, *AGREEMENT)

    def sample(self) -> Position:
        others = "white: g7 g6 f7 h6 e6 c6 d7; red: f3 g3 f4 g2 h4 d5 e5 c8"
        return self.start(3, size="9", setup=f"black: c3 d3 c4 d2 e3 b7 c7; {others}")


class Cooperative(MultiplayerGo):
    name = "multigo-coop"
    title = "Cooperative Multiplayer Go"
    summary = "Go for up to eight: prisoners are shared, and allies may win together."
    parallel, cooperative = False, True
    options = (SIZE, STRENGTH, ALLIANCES, SHARED, PRISONERS, SETUP)
    words = (*ORDERS, *TOGETHER, *AGREEMENT, *UNITING)

    def sample(self) -> Position:
        others = "white: c8 d2 e2 g7 h7; red: f7 f8 g6 h6 j7 j8; blue: e1 g8; green: a4 b4 b5 c5 h3 h4 g4"
        return self.start(5, size="9", setup=f"black: b8 c2 c9 d3 d8 e3 f2; {others}")


class AloneAtOnce(MultiplayerGo):
    name = "multigo-parallel"
    title = "Parallel Multiplayer Go"
    summary = "Go for up to eight: all move at the same time, each for themselves."
    parallel, cooperative = True, False
    options = (SIZE, AT_ONCE, NEUTRAL, PRISONERS, SETUP)
    words = (*SEALED, *AGREEMENT)

    def sample(self) -> Position:
        others = "white: b7 b8 c6 c8 e4 f4; red: h5 h6 g6 g7; blue: c2 c3 d3 b3"
        return self.start(4, size="9", setup=f"black: c7 d6 d8 f2 g2; {others}")


class CooperativeAtOnce(MultiplayerGo):
    name = "multigo-parallel-coop"
    title = "Parallel Cooperative Multiplayer Go"
    summary = "Go for up to eight: all move at the same time, prisoners are shared, and allies may win together."
    parallel, cooperative = True, True
    options = (SIZE, AT_ONCE, ALLIANCES, SHARED, PRISONERS, SETUP)
    words = (*SEALED, *TOGETHER, *AGREEMENT, *UNITING)

    def sample(self) -> Position:
        others = "white: c6 c7 d5 e5 f5 g7; red: d6 e6 g2 g3 h3; blue: e7 f6 f7 d2 e2"
        return self.start(4, size="9", setup=f"black: f8 g6 b2 b3 c3; {others}")
