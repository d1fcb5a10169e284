"""Schemathesis over the whole document of the API: `make explore`, or `python -m tests.api.explore [EXAMPLES]`.

It calls every operation with data that fits the document and data that doesn't, with a token for everything and
without one, and checks that each answer is one the document has. A site of its own is served on the loopback meanwhile.
"""

from __future__ import annotations

import logging
import shutil
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from service.app import create_app
from service.config import Settings
from service.play.match import invitations, lobby
from service.play.match.lobby import Chair
from service.store.session import Store
from service.web.security import limiter
from tests.api.conftest import Program, at_once, program
from tests.play.conftest import Town
from tests.web.live import served

EXAMPLES = 60
"""Calls of each kind for each operation."""

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
        furnish(town, ada, program(town, app, "bruno"))
        with served(app) as address:
            runs = [explored(address, examples, token, data) for token in (ada.token, "")]
        store.close()
    return max(runs)


def furnish(town: Town, ada: Program, bruno: Program) -> None:
    """A match that waits for Ada, one that is over, an open one and an invitation, so that numbers lead somewhere."""
    for number in (1, 2):
        chairs = [Chair("me"), Chair("email", "bruno@example.org")]
        lobby.open_match(town.site, ada.id, "rosette", {"base": "5"}, chairs)
        invitations.answer(town.site, number, bruno.id, accept=True)
    bruno.order(2, "resign")
    lobby.open_match(town.site, bruno.id, "lotus", {}, [Chair("me"), Chair("open")])
    lobby.open_match(town.site, bruno.id, "go", {}, [Chair("me"), Chair("email", "ada@example.org")])


def explored(address: str, examples: int, token: str, folder: str) -> int:
    """Runs Schemathesis in a folder with this token, or without one; returns its exit status."""
    beside = Path(sys.executable).with_name("schemathesis")
    command = [str(beside) if beside.exists() else str(shutil.which("schemathesis"))]
    command += ["run", f"{address}/api/v1/openapi.json", "--max-examples", str(examples), "--checks"]
    command += [CHECKS, "--phases", "examples,coverage,fuzzing"]
    command += ["--seed", "1", "--workers", "1", "--request-timeout", "30"]
    command += ["--header", f"Authorization: Bearer {token}"] if token else []
    return subprocess.run(command, check=False, cwd=folder).returncode


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else EXAMPLES))
