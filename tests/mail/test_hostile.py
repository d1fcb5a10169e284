"""No email uses too much time or memory: see `hostile`, which runs here in a process of its own."""

from __future__ import annotations

import subprocess
import sys

from service.config import ROOT


def test_emails_made_to_do_harm_are_read_within_bounds_and_not_believed() -> None:
    run = [sys.executable, "-m", "tests.mail.hostile"]
    done = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "", "")
