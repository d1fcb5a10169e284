"""Schemathesis over the whole document of the API: `make explore`, or `python -m tests.api.explore [EXAMPLES]`.

It calls every operation with data that fits the document and data that doesn't, with a token for everything and without
one, and checks that each answer is one the document has. Meanwhile a site of its own is served on the loopback. At the
end it prints the number of calls, and fails if they were too few to mean much.
"""

from __future__ import annotations

import logging
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from flask import Flask

from service.app import create_app
from service.config import ROOT, Settings
from service.play.match import invitations, lobby
from service.play.match.lobby import Chair
from service.store.session import Store
from service.web.security import limiter
from tests.api.conftest import Program, at_once, program
from tests.play.conftest import Town
from tests.web.live import served

EXAMPLES = 60
"""Calls of each kind for each operation."""

CONFIG = "[checks]\nnegative_data_rejection.expected-statuses = [400, 401, 403, 404, 405, 409, 413, 415, 422]\n"
"""The statuses that may answer invalid data. By default, Schemathesis doesn't expect 413."""

FEWEST = 5_000
"""The fewest calls in total."""

CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
CHECKS += ",response_headers_conformance,negative_data_rejection,unsupported_method"
CHECKS += ",ignored_auth"


def main(examples: int) -> int:
    logging.disable(logging.WARNING)
    with tempfile.TemporaryDirectory() as data:
        settings = replace(Settings.from_environment({"STONEPOST_DATA": data}), redis_url="memory://")
        store = Store(settings.database_url)
        store.migrate()
        town = Town(settings, store)
        app = create_app(town.site)
        app.extensions["site"] = at_once(town)
        limiter.enabled = False
        ada = program(town, app, "ada")
        furnish(town, app, ada)
        with served(app) as address:
            runs = [explored(address, examples, token, data) for token in (ada.token, "")]
        store.close()
    calls, failed = sum(run.calls for run in runs), [run for run in runs if run.failed]
    print(f"{calls:,} calls, {'some' if failed else 'no'} failures")
    return 1 if failed or calls < FEWEST else 0


class Run(NamedTuple):
    """How many calls Schemathesis made, and whether any of them failed."""

    calls: int
    failed: bool


def furnish(town: Town, app: Flask, ada: Program) -> None:
    """Creates something of each kind, so that numbers lead somewhere: a match that waits for Ada, one that is over,
    with a comment and a review, an open one, an invitation, one whose dead stones are agreed on, an event, and an
    order."""
    bruno = program(town, app, "bruno")
    for number in (1, 2):
        chairs = [Chair("me"), Chair("email", "bruno@example.org")]
        lobby.open_match(town.site, ada.id, "rosette", {"base": "5"}, chairs)
        invitations.answer(town.site, number, bruno.id, accept=True)
    bruno.order(2, "resign")
    lobby.open_match(town.site, bruno.id, "lotus", {}, [Chair("me"), Chair("open")])
    lobby.open_match(town.site, bruno.id, "go", {}, [Chair("me"), Chair("email", "ada@example.org")])
    lobby.open_match(town.site, ada.id, "go", {"size": "5"}, [Chair("me"), Chair("bot")])
    cleo = program(town, app, "cleo")
    lobby.open_match(town.site, ada.id, "go", {"size": "5"}, [Chair("me"), Chair("email", "cleo@example.org")])
    cleo.send("/matches/6/answer", {"accept": True})
    for who, text in ((ada, "c3"), (cleo, "pass"), (ada, "pass")):
        who.order(6, text)
    ada.send("/matches/6/estimate")
    ada.send("/matches/2/comments", {"ply": 0, "text": "Well played"})
    ada.send("/matches/2/review")
    ada.send("/contests", {"kind": "ladder", "game": "lotus", "clock": "3d/move"})
    cleo.send("/contests/1/join")
    cleo.send("/wish", {"wish": "lotus 1d-7d up to 3"}, "PUT")
    ada.send("/matches/1/orders?wait=0", {"text": "e9"}, Idempotency_Key="order")


def explored(address: str, examples: int, token: str, folder: str) -> Run:
    """Runs Schemathesis in a folder with this token, or without one."""
    beside = Path(sys.executable).with_name("schemathesis")
    command = [str(beside) if beside.exists() else str(shutil.which("schemathesis"))]
    command += ["run", f"{address}/api/v1/openapi.json", "--max-examples", str(examples), "--checks"]
    command += [CHECKS, "--phases", "examples,coverage,fuzzing", "--warnings", "off", "--no-color"]
    command += ["--seed", "1", "--workers", "1", "--request-timeout", "30"]
    command += ["--header", f"Authorization: Bearer {token}"] if token else []
    Path(folder, "schemathesis.toml").write_text(CONFIG)
    known = {**os.environ, "SCHEMATHESIS_HOOKS": "tests.api.explore_hooks", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, check=False, cwd=folder, env=known, stdout=subprocess.PIPE, text=True)
    print(done.stdout, flush=True)
    counted = re.search(r"([\d,]+) generated", done.stdout)
    return Run(int(counted[1].replace(",", "")) if counted else 0, done.returncode != 0)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else EXAMPLES))
