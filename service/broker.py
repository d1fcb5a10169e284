"""Where work is queued and where requests and letters are counted, in the notations of those who do that."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from service.addresses import SENTINELS
from service.config import Settings

COUNT_WITHIN = {"socket_timeout": 0.25, "socket_connect_timeout": 0.25}
"""Seconds to count something."""


def queue_url(settings: Settings) -> str:
    """The queue, for Celery."""
    if settings.amqp_url:
        return settings.amqp_url
    if found := SENTINELS.fullmatch(settings.redis_url):
        login, hosts, _ = found.groups("")
        return ";".join(f"sentinel://{login}{host}/0" for host in hosts.split(","))
    return settings.redis_url or f"redis+socket://{settings.valkey_socket}?virtual_host=0"


def watched_name(settings: Settings) -> str:
    """By what name Sentinels know the Redis of the queue; "" if none are asked."""
    found = None if settings.amqp_url else SENTINELS.fullmatch(settings.redis_url)
    return found[3] if found else ""


def counter(settings: Settings) -> tuple[str, dict[str, Any]]:
    """The Redis that counts, for the package `limits`: its URL and options."""
    url = settings.redis_url or f"redis+unix://{settings.valkey_socket}"
    if urlsplit(url).scheme == "memory":
        return url, {}
    if not SENTINELS.fullmatch(url):
        return url, {**COUNT_WITHIN}
    # The password in the URL is that of Redis; Sentinels have none.
    asked = COUNT_WITHIN | {"username": None, "password": None}
    return url, COUNT_WITHIN | {"use_replicas": False, "sentinel_kwargs": asked}
