"""The tags of a page and the text between them, as a browser finds them (HTML Standard, 13.2.5).

Each character is read once, so hostile text costs no more than honest text. `html.parser` needs quadratic time for
unclosed constructs in the versions distributions ship. Where a browser would see the end of a page, as in a tag that
never ends, or where only the whole of its algorithm could tell, nothing more is found.
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
"""Elements in which a tag is none but their own, and how they end."""


class Tag(NamedTuple):
    """A tag, its name in lower case, and the text before it. `raw` is the text of an element that has no tags inside,
    and whose text is none of the page's."""

    text: str
    name: str = ""
    attributes: str = ""
    closing: bool = False
    raw: str = ""


def attributes(text: str) -> dict[str, str]:
    """The attributes in a tag, their names in lower case. Of one that is there twice, the first counts."""
    pairs = ((name.lower(), unescape("".join(values))) for name, *values in reversed(_ATTRIBUTE.findall(text)))
    return dict(pairs)


def tags(html: str) -> Iterator[Tag]:
    """The tags of a page in their order, and then one without a name, after the last text."""
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
