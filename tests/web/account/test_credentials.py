"""Signing in with a password or a passkey, and managing them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import timedelta
from email.message import EmailMessage
from hashlib import sha256
from typing import Any, Literal

import cbor2
import pytest
from argon2 import PasswordHasher
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from flask import Flask
from playwright.sync_api import Browser, expect
from werkzeug.test import TestResponse

from service.config import Settings
from service.play.accounts import passkeys, passwords, recovery
from service.play.accounts.programs import bot_accounts
from service.play.notify import doors
from service.play.pages import feeds
from service.store.models import Player
from service.store.tables.credentials import Passkey, Password
from service.web import idempotency
from tests.play.conftest import Town, plain, whole
from tests.web.conftest import THOROUGH, Forms, Visitor, links, quick, words
from tests.web.live import Live, live

__all__ = ["live"]

KEYS = "/account/keys"
GOOD = "umber lantern otter"


def set_password(visitor: Visitor, password: str = GOOD) -> str:
    return words(visitor.send(KEYS, f"{KEYS}/password", password=password))


def enter(visitor: Visitor, password: str = GOOD, email: str = "ada@example.org") -> int:
    return visitor.send("/sign-in", "/sign-in/password", email=email, password=password).status_code


def subjects(town: Town) -> list[str]:
    town.work()
    return [mail["Subject"] for mail in town.post()]


def test_a_password_is_set_changed_and_removed_and_each_is_reported_by_email(
    town: Town, ada: Visitor, anybody: Visitor
) -> None:
    set_password(ada)
    assert subjects(town) == ["Your account now has a password"]
    assert enter(anybody) == 303
    assert "You're signed in as Ada." in anybody.read("/")
    set_password(ada, "another lantern otter")
    assert [enter(anybody), enter(anybody, "another lantern otter")] == [422, 303]
    ada.send(KEYS, f"{KEYS}/password/remove")
    anybody.send("/account", "/sign-out")
    assert enter(anybody, "another lantern otter") == 422
    assert subjects(town) == ["Your password was changed", "Your password was removed"]


def test_a_new_password_ends_every_other_session(ada: Visitor, sign_in: Callable[[str], Visitor]) -> None:
    phone = sign_in("ada@example.org")
    set_password(ada)
    assert ada.get("/account").status_code == 200
    assert phone.get("/account").status_code == 303


def test_a_password_is_changed_with_the_former_one_or_right_after_signing_in(
    town: Town, ada: Visitor, bruno: Visitor, anybody: Visitor
) -> None:
    set_password(ada)
    town.now += timedelta(minutes=16)
    fields = {"password": "another lantern otter"}
    assert "To change any of this, sign in again first, or enter your current password" in ada.read(KEYS)
    assert ada.send(KEYS, f"{KEYS}/password", **fields).location == "/account/prove"
    told = words(ada.send(KEYS, f"{KEYS}/password", former="wrong password", **fields))
    assert "That isn't your current password." in told
    assert ada.send(KEYS, f"{KEYS}/password", former=GOOD, **fields).location == KEYS
    assert enter(anybody, "another lantern otter") == 303
    # Somebody who finds a browser open can't set a first password, or remove one.
    assert "f" not in dict(Forms(bruno.get(KEYS).text).forms).get(f"{KEYS}/password", {})
    posts: list[tuple[str, dict[str, str]]] = [
        (f"{KEYS}/password", fields),
        (f"{KEYS}/password/remove", {}),
        (f"{KEYS}/passkey/1", {"remove": "1"}),
    ]
    for path, given in posts:
        assert bruno.client.post(path, data=given | token(bruno)).location == "/account/prove"
    for path in (f"{KEYS}/passkey/options", f"{KEYS}/passkey"):
        assert "Sign in again first" in bruno.client.post(path, data=token(bruno)).json["message"]  # type: ignore[index]


def test_a_player_signs_in_again_with_the_password_or_an_emailed_link_and_continues(town: Town, ada: Visitor) -> None:
    set_password(ada)
    for _ in range(2):
        town.now += timedelta(minutes=16)
        if _:
            assert "Each sign-in counts for 15 minutes." in ada.read("/account/prove?to=leaving.ask")
            assert ada.send("/account/prove", "/account/link").location == "/sign-in/sent"
            town.work()
            (link,) = links(town)
            answer = ada.send(link)
        else:
            answer = ada.client.post("/account/leave", data={"words": "leave"} | token(ada))
            assert answer.location == "/account/prove"
            assert ada.send("/account/prove", password="wrong password").status_code == 422
            answer = ada.send("/account/prove", password=GOOD)
        assert answer.location == "/account/leave"
        assert "To delete your account, sign in again first." not in ada.read("/account/leave")
    assert ada.read("/account/browsers").count("signed in") == 2, "this session replaced the former one"


def test_the_link_in_an_email_about_a_key_shuts_everybody_out(town: Town, ada: Visitor, anybody: Visitor) -> None:
    set_password(ada)
    town.work()
    (mail,) = town.post()
    found = re.search(r"https?://[^/\s]+(/account/not-me/\S+)", whole(mail))
    assert found is not None
    assert "Everyone else is locked out" not in anybody.read(found[1])
    assert "tokens of programs and bots revoked" in anybody.read(found[1]), "their owner has to know"
    anybody.client.post(found[1], data={"csrf_token": dict(Forms(anybody.get(found[1]).text).forms)[""]["csrf_token"]})
    assert "Everyone else is locked out" in anybody.read(found[1])
    assert ada.get("/account").status_code == 303
    assert enter(anybody) == 422
    town.now += timedelta(days=8)
    assert "This link has expired." in anybody.read(found[1])
    assert "This link is incomplete." in anybody.read(found[1][:-3])


def test_who_is_shut_out_hears_no_more_by_hooks_and_devices(town: Town, ada: Visitor, bruno: Visitor) -> None:
    bot = bot_accounts.make(town.site, ada.id, "Spy")
    for holder in (ada.id, bot.id, bruno.id):
        doors.add_hook(town.site, holder, "https://thief.example/hook", "standard", ["turn", "said"])
    set_password(ada)
    town.work()
    (found,) = (re.search(r"https?://[^/\s]+(/account/not-me/\S+)", whole(mail)) for mail in town.post())
    assert found is not None
    recovery.recover(town.site, found[1].rpartition("/")[2])
    assert [door.player_id for door in doors.of(town.site, ada.id, bot.id, bruno.id)] == [bruno.id]


def test_who_is_shut_out_no_longer_reads_the_owners_feeds(town: Town, ada: Visitor, anybody: Visitor) -> None:
    path = feeds.address(town.site, ada.id).removeprefix(town.settings.public_url)
    assert anybody.get(f"{path}/turns.xml").status_code == 200
    with town.site.transaction() as tx:
        recovery.shut_out(tx, tx.session.get_one(Player, ada.id))
    assert anybody.get(f"{path}/turns.xml").status_code == 404


def test_the_log_notes_changes_without_addresses(town: Town, ada: Visitor, caplog: pytest.LogCaptureFixture) -> None:
    set_password(ada)
    ada.send("/account/address", email="ada@new.example")
    ada.send("/account/leave", words="leave")
    told = [record.getMessage() for record in caplog.records if record.name == "service.play.accounts.account_events"]
    assert told == [
        f"account of player {ada.id}: {event}" for event in ("password-set", "address-asked", "leaving-asked")
    ]


def test_a_form_sent_twice_causes_one_email(town: Town, ada: Visitor) -> None:
    for path in ("password", "password/remove"):
        fields = {"password": GOOD, "nonce": f"once-{path}"}
        ada.send(KEYS, f"{KEYS}/password", **fields) if path == "password" else None
        for _ in range(2):
            ada.client.post(f"{KEYS}/{path}", data=fields | token(ada))
    assert subjects(town) == ["Your account now has a password", "Your password was removed"]


def token(visitor: Visitor) -> dict[str, str]:
    page = visitor.get("/account").text
    return {"csrf_token": page.partition('name="csrf_token" value="')[2].partition('"')[0]}


@pytest.mark.parametrize(
    ("password", "why"),
    [
        ("short", "A password needs at least 10 characters."),
        ("x" * 201, "A password can have up to 200 characters; this one has 201."),
        ("aaaaaaaaaaaa", "This password repeats itself"),
        ("ada@example.org", "Your email address can"),
        ("qwertyuiop", "This password is one of the first an attacker would try."),
        ("1Q2W3E4R5T", "This password is one of the first an attacker would try."),
        ("Password-2026!", "This password is one of the first an attacker would try."),
    ],
)
def test_a_bad_password_is_refused_in_a_sentence(ada: Visitor, password: str, why: str) -> None:
    assert why in set_password(ada, password)


def test_none_of_the_ten_thousand_commonest_passwords_is_accepted(town: Town) -> None:
    listed = [line for line in passwords.COMMON.read_text().splitlines() if not line.startswith("#")]
    assert len(set(listed)) == 10_000
    for common in listed:
        with pytest.raises(passwords.PasswordError):
            passwords.keep(town.site, 1, common, "once")


def test_two_passwords_are_checked_at_a_time_and_a_visitor_who_waits_too_long_reads_why(
    ada: Visitor, anybody: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_password(ada)
    monkeypatch.setattr(passwords, "HASH_PATIENCE_SECONDS", 0.0)
    assert enter(anybody, "wrong password") == 422
    with passwords.HASHES_AT_ONCE:
        assert enter(anybody, "wrong password") == 422
        with passwords.HASHES_AT_ONCE:
            answer = anybody.send("/sign-in", "/sign-in/password", email="ada@example.org", password=GOOD)
            assert answer.status_code == 503
            assert "The site is busy checking passwords. Please try again in a minute." in words(answer)
    assert enter(anybody) == 303


def test_the_log_notes_failed_sign_ins_without_addresses(
    ada: Visitor, anybody: Visitor, caplog: pytest.LogCaptureFixture
) -> None:
    set_password(ada)
    for email in ("ada@example.org", "nobody@example.org"):
        enter(anybody, "wrong password", email)
    anybody.send("/sign-in/some-token")
    assert [record.getMessage() for record in caplog.records if "sign-in" in record.getMessage()] == [
        f"sign-in by password refused for player {ada.id}: it does not fit",
        "sign-in by password refused for nobody: it does not fit",
        "sign-in by link refused for nobody: This sign-in link is incomplete. Ask for a new one.",
    ]


def test_a_password_may_have_any_letters_however_they_are_encoded(ada: Visitor, anybody: Visitor) -> None:
    set_password(ada, "grün Füße 阿达 \u00e9t\u00e9")
    assert enter(anybody, "grün Füße 阿达 e\u0301te\u0301") == 303


def test_neither_words_nor_time_reveal_what_is_wrong(
    ada: Visitor, bruno: Visitor, anybody: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_password(ada)
    checked: list[str] = []

    class Counting(PasswordHasher):
        def verify(self, kept: str | bytes, password: str | bytes) -> Literal[True]:
            checked.append(str(kept).rpartition("$")[0].rpartition("$")[0])
            return super().verify(kept, password)

    monkeypatch.setattr(passwords, "hasher", lambda: Counting(time_cost=1, memory_cost=8, parallelism=1))
    told = set()
    for email in ("ada@example.org", "bruno@example.org", "nobody@example.org", "no address"):
        answer = anybody.send("/sign-in", "/sign-in/password", email=email, password="wrong password")
        assert answer.status_code == 422
        told.add(words(answer).replace(email, ""))
    assert len(told) == 1
    assert len(checked) == 4
    assert len(set(checked)) == 1, "each takes as much work as the others"


def test_a_hash_made_with_less_work_is_replaced(
    town: Town, ada: Visitor, anybody: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(passwords, "hasher", THOROUGH)
    weak = quick().hash(GOOD)
    with town.store.writing() as session:
        session.add(Password(player_id=ada.id, hash=weak, changed=town.now))
    assert enter(anybody) == 303
    with town.store.reading() as session:
        kept = session.get_one(Password, ada.id).hash
    assert "m=8," in weak
    assert not passwords.hasher().check_needs_rehash(kept)
    anybody.send("/account", "/sign-out")
    assert enter(anybody) == 303


def test_who_is_shut_out_while_a_password_or_passkey_is_checked_is_not_signed_in(
    town: Town, ada: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_password(ada)
    with town.store.writing() as session:
        session.add(Passkey(player_id=ada.id, credential="key", public_key=b"", uses=0, name="Key", made=town.now))
    known = passkeys.of(town.site, ada.id)[0]

    def fits(*_: object) -> bool:
        with town.site.transaction() as tx:
            recovery.shut_out(tx, tx.session.get_one(Player, ada.id))
        return True

    monkeypatch.setattr(passwords, "_fits", fits)
    monkeypatch.setattr(passkeys, "_proven", lambda *_: (known, 1))
    with pytest.raises(passwords.PasswordError, match="don't match"):
        passwords.sign_in(town.site, "ada@example.org", GOOD)
    with pytest.raises(passkeys.PasskeyError, match="couldn't be checked"):
        passkeys.sign_in(town.site, "", "challenge")


def test_a_password_changed_while_somebody_signs_in_with_the_old_one_signs_them_out(
    town: Town, ada: Visitor, anybody: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_password(ada)
    real = passwords.sign_in

    def changed(*args: Any, **named: Any) -> Player:
        player = real(*args, **named)
        passwords.keep(town.site, ada.id, "another umber otter", "nonce")
        return player

    monkeypatch.setattr(passwords, "sign_in", changed)
    enter(anybody)
    assert anybody.get("/account").location == "/sign-in"


def test_who_is_shut_out_while_their_new_password_is_hashed_has_not_set_it(
    town: Town, ada: Visitor, anybody: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = passwords._hashed

    def shut_out(text: str) -> str:
        with town.site.transaction() as tx:
            recovery.shut_out(tx, tx.session.get_one(Player, ada.id))
        return real(text)

    monkeypatch.setattr(passwords, "_hashed", shut_out)
    assert "To change any of this, sign in again first." in set_password(ada)
    assert not passwords.is_set(town.site, ada.id)


def test_without_the_secret_a_copy_of_the_database_has_no_quick_way_to_check_a_guess(town: Town, app: Flask) -> None:
    def likeness(password: str) -> str:
        with app.test_request_context(f"{KEYS}/password", method="POST", data={"password": password}):
            return idempotency.likeness()

    same, other = likeness(GOOD), likeness("another lantern otter")
    assert likeness(GOOD) == same != other
    town.settings = replace(town.settings, secret="what a thief of the database would have to guess as well")
    app.extensions["site"] = town.site
    assert likeness(GOOD) != same


def test_guesses_are_limited(anybody: Visitor, ada: Visitor) -> None:
    assert [enter(anybody, f"guess {number}") for number in range(11)] == [422] * 10 + [429]
    assert enter(anybody, email="bruno@example.org") == 422


def test_guesses_from_elsewhere_do_not_keep_the_owner_out(anybody: Visitor, ada: Visitor, app: Flask) -> None:
    set_password(ada)
    stranger = Visitor(app.test_client())
    stranger.client.environ_base["REMOTE_ADDR"] = "192.0.2.66"
    assert [enter(stranger, f"guess {number}") for number in range(11)] == [422] * 10 + [429]
    assert enter(anybody) == 303


def test_a_guest_takes_their_matches_along(town: Town, ada: Visitor, anybody: Visitor) -> None:
    set_password(ada)
    path = str(anybody.send("/play", "/play/rosette").location)
    assert enter(anybody) == 303
    assert "Ada" in anybody.read(path)


def test_the_mail_names_the_key_and_says_what_to_do(town: Town, ada: Visitor) -> None:
    set_password(ada)
    town.work()
    (mail,) = town.post()
    assert isinstance(mail, EmailMessage)
    text = " ".join(plain(mail).split())
    assert "On Saturday 21 November, 12:00 (UTC), a password was set for the account Ada." in text
    assert "If it wasn't, open this page within 7 days. It signs everybody out and removes every password" in text
    assert GOOD not in mail.as_string()


def test_passkeys_are_offered_where_browsers_allow_them() -> None:
    def host(public_url: str) -> str:
        return Settings.from_environment({"STONEPOST_SECRET": "x" * 40, "PUBLIC_URL": public_url}).passkey_host

    assert host("https://play.example:8443") == "play.example"
    assert host("http://localhost:8000") == "localhost"
    assert [host(f"{where}") for where in ("http://play.example", "http://127.0.0.1:8000", "https://[::1]")] == [""] * 3


@pytest.mark.parametrize(
    "answer",
    [
        *("", "null", "[]", "{}", '"x"', "{" * 500, "\0", "\ud83d\ude00"),
        json.dumps({"id": "a", "rawId": "%%%", "type": "public-key", "response": {}}),
        json.dumps(
            {
                "id": "YQ",
                "rawId": "YQ",
                "type": "public-key",
                "response": {
                    "clientDataJSON": "e30",
                    "authenticatorData": "YQ",
                    "signature": "YQ",
                    "attestationObject": "oA",
                    "userHandle": "YQ",
                },
            }
        ),
    ],
)
def test_an_invalid_passkey_is_refused_in_a_sentence(town: Town, ada: Visitor, answer: str) -> None:
    with pytest.raises(passkeys.PasskeyError):
        passkeys.sign_in(town.site, answer, "challenge")
    with pytest.raises(passkeys.PasskeyError):
        passkeys.add(town.site, ada.id, answer, "challenge", "")


def test_libraries_for_passkeys_and_passwords_are_loaded_only_when_needed() -> None:
    code = "import sys, service.app, worker.tasks; print({'webauthn', 'argon2'} & {*sys.modules})"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "set()\n"


@dataclass
class Device:
    """A software authenticator with one passkey (WebAuthn, section 6): a key on the curve P-256, without a signature
    counter."""

    origin: str
    player: int
    key: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))
    present: int = 0x05
    """Flags: the user is present (1), and the device has verified who it is (4)."""

    def made(self, challenge: str) -> str:
        numbers = self.key.public_key().public_numbers()
        cose = {1: 2, 3: -7, -1: 1, -2: numbers.x.to_bytes(32), -3: numbers.y.to_bytes(32)}
        kept = bytes(16) + (3).to_bytes(2) + b"key" + cbor2.dumps(cose)
        attestation = {"fmt": "none", "attStmt": {}, "authData": self.data(0x40 | self.present) + kept}
        return self.said("webauthn.create", challenge, attestationObject=cbor2.dumps(attestation))

    def answer(self, challenge: str) -> str:
        client = self.client("webauthn.get", challenge)
        signature = self.key.sign(self.data(self.present) + sha256(client).digest(), ec.ECDSA(SHA256()))
        handle = f"player {self.player}".encode()
        parts = {"authenticatorData": self.data(self.present), "signature": signature, "userHandle": handle}
        return self.said("webauthn.get", challenge, **parts)

    def data(self, flags: int) -> bytes:
        return sha256(b"play.example").digest() + bytes([flags]) + bytes(4)

    def client(self, kind: str, challenge: str) -> bytes:
        return json.dumps({"type": kind, "challenge": text(challenge.encode()), "origin": self.origin}).encode()

    def said(self, kind: str, challenge: str, **parts: bytes) -> str:
        response = {name: text(part) for name, part in parts.items()}
        response["clientDataJSON"] = text(self.client(kind, challenge))
        return json.dumps({"id": text(b"key"), "rawId": text(b"key"), "type": "public-key", "response": response})


def text(raw: bytes) -> str:
    return urlsafe_b64encode(raw).decode().rstrip("=")


def test_an_answer_works_once_for_its_own_challenge_player_and_site(town: Town, ada: Visitor) -> None:
    town.settings = replace(town.settings, public_url="https://play.example")
    device = Device("https://play.example", ada.id)
    passkeys.add(town.site, ada.id, device.made("one"), "one", "My key")
    assert [key.name for key in passkeys.of(town.site, ada.id)] == ["My key"]
    assert subjects(town) == ["A passkey was added to your account: My key"]
    passkeys.add(town.site, ada.id, device.made("one"), "one", "The same")
    assert ([key.name for key in passkeys.of(town.site, ada.id)], subjects(town)) == (["My key"], [])
    answer = device.answer("two")
    for wrong, challenge in (
        (answer, "three"),
        (device.answer(""), ""),
        (replace(device, origin="https://evil.example").answer("two"), "two"),
        (replace(device, player=ada.id + 1).answer("two"), "two"),
        (replace(device, key=ec.generate_private_key(ec.SECP256R1())).answer("two"), "two"),
    ):
        with pytest.raises(passkeys.PasskeyError):
            passkeys.sign_in(town.site, wrong, challenge)
    assert passkeys.sign_in(town.site, answer, "two").id == ada.id
    with pytest.raises(passkeys.PasskeyError, match="already been used"):
        passkeys.sign_in(town.site, answer, "two")


def test_who_is_shut_out_while_their_new_passkey_is_checked_has_not_added_it(
    town: Town, ada: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    town.settings = replace(town.settings, public_url="https://play.example")
    with ada.client.session_transaction() as kept:
        visit = kept["visit"]

    def shut_out(name: str) -> str:
        with town.site.transaction() as tx:
            recovery.shut_out(tx, tx.session.get_one(Player, ada.id))
        return name

    monkeypatch.setattr(passkeys, "visible", shut_out)
    made = Device("https://play.example", ada.id).made("one")
    with pytest.raises(passkeys.PasskeyError, match="signed out on this browser"):
        passkeys.add(town.site, ada.id, made, "one", "A key", visit)
    assert passkeys.of(town.site, ada.id) == []


AUTHENTICATOR = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


@pytest.mark.processes
def test_a_passkey_is_made_named_used_and_removed(browser: Browser, live: Live) -> None:
    ada = live.person(browser, "kay@example.org")
    page = ada.page
    device = page.context.new_cdp_session(page)
    device.send("WebAuthn.enable")
    added = device.send("WebAuthn.addVirtualAuthenticator", {"options": AUTHENTICATOR})
    authenticator = added["authenticatorId"]
    page.goto(KEYS)
    page.get_by_label("Name of the new passkey").fill("My phone")
    page.get_by_role("button", name="Add a passkey").click()
    expect(page.get_by_role("status")).to_contain_text("Done.")
    name = page.get_by_label("Name of this passkey")
    expect(name).to_have_value("My phone")
    name.fill("Old phone")
    page.get_by_role("button", name="Rename").click()
    expect(name).to_have_value("Old phone")
    page.get_by_role("button", name="Add a passkey").click()
    expect(page.get_by_role("alert")).to_contain_text("The passkey wasn't created")

    def sign_in_again() -> None:
        page.goto("/account")
        with page.expect_navigation():
            page.get_by_role("button", name="Sign out").click()
        page.goto("/sign-in")
        page.get_by_role("button", name="Sign in with a passkey").click()

    sign_in_again()
    expect(page.get_by_role("status")).to_contain_text("You're signed in as Kay.")
    page.goto(KEYS)
    expect(page.locator("li")).to_contain_text("used just now")
    page.get_by_role("button", name="Remove Old phone").click()
    expect(page.get_by_label("Name of this passkey")).to_have_count(0)
    sign_in_again()
    expect(page.get_by_role("alert")).to_contain_text("This passkey doesn't belong to any account here.")
    device.send("WebAuthn.clearCredentials", {"authenticatorId": authenticator})
    page.get_by_role("button", name="Sign in with a passkey").click()
    expect(page.get_by_role("alert")).to_contain_text("No passkey was used.")
    ada.open_letter("A passkey was added to your account: My phone")
    ada.open_letter("A passkey was removed from your account: Old phone")
    assert ada.faults == []
    page.context.close()


def post(visitor: Visitor, path: str, **fields: str) -> TestResponse:
    """What the script of a page sends."""
    page = visitor.get("/sign-in" if path.startswith("/sign-in") else "/account").text
    csrf = page.partition('name="csrf_token" value="')[2].partition('"')[0]
    return visitor.client.post(path, data={"csrf_token": csrf, **fields})


def asked(visitor: Visitor, path: str) -> str:
    """The challenge for the device."""
    given = post(visitor, f"{path}/options").get_json()["challenge"]
    return urlsafe_b64decode(f"{given}==").decode()


@pytest.fixture
def device(town: Town, app: Flask, ada: Visitor) -> Device:
    """Ada's, at a site with an address for passkeys."""
    town.settings = replace(town.settings, public_url="https://play.example")
    app.extensions["site"] = town.site
    return Device("https://play.example", ada.id)


def test_a_passkey_signs_in_on_another_browser_until_it_is_removed(
    town: Town, device: Device, ada: Visitor, anybody: Visitor
) -> None:
    made = device.made(asked(ada, f"{KEYS}/passkey"))
    assert post(ada, f"{KEYS}/passkey", answer=made, name="My phone").get_json() == {"to": KEYS}
    assert "Done." in ada.read(KEYS)
    assert [key.name for key in passkeys.of(town.site, ada.id)] == ["My phone"]
    options = post(anybody, "/sign-in/passkey/options").get_json()
    assert options["userVerification"] == "preferred", "A key without a PIN or a fingerprint signs in too."
    answer = device.answer(asked(anybody, "/sign-in/passkey"))
    assert post(anybody, "/sign-in/passkey", answer=answer).get_json() == {"to": "/"}
    assert "You're signed in as Ada." in anybody.read("/")
    post(anybody, "/sign-out")
    number = str(passkeys.of(town.site, ada.id)[0].id)
    ada.send(KEYS, f"{KEYS}/passkey/{number}", remove="yes")
    assert passkeys.of(town.site, ada.id) == []
    answer = device.answer(asked(anybody, "/sign-in/passkey"))
    refused = post(anybody, "/sign-in/passkey", answer=answer)
    assert (refused.status_code, refused.get_json()["message"]) == (
        422,
        "This passkey doesn't belong to any account here. Sign in by email, then add a passkey.",
    )
    assert subjects(town) == [
        "A passkey was added to your account: My phone",
        "A passkey was removed from your account: My phone",
    ]


def test_a_challenge_is_answered_once_and_within_five_minutes(
    town: Town, device: Device, ada: Visitor, anybody: Visitor
) -> None:
    late = "That took too long. Please try again."
    challenge = asked(ada, f"{KEYS}/passkey")
    town.now += timedelta(minutes=5)
    assert post(ada, f"{KEYS}/passkey", answer=device.made(challenge)).get_json() == {"message": late}
    assert passkeys.of(town.site, ada.id) == []
    passkeys.add(town.site, ada.id, device.made("one"), "one", "My phone")
    challenge = asked(anybody, "/sign-in/passkey")
    town.now += timedelta(minutes=5, seconds=-1)
    answer = device.answer(challenge)
    wrong = post(anybody, "/sign-in/passkey", answer=device.answer("another"))
    assert (wrong.status_code, wrong.get_json()["message"]) == (422, passkeys.UNREAD)
    assert post(anybody, "/sign-in/passkey", answer=answer).get_json() == {"message": late}
    answer = device.answer(asked(anybody, "/sign-in/passkey"))
    assert post(anybody, "/sign-in/passkey", answer=answer).status_code == 200


def test_a_site_without_an_address_for_passkeys_asks_for_none(town: Town, app: Flask, ada: Visitor) -> None:
    town.settings = replace(town.settings, public_url="http://192.0.2.7")
    app.extensions["site"] = town.site
    assert post(ada, f"{KEYS}/passkey/options").status_code == 404


def add_passkey(visitor: Visitor, device: Device, name: str = "My key") -> dict[str, str]:
    """Adds a passkey as the page's script does; what the script is answered."""
    made = device.made(asked(visitor, f"{KEYS}/passkey"))
    answer: dict[str, str] = post(visitor, f"{KEYS}/passkey", answer=made, name=name).get_json()
    return answer


def test_a_guest_who_signs_in_with_a_passkey_takes_their_matches_along(
    device: Device, ada: Visitor, anybody: Visitor
) -> None:
    assert add_passkey(ada, device) == {"to": KEYS}
    match = str(anybody.send("/play", "/play/rosette").location)
    answer = device.answer(asked(anybody, "/sign-in/passkey"))
    assert set(post(anybody, "/sign-in/passkey", answer=answer).get_json()) == {"to"}
    assert "You're signed in as Ada." in anybody.read("/")
    assert "Your move" in ada.read(match)


def test_a_passkey_is_removed_by_its_owner_alone_and_once(
    town: Town, device: Device, ada: Visitor, bruno: Visitor
) -> None:
    add_passkey(ada, device)
    (kept,) = passkeys.of(town.site, ada.id)
    subjects(town)
    path = f"{KEYS}/passkey/{kept.id}"
    post(bruno, path, remove="1")
    assert [key.id for key in passkeys.of(town.site, ada.id)] == [kept.id]
    for _ in range(2):
        post(ada, path, remove="1")
    assert passkeys.of(town.site, ada.id) == []
    assert subjects(town) == ["A passkey was removed from your account: My key"]


def test_a_player_has_twenty_passkeys_at_most_and_no_device_makes_a_second_one(
    town: Town, device: Device, ada: Visitor
) -> None:
    known = [f"k{number:03}" for number in range(passkeys.MOST)]
    with town.store.writing() as session:
        for name in known:
            row = {"player_id": ada.id, "public_key": b"", "uses": 0, "name": name, "made": town.now}
            session.add(Passkey(credential=name, **row))
    options = post(ada, f"{KEYS}/passkey/options").get_json()
    assert [one["id"] for one in options["excludeCredentials"]] == known
    told = add_passkey(ada, device)
    assert told == {"message": "You already have 20 passkeys. Remove one you no longer use first."}
    assert len(passkeys.of(town.site, ada.id)) == passkeys.MOST
    passkeys.remove(town.site, ada.id, passkeys.of(town.site, ada.id)[0].id)
    assert add_passkey(ada, device) == {"to": KEYS}
