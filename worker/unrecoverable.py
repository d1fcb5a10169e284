"""Ends a worker immediately when it can't go on, so that it is restarted."""

from __future__ import annotations

import logging
import os

from celery.apps import worker
from celery.platforms import EX_FAILURE


class Worker(worker.Worker):  # type: ignore[misc] # Celery isn't typed.
    """Celery's own worker, when it can't go on, waits for the processes that run its tasks but no longer reads their
    messages. One that lost its broker halfway through a long message waited forever, and its queues went unserved.
    """

    def stop(self, in_sighandler: bool = False, exitcode: int | None = None) -> None:
        """Stops. With the exit code of a failure, it ends as if killed: its tasks run again, which is always
        allowed."""
        if exitcode == EX_FAILURE:
            logging.shutdown()
            os._exit(EX_FAILURE)
        super().stop(in_sighandler, exitcode)
