"""The local post office: open on this machine in development, closed everywhere else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from flask import Flask

from service.app import create_app
from tests.play.conftest import Town
from tests.play.outbox.test_deliver import Post, listening
from tests.ports import free_port
from tests.web.conftest import Visitor, words


@pytest.fixture
def posted(town: Town, ada: Visitor, anybody: Visitor) -> str:
    """The path of a turn mail to Ada, the second letter after her sign-in link."""
    anybody.send("/sign-in", "/sign-in", email="ada@example.org")
    town.work()
    ada.send("/new/rosette", other1="bot", base="5")
    town.work()
    return "/post-office/2"


def test_letters_are_listed_the_newest_first(anybody: Visitor, posted: str) -> None:
    page = anybody.read("/post-office/")
    assert page.index("Rosette 1: your move 1") < page.index("to ada@example.org") < page.index("sign in")


def test_a_letter_is_shown_as_mail_programs_show_it(anybody: Visitor, posted: str) -> None:
    page = anybody.get(posted).text
    assert f'src="{posted}/html"' in page
    assert "board.svg" in page
    assert "Reply with your move" in page


def test_the_html_of_a_letter_runs_nothing(anybody: Visitor, posted: str) -> None:
    frame = anybody.get(f"{posted}/html")
    assert "data:image/png;base64," in frame.text
    assert "script-src" not in frame.headers["Content-Security-Policy"]
    assert "default-src 'none'" in frame.headers["Content-Security-Policy"]
    assert frame.headers["X-Frame-Options"] == "SAMEORIGIN"


def test_an_answer_that_cannot_be_sent_is_reported(town: Town, anybody: Visitor, posted: str) -> None:
    answer = anybody.send(posted, f"{posted}/answer", text="e9")
    assert answer.status_code == 422
    assert "The mail server on port 2525 didn't accept the reply" in words(answer)
    assert ">e9</textarea>" in answer.text


@pytest.mark.parametrize(
    ("address", "headers"),
    [
        ("192.0.2.1", {}),
        ("127.0.0.1", {"Host": "evil.example"}),
        ("127.0.0.1", {"X-Forwarded-For": "192.0.2.1"}),
    ],
)
def test_nobody_else_can_look_in(anybody: Visitor, posted: str, address: str, headers: dict[str, str]) -> None:
    for path in ("/post-office/", posted, f"{posted}/html"):
        answer = anybody.client.get(path, headers=headers, environ_overrides={"REMOTE_ADDR": address})
        assert answer.status_code == 404


def test_a_site_that_sends_its_mail_has_no_post_office(town: Town) -> None:
    settings = replace(town.settings, smtp_url="smtp://mail.example")
    visitor = Visitor(create_app(replace(town.site, settings=settings)).test_client())
    assert visitor.get("/post-office/").status_code == 404
    assert "Post office" not in visitor.read("/")


def test_an_unknown_letter_is_not_found(anybody: Visitor, sign_in: Callable[[str], Visitor]) -> None:
    assert anybody.get("/post-office/99").status_code == 404
    assert anybody.get("/post-office/99/html").status_code == 404


def test_an_answer_travels_as_a_mail_program_would_send_it(
    town: Town, app: Flask, anybody: Visitor, posted: str
) -> None:
    post, port = Post(), free_port()
    town.settings = replace(town.settings, smtp_port=port)
    app.extensions["site"] = town.site
    with listening(post, port):
        answer = anybody.send(posted, f"{posted}/answer", text="e9")
    assert answer.status_code == 303
    ((sender, recipient, raw),) = post.taken
    assert sender == "ada@example.org"
    assert recipient.startswith("g+")
    assert raw.partition(b"\r\n\r\n")[2].startswith(b"e9\r\n\r\nOn ")
