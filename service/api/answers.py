"""JSON responses. Each ends with a newline, so that a terminal's next prompt starts on its own line."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct
from werkzeug.wrappers import Response

JSON = "application/json"


def as_json(found: Struct | dict[str, Any], status: int = 200, media_type: str = JSON) -> Response:
    """A response with this body as JSON."""
    return Response(msgspec.json.encode(found) + b"\n", status=status, mimetype=media_type)
