"""Randomly changed emails for the reader, guided by the code they reach: atheris, starting from the corpus.

If an email makes the reader fail, it ends with an error and keeps the email in the current directory.
"""

from __future__ import annotations

import shutil
import sys
import tempfile

import atheris

with atheris.instrument_imports(include=["service.mail"]):
    from tests.fuzz.reader import CORPUS, check


def main(seconds: int) -> None:
    """Never returns: atheris ends the process."""
    with tempfile.TemporaryDirectory() as folder:
        for mail in CORPUS.glob("*.eml"):
            shutil.copy(mail, folder)
        bounds = [f"-max_total_time={seconds}", "-max_len=20000", "-timeout=10", "-rss_limit_mb=1024"]
        atheris.Setup([sys.argv[0], folder, *bounds, "-print_final_stats=1"], check)
        atheris.Fuzz()
