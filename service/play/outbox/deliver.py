"""Sending what is owed: claim, commit, send, mark."""

from __future__ import annotations

import logging
import smtplib
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from threading import Lock, Thread
from typing import NamedTuple

from sqlalchemy import bindparam, update
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from service.mail import reply_address
from service.mail.letters import hooks
from service.mail.reply_address import Purpose, ReplyAddress
from service.play import holders, hook_client, letter_kinds, links
from service.play.letter_contents import UnreadableLetter
from service.play.letter_kinds import ClubNotice, Receipt
from service.play.match.judge import judge_oldest, judging
from service.play.notify import club, preferences
from service.play.notify.bounces import comes_back
from service.play.outbox import compose, dev_mailbox, relay, smtp_client
from service.play.site import Site, Transaction
from service.store.models import Match, Player, Submission
from service.store.rows import Row
from service.store.session import FAILURES
from service.store.tables.mail_rows import Letter
from service.store.tables.pulse import RELAY, note_failing, note_recovered

log = logging.getLogger(__name__)

LEASE = 1
"""How many sweeps after the start of an attempt the next one can start, unless the first is still going. Doubles each
time."""

NOTED_AGAIN = (0.1, *(0.5,) * 20)
"""Seconds between tries to record that a letter was sent, while the database is down. They're short, because once it is
back the sweep may hand out the letter again."""

ATTEMPTS = 15
"""A letter is given up after this many attempts, which take about three days."""


def deliver(site: Site, letter_id: int) -> None:
    """Sends a letter that is due, unless another process is sending it. After a failure it is due again later."""
    with site.transaction() as tx:
        letter = tx.session.get(Letter, letter_id, with_for_update=True)
        # Read before the claim, which asks for it too, and kept for what the letter says.
        match_id = None if letter is None else letter.match_id
        known = [] if match_id is None else [tx.session.get_one(Match, match_id)]
        is_claimed = letter is not None and claim(tx, letter)
    if letter is not None and is_claimed:
        send(site, [letter], *known)


def send(site: Site, letters: Sequence[Letter], *known: Row) -> None:
    """Sends claimed letters after the claim is committed; `known` rows, as committed, aren't read again. All are
    composed before the first is sent, and recorded together after the last, which takes half as long as one by one."""
    for letter in letters:
        if hook := compose.hook(site.settings, letter):
            _call(site, letter, hook)
    emails = [letter for letter in letters if not compose.hook(site.settings, letter)]
    if not emails:
        return
    with site.store.reading() as session:
        # If a line is open, there's no need to ask whether one can be opened.
        is_away = bool(site.settings.smtp_url) and not smtp_client.is_open() and relay.is_away(session)
        session.add_all((*emails, *known))
        written = [] if is_away else [_written(site, session, letter) for letter in emails]
    ready = [one for one in written if one.error is None]
    if is_away:
        relay.knock(site)
        _wait_in_line(site, emails, site.settings.sweep_seconds)
    elif site.settings.smtp_url:
        _hand_over(site, ready)
    else:
        _post(site, ready)
    for one in written:
        if one.error is not None:
            _not_written(site, one.letter, one.error)


class _Written(NamedTuple):
    """A composed letter, or why it couldn't be composed."""

    letter: Letter
    recipient: str = ""
    raw: bytes = b""
    error: Exception | None = None


def _written(site: Site, session: Session, letter: Letter) -> _Written:
    """Composes a letter, if its recipient's domain may get one now."""
    try:
        recipient = compose.recipient(site, session, letter)
        if not site.settings.smtp_url:
            return _Written(letter, recipient, compose.compose(site, session, letter))
        smtp_client.take_turn(site.settings, recipient)
        raw = compose.compose(site, session, letter)
        return _Written(letter, recipient, smtp_client.signed(site.settings, raw, letter.created))
    except SQLAlchemyError:
        raise
    except Exception as error:
        return _Written(letter, error=error)


def _not_written(site: Site, letter: Letter, error: Exception) -> None:
    """Puts off a letter that can't be composed, so that it doesn't keep others from being judged and sent."""
    if isinstance(error, smtp_client.Busy):
        _wait_in_line(site, [letter], error.seconds)
        return
    log.error("letter %s cannot be written", letter.id, exc_info=error)
    _put_off(site, letter.id, error, "")


def _hand_over(site: Site, letters: Sequence[_Written]) -> None:
    """Sends letters to the mail server, and records those it accepted. If it stops accepting them, the others wait."""
    taken, pause, works = list[int](), site.settings.sweep_seconds, RELAY
    with _renewed(site, *(one.letter.id for one in letters)):
        try:
            for number, (letter, recipient, raw, _) in enumerate(letters):
                try:
                    smtp_client.send(site.settings, _return_path(site, letter, recipient), recipient, raw)
                    taken.append(letter.id)
                    site.note_letter(letter, "sent")
                except smtp_client.Away as away:
                    works = ""  # The letters it took before don't show that it works now.
                    _wait_in_line(site, [one.letter for one in letters[number:]], pause, away)
                    log.warning("no email can leave (%s: %s)", away.kind, away)
                    relay.knock(site)
                    break
                except (OSError, smtp_client.Refused, smtplib.SMTPException) as error:
                    _put_off(site, letter.id, error, recipient)
                    if _is_relays(error):
                        works = ""
                        _wait_in_line(site, [one.letter for one in letters[number + 1 :]], pause)
                        break
        finally:
            if taken:
                _note_sent(site, taken, works)


def _post(site: Site, letters: Sequence[_Written]) -> None:
    """Posts letters to the local post office."""
    with site.transaction() as tx:
        for letter, recipient, raw, _ in letters:
            dev_mailbox.post(tx, links.message_id(site, letter.key, letter.created), recipient, raw)
            tx.session.connection().execute(_SENT, {"letter": letter.id, "now": tx.now})
    for one in letters:
        site.note_letter(one.letter, "sent")


def _call(site: Site, letter: Letter, hook: str) -> None:
    """Sends a letter to a hook instead of by email; failures are retried in the same way."""
    try:
        with site.store.reading() as session:
            words, _ = compose.said(site, session, letter)
        with _renewed(site, letter.id):
            hook_client.post(site.settings, hooks.request(hook, links.name(site, letter), words.text))
            site.note_letter(letter, "sent")
            _note_sent(site, [letter.id])
    except SQLAlchemyError:
        raise
    except hook_client.HookFailed as error:
        _put_off(site, letter.id, smtp_client.Refused(str(error), dead=False) if error.for_good else error, "")
    except Exception as error:
        log.exception("letter %s cannot be written", letter.id)
        _put_off(site, letter.id, RuntimeError(type(error).__name__), "")


def _note_sent(site: Site, letter_ids: Sequence[int], part: str = "") -> None:
    """Records that letters were accepted, and that the service that accepted them works. Unrecorded letters would be
    sent twice, so recording is retried through an outage of a few seconds."""
    for patience in (*NOTED_AGAIN, None):
        try:
            with site.transaction() as tx:
                sent = [{"letter": letter_id, "now": tx.now} for letter_id in letter_ids]
                tx.session.connection().execute(_SENT, sent)
                if part:
                    note_recovered(tx.session, part, tx.now)
        except FAILURES:
            if patience is None:
                raise
            time.sleep(patience)
        else:
            return


_SENT = update(Letter).where(Letter.id == bindparam("letter")).values(sent=bindparam("now"), error="")


def judge_and_send(site: Site, match_id: int) -> None:
    """Judges what waits in a match, and sends the first letter of each judgement, with its receipts. They are claimed
    in the transaction that owes them, which saves transactions and trips through the queue. If this process dies before
    they are sent, they are due again when their leases end."""
    more = True
    while more:
        with judging(site, match_id) as (tx, match):
            more = judge_oldest(tx, match)
            owed = [letter for number, letter in enumerate(tx.letters) if number == 0 or letter.kind == Receipt.kind]
            claimed = [letter for letter in owed if _claim(tx, letter)]
            known = [match, *(row for row in tx.session.identity_map.values() if isinstance(row, Submission))]
        send(site, claimed, *known)


def _claim(tx: Transaction, letter: Letter) -> bool:
    """Claims a letter that this transaction owes, so that no other task delivers it."""
    tx.drop_nudge("deliver", letter.id)
    return claim(tx, letter)


def claim(tx: Transaction, letter: Letter) -> bool:
    """Claims a locked letter for this attempt by postponing its due time, which is both the lease and the delay after a
    failure. The lease also ends when this process dies and another notices."""
    now, settings = tx.now, tx.site.settings
    if letter.sent is not None or letter.due is None or letter.due > now:
        return False
    if not is_readable(letter):
        return False
    if letter.kind == ClubNotice.kind and club.is_past(tx, letter):
        letter.due = None
        return False
    wanted = preferences.wanted(tx, letter, settings.letters_per_day)
    if isinstance(wanted, str):
        letter.due, letter.held, letter.error = None, True, ""
        if wanted == "limited":
            preferences.tell_of_limit(tx, letter)
        return False
    if wanted is None or wanted > now:
        letter.due = wanted
        letter.error = letter.error if wanted else ""  # A letter that nobody wants isn't listed as failed.
        return False
    if why := preferences.forbidden(tx, letter, settings.answers_per_day):
        letter.due, letter.error = None, why
        return False
    if letter.attempts >= ATTEMPTS:
        letter.due, letter.error = None, letter.error or "no attempt came to an end"
        return False
    letter.attempts += 1
    letter.due = now + _lease(tx.site) * 2 ** (letter.attempts - 1)
    letter.holder = holders.this_process()
    return True


def is_readable(letter: Letter) -> bool:
    """Whether a letter can be read. If it can't, it is held back among the failed letters, with one line in the log."""
    try:
        letter_kinds.read(letter)
    except UnreadableLetter as error:
        letter.due, letter.held, letter.error = None, False, str(error)
        log.error("letter %s is held back: %s", letter.id, error)
        return False
    return True


def _lease(site: Site) -> timedelta:
    return timedelta(seconds=LEASE * site.settings.sweep_seconds)


@contextmanager
def _renewed(site: Site, *letters: int) -> Iterator[None]:
    """Renews the leases of letters while the mail server is busy with them, so that only a dead process loses them."""
    with _leases:
        _held.setdefault(site, set()).update(letters)
        # The thread of the process that this one was forked from isn't alive here.
        if letters and not ((renewing := _renewing.get(site)) and renewing.is_alive()):
            renewing = _renewing[site] = Thread(target=_renew, args=(site,), name="leases", daemon=True)
            renewing.start()
    try:
        yield
    finally:
        with _leases:
            _held.get(site, set()).difference_update(letters)


_leases = Lock()
_held: dict[Site, set[int]] = {}
_renewing: dict[Site, Thread] = {}
"""One thread renews what a process holds, because to start one for each letter took as long as to sign it. It ends when
it finds nothing to renew."""


def _renew(site: Site) -> None:
    while True:
        time.sleep(_lease(site).total_seconds() / 4)
        with _leases:
            if not (letters := [*_held[site]]):
                del _renewing[site], _held[site]
                return
        until = site.now() + _lease(site)
        running_out = update(Letter).where(Letter.id.in_(letters), Letter.due < until)
        try:
            with site.transaction() as tx:
                tx.session.execute(running_out.values(due=until))
        except SQLAlchemyError as error:
            log.warning("the leases of letters %s could not be renewed (%s)", letters, type(error).__name__)


def _put_off(site: Site, letter_id: int, error: Exception, recipient: str) -> None:
    """Records why an attempt failed. The last attempt and a permanent refusal end the attempts; a refusal may also mean
    that the address is dead."""
    with site.transaction() as tx:
        letter = tx.session.get(Letter, letter_id)
        if letter is None:
            return  # Its reader has deleted the account meanwhile.
        letter.error = f"{type(error).__name__}: {error}"[:500] if not recipient else str(error)[:500]
        letter.holder = ""
        if isinstance(error, smtp_client.Refused) or letter.attempts >= ATTEMPTS:
            letter.due = None
        if _is_relays(error):
            note_failing(tx.session, RELAY, tx.now, type(error).__name__)
        if isinstance(error, smtp_client.Refused) and error.dead:
            player = tx.session.get_one(Player, letter.player_id)
            if player.email == recipient:
                comes_back(tx, player)
        given_up = letter.due is None
        site.note_letter(letter, "given-up" if given_up else "put-off")
    log.warning("letter %s not sent (%s)%s", letter_id, type(error).__name__, ", given up" if given_up else "")


def _is_relays(error: Exception) -> bool:
    """Whether the mail server accepts no letters at all for now, rather than refusing this one or its recipient."""
    about_one = (smtp_client.Refused, smtplib.SMTPRecipientsRefused)
    if isinstance(error, smtplib.SMTPDataError):
        # A filter that is down refuses all contents, also with 4.7.1. These are about the address (RFC 3463, 3.2, 3.3).
        return error.smtp_error[:4] not in (b"4.1.", "4.1.", b"4.2.", "4.2.")
    return isinstance(error, OSError) and not isinstance(error, about_one)  # smtplib's errors are OSErrors.


def _wait_in_line(site: Site, letters: Sequence[Letter], seconds: float, away: smtp_client.Away | None = None) -> None:
    """Postpones a letter without counting a failed attempt: the domain's limit is reached, or the mail server is
    down."""
    with site.transaction() as tx:
        if away is not None:
            relay.note_away(tx, away)
        waits = {"attempts": Letter.attempts - 1, "due": tx.now + timedelta(seconds=seconds), "holder": ""}
        waiting = Letter.id.in_([letter.id for letter in letters])
        tx.session.execute(update(Letter).where(waiting, Letter.due.is_not(None)).values(waits))


def _return_path(site: Site, letter: Letter, recipient: str) -> str:
    """The return path of this letter: an address that identifies its reader and their address (VERP)."""
    back = ReplyAddress(letter.player_id, letter.match_id or 0, reply_address.mark(recipient), purpose=Purpose.BOUNCE)
    return site.reply_address(back)
