"""The boards shown in a mail that is about more than one."""

from __future__ import annotations

from dataclasses import dataclass, field

from service.engine.scene import Scene
from service.mail import write
from service.render.png import png

MOST = 10
"""So many boards are pictures: some hundred kilobytes. Those after them are text in the HTML part too."""


@dataclass
class Album:
    """Pictures of boards, in the order in which they are shown."""

    message_id: str
    boards: list[bytes] = field(default_factory=list)

    def show(self, scene: Scene) -> str:
        """Where the HTML part finds the picture of a board, "" if there are too many."""
        if len(self.boards) == MOST:
            return ""
        self.boards.append(png(scene))
        return f"cid:{write.picture_id(self.message_id, len(self.boards))}"
