"""The opponents by name: three for each game of stones, from the one to learn against to the strongest."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from service.bots.stones.manners import mannered
from service.bots.stones.think import searched, think
from service.bots.thought import Opponent, Thought, View

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
}
"""By the name of the game; `about` is one sentence about how they play."""

SLIPS = 20
"""In how many turns of a hundred the learner takes a move that merely came to mind."""


def order(view: View, opponent: Opponent, seed: int, past: Sequence[float] = ()) -> Thought:
    """What this opponent orders now. `past` are the values of its own earlier turns, oldest first."""
    search = learner if opponent.level == 1 else think
    return mannered(search, view, opponent.budget, seed, past, stubborn=opponent.level == 1)


def learner(view: View, budget: int, seed: int) -> Thought:
    """A short search with human mistakes: now and then it plays one of the first moves that came to mind."""
    thought = think(view, budget, seed)
    chance = Random(seed)  # noqa: S311
    if thought.move == "pass" or chance.randrange(100) >= SLIPS:
        return thought
    minded = [each for each in searched(view, budget // 4, seed + 1).moves if each[0] in view.position.moves(view.seat)]
    move, _, value = chance.choice(minded[:5] or [(thought.move, 0, thought.value)])
    return thought._replace(move=move, value=value, lines=((move,),))
