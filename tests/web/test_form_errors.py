"""If a form is filled in wrongly, the reason is beside the field, and everything that was typed is still there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from html.parser import HTMLParser
from io import BytesIO

import pytest
from werkzeug.test import TestResponse

from service.bots.roster import OPPONENTS
from service.play.accounts import identity, sessions
from tests.play.conftest import Town
from tests.web.conftest import Visitor, words
from tests.web.page_types import PAGES, PASSWORD, Scenery, kept, scene
from tests.web.test_hostile import endpoint

__all__ = ["kept", "scene"]

CUP = {"name": "Spring cup", "game": "lotus", "clock": "3d/move", "seats": "2"}

TYPED = ("text", "email", "password", "file", "number", "search")
"""Types of fields in which people type, or choose a file."""


class Fields(HTMLParser):
    """The fields of a page by their ids, the sentences with ids, and the fields that are folded away."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.fields: dict[str, dict[str, str]] = {}
        self.posted: list[tuple[str, str]] = []
        """Pairs of a form's address, if it posts, and a field in which people type."""
        self.sentences: dict[str, str] = {}
        self.labels: set[str] = set()
        self.folded: set[str] = set()
        self.closed: list[bool] = []
        self.open = ""
        self.action = ""
        self.last = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "details":
            self.closed.append("open" not in given)
        if tag == "form":
            self.action = given.get("action", "here") if given.get("method") == "post" else ""
        if tag == "label":
            self.labels.add(given.get("for", ""))
        if tag in ("input", "textarea", "select"):
            name = given.get("id") or f"{given.get('name')} {given.get('value')}"
            self.fields[name] = given | {"tag": tag}
            if any(self.closed):
                self.folded.add(name)
            if self.action and (tag == "textarea" or (tag == "input" and given.get("type", "text") in TYPED)):
                self.posted.append((self.action, given.get("name", "")))
            self.last = name
        if tag == "option" and "selected" in given:
            self.fields[self.last]["value"] = given.get("value", "")
        self.open = given.get("id", "") if tag in ("p", "textarea") else self.open

    def handle_endtag(self, tag: str) -> None:
        if tag == "details":
            self.closed.pop()
        if tag in ("p", "textarea"):
            self.open = ""
        if tag == "form":
            self.action = ""

    def handle_data(self, data: str) -> None:
        if self.open:
            self.sentences[self.open] = self.sentences.get(self.open, "") + data

    def value(self, name: str) -> set[str]:
        """The values of the fields with this name; of boxes, only those ticked."""
        found = [(key, given) for key, given in self.fields.items() if given.get("name") == name]
        return {
            self.sentences.get(key, "") if given["tag"] == "textarea" else given.get("value", "")
            for key, given in found
            if given.get("type") not in ("radio", "checkbox") or "checked" in given
        }


@dataclass(frozen=True)
class Wrong:
    """A form filled in wrongly: who sends it from which page, to where, and what the page says beside which fields."""

    name: str
    who: str
    page: str
    action: str
    typed: dict[str, str]
    says: dict[str, str]
    status: int = 422
    hidden: tuple[str, ...] = field(default=("password", "former"))


NEW = ("lobby.open_match", "ada", "/new/rosette", "")
ACCOUNT = ("auth.settle", "ada", "/account", "")
WRONG = (
    Wrong(
        *NEW,
        {"other1": "email", "address1": "bruno"},
        {"address1": "'bruno' isn't an email address. An email address looks like ada@example.org."},
    ),
    Wrong(*NEW, {"other1": "email", "address1": ""}, {"address1": "Type an email address, such as ada@example.org."}),
    Wrong(
        *NEW,
        {"other1": "email", "address1": "ada@example.org", "own": "1"},
        {"address1": "Each player can take only one seat: every address must be different, and none can be your own."},
    ),
    Wrong(
        *NEW,
        {"other1": "email", "address1": "bruno@example.org", "mates1": "eva@example.org bruno@example.org"},
        {"mates1": "Each player can take only one seat: every address must be different, and none can be your own."},
    ),
    Wrong(
        *NEW,
        {"other1": "open", "mates0": "nobody", "own_clock": "1d/move"},
        {"mates0": "'nobody' isn't an email address. An email address looks like ada@example.org."},
    ),
    Wrong(
        *NEW,
        {"other1": f"bot {OPPONENTS['rosette'][0].name.lower()}", "mates1": "open"},
        {"mates1": "A computer opponent can't share a seat: only people can."},
    ),
    Wrong(*NEW, {"other1": "open", "own_clock": "yesterday"}, {"own_clock": "'yesterday'"}),
    Wrong(*NEW, {"other1": "open", "setup": "black:zz"}, {"setup": "setup: there's no point 'zz' on this board."}),
    Wrong(*ACCOUNT, {"name": "Player 7", "hours": "7"}, {"name": "Names like Player 7 are reserved."}),
    Wrong(
        *ACCOUNT,
        {"name": "x" * 61, "zone": "Atlantis", "hours": "25", "most": "many"},
        {
            "name": "A name can have 1 to 60 characters.",
            "zone": "'Atlantis' isn't a time zone we know. Write it like Europe/Lisbon.",
            "hours": "Write hours of the day from 0 to 23, such as 8 20.",
            "most": "Choose between 1 and 10,000 emails a day, or none for no limit.",
        },
    ),
    Wrong("auth.send", "anybody", "/sign-in", "/sign-in", {"email": "ada"}, {"email": "'ada' isn't an email address."}),
    Wrong("auth.enter", "anybody", "{knock}", "", {"name": "Player 7"}, {"name": "Names like Player 7 are reserved."}),
    Wrong(
        "keys.enter_by_password",
        "anybody",
        "/sign-in",
        "/sign-in/password",
        {"email": "bruno@example.org", "password": "not this one"},
        {"password": "This email address and password don't match. Try again, or sign in with a link by email."},
    ),
    Wrong(
        "keys.prove_by_password",
        "bruno",
        "/account/prove",
        "",
        {"password": "not this one"},
        {"password": "This email address and password don't match."},
    ),
    Wrong(
        "keys.set_password",
        "ada",
        "/account/keys",
        "/account/keys/password",
        {"password": "xyzzy"},
        {"password": "A password needs at least"},
    ),
    Wrong(
        "keys.set_password",
        "stale",
        "/account/keys",
        "/account/keys/password",
        {"former": "not this one", "password": "umber lantern weasel"},
        {"former": "That isn't your current password."},
    ),
    Wrong(
        "keys.change_passkey",
        "ada",
        "/account/keys",
        "/account/keys/passkey/1",
        {"name": "y" * 61},
        {"passkey-1": "A passkey's name can have 1 to 60 characters."},
    ),
    Wrong(
        "programs.make_token",
        "ada",
        "/account/programs",
        "/account/programs",
        {"name": "x" * 61},
        {"token-name": "A name can have 1 to 60 characters."},
    ),
    Wrong(
        "programs.make_bot",
        "ada",
        "/account/programs",
        "/account/programs/bots",
        {"bot": "x" * 55},
        {"bot": "A bot's name can have 1 to 54 characters."},
    ),
    Wrong(
        "address.send", "ada", "/account/address", "", {"email": "ada@"}, {"email": "'ada@' isn't an email address."}
    ),
    Wrong(
        "leaving.leave", "ada", "/account/leave", "", {"words": "stay"}, {"words": "Type the word leave to confirm."}
    ),
    Wrong("match.send", "bruno", "{mine}", "{mine}/order", {"text": "x" * 2001}, {"text": "An order can have up to"}),
    Wrong(
        "match.send",
        "bruno",
        "{mine}",
        "{mine}/order",
        {"text": "f9", "remark": "x" * 10_001},
        {"remark": "A message can have up to 10,000 characters; this one has 10,001."},
    ),
    Wrong(
        "explore.attempt",
        "ada",
        "{tried}",
        "{mine}/explore/1/try",
        {"text": "z99"},
        {"text": "There's no point z99 on this board."},
    ),
    Wrong(
        "talk.say",
        "ada",
        "{mine}",
        "{mine}/say",
        {"text": "x" * 2001},
        {"words": "A message can have up to 2,000 characters; this one has 2,001."},
    ),
    Wrong(
        "talk.note",
        "ada",
        "{mine}",
        "{mine}/note",
        {"text": "x" * 20_001},
        {"words": "A note can have up to 20,000 characters; this one has 20,001."},
    ),
    Wrong(
        "lobby.offer_seat",
        "ada",
        "{sealed}",
        "{sealed}/seat",
        {"heir": "somebody", "address": "carla"},
        {"heir": "'carla' isn't an email address."},
    ),
    Wrong(
        "lobby.offer_seat",
        "ada",
        "{sealed}",
        "{sealed}/seat",
        {"heir": "somebody", "address": ""},
        {"heir": "Type an email address, such as ada@example.org."},
    ),
    Wrong(
        "comments.add",
        "ada",
        "{over}/at/0",
        "{over}/at/0/comment",
        {"text": " "},
        {"comment": "Your comment is empty."},
    ),
    Wrong("wishes.make", "ada", "/wishes", "", {"game": ""}, {"games": "Which games would you like to play?"}),
    Wrong(
        "wishes.make",
        "ada",
        "/wishes",
        "",
        {"game": "lotus", "most": "many", "lowest": "1d", "highest": "-1"},
        {
            "most": "Write how many matches at once as a number, not as 'many'.",
            "lowest": "Write the lowest rating as a number, not as '1d'.",
            "highest": "Write the highest rating as a number, not as '-1'.",
        },
    ),
    Wrong(
        "wishes.make",
        "ada",
        "/wishes",
        "",
        {"game": "lotus", "most": "3", "lowest": "1700", "highest": "1300"},
        {"lowest": "Write the ratings from the lower to the higher one"},
    ),
    Wrong(
        "events.found",
        "ada",
        "/events",
        "",
        CUP | {"name": "Spring"},
        {"name": "The name must contain the word cup and"},
    ),
    Wrong(
        "events.found",
        "ada",
        "/events",
        "",
        CUP | {"kind": "tour", "name": "Spring tour", "lowest": "1500"},
        {"lowest": "Everybody can join a ladder or a tour."},
    ),
    Wrong("events.found", "ada", "/events", "", CUP | {"seats": "5"}, {"seats": "Lotus is for 2 players at a table."}),
    Wrong("events.found", "ada", "/events", "", CUP | {"lowest": "x"}, {"lowest": "Write a rating as a number"}),
    Wrong("events.found", "ada", "/events", "", CUP | {"highest": "-1"}, {"highest": "Write a rating as a number"}),
    Wrong(
        "events.found",
        "ada",
        "/events",
        "",
        CUP | {"lowest": "1700", "highest": "1300"},
        {"lowest": "The lowest rating can't be above the highest one."},
    ),
    Wrong("records.bring", "ada", "/import", "", {"text": "e4 e5"}, {"text": ""}),
    Wrong(
        "peace.report",
        "ada",
        "/player/{bruno}",
        "/player/{bruno}/report",
        {"text": " "},
        {"report": "Please say in a few words what happened."},
    ),
    Wrong(
        "post.stopped",
        "anybody",
        "{stop}",
        "",
        {"address": "eve@example.org"},
        {"address": "These emails go to another address. Type the one they come to."},
        403,
    ),
    Wrong(
        "post_office.answer",
        "anybody",
        "/post-office/1",
        "/post-office/1/answer",
        {"text": "e9"},
        {"text": "The mail server on port 2525 didn't accept the reply"},
    ),
)

OTHERWISE = {
    ("keys.add_passkey", "name"): "the script's, which shows the sentence in its form",
    ("keys.enter_by_password", "email"): "the answer doesn't reveal which of the two is wrong",
    ("match.send", "text"): "a pause that can't be is an order that is refused",
}
"""Fields whose errors aren't in the table, and why."""


def sent(scene: Scenery, wrong: Wrong) -> TestResponse:
    page, action = wrong.page.format(**scene.places), wrong.action.format(**scene.places)
    visitor = scene.visitors[wrong.who]
    return visitor.send(page, action, **wrong.typed)


@pytest.fixture
def crowd(scene: Scenery) -> Scenery:
    """The scenery, with Bruno as `stale`, because he signed in too long ago to change the account without his
    password."""
    ada, bruno = scene.visitors["ada"], scene.visitors["bruno"]
    stale = Visitor(bruno.client.application.test_client(), bruno.id)
    key = sessions.begin(scene.town.site, bruno.id, "Firefox on Linux")
    with stale.client.session_transaction() as session:
        session["visit"] = key
    scene.town.now += sessions.FRESH_FOR + timedelta(minutes=1)
    scene.visitors["stale"] = stale
    with ada.client.session_transaction() as session:
        session["visit"] = sessions.begin(scene.town.site, ada.id, "Firefox on Linux")
    return scene


def faults(wrong: Wrong, answer: TestResponse) -> list[str]:
    """What is wrong with the page that answers."""
    page = Fields(answer.text)
    found = [] if answer.status_code == wrong.status else [f"answered with {answer.status_code}"]
    marked = {name for name, given in page.fields.items() if given.get("aria-invalid") == "true"}
    if marked != wrong.says.keys():
        return [*found, f"marked are {marked}, not {wrong.says.keys()}: {words(answer)[:300]}"]
    for name, sentence in wrong.says.items():
        if f"{name}-error" not in page.fields[name]["aria-describedby"].split():
            found.append(f"{name} is not described by its error")
        if not page.sentences.get(f"{name}-error", "").startswith(sentence) or not page.sentences[f"{name}-error"]:
            found.append(f"{name}: {page.sentences.get(f'{name}-error')}")
        if name not in page.labels:
            found.append(f"{name} has no label")
        if name in page.folded:
            found.append(f"{name} is folded away")
    first = next(name for name in page.fields if name in wrong.says)
    if [name for name, given in page.fields.items() if "autofocus" in given] != [first]:
        found.append("the first wrong field does not have the focus")
    for name, value in wrong.typed.items():
        if name in wrong.hidden:
            found += [f"{name} is given back"] if page.value(name) - {""} or value in answer.text else []
        elif value and value not in page.value(name):
            found.append(f"{name} is lost: {page.value(name)}")
    return [f"{wrong.name} {[*wrong.typed]}: {fault}" for fault in found]


def test_every_error_is_beside_its_field_and_nothing_typed_is_lost(crowd: Scenery) -> None:
    found = [fault for wrong in WRONG for fault in faults(wrong, sent(crowd, wrong))]
    assert not found, "\n".join(found)


def test_no_field_that_people_type_in_is_missing_from_the_table(crowd: Scenery) -> None:
    typed = set()
    for page in PAGES:
        if not page.post and page.status == 200:
            path = crowd.path(page)
            for action, name in Fields(crowd.visitors[page.who].get(path).text).posted:
                typed.add((endpoint(crowd, path if action == "here" else action), name))
    known = {(wrong.name, name) for wrong in WRONG for name in wrong.typed}
    options = {("lobby.open_match", f"{kind}{number}") for kind in ("address", "mates") for number in range(8)}
    missing = typed - known - options - OTHERWISE.keys()
    assert missing == {("records.bring", "file")}  # The test of a file that isn't a record has it.


def test_a_field_is_described_by_its_hint(crowd: Scenery) -> None:
    ada = crowd.visitors["ada"]
    for path, fields in {"/account": ("zone", "hours", "most"), "/new/go": ("own_clock",)}.items():
        shown = Fields(ada.get(path).text).fields
        described = {name: shown[name]["aria-describedby"] for name in fields}
        assert described == {name: f"{name.replace('_', '-')}-hint" for name in fields}


def test_a_file_that_is_not_a_record_is_marked_as_wrong(scene: Scenery) -> None:
    fields = {"csrf_token": "", "text": ""}
    ada = scene.visitors["ada"]
    page = ada.get("/import").text
    fields["csrf_token"] = page.partition('name="csrf_token" value="')[2].partition('"')[0]
    answer = ada.client.post("/import", data=fields | {"file": (BytesIO(b"nonsense"), "match.txt")})
    shown = Fields(answer.text)
    assert answer.status_code == 422
    assert shown.fields["file"]["aria-describedby"] == "file-error"
    assert shown.sentences["file-error"]


def test_a_player_without_a_name_reads_beside_the_field_what_is_wrong_with_one(
    town: Town, anybody: Visitor, sign_in: Callable[[str], Visitor]
) -> None:
    dora = sign_in("dora@example.org")
    with town.store.writing() as session:
        player = identity.by_email(session, "dora@example.org", town.now)
        player.name = player.number_name
    wrong = Wrong("lobby.open_match", "", "", "", {"name": "Guest 3", "address1": "eve@example.org"}, {"name": "Names"})
    assert not faults(wrong, dora.send("/new/go", name="Guest 3", address1="eve@example.org", other1="email"))


def test_an_error_of_the_whole_form_is_above_it(scene: Scenery) -> None:
    answer = scene.visitors["bruno"].send("/account", "", to=f"{scene.places['mine']}/seat", heir="anybody")
    assert 'role="alert" tabindex="-1" autofocus>This match doesn&#39;t allow substitutes.</p>' in answer.text
    assert PASSWORD not in answer.text
