"""Planted bugs, such as we could make. `python -m tests.chaos.planted NAME[,NAME…] run` runs the service with them."""

from __future__ import annotations

import sys
from contextlib import suppress
from itertools import count
from typing import Any

from service.cli import main
from service.play.inbox import receive
from service.play.operations import sweep
from service.play.outbox import smtp_client


def marks_letters_sent_too_early() -> None:
    """Letters that the relay refuses are lost."""
    send = smtp_client.send

    def noting_first(*letter: Any) -> None:
        with suppress(OSError):  # As if a process had died between marking the letter and sending it.
            send(*letter)

    vars(smtp_client)["send"] = noting_first


def takes_copies_as_orders() -> None:
    """A copy of an email is a new order."""
    numbers = count()
    vars(receive)["_key"] = lambda *_: f"mail:{next(numbers)}"


def judges_only_queued_orders() -> None:
    """Orders that the queue loses are never judged."""
    del sweep._WAITING["judge"]


BUGS = {bug.__name__: bug for bug in (marks_letters_sent_too_early, takes_copies_as_orders, judges_only_queued_orders)}

if __name__ == "__main__":
    for name in sys.argv[1].split(","):
        BUGS[name]()
    sys.exit(main(sys.argv[2:]))
