"""Settings, read once from the environment."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from tempfile import NamedTemporaryFile
from urllib.parse import urlsplit

from service import addresses
from service.keeping import Keeping, KeepingError

ROOT = Path(__file__).resolve().parent.parent
"""The root directory, which has `templates/` and the `Procfile`."""

LEAST_KEY = 32
"""The fewest characters of a secret, or bytes of a key file."""


class SettingsError(ValueError):
    """An invalid setting. The message is one sentence that names it."""


@dataclass(frozen=True)
class Settings:
    """How this deployment is configured. Every field has a default, so it starts with nothing set."""

    data: Path
    """The directory of the embedded database, the queue and the keys."""
    database_url: str
    redis_url: str
    """Redis, Valkey or Sentinels, for the queue and to count requests. Empty: the embedded Valkey, in `data`."""
    amqp_url: str
    """RabbitMQ, for the queue alone. Empty: the queue is in Redis."""
    smtp_url: str
    """`smtp://user:password@host:587` (STARTTLS) or `smtps://…:465`; empty: the local post office."""
    smtp_cleartext: bool
    """Whether mail and the password in `smtp_url` may go to another machine without TLS."""
    public_url: str
    web_host: str
    web_port: int
    proxies: int
    """Number of reverse proxies in front of the web process. Their X-Forwarded headers are trusted."""
    mail_domain: str
    """The part after the @ of our addresses."""
    mail_desk: str
    """The local part of the address that anybody can write commands to."""
    mail_replies: str
    """The part before the `+` of signed reply addresses."""
    mail_host: str
    smtp_port: int
    lmtp_port: int
    imap_url: str
    """A mailbox to fetch mail from: `imaps://user:password@host/folder` or `imap://…` (STARTTLS). Empty: none."""
    secret: str
    """Signs reply addresses, links and cookies."""
    inbound_secret: str
    """The token for `POST /inbound/mail`, and the HTTP Basic password for Postmark and SendGrid. Empty: all refused."""
    mailgun_key: str
    """Mailgun's webhook signing key. Empty: its posts are refused."""
    sns_topic: str
    """The ARN of the topic Amazon SES publishes mail to. Empty: its posts are refused."""
    mail_trust: str
    """`verified`: a move needs a proven sender and a signed reply address. `token`: the signed address is enough.
    `token` is refused where mail leaves this machine, because anybody who is forwarded a turn email has its address."""
    trusted_authserv_id: str
    """The name our own mail server writes into Authentication-Results. Empty: no such header is trusted."""
    answers_per_day: int
    """Most automatic answers to one address in 24 hours."""
    letters_per_day: int
    """Most letters to one player in 24 hours; players can choose fewer. The rest goes into a digest. 0: no limit."""
    letters_per_minute: int
    """Most letters to one domain in a minute. 0: no limit."""
    keep: Keeping
    mail_store: str
    """Where the text of incoming mail goes after a day: `file:///…` or `s3://bucket/…`. Empty: nowhere."""
    log_orders: bool
    """Whether each step of an order is logged (`service.play.site.steps`)."""
    metrics_token: str
    """The token that opens `/metrics`. Empty: there's no such page."""
    operators: frozenset[str]
    """Email addresses of those who may see the operators' pages."""
    club_notices: tuple[str, ...]
    """Where the club gets open seats and results: `mailto:` addresses, and hooks such as `discord+https://…`."""
    club_notices_private: bool
    """Whether these hooks may be in a private network."""
    security_contact: str
    """Where to report weaknesses, as a URL such as `mailto:…`. Empty: there's no `security.txt`."""
    hooks_private: bool
    """Whether players' hooks may be in a private network. Refused in production."""
    dkim_key: Path
    """The file of the private key that signs our mail. Without it, mail isn't signed."""
    dkim_selector: str
    development: bool
    sweep_seconds: float = 15.0
    """How often unfinished work is retried. Leases are multiples of it."""

    @property
    def valkey_socket(self) -> Path:
        """The socket of the embedded Valkey. Linux limits such a path to 107 bytes."""
        return self.data / "valkey.sock"

    @property
    def desk(self) -> str:
        """The address our mail comes from, which anybody can write to."""
        return f"{self.mail_desk}@{self.mail_domain.lower()}"

    @property
    def shares_domain(self) -> bool:
        """Whether we have just one mailbox of the domain (`MAIL_ADDRESS`), and its other addresses belong to others."""
        return self.mail_desk == self.mail_replies

    @property
    def post_office_open(self) -> bool:
        """Whether mail stays in the local post office, where it can be read and answered."""
        return self.development and not self.smtp_url

    @property
    def _mail_leaves(self) -> bool:
        """Whether mail can go to or come from other machines."""
        servers = [urlsplit(url).hostname or "" for url in (self.smtp_url, self.imap_url) if url]
        return not (self.development and all(map(addresses.is_loopback, servers)))

    @property
    def passkey_host(self) -> str:
        """The host name that passkeys are bound to (WebAuthn's RP ID); "" where browsers allow no passkeys."""
        parts = urlsplit(self.public_url)
        host = parts.hostname or ""
        is_number = ":" in host or host.replace(".", "").isdigit()
        return host if not is_number and (parts.scheme == "https" or host == "localhost") else ""

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Settings:
        """Reads the environment; raises SettingsError. Creates `data`, and a secret in it (mode 0600), if missing."""
        data = Path(environment.get("STONEPOST_DATA") or "var").resolve()
        data.mkdir(parents=True, exist_ok=True, mode=0o700)
        secret = environment.get("STONEPOST_SECRET") or kept_key(data / "secret", _new_secret).decode()
        # Hosts that run a Procfile set PORT to the port they forward requests to.
        host = environment.get("WEB_HOST") or ("0.0.0.0" if "PORT" in environment else "127.0.0.1")  # noqa: S104
        port = _port(environment, "WEB_PORT" if "WEB_PORT" in environment else "PORT", 8000)
        development = _mode(environment) == "development"
        smtp_url = environment.get("SMTP_URL", "")
        only = environment.get("MAIL_ADDRESS", "").lower()
        mailbox, _, domain = only.partition("@")
        settings = cls(
            data=data,
            # Some hosting providers write postgres://, which SQLAlchemy refuses.
            database_url=re.sub("^postgres://", "postgresql://", environment.get("DATABASE_URL", ""))
            or f"sqlite:///{data / 'stonepost.db'}",
            redis_url=environment.get("REDIS_URL", ""),
            amqp_url=environment.get("AMQP_URL", ""),
            smtp_url=smtp_url,
            smtp_cleartext=_flag(environment, "SMTP_CLEARTEXT"),
            public_url=addresses.origin(environment.get("PUBLIC_URL", f"http://{addresses.with_port(host, port)}")),
            web_host=host,
            web_port=port,
            proxies=_count(environment, "TRUSTED_PROXIES"),
            mail_domain=domain if only else environment.get("MAIL_DOMAIN", "stonepost.localhost"),
            mail_desk=mailbox if only else "play",
            mail_replies=mailbox if only else "g",
            mail_host=environment.get("MAIL_HOST") or "127.0.0.1",
            smtp_port=_port(environment, "SMTP_PORT", 2525),
            lmtp_port=_port(environment, "LMTP_PORT", 2424),
            imap_url=environment.get("IMAP_URL", ""),
            secret=secret,
            inbound_secret=environment.get("INBOUND_SECRET", ""),
            mailgun_key=environment.get("MAILGUN_KEY", ""),
            sns_topic=environment.get("SNS_TOPIC", ""),
            mail_trust=environment.get("MAIL_TRUST") or ("token" if development and not smtp_url else "verified"),
            trusted_authserv_id=environment.get("TRUSTED_AUTHSERV_ID", ""),
            answers_per_day=_count(environment, "MAIL_ANSWERS_PER_DAY", 200),
            letters_per_day=_count(environment, "MAIL_PER_DAY", 1000),
            letters_per_minute=_count(environment, "MAIL_PER_MINUTE", 600),
            keep=_keeping(environment),
            mail_store=environment.get("MAIL_STORE", ""),
            log_orders=_flag(environment, "LOG_ORDERS"),
            metrics_token=environment.get("METRICS_TOKEN", ""),
            operators=frozenset(environment.get("OPERATORS", "").replace(",", " ").lower().split()),
            club_notices=tuple(environment.get("CLUB_NOTICES", "").replace(",", " ").split()),
            club_notices_private=_flag(environment, "CLUB_NOTICES_PRIVATE"),
            security_contact=environment.get("SECURITY_CONTACT", "").strip(),
            hooks_private=_flag(environment, "HOOKS_PRIVATE"),
            dkim_key=Path(environment.get("DKIM_KEY") or data / "dkim.pem"),
            dkim_selector=environment.get("DKIM_SELECTOR") or "stonepost",
            development=development,
            sweep_seconds=_seconds(environment, "SWEEP_SECONDS", 15.0),
        )
        settings._check()
        return settings

    def _check(self) -> None:
        if not self.redis_url and len(str(self.valkey_socket)) > 100:
            raise SettingsError(
                "The path in STONEPOST_DATA is too long for a socket: use a shorter one or set REDIS_URL."
            )
        if not addresses.names_a_database(self.database_url):
            raise SettingsError("DATABASE_URL must be like postgresql://user:password@host/name.")
        if self.redis_url and not addresses.names_a_redis(self.redis_url):
            raise SettingsError(
                "REDIS_URL must be like redis://:password@host:6379/0 or rediss://:password@host:6379/0, or for "
                "Sentinel like redis+sentinel://:password@host1:26379,host2:26379/name."
            )
        if self.amqp_url and not addresses.names_a_server(self.amqp_url, "amqp", "amqps"):
            raise SettingsError("AMQP_URL must be like amqp://user:password@host:5672/vhost or amqps://….")
        if self.smtp_url and not addresses.names_a_server(self.smtp_url, "smtp", "smtps"):
            raise SettingsError(
                "SMTP_URL must be like smtp://user:password@host:587 or smtps://user:password@host:465."
            )
        if not addresses.names_a_site(self.public_url):
            raise SettingsError("PUBLIC_URL must be like https://play.example.org, without a path.")
        if not self.development and urlsplit(self.public_url).scheme != "https":
            raise SettingsError("With STONEPOST_MODE=production, PUBLIC_URL must begin with https://.")
        if self.mail_store and not addresses.is_mail_store(self.mail_store):
            raise SettingsError("MAIL_STORE must be like s3://bucket/folder or file:///srv/mail.")
        if self.mail_store.startswith("s3:") and not find_spec("obstore"):
            raise SettingsError("MAIL_STORE=s3://… needs a package: pip install -r requirements-s3.lock")
        self._check_mail()
        for operator in sorted(self.operators):
            if not addresses.is_email(operator):
                raise SettingsError(f"OPERATORS must be email addresses with spaces between them, not {operator!r}.")
        if self.security_contact and not addresses.is_contact(self.security_contact):
            raise SettingsError(
                "SECURITY_CONTACT must begin with mailto:, https: or tel:, such as mailto:security@example.org, "
                f"not {self.security_contact!r}."
            )
        if not all(map(addresses.is_of_a_club, self.club_notices)):
            raise SettingsError(
                "CLUB_NOTICES must be like mailto:club@lists.example.org or discord+https://discord.com/api/webhooks/1"
                f". In place of discord it can have {', '.join(addresses.HOOKS[1:])}."
            )
        if self.hooks_private and not self.development:
            raise SettingsError(
                "HOOKS_PRIVATE=1 is refused with STONEPOST_MODE=production, because players could reach your network."
            )
        if len(self.secret) < LEAST_KEY:
            raise SettingsError(f"STONEPOST_SECRET must have at least {LEAST_KEY} characters.")

    def _check_mail(self) -> None:
        if self.imap_url and not addresses.opens_a_mailbox(self.imap_url):
            raise SettingsError(
                "IMAP_URL must be like imaps://user:password@host/INBOX, with %40 for an @ in the user or password."
            )
        if not (self.shares_domain or addresses.is_host_name(self.mail_domain)):
            raise SettingsError(f"MAIL_DOMAIN must be like play.example.org, not {self.mail_domain!r}.")
        if self.shares_domain and not addresses.is_mailbox(self.mail_desk, self.mail_domain):
            raise SettingsError(
                "MAIL_ADDRESS must be like stonepost@example.org, with at most 24 characters before the @."
            )
        if not addresses.is_selector(self.dkim_selector):
            raise SettingsError(f"DKIM_SELECTOR must be like stonepost or mail.2026, not {self.dkim_selector!r}.")
        if self.mail_trust not in ("verified", "token"):
            raise SettingsError(f"MAIL_TRUST must be verified or token, not {self.mail_trust!r}.")
        if self.mail_trust == "token" and self._mail_leaves:
            raise SettingsError(
                "MAIL_TRUST=token is refused where mail leaves this machine, because anybody who is forwarded a turn "
                "email could move. Set MAIL_TRUST=verified, or leave it unset."
            )


def _keeping(environment: Mapping[str, str]) -> Keeping:
    try:
        return Keeping.from_environment(environment)
    except KeepingError as error:
        raise SettingsError(str(error)) from None


def _mode(environment: Mapping[str, str]) -> str:
    """`development` or `production`; raises SettingsError if production lacks a setting it requires."""
    mode = environment.get("STONEPOST_MODE", "development")
    if mode not in ("development", "production"):
        raise SettingsError(f"STONEPOST_MODE must be development or production, not {mode!r}.")
    needed = [("SMTP_URL",), ("PUBLIC_URL",), ("MAIL_DOMAIN", "MAIL_ADDRESS")] if mode == "production" else []
    for names in needed:
        if not any(environment.get(name) for name in names):
            raise SettingsError(f"With STONEPOST_MODE=production, {' or '.join(names)} must be set.")
    return mode


def _flag(environment: Mapping[str, str], name: str) -> bool:
    text = environment.get(name, "0")
    if text not in ("0", "1"):
        raise SettingsError(f"{name} must be 1 or 0, not {text!r}.")
    return text == "1"


def _port(environment: Mapping[str, str], name: str, default: int) -> int:
    text = environment.get(name, str(default))
    if not text.isdecimal() or len(text) > 5 or not 0 < int(text) < 65536:
        raise SettingsError(f"{name} must be a port number, not {text!r}.")
    return int(text)


def _seconds(environment: Mapping[str, str], name: str, default: float) -> float:
    text = environment.get(name, str(default))
    try:
        found = float(text)
    except ValueError:
        found = 0.0
    if not 0.5 <= found <= 300:
        raise SettingsError(f"{name} must be a number of seconds from 0.5 to 300, not {text!r}.")
    return found


def _count(environment: Mapping[str, str], name: str, default: int = 0) -> int:
    text = environment.get(name, str(default))
    if not text.isdecimal() or len(text) > 9:
        raise SettingsError(f"{name} must be a whole number, 0 or more, not {text[:20]!r}.")
    return int(text)


def _new_secret() -> bytes:
    return secrets.token_urlsafe(48).encode()


def kept_key(path: Path, make: Callable[[], bytes]) -> bytes:
    """The key in a file, which is created if it's missing; raises SettingsError like `read_key`."""
    if not path.exists():
        _create(path, make())
    return read_key(path)


def read_key(path: Path) -> bytes:
    """The key in a file; raises SettingsError if it's not text, or too short, as after a crash or on a full disk."""
    key = path.read_bytes().strip()
    if len(key) < LEAST_KEY:
        raise SettingsError(f"{path} is empty or too short: put it back from a backup, or delete it.")
    try:
        key.decode()
    except UnicodeDecodeError:
        raise SettingsError(f"{path} isn't text: put it back from a backup, or delete it.") from None
    return key


def _create(path: Path, content: bytes) -> None:
    """Writes a file (mode 0600) whole or not at all. Of two processes that start at the same time, the first wins."""
    try:
        with NamedTemporaryFile(dir=path.parent) as half:
            half.write(content)
            half.flush()
            os.fsync(half.fileno())
            with suppress(FileExistsError):
                os.link(half.name, path)
    except OSError as error:
        raise SettingsError(f"{path} can't be written: {error.strerror}.") from error
