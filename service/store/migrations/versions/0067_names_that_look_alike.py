"""Names are compared by how they look: by letters in any script, without invisible characters"""

import re
import unicodedata

import sqlalchemy as sa
from alembic import op

revision = "0067"
down_revision = "0066"
branch_labels = None
depends_on = None

UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
ALIKE = (
    ("abbcdeghhijklmopqrstvwxyy", "авьсԁеԍнһіјкӏморԛгѕтѵԝхуү"),
    ("abehijkmnoptxyz", "αβεηιϳκμνορτχυζ"),
    ("fghnosu", "քցհոօտս"),
    ("abcehikmnoptxy", "ⲁⲃⲥⲉⲏⲓⲕⲙⲛⲟⲣⲧⲭⲩ"),
    ("abbcdeghhijklmprrstvwyz", "ᎪᏴᏏᏟᎠᎬᏀᎻᏂᎥᎫᏦᏞᎷᏢᎡᏒᏚᎢᏙᎳᎩᏃ"),
    ("abcdefghjklmnoprstuvwxyz", "ꓮꓐꓚꓓꓰꓝꓖꓧꓙꓗꓡꓟꓠꓳꓑꓣꓢꓔꓴꓦꓪꓫꓬꓜ"),
    ("abcdefghijklmnopqrstuvwyz", "ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘꞯʀꜱᴛᴜᴠᴡʏᴢ"),
    ("aagiil", "ɑᶏɡıɩǀ"),
    ("''''''------", "’‘ʼʻ`´‐‑‒–—−"),
)
LATIN = str.maketrans({like: sign for signs, alikes in ALIKE for sign, like in zip(signs, alikes, strict=True)})


def upgrade() -> None:
    for table in ("player", "event"):
        _compare(sa.table(table, sa.column("id"), sa.column("name", sa.String), sa.column("name_key", sa.String)))


def downgrade() -> None:
    pass


def _compare(table: sa.TableClause) -> None:
    """Of rows that look alike, the first keeps the new key or gets it; the others keep what they had."""
    rows = op.get_bind().execute(sa.select(table).where(table.c.name_key.is_not(None)).order_by(table.c.id))
    changed = [(number, new) for number, name, old in rows if (new := _key(name)) != old]
    for number, new in changed:
        taken = sa.select(table.c.id).where(table.c.name_key == new)
        if op.get_bind().execute(taken).first() is None:
            op.execute(table.update().where(table.c.id == number).values(name_key=new))


def _key(name: str) -> str:
    folded = unicodedata.normalize("NFKC", name).casefold()
    apart = unicodedata.normalize("NFKD", folded).translate(LATIN)
    seen = "".join(sign for sign in apart if sign.isspace() or not _is_unseen(sign))
    plain = unicodedata.normalize("NFKC", re.sub("(?<=[ij])\u0307", "", seen))
    return " ".join(plain.split())[:200]


def _is_unseen(sign: str) -> bool:
    return unicodedata.category(sign)[0] == "C" or UNSEEN.match(sign) is not None
