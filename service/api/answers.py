"""Answers as JSON, each a whole line, so that a terminal's next prompt begins on its own."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct
from werkzeug.wrappers import Response

JSON = "application/json"


def as_json(found: Struct | dict[str, Any], status: int = 200, media_type: str = JSON) -> Response:
    """An answer that says this."""
    return Response(msgspec.json.encode(found) + b"\n", status=status, mimetype=media_type)
