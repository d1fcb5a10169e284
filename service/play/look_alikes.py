"""Look-alikes: invisible characters, and letters that look like Latin ones.

Unicode Technical Standard 39 compares names in the same way, by skeletons (4), and allows a word letters of one script,
or of those of East Asia, and Latin (5.2, Highly Restrictive). The table is our own, because the standard's takes `rn`
for `m` and `1` for `l`, which readers do tell apart.
"""

from __future__ import annotations

import re
import unicodedata

_UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""Unicode's Default_Ignorable_Code_Point, and BRAILLE PATTERN BLANK."""
_ALIKE = {
    "Cyrillic": ("abbcdeghhijklmopqrstvwxyy", "авьсԁеԍнһіјкӏморԛгѕтѵԝхуү"),
    "Greek": ("abehijkmnoptxyz", "αβεηιϳκμνορτχυζ"),
    "Armenian": ("fghnosu", "քցհոօտս"),
    "Coptic": ("abcehikmnoptxy", "ⲁⲃⲥⲉⲏⲓⲕⲙⲛⲟⲣⲧⲭⲩ"),
    "Cherokee": ("abbcdeghhijklmprrstvwyz", "ᎪᏴᏏᏟᎠᎬᏀᎻᏂᎥᎫᏦᏞᎷᏢᎡᏒᏚᎢᏙᎳᎩᏃ"),
    "Lisu": ("abcdefghjklmnoprstuvwxyz", "ꓮꓐꓚꓓꓰꓝꓖꓧꓙꓗꓡꓟꓠꓳꓑꓣꓢꓔꓴꓦꓪꓫꓬꓜ"),
    "Latin": ("abcdefghijklmnopqrstuvwyz", "ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘꞯʀꜱᴛᴜᴠᴡʏᴢ"),
    "Latin of other shapes": ("aagiil", "ɑᶏɡıɩǀ"),
    "punctuation": ("''''''------", "’‘ʼʻ`´‐‑‒–—−"),
}
"""Letters in lower case, or in the only case they have, and what they look like in either case."""
_LATIN = str.maketrans(
    {like: sign for signs, alikes in _ALIKE.values() for sign, like in zip(signs, alikes, strict=True)}
)
_DOT = re.compile("(?<=[ij])\u0307")
"""COMBINING DOT ABOVE, which such letters have anyway."""
_WORD = re.compile(r"[^\W\d_]{2,}")
_EAST_ASIAN = frozenset(("BOPOMOFO", "CJK", "HANGUL", "HIRAGANA", "IDEOGRAPHIC", "KATAKANA", "KATAKANA-HIRAGANA"))
_OF_NO_SCRIPT = frozenset(("FEMININE", "MASCULINE", "MODIFIER"))


def is_unseen(sign: str) -> bool:
    """Whether a character shows nothing: control characters, unassigned and private ones, and what is ignored unless a
    font knows better."""
    return unicodedata.category(sign)[0] == "C" or _UNSEEN.match(sign) is not None


def skeleton(text: str) -> str:
    """What is the same for texts that look alike in any case. It has the spaces of the text."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    apart = unicodedata.normalize("NFKD", folded).translate(_LATIN)
    seen = "".join(sign for sign in apart if sign.isspace() or not is_unseen(sign))
    return unicodedata.normalize("NFKC", _DOT.sub("", seen))


def mixed(text: str) -> tuple[str, str, str] | None:
    """The first word whose letters are of scripts that no language writes together, and two of these scripts."""
    for word in _WORD.findall(unicodedata.normalize("NFKC", text)):
        scripts = dict.fromkeys(map(_script, word))
        scripts.pop("", None)
        if len(scripts) > 1 and not _EAST_ASIAN | {"LATIN"} >= scripts.keys():
            first, second, *_ = scripts
            return word, first.capitalize(), second.capitalize()
    return None


def _script(letter: str) -> str:
    """The script of a letter as its name begins; "" for a letter that any script may have."""
    name = unicodedata.name(letter, "").partition(" ")[0]
    return "" if name in _OF_NO_SCRIPT else name
