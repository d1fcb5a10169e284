"""The match a letter is about: what all letters about matches tell, each as its reader could see it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from random import Random
from typing import Any

from sqlalchemy.orm import Session

from service.engine.game import Position
from service.engine.scene import Scene
from service.games import GAMES
from service.mail import reply_address, write
from service.mail.letter_types import Deadline, Played
from service.mail.read import Inbound, read
from service.mail.reply_address import Purpose, ReplyAddress
from service.play.match.log import news, told_before, visible_entries
from service.play.notify.announce import UNASKED
from service.play.outbox import unsubscribe
from service.play.pages import match_page
from service.play.site import Site
from service.play.table import press, replay, teams
from service.play.timekeeping import clocks
from service.render.text import text
from service.store.models import IncomingMail, Letter, Match, Player, Submission


class About:
    """The match a letter is about, as its reader could see it when the letter was owed."""

    def __init__(self, site: Site, session: Session, letter: Letter) -> None:
        self.site, self.session, self.letter = site, session, letter
        self.match = session.get_one(Match, letter.match_id)
        answered = letter.data.get("submission")
        self.submission = None if answered is None else session.get_one(Submission, answered)
        self.ply: int = (letter.data.get("ply", 0) if self.submission is None else self.submission.ply) or 0
        self.seat: int = letter.data["seat"] if self.submission is None else self.submission.seat
        self.position: Position = replay.position(session, self.match, self.ply)
        self.viewer = None if "outside" in letter.data else self.seat
        self.scene: Scene = self.position.view(self.viewer)
        self.game = GAMES[self.match.game]
        self.title = f"{self.game.title} {self.match.id}"
        self.sides = tuple(side.capitalize() for side in self.position.sides)
        self.link = f"{site.settings.public_url}/match/{self.match.id}"

    @property
    def deadline(self) -> Deadline | None:
        """The time the reader had when the letter was owed, in their own zone."""
        if "deadline" not in self.letter.data:
            return None
        until = datetime.fromisoformat(self.letter.data["deadline"])
        reader = self.session.get_one(Player, self.letter.player_id)
        return Deadline(until - self.letter.created, until.astimezone(clocks.zone(reader)))

    @property
    def until(self) -> datetime | None:
        """When the pause ends that the letter is about, in the reader's zone."""
        if "until" not in self.letter.data:
            return None
        reader = self.session.get_one(Player, self.letter.player_id)
        return datetime.fromisoformat(self.letter.data["until"]).astimezone(clocks.zone(reader))

    @property
    def incoming(self) -> Inbound | None:
        """The mail that this letter answers."""
        if self.submission is None or self.submission.mail_id is None:
            return None
        return read(self.session.get_one(IncomingMail, self.submission.mail_id).raw)

    def played(self) -> tuple[Played, ...]:
        """What has happened since the reader's own last move."""
        entries = visible_entries(self.session, self.match, self.viewer, self.position, self.ply)
        before = told_before(self.session, self.letter, self.match, self.viewer, entries)
        return news(entries, self.viewer, self.scene, before, self.letter.player_id)

    @property
    def partners(self) -> tuple[str, ...]:
        """Who shares the reader's seat, by name; nobody where names are hidden."""
        return () if self.viewer is None else teams.partners(self.match, self.letter.player_id)

    def thread(self, mail: write.Mail) -> write.Mail:
        """The mail with the headers that keep a match together and bring its replies back."""
        settings, incoming = self.site.settings, self.incoming
        return replace(
            mail,
            reply_to=self.site.reply_address(self._back()),
            thread=reply_address.thread_id(self.match.id, settings.mail_domain),
            answers=incoming.message_id if incoming else "",
            list_id=reply_address.list_id(self.match.id, settings.mail_domain),
            list_name=self.title,
            unsubscribe=self._mute(unsubscribe.one_click),
            feedback=f"{self.match.game}:{self.letter.kind}:match:stonepost",
        )

    def _back(self) -> ReplyAddress:
        """What a reply is: an order, the answer to an invitation, or one to a message, for just those it was among."""
        purpose, number = Purpose.ORDER, self.position.round
        if self.letter.kind in ("invitation", "result"):
            purpose = Purpose[self.letter.kind.upper()]
        elif self.letter.kind == "said":
            purpose, number = Purpose.TALK, sum(1 << seat for seat in self.answered)
        elif (event := self.letter.data.get("event", "")).endswith(" offered"):
            purpose = Purpose[event.split()[0].upper()]
        return ReplyAddress(self.letter.player_id, self.match.id, self.seat, number, purpose)

    @property
    def answered(self) -> tuple[int, ...]:
        """The seats that an answer to this message goes to, the reader's own team among them; none for everybody."""
        chosen = self.letter.data.get("chosen")
        between = {*chosen, self.letter.data["by"]} - {self.seat} if chosen else set()
        return tuple(sorted(between or {self.seat})) if chosen else ()

    @property
    def mute_link(self) -> str:
        """Where the reader stops mails about this match; "" in those that answer the reader's own."""
        return self._mute(unsubscribe.link)

    def _mute(self, link: Callable[[Site, int, int], str]) -> str:
        if self.letter.kind not in UNASKED:
            return ""
        return link(self.site, self.letter.player_id, self.match.id if self.viewer is not None else 0)

    @property
    def company(self) -> tuple[tuple[str, str], ...]:
        """The other sides and who has them, where names are known."""
        return teams.company(self.match, self.sides, self.seat)

    @property
    def others(self) -> tuple[str, ...]:
        """All sides but the reader's."""
        return tuple(side for number, side in enumerate(self.sides) if number != self.seat)

    @property
    def listening(self) -> tuple[str, ...]:
        """The sides of the other people, where anything may be said."""
        speaks = press.of(self.match).level != "none"
        people = (seat for seat in self.match.seats if speaks and seat.player is not None and seat.player.bot is None)
        return tuple(self.sides[seat.number] for seat in people if seat.number != self.seat)

    def table(self) -> dict[str, Any]:
        """The fields of `words.Table`."""
        # Not by the ply: others' sealed choices count in it, and which moves are shown must not tell that they are in.
        choices = self.position.draft(self.seat, "").choices if self.viewer in self.position.active else ()
        remarks = press.of(self.match).remarks
        spoken = tuple(choice.text for choice in choices if not choice.cells)
        ended = self.position.phase not in ("play", "over")
        told = match_page.words(self.match.game, self.position.phase, choices) if ended else ()
        moves = () if self.viewer is None else self.position.moves(self.viewer)
        moving_on = tuple(move for move in moves if move != "pass")
        return {
            "title": self.title,
            "number": self.position.round,
            "side": self.sides[self.seat],
            "others": () if remarks == "nobody" else self.others,
            "watched": remarks == "everybody",
            "board": text(self.scene),
            "facts": self.scene.facts,
            "deadline": self.deadline,
            "examples": _some(moving_on or spoken, self.match.seed + self.position.round),
            "commands": (*spoken, "resign", "show", "help"),
            "explained": tuple((word.usage, word.summary) for word in told),
            "partners": self.partners,
            "link": self.link,
            "mute_link": self.mute_link,
        }


def _some(moves: tuple[str, ...], seed: int) -> tuple[str, ...]:
    """A few of the moves, the same ones every time; all in their order where there are only a few."""
    return moves if len(moves) <= 3 else tuple(Random(seed).sample(moves, 3))  # noqa: S311
