"""Debian's Dovecot with a configuration of its own: an IMAP server for tests, on loopback, stopped when they end."""

from __future__ import annotations

import grp
import os
import pwd
import shutil
import signal
import smtplib
import subprocess
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

from imap_tools import MailBoxUnencrypted
from imap_tools.mailbox import BaseMailBox

from tests.ports import free_port
from tests.processes.certificate import make_certificate
from tests.processes.deployment import alive, answers, descendants, wait_for

PROGRAM = shutil.which("dovecot") or "/usr/sbin/dovecot"

WHY_NOT = "" if Path(PROGRAM).exists() else "Debian's dovecot-imapd and dovecot-lmtpd are not installed"
"""Why it can't run on this machine; "" if it can."""

PASSWORD = 'cl:o"ver /p@ss\\wörd% 100%41'
"""Every user's password, which needs quoting everywhere."""

PATIENT = "patient@play.example"
"""A user whose server doesn't offer IDLE."""

SETTINGS = """
base_dir = {home}/run
state_dir = {home}/state
log_path = {home}/log
protocols = imap lmtp
listen = 127.0.0.1
ssl = yes
ssl_cert = <{home}/certificate.pem
ssl_key = <{home}/key.pem
disable_plaintext_auth = no
auth_mechanisms = plain login
first_valid_uid = 1
first_valid_gid = 1
default_client_limit = 2000
default_internal_user = {internal}
default_internal_group = {internal_group}
default_login_user = {login}
recipient_delimiter = +
mail_location = maildir:~/Maildir
lmtp_save_to_detail_mailbox = no
passdb {{
  driver = static
  args = password={{PLAIN.HEX}}{password}
}}
userdb {{
  driver = passwd-file
  args = {home}/users
}}
userdb {{
  driver = static
  args = uid={uid} gid={gid} home={home}/mail/%u allow_all_users=yes
}}
service imap-login {{
  chroot =
  process_min_avail = 1
  service_count = 0
  inet_listener imap {{
    port = {imap}
  }}
  inet_listener imaps {{
    port = {imaps}
    ssl = yes
  }}
}}
service anvil {{
  chroot =
}}
service imap {{
  service_count = 0
}}
service lmtp {{
  user = {user}
  inet_listener lmtp {{
    address = 127.0.0.1
    port = {lmtp}
  }}
}}
"""


class Dovecot:
    """A running server. Every address is a user's; `+` and what follows it in an address are ignored."""

    def __init__(self) -> None:
        self.home = Path(tempfile.mkdtemp(prefix="dovecot-"))
        self.ports = {name: free_port() for name in ("imap", "imaps", "lmtp")}
        self.running: subprocess.Popen[bytes] | None = None
        is_root = os.geteuid() == 0
        self.owner = pwd.getpwnam("nobody") if is_root else pwd.getpwuid(os.geteuid())
        own = self.owner.pw_name
        group = grp.getgrgid(self.owner.pw_gid).gr_name
        accounts = ("dovecot", "dovecot", "dovenull", "root") if is_root else (own, group, own, own)
        names = dict(zip(("internal", "internal_group", "login", "user"), accounts, strict=True))
        self.home.chmod(0o755)
        make_certificate(self.home)
        ids = {"uid": str(self.owner.pw_uid), "gid": str(self.owner.pw_gid)}
        users = f"{PATIENT}::{ids['uid']}:{ids['gid']}::{self.home}/mail/{PATIENT}::userdb_imap_capability=IMAP4rev1\n"
        (self.home / "users").write_text(users)
        password = PASSWORD.encode().hex()
        settings = SETTINGS.format(home=self.home, password=password, **names, **ids, **self.ports)
        (self.home / "dovecot.conf").write_text(settings)
        (self.home / "mail").mkdir()
        os.chown(self.home / "mail", self.owner.pw_uid, self.owner.pw_gid)

    def maildir(self, address: str) -> Path:
        """The folder with a user's mail."""
        return self.home / "mail" / address / "Maildir"

    def url(self, address: str, scheme: str = "imap", host: str = "127.0.0.1", password: str = PASSWORD) -> str:
        """The mailbox as our settings spell it."""
        return f"{scheme}://{quote(address, safe='')}:{quote(password, safe='')}@{host}:{self.ports[scheme]}/INBOX"

    def log_in(self, address: str) -> BaseMailBox:
        """The user's mailbox, as their mail program opens it."""
        box = MailBoxUnencrypted("127.0.0.1", self.ports["imap"], timeout=60)
        return box.login_utf8(address, PASSWORD)

    def bring(self, raw: bytes, recipients: Sequence[str]) -> None:
        """Hands a message over as a mail server does."""
        with smtplib.LMTP("127.0.0.1", self.ports["lmtp"], timeout=60) as door:
            door.sendmail("somebody@example.org", [*recipients], raw)

    def start(self) -> None:
        """Starts the server and waits until it listens."""
        with (self.home / "said").open("ab") as said:
            self.running = subprocess.Popen(
                [PROGRAM, "-F", "-c", str(self.home / "dovecot.conf")],
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
            )
        try:
            wait_for(lambda: all(map(answers, self.ports.values())), "Dovecot's start")
        except AssertionError as error:
            raise AssertionError((self.home / "said").read_text() + (self.home / "log").read_text()[-2000:]) from error

    def stop(self) -> None:
        """Stops the server and all that it has started."""
        if self.running is not None:
            # Asked to stop, it waits some seconds for idle processes. Paused, it doesn't start any.
            os.kill(self.running.pid, signal.SIGSTOP)
            started = descendants(self.running.pid)
            for pid in (self.running.pid, *started):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            self.running.wait()
            wait_for(lambda: not any(map(alive, started)), "the end of Dovecot's processes")
            self.running = None
            wait_for(lambda: not any(map(answers, self.ports.values())), "Dovecot's end")
            for place in ("run", "state"):
                shutil.rmtree(self.home / place, ignore_errors=True)
            # A process killed while it held a lock file keeps the mailbox locked for two minutes.
            for lock in (self.home / "mail").rglob("dovecot*lock"):
                lock.unlink()

    def __enter__(self) -> Dovecot:
        try:
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        shutil.rmtree(self.home, ignore_errors=True)
