"""Ends a worker at once where it can't go on, so that it is started again."""

from __future__ import annotations

import logging
import os

from celery.apps import worker
from celery.platforms import EX_FAILURE


class Worker(worker.Worker):  # type: ignore[misc] # Celery isn't typed.
    """Where Celery's own worker can't go on, it waits for the processes that run its tasks, whose messages it no longer
    reads. One that lost its broker halfway through a long message waited forever, and nobody looked after its queues.
    """

    def stop(self, in_sighandler: bool = False, exitcode: int | None = None) -> None:
        """Stops; with an exit code that means a failure, as if killed: tasks are run again, as they may always be."""
        if exitcode == EX_FAILURE:
            logging.shutdown()
            os._exit(EX_FAILURE)
        super().stop(in_sighandler, exitcode)
