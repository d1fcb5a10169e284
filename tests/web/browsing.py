"""A real deployment and real browsers: server, worker, mail listener and queue in processes of their own."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, ViewportSize, expect, sync_playwright

from tests.ports import free_port

CHROMIUM = next(filter(os.path.exists, ("/usr/bin/chromium-headless-shell", "/usr/bin/chromium")), "/usr/bin/chromium")
"""The headless shell uses a sixth less processor time."""
DESK, PHONE, SMALL = (ViewportSize(width=w, height=h) for w, h in ((1280, 800), (390, 844), (360, 640)))
TINY, SIDEWAYS, WIDE = (ViewportSize(width=w, height=h) for w, h in ((320, 568), (568, 320), (740, 360)))
"""The smallest phone, upright and held sideways; a usual phone held sideways."""
MY_MOVE = re.compile("^● Your move")
HURRY = "{ const all = AbortSignal.timeout; AbortSignal.timeout = (time) => all.call(AbortSignal, time / 20); }"
"""Scripts on the page wait for answers for a twentieth of the time."""
PATIENCE = 90.0
"""Seconds for anything to show up, on a machine that is also busy with other things."""
expect.set_options(timeout=1000 * PATIENCE)


@pytest.fixture(scope="module")
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
    # Browsers bind passkeys to a host name, not to an IP address.
    environment["PUBLIC_URL"] = f"http://localhost:{port}"
    environment["STONEPOST_DATA"] = str(data)
    command = [sys.executable, "-m", "service.cli", "run"]
    site = Path(__file__).parent.parent.parent
    with subprocess.Popen(command, cwd=site, env=environment, stdout=subprocess.DEVNULL) as run:
        try:
            yield _wait_until_open(f"http://localhost:{port}", run)
        finally:
            run.send_signal(signal.SIGINT)


def _wait_until_open(address: str, run: subprocess.Popen[bytes]) -> str:
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            urllib.request.urlopen(address).close()
        except OSError:
            if run.poll() is not None or time.monotonic() > deadline:
                raise
            time.sleep(0.1)
        else:
            return address


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


def new_page(browser: Browser, site: str, size: ViewportSize, *, touch: bool = False) -> Page:
    """A tab of a browser of its own."""
    context = browser.new_context(base_url=site, viewport=size, has_touch=touch)
    context.set_default_timeout(1000 * PATIENCE)
    return context.new_page()


class Person:
    """Somebody at a browser of their own."""

    def __init__(self, page: Page, email: str) -> None:
        self.page = page
        self.email = email
        self.faults: list[str] = []
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))

    def sign_in(self) -> Person:
        """Signs in with the emailed link."""
        self.page.goto("/sign-in")
        self.page.get_by_label("Email address").fill(self.email)
        self.page.get_by_role("button", name="Send me the link").click()
        expect(self.page.get_by_role("heading", name="Check your email")).to_be_visible()
        self.open_letter("Your link to sign in")
        self.page.frame_locator("iframe").get_by_role("link").first.click()
        self.page.get_by_label("Choose a display name").fill(self.email.partition("@")[0].capitalize())
        self.page.get_by_role("button", name="Sign me in").click()
        expect(self.page.get_by_role("status")).to_contain_text("You're signed in as")
        return self

    def open_letter(self, subject: str) -> None:
        """Waits for a letter to this person and opens it."""
        letter = self.page.locator("li", has_text=f"to {self.email}").filter(has_text=subject).get_by_role("link")
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
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
        expect(self.page.get_by_role("status")).to_contain_text("Your reply was sent")

    def cell(self, name: str) -> Locator:
        return self.page.locator(f'#board [data-cell="{name}"]')
