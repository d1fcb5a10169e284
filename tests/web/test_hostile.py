"""Hostile input to any form never triggers a fault in our code and is never markup, and a form sent twice counts once.

On PostgreSQL, which is the stricter of the two databases about what it accepts.
"""

from __future__ import annotations

import re
from io import BytesIO
from itertools import cycle, product
from typing import TypeAlias
from urllib.parse import quote

import pytest
from flask import Flask
from sqlalchemy import func, select

from service.play.accounts import sessions
from service.play.inbox.receive import receive
from service.store.rows import Row
from tests.cases import FULL, cases
from tests.databases import fresh_on_postgresql
from tests.play.conftest import Town
from tests.web.conftest import Forms, judge, words
from tests.web.page_types import PAGES, PASSWORD, Scenery, kept, scene

__all__ = ["kept", "scene"]

MARKUP = "<script>alert(1)</script>&amp;\"'{{7*7}}%s\u202e\U0001f4a5\r\n\ud7ff\ufffe"
HOSTILE = (MARKUP, "x" * 100_001, "9" * 40, "-" + "9" * 19, "a\0b")

UNSENT = {
    "doors.add_device": "the script's; tests/web/account/test_doors.py has it",
    "doors.change": "a button; tests/web/account/test_doors.py has it",
    "keys.add_passkey": "the script's; tests/web/account/test_credentials.py has it",
    "keys.ask_new_passkey": "the script's, without a field",
    "keys.enter_by_passkey": "the script's; tests/web/account/test_credentials.py has it",
    "keys.ask_passkey": "the script's, without a field",
    "operators.ask_passkey": "the script's, without a field",
    "operators.unlock": "the script's; tests/web/operators/test_desk.py has it",
    "keys.prove_by_password": "ends the session it is sent in; tests/web/account/test_credentials.py has it",
    "leaving.leave": "asks for one word, and accepts nothing else",
    "settings.sign_out": "a button",
    "settings.end_mail_network": "a button; tests/play/inbox/test_mail_networks.py has it",
    "auth.leave": "a button",
    "auth.enter": "uses a link up",
    "second_look.again": "a button; tests/web/match/test_second_look.py has it",
    "second_look.ask_for_dead": "a button; tests/web/match/test_second_look.py has it",
}
"""Forms that aren't filled in with hostile input, and why."""

MACHINES = {"inbound.mail", "webhooks.mailgun", "webhooks.postmark", "webhooks.sendgrid", "webhooks.ses"}
"""Endpoints for machines; tests/api has them."""


@pytest.fixture
def database(postgres: str) -> str:
    return fresh_on_postgresql(postgres)


class Ways(Forms):
    """The forms of a page, once for each address they may be sent to: a button may have its own."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        super().handle_starttag(tag, attrs)
        if tag == "button" and (elsewhere := dict(attrs).get("formaction")):
            self.forms.insert(0, (elsewhere, self.forms[-1][1]))


Known: TypeAlias = dict[tuple[str, str], tuple[str, dict[str, str]]]
"""Every form of every page once: its visitor and endpoint, with its address and its default values."""


@pytest.fixture(scope="module")
def shown() -> list[tuple[Known, dict[str, str]]]:
    """The forms and everybody's cookie after looking for them, once somebody has looked."""
    return []


@pytest.fixture
def known(scene: Scenery, shown: list[tuple[Known, dict[str, str]]]) -> Known:
    """The forms of the scene. They're the same in each copy of it, so they are looked for once."""
    if not shown:
        found = forms(scene)
        cookies = {who: visitor.client.get_cookie("stonepost") for who, visitor in scene.visitors.items()}
        shown.append((found, {who: cookie.value for who, cookie in cookies.items() if cookie}))
    ((found, held),) = shown
    for who, value in held.items():
        scene.visitors[who].client.set_cookie("stonepost", value)
    return found


def forms(scene: Scenery) -> Known:
    found: Known = {}
    for page in PAGES:
        if page.post or page.status != 200:
            continue
        path = scene.path(page)
        for action, fields in Ways(scene.visitors[page.who].get(path).text).forms:
            if not action.startswith("get "):
                found.setdefault((page.who, endpoint(scene, action or path)), (action or path, fields))
    return found


def endpoint(scene: Scenery, path: str) -> str:
    routes = scene.visitors["ada"].client.application.url_map.bind("localhost")
    return str(routes.match(path.partition("?")[0], method="POST")[0])


ASKED = """
    /?order={0} /match/1?order={0} /match/1/news?order={0} /match/1?reader={0} /match/1?turned={0}&coordinates={0}
    /match/{0} /match/1/at/{0} /match/1/explore/1?at={0} /matches?page={0}&player={0}&game={0}&state={0}
    /player/{0} /player/1?page={0} /next?after={0} /new/{0} /new/go?seats={0} /rules/{0} /rules/go?moves={0}
    /ink.css?theme={0} /sign-in/{0} /mail/stop/{0} /address/confirm/{0} /feed/{0}/turns.xml
"""
"""Addresses with places in which anything may be written."""


TOO_LONG = (
    ("match.send", "text", 2_001, "An order can have up to 2,000 characters; this one has 2,001."),
    ("match.send", "remark", 10_001, "A message can have up to 10,000 characters; this one has 10,001."),
    ("match.preview", "text", 2_001, "An order can have up to 2,000 characters; this one has 2,001."),
    ("explore.attempt", "text", 2_001, "An order can have up to 2,000 characters; this one has 2,001."),
    ("talk.say", "text", 2_001, "A message can have up to 2,000 characters; this one has 2,001."),
    ("talk.note", "text", 20_001, "A note can have up to 20,000 characters; this one has 20,001."),
    ("auth.settle", "name", 61, "A name can have 1 to 60 characters."),
    ("keys.change_passkey", "name", 61, "A passkey's name can have 1 to 60 characters."),
    ("keys.set_password", "password", 201, "A password can have up to 200 characters; this one has 201."),
    ("address.send", "email", 255, "an email address."),
    ("records.bring", "text", 200_001, "A game record can have up to 200,000 bytes; this one has 200,001."),
    ("match.send", "remark", 300_000, "That was too much at once."),
)
"""A form, its field, too many characters for it, and the error."""


def test_text_that_is_too_long_is_refused_in_a_sentence(scene: Scenery, known: Known) -> None:
    for form, field, length, sentence in TOO_LONG:
        path, fields = known["ada", form]
        answer = scene.visitors["ada"].client.post(path, data=fields | {field: "x" * length})
        assert answer.status_code in (413, 422), form
        assert sentence in words(answer), form


def test_names_of_files_and_browsers_are_not_markup(scene: Scenery) -> None:
    ada = scene.visitors["ada"]
    fields = next(fields for _, fields in Ways(ada.get("/import").text).forms if "text" in fields)
    named = ada.client.post("/import", data=fields | {"file": (BytesIO(b"nonsense"), MARKUP.splitlines()[0])})
    assert named.status_code == 422
    sessions.begin(scene.town.site, ada.id, MARKUP)
    for text in (named.text, ada.get("/account/browsers").text):
        assert "<script>alert" not in text


def test_zero_bytes_in_emails_do_no_harm(town: Town, scene: Scenery) -> None:
    town.post()
    lines = (
        "name A\0da",
        "match 1",
        "say Hel\0lo",
        "preview e\0 9",
        "e\0 9",
        "address x\0y@example.org",
        "new go vs x\0y@example.org",
        "zone Eu\0rope/Lisbon",
        "say to bl\0ack: Hello",
    )
    for number, line in enumerate((*lines, "\n".join(lines))):
        raw = f"From: bruno@example.org\nSubject: \0{line}\nMessage-ID: <{number}\0@mail.example>\n\n{line}\n"
        receive(town.site, raw.encode(), [f"play@{town.settings.mail_domain}"], "smtp")
        town.work()
    assert len([mail for mail in town.post() if mail["To"].addresses[0].addr_spec == "bruno@example.org"]) >= 10


def test_no_request_causes_a_fault_in_our_code(app: Flask, scene: Scenery) -> None:
    app.config.update(PROPAGATE_EXCEPTIONS=False, TESTING=False)
    faults = []
    for who, path, value in product(("ada", "anybody"), ASKED.split(), (*HOSTILE[2:], MARKUP, "x" * 3_000)):
        answer = scene.visitors[who].get(path.format(quote(value)))
        if answer.status_code >= 500 or "<script>alert" in answer.text:
            faults.append(f"{path} {value[:20]!r} as {who}: {answer.status_code}")
    assert not faults, "\n".join(faults)


FILLED = {
    "lobby.open_match": {"other1": "open"},
    "match.send": {"text": "e11"},
    "explore.attempt": {"text": "f9"},
    "talk.say": {"text": "A word"},
    "talk.note": {"text": "A note"},
    "comments.add": {"text": "A comment"},
    "auth.send": {"email": "fred@example.org"},
    "auth.settle": {"name": "Countess"},
    "keys.enter_by_password": {"email": "bruno@example.org", "password": PASSWORD},
    "keys.set_password": {"password": PASSWORD},
    "address.send": {"email": "ada@third.example"},
    "doors.add": {"address": "https://bot.example.org/hook", "format": "standard", "events": "turn"},
    "records.bring": {"text": "# stonepost replay go --set size=9\nblack: e5\n"},
    "programs.make_bot": {"bot": "Lily"},
    "peace.report": {"text": "They cheat."},
    "peace.block": {"block": "yes"},
    "lobby.answer": {"answer": "accept"},
    "wishes.make": {"game": "lotus"},
    "events.found": {"name": "Spring cup", "game": "lotus", "clock": "3d/move", "seats": "2"},
    "post_office.answer": {"text": "status"},
}
"""What a person would type into forms that are empty by default."""

TWICE = {
    "auth.send": "asks for two links, and both work",
    "settings.send_link": "asks for two links, and both work",
    "post_office.answer": "sends two mails, as a mail program would",
}
"""Forms that count twice if they are sent twice, and why."""

REFUSED = {"post.stopped", "post_office.answer"}
"""Forms that are refused here: only their reader can stop emails, and no listener accepts the answers."""


def test_a_form_sent_twice_counts_once(town: Town, scene: Scenery, known: Known) -> None:
    """The second answer isn't an error, and adds no row."""
    faults = []
    for (who, name), (path, fields) in known.items():
        if name in UNSENT and name != "auth.enter":
            continue
        client, sent = scene.visitors[who].client, fields | FILLED.get(name, {})
        cookie = client.get_cookie("stonepost")
        assert cookie is not None
        first = client.post(path, data=sent)
        town.work()
        before = rows(town)
        # The second press of a button comes with the same cookie as the first.
        client.set_cookie("stonepost", cookie.value)
        second = client.post(path, data=sent)
        client.set_cookie("stonepost", cookie.value)
        town.work()
        if (first.status_code, second.status_code) not in ((303, 303), (200, 200)) and name not in REFUSED:
            faults.append(f"{name}: {first.status_code}, again {second.status_code}")
        if name not in TWICE and rows(town) != before:
            faults.append(f"{name}: {rows(town).items() - before.items()}")
        reproach = re.search(r'class="note[^>]*role="status">([^<]*)', scene.visitors[who].get("/rules").text)
        if reproach and re.search("already|not open|not invited", reproach[1]):
            faults.append(f"{name}: {reproach[1]}")
    assert not faults, "\n".join(faults)


def rows(town: Town) -> dict[str, int]:
    """How many rows each table has, except used links and browsers."""
    with town.store.reading() as session:
        return dict(session.execute(COUNTED).one()._mapping)


COUNTED = select(
    *(
        select(func.count()).select_from(table).scalar_subquery().label(table.name)
        for table in Row.metadata.sorted_tables
        if table.name not in ("visit", "used_link")
    )
)


def test_no_form_causes_a_fault_in_our_code_or_becomes_markup(
    app: Flask, town: Town, scene: Scenery, known: Known
) -> None:
    app.config.update(PROPAGATE_EXCEPTIONS=False, TESTING=False)
    reached = {name for _, name in known}
    posts = {rule.endpoint for rule in app.url_map.iter_rules() if "POST" in (rule.methods or ())}
    posts = {endpoint for endpoint in posts if not endpoint.startswith("api.")}  # tests/api has these
    assert posts - reached - UNSENT.keys() - MACHINES == set(), "a form that no page shows"
    faults, turns = [], cycle(HOSTILE)
    for (who, name), (path, fields) in known.items():
        if name in UNSENT:
            continue
        for field in sorted(fields.keys() - {"csrf_token"}):
            for value in HOSTILE if FULL else (next(turns),):
                answer = scene.visitors[who].client.post(path, data=fields | {field: value})
                if answer.status_code >= 500 or "<script>alert" in answer.text:
                    faults.append(f"{name} {field}={value[:20]!r}: {answer.status_code}")
    judge(town)
    for page in PAGES:
        for _ in range(cases(1, full=2)):
            answer = scene.visitors[page.who].get(scene.path(page).partition("?")[0])
            if answer.status_code >= 500 or "<script>alert" in answer.text:
                faults.append(f"{page.path}: {answer.status_code}")
    assert not faults, "\n".join(faults)
