"""Parses a message: its headers and its text, within bounds that hold for any bytes.

The standard library's parser looks at every line of every part; for a reply with pictures that is most of the work, and
the sender decides its cost and depth. This one searches for boundaries, stops after `MAX_PARTS` parts and `MAX_DEPTH`
levels, and decodes only the text it returns.
"""

from __future__ import annotations

import codecs
import re
from binascii import Error as Base64Error
from binascii import a2b_base64, a2b_qp
from collections.abc import Iterator
from dataclasses import dataclass
from email.errors import HeaderParseError
from email.header import decode_header
from itertools import takewhile
from urllib.parse import unquote

MAX_PARTS = 100
MAX_DEPTH = 8
MAX_HEAD = 65_536
MAX_VALUE = 4_000
"""The most characters kept of one header: a reply to a long thread has long References."""
MAX_TEXT = 100_000
"""The most bytes read of a text part, from its beginning. Nobody writes more."""

_PARAMETER = re.compile(r';\s*([\w.*-]+)\s*=\s*("[^"]*"|[^;\s]*)')
_HARMLESS = re.compile(r"utf-|utf_|iso|cp\d|koi|gb|big5|euc|shift|ascii|mac|hz|johab|tis|kz|ptcp|hp")
_SUPERSETS = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "iso2022_jp": "iso2022_jp_ext",
}
"""Declared charsets, and the ones that programs really send under these names (WHATWG Encoding, 4.2)."""
_ALIASES = {
    "windows-874": "cp874",
    "windows-31j": "cp932",
    "x-sjis": "cp932",
    "x-gbk": "gb18030",
    "x-euc-jp": "euc_jp",
    "iso-8859-8-i": "iso8859-8",
    "iso-8859-8-e": "iso8859-8",
    "unicode-1-1-utf-7": "utf-7",
}
"""Names of charsets that mail programs use and Python doesn't know."""
_BREAKS = re.compile("\r\n?|[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1b\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
_BLANKS = re.compile("[\xa0\u2000-\u200a\u202f\u3000]")


@dataclass(frozen=True, slots=True)
class Part:
    """A message, or a part of one. Header names are in lower case, values unfolded and at most MAX_VALUE long."""

    headers: dict[str, list[str]]
    body: bytes
    head: bytes = b""
    """The raw headers, uncut, with lines that end in a line feed."""

    @property
    def is_cut(self) -> bool:
        """Whether the head is longer than what is read of it. A server may then have seen other headers."""
        return len(self.head) > MAX_HEAD

    def exactly(self, name: str, above: str = "") -> list[str]:
        """The raw values of all headers of this name: folded, undecoded and uncut.

        With `above`, only of headers above the first one of that name; empty if there is no such header.
        """
        head = self.head[:MAX_HEAD]
        if above:
            end = re.search(rb"(?im)^%s[ \t]*:" % re.escape(above.encode()), head)
            head = head[: end.start()] if end else b""
        lines = re.findall(rb"(?im)^%s[ \t]*:(.*(?:\n[ \t].*)*)" % re.escape(name.encode()), head)
        return [_decoded_head(line) for line in lines]

    def header(self, name: str) -> str:
        """The first value of this header, undecoded; "" if there is none."""
        return self.headers.get(name, [""])[0]

    @property
    def kind(self) -> str:
        """The content type in lower case; `text/plain` if there's none, or one without a slash (RFC 2045, 5.2)."""
        kind = _value(self.header("content-type"))
        return kind if "/" in kind else "text/plain"

    def parameter(self, name: str) -> str:
        """A parameter of the content type, without quotes; "" if absent."""
        given = _PARAMETER.findall(self.header("content-type"))
        found: dict[str, str] = {key.lower(): value.strip('"') for key, value in given}
        return found[name] if name in found else _put_together(found, name)


def _put_together(found: dict[str, str], name: str) -> str:
    """A parameter that is written in pieces or encoded (RFC 2231, 3 and 4); "" if absent."""
    keys = [f"{name}*{number}" for number in range(MAX_PARTS)]
    keys = [*takewhile(lambda key: key in found or f"{key}*" in found, keys)]
    if f"{name}*" in found:
        keys = [name]
    text = "".join(found[key] if key in found else unquote(found[f"{key}*"]) for key in keys)
    is_encoded = bool(keys) and keys[0] not in found
    return text.split("'", 2)[-1] if is_encoded else text


def parse(raw: bytes) -> Part:
    """The message as its outermost part. Any bytes are a message, if only one without headers."""
    return _part(raw.replace(b"\r\n", b"\n"))


def leaves(part: Part) -> Iterator[Part]:
    """The parts that are neither multiparts nor messages, in order; at most MAX_PARTS of them."""
    waiting = [(part, 0)]
    for _ in range(MAX_PARTS):
        if not waiting:
            return
        part, depth = waiting.pop()
        if part.kind.startswith("multipart/") and depth < MAX_DEPTH:
            inner = [(piece, depth + 1) for piece in pieces(part)]
            waiting.extend(reversed(inner))
        elif not part.kind.startswith(("multipart/", "message/")):
            yield part


def text(part: Part) -> str:
    """A text part's text, as `clean` leaves it."""
    return clean(_characters(_decoded(part), part.parameter("charset")))


def clean(text: str) -> str:
    """A text with line feeds as line ends, and without control characters, invisible characters and odd blanks."""
    return _BLANKS.sub(" ", _INVISIBLE.sub("", _BREAKS.sub("\n", text)))


def ascii_text(part: Part) -> str:
    """A text part's ASCII characters, in a fraction of the time: enough to search for a tag."""
    return _decoded(part).replace(b"\0", b"").decode("ascii", "ignore")


def words(value: str) -> str:
    """A header's value on one line, with its encoded words (RFC 2047) decoded."""
    if "=?" in value:
        try:
            chunks = decode_header(value)
        except HeaderParseError:
            chunks = [(value, None)]
        value = "".join(
            chunk if isinstance(chunk, str) else _characters(chunk, charset or "utf-8") for chunk, charset in chunks
        )
    return " ".join(_INVISIBLE.sub("", _BREAKS.sub(" ", value)).split())


def _part(data: bytes) -> Part:
    if data.startswith(b"\n"):
        return Part({}, data[1:])
    head, _, body = data.partition(b"\n\n")
    return Part(_headers(head[:MAX_HEAD]), body, head)


def _value(header: str) -> str:
    """A header's value in lower case, without parameters and comments after it."""
    return re.split("[;(]", header, maxsplit=1)[0].strip().lower()


def _decoded_head(head: bytes) -> str:
    try:
        return head.decode()
    except UnicodeDecodeError:
        return head.decode("latin-1")


def _headers(head: bytes) -> dict[str, list[str]]:
    lines = _INVISIBLE.sub("", _decoded_head(head))
    headers: dict[str, list[str]] = {}
    for line in lines.replace("\n ", " ").replace("\n\t", " ").split("\n"):
        name, colon, value = line.partition(":")
        if colon:
            headers.setdefault(name.strip().lower(), []).append(value[:MAX_VALUE].strip())
    return headers


def pieces(part: Part) -> Iterator[Part]:
    """The parts of a multipart, between its boundary lines; an unclosed one ends with the message."""
    mark = b"--" + part.parameter("boundary").encode("utf-8", "replace")
    if len(mark) < 3:
        return
    body, begin = part.body, -1
    for start, end, last in _boundaries(body, mark):
        if begin >= 0:
            yield _part(body[begin : max(begin, start - 1)])
        begin = end
        if last:
            return
    if begin >= 0:
        yield _part(body[begin:])


def _boundaries(body: bytes, mark: bytes) -> Iterator[tuple[int, int, bool]]:
    """Where each boundary line starts, where the next line starts, and whether it is the closing one."""
    start = body.find(mark)
    for _ in range(10 * MAX_PARTS):
        if start < 0:
            return
        line_end = body.find(b"\n", start)
        line_end = len(body) if line_end < 0 else line_end
        tail = body[start + len(mark) : min(line_end, start + len(mark) + 80)].strip()
        if tail in (b"", b"--") and (start == 0 or body[start - 1] == 0x0A):
            yield start, min(line_end + 1, len(body)), tail == b"--"
        start = body.find(mark, start + len(mark))


def _decoded(part: Part) -> bytes:
    """The first MAX_TEXT bytes, or somewhat fewer, without their transfer encoding; errors in it are skipped."""
    encoding = _value(part.header("content-transfer-encoding"))
    data = part.body[: 2 * MAX_TEXT]
    if encoding == "quoted-printable":
        data = a2b_qp(re.sub(rb"=[ \t]+\n", b"=\n", data))
    elif encoding == "base64":
        try:
            data = a2b_base64(data)
        except Base64Error:
            letters = re.sub(rb"[^A-Za-z0-9+/]", b"", data)
            # Some programs leave out the signs that fill the last four letters up. One letter alone means nothing.
            data = a2b_base64(letters[: len(letters) - (len(letters) % 4 == 1)] + b"==")
    return data[:MAX_TEXT]


def _characters(data: bytes, charset: str) -> str:
    """The text in the declared charset, else UTF-8, else Windows-1252, which gives every byte a meaning.

    Only codecs for text are used, and among those none whose cost grows faster than the text.
    """
    try:
        charset = charset.strip().lower() or "utf-8"
        name = codecs.lookup(_ALIASES.get(charset, charset)).name
    except (LookupError, ValueError):
        name = "utf-8"
    if not _HARMLESS.match(name):
        name = "utf-8"
    if name in ("utf-8", "ascii"):
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError as error:
            # A character cut in two at the end doesn't make the charset wrong, if others of it are above.
            if error.reason == "unexpected end of data" and not data[: error.start].isascii():
                return data[: error.start].decode()
            name = "ascii"
    return data.decode(_SUPERSETS.get(name, name), "replace")
