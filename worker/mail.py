"""The mail process: `python -m worker.mail`. It accepts mail by SMTP and LMTP, and fetches it if IMAP_URL is set."""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from sqlalchemy.exc import SQLAlchemyError

from service.inbound.imap import Account, MailboxDoor
from service.inbound.smtp import Door, DoorError, probe, serve
from service.play.inbox.receive import receive, receive_unaddressed, why_unknown
from service.play.site import Site
from service.store.tables.pulse import DOOR, note_failing, note_working
from worker.app import have_looked_around, open_site
from worker.garbage import settle
from worker.logs import write_lines

log = logging.getLogger(__name__)

LAST_WORDS = 5.0
"""Seconds at shutdown to finish the message being fetched. An interrupted one is fetched again after the restart."""


def main() -> int:
    """Listens for SMTP and LMTP until a signal stops it. Returns 1 if it can't listen."""
    write_lines("mail")
    site = open_site()
    settings = site.settings
    door = Door(
        receive=partial(receive, site),
        refuse=partial(why_unknown, site),
        domain=settings.mail_domain,
        host=settings.mail_host,
        smtp_port=settings.smtp_port,
        lmtp_port=settings.lmtp_port,
    )
    settle()
    try:
        with _fetching(site), _watching(site) as watch:
            serve(door, watch)
    except DoorError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


@contextmanager
def _fetching(site: Site) -> Iterator[None]:
    """Fetches mail from the mailbox in a thread, if there is one, until the block ends."""
    settings = site.settings
    if not settings.imap_url:
        yield
        return
    take_in = partial(receive_unaddressed, site, door="imap")
    mailbox = MailboxDoor(account=Account.from_url(settings.imap_url), receive=take_in, rest=settings.sweep_seconds)
    fetching = threading.Thread(target=mailbox.tend, name="mailbox", daemon=True)
    fetching.start()
    try:
        yield
    finally:
        mailbox.stop()
        fetching.join(LAST_WORDS)


@contextmanager
def _watching(site: Site) -> Iterator[Callable[[dict[str, int]], None]]:
    """Yields a function that takes the open ports, logs them, and then notes at every sweep interval whether they
    answer, until the block ends."""
    over = threading.Event()

    def watch(ports: dict[str, int]) -> None:
        log.info("listening for mail: %s", ports)
        have_looked_around()  # The last mail process may have died between storing an order and queueing it.
        threading.Thread(target=_watch, args=(site, ports, over), name="watch", daemon=True).start()

    yield watch
    over.set()


def _watch(site: Site, ports: dict[str, int], over: threading.Event) -> None:
    while True:
        try:
            with site.transaction() as tx:
                if error := probe(site.settings.mail_host, ports):
                    note_failing(tx.session, DOOR, tx.now, error)
                else:
                    note_working(tx.session, DOOR, tx.now)
        except SQLAlchemyError as error:
            log.warning("could not note whether the mail process works (%s)", type(error).__name__)
        if over.wait(site.settings.sweep_seconds):
            return


if __name__ == "__main__":
    sys.exit(main())
