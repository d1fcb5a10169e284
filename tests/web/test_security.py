"""The policy, the tokens and the limits of every page, and sentences for errors."""

from __future__ import annotations

import logging
import re
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from flask import Flask
from flask.sessions import SecureCookieSessionInterface
from itsdangerous import TimestampSigner

from service.app import create_app
from service.play.accounts import identity, sessions
from service.store.tables.credentials import Visit
from service.web.security import limiter
from tests.play.conftest import Town
from tests.web.conftest import Forms, Visitor, words

PAGES = ("/", "/sign-in", "/sign-in/sent", "/sign-in/some-token", "/new", "/rules", "/rules/rosette", "/nowhere")


def test_every_answer_has_its_policy(ada: Visitor, match: str) -> None:
    for path in (*PAGES, match, f"{match}/news"):
        headers = ada.get(path).headers
        assert headers["Content-Security-Policy"].startswith("default-src 'none'; script-src 'self'; style-src 'self'")
        assert "unsafe" not in headers["Content-Security-Policy"]
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "same-origin"


def test_a_file_that_is_not_a_page_is_only_used_as_its_type(anybody: Visitor) -> None:
    headers = anybody.get("/ink.css").headers
    assert headers["Content-Type"].startswith("text/css")
    assert (headers["X-Content-Type-Options"], headers["Cross-Origin-Resource-Policy"]) == ("nosniff", "same-origin")


def test_pages_are_fetched_again_and_files_are_cached(anybody: Visitor) -> None:
    page = anybody.get("/")
    assert page.headers["Cache-Control"] == "no-store"
    for path in re.findall(r'"(/static/[^"]+)"', page.text):
        with anybody.get(path) as file:
            assert "max-age=31536000" in file.headers["Cache-Control"]


@pytest.mark.parametrize(
    "path", ["/sign-in", "/sign-in/token", "/sign-out", "/account", "/new/rosette", "/match/1/order"]
)
def test_nothing_happens_without_the_forms_token(ada: Visitor, path: str) -> None:
    answer = ada.client.post(path, data={"email": "eve@example.org"})
    assert answer.status_code == 400
    assert "Go back, reload the page and try again." in words(answer)


def test_the_cookie_is_only_for_this_site(town: Town, app: Flask) -> None:
    def cookie(public_url: str) -> str:
        site = replace(town.site, settings=replace(town.settings, public_url=public_url))
        return create_app(site).test_client().get("/sign-in", base_url=public_url).headers["Set-Cookie"]

    assert "HttpOnly" in cookie("http://localhost")
    assert "SameSite=Lax" in cookie("http://localhost")
    assert "Secure" not in cookie("http://localhost")
    assert "Secure" in cookie("https://play.example")


@pytest.mark.parametrize("seconds", [-90, 90])
def test_a_machine_whose_clock_differs_does_not_sign_anybody_out(
    ada: Visitor, seconds: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = time.time() + seconds
    monkeypatch.setattr(TimestampSigner, "get_timestamp", lambda _: int(now))
    assert ada.get("/account").status_code == 200
    assert ada.send("/account", "/sign-out").headers["Location"] == "/"


def test_with_tls_no_other_host_of_the_domain_can_set_the_cookie(town: Town) -> None:
    settings = replace(town.settings, redis_url="memory://", public_url="https://play.example")
    app = create_app(replace(town.site, settings=settings))
    client = app.test_client()
    cookie = client.get("/sign-in", base_url="https://play.example").headers["Set-Cookie"]
    assert cookie.startswith("__Host-stonepost=")
    assert "Domain=" not in cookie
    assert {"Secure", "HttpOnly", "Path=/"} <= set(cookie.split("; "))


def test_a_cookie_with_the_former_name_works_once_and_only_if_it_is_that_old(town: Town) -> None:
    with town.store.writing() as session:
        ada, eve = (identity.by_email(session, f"{name}@example.org", town.now).id for name in ("ada", "eve"))
        before = {"device": "", "began": town.now, "seen": town.now}
        session.add(Visit(key=sessions.stored_before("old key"), player_id=ada, **before))
    settings = replace(town.settings, redis_url="memory://", public_url="https://play.example")
    app = create_app(replace(town.site, settings=settings))

    def account(key: str) -> int:
        client = app.test_client()
        signer = SecureCookieSessionInterface().get_signing_serializer(app)
        assert signer is not None
        client.set_cookie("stonepost", str(signer.dumps({"visit": key})), domain="play.example")
        first, second = (client.get("/account", base_url="https://play.example") for _ in range(2))
        assert first.status_code == second.status_code
        return first.status_code

    assert account("old key") == 200
    # A newer session: another host of the domain set such a cookie, to sign somebody in as somebody else.
    assert account(sessions.begin(town.site, eve, "Firefox")) == 303


def test_each_player_has_limits_of_their_own_wherever_they_are(town: Town, ada: Visitor, bruno: Visitor) -> None:
    """Two players share an address here, as in a school; and one player with two addresses has one limit."""
    page = Forms(ada.get("/account/keys").text).forms
    fields = dict(page)["/account/keys/password"] | {"password": "short"}

    def asked(visitor: Visitor, address: str) -> int:
        return visitor.client.post(
            "/account/keys/password", data=fields | token(visitor), environ_base={"REMOTE_ADDR": address}
        ).status_code

    assert [asked(ada, "192.0.2.1") for _ in range(20)] == [422] * 20
    assert asked(ada, "192.0.2.1") == asked(ada, "198.51.100.9") == 429
    assert asked(bruno, "192.0.2.1") == 422
    refused = ada.client.post("/account/keys/password", data=fields | token(ada))
    assert re.search(r"Too many requests\. Try again in (1 hour|5\d minutes)\.", refused.text)
    assert 3_000 <= int(refused.headers["Retry-After"]) <= 3_600


def token(visitor: Visitor) -> dict[str, str]:
    page = visitor.get("/account").text
    return {"csrf_token": page.partition('name="csrf_token" value="')[2].partition('"')[0]}


@pytest.mark.parametrize(
    ("method", "path", "code", "sentence"),
    [
        ("GET", "/nowhere", 404, "There's no such page here."),
        ("DELETE", "/rules", 405, "This address doesn't work that way."),
        ("GET", "/match/1/order", 405, "This address doesn't work that way."),
    ],
)
def test_errors_are_explained_in_sentences(anybody: Visitor, method: str, path: str, code: int, sentence: str) -> None:
    answer = anybody.client.open(path, method=method)
    assert answer.status_code == code
    assert sentence in words(answer)
    told = anybody.client.open(path, method=method, headers={"Accept": "application/json"})
    assert sentence in (told.json or {})["message"]


def test_a_script_learns_that_its_player_was_signed_out_elsewhere(town: Town, ada: Visitor, match: str) -> None:
    token = dict(Forms(ada.get(match).text).forms)[f"{match}/order"]["csrf_token"]
    sessions.end_all(town.site, ada.id)
    form = {"csrf_token": token, "text": "e9"}
    told = ada.client.post(f"{match}/preview", data=form, headers={"Accept": "application/json"})
    assert (told.status_code, told.json) == (
        401,
        {"message": "You're no longer signed in on this browser. Sign in, then reload this page."},
    )
    with ada.client.session_transaction() as session:
        assert session["wanted"] == match, "Signing in leads back to the match."


def test_a_form_that_is_too_large_is_refused(ada: Visitor, match: str) -> None:
    answer = ada.send(match, f"{match}/order", text="e9", remark="x" * 300_000)
    assert answer.status_code == 413
    assert "That was too much at once." in words(answer)


@pytest.mark.parametrize("gone", ["seat", "visit"])
def test_a_fault_in_our_code_is_a_page_too(app: Flask, town: Town, ada: Visitor, gone: str) -> None:
    app.config.update(TESTING=False, PROPAGATE_EXCEPTIONS=False)
    town.store.close()
    with town.store.writing() as session:
        session.connection().exec_driver_sql(f"DROP TABLE {gone}")
    answer = ada.get("/account" if gone == "visit" else "/")
    assert answer.status_code == 500
    assert "Something went wrong on our side." in words(answer)


def test_the_client_address_is_read_from_as_many_proxies_as_there_are(town: Town) -> None:
    def asked(proxies: int) -> set[int]:
        settings = replace(town.settings, redis_url="memory://", proxies=proxies)
        client = create_app(replace(town.site, settings=settings)).test_client()
        guesses = ({"X-Forwarded-For": f"192.0.2.{n}"} for n in range(30))
        return {client.post("/inbound/mail", headers=headers).status_code for headers in guesses}

    assert asked(proxies=0) == {401, 429}
    assert asked(proxies=1) == {401}


def ask_link(app: Flask, address: str, email: str, guest: bool = False) -> int:
    """The status of asking for a sign-in link in a new browser at this address; as a `guest`, after beginning a
    match."""
    visitor = Visitor(app.test_client())
    visitor.client.environ_base["REMOTE_ADDR"] = address
    if guest:
        assert visitor.send("/play", "/play/rosette").status_code == 303
    return visitor.send("/sign-in", "/sign-in", email=email).status_code


def invite(visitor: Visitor, address: str, *emails: str) -> int:
    """The status of inviting people to one match from this address."""
    visitor.client.environ_base["REMOTE_ADDR"] = address
    others = {f"other{number}": "email" for number, _ in enumerate(emails, 1)}
    invited = {f"address{number}": email for number, email in enumerate(emails, 1)}
    game = "multigo" if len(emails) > 1 else "rosette"
    return visitor.client.post(
        f"/new/{game}", data={"seats": str(len(emails) + 1), "name": "Me", **others, **invited, **token(visitor)}
    ).status_code


def test_all_players_at_one_address_share_one_limit_of_invitations(ada: Visitor, bruno: Visitor) -> None:
    for number in range(5):
        assert invite(ada, "192.0.2.1", *(f"a{number}.{other}@example.org" for other in range(4))) == 303
    for number in range(10):
        assert invite(bruno, "192.0.2.1", f"b{number}@example.org") == 303
    assert invite(bruno, "192.0.2.1", "eve@example.org") == invite(ada, "192.0.2.1", "eve@example.org") == 429
    assert ada.client.post("/new/rosette", data={"other1": "open", **token(ada)}).status_code == 303
    assert invite(bruno, "198.51.100.9", "eve@example.org") == 303


def test_the_addresses_of_one_ipv6_customer_share_one_limit_of_invitations(ada: Visitor) -> None:
    for number in range(30):
        codes = invite(ada, f"2001:db8:1:2::{number:x}", f"p{number}@example.org")
        assert codes == 303, number
    ada.client.environ_base["REMOTE_ADDR"] = "2001:db8:1:2:ffff::1"
    for offered in ({"heir": "somebody", "address": "eve@example.org"}, {"heir": "eve@example.org"}):
        assert ada.client.post("/match/1/seat", data=offered | token(ada)).status_code == 429


def test_guests_and_the_addresses_of_one_ipv6_customer_share_one_limit_of_sign_in_links(app: Flask) -> None:
    """One customer has a /64; a guest costs nothing and brings no limit of its own."""
    for number in range(20):
        assert ask_link(app, f"2001:db8:1:2::{number:x}", f"p{number}@example.org", guest=number % 5 == 0) == 303
    assert ask_link(app, "2001:db8:1:2:ffff::1", "eve@example.org", guest=True) == 429
    assert ask_link(app, "2001:db8:1:3::1", "eve@example.org") == 303


def test_ipv4_addresses_on_a_dual_stack_socket_have_a_limit_each(app: Flask) -> None:
    for number in range(20):
        assert ask_link(app, "::ffff:192.0.2.1", f"p{number}@example.org") == 303
    assert ask_link(app, "192.0.2.1", "eve@example.org") == 429
    assert ask_link(app, "::ffff:192.0.2.2", "eve@example.org") == 303


@pytest.mark.parametrize("asked", ["_scheme=evil&_external=1", "_anchor=evil", "_method=POST", "round_=7"])
def test_the_address_of_a_board_accepts_no_options_from_strangers(anybody: Visitor, match: str, asked: str) -> None:
    answer = anybody.client.get(f"{match}/round/99/board.svg?boards=print&{asked}")
    assert (answer.status_code, answer.headers["Location"]) == (307, f"{match}/round/1/board.svg?boards=print")


def test_a_queue_that_hangs_fails_no_request(town: Town) -> None:
    """One request starts counting in memory; the others aren't counted."""
    with socket.create_server(("127.0.0.1", 0)) as hung:
        redis_url = f"redis://127.0.0.1:{hung.getsockname()[1]}/0"
        app = create_app(replace(town.site, settings=replace(town.settings, redis_url=redis_url)))
        with ThreadPoolExecutor(8) as askers:
            codes = [*askers.map(lambda _: app.test_client().post("/inbound/mail").status_code, range(8))]
    assert codes == [401] * 8


def test_limits_work_while_the_queue_is_down(town: Town) -> None:
    with socket.create_server(("127.0.0.1", 0)) as gone:
        redis_url = f"redis://127.0.0.1:{gone.getsockname()[1]}/0"
    app = create_app(replace(town.site, settings=replace(town.settings, redis_url=redis_url)))
    codes = [app.test_client().post("/inbound/mail").status_code for _ in range(23)]
    assert codes == [401] * 20 + [429] * 3


def test_a_cookie_of_the_former_name_with_a_wrong_signature_is_ignored(town: Town) -> None:
    settings = replace(town.settings, redis_url="memory://", public_url="https://play.example")
    client = create_app(replace(town.site, settings=settings)).test_client()
    client.set_cookie("stonepost", "eyJ2aXNpdCI6ICJrZXkifQ.aaaa.bbbb", domain="play.example")
    assert client.get("/account", base_url="https://play.example").location == "/sign-in"
    assert client.get("/sign-in", base_url="https://play.example").status_code == 200


@pytest.mark.parametrize("path", ["/", "/api/v1/games", "/nothing"])
def test_a_request_for_a_host_without_a_name_is_refused(anybody: Visitor, path: str) -> None:
    for host in ("..", "a..b", "x" * 64):
        answer = anybody.client.get(path, headers={"Host": host})
        assert (answer.status_code, answer.text) == (400, "The header Host names no host.\n")


def test_a_limit_that_could_not_be_counted_is_a_line_of_the_log(town: Town, caplog: pytest.LogCaptureFixture) -> None:
    with socket.create_server(("127.0.0.1", 0)) as gone:
        redis_url = f"redis://127.0.0.1:{gone.getsockname()[1]}/0"
    app = create_app(replace(town.site, settings=replace(town.settings, redis_url=redis_url)))
    try:
        raise ConnectionError("The queue hung up.")
    except ConnectionError:
        with caplog.at_level(logging.WARNING, limiter.logger.name), app.app_context():
            limiter.logger.exception("Failed to rate limit. Swallowing error")
    (record,) = caplog.records
    assert (record.levelname, record.exc_info) == ("WARNING", None)
