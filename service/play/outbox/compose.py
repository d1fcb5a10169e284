"""Composes emails from the rows of letters, the same every time, and has what letters about no match say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from datetime import UTC, timedelta

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.clock.control import Control
from service.config import Settings
from service.games import GAMES
from service.mail import reply_address
from service.mail.letters import letter_types, letter_words, write
from service.mail.letters.confirmations import Opening
from service.mail.parsing.read import read
from service.mail.reply_address import Purpose, ReplyAddress
from service.play import company_letters, letter_kinds
from service.play.accounts import email_change, identity, recovery
from service.play.letter_contents import Contents, readable
from service.play.links import GAZETTE, LINK_LIFE, NOTICES, Link, Stoppable, to_stop, to_stop_at_once
from service.play.notify import gazette
from service.play.outbox import command_answers, match_letters
from service.play.outbox.match_context import About, Context, templates, view
from service.play.pages import lessons
from service.play.site import Site
from service.play.table import board_view, replay
from service.play.table.log import news, notes_after, notes_beside, visible_entries
from service.render.text import text
from service.store import mail_store
from service.store.models import Match, Player
from service.store.tables.credentials import AddressChange
from service.store.tables.events import Event
from service.store.tables.mail_rows import IncomingMail, Letter

COMPOSERS = (command_answers, match_letters)
"""The other modules with compose functions, which they register as they are imported."""


def recipient(site: Site, session: Session, letter: Letter) -> str:
    """Where a letter goes: to its player's address, the address it is about, or the club's."""
    elsewhere = letter.kind in (letter_kinds.ClubNotice.kind, letter_kinds.Account.kind)
    other_address = _other_address(site.settings, letter_kinds.read(letter)) if elsewhere else ""
    return other_address or session.get_one(Player, letter.player_id).email or ""


def compose(site: Site, session: Session, letter: Letter) -> bytes:
    """The letter as raw bytes. Nothing in it depends on when it is composed: a copy has the same bytes.

    Raises UnreadableLetter.
    """
    contents, context = _opened(site, session, letter)
    words, album, reader = _words(contents, context), context.album, context.reader
    other_address = _other_address(site.settings, contents)
    mail = write.Mail(
        message_id=album.message_id,
        date=letter.created.astimezone(UTC),
        sender=site.settings.desk,
        sender_name="Stonepost",
        to=other_address or reader.email or "",
        to_name="" if other_address else reader.name,
        subject=words.subject,
        text=words.text,
        html=words.html,
        picture=album.picture(context.drawn) if isinstance(context, About) else None,
        boards=tuple(album.boards),
        feedback=f"all:{contents.category}:player:stonepost",
    )
    if isinstance(context, About):
        mail = context.thread(mail)
    elif isinstance(contents, letter_kinds.CommandsAnswer):
        mail = command_answers.thread(context, contents, mail)
    elif isinstance(contents, letter_kinds.Openings):
        mail = _answered(context, mail, Purpose.OPENINGS, letter.created.date().toordinal(), NOTICES)
    elif isinstance(contents, letter_kinds.Gazette):
        mail = _answered(context, mail, Purpose.GAZETTE, contents.issue, GAZETTE)
    elif isinstance(contents, letter_kinds.EventNews):
        back = ReplyAddress(reader.id, round=contents.event, purpose=Purpose.EVENT)
        mail = replace(mail, reply_to=site.reply_address(back))
    elif isinstance(contents, letter_kinds.Digest | letter_kinds.Limit):
        mail = replace(mail, reply_to=mail.sender, unsubscribe=to_stop_at_once(site, reader.id, 0))
    return write.compose(mail)


def said(site: Site, session: Session, letter: Letter) -> tuple[letter_words.Words, tuple[str, ...]]:
    """What the letter says, without pictures, in the same words as when it was sent; and which parts of it are the
    reader's own text.

    Raises UnreadableLetter.
    """
    contents, context = _opened(site, session, letter)
    return _words(contents, context), letter_types.given_back(view(contents, context))


def _opened(site: Site, session: Session, letter: Letter) -> tuple[Contents, Context]:
    contents, reader = letter_kinds.read(letter), session.get_one(Player, letter.player_id)
    if letter.match_id is None:
        return contents, Context(site, session, letter, reader)
    return contents, About(site, session, letter, reader, contents)


def _words(contents: Contents, context: Context) -> letter_words.Words:
    picture = f"cid:{write.picture_id(context.album.message_id)}" if isinstance(context, About) else ""
    return letter_words.render(templates(), view(contents, context), picture)


def _other_address(settings: Settings, contents: Contents) -> str:
    if isinstance(contents, letter_kinds.ClubNotice):
        return _of_the_club(settings, contents).removeprefix("mailto:")
    return contents.address if isinstance(contents, letter_kinds.Account) else ""


def hook(settings: Settings, letter: Letter) -> str:
    """The hook that sends a letter to the club; "" if it's an email."""
    if letter.kind != letter_kinds.ClubNotice.kind:
        return ""
    address = _of_the_club(settings, letter_kinds.read(letter))
    return "" if address.startswith("mailto:") else address


def _of_the_club(settings: Settings, contents: Contents) -> str:
    """The club's address that a letter is for. If it is no longer in the settings, the letter isn't claimed."""
    assert isinstance(contents, letter_kinds.ClubNotice), "only these go to the club"
    return next(address for address in settings.club_notices if reply_address.mark(address) == contents.to)


@view.register
def _sign_in(contents: letter_kinds.SignIn, context: Context) -> letter_types.SignIn:
    given = (contents.nonce, contents.expires, contents.guest, contents.wanted)
    link = identity.sign_in_link(context.site, context.reader, *given)
    learn = f"{context.site.settings.public_url}/learn" if contents.newcomer else ""
    return letter_types.SignIn(link=link, valid=identity.LINK_LIFE, learn_link=learn)


@view.register
def _account(contents: letter_kinds.Account, context: Context) -> letter_types.Account:
    due, new = contents.due, ""
    if contents.change is not None and contents.event != "address-asked":
        change = context.session.get(AddressChange, contents.change)
        new = change.new if change is not None else ""
    link, valid = _account_link(contents, context)
    return letter_types.Account(
        event=contents.event,
        player=contents.holder or context.reader.name,
        name=contents.name,
        when=context.letter.created.astimezone(context.zone),
        new=new,
        due=None if due is None else due.astimezone(context.zone),
        link=link,
        valid=valid,
    )


def _account_link(contents: letter_kinds.Account, context: Context) -> tuple[str, timedelta | None]:
    """Where the reader confirms, approves or objects, and for how long they can; None for no limit."""
    site, change = context.site, contents.change
    if contents.event == "address-taken":
        return f"{site.settings.public_url}/sign-in", None
    if contents.event in ("address-kept", "banned", "ban-lifted", "bot-banned", "bot-ban-lifted"):
        return f"{site.settings.public_url}/account", None
    if contents.event == "hook-off":
        return f"{site.settings.public_url}/account/doors", None
    if change is None:
        return recovery.link(site, context.reader, context.letter.created), identity.OBJECT
    if contents.event == "address-asked":
        return email_change.confirm_link(site, change), email_change.CONFIRM
    valid = identity.OBJECT if contents.event == "address-changed" else email_change.CONFIRM
    return email_change.object_link(site, change), valid


@view.register
def _confirm(contents: letter_kinds.Confirm, context: Context) -> letter_types.Confirm:
    site, mail = context.site, context.session.get_one(IncomingMail, contents.mail)
    inbound = read(mail_store.text_of(site.settings, mail))
    to_a_match = reply_address.read(site.settings.secret, mail.recipient) is not None
    return letter_types.Confirm(
        sender=inbound.sender,
        changed=contents.changed,
        sent=inbound.words(with_subject=not to_a_match),
        link=_confirm_link(context),
        valid=LINK_LIFE,
    )


@view.register
def _unknown_sender(_: letter_kinds.UnknownSender, context: Context) -> letter_types.UnknownSender:
    return letter_types.UnknownSender(link=_confirm_link(context), valid=LINK_LIFE)


def _confirm_link(context: Context) -> str:
    address = reply_address.mark(context.reader.email or "")
    return Link.CONFIRM_MAIL.to(context.site, [context.letter.key, address])


@view.register
def _digest(contents: letter_kinds.Digest, context: Context) -> letter_types.Digest:
    return letter_types.Digest(
        matches=tuple(_waiting(context, *row) for row in contents.rows),
        kept=tuple(_kept(context, letter) for letter in _held(context, contents.held)),
        followed=tuple(
            letter_types.FollowedNews(what, title, f"{context.site.settings.public_url}{path}", who)
            for what, title, path, who in contents.news
        ),
        here=contents.here,
        link=context.site.settings.public_url,
    )


def _waiting(context: Context, match_id: int, ply: int, seat: int, until: str) -> letter_types.Waiting:
    """A match that waits for the reader."""
    match = context.session.get_one(Match, match_id)
    position = replay.position(context.session, match, ply)
    scene, game = position.view(seat), GAMES[match.game]
    reader, taken = context.letter.player_id, match.seats[seat].taken
    entries = visible_entries(context.session, match, seat, position, ply, reader=reader)
    notes = notes_after(context.session, match, seat)
    played = news(entries, seat, position, notes, player_id=reader, taken=taken, to_reader=True)
    key = f"turn:{match.id}:{position.round}:{match.seats[seat].label}"
    own = select(Letter).where(Letter.key == key, Letter.player_id == reader)
    turn = readable(context.session.scalars(own).first())
    return letter_types.Waiting(
        title=f"{game.title} {match.id}",
        match=match.id,
        side=game.sides(len(match.seats))[seat].capitalize(),
        notes=notes_beside(played, scene.notes),
        board=text(scene),
        link=f"{context.site.settings.public_url}/match/{match.id}",
        played=played,
        deadline=command_answers.deadline(until, context.letter.created, context.zone),
        picture=context.album.show(board_view.sided(scene, match, reader)),
        dropped=turn.dropped if isinstance(turn, letter_kinds.Turn) else "",
        facts=scene.facts,
    )


def _held(context: Context, numbers: Sequence[int]) -> Iterator[Letter]:
    """The letters listed in a digest. Those about a match are deleted when it is packed."""
    return filter(None, (context.session.get(Letter, number) for number in numbers))


def _kept(context: Context, letter: Letter) -> letter_types.Kept:
    """A letter listed in a digest."""
    contents, about = _opened(context.site, context.session, letter)
    assert isinstance(about, About), "only letters about a match are held"
    written = contents.text if isinstance(contents, letter_kinds.Message) else ""
    return letter_types.Kept(_words(contents, about).subject, written, about.link)


@view.register
def _limit(contents: letter_kinds.Limit, context: Context) -> letter_types.Limit:
    present, url = context.letter.created.astimezone(context.zone).hour, context.site.settings.public_url
    hours = tuple(sorted(contents.hours.split(), key=lambda hour: (int(hour) - present - 1) % 24))
    return letter_types.Limit(contents.most, contents.own, hours, str(context.zone), url)


@view.register
def _event_news(contents: letter_kinds.EventNews, context: Context) -> letter_types.EventNews:
    told = {field.name: getattr(contents, field.name) for field in fields(contents) if field.name != "event"}
    begins = contents.begins.astimezone(context.zone) if contents.begins is not None else None
    link = f"{context.site.settings.public_url}/events/{contents.event}"
    return letter_types.EventNews(**told | {"begins": begins}, link=link)


@view.register
def _openings(contents: letter_kinds.Openings, context: Context) -> letter_types.Openings:
    site, rows = context.site, contents.rows
    games = tuple(dict.fromkeys(GAMES[game].title for _, _, game, *_ in rows))
    stop_link = to_stop(site, context.reader.id, NOTICES)
    return letter_types.Openings(games, _numbered(context, rows), f"{site.settings.public_url}/wishes", stop_link)


def _numbered(context: Context, rows: Sequence[company_letters.Opening]) -> tuple[Opening, ...]:
    """Openings, each with the reply that accepts it."""
    openings, url = [], context.site.settings.public_url
    ids = [of for what, of, *_ in rows if what == "event"]
    kinds = {event.id: event.kind for event in context.session.scalars(select(Event).where(Event.id.in_(ids)))}
    for number, (what, of, game, clock, rated, who) in enumerate(rows, start=1):
        titles = {"seat": f"{GAMES[game].title} {of}", "wish": GAMES[game].title, "event": who}
        path = {"seat": f"/match/{of}", "wish": "", "event": f"/events/{of}"}[what]
        link = f"{url}{path}" if path else ""
        word = "join" if what == "event" else "accept"
        accept = word if len(rows) == 1 else f"{word} {number}"
        event = kinds[of] if what == "event" else ""
        openings.append(Opening(titles[what], who, _terms(clock), rated, link, accept, event, GAMES[game].title))
    return tuple(openings)


@view.register
def _gazette(contents: letter_kinds.Gazette, context: Context) -> letter_types.Gazette:
    site = context.site
    issue = gazette.issue(context.session, contents.issue)
    assert issue is not None, "An issue that was owed is never deleted."
    stock, number = lessons.weekly(issue.number)
    step, finished, url = stock.steps[number - 1], issue.finished, site.settings.public_url
    problem = lessons.draft(stock.game, step, "").scene
    return letter_types.Gazette(
        number=issue.number,
        openings=_numbered(context, issue.openings),
        finished=finished,
        board=text(finished.scene) if finished else "",
        match_picture=context.album.show(finished.scene) if finished else "",
        match_link=f"{url}/match/{finished.id}" if finished else "",
        newcomers=issue.newcomers,
        game=stock.title,
        task=step.task,
        problem_board=text(problem),
        problem_picture=context.album.show(problem),
        link=f"{url}/gazette/{issue.number}",
        stop_link=to_stop(site, context.reader.id, GAZETTE),
    )


def _terms(clock: str) -> str:
    said = templates().text.get_template("sentences/clock.txt").module
    return str(said.given(Control.parse(clock).system)).strip()  # type: ignore[attr-defined]


def _answered(context: Context, mail: write.Mail, purpose: Purpose, number: int, about: Stoppable) -> write.Mail:
    """A letter that lists openings, with the address for replies and the one that ends such letters."""
    reader = context.reader.id
    back = ReplyAddress(reader, round=number, purpose=purpose)
    stop = to_stop_at_once(context.site, reader, about)
    return replace(mail, reply_to=context.site.reply_address(back), unsubscribe=stop)


@view.register
def _club_notice(contents: letter_kinds.ClubNotice, context: Context) -> letter_types.ClubNotice:
    titles = tuple(GAMES[game].title for game in contents.games)
    link = f"{context.site.settings.public_url}/match/{contents.about}"
    return letter_types.ClubNotice(
        what=contents.what,
        games=titles,
        title=f"{titles[0]} {contents.about}",
        who=contents.who,
        terms=_terms(contents.clock) if contents.clock else "",
        winners=contents.winners,
        losers=contents.losers,
        link=link if contents.about else f"{context.site.settings.public_url}/wishes",
    )
