"""The boards shown in an email, with the reader's board settings."""

from __future__ import annotations

from dataclasses import dataclass, field

from service.engine.scene import Scene
from service.mail.letters import write
from service.render.art.palette import CLASSIC, Design, Theme
from service.render.png import png
from service.render.svg import svg

MOST = 10
"""How many boards are sent as pictures, a few hundred kilobytes in all. Further boards are text in the HTML part
too."""


@dataclass
class Album:
    """Pictures of boards, in the order in which they are shown."""

    message_id: str
    design: Design = CLASSIC
    theme: Theme | None = None
    """None: the board is a light one, since an email's picture can't know what the device prefers."""
    boards: list[bytes] = field(default_factory=list)

    def show(self, scene: Scene) -> str:
        """The address of a board's picture in the HTML part; "" if there are too many."""
        if len(self.boards) == MOST:
            return ""
        self.boards.append(self._png(scene))
        return f"cid:{write.picture_id(self.message_id, len(self.boards))}"

    def picture(self, scene: Scene) -> write.Picture:
        """The one board of an email about a match."""
        return write.Picture(self._png(scene), svg(scene, theme=self.theme, design=self.design))

    def _png(self, scene: Scene) -> bytes:
        return png(scene, theme=self.theme or "light", design=self.design)
