"""The web: every form of every page, and every address, filled in by people who mean harm or by broken programs."""

from __future__ import annotations

from io import BytesIO
from random import Random
from typing import Any, ClassVar
from urllib.parse import quote, urlencode

from werkzeug.routing import Rule
from werkzeug.test import TestResponse

from tests.fuzz import mutation
from tests.fuzz.doors import Door
from tests.fuzz.inbox import ORDERS
from tests.fuzz.stage import Stage, stage, unhurried
from tests.fuzz.words import CLOCKS, COMMANDS, DATES
from tests.web.conftest import Visitor, judge
from tests.web.page_types import PAGES, PASSWORD
from tests.web.test_hostile import FILLED, Ways

MARKUP = "<script>alert(1)</script>"
WORDS = (
    *ORDERS, *CLOCKS, *DATES, *COMMANDS[::5], PASSWORD, MARKUP, "on", "yes", "no", "me", "open", "bot", "email",
    "1", "2", "5", "ada@example.org", "Europe/Lisbon", "rosette", "go", "lotus", "https://bot.example.org/hook",
    "turn", "8 20", "read",
)  # fmt: skip
HEADERS = (
    "Accept", "Accept-Language", "Accept-Encoding", "Content-Type", "Cookie", "Host", "If-None-Match",
    "If-Modified-Since", "Origin", "Range", "Referer", "User-Agent", "X-Forwarded-For", "X-Forwarded-Proto",
    "X-HTTP-Method-Override", "X-Requested-With", "Content-Encoding", "Sec-Fetch-Site", "Idempotency-Key",
    "Authorization", "Last-Event-ID",
)  # fmt: skip
VALUES = (
    "*/*", "text/html;q=0.5,application/json", "de-AT,en;q=0.1", "gzip, br;q=0", "application/json", "localhost",
    "multipart/form-data; boundary=b", "application/x-www-form-urlencoded; charset=utf-7", "stonepost=x",
    "bytes=0-1,5-", "https://evil.example", 'W/"x"', "Sat, 21 Nov 2026 12:00:00 GMT", "Bearer x", "Basic eA==",
    "DELETE", "null",
)  # fmt: skip
LONGEST_HEADER = 5_000
PARAMETERS = (
    "order", "page", "player", "game", "state", "turned", "reader", "at", "after", "before", "seats", "moves", "theme",
    "text", "move", "next", "email", "clock", "press", "coordinates", "url", "format",
)  # fmt: skip

ENDS_SESSIONS = ("settings.sign_out", "auth.leave", "leaving.leave", "keys.prove_by_password")
"""Forms after which a visitor is signed out: used only now and then."""


class Forms(Door):
    name = "forms"
    share = 25
    every: ClassVar[int] = 250

    def __init__(self, built: Stage | None = None) -> None:
        self.stage = built or stage()
        scenery = self.stage.again()
        self.cookies: dict[str, str] = {}
        routes = self.stage.app.url_map.bind("localhost")
        self.forms: list[tuple[str, str, dict[str, str]]] = []
        self.paths: list[str] = []
        found: dict[tuple[str, str], tuple[str, dict[str, str]]] = {}
        for page in PAGES:
            try:
                path = scenery.path(page)
            except KeyError:
                continue  # A smaller scenery has fewer places.
            self.paths.append(path)
            if page.post or page.status != 200 or page.who not in scenery.visitors:
                continue
            with unhurried():
                html = scenery.visitors[page.who].get(path).text
            for action, fields in Ways(html).forms:
                if not action.startswith("get "):
                    name = str(routes.match((action or path).partition("?")[0], method="POST")[0])
                    found.setdefault((page.who, name), (action or path, fields))
        for (who, name), (path, fields) in sorted(found.items()):
            self.forms += [(who, path, fields | FILLED.get(name, {}))] * (1 if name in ENDS_SESSIONS else 12)
        self.rules = [str(rule) for rule in self.stage.app.url_map.iter_rules() if not _is_machines(rule)]

    def begin(self) -> None:
        self.stage.again()
        for name, visitor in self.stage.scenery.visitors.items():
            cookie = visitor.client.get_cookie("stonepost")
            self.cookies[name] = cookie.value if cookie else ""

    def make(self, chance: Random) -> tuple[str, str, str, Any, list[tuple[str, str]]]:
        """Who asks, by which method, for which path, with what (pairs, or bytes), and under which headers."""
        headers = [(chance.choice(HEADERS), header(chance)) for _ in range(chance.choice((0, 0, 0, 0, 1, 2)))]
        if chance.random() < 0.6:
            who, path, fields = chance.choice(self.forms)
            if chance.random() < 0.1:
                who = chance.choice(sorted(self.stage.scenery.visitors))
            method = chance.choice(("POST",) * 30 + ("PUT", "DELETE", "PATCH"))
            return who, method, self._path(chance, path), self._body(chance, fields), headers
        who = chance.choice(sorted(self.stage.scenery.visitors))
        path = chance.choice(self.paths) if chance.random() < 0.5 else self._from_rule(chance)
        method = chance.choice(("GET",) * 30 + ("HEAD", "OPTIONS", "POST", "PROPFIND"))
        return who, method, self._path(chance, path, 0.7), None, headers

    def _path(self, chance: Random, path: str, often: float = 0.1) -> str:
        """An address with another number, another part, or parameters."""
        if chance.random() > often:
            return path
        kind = chance.random()
        if kind < 0.4:
            parts = path.split("/")
            at = chance.randrange(len(parts))
            parts[at] = quote(mutation.text(chance, [parts[at], *WORDS], 3_000), errors="replace")
            return "/".join(parts) or "/"
        given = [(chance.choice(PARAMETERS), mutation.text(chance, WORDS, 3_000)) for _ in range(chance.randint(1, 3))]
        return f"{path}{'&' if '?' in path else '?'}{urlencode(given, errors='replace')}"

    def _from_rule(self, chance: Random) -> str:
        """An address of some view, with anything in its places."""
        parts = []
        for part in chance.choice(self.rules).split("/"):
            if "<" in part:
                part = chance.choice(("1", "2", "7", "go", "rosette", "0", quote(chance.choice(WORDS))))
            parts.append(part)
        return "/".join(parts)

    def _body(self, chance: Random, fields: dict[str, str]) -> Any:
        kind = chance.random()
        if kind < 0.04:
            return mutation.raw(chance, [b'{"text": "e11"}', urlencode(fields).encode(), b"--b\r\n\r\n--b--"], 300_000)
        pairs = [*fields.items()]
        for _ in range(chance.choice((1, 1, 1, 2, 3))):
            open_fields = [at for at, (name, _) in enumerate(pairs) if name != "csrf_token"] or [-1]
            at, change = chance.choice(open_fields), chance.random()
            if at < 0 or change < 0.1:
                pairs.append((mutation.text(chance, [*fields, "x"], 200), mutation.text(chance, WORDS, 3_000)))
            elif change < 0.2:
                del pairs[at]
            elif change < 0.3:
                pairs.append((pairs[at][0], mutation.text(chance, WORDS, 3_000)))
            else:
                longest = chance.choice((3_000,) * 20 + (250_000,))
                pairs[at] = (pairs[at][0], mutation.text(chance, [pairs[at][1], *WORDS], longest))
        if chance.random() < 0.03:
            pairs = [pair for pair in pairs if pair[0] != "csrf_token"]
        return pairs

    def take(self, given: tuple[str, str, str, Any, list[tuple[str, str]]]) -> bool:
        who, method, path, body, headers = given
        visitor = self.stage.scenery.visitors[who]
        with unhurried():
            answer = self._asked(visitor, method, path, body, headers)
        judge(self.stage.town)
        if cookie := self.cookies.get(who):
            visitor.client.set_cookie("stonepost", cookie)
        if not path.startswith("/health"):  # It says that no process works here, which is true.
            check_answer(answer)
        return answer.status_code < 400

    def _asked(
        self, visitor: Visitor, method: str, path: str, body: Any, headers: list[tuple[str, str]]
    ) -> TestResponse:
        sent: dict[str, Any] = {}
        if isinstance(body, bytes):
            sent["data"] = body
            sent["content_type"] = "application/json" if body[:1] == b"{" else "application/x-www-form-urlencoded"
        elif body is not None:
            sent["data"] = _as_form(body)
        client = visitor.client
        if any(name == "Host" for name, _ in headers):
            client = self.stage.app.test_client(use_cookies=False)  # It can't tell whose cookies to send.
        # Of two slashes, the client would take what follows for the name of a host.
        address = f"http://localhost{path}" if path.startswith("//") else path
        return client.open(address, method=method, headers=headers, **sent)


def _as_form(pairs: list[tuple[str, str]]) -> dict[str, Any]:
    """What browsers send for fields, of which several may have one name; a field `file` is a file."""
    fields: dict[str, Any] = {}
    for name, value in pairs:
        encoded = value.encode("utf-8", "replace").decode("utf-8")
        fields.setdefault(name.encode("utf-8", "replace").decode("utf-8"), []).append(encoded)
    if "file" in fields:
        fields["file"] = (BytesIO(fields["file"][0].encode()), fields["file"][-1][:100])
    return fields


def header(chance: Random) -> str:
    """A header's value that a web server accepts: on one line, of single bytes."""
    # The test client fails on such a host, though the service doesn't.
    text = mutation.text(chance, VALUES, LONGEST_HEADER).replace("xn--", "xn-")
    return "".join(
        sign for sign in text.replace("\n", " ").replace("\r", " ") if 31 < ord(sign) < 256 and sign != "\x7f"
    )


def _is_machines(rule: Rule) -> bool:
    return str(rule).startswith(("/api/v1", "/inbound"))


def check_answer(answer: TestResponse) -> None:
    """Fails if the answer is a server error, or contains markup as it was sent."""
    # oEmbed has 501 for formats that a site doesn't have.
    assert answer.status_code < 500 or answer.status_code == 501, f"{answer.status_code} {answer.data[-300:]!r}"
    if answer.mimetype == "text/html":
        assert MARKUP.encode() not in answer.data, "markup comes back as markup"
    assert "\n" not in str(answer.headers.get("Location", "")), "a header that the visitor added"
