"""What each letter says: from its row to a mail, the same every time it is asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from random import Random
from typing import Any

from jinja2 import FileSystemLoader
from sqlalchemy.orm import Session

from service.config import HOUSE
from service.engine.game import Position
from service.engine.scene import Scene
from service.games import GAMES
from service.mail import address, words, write
from service.mail.address import Purpose, ReplyAddress
from service.mail.read import Inbound, read
from service.mail.words import Deadline, Played
from service.play import accounts, addresses, answers, browse, clocks, confirm, people, press, replay, stop, teams
from service.play.album import Album
from service.play.announce import UNASKED
from service.play.entries import news, told_before, visible_entries
from service.play.house import House
from service.render.png import png
from service.render.svg import svg
from service.render.text import text
from service.store.models import IncomingMail, Letter, Match, Player, Submission


@cache
def _templates() -> words.Templates:
    return words.templates(FileSystemLoader(HOUSE / "templates"))


def recipient(session: Session, letter: Letter) -> str:
    """Where a letter goes: to its player's address, or to one they want or had, where it is about that."""
    return str(letter.data.get("address") or session.get_one(Player, letter.player_id).email or "")


def compose(house: House, session: Session, letter: Letter) -> bytes:
    """The letter as it travels. Nothing in it depends on when it is composed: a copy has the same bytes."""
    settings = house.settings
    reader = session.get_one(Player, letter.player_id)
    message_id = address.message_id(letter.key, settings.mail_domain)
    about = None if letter.match_id is None else _About(house, session, letter)
    album = Album(message_id)
    said = _SAY_ALONE[letter.kind](house, session, letter, album) if about is None else _SAY[letter.kind](about)
    picture = None if about is None else write.Picture(png(about.scene), svg(about.scene))
    put = words.render(_templates(), said, f"cid:{write.picture_id(message_id)}" if picture else "")
    mail = write.Mail(
        message_id=message_id,
        date=letter.created.astimezone(UTC),
        sender=settings.desk,
        sender_name="Stonepost",
        to=recipient(session, letter),
        to_name="" if "address" in letter.data else reader.name,
        subject=put.subject,
        text=put.text,
        html=put.html,
        picture=picture,
        boards=tuple(album.boards),
        feedback=f"all:{letter.kind}:player:stonepost",
    )
    if about is not None:
        mail = about.thread(mail)
    elif letter.kind == "answer":
        mail = answers.thread(house, session, letter, mail)
    elif letter.kind == "digest":
        mail = replace(mail, reply_to=mail.sender, unsubscribe=stop.link(house, reader.id, 0))
    return write.compose(mail)


class _About:
    """The match a letter is about, as its reader could see it when the letter was owed."""

    def __init__(self, house: House, session: Session, letter: Letter) -> None:
        self.house, self.session, self.letter = house, session, letter
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
        self.link = f"{house.settings.public_url}/match/{self.match.id}"

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
        settings, incoming = self.house.settings, self.incoming
        return replace(
            mail,
            reply_to=self.house.reply_address(self._back()),
            thread=address.thread_id(self.match.id, settings.mail_domain),
            answers=incoming.message_id if incoming else "",
            list_id=address.list_id(self.match.id, settings.mail_domain),
            list_name=self.title,
            unsubscribe=self.mute_link,
            feedback=f"{self.match.game}:{self.letter.kind}:match:stonepost",
        )

    def _back(self) -> ReplyAddress:
        """What a reply is: an order, the answer to an invitation, or one to a message, for just those it was among."""
        purpose, number = Purpose.ORDER, self.position.round
        if self.letter.kind in ("invitation", "result"):
            purpose = Purpose[self.letter.kind.upper()]
        elif self.letter.kind == "said" and "saying" in self.letter.data:
            purpose, number = Purpose.PRESS, self.letter.data["saying"]
        elif (event := self.letter.data.get("event", "")).endswith(" offered"):
            purpose = Purpose[event.split()[0].upper()]
        return ReplyAddress(self.letter.player_id, self.match.id, self.seat, number, purpose)

    @property
    def mute_link(self) -> str:
        """Where the reader stops mails about this match; "" in those that answer the reader's own."""
        if self.letter.kind not in UNASKED:
            return ""
        return stop.link(self.house, self.letter.player_id, self.match.id if self.viewer is not None else 0)

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
        told = browse.words(self.match.game, self.position.phase, choices) if ended else ()
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


def _turn(about: _About) -> words.Letter:
    dropped = about.letter.data.get("dropped", "")
    return words.Turn(**about.table(), played=about.played(), notes=about.scene.notes, dropped=dropped)


def _reminder(about: _About) -> words.Letter:
    return words.Reminder(**about.table())


def _refusal(about: _About) -> words.Letter:
    assert about.submission is not None
    return words.Refusal(
        **about.table(),
        order=about.submission.text,
        reason=about.submission.message,
        sent=about.incoming.text if about.incoming else about.submission.text,
        again="again" in about.letter.data,
        to_move=about.viewer in about.position.turns and about.match.state == "running",
    )


def _result(about: _About) -> words.Letter:
    outcome = about.position.outcome
    assert outcome is not None
    return words.Result(
        title=about.title,
        side=about.sides[about.seat],
        played=about.played(),
        winners=tuple(side for side, score in zip(about.sides, outcome.scores, strict=True) if score),
        reason=outcome.reason,
        notes=about.scene.notes,
        scores=tuple(zip(about.sides, map(str, outcome.scores), strict=True)),
        board=text(about.scene),
        facts=about.scene.facts,
        listening=about.listening,
        link=about.link,
        mute_link=about.mute_link,
    )


def _invitation(about: _About) -> words.Letter:
    reader = about.session.get_one(Player, about.letter.player_id)
    host = about.session.get_one(Player, about.letter.data["inviter"])
    again = "rematch" in about.letter.data
    # Who asks for a rematch is known from that match, and may never have seen the address.
    stranger = host.is_unnamed and not again
    return words.Invitation(
        title=about.title,
        game=about.game.title,
        summary=about.game.summary,
        host=host.name,
        unnamed=stranger,
        met=people.met(about.session, reader.id, host.id) if stranger else "",
        side=about.sides[about.seat],
        partners=about.partners,
        settings=_settings(about),
        terms=_terms(about),
        press=_press_terms(about),
        board=text(about.scene),
        link=about.link,
        mute_link=about.mute_link,
        rules_link=f"{about.house.settings.public_url}/rules/{about.game.name}",
        newcomer=reader.is_unnamed and not again,
    )


def _settings(about: _About) -> tuple[tuple[str, str], ...]:
    """What an invitation says of the match: what it would repeat, and its options."""
    data, options = about.letter.data, about.match.options
    again = [("Rematch of", f"{about.game.title} {data['rematch']}")] if "rematch" in data else []
    return (
        *again,
        *_teams(about),
        *((name.replace("-", " ").capitalize(), value) for name, value in options.items() if value),
    )


def _teams(about: _About) -> list[tuple[str, str]]:
    """The seats that are shared, and by whom."""
    if not about.match.teams or press.hides_names(about.match):
        return []
    shared = [number for number in range(len(about.sides)) if teams.is_shared(about.match, number)]
    return [(about.sides[number], teams.names(about.match, number)) for number in shared]


def _terms(about: _About) -> str:
    """The clock in plain words, with a date worked out for the reader."""
    control, began = clocks.control(about.match), about.letter.created
    zone = clocks.zone(about.session.get_one(Player, about.letter.player_id))
    until = control.deadline(control.begin(), began, zone)
    said = _templates().text.get_template("clock.txt").module
    return str(said.terms(control, until and until.astimezone(zone)))  # type: ignore[attr-defined]


def _press_terms(about: _About) -> str:
    """What may be said and whether seats may change hands, where more than two play."""
    if len(about.match.seats) == 2 and about.match.press == press.DEFAULT and not about.match.substitutes:
        return ""
    said = _templates().text.get_template("press.txt").module
    return str(said.company(press.of(about.match), about.match.substitutes))  # type: ignore[attr-defined]


def _said(about: _About) -> words.Letter:
    data, known = about.letter.data, press.of(about.match)
    between = {*data.get("chosen", ()), data["by"]} - {about.seat} if data.get("chosen") else set()
    team = bool(data.get("chosen")) and not between
    side = "" if known.names == "unsigned" else about.sides[data["by"]]
    return words.Said(
        title=about.title,
        by=side,
        name=data.get("name", ""),
        to=("your team",)
        if team
        else tuple("you" if seat == about.seat else about.sides[seat] for seat in data.get("chosen", ())),
        answers=("your team",) if team else tuple(about.sides[seat] for seat in sorted(between)),
        table=(*about.others, *(("your team",) if teams.is_shared(about.match, about.seat) else ())),
        watched=known.level == "public",
        remark=data["text"],
        board=text(about.scene),
        link=about.link,
        mute_link=about.mute_link,
    )


def _notice(about: _About) -> words.Letter:
    by = about.letter.data.get("by")
    return words.Notice(
        event=about.letter.data.get("event", about.letter.kind),
        title=about.title,
        side=about.sides[about.seat],
        by=about.sides[by] if by is not None else "",
        name=about.letter.data.get("name", ""),
        waited=tuple(about.sides[seat] for seat in about.position.public_turns),
        partners=about.partners,
        order=about.submission.text if about.submission else "",
        remark=about.submission.remark if about.submission else about.letter.data.get("text", ""),
        deadline=about.deadline,
        until=about.until,
        taken=tuple((about.sides[seat], move) for seat, move in about.letter.data.get("taken", ())),
        terms=tuple(filter(None, (_terms(about), _press_terms(about)))) if about.letter.kind == "seat" else (),
        unheard=about.letter.data.get("unheard", ""),
        board=text(about.scene),
        link=about.link,
        mute_link=about.mute_link,
    )


def _sign_in(house: House, session: Session, letter: Letter, _album: Album) -> words.Letter:
    data, player = letter.data, session.get_one(Player, letter.player_id)
    token = accounts.sign_in_token(house, player, data["nonce"], data["expires"], data.get("guest"))
    return words.SignIn(link=f"{house.settings.public_url}/sign-in/{token}", valid=accounts.LINK_LIFE)


def _account(house: House, session: Session, letter: Letter, _album: Album) -> words.Letter:
    reader, data = session.get_one(Player, letter.player_id), letter.data
    links = {
        "address-asked": lambda: addresses.confirm_link(house, data["change"]),
        "address-changed": lambda: addresses.object_link(house, data["change"]),
        "address-taken": lambda: f"{house.settings.public_url}/sign-in",
    }
    valid = {"address-asked": addresses.CONFIRM, "address-changed": accounts.OBJECT}
    return words.Account(
        event=data["event"],
        player=reader.name,
        name=data.get("name", ""),
        when=letter.created.astimezone(clocks.zone(reader)),
        link=links.get(data["event"], lambda: f"{house.settings.public_url}/account/keys")(),
        valid=valid.get(data["event"]),
    )


def _confirm(house: House, session: Session, letter: Letter, _album: Album) -> words.Letter:
    inbound = read(session.get_one(IncomingMail, letter.data["mail"]).raw)
    return words.Confirm(
        sender=inbound.sender,
        sent=inbound.text or inbound.subject,
        link=confirm.link(house, letter.data["mail"]),
        valid=confirm.LINK_LIFE,
    )


def _digest(house: House, session: Session, letter: Letter, album: Album) -> words.Letter:
    zone = clocks.zone(session.get_one(Player, letter.player_id))

    def waiting(match_id: int, ply: int, seat: int, until: str = "") -> words.Waiting:
        match = session.get_one(Match, match_id)
        position = replay.position(session, match, ply)
        scene, game = position.view(seat), GAMES[match.game]
        return words.Waiting(
            title=f"{game.title} {match.id}",
            match=match.id,
            side=game.sides(len(match.seats))[seat].capitalize(),
            notes=scene.notes,
            board=text(scene),
            link=f"{house.settings.public_url}/match/{match.id}",
            played=news(visible_entries(session, match, seat, position, ply), seat, scene),
            deadline=answers.deadline(until, letter.created, zone),
            picture=album.show(scene),
        )

    return words.Digest(
        matches=tuple(waiting(*row) for row in letter.data["rows"]),
        kept=tuple(_kept(house, session, number) for number in letter.data.get("held", ())),
        link=house.settings.public_url,
    )


def _kept(house: House, session: Session, number: int) -> words.Kept:
    """A letter that the digest tells of."""
    held = session.get_one(Letter, number)
    about = _About(house, session, held)
    subject = words.render(_templates(), _SAY[held.kind](about)).subject
    return words.Kept(subject, held.data.get("text", ""), about.link)


_SAY: dict[str, Callable[[_About], words.Letter]] = {
    "turn": _turn,
    "reminder": _reminder,
    "refusal": _refusal,
    "result": _result,
    "invitation": _invitation,
    "begun": _notice,
    "declined": _notice,
    "noted": _notice,
    "said": _said,
    "unheard": _notice,
    "undone": _notice,
    "rematch": _notice,
    "seat": _notice,
    "sought": _notice,
    "taken": _notice,
    "substitute": _notice,
    "released": _notice,
    "left": _notice,
    "fewer": _notice,
    "extended": _notice,
    "ahead": _notice,
    "agreement": _notice,
    "bounces": _notice,
    "late": _notice,
}
"""Letters about one match, by kind."""

_SAY_ALONE: dict[str, Callable[[House, Session, Letter, Album], words.Letter]] = {
    "sign_in": _sign_in,
    "account": _account,
    "answer": answers.say,
    "confirm": _confirm,
    "digest": _digest,
}
"""All other letters."""
