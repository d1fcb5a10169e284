"""The mail process: `python -m worker.mail`."""

from __future__ import annotations

import logging
import sys
from functools import partial

from service.api.smtp import Door, DoorError, serve
from service.play.receive import receive, why_unknown
from worker.app import open_house

log = logging.getLogger(__name__)


def main() -> int:
    """Keeps the SMTP and LMTP doors open until told to stop; 1 when they cannot be opened."""
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
    house = open_house()
    settings = house.settings
    door = Door(
        receive=partial(receive, house),
        refuse=partial(why_unknown, house),
        domain=settings.mail_domain,
        host=settings.mail_host,
        smtp_port=settings.smtp_port,
        lmtp_port=settings.lmtp_port,
    )
    try:
        serve(door, lambda ports: log.info("mail doors open: %s", ports))
    except DoorError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
