"""`make lighthouse`: Lighthouse scores and sizes of the pages of a deployment with a match, in both themes.

Fails if a score is below the goal.

Performance is measured in wall-clock time, on a machine that may have other work, so it gets up to three tries and the
best counts. A run in which Chromium gave Lighthouse nothing to measure is repeated too.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, sync_playwright

from service.config import Settings
from service.engine.record import lines
from service.mail.grammar.orders import parse
from service.play.accounts import identity
from service.play.match import invitations, lobby
from service.play.match.judge import judge_waiting
from service.play.match.lobby import Chair
from service.play.orders.submit import Incoming, submit
from service.play.site import Site
from service.store.session import Store
from tests.lighthouse.script_time import new_visit, script_time
from tests.web.browsing import CHROMIUM, opened

GOAL = 100
TRIES = 3
MOST_SCRIPT = 100
"""The most milliseconds of script while a page loads, at a quarter of the CPU's speed."""

THEMES = {"light": 1, "dark": 0}
"""Chromium's number for the preferred colour scheme."""
CATEGORIES = ("performance", "accessibility", "best-practices", "seo")
HERE = Path(__file__).parent
INSTALLED = HERE.parent.parent / ".lighthouse"
GAME, OPTIONS = "rosette", {"base": "5"}
RECORD = HERE.parent / "data" / "games" / f"{GAME}.record"
MOVES = 30
PAGES = {
    "front page": "/",
    "lobby": "/matches",
    "match page": "/match/1",
    "rules page": "/rules/rosette",
    "player": "/player/1",
    "lesson": "/learn/rosette/2",
}


def main() -> int:
    """Prints a line for each page; returns 1 if a score is below the goal."""
    _install()
    short = 0
    with tempfile.TemporaryDirectory() as data, opened(Path(data)) as site:
        _seed(Path(data))
        short += not _scripts_are_quick(site)
        for theme in THEMES:
            for name, path in PAGES.items():
                short += not _is_good(name, site + path, theme)
    print(f"goal {GOAL} everywhere: {'short' if short else 'ok'}")
    return 1 if short else 0


def _scripts_are_quick(site: str) -> bool:
    """Whether the scripts of all pages are quick enough while they load; prints their times."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        times = {name: _quickest(browser, site + path) for name, path in PAGES.items()}
        times |= _own_match(browser, site)
        browser.close()
    for name, time in times.items():
        print(f"{name:<10} {time:>3.0f} ms of script at 4x")
    return max(times.values()) <= MOST_SCRIPT


def _own_match(browser: Browser, site: str) -> dict[str, float]:
    """The script time of the densest board, for the player to move."""
    guest = new_visit(browser)
    guest.goto(f"{site}/play")
    guest.get_by_role("button", name="Play Go", exact=True).click()
    guest.wait_for_url("**/match/*")
    return {"own match": _quickest(browser, guest.url, guest.context.storage_state())}


def _quickest(browser: Browser, address: str, state: Any = None) -> float:
    """The script time of the best try: other work on the machine can only make it longer."""
    return min(script_time(browser, new_visit(browser, state), address) for _ in range(TRIES))


def _is_good(name: str, address: str, theme: str) -> bool:
    """Whether a page reaches the goal in each category; prints its scores."""
    scores, faults, size = _best(address, theme)
    told = "".join(f"  {category} {scores[category]:>3}" for category in CATEGORIES)
    print(f"{name:<10} {theme:<5}{told}  {size:>6} bytes with headers", flush=True)
    for fault in faults:
        print(f"    {fault}")
    return min(scores.values()) >= GOAL


def _install() -> None:
    """Installs Lighthouse with the versions and hashes of the lock file, unless it is installed already."""
    lock = "package-lock.json"
    kept = INSTALLED / lock
    if kept.exists() and kept.read_bytes() == (HERE / lock).read_bytes() and (INSTALLED / "node_modules").exists():
        return
    if shutil.which("npm") is None:
        sys.exit("Lighthouse needs Node.js and npm: as root, run apt-get install nodejs npm.")
    print("Installing Lighthouse (only once) ...", flush=True)
    INSTALLED.mkdir(exist_ok=True)
    for name in ("package.json", lock):
        shutil.copy(HERE / name, INSTALLED / name)
    command = ["npm", "ci", "--prefix", str(INSTALLED), "--no-audit", "--no-fund", "--loglevel=error"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def _seed(data: Path) -> None:
    """Creates the deployment's first two matches: a running one, and one with an open seat."""
    settings = Settings.from_environment({"STONEPOST_DATA": str(data)})
    store = Store(settings.database_url)
    site = Site(settings, store, lambda task, subject: None)
    with store.writing() as session:
        people = [identity.by_email(session, f"{name}@example.org", site.now()) for name in ("ada", "bruno")]
        for person, name in zip(people, ("Ada", "Bruno"), strict=True):
            person.name = name
    chairs = [Chair("me"), Chair("email", "bruno@example.org")]
    match = lobby.open_match(site, people[0].id, GAME, OPTIONS, chairs)
    invitations.answer(site, match, people[1].id, accept=True)
    for ply, (_, order) in enumerate(list(lines(RECORD.read_text()))[:MOVES]):
        seat = 0 if order.startswith("black") else 1
        submit(
            site, Incoming(f"seed:{ply}", match, seat, people[seat].id, None, parse(order.partition(": ")[2]), "web")
        )
        judge_waiting(site, match)
    lobby.open_match(site, people[0].id, GAME, OPTIONS, [Chair("me"), Chair("open")])
    store.close()


def _best(address: str, theme: str) -> tuple[dict[str, int], list[str], int]:
    """The scores of a page in hundredths, the failed audits if one is short, and the bytes of a first visit."""
    best, report = _measured(address, theme)
    for _ in range(TRIES - 1):
        if best["performance"] >= GOAL:
            break
        again, report = _measured(address, theme)
        best["performance"] = max(best["performance"], again["performance"])
    faults = [fault for category in CATEGORIES if best[category] < GOAL for fault in _faults(report, category)]
    return best, faults, round(report["audits"]["total-byte-weight"]["numericValue"])


def _measured(address: str, theme: str) -> tuple[dict[str, int], dict[str, Any]]:
    command = ["node", str(INSTALLED / "node_modules/lighthouse/cli/index.js"), address, "--output=json", "--quiet"]
    chrome = f"--headless=new --no-sandbox --blink-settings=preferredColorScheme={THEMES[theme]}"
    flags = [f"--only-categories={','.join(CATEGORIES)}", f"--chrome-flags={chrome}"]
    environment = os.environ | {"CHROME_PATH": CHROMIUM}
    for left in reversed(range(TRIES)):
        run = subprocess.run([*command, *flags], check=not left, stdout=subprocess.PIPE, env=environment)
        if run.returncode == 0:
            break
    report = json.loads(run.stdout)
    return {name: round(100 * (report["categories"][name]["score"] or 0)) for name in CATEGORIES}, report


def _faults(report: dict[str, Any], category: str) -> list[str]:
    """The failed audits of a category, without those that have no weight."""
    weighed = [entry["id"] for entry in report["categories"][category]["auditRefs"] if entry["weight"]]
    audits = [report["audits"][name] for name in weighed]
    failed = [audit for audit in audits if audit["score"] is not None and audit["score"] < 0.9]
    return [f"{category}: {audit['title']} {audit.get('displayValue', '')}".rstrip() for audit in failed]


if __name__ == "__main__":
    sys.exit(main())
