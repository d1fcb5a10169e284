"""The tags of a page and the text between them, as a browser finds them (HTML Standard, 13.2.5).

Each character is read once, so hostile text costs no more than honest text. `html.parser`, in the versions that
distributions ship, needs quadratic time for unclosed constructs. Parsing stops where a browser would see the end of the
page, as in a tag that never ends, or where only a browser's full algorithm could tell.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import NamedTuple

_TAG = re.compile(
    r"""<(?:(?P<comment>!--)|(?P<slash>/?)(?P<name>[a-zA-Z][^\s/>]*+)"""
    r"""(?P<attributes>(?:[\s/]++|[^\s/>=][^\s/>=]*+(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|(?!["'])[^\s>]*+))?+)*+)>"""
    r"""|(?:[!?]|/(?![a-zA-Z]))[^>]*+>?|(?P<endless>/?[a-zA-Z]))"""
)
_ATTRIBUTE = re.compile(r"""([^\s/>=][^\s/>=]*)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]*)))?""")
_COMMENT = re.compile(r"-?>|.*?--!?>", re.DOTALL)
_FOREIGN = frozenset(("math", "svg"))
_RAW = ("iframe", "noembed", "noframes", "noscript", "plaintext", "script", "style", "textarea", "title", "xmp")
_ENDS = {name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE) for name in _RAW}
"""Elements whose text contains no tags, and how they end."""


class Tag(NamedTuple):
    """A tag, its name in lower case, and the text before it. `raw` is the text inside an element that contains no tags,
    which isn't text of the page."""

    text: str
    name: str = ""
    attributes: str = ""
    closing: bool = False
    raw: str = ""


def attributes(text: str) -> dict[str, str]:
    """The attributes in a tag, their names in lower case. Of a repeated attribute, the first counts."""
    pairs = ((name.lower(), unescape("".join(values))) for name, *values in reversed(_ATTRIBUTE.findall(text)))
    return dict(pairs)


def tags(html: str) -> Iterator[Tag]:
    """The tags of a page in order, and finally one without a name for the last text."""
    position, foreign = 0, 0
    while match := _TAG.search(html, position):
        text, position = html[position : match.start()], match.end()
        if match["comment"]:
            yield Tag(text)
            end = _COMMENT.match(html, position)
            position = end.end() if end else len(html)
        elif match["endless"]:
            yield Tag(text)
            return
        elif match["name"]:
            name, closing, raw = match["name"].lower(), bool(match["slash"]), ""
            if name in _FOREIGN:
                foreign += -1 if closing else 1
            if name in _ENDS and not closing:
                end = _ENDS[name].search(html, position)
                raw = html[position : end.start() if end else len(html)]
                position += len(raw)
            yield Tag(text, name, match["attributes"], closing, raw)
            # The text of such an element may have tags inside a picture, and a script may have other scripts.
            if raw and (foreign > 0 or ("<!--" in raw and name == "script")):
                return
        else:
            yield Tag(text)
    yield Tag(html[position:])
