"""What `stonepost run` imports before it forks the processes of the Procfile, so that they don't have to."""

from __future__ import annotations

import logging

import celery.apps.beat
import celery.apps.worker
import celery.bin.beat
import celery.bin.worker
import celery.concurrency.prefork
import gunicorn.app.wsgiapp
import gunicorn.workers.gthread
import kombu.transport.redis

import service.app
import service.inbound.imap
import service.inbound.smtp
import worker.tasks

__all__ = ["celery", "gunicorn", "kombu", "service"]

log = logging.getLogger(__name__)


def get_ready() -> None:
    """Rehearses the first move of each game for all processes. If that fails, they are only slower at first."""
    try:
        worker.tasks.warm_up()
    except Exception:
        log.exception("could not rehearse the first moves")
