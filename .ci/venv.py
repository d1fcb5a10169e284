"""Creates a virtual environment with pip, even without Debian's python3-venv: `python3 .ci/venv.py DIRECTORY`."""

from __future__ import annotations

import hashlib
import os
import re
import ssl
import subprocess
import sys
import tempfile
import urllib.request
from configparser import ConfigParser
from pathlib import Path
from urllib.parse import urljoin

WHEEL = "pip-26.3-py3-none-any.whl"
SHA256 = "f3b60b20ffaadd4415ed7957212a38ac63fa4c5fa375bd0f4a797777940fad13"


def main(directory: str) -> None:
    """Creates an environment with a working pip in `directory`, or exits with a message."""
    if sys.version_info < (3, 11):
        sys.exit(f"Stonepost needs Python 3.11 or newer, but {sys.executable} is {sys.version.split()[0]}.")
    venv = [sys.executable, "-m", "venv", "--clear"]
    if subprocess.run([*venv, directory], capture_output=True).returncode == 0:
        return
    # Debian moves Python's bundled pip to the package python3-venv. Without that package, fetch pip from the index.
    subprocess.run([*venv, "--without-pip", directory], check=True)
    with tempfile.TemporaryDirectory() as place:
        wheel = Path(place) / WHEEL
        wheel.write_bytes(_fetch_pip())
        # Python can run a wheel like a directory, so pip can install itself.
        install = [f"{wheel}/pip", "install", "--quiet", "--no-index", str(wheel)]
        subprocess.run([f"{directory}/bin/python", *install], check=True)


def _fetch_pip() -> bytes:
    """Fetches pip's wheel from the configured package index, and checks its hash."""
    page = f"{_index().rstrip('/')}/pip/"
    try:
        link = re.search(rf'href="([^"#]*{re.escape(WHEEL)})', _get(page).decode())
        content = _get(urljoin(page, link[1])) if link else b""
    except OSError as error:
        sys.exit(f"{page} can't be read ({error}). Install python3-venv, or set PIP_INDEX_URL.")
    if hashlib.sha256(content).hexdigest() != SHA256:
        sys.exit(f"{page} has no {WHEEL} with the right hash. Install python3-venv, or set PIP_INDEX_URL.")
    return content


def _index() -> str:
    """The index that pip would use: from the environment, from pip's configuration files, or else pypi.org."""
    config = ConfigParser(interpolation=None, strict=False)
    home = Path.home()
    config.read(["/etc/pip.conf", home / ".pip/pip.conf", home / ".config/pip/pip.conf"])
    configured = config.get("global", "index-url", fallback="https://pypi.org/simple")
    return os.environ.get("PIP_INDEX_URL") or configured


def _get(url: str) -> bytes:
    context = ssl.create_default_context(cafile=os.environ.get("PIP_CERT"))
    with urllib.request.urlopen(url, timeout=60, context=context) as answer:
        content: bytes = answer.read()
    return content


if __name__ == "__main__":
    main(sys.argv[1])
