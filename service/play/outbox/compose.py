"""What each letter says: from its row to a mail, the same every time it is asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache

from jinja2 import FileSystemLoader
from sqlalchemy import select
from sqlalchemy.orm import Session

from service.config import HOUSE
from service.games import GAMES
from service.mail import conditional, letter_types, reply_address, write
from service.mail.read import read
from service.play import links
from service.play.accounts import email_change, identity, recovery
from service.play.match.log import news, visible_entries
from service.play.outbox import command_answers, unsubscribe
from service.play.outbox.board_images import Album
from service.play.outbox.match_context import About
from service.play.pages import profiles
from service.play.site import Site
from service.play.table import press, replay, teams
from service.play.timekeeping import clocks
from service.render.png import png
from service.render.svg import svg
from service.render.text import text
from service.store.credentials import AddressChange
from service.store.models import Entry, IncomingMail, Letter, Match, Player


@cache
def _templates() -> letter_types.Templates:
    return letter_types.templates(FileSystemLoader(HOUSE / "templates"))


def recipient(session: Session, letter: Letter) -> str:
    """Where a letter goes: to its player's address, or to one they want or had, where it is about that."""
    return str(letter.data.get("address") or session.get_one(Player, letter.player_id).email or "")


def compose(site: Site, session: Session, letter: Letter) -> bytes:
    """The letter as it travels. Nothing in it depends on when it is composed: a copy has the same bytes."""
    settings = site.settings
    reader = session.get_one(Player, letter.player_id)
    message_id = reply_address.message_id(letter.key, settings.mail_domain)
    about = None if letter.match_id is None else About(site, session, letter)
    album = Album(message_id)
    put = _put(site, session, letter, about, album, message_id)
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
        picture=None if about is None else write.Picture(png(about.scene), svg(about.scene)),
        boards=tuple(album.boards),
        feedback=f"all:{letter.kind}:player:stonepost",
    )
    if about is not None:
        mail = about.thread(mail)
    elif letter.kind == "answer":
        mail = command_answers.thread(site, session, letter, mail)
    elif letter.kind in ("digest", "limit"):
        mail = replace(mail, reply_to=mail.sender, unsubscribe=unsubscribe.one_click(site, reader.id, 0))
    return write.compose(mail)


def said(site: Site, session: Session, letter: Letter) -> letter_types.Words:
    """What the letter says, without its pictures: the same words as when it was sent."""
    about = None if letter.match_id is None else About(site, session, letter)
    message_id = reply_address.message_id(letter.key, site.settings.mail_domain)
    return _put(site, session, letter, about, Album(message_id), message_id)


def _put(
    site: Site, session: Session, letter: Letter, about: About | None, album: Album, message_id: str
) -> letter_types.Words:
    says = _SAY_ALONE[letter.kind](site, session, letter, album) if about is None else _SAY[letter.kind](about)
    return letter_types.render(_templates(), says, f"cid:{write.picture_id(message_id)}" if about else "")


def _turn(about: About) -> letter_types.Letter:
    dropped = about.letter.data.get("dropped", "")
    played = about.played()
    company = () if played else about.company
    return letter_types.Turn(**about.table(), played=played, notes=about.scene.notes, dropped=dropped, company=company)


def _reminder(about: About) -> letter_types.Letter:
    return letter_types.Reminder(**about.table())


def _refusal(about: About) -> letter_types.Letter:
    assert about.submission is not None
    text = about.submission.text
    return letter_types.Refusal(
        **about.table(),
        order=conditional.split(text)[0] or text,
        reason=about.submission.message,
        sent=about.incoming.text if about.incoming else about.submission.text,
        again="again" in about.letter.data,
        to_move=(
            about.viewer in about.position.turns and about.match.state == "running" and "waits" not in about.letter.data
        ),
        is_sentence="sentence" in about.letter.data,
    )


def _result(about: About) -> letter_types.Letter:
    outcome = about.position.outcome
    assert outcome is not None
    return letter_types.Result(
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


def _invitation(about: About) -> letter_types.Letter:
    reader = about.session.get_one(Player, about.letter.player_id)
    host = about.session.get_one(Player, about.letter.data["inviter"])
    again = "rematch" in about.letter.data
    # Who asks for a rematch is known from that match, and may never have seen the address.
    stranger = host.is_unnamed and not again
    return letter_types.Invitation(
        title=about.title,
        game=about.game.title,
        summary=about.game.summary,
        host=host.name,
        unnamed=stranger,
        met=profiles.met(about.session, reader.id, host.id) if stranger else "",
        side=about.sides[about.seat],
        partners=about.partners,
        settings=_settings(about),
        terms=_terms(about),
        press=_press_terms(about),
        board=text(about.scene),
        link=about.link,
        mute_link=about.mute_link,
        rules_link=f"{about.site.settings.public_url}/rules/{about.game.name}",
        newcomer=reader.is_unnamed and not again,
    )


def _settings(about: About) -> tuple[tuple[str, str], ...]:
    """What an invitation says of the match: what it would repeat, and its options."""
    data, options = about.letter.data, about.match.options
    again = [("Rematch of", f"{about.game.title} {data['rematch']}")] if "rematch" in data else []
    return (
        *again,
        *teams.shared(about.match, about.sides),
        *((name.replace("-", " ").capitalize(), value) for name, value in options.items() if value),
    )


def _terms(about: About) -> str:
    """The clock in plain words, with a date worked out for the reader."""
    control, began = clocks.control(about.match), about.letter.created
    zone = clocks.zone(about.session.get_one(Player, about.letter.player_id))
    said = _templates().text.get_template("sentences/clock.txt").module
    return str(said.terms(control, control.first_turn(began, zone)))  # type: ignore[attr-defined]


def _press_terms(about: About) -> str:
    """What may be said, how a seat is shared and whether seats may change hands, where more than two play."""
    if (
        len(about.match.seats) == 2
        and about.match.press == press.DEFAULT
        and not (about.match.substitutes or about.match.teams)
    ):
        return ""
    said = _templates().text.get_template("sentences/press.txt").module
    return str(said.company(press.of(about.match), about.match.substitutes, about.match.teams))  # type: ignore[attr-defined]


def _receipt(about: About) -> letter_types.Letter:
    submission, running = about.submission, about.match.state == "running"
    assert submission is not None
    entry = select(Entry.move).where(Entry.submission_id == submission.id)
    return letter_types.Receipt(
        event=about.letter.data["event"],
        title=about.title,
        side=about.sides[about.seat],
        move=about.session.scalars(entry).first() or "",
        order=submission.text,
        ahead=conditional.split(submission.text)[1] or "",
        remark=submission.remark,
        waited=tuple(about.sides[seat] for seat in about.position.public_turns) if running else (),
        playing=about.position.phase == "play",
        board=text(about.scene),
        facts=about.scene.facts,
        link=about.link,
    )


def _said(about: About) -> letter_types.Letter:
    data, known = about.letter.data, press.of(about.match)
    team = about.answered == (about.seat,)
    side = "" if known.names == "unsigned" else about.sides[data["by"]]
    return letter_types.Said(
        title=about.title,
        by=side,
        name=data.get("name", ""),
        to=("your team",)
        if team
        else tuple("you" if seat == about.seat else about.sides[seat] for seat in data.get("chosen", ())),
        answers=("your team",) if team else tuple(about.sides[seat] for seat in about.answered),
        table=(*about.others, *(("your team",) if teams.is_shared(about.match, about.seat) else ())),
        watched=known.level == "public",
        remark=data["text"],
        board=text(about.scene),
        link=about.link,
        mute_link=about.mute_link,
    )


def _notice(about: About) -> letter_types.Letter:
    by = about.letter.data.get("by")
    return letter_types.Notice(
        event=about.letter.data.get("event", about.letter.kind),
        title=about.title,
        side=about.sides[about.seat],
        by=about.sides[by] if by is not None else "",
        name=about.letter.data.get("name", ""),
        who=about.letter.data.get("who", ""),
        mate="mate" in about.letter.data,
        waited=tuple(about.sides[seat] for seat in about.position.public_turns),
        partners=about.partners,
        company=about.company if about.letter.kind == "begun" else (),
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


def _sign_in(site: Site, session: Session, letter: Letter, _album: Album) -> letter_types.Letter:
    data, player = letter.data, session.get_one(Player, letter.player_id)
    token = identity.sign_in_token(site, player, data["nonce"], data["expires"], data.get("guest"))
    return letter_types.SignIn(link=f"{site.settings.public_url}/sign-in/{token}", valid=identity.LINK_LIFE)


def _account(site: Site, session: Session, letter: Letter, _album: Album) -> letter_types.Letter:
    reader, data = session.get_one(Player, letter.player_id), letter.data
    links = {
        "address-asked": lambda: email_change.confirm_link(site, data["change"]),
        "address-approve": lambda: email_change.object_link(site, data["change"]),
        "address-proven": lambda: email_change.object_link(site, data["change"]),
        "address-changed": lambda: email_change.object_link(site, data["change"]),
        "address-taken": lambda: f"{site.settings.public_url}/sign-in",
    }
    valid = dict.fromkeys(("address-asked", "address-approve", "address-proven"), email_change.CONFIRM)
    change = session.get(AddressChange, data["change"]) if "change" in data else None
    due = datetime.fromisoformat(data["due"]).astimezone(clocks.zone(reader)) if "due" in data else None
    return letter_types.Account(
        event=data["event"],
        player=reader.name,
        name=data.get("name", ""),
        when=letter.created.astimezone(clocks.zone(reader)),
        new=change.new if change is not None and data["event"] != "address-asked" else "",
        due=due,
        link=links.get(data["event"], lambda: recovery.link(site, reader, letter.created))(),
        valid=None if data["event"] == "address-taken" else valid.get(data["event"], identity.OBJECT),
    )


def _confirm(site: Site, session: Session, letter: Letter, _album: Album) -> letter_types.Letter:
    mail = session.get_one(IncomingMail, letter.data["mail"])
    inbound = read(mail.raw)
    to_a_match = reply_address.read(site.settings.secret, mail.recipient) is not None
    return letter_types.Confirm(
        sender=inbound.sender,
        sent=inbound.words(with_subject=not to_a_match),
        link=links.to_confirm(site, letter.key),
        valid=links.LINK_LIFE,
    )


def _unknown_sender(site: Site, _session: Session, letter: Letter, _album: Album) -> letter_types.Letter:
    return letter_types.UnknownSender(link=links.to_confirm(site, letter.key), valid=links.LINK_LIFE)


def _digest(site: Site, session: Session, letter: Letter, album: Album) -> letter_types.Letter:
    zone = clocks.zone(session.get_one(Player, letter.player_id))

    def waiting(match_id: int, ply: int, seat: int, until: str = "") -> letter_types.Waiting:
        match = session.get_one(Match, match_id)
        position = replay.position(session, match, ply)
        scene, game = position.view(seat), GAMES[match.game]
        return letter_types.Waiting(
            title=f"{game.title} {match.id}",
            match=match.id,
            side=game.sides(len(match.seats))[seat].capitalize(),
            notes=scene.notes,
            board=text(scene),
            link=f"{site.settings.public_url}/match/{match.id}",
            played=news(visible_entries(session, match, seat, position, ply), seat, scene),
            deadline=command_answers.deadline(until, letter.created, zone),
            picture=album.show(scene),
        )

    return letter_types.Digest(
        matches=tuple(waiting(*row) for row in letter.data["rows"]),
        kept=tuple(_kept(site, session, number) for number in letter.data.get("held", ())),
        link=site.settings.public_url,
    )


def _kept(site: Site, session: Session, number: int) -> letter_types.Kept:
    """A letter that the digest tells of."""
    held = session.get_one(Letter, number)
    about = About(site, session, held)
    subject = letter_types.render(_templates(), _SAY[held.kind](about)).subject
    return letter_types.Kept(subject, held.data.get("text", ""), about.link)


def _limit(site: Site, session: Session, letter: Letter, _album: Album) -> letter_types.Letter:
    data, reader = letter.data, session.get_one(Player, letter.player_id)
    hours, zone = tuple(data["hours"].split()), str(clocks.zone(reader))
    return letter_types.Limit(data["most"], data["own"], hours, zone, site.settings.public_url)


_SAY: dict[str, Callable[[About], letter_types.Letter]] = {
    "turn": _turn,
    "reminder": _reminder,
    "refusal": _refusal,
    "result": _result,
    "invitation": _invitation,
    "begun": _notice,
    "declined": _notice,
    "noted": _notice,
    "receipt": _receipt,
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

_SAY_ALONE: dict[str, Callable[[Site, Session, Letter, Album], letter_types.Letter]] = {
    "sign_in": _sign_in,
    "account": _account,
    "answer": command_answers.say,
    "confirm": _confirm,
    "unknown_sender": _unknown_sender,
    "digest": _digest,
    "limit": _limit,
}
"""All other letters."""
