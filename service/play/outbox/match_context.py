"""The arguments of compose functions: the letter's reader and, if it is about a match, the match as they could see
it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from functools import cache, cached_property, singledispatch
from random import Random
from typing import Any

from jinja2 import FileSystemLoader
from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from service.config import ROOT
from service.engine.game import Position
from service.engine.scene import Scene
from service.games import GAMES
from service.mail import reply_address
from service.mail.grammar.command_words import ESTIMATE_NOW
from service.mail.letters import letter_types, letter_words, write
from service.mail.parsing.read import Inbound, message_id, read
from service.mail.reply_address import ReplyAddress
from service.play import links
from service.play.letter_contents import Contents, OrderAnswer, Seen
from service.play.letter_kinds import PauseOffered, Said
from service.play.orders import preview
from service.play.outbox.board_images import Album
from service.play.site import Site
from service.play.table import board_view, press, replay, teams
from service.play.table.log import news, notes_after, told_before, visible_entries
from service.play.timekeeping import clocks
from service.render.text import text
from service.store import mail_store
from service.store.models import Match, Player, Submission
from service.store.tables.events import Event, EventMatch
from service.store.tables.mail_rows import IncomingMail, Letter


@cache
def templates() -> letter_words.Templates:
    """All templates of emails, compiled once."""
    return letter_words.templates(FileSystemLoader(ROOT / "templates"))


class Context:
    """What every letter is composed from. `zone` is its reader's time zone; `album` collects its pictures."""

    def __init__(self, site: Site, session: Session, letter: Letter, reader: Player) -> None:
        self.site, self.session, self.letter, self.reader = site, session, letter, reader
        self.zone = clocks.zone(reader)
        message_id = links.message_id(site, letter.key, letter.created)
        self.album = Album(message_id, board_view.design(reader), board_view.theme(reader))


@singledispatch
def view(contents: Contents, context: Context) -> letter_types.Letter:
    """What a letter says, as data for its templates. Each kind of letter registers its compose function here."""
    del context
    raise TypeError(f"{type(contents).__name__} has no compose function")


_TEXT = select(IncomingMail.raw, IncomingMail.kept, IncomingMail.place).where(IncomingMail.id == bindparam("mail"))


class About(Context):
    """The match a letter is about, as its reader could see it when the letter was owed."""

    def __init__(self, site: Site, session: Session, letter: Letter, reader: Player, contents: Contents) -> None:
        super().__init__(site, session, letter, reader)
        assert isinstance(contents, Seen | OrderAnswer), "only these are about a match"
        self.contents = contents
        self.match = session.get_one(Match, letter.match_id)
        self.submission: Submission | None = None
        if isinstance(contents, OrderAnswer):
            self.submission = session.get_one(Submission, contents.submission)
            self.ply, self.seat = self.submission.ply or 0, self.submission.seat
        else:
            self.ply, self.seat = contents.ply, contents.seat
        self.position: Position = replay.position(session, self.match, self.ply)
        self.viewer = None if contents.outside else self.seat
        self.scene: Scene = self.position.view(self.viewer)
        self.game = GAMES[self.match.game]
        self.title = f"{self.game.title} {self.match.id}"
        self.sides = tuple(side.capitalize() for side in self.position.sides)
        self.link = f"{site.settings.public_url}/match/{self.match.id}"

    @property
    def drawn(self) -> Scene:
        """The scene for its picture, from the side that the reader has chosen."""
        return board_view.sided(self.scene, self.match, self.letter.player_id)

    @property
    def side(self) -> str:
        """The reader's side."""
        return self.sides[self.seat]

    @property
    def order(self) -> Submission:
        """The order that this letter answers."""
        assert self.submission is not None, "only contents of an OrderAnswer have an order"
        return self.submission

    def deadline(self, until: datetime | None) -> letter_types.Deadline | None:
        """The time from when the letter was owed to this instant, in the reader's time zone."""
        return None if until is None else letter_types.Deadline(until - self.letter.created, self.local(until))

    def local(self, time: datetime) -> datetime:
        """A time in the reader's zone."""
        return time.astimezone(self.zone)

    @property
    def incoming(self) -> Inbound | None:
        """The mail that this letter answers."""
        return read(self._answered_mail) if self._answered_mail else None

    @cached_property
    def _answered_mail(self) -> bytes:
        if self.submission is None or self.submission.mail_id is None:
            return b""
        mail = self.session.connection().execute(_TEXT, {"mail": self.submission.mail_id}).one()
        return mail_store.text_of(self.site.settings, mail)

    def played(self) -> tuple[letter_types.Played, ...]:
        """What has happened since the reader's own last move."""
        reader = self.letter.player_id
        entries = visible_entries(self.session, self.match, self.viewer, self.position, self.ply, reader=reader)
        before = told_before(self.session, self.letter, self.match, self.viewer, entries)
        notes = notes_after(self.session, self.match, self.viewer)
        place = self.match.place_of(reader)
        taken = place.taken if place else None
        return news(entries, self.viewer, self.position, notes, before, reader, taken, to_reader=True)

    @property
    def partners(self) -> tuple[str, ...]:
        """The names of those who share the reader's seat; none where names are hidden."""
        return () if self.viewer is None else teams.partners(self.match, self.letter.player_id)

    def thread(self, mail: write.Mail) -> write.Mail:
        """The mail with the headers that keep a match together and bring its replies back."""
        settings = self.site.settings
        return replace(
            mail,
            reply_to=self.site.reply_address(self._back()),
            thread=reply_address.thread_id(self.match.id, settings.mail_domain),
            answers=message_id(self._answered_mail) if self._answered_mail else "",
            list_id=reply_address.list_id(self.match.id, settings.mail_domain),
            list_name=self.title,
            unsubscribe=self._mute(links.to_stop_at_once),
            feedback=f"{self.match.game}:{self.contents.category}:match:stonepost",
        )

    def _back(self) -> ReplyAddress:
        """What a reply means: an order, an answer to an invitation, or an answer to a message, for the same people
        only."""
        number = sum(1 << seat for seat in self.answered) if isinstance(self.contents, Said) else self.position.round
        restored = links.restored(self.site, self.letter.created)
        offered = self.contents.until if isinstance(self.contents, PauseOffered) else None
        until = int(offered.timestamp()) if offered is not None else 0
        return ReplyAddress(
            self.letter.player_id, self.match.id, self.seat, number, self.contents.reply, restored, until
        )

    @property
    def answered(self) -> tuple[int, ...]:
        """The seats that an answer to this message goes to, the reader's own team among them; none for everybody."""
        if not isinstance(self.contents, Said) or not self.contents.chosen:
            return ()
        return tuple(sorted({*self.contents.chosen, self.contents.by} - {self.seat} or {self.seat}))

    @property
    def mute_link(self) -> str:
        """The link that stops emails about this match, or all emails if the reader has no seat in it; "" in answers to
        the reader's own emails."""
        return self._mute(links.to_stop)

    def _mute(self, link: Callable[[Site, int, int], str]) -> str:
        if not self.contents.optional:
            return ""
        return link(self.site, self.letter.player_id, self.match.id if self.viewer is not None else 0)

    @property
    def company(self) -> letter_types.Company:
        """The players of the other sides that haven't left, where names are known, and how the match came about."""
        others = teams.company(self.match, self.sides, self.seat, self.position.active)
        named = select(Event.name).join(EventMatch, EventMatch.event_id == Event.id)
        event = self.session.scalars(named.where(EventMatch.match_id == self.match.id)).first()
        wished = (self.match.key or "").startswith("wish:")
        return letter_types.Company(others, event or "", wished, self.takes_over)

    @property
    def takes_over(self) -> bool:
        """Whether this is the letter that a player gets who has just taken over a seat."""
        own = self.match.place_of(self.letter.player_id)
        return own is not None and own.taken == self.letter.created

    @property
    def others(self) -> tuple[str, ...]:
        """All sides except the reader's."""
        return tuple(side for number, side in enumerate(self.sides) if number != self.seat)

    @property
    def listening(self) -> tuple[str, ...]:
        """The sides of the other people, if the match allows messages."""
        speaks = press.of(self.match).level != "none"
        people = (seat for seat in self.match.seats if speaks and press.hears(seat))
        return tuple(self.sides[seat.number] for seat in people if seat.number != self.seat)

    def event(
        self, *, quoted: str = "", terms: tuple[str, ...] = (), unheard: str = "", **values: object
    ) -> letter_types.Event:
        """The data of a letter of a few sentences: the `values` they name, the board and the links."""
        return letter_types.Event(
            kind=self.contents.kind,
            title=self.title,
            side=self.side,
            values={**values, "outside": self.viewer is None},
            quoted=quoted,
            unheard=unheard,
            remark=self.submission.remark if self.submission else "",
            terms=terms,
            board=text(self.scene),
            link=self.link,
            mute_link=self.mute_link,
        )

    def table(self, until: datetime | None = None) -> dict[str, Any]:
        """The fields of `letter_types.Table`; the reader has time `until` then."""
        # Not by the ply: it counts others' sealed choices, and the moves shown must not reveal that there are some.
        choices = self.position.draft(self.seat, "").choices if self.viewer in self.position.active else ()
        remarks = press.of(self.match).remarks
        spoken = tuple(choice.text for choice in choices if not choice.cells)
        ended = self.position.phase not in ("play", "over")
        told = preview.words(self.match.game, self.position.phase, choices) if ended else ()
        asking = (("estimate", ESTIMATE_NOW),) if self.position.phase == "scoring" else ()
        moves = () if self.viewer is None else self.position.moves(self.viewer)
        moving_on = tuple(move for move in moves if move != "pass")
        draw = ("draw",) if self.position.draws and self.position.offer != self.viewer else ()
        return {
            "title": self.title,
            "number": self.position.round,
            "parallel": self.game.parallel,
            "side": self.side,
            "others": () if remarks == "nobody" else self.others,
            "watched": remarks == "everybody",
            "board": text(self.scene),
            "facts": self.scene.facts,
            "deadline": self.deadline(until),
            "examples": _some(moving_on or spoken, self.match.seed + self.position.round),
            "commands": (*spoken, *draw, "resign", "show", "help"),
            "explained": (*((word.usage, word.summary) for word in told), *asking),
            "partners": self.partners,
            "over": self.position.outcome is not None,
            "link": self.link,
            "mute_link": self.mute_link,
        }


def _some(moves: tuple[str, ...], seed: int) -> tuple[str, ...]:
    """A few of the moves, the same ones every time; all of them, in order, if there are only a few."""
    return moves if len(moves) <= 3 else tuple(Random(seed).sample(moves, 3))  # noqa: S311
