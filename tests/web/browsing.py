"""A real deployment and real browsers: server, worker, mail door and queue in processes of their own."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, ViewportSize, expect, sync_playwright

from tests.ports import free_port

CHROMIUM = "/usr/bin/chromium"
DESK, PHONE, SMALL = (ViewportSize(width=w, height=h) for w, h in ((1280, 800), (390, 844), (360, 640)))
MY_MOVE = re.compile("^● Your move")
SOON = 15_000
"""Milliseconds within which an opponent's move must show up by itself."""


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a deployment on embedded defaults."""
    with opened(tmp_path_factory.mktemp("data")) as address:
        yield address


@contextmanager
def opened(data: Path) -> Iterator[str]:
    """The address of a deployment on embedded defaults, with its data in this folder."""
    port = free_port()
    ports = {"WEB_PORT": port, "SMTP_PORT": free_port(), "LMTP_PORT": free_port()}
    environment = os.environ | {name: str(number) for name, number in ports.items()}
    # Browsers bind passkeys to a name: a number is none.
    environment["PUBLIC_URL"] = f"http://localhost:{port}"
    environment["STONEPOST_DATA"] = str(data)
    command = [sys.executable, "-m", "service.cli", "run"]
    house = Path(__file__).parent.parent.parent
    with subprocess.Popen(command, cwd=house, env=environment, stdout=subprocess.DEVNULL) as run:
        try:
            yield _wait_until_open(f"http://localhost:{port}")
        finally:
            run.send_signal(signal.SIGINT)


def _wait_until_open(address: str) -> str:
    for _ in range(300):
        try:
            urllib.request.urlopen(address).close()
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.1)
        else:
            return address
    raise TimeoutError(address)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


class Person:
    """Somebody at a browser of their own, signed in by the mailed link."""

    def __init__(self, browser: Browser, site: str, email: str) -> None:
        self.page = browser.new_context(base_url=site, viewport=DESK).new_page()
        self.email = email
        self.faults: list[str] = []
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.goto("/sign-in")
        self.page.get_by_label("Email address").fill(email)
        self.page.get_by_role("button", name="Send me the link").click()
        self.open_letter("Your link to sign in")
        self.page.frame_locator("iframe").get_by_role("link").first.click()
        self.page.get_by_label("What shall others call you?").fill(email.partition("@")[0].capitalize())
        self.page.get_by_role("button", name="Sign me in").click()
        expect(self.page.get_by_role("status")).to_contain_text("You are signed in as")

    def open_letter(self, subject: str) -> None:
        """Waits for a letter to this person and opens it."""
        letter = self.page.locator("li", has_text=f"to {self.email}").filter(has_text=subject).get_by_role("link")
        for _ in range(50):
            self.page.goto("/post-office/")
            if letter.count():
                return letter.first.click()
            time.sleep(0.1)
        raise TimeoutError(subject)

    def answer_letter(self, subject: str, text: str) -> None:
        """Answers a letter by mail, from the local post office."""
        self.open_letter(subject)
        self.page.get_by_label("Reply").fill(text)
        self.page.get_by_role("button", name="Send the reply").click()

    def cell(self, name: str) -> Locator:
        return self.page.locator(f'#board [data-cell="{name}"]')
