"""The API, called with and without tokens, with requests that fit its document and others that don't."""

from __future__ import annotations

import gzip
import json
from random import Random
from typing import Any, ClassVar
from urllib.parse import quote, urlencode

from service.api.document import document
from tests.api.conftest import Program, at_once, program
from tests.fuzz import mutation
from tests.fuzz.doors import Door
from tests.fuzz.forms import HEADERS, WORDS, check_answer, header
from tests.fuzz.stage import Stage, stage, unhurried

ODD: tuple[Any, ...]
ODD = (None, True, 0, 1, -1, 2**31, 2**64, 1e308, -0.0, 0.5, "", [], {}, [[]], [None] * 300, "\0", "x\ud800")
"""JSON values for where something else is expected."""
NUMBERS = ("1", "2", "3", "5", "7", "0", "-1", "99", "2147483648", "x", "1.5", "9" * 30)
PLACES = {"game": ("go", "rosette", "chess"), "suffix": ("txt", "json", "sgf", "pgn"), "key": ("order", "nothing")}
STATUSES = {200, 201, 202, 204, 304, 308, 400, 401, 403, 404, 405, 409, 412, 413, 415, 422}


class Api(Door):
    name = "api"
    share = 15
    every: ClassVar[int] = 300

    def __init__(self, built: Stage | None = None) -> None:
        self.stage = built or stage()
        found = document("http://localhost")
        self.structs = found["components"]["schemas"]
        self.operations = [
            (method.upper(), path, operation)
            for path, methods in found["paths"].items()
            for method, operation in methods.items()
        ]
        self.programs: dict[str, Program] = {}

    def begin(self) -> None:
        self.stage.again()
        town, app = self.stage.town, self.stage.app
        self.programs = {name: program(town, app, name) for name in ("ada", "bruno")}
        self.programs["reader"] = program(town, app, "ada", ("read",))
        self.programs["nobody"] = Program(app.test_client(), 0, "")

    def make(self, chance: Random) -> tuple[str, str, str, bytes | None, list[tuple[str, str]]]:
        """Whose token it is, the method, the path, the body, and headers."""
        method, path, operation = chance.choice(self.operations)
        who = chance.choice(("ada", "ada", "bruno", "reader", "nobody"))
        headers = [(chance.choice(HEADERS), header(chance)) for _ in range(chance.choice((0, 0, 0, 1)))]
        asked = {"wait": "0"} if any(one["name"] == "wait" for one in operation.get("parameters", ())) else {}
        for one in operation.get("parameters", ()):
            if one["in"] == "path":
                path = path.replace(f"{{{one['name']}}}", self._place(chance, one["name"]))
            elif one["in"] == "query" and chance.random() < 0.4 and one["name"] != "wait":
                asked[one["name"]] = mutation.text(chance, [*NUMBERS, *WORDS], 2_000)
            elif one["in"] == "header" and chance.random() < 0.3:
                headers.append((one["name"], header(chance)))
        if chance.random() < 0.05:
            asked[mutation.text(chance, ["ply", "after", "x"], 100)] = chance.choice(NUMBERS)
        path += f"?{urlencode(asked, errors='replace')}" if asked else ""
        if chance.random() < 0.03:
            method = chance.choice(("GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"))
        content = operation.get("requestBody", {}).get("content", {})
        body = self._body(chance, content["application/json"]["schema"]) if content else None
        if body is None and chance.random() < 0.05:
            body = mutation.raw(chance, [b"{}", b'{"text": "e9"}', b"null"], 5_000)
        return who, method, path, body, headers

    def _place(self, chance: Random, name: str) -> str:
        known = PLACES.get(name, NUMBERS[:6])
        return (
            chance.choice(known)
            if chance.random() < 0.9
            else quote(mutation.text(chance, known, 500), errors="replace")
        )

    def _body(self, chance: Random, schema: dict[str, Any]) -> bytes:
        made = self._value(chance, schema)
        if isinstance(made, dict) and chance.random() < 0.4:
            name = chance.choice([*made, "more"])
            made[name] = chance.choice(ODD)
            if chance.random() < 0.2:
                del made[name]
        raw = json.dumps(made).encode()
        return mutation.raw(chance, [raw], 400_000) if chance.random() < 0.15 else raw

    def _value(self, chance: Random, schema: dict[str, Any]) -> Any:
        """A value that nearly always fits the document."""
        if "$ref" in schema:
            return self._value(chance, self.structs[schema["$ref"].rpartition("/")[2]])
        if "anyOf" in schema:
            return self._value(chance, chance.choice(schema["anyOf"]))
        if "enum" in schema:
            return chance.choice(schema["enum"])
        kind = schema.get("type")
        if kind == "object":
            wanted = schema.get("required", ())
            known = schema.get("properties", {})
            return {
                name: self._value(chance, one)
                for name, one in known.items()
                if chance.random() < (0.95 if name in wanted else 0.5)
            }
        if kind == "array":
            return [self._value(chance, schema["items"]) for _ in range(chance.randint(0, 3))]
        if kind == "integer":
            return chance.choice((0, 1, 2, 3, 9, -1, 2**31))
        if kind == "boolean":
            return chance.random() < 0.5
        return mutation.text(chance, WORDS, chance.choice((2_500,) * 20 + (250_000,))) if kind == "string" else None

    def take(self, given: tuple[str, str, str, bytes | None, list[tuple[str, str]]]) -> bool:
        who, method, path, body, headers = given
        asking = self.programs[who]
        sent: dict[str, Any] = {} if body is None else {"data": body, "content_type": "application/json"}
        named = [pair for pair in headers if pair[0] != "Host"]
        if asking.token:
            named = [
                ("Authorization", f"Bearer {asking.token}"),
                *(pair for pair in named if pair[0] != "Authorization"),
            ]
        self.stage.app.extensions["site"] = at_once(self.stage.town)
        try:
            with unhurried():
                answer = asking.client.open(path, method=method, headers=named, **sent)
        finally:
            self.stage.app.extensions["site"] = self.stage.town.site
        self.stage.town.queue.clear()
        check_answer(answer)
        assert answer.status_code in STATUSES, f"{answer.status_code} isn't in the document"
        data = gzip.decompress(answer.data) if answer.content_encoding == "gzip" else answer.data
        if answer.is_json and data:
            json.loads(data)
        return answer.status_code < 400
