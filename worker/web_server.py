"""Gunicorn's settings that follow from ours: where it listens."""

from worker.app import settings

bind = f"{settings.web_host}:{settings.web_port}"
