"""Debian's Postfix, OpenDKIM and OpenDMARC with configurations of their own: a mail server on loopback, for the tests.

It is two servers in one. One belongs to the players' provider, which signs what its users hand in at `submission`. The
other, `mx`, is in front of Stonepost and of the players' mailboxes: it checks signatures, removes strangers' claims to
have checked them, and relays for nobody.
"""

from __future__ import annotations

import os
import pwd
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path

from service.mail.letters import dkim_sign
from tests.ports import free_port
from tests.processes.certificate import make_certificate
from tests.processes.deployment import PATIENCE, answers, wait_for

NEEDED = ("/usr/sbin/postfix", "/usr/sbin/opendkim")

NAME = "mx.play.example.org"
"""Its host name, also in Authentication-Results."""

PROVIDED = ("example.org", "example.net")
"""The domains of the players' provider."""

GONE = "gone@example.net"
"""An address whose mail is accepted, but then can't be delivered."""

MAIN = """
compatibility_level = 3.6
queue_directory = {home}/queue
data_directory = {home}/data
maillog_file = {home}/log
maillog_file_prefixes = {home}
daemon_directory = /usr/lib/postfix/sbin
shlib_directory = /usr/lib/postfix
mail_owner = postfix
setgid_group = postdrop
myhostname = {name}
mydestination =
alias_maps =
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
mynetworks = 127.0.0.9/32
virtual_mailbox_domains = {provided}
virtual_transport = lmtp:[127.0.0.1]:{mailboxes}
smtpd_recipient_restrictions =
    check_recipient_access inline:{{ {{ {gone} = FILTER error:5.1.1 No such user here }} }}
milter_default_action = tempfail
smtpd_tls_security_level = may
smtpd_tls_received_header = yes
smtpd_tls_cert_file = {home}/certificate.pem
smtpd_tls_key_file = {home}/key.pem
"""

MASTER = """
127.0.0.1:{mx} inet n - n - - smtpd
    -o smtpd_milters={checks}
127.0.0.1:{submission} inet n - n - - smtpd
    -o smtpd_milters=inet:127.0.0.1:{signer} -o content_filter=outside:[127.0.0.1]:{mx}
    -o mynetworks=127.0.0.0/8
outside unix - - n - - smtp -o myhostname=out.provider.example -o smtp_send_xforward_command=no
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
proxymap unix - - n - - proxymap
smtp unix - - n - - smtp
relay unix - - n - - smtp
error unix - - n - - error
retry unix - - n - - error
lmtp unix - - n - - lmtp
tlsmgr unix - - n 1000? 1 tlsmgr
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
postlog unix-dgram n - n - 1 postlogd
"""

SIGNER = """
Mode s
Domain {domains}
Selector provider
KeyFile {home}/provider.pem
RequireSafeKeys no
SignHeaders *,+Message-ID
"""
"""By default, OpenDKIM doesn't sign Message-ID."""

VERIFIER = """
Mode v
AuthservID {name}
AlwaysAddARHeader yes
RemoveARAll yes
InternalHosts 127.0.0.9
TestPublicKeys {home}/keys
"""
"""Without RemoveARAll, headers that don't mention DKIM would be kept, no matter who wrote them."""


DMARC = """
AuthservID {name}
TrustedAuthservIDs {name}
TestDNSData {home}/dns
SPFSelfValidate yes
SPFIgnoreResults yes
IgnoreHosts {home}/inside
"""


def why_not() -> str:
    """Why it can't run on this machine; "" if it can."""
    missing = [Path(program).name for program in NEEDED if not Path(program).exists()]
    if missing:
        return f"Debian's {' and '.join(missing)} are not installed"
    return "" if os.geteuid() == 0 else "only root can start Postfix"


ATTEMPTS = 3
"""How often the programs are started, each time on new ports: another test may have taken one meanwhile."""


class Postfix:
    """A running server that delivers the provider's mail to `mailboxes`, an LMTP port."""

    def __init__(
        self, mailboxes: int, settings: Iterable[str] = (), keys: Iterable[str] = (), dns: Iterable[str] = ()
    ) -> None:
        """`settings` are more lines of main.cf, `keys` more DKIM records: a name and its text. With `dns`, records for
        DMARC, OpenDMARC evaluates what OpenDKIM found."""
        self.home = Path(tempfile.mkdtemp(prefix="postfix-"))
        self.home.chmod(0o755)
        self.milters: list[subprocess.Popen[bytes]] = []
        records = [*dns]
        self.programs = {"signer": ("/usr/sbin/opendkim", "-x"), "verifier": ("/usr/sbin/opendkim", "-x")}
        self.programs |= {"dmarc": ("/usr/sbin/opendmarc", "-c")} if records else {}
        for place in ("etc", "queue", "data"):
            (self.home / place).mkdir()
        make_certificate(self.home)
        os.chown(self.home / "data", pwd.getpwnam("postfix").pw_uid, -1)
        words = {"home": self.home, "name": NAME, "gone": GONE, "mailboxes": mailboxes}
        self._write("etc/main.cf", MAIN.format(provided=" ".join(PROVIDED), **words), *settings)
        self._choose_ports()
        key = dkim_sign.new_key()
        self._write("provider.pem", key.decode())
        (self.home / "provider.pem").chmod(0o600)
        self._write("keys", *(f"provider._domainkey.{domain} {dkim_sign.record(key)}" for domain in PROVIDED), *keys)
        self._write("dns", *records)
        self._write("inside", "127.0.0.9")
        self._write("dmarc", DMARC.format(**words))
        self._write("signer", SIGNER.format(domains=",".join(PROVIDED), **words))
        self._write("verifier", VERIFIER.format(**words))

    def _choose_ports(self) -> None:
        self.ports = {name: free_port() for name in ("mx", "submission", *self.programs)}
        checks = ",".join(f"inet:127.0.0.1:{self.ports[name]}" for name in self.programs if name != "signer")
        self._write("etc/master.cf", MASTER.format(checks=checks, **self.ports))

    def _write(self, name: str, *texts: str) -> None:
        (self.home / name).write_text("".join(f"{text.strip()}\n" for text in texts))

    def set_up(self, commands: Iterable[str]) -> None:
        """Runs `postconf -e …` as an operator would, on this server's configuration."""
        for command in commands:
            program, *words = shlex.split(command)
            subprocess.run([f"/usr/sbin/{program}", "-c", str(self.home / "etc"), *words], check=True)

    def settings(self, *names: str) -> str:
        """These settings, as the server reports them."""
        asked = ["/usr/sbin/postconf", "-c", str(self.home / "etc"), *names]
        return subprocess.run(asked, check=True, capture_output=True, text=True).stdout

    @property
    def log(self) -> str:
        """Everything it has logged."""
        return (self.home / "log").read_text(errors="replace")

    def _postfix(self, command: str) -> int:
        """Runs `postfix start` or the like, and returns its exit status."""
        with (self.home / "said").open("ab") as said:
            return subprocess.run(
                ["/usr/sbin/postfix", "-c", str(self.home / "etc"), command], stdout=said, stderr=said, timeout=60
            ).returncode

    def _start(self) -> None:
        with (self.home / "said").open("ab") as said:
            for name, (program, option) in self.programs.items():
                command = [program, "-f", option, str(self.home / name), "-p", f"inet:{self.ports[name]}@127.0.0.1"]
                self.milters.append(subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=said, stderr=said))
        if status := self._postfix("start"):
            raise AssertionError(f"`postfix start` failed with exit status {status}.")
        wait_for(self._is_open, "Postfix's start", PATIENCE / ATTEMPTS)

    def _is_open(self) -> bool:
        """Whether every port answers; a milter that has ended is an error, although another server may answer there."""
        missing = self._missing()
        for name, milter in zip(self.programs, self.milters, strict=True):
            if milter.poll() is not None:
                raise AssertionError(f"{name} ({self.programs[name][0]}) ended with exit status {milter.returncode}.")
        return not missing

    def _missing(self) -> list[str]:
        return [name for name, port in self.ports.items() if not answers(port)]

    def _report(self) -> str:
        """A report on a failed start: ports that don't answer, and the ends of the logs."""
        logs = {name: (self.home / name) for name in ("said", "log")}
        ends = {name: log.read_text(errors="replace")[-3000:] for name, log in logs.items() if log.exists()}
        missing = [f"{name} ({self.ports[name]})" for name in self._missing()]
        return "\n".join([f"Ports that do not answer: {', '.join(missing) or 'none'}", *ends.values()])

    def __enter__(self) -> Postfix:
        failure = ""
        for _ in range(ATTEMPTS):
            try:
                self._start()
                return self
            except AssertionError as error:
                failure = f"{error}\n{self._report()}"
                self._stop()
                self._choose_ports()
            except BaseException:
                self.__exit__()
                raise
        self.__exit__()
        raise AssertionError(failure)

    def _stop(self) -> None:
        self._postfix("abort")
        for milter in self.milters:
            milter.kill()  # With SIGTERM, it takes five seconds.
            milter.wait()
        self.milters.clear()
        (self.home / "log").unlink(missing_ok=True)

    def __exit__(self, *_: object) -> None:
        self._stop()
        shutil.rmtree(self.home, ignore_errors=True)
