"""People with real mail programs: they read their mailbox with it and let it quote what they answer."""

from __future__ import annotations

import os
import pty
import shutil
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from pathlib import Path
from select import select

from tests.processes.deployment import PATIENCE, wait_for

NEEDED = ("swaks", "s-nail", "mutt")


def why_not() -> str:
    """Why these programs can't run on this machine; "" if they can."""
    missing = [program for program in NEEDED if shutil.which(program) is None]
    return f"Debian's {' and '.join(missing)} are not installed" if missing else ""


@dataclass
class Person:
    """Somebody with a mailbox in `maildir`, whose mail program submits mail at the port `submission`.

    `program` writes a reply, given the person, an email, and the text.
    """

    address: str
    maildir: Path
    submission: int
    program: Callable[[Person, EmailMessage, str], None]
    home: Path
    imap: str = ""
    read: dict[str, EmailMessage] = field(default_factory=dict)
    answered: set[str] = field(default_factory=set)

    def mails(self) -> list[EmailMessage]:
        """All emails that have come, in the order in which they came."""
        for file in sorted(self._unread(), key=lambda file: file.stat().st_mtime_ns if file.exists() else 0):
            # A program may give a file another name while we look.
            with suppress(FileNotFoundError):
                mail = message_from_bytes(file.read_bytes(), policy=default)
                assert isinstance(mail, EmailMessage)
                for name in ("Subject", "Message-ID"):
                    mail.replace_header(name, mail[name])  # Parsed now, not each time it is looked at.
                self.read[file.name.partition(":")[0]] = mail
        return [*self.read.values()]

    def _unread(self) -> list[Path]:
        """The files of unread emails."""
        found: list[Path] = []
        for place in (self.maildir / "new", self.maildir / "cur"):
            with suppress(FileNotFoundError):
                found += [place / name for name in os.listdir(place) if name.partition(":")[0] not in self.read]
        return found

    def find(self, subject: str, again: bool = False) -> EmailMessage:
        """The first email with these words in its subject that isn't answered yet or, with `again`, is; waits for
        it."""
        fitting: list[EmailMessage] = []

        def came() -> bool:
            known = [mail for mail in self.mails() if subject in mail["Subject"]]
            fitting[:] = [mail for mail in known if (mail["Message-ID"] in self.answered) is again]
            return bool(fitting)

        try:
            wait_for(came, f"a mail {subject!r} to {self.address}")
        except AssertionError as error:
            subjects = [mail["Subject"] for mail in self.mails()]
            raise AssertionError(f"{error}; there are {subjects}") from None
        return fitting[0]

    def answer(self, subject: str, text: str, again: bool = False) -> None:
        """Answers such an email, once it has come."""
        mail = self.find(subject, again)
        self.answered.add(mail["Message-ID"])
        self.program(self, mail, text)

    def write(self, recipient: str, text: str, subject: str = "", *more: str) -> None:
        """Sends an email that isn't a reply, with swaks."""
        _run(
            *("swaks", "--silent", "2", "--server", "127.0.0.1", "--port", str(self.submission)),
            *("--from", self.address, "--to", recipient, "--header", f"Subject: {subject}", "--body", text, *more),
        )


def by_swaks(person: Person, mail: EmailMessage, text: str) -> None:
    """A script's reply: nothing quoted, and headers as swaks makes them."""
    headers = ("--header", f"In-Reply-To: {mail['Message-ID']}")
    person.write(mail["Reply-To"].addresses[0].addr_spec, text, f"Re: {mail['Subject']}", *headers)


def by_s_nail(person: Person, mail: EmailMessage, text: str) -> None:
    """A reply above what it quotes."""
    _s_nail(person, mail, f"{text}\n\n~Q\n")


def by_s_nail_below(person: Person, mail: EmailMessage, text: str) -> None:
    """A reply below what it quotes."""
    _s_nail(person, mail, f"~Q\n\n{text}\n")


def _s_nail(person: Person, mail: EmailMessage, composed: str) -> None:
    rules = f"""
set v15-compat mta=smtp://127.0.0.1:{person.submission} smtp-auth=none hostname=laptop.example.org
set from={person.address} reply-to-honour sendcharsets=utf-8 indentprefix="> " quote-inject-head=$'%f wrote:\\n\\n'
"""
    place = person.home / f"{person.address}.mailrc"
    place.write_text(rules)
    done = _run(
        *("s-nail", "-:u", "-#", "-f", str(person.maildir)),
        given=f'reply "(header message-id \\"{_name(mail)}\\")"\n{composed}~.\nx\n',
        MAILRC=str(place),
    )
    assert "not sent" not in done, done


MUTTRC = """
set from="{address}" realname="" use_from=yes envelope_from=yes hostname=desk.example.net
set smtp_url="smtp://127.0.0.1:{submission}/" ssl_starttls=no ssl_force_tls=no
set folder="" spoolfile="" record="" postponed="" copy=no move=no delete=no
set editor="{editor}" edit_headers=no include=yes fast_reply=yes reply_to=yes abort_unmodified=no recall=no
set sleep_time=0 wait_key=no quit=yes mark_old=no beep=no timeout=1
"""


def by_mutt(person: Person, mail: EmailMessage, text: str) -> None:
    """A reply above what it quotes, by a program that reads the mailbox over IMAP and wants a terminal."""
    editor, written, rules = (person.home / f"{person.address}.{what}" for what in ("editor", "text", "muttrc"))
    written.write_text(f"{text}\n\n")
    editor.write_text(f'#!/bin/sh\ncat {written} "$1" > "$1.new" && mv "$1.new" "$1"\n')
    editor.chmod(0o755)
    rules.write_text(MUTTRC.format(address=person.address, submission=person.submission, editor=editor))
    keys = f'push "/~i {_name(mail)}<enter>ryx"'
    _on_a_terminal("mutt", "-n", "-F", str(rules), "-f", person.imap, "-e", keys)


def _name(mail: EmailMessage) -> str:
    """What identifies an email, without characters that are special to a mail program."""
    return str(mail["Message-ID"]).strip("<>").partition("@")[0]


def _run(*command: str, given: str = "", **environment: str) -> str:
    done = subprocess.run(
        command, input=given, capture_output=True, text=True, timeout=PATIENCE, env=os.environ | environment
    )
    assert done.returncode == 0, f"{command}: {done.stdout} {done.stderr}"
    return done.stdout + done.stderr


def _on_a_terminal(*command: str) -> None:
    """Runs a full-screen program to its end."""
    ours, theirs = pty.openpty()
    shown = b""
    with subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True, env=os.environ | {"TERM": "vt100"}
    ) as running:
        os.close(theirs)
        deadline = time.monotonic() + PATIENCE
        while running.poll() is None and time.monotonic() < deadline:
            if select([ours], [], [], 0.05)[0]:
                with suppress(OSError):
                    shown += os.read(ours, 65536)
        running.kill()
    os.close(ours)
    assert running.returncode == 0, f"{command}: {shown[-2000:].decode(errors='replace')}"
