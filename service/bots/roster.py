"""Who the opponents are: three for each game, by name."""

from __future__ import annotations

import math

from service.bots.thought import Opponent

OPPONENTS: dict[str, tuple[Opponent, Opponent, Opponent]] = {
    "go": (
        Opponent("Clover", 1, 60, "Plays quickly, likes the corners, and often forgets to count liberties."),
        Opponent("Harrow", 2, 1_500, "Fights for every cut and knows when a group has two eyes."),
        Opponent("Whetstone", 3, 12_000, "Reads deeply, takes what is biggest, and passes once the game is won."),
    ),
    "rosette": (
        Opponent("Daisy", 1, 50, "Chases rosettes wherever one might bloom, even when the board is elsewhere."),
        Opponent("Briar", 2, 1_000, "Builds walls first and finishes a rosette only when a chain needs it."),
        Opponent("Cathedral", 3, 8_000, "Sees rosettes long before they close, and breaks yours in time."),
    ),
    "lotus": (
        Opponent("Tadpole", 1, 60, "Jumps at every capture and is surprised when the stones turn back."),
        Opponent("Heron", 2, 2_000, "Waits at the rim, then turns a whole chain with one stone."),
        Opponent("Deepwater", 3, 16_000, "Counts who can be turned and who cannot, and plays for the last pass."),
    ),
    "medusa": (
        Opponent("Pebbles", 1, 60, "Places stones happily and often forgets that groups can move."),
        Opponent("Adder", 2, 1_500, "Strikes with a placement and a move together when a group runs out of room."),
        Opponent("Euryale", 3, 10_000, "Keeps every group mobile and turns your own stones against you."),
    ),
    "multigo": (
        Opponent("Magpie", 1, 60, "Picks up loose stones anywhere and pays for it later."),
        Opponent("Surveyor", 2, 1_500, "Marks out a fair share early and defends it against everybody."),
        Opponent("Castellan", 3, 10_000, "Lets the others fight, and holds the largest corner at the end."),
    ),
    "multigo-coop": (
        Opponent("Finch", 1, 60, "Joins every capture and rarely asks what it was worth."),
        Opponent("Broker", 2, 1_500, "Takes the prisoners that will still count, and joins the smallest winning side."),
        Opponent("Chancellor", 3, 10_000, "Plays for the alliance that will win, and knows every sum before you do."),
    ),
    "multigo-parallel": (
        Opponent("Starling", 1, 60, "Flies where everybody flies, and bumps into others there."),
        Opponent("Clockwork", 2, 2_000, "Guesses where you will play and prefers to be somewhere else."),
        Opponent("Kestrel", 3, 12_000, "Weighs all that could happen at once and never lets itself be read."),
    ),
    "multigo-parallel-coop": (
        Opponent("Sparrow", 1, 60, "Follows the crowd into every capture."),
        Opponent("Weaver", 2, 2_000, "Joins the attacks that pay and leaves the others alone."),
        Opponent("Concert", 3, 12_000, "Plays its part in every capture, and unites with the fewest who can win."),
    ),
    "pillars": (
        Opponent("Chalk", 1, 3_000, "Looks one move ahead, and now and then forgets that you may answer."),
        Opponent("Marble", 2, 6_000, "Sees short combinations and seldom leaves a piece unguarded."),
        Opponent("Obsidian", 3, 200_000, "Reads far ahead and knows a mate when there is one."),
    ),
}
"""The opponents by the name of the game, from the one to learn against to the strongest."""

YARDSTICK = "pebble"
"""A bot with random moves, against which the others are measured. It may still have seats in old matches."""

NAMES: dict[str, tuple[str, Opponent]] = {
    opponent.name.lower(): (game, opponent) for game, three in OPPONENTS.items() for opponent in three
}
"""The game of each opponent, and the opponent, by its name in lower case."""

LEAST = 40
"""The fewest simulations, even of a hurried search."""


def affordable(opponent: Opponent, game: str, points: int, compiled: bool) -> int:
    """The budget of an opponent on a board with this many points.

    The budgets above are for small boards and a compiler. Without a compiler a simulation takes about eight times as
    long, and it gets longer with the size of the board, so a move would take minutes on the largest boards.
    """
    if game == "pillars":
        return opponent.budget if compiled else max(opponent.budget // 20, 3_000)
    budget = opponent.budget if compiled else opponent.budget // 8
    return max(int(budget * min(1.0, math.pow(100 / points, 1.5))), min(LEAST, opponent.budget))


def for_counting(game: str, points: int, compiled: bool) -> int:
    """The budget for finding dead stones: that of the club player, so that every opponent counts well."""
    return affordable(OPPONENTS[game][1], game, points, compiled)
