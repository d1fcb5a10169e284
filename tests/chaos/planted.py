"""Mistakes such as we could make. `python -m tests.chaos.planted NAME[,NAME…] run` runs the service with them."""

from __future__ import annotations

import sys
from contextlib import suppress
from itertools import count
from typing import Any

from service.cli import main
from service.play.inbox import receive
from service.play.operations import sweep
from service.play.outbox import smtp_client


def marks_letters_sent_before_they_are() -> None:
    """What the relay doesn't take is lost."""
    send = smtp_client.send

    def noting_first(*letter: Any) -> None:
        with suppress(OSError):  # As if a process had died after it noted the letter and before it sent it.
            send(*letter)

    vars(smtp_client)["send"] = noting_first


def knows_no_copies() -> None:
    """A copy of an email is a new order."""
    numbers = count()
    vars(receive)["_key"] = lambda *_: f"mail:{next(numbers)}"


def judges_only_when_nudged() -> None:
    """What the queue forgets is never judged."""
    del sweep._WAITING["judge"]


BUGS = {bug.__name__: bug for bug in (marks_letters_sent_before_they_are, knows_no_copies, judges_only_when_nudged)}

if __name__ == "__main__":
    for name in sys.argv[1].split(","):
        BUGS[name]()
    sys.exit(main(sys.argv[2:]))
