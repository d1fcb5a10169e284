"""Where work is queued and where requests and letters are counted, as URLs for Celery and for `limits`."""

from __future__ import annotations

import ssl
from typing import Any
from urllib.parse import unquote, urlsplit

from service.addresses import SENTINELS
from service.config import Settings

COUNT_WITHIN = {"socket_timeout": 0.25, "socket_connect_timeout": 0.25}
"""Timeouts in seconds for counting something."""


def queue_url(settings: Settings) -> str:
    """The queue's URL for Celery."""
    if settings.amqp_url:
        return settings.amqp_url
    if found := SENTINELS.fullmatch(settings.redis_url):
        login, hosts, _ = found.groups("")
        return ";".join(f"sentinel://{login}{host}/0" for host in hosts.split(","))
    return settings.redis_url or f"redis+socket://{settings.valkey_socket}?virtual_host=0"


def proof(settings: Settings) -> dict[str, Any]:
    """What Celery asks of the queue's server if the connection is encrypted: a certificate for the name in the URL. By
    default it trusts any certificate of a Redis server, and RabbitMQ's for any name."""
    of: dict[str, dict[str, Any]]
    of = {"rediss": {"ssl_cert_reqs": ssl.CERT_REQUIRED}, "amqps": {"server_hostname": None}}
    return of.get(urlsplit(queue_url(settings)).scheme, {})


def watched_name(settings: Settings) -> str:
    """The name by which Sentinels know the queue's Redis server; "" without Sentinels."""
    found = None if settings.amqp_url else SENTINELS.fullmatch(settings.redis_url)
    return found[3] if found else ""


def counter(settings: Settings) -> tuple[str, dict[str, Any]]:
    """The Redis that counts, for the package `limits`: its URL and options."""
    url = settings.redis_url or f"redis+unix://{settings.valkey_socket}"
    if urlsplit(url).scheme == "memory":
        return url, {}
    if not SENTINELS.fullmatch(url):
        return url, {**COUNT_WITHIN}
    # The password in the URL is the Redis server's; Sentinels have none.
    asked = COUNT_WITHIN | {"username": None, "password": None}
    login = {name: unquote(getattr(urlsplit(url), name) or "") or None for name in ("username", "password")}
    return url, COUNT_WITHIN | login | {"use_replicas": False, "sentinel_kwargs": asked}
