"""`make lighthouse`: scores of pages of a deployment with a match on it, in both themes, and what they load.

Fails where a score is below the goal.

Performance is measured on the clock of a machine that may have other work, and so a second and third time where it
is short; the best counts.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

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
from tests.web.browsing import CHROMIUM, opened

GOAL = 100
TRIES = 3
SCRIPTED = ("scriptEvaluation", "scriptParseCompile")
THEMES = {"light": 1, "dark": 0}
"""Chromium's number for what its user prefers."""
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
        for theme in THEMES:
            for name, path in PAGES.items():
                short += not _is_good(name, site + path, theme)
    print(f"goal {GOAL} everywhere: {'short' if short else 'ok'}")
    return 1 if short else 0


def _is_good(name: str, address: str, theme: str) -> bool:
    """Whether a page reaches the goals; prints how it does."""
    scores, faults, cost = _best(address, theme)
    told = "".join(f"  {category} {scores[category]:>3}" for category in CATEGORIES)
    print(f"{name:<10} {theme:<5}{told}  {cost.size:>6} bytes  {cost.script:>3.0f} ms of script at 4x", flush=True)
    for fault in faults:
        print(f"    {fault}")
    return min(scores.values()) >= GOAL


def _install() -> None:
    """Lighthouse at the versions and hashes of the lock file, unless it is there already."""
    lock = "package-lock.json"
    kept = INSTALLED / lock
    if kept.exists() and kept.read_bytes() == (HERE / lock).read_bytes() and (INSTALLED / "node_modules").exists():
        return
    if shutil.which("npm") is None:
        sys.exit("Lighthouse needs Node.js and npm: as root, apt-get install nodejs npm brings them.")
    print("Installing Lighthouse (this once) ...", flush=True)
    INSTALLED.mkdir(exist_ok=True)
    for name in ("package.json", lock):
        shutil.copy(HERE / name, INSTALLED / name)
    command = ["npm", "ci", "--prefix", str(INSTALLED), "--no-audit", "--no-fund", "--loglevel=error"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def _seed(data: Path) -> None:
    """A match being played, with an open seat in another, as the first two of the deployment."""
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


class Cost(NamedTuple):
    """What a first visit loads, in bytes with headers, and how long scripts take at a quarter of the speed, in ms."""

    size: int
    script: float


def _best(address: str, theme: str) -> tuple[dict[str, int], list[str], Cost]:
    """The scores of a page in hundredths, what is wrong where one is short, and what the page costs."""
    best, report = _measured(address, theme)
    cost = _cost(report)
    for _ in range(TRIES - 1):
        if best["performance"] >= GOAL:
            break
        again, report = _measured(address, theme)
        best["performance"] = max(best["performance"], again["performance"])
        cost = min(cost, _cost(report))
    faults = [fault for category in CATEGORIES if best[category] < GOAL for fault in _faults(report, category)]
    return best, faults, cost


def _cost(report: dict[str, Any]) -> Cost:
    audits = report["audits"]
    work = audits["mainthread-work-breakdown"]["details"]["items"]
    script = sum(item["duration"] for item in work if item["group"] in SCRIPTED)
    return Cost(round(audits["total-byte-weight"]["numericValue"]), script)


def _measured(address: str, theme: str) -> tuple[dict[str, int], dict[str, Any]]:
    command = ["node", str(INSTALLED / "node_modules/lighthouse/cli/index.js"), address, "--output=json", "--quiet"]
    chrome = f"--headless=new --no-sandbox --blink-settings=preferredColorScheme={THEMES[theme]}"
    flags = [f"--only-categories={','.join(CATEGORIES)}", f"--chrome-flags={chrome}"]
    environment = os.environ | {"CHROME_PATH": CHROMIUM}
    run = subprocess.run([*command, *flags], check=True, stdout=subprocess.PIPE, env=environment)
    report = json.loads(run.stdout)
    return {name: round(100 * (report["categories"][name]["score"] or 0)) for name in CATEGORIES}, report


def _faults(report: dict[str, Any], category: str) -> list[str]:
    """The audits of a category that count and failed."""
    weighed = [entry["id"] for entry in report["categories"][category]["auditRefs"] if entry["weight"]]
    audits = [report["audits"][name] for name in weighed]
    failed = [audit for audit in audits if audit["score"] is not None and audit["score"] < 0.9]
    return [f"{category}: {audit['title']} {audit.get('displayValue', '')}".rstrip() for audit in failed]


if __name__ == "__main__":
    sys.exit(main())
