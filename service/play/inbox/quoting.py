"""Composes again the letters that an email may quote, so that the quotes can be removed from its text."""

from __future__ import annotations

import logging
import re
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.exc import NoResultFound, SQLAlchemyError
from sqlalchemy.orm import Session

from service.mail import reply_address
from service.mail.html import html_text
from service.mail.parsing import echo
from service.mail.parsing.echo import Ours
from service.mail.parsing.read import Inbound, read
from service.play import links
from service.play.outbox import compose
from service.play.site import Site
from service.store.models import Player
from service.store.tables.mail_rows import Letter

log = logging.getLogger(__name__)

LATEST = 300
"""How many of a player's latest letters about a match, or about none, are searched for those being answered."""

MOST = 3
"""How many letters one email is compared with."""

_THREAD = re.compile(r"<match-(\d{1,9})@")


def read_reply(site: Site, session: Session, raw: bytes, recipient: str) -> Inbound:
    """An email without any text that we wrote, however its program marks quotes. The letters that it answers are those
    named in its headers, or else the latest about the match, or about none."""
    return without_ours(site, session, raw, read(raw), recipient)


def without_ours(site: Site, session: Session, raw: bytes, inbound: Inbound, recipient: str) -> Inbound:
    """`read_reply` for an email already parsed as `inbound`."""
    if len(inbound.text) < echo.PROOF or inbound.is_automatic:
        return inbound  # Too little for a quotation that was not recognised.
    return read(raw, _ours(site, session, inbound, recipient))


def _ours(site: Site, session: Session, inbound: Inbound, recipient: str) -> Ours:
    meant = reply_address.read(site.settings.secret, recipient)
    by_sender = select(Player).where(Player.email == inbound.sender)
    player = session.get(Player, meant.player) if meant else session.scalars(by_sender).first()
    if player is None:
        return echo.NOTHING
    threads = [int(found[1]) for known in inbound.references if (found := _THREAD.match(known))]
    match_id = meant.match if meant else next(iter(threads), 0)
    said = [_said(site, session, letter) for letter in _answered(site, session, inbound, player.id, match_id)]
    texts = [text for letter, _ in said for text in letter]
    given_back = [words for _, own in said for words in own]
    desk = site.settings.desk
    return echo.known(texts, (player.email or "", inbound.sender, desk, f"@{site.settings.mail_domain}"), given_back)


def _answered(site: Site, session: Session, inbound: Inbound, player_id: int, match_id: int) -> list[Letter]:
    about = _latest(session, player_id, match_id or None)
    others = _latest(session, player_id, None) if match_id else []
    named = {*inbound.references}
    found = [number for number, key, made in (*about, *others) if links.message_id(site, key, made) in named]
    numbers = found[:MOST] or [number for number, *_ in about[:MOST]]
    return list(session.scalars(select(Letter).where(Letter.id.in_(numbers))).all())


def _latest(session: Session, player_id: int, match_id: int | None) -> list[tuple[int, str, datetime]]:
    """The player's letters about the match, or about none: the number, key and time of each, the latest first."""
    about = Letter.match_id.is_(None) if match_id is None else Letter.match_id == match_id
    found = select(Letter.id, Letter.key, Letter.created).where(Letter.player_id == player_id, about)
    latest = session.execute(found.order_by(Letter.id.desc()).limit(LATEST))
    return [(number, key, created) for number, key, created in latest]


def _said(site: Site, session: Session, letter: Letter) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What a letter says, as a program quotes it from its text part and from its HTML part; and its reader's own words
    in it."""
    try:
        put, given_back = compose.said(site, session, letter)
    except NoResultFound:
        return (), ()  # What it is about was deleted when its match was packed.
    except SQLAlchemyError:
        raise
    except Exception:
        # A letter that can't be composed again must not block anybody's move.
        log.exception("letter %s cannot be written again", letter.id)
        return (), ()
    return (put.subject, put.text, html_text.read(put.html)), given_back
