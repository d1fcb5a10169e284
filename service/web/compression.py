"""Compresses pages and files for browsers that accept it.

Our own, because it takes only these few lines: Flask-Compress would bring compiled packages for Brotli and Zstandard,
which a proxy in front does better, and the same page must always be the same bytes.
"""

from __future__ import annotations

from flask import Flask, Response, request
from zlib_ng import zlib_ng

SMALL = 500
"""Bytes below which compressing gains nothing."""

LEVEL = 9
"""The highest. It takes half as long as zlib does at 6, for as many bytes."""

GZIP = 16 + zlib_ng.MAX_WBITS
"""The format: gzip without a time, so that the same content is always the same bytes."""

PRESSED = ("text/", "application/json", "application/javascript", "image/svg+xml")


def press(app: Flask) -> None:
    """Compresses the answers of an application (RFC 9110, section 8.4)."""
    app.after_request(_press)


def _press(response: Response) -> Response:
    if response.status_code != 200 or not (response.mimetype or "").startswith(PRESSED):
        return response
    response.vary.add("Accept-Encoding")
    if "Content-Encoding" in response.headers or not request.accept_encodings["gzip"] > 0:
        return response
    response.direct_passthrough = False
    content = response.get_data()
    if len(content) < SMALL:
        return response
    response.set_data(zlib_ng.compress(content, LEVEL, GZIP))
    response.headers["Content-Encoding"] = "gzip"
    # The ETag was for the uncompressed bytes. A weak one says that these are equivalent (RFC 9110, section 8.8.1).
    if etag := response.get_etag()[0]:
        response.set_etag(etag, weak=True)
    return response
