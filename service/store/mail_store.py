"""Where the text of incoming mail goes after a while, out of the database: a directory, or an S3-compatible bucket.

An email goes into the database and is acknowledged, even if nothing else works. It is moved later, always under the
same name, so that moving it again after a crash changes nothing.
"""

from __future__ import annotations

import os
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from sqlalchemy import Row

from service.config import Settings
from service.store.tables.mail_rows import IncomingMail

PATIENCE = timedelta(seconds=5)
"""The timeout of a request to a bucket, which is retried once."""


_HALVES = "being-written"
"""The folder of texts that aren't written to the end, which has few files however many are stored."""


class MailStoreError(OSError):
    """The text can't be written or read just now. The message is one line."""


def write(url: str, name: str, raw: bytes) -> None:
    """Stores a text durably, so that it survives a power failure; raises MailStoreError."""
    if place := _directory(url):
        _write_file(place, name, raw)
        return
    _ask(url, "put", name, raw)


def text(url: str, name: str) -> bytes:
    """The text that was stored; raises MailStoreError."""
    if place := _directory(url):
        try:
            return (place / name).read_bytes()
        except OSError as error:
            raise MailStoreError(f"{name} can't be read ({error.strerror})") from error
    return bytes(_ask(url, "get", name).bytes())


def text_of(settings: Settings, mail: IncomingMail | Row[*tuple[Any, ...]]) -> bytes:
    """The original text of an incoming mail, given as its row or these columns of it, wherever it is stored; b"" once
    it was deleted. Raises MailStoreError."""
    return text(settings.mail_store, mail.place) if mail.kept and mail.place else mail.raw


def drop(url: str, name: str) -> None:
    """Deletes a text, if it exists; raises MailStoreError if that fails."""
    if place := _directory(url):
        try:
            (place / name).unlink(missing_ok=True)
            # A process that was killed while it wrote the text has left a part of it.
            for half in (place / _HALVES).glob(f"{Path(name).stem}.*"):
                half.unlink(missing_ok=True)
        except OSError as error:
            raise MailStoreError(f"{name} can't be deleted ({error.strerror})") from error
        return
    _ask(url, "delete", name)


def _directory(url: str) -> Path | None:
    parts = urlsplit(url)
    return Path(unquote(parts.path)) if parts.scheme == "file" else None


def _write_file(place: Path, name: str, raw: bytes) -> None:
    path = place / name
    half = place / _HALVES / f"{path.stem}.{os.getpid()}"
    try:
        for folder in (path.parent, half.parent):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with half.open("wb") as file:
            file.write(raw)
            file.flush()
            os.fsync(file.fileno())
        half.replace(path)
        opened = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)
    except OSError as error:
        raise MailStoreError(f"{path.name} can't be written ({error.strerror})") from error


def _ask(url: str, method: str, *given: Any) -> Any:
    import obstore

    try:
        return getattr(obstore, method)(_bucket(url, os.getpid()), *given)
    except Exception as error:  # Not all errors of this package share a base class.
        if method == "delete" and isinstance(error, FileNotFoundError):
            return None
        raise MailStoreError(f"{type(error).__name__}: {str(error).splitlines()[0]}"[:300]) from error


@cache
def _bucket(url: str, _process: int) -> Any:
    """The bucket, opened in each process: its threads don't survive a fork. Keys and region are in `AWS_…`."""
    from obstore.store import S3Store

    parts = urlsplit(url)
    is_plain = os.environ.get("AWS_ENDPOINT_URL", "").startswith("http://")
    return S3Store(
        parts.netloc,
        prefix=parts.path.strip("/") or None,
        client_options={"timeout": PATIENCE, "connect_timeout": PATIENCE / 2, "allow_http": is_plain},
        retry_config={"max_retries": 1, "retry_timeout": PATIENCE},
    )
