"""`python -m tests.javascript` checks the scripts in `service/web/static`: Biome's recommended rules, and types.

The types are JSDoc comments that TypeScript checks in strict mode. Spectral, which needs Node.js too, checks the
document of the API as it was landed: no errors, no warnings, no hints.
Node.js is optional: without npm, nothing is checked.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
INSTALLED = ROOT / ".javascript"
SCRIPTS = ROOT / "service" / "web" / "static"
DOCUMENT = ROOT / "tests" / "data" / "api" / "openapi.json"
LOCK = "package-lock.json"


def main() -> int:
    """Prints what is wrong; returns 1 if anything is."""
    if shutil.which("npm") is None:
        print("JavaScript and the API's document weren't checked: that needs npm (apt-get install nodejs npm).")
        return 0
    _install()
    commands = (
        ["biome", "lint", f"--config-path={HERE / 'biome.json'}", "--error-on-warnings", str(SCRIPTS)],
        ["tsc", "--project", str(HERE / "tsconfig.json"), "--pretty", "false"],
        ["spectral", "lint", "--fail-severity=hint", f"--ruleset={HERE / 'spectral.yaml'}", str(DOCUMENT)],
    )
    return max([_failed(command) for command in commands])


def _install() -> None:
    """Installs the versions and hashes of the lock file, unless they are installed already.

    Not with `npm ci`, which refuses a lock file that lacks optional packages for other systems.
    """
    kept = INSTALLED / LOCK
    if kept.exists() and kept.read_bytes() == (HERE / LOCK).read_bytes() and (INSTALLED / "node_modules").exists():
        return
    print("Installing what checks JavaScript and the API (only this time) ...", flush=True)
    INSTALLED.mkdir(exist_ok=True)
    for name in ("package.json", LOCK):
        shutil.copy(HERE / name, INSTALLED / name)
    command = ["npm", "install", "--prefix", str(INSTALLED), "--no-audit", "--no-fund", "--loglevel=error"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def _failed(command: list[str]) -> int:
    """Runs a program; returns 1, and prints what it said, if it fails."""
    program, *arguments = command
    done = subprocess.run(
        [str(INSTALLED / "node_modules" / ".bin" / program), *arguments], cwd=ROOT, capture_output=True, text=True
    )
    if done.returncode:
        print(done.stdout + done.stderr)
    return 1 if done.returncode else 0


if __name__ == "__main__":
    sys.exit(main())
