"""The whole path of emails: stored, read, obeyed and answered, with the reports of mail that bounced."""

from __future__ import annotations

from base64 import encodebytes
from quopri import encodestring
from random import Random
from typing import ClassVar

from sqlalchemy import select

from service.mail import reply_address
from service.mail.reply_address import Purpose, ReplyAddress
from service.play.inbox.receive import receive
from service.store.tables.mail_rows import IncomingMail
from tests.fuzz import mutation
from tests.fuzz.doors import Door
from tests.fuzz.reader import CORPUS
from tests.fuzz.stage import TRUSTED, Stage, stage
from tests.fuzz.words import COMMANDS, WRITTEN
from tests.play.conftest import parsed, plain

ORDERS = (
    "e11", "f9", "pass", "resign", "yes", "accept", "decline", "takeback", "pause until 24 December", "undo",
    "draw", "if e11 then f9; if pass then pass", "standing e11 or f9", "extend 2d", "c3 take white", "rematch",
    "review", "preview e11", "say Hello\nand more", "e11\n\nHow are you?", "leave team", "resume", "dead c3",
    "status", "0", "",
)  # fmt: skip
PEERS = ("", "192.0.2.1", "203.0.113.9", "2001:db8::1", "nonsense")
MOST_LETTERS = 30
"""The most letters that one email may cause."""


class Inbox(Door):
    name = "inbox"
    share = 12
    every: ClassVar[int] = 250

    def __init__(self, built: Stage | None = None) -> None:
        self.stage = built or stage()
        self.town = self.stage.town
        self.corpus = [path.read_bytes() for path in sorted(CORPUS.glob("*.eml"))]
        self.reports = [raw for raw in self.corpus if b"eport" in raw or b"ailer-" in raw or b"AILER" in raw]
        self.letters = [parsed(raw) for raw in self.stage.letters if parsed(raw)["Reply-To"]]
        self.texts = [*ORDERS, *COMMANDS, "\n".join(COMMANDS[::9]), *WRITTEN]
        desk, domain = self.town.settings.desk, self.town.settings.mail_domain
        self.addresses = [desk, f"postmaster@{domain}", f"abuse@{domain}", f"nobody@{domain}", f"g+aaaa@{domain}"]
        self.addresses += [letter["Reply-To"].addresses[0].addr_spec for letter in self.letters]
        self.addresses += [self._signed(player, purpose) for player in (1, 2, 99) for purpose in Purpose]

    def _signed(self, player: int, purpose: Purpose) -> str:
        """An address with our signature, which may never have been in a letter."""
        made = reply_address.write(self.town.settings.secret, ReplyAddress(player, 1, 0, 3, purpose))
        return f"{made}@{self.town.settings.mail_domain}"

    def begin(self) -> None:
        self.stage.again()

    def make(self, chance: Random) -> tuple[bytes, tuple[str, ...], str]:
        kind = chance.random()
        if kind < 0.45:
            raw, address = self._reply(chance)
        elif kind < 0.7:
            raw, address = self._to_the_desk(chance)
        else:
            emails = self.reports if kind < 0.8 else self.corpus
            raw, address = self._of_somebody(chance, mutation.raw(chance, emails)), chance.choice(self.addresses)
        if chance.random() < 0.4:
            raw = mutation.raw(chance, [raw, chance.choice(self.corpus)])
        if chance.random() < 0.1:
            address = mutation.text(chance, self.addresses, 600)
        more = chance.choices(self.addresses, k=chance.choice((0, 0, 0, 0, 1, 5)))
        return raw, (address, *more), chance.choice(PEERS)

    def _text(self, chance: Random) -> str:
        if chance.random() < 0.3:
            return chance.choice(self.texts)
        return mutation.text(chance, self.texts, 30_000)

    def _reply(self, chance: Random) -> tuple[bytes, str]:
        """What a mail program sends for somebody who answers one of our letters."""
        letter = chance.choice(self.letters)
        sender = letter["To"].addresses[0].addr_spec if chance.random() < 0.9 else "eve@evil.example"
        quoted = "\n".join(f"> {line}" for line in plain(letter).splitlines()[: chance.randint(0, 40)])
        text = f"{self._text(chance)}\n\nOn Saturday, Stonepost wrote:\n{quoted}\n"
        address = letter["Reply-To"].addresses[0].addr_spec
        return self._written(chance, sender, f"Re: {letter['Subject']}", text, address), address

    def _to_the_desk(self, chance: Random) -> tuple[bytes, str]:
        sender = chance.choice(("ada@example.org", "bruno@example.org", "carla@example.org", "new@example.net"))
        text, subject = self._text(chance), chance.choice(("", "", "Hello", self._text(chance)[:300]))
        desk = self.town.settings.desk
        return self._written(chance, sender, subject, f"{text}\n", desk), desk

    def _written(self, chance: Random, sender: str, subject: str, text: str, to: str) -> bytes:
        number = chance.randrange(10**12)
        head = [
            f"Authentication-Results: {TRUSTED}; spf=pass smtp.mailfrom={sender}" * (chance.random() < 0.9),
            f"From: {chance.choice(('', 'Somebody '))}<{sender}>",
            f"To: <{to}>",
            f"Subject: {' '.join(subject.split())}" * bool(subject),
            f"Message-ID: <{number}@program.example>" * (chance.random() < 0.95),
            "MIME-Version: 1.0",
        ]
        body = text.encode("utf-8", "surrogatepass")
        kind = chance.choice(("8bit", "8bit", "base64", "quoted-printable"))
        if kind == "base64":
            body = encodebytes(body)
        elif kind == "quoted-printable":
            body = encodestring(body)
        subtype = "plain"
        if chance.random() < 0.15:
            subtype, body = "html", b"<div>" + body.replace(b"\n", b"<br>") + b"</div>"
        head += [f"Content-Type: text/{subtype}; charset=utf-8", f"Content-Transfer-Encoding: {kind}"]
        return "\r\n".join(filter(None, head)).encode("utf-8", "surrogatepass") + b"\r\n\r\n" + body

    def _of_somebody(self, chance: Random, raw: bytes) -> bytes:
        """An email, now and then with its sender replaced by somebody we know."""
        if chance.random() < 0.3:
            return raw
        return raw.replace(b"ana@example.org", b"ada@example.org").replace(b"@", b"%d@" % chance.randrange(999), 1)

    def take(self, given: tuple[bytes, tuple[str, ...], str]) -> bool:
        raw, recipients, peer = given
        before, last = self.stage.rows(), self._last()
        receive(self.town.site, raw, recipients, "smtp", peer)
        self.town.work()
        after = self.stage.rows()
        assert after["incoming_mail"] - before["incoming_mail"] <= len(recipients)
        assert after["letter"] - before["letter"] <= MOST_LETTERS, "letters from one email"
        with self.town.store.reading() as session:
            verdicts = session.scalars(select(IncomingMail.verdict).where(IncomingMail.id > last)).all()
        assert "" not in verdicts
        assert "commands" not in verdicts, "what is to be obeyed is obeyed"
        self._send_again(given, after)
        return bool({"order", "obeyed", "held", "bounce", "complaint"} & {*verdicts})

    def _send_again(self, given: tuple[bytes, tuple[str, ...], str], rows: dict[str, int]) -> None:
        """Fails unless a copy of an email changes nothing."""
        raw, recipients, peer = given
        receive(self.town.site, raw, recipients, "smtp", peer)
        self.town.work()
        again = self.stage.rows()
        assert again == rows, f"a copy made rows: {again.items() - rows.items()}"

    def _last(self) -> int:
        with self.town.store.reading() as session:
            return session.scalar(select(IncomingMail.id).order_by(IncomingMail.id.desc()).limit(1)) or 0
