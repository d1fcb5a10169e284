"""What the README says is true: its commands run, its settings are the ones we read, its files exist."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from dataclasses import fields
from email.message import EmailMessage
from email.policy import SMTP
from pathlib import Path

import pytest

from service.config import ROOT
from service.keeping import Keeping
from service.play.inbox import unverified
from service.play.inbox.receive import receive
from tests.play.conftest import Town, plain, town, whole

__all__ = ["town"]

README = (ROOT / "README.md").read_text()
COMMANDS = [
    shlex.split(command, comments=True)
    for block in re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
    for command in block.replace("\\\n", " ").splitlines()
    if command
]


@pytest.mark.parametrize("words", [words for words in COMMANDS if words[0] == ".venv/bin/stonepost"], ids=" ".join)
def test_commands_print_what_the_readme_shows(words: list[str]) -> None:
    done = subprocess.run([sys.executable, "-m", "service.cli", *words[1:]], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout


@pytest.mark.parametrize("words", [words for words in COMMANDS if words[0] == "make"], ids=" ".join)
def test_targets_are_in_the_makefile(words: list[str]) -> None:
    assert f"{words[1]}:" in (ROOT / "Makefile").read_text()


def test_the_mail_of_the_tour_begins_a_match(town: Town) -> None:
    (words,) = [words for words in COMMANDS if words[0] == "swaks"]
    given = dict(zip(words[1::2], words[2::2], strict=True))
    mail = EmailMessage(policy=SMTP)
    mail["From"], mail["To"], mail["Message-ID"] = given["--from"], given["--to"], "<tour@example.org>"
    header, _, value = given["--header"].partition(": ")
    mail[header] = value
    mail.set_content(given["--body"])
    receive(town.site, mail.as_bytes(), [given["--to"]], "smtp")
    town.work()
    (question,) = town.post()
    assert "ada@example.org" in str(question["To"])
    unverified.confirm(town.site, re.findall(r"/mail/confirm/(\S+)", whole(question))[0])
    town.work()
    written = {str(letter["To"]): letter for letter in town.post()}
    (bruno,) = [letter for to, letter in written.items() if "bruno@example.org" in to]
    assert "accept" in plain(bruno)


def test_the_settings_listed_are_the_ones_we_read() -> None:
    table = README.partition("| setting |")[2].partition("\n\n")[0]
    told = {
        name
        for row in table.splitlines()
        for name in re.findall(r"`([A-Z_]{4,})`", row.split("|")[1] if "|" in row[:1] else "")
    }
    source = (ROOT / "service" / "config.py").read_text()
    read = set(re.findall(r'environment(?:\.get\(|, )"([A-Z_]+)"', source))
    assert told == read


def test_things_are_kept_as_long_as_the_readme_says() -> None:
    told = re.findall(r"`([A-Z_]+_DAYS)` \| (\d+) \| (\d+) \|", README)
    assert [(name, int(days), int(least)) for name, days, least in told] == [
        (f"{one.name.upper()}_DAYS", one.default, one.metadata["least"]) for one in fields(Keeping)
    ]


DOCUMENTS = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *sorted((ROOT / "service").rglob("*.md")),
]
PACKAGES = "service|tests|templates|worker|web|play|mail|inbound|render|engine|cli|bots"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_files_it_names_exist(document: Path) -> None:
    """Names are relative to the repository, to `service` or to the document."""
    text = document.read_text()
    named = re.findall(rf"`((?:{PACKAGES})/[\w./-]+|[\w./-]+\.(?:py|md))`", text)
    linked = re.findall(r"\]\(([^):#]+)\)", text) + re.findall(r'src="([^"]+)"', text)
    for place in named + linked:
        roots = (ROOT, ROOT / "service", document.parent)
        assert "NAME" in place or any((root / place).exists() for root in roots), place


_, *SECTIONS = (ROOT / "service" / "INDEX.md").read_text().split("\n## ")
"""Those of the index, each with its title in the first line."""
INDEX = "\n".join(section.partition("\n")[2] for section in SECTIONS)
FILE = re.compile(r"`([\w-]+(?:/[\w.-]*)+|\w+\.py)`(?: \(((?:`\w+`(?:, )?)+)\))?")
"""A file or folder in the index and, in brackets after it, names that are in the file."""


def indexed(place: str) -> Path:
    """Where a file of the index is: only templates and the worker aren't in `service`."""
    return (ROOT if place.startswith(("templates/", "worker/")) else ROOT / "service") / place


DEFINED = re.compile(r"^\s*(?:(?:async )?def|class) (\w+)|^\s*(\w+(?:, \w+)*)(?:: .*| = .*)$", re.MULTILINE)
"""A function, a class, or what is assigned or annotated at the beginning of a line."""


def defined(path: Path) -> set[str]:
    """What a module defines wherever in it; for other files, their words."""
    text = path.read_text()
    found = DEFINED.findall(text) if path.suffix == ".py" else [(text,)]
    return {name for names in found for name in re.findall(r"\w+", " ".join(names))}


def test_what_the_index_names_exists() -> None:
    found = FILE.findall(INDEX)
    assert not [place for place, _ in found if not indexed(place).exists()]
    named = {(place, name) for place, names in found for name in re.findall(r"\w+", names)}
    known = {place: defined(indexed(place)) for place, _ in named}
    assert not sorted(f"{place}: {name}" for place, name in named if name not in known[place])


def test_each_line_of_the_index_names_a_file() -> None:
    assert not [line for line in INDEX.splitlines() if line and not (line.startswith("- ") and FILE.search(line))]


def test_each_module_is_in_the_index_or_on_the_map() -> None:
    text = INDEX + (ROOT / "service" / "README.md").read_text()
    modules = [path for room in ("service", "worker") for path in sorted((ROOT / room).rglob("*.py"))]
    modules = [path for path in modules if path.name != "__init__.py" and "migrations" not in path.parts]
    places = [str(path.relative_to(ROOT)).removeprefix("service/") for path in modules]
    missing = [place for place in places if f"`{place}`" not in text]
    assert not missing, "Say in service/INDEX.md what each of them decides."
