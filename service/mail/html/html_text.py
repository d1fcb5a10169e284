"""HTML as the plain text its writer might have sent instead.

Quotations become lines beginning with `>`, a mail program's invisible divider before an unmarked quotation becomes a
line of underscores, and a signature follows `-- `. These are the conventions of plain text, so that `quoted_text` can
read both.

Text that the reader can't see isn't read (`visibility`).
"""

from __future__ import annotations

import re
from html import unescape

from service.mail.html.html_tags import tags
from service.mail.html.visibility import Elements
from service.mail.parsing import mime

_BLOCKS = re.compile(
    "address|article|aside|blockquote|br|caption|center|dd|div|dl|dt|fieldset|figcaption|figure|footer|form|h[1-6]|header"
    "|hgroup|hr|legend|li|main|menu|nav|ol|p|pre|section|table|td|th|tr|ul"
)
_NAMES = re.compile(r"""\b(?:id|class|data-marker|data-smartmail)\s*=\s*("[^"]*"|'[^']*'|[^\s"']+)""")

_STRIKING = re.compile(r"<(?:del|s|strike)[\s>]")

# The names that mail programs give their elements. Outlook prefixes those of other programs with `x_`.
_DIVIDERS = re.compile(
    "__DIVIDER__|__QUOTED_TEXT__|OLK_SRC_BODY_SECTION|appendonsend|divRplyFwdMsg|mail-editor-reference-message-container"
    "|ms-outlook-mobile-reference-message|(?:ydp[0-9a-z]+)?yahoo_quoted|zmail_extra"
)
_SIGNATURES = re.compile(
    "AppleMailSignature|Signature|gmail_signature|k9mail-signature|moz-signature|ms-outlook-mobile-signature"
    "|protonmail_signature_block"
)


def read(html: str) -> str:
    """The text of a page, one line per block, with quotations as described above."""
    page = _Page(html)
    for tag in tags(html):
        page.text(tag.text)
        if tag.name:
            page.tag(tag.name, tag.attributes, closing=tag.closing)
    return page.finish()


def may_strike(html: str) -> bool:
    """Whether some of a page's text may be struck out."""
    small = html.lower()
    return "line-through" in small or _STRIKING.search(small) is not None


class _Page:
    """The text so far, and the state that the tags so far have left."""

    def __init__(self, html: str) -> None:
        self._lines: list[str] = []
        self._line: list[str] = []
        self._open = Elements(html)

    def text(self, raw: str) -> None:
        if not raw or not self._open.seen:
            return
        text = mime.clean(unescape(raw)) if "&" in raw else raw
        if not self._open.keeps_lines:
            self._line.append(re.sub(r"\s+", " ", text))
            return
        first, *more = text.split("\n")
        self._line.append(first)
        for line in more:
            self._break(empty_too=True)
            self._line.append(line)

    def tag(self, name: str, attributes: str, *, closing: bool) -> None:
        block = bool(_BLOCKS.fullmatch(name))
        if block and self._open.seen:
            self._break(empty_too=name == "br")
        if closing:
            self._open.close(name)
        else:
            self._open.open(name, attributes, block=block)
        if name == "blockquote":
            self._lines.append("")
        if not closing and "=" in attributes and self._open.seen:
            self._mark(attributes)

    def finish(self) -> str:
        self._break()
        return "\n".join(self._lines)

    def _mark(self, attributes: str) -> None:
        names = {name.removeprefix("x_") for found in _NAMES.findall(attributes) for name in found.strip("\"'").split()}
        for known, convention in ((_DIVIDERS, "_" * 32), (_SIGNATURES, "-- ")):
            if any(map(known.fullmatch, names)):
                self._break()
                self._line.append(convention)
                self._break()

    def _break(self, *, empty_too: bool = False) -> None:
        text = "".join(self._line)
        self._line.clear()
        text = text.rstrip() if self._open.keeps_lines else text.strip()
        if text or empty_too:
            quoted = self._open.inside("blockquote")
            prefix = ">" * min(quoted, 9) + " " if quoted else ""
            self._lines.append(prefix + text)
