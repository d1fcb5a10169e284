"""The document of the API: what it promises, that it keeps promising it, and that the page's examples run."""

from __future__ import annotations

import html
import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from service.api import guide as guide
from service.api.document import document
from service.api.operations import OPERATIONS
from service.config import ROOT
from tests.api.conftest import Program
from tests.play.conftest import Town

LANDED = ROOT / "tests" / "data" / "api" / "openapi.json"
"""The document as committed. `python -m tests.api.test_document` writes it again, if nothing is removed."""

SERVER = "https://play.example.org"


def test_the_document_is_as_committed() -> None:
    """A change of the API shows in a diff. Anything but an addition breaks programs that are out there."""
    now = json.loads(json.dumps(document(SERVER)))
    before = json.loads(LANDED.read_text())
    assert [*broken(before, now)] == []
    assert now == before, "python -m tests.api.test_document writes the document again"


def broken(before: dict[str, Any], now: dict[str, Any]) -> Iterator[str]:
    """What a program written for the document `before` could no longer do."""
    for path, operations in before["paths"].items():
        for method, one in operations.items():
            other = now["paths"].get(path, {}).get(method)
            if other is None:
                yield f"{method} {path} is gone"
                continue
            known = {name["name"]: name for name in other["parameters"]}
            yield from (f"{path}: {p['name']} is gone" for p in one["parameters"] if p["name"] not in known)
            asked = {name for name, p in known.items() if p["required"]} - {p["name"] for p in one["parameters"]}
            yield from (f"{path}: {name} is required now" for name in asked)
            yield from (f"{path}: answer {s} is gone" for s in one["responses"] if s not in other["responses"])
            yield from (f"{path}: answer {s} is new" for s in other["responses"] if s not in one["responses"])
            if one["security"] != other["security"]:
                yield f"{path}: it needs another token"
    for name, schema in before["components"]["schemas"].items():
        yield from _broken_schema(name, schema, now["components"]["schemas"].get(name))


def _broken_schema(name: str, before: dict[str, Any], now: dict[str, Any] | None) -> Iterator[str]:
    if now is None:
        yield f"{name} is gone"
        return
    for field, kind in before.get("properties", {}).items():
        other = now.get("properties", {}).get(field)
        if other is None or other != kind:
            yield f"{name}.{field} is {'gone' if other is None else 'another kind of thing'}"
    yield from (
        f"{name}.{field} is required now" for field in {*now.get("required", ())} - {*before.get("required", ())}
    )


def test_a_breaking_change_is_noticed() -> None:
    before = json.loads(LANDED.read_text())
    for path in (["paths", "/api/v1/me"], ["components", "schemas", "Sent", "properties", "round"]):
        now = json.loads(json.dumps(before))
        inner = now
        for part in path[:-1]:
            inner = inner[part]
        del inner[path[-1]]
        assert [*broken(before, now)], path


def references(part: object) -> Iterator[str]:
    if isinstance(part, dict):
        yield from (value for name, value in part.items() if name == "$ref")
        for value in part.values():
            yield from references(value)
    elif isinstance(part, list):
        for value in part:
            yield from references(value)


def test_the_document_is_complete_and_consistent() -> None:
    """What linters of such documents look for: unique names, complete descriptions, and no dangling references."""
    made = document(SERVER)
    operations = [one for path in made["paths"].values() for one in path.values()]
    names = [one["operationId"] for one in operations]
    assert len(names) == len(set(names))
    assert {tag for one in operations for tag in one["tags"]} == {tag["name"] for tag in made["tags"]}
    known = {f"#/components/{kind}/{name}" for kind in ("schemas", "headers") for name in made["components"][kind]}
    assert {*references(made)} == known
    for path, methods in made["paths"].items():
        for one in methods.values():
            assert one["summary"], path
            assert one["description"], path
            there = {name["name"] for name in one["parameters"] if name["in"] == "path"}
            assert there == set(re.findall(r"{(\w+)}", path)), path
            assert {"400", "401", "422", "429", "500"} <= one["responses"].keys(), path
            assert all(answer["description"] for answer in one["responses"].values()), path


def examples(page: str) -> list[list[str]]:
    """The commands that the page /api shows, as a shell splits them."""
    shown = re.findall(r'<pre class="sheet command" tabindex="0">(.*?)</pre>', page, re.DOTALL)
    return [shlex.split(html.unescape(one)) for one in shown]


def test_the_examples_of_the_page_run(town: Town, ada: Program, bruno: Program, anybody: Program) -> None:
    """As typed by somebody who reads only the page: from no match to the first move, and to matches with others."""
    page = anybody._sent("GET", "/api", {}).text
    known, ran = {"TOKEN": ada.token, "MATCH": "", "PLAYER": str(bruno.id)}, []
    for name, against in (("OPEN", "open"), ("INVITED", "ada@example.org")):
        known[name] = str(bruno.send("/matches", {"new": f"lotus vs {against}"}).json["id"])
    for command in examples(page):
        if command[0] == "export":
            assert command[1].partition("=")[0] in known
            continue
        url, body, headers = "", None, {}
        words = iter([re.sub(r"\$(\w+)", lambda found: known[found[1]], word) for word in command[1:]])
        for word in words:
            if word == "-H":
                name, _, value = next(words).partition(": ")
                headers[name] = value
            elif word == "--json":
                body = json.loads(next(words))
            else:
                url = word.removeprefix(town.settings.public_url)
        answer = ada.client.open(url, method="GET" if body is None else "POST", headers=headers, json=body)
        assert answer.status_code in (200, 201), (command, answer.text)
        if url == "/api/v1/matches":
            known["MATCH"] = str(answer.get_json()["id"])
        ran.append(re.sub(r"/matches/\d+", "/matches/N", url.partition("?")[0]))
    assert ran[0] == "/api/v1/matches"
    assert "/api/v1/matches/N/orders" in ran
    assert [ada.ask(f"/matches/{known[name]}").json["state"] for name in ("OPEN", "INVITED")] == ["running"] * 2
    assert "/api/v1/events" in ran


def test_the_page_shows_every_limit(anybody: Program) -> None:
    page = " ".join(re.sub(r"<[^>]+>", "", anybody._sent("GET", "/api", {}).text).split())
    assert "All your tokens and bots together can make 600 requests a minute." in html.unescape(page)
    assert "Scope: hooks. Limit: 60 per hour." in page
    assert page.count(" Limit: ") == len([one for one in OPERATIONS if one.limit])


def test_the_page_lists_every_operation_with_its_fields(anybody: Program) -> None:
    page = anybody._sent("GET", "/api", {}).text
    listed = html.unescape(re.sub(r"<[^>]+>", "", page))
    for one in OPERATIONS:
        assert f"{one.method} /api/v1{one.path}".replace("<number:", "<") in listed, one.name
    assert "POST /api/v1/matches/<match_id>/orders wait? text round? restored? message? undoable?" in listed


def test_well_known_addresses(town: Town, anybody: Program) -> None:
    assert anybody._sent("GET", "/.well-known/security.txt", {}).status == 404
    town.settings = replace(town.settings, security_contact="mailto:security@example.org")
    anybody.client.application.extensions["site"] = town.site
    text = anybody._sent("GET", "/.well-known/security.txt", {}).text
    assert "Contact: mailto:security@example.org\n" in text
    assert re.search(r"(?m)^Expires: 2027-\d\d-\d\dT00:00:00Z$", text)
    moved = anybody._sent("GET", "/.well-known/change-password", {})
    assert (moved.status, moved.headers["Location"]) == (303, "/account/keys")


if __name__ == "__main__":
    LANDED.parent.mkdir(exist_ok=True)
    LANDED.write_text(json.dumps(document(SERVER), indent=1, ensure_ascii=False) + "\n")
