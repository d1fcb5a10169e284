"""The Celery application: one queue, no results, tasks that carry ids only."""

from __future__ import annotations

import logging
import os
import warnings

from celery import Celery
from celery.platforms import SecurityWarning
from kombu.exceptions import OperationalError

from service.config import Settings
from service.play.site import Site, Task
from service.store.session import Store
from worker.logs import keep_private

log = logging.getLogger(__name__)

# Who runs the service is the operator's choice, and root inside a container a common one.
warnings.filterwarnings("ignore", category=SecurityWarning)

os.umask(0o077)  # Only the user who runs this reads the files it makes.
settings = Settings.from_environment()
keep_private(settings)
app = Celery("stonepost", broker=settings.broker_url, include=["worker.tasks"])
app.conf.update(
    accept_content=["json"],
    task_serializer="json",
    task_ignore_result=True,
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    worker_prefetch_multiplier=1,
    broker_connection_retry_on_startup=True,
    worker_hijack_root_logger=False,
    # Redelivery soon after a worker was killed, and no publisher that waits for a hung broker for ever.
    broker_transport_options={
        "visibility_timeout": 60,
        "unacked_restore_interval": 5,
        "unacked_restore_throttle": 1,
        "socket_timeout": 5,
        "socket_connect_timeout": 3,
    },
    # A sweep nobody had time for is not worth making up for: the next one sees all that it would have seen.
    beat_schedule={
        "sweep": {
            "task": "worker.tasks.sweep",
            "schedule": settings.sweep_seconds,
            "options": {"expires": settings.sweep_seconds},
        }
    },
    beat_schedule_filename=str(settings.data / "beat"),
)


def nudge(task: Task, subject: int) -> None:
    """Puts a task on the queue. Losing it costs a sweep, so a failure is one line in the log."""
    try:
        app.send_task(f"worker.tasks.{task}", (subject,), retry=False)
    except (OperationalError, OSError) as error:
        log.warning("the queue did not take %s %s (%s); the sweep will", task, subject, type(error).__name__)


def open_site() -> Site:
    """The house this process works in, with its nudges going through the queue."""
    return Site(settings, Store(settings.database_url), nudge)
