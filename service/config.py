"""Settings, read once from the environment."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

HOUSE = Path(__file__).resolve().parent.parent
"""Where `templates/` and the `Procfile` live."""


_MAILBOX = re.compile(r"[\w.-]{1,24}")
"""Names of mailboxes that leave room for what is signed: a local part has 64 characters at most."""


class SettingsError(ValueError):
    """A setting that cannot be used. The message names it in one sentence."""


@dataclass(frozen=True)
class Settings:
    """How this deployment is wired. Every field has an embedded default, so that nothing needs to be set to start."""

    data: Path
    """Where the embedded database, queue and generated secret live."""
    database_url: str
    redis_url: str
    """Empty: the embedded server on a socket in `data`."""
    smtp_url: str
    """`smtp://user:password@host:587` (STARTTLS) or `smtps://…:465`; empty: the local post office."""
    smtp_cleartext: bool
    """Whether mail, and the password of `smtp_url`, may go to another machine without TLS."""
    public_url: str
    web_host: str
    web_port: int
    proxies: int
    """How many reverse proxies stand before the web process; their word is taken for who is asking."""
    mail_domain: str
    """What stands behind the @ of our addresses."""
    mail_desk: str
    """The mailbox for mails that answer none of ours: commands, from anybody."""
    mail_replies: str
    """The mailbox before the `+` of signed addresses."""
    mail_host: str
    smtp_port: int
    lmtp_port: int
    imap_url: str
    """`imaps://user:password@host/folder` or `imap://…` (STARTTLS): a mailbox whose mail is for us; empty: none."""
    secret: str
    """Signs reply addresses, sign-in links and cookies."""
    inbound_secret: str
    """Opens `POST /inbound/mail`, and as an HTTP Basic password the doors for Postmark and SendGrid."""
    mailgun_key: str
    """Mailgun's webhook signing key; empty: its door is shut."""
    sns_topic: str
    """The ARN of the topic Amazon SES publishes mail to; empty: its door is shut."""
    mail_trust: str
    """Whose orders count: `verified` asks that the sender is proven besides a signed reply address; `token` is content
    with the address, and is refused where mail leaves this machine, as whoever is forwarded a mail has its address."""
    trusted_authserv_id: str
    """The name our own mail server writes into Authentication-Results; empty: none is believed."""
    answers_per_day: int
    """How many automatic answers one address gets in 24 hours."""
    letters_per_day: int
    """How many letters a player gets in 24 hours, who may choose fewer; the rest goes into a digest. 0: no limit."""
    letters_per_minute: int
    """How many letters one worker sends to one domain in a minute; 0: as many as there are."""
    raw_days: int
    """After how many days the text of mail that came in is deleted, where nothing needs it any more; 0: never."""
    operators: frozenset[str]
    """The addresses of those who may see the pages for operators."""
    dkim_key: Path
    """The private key that signs our mails; none is signed while there is no such file."""
    dkim_selector: str
    development: bool
    sweep_seconds: float = 15.0
    """How often what was left lying is taken up; the leases of whoever holds something are reckoned in it."""

    @property
    def valkey_socket(self) -> Path:
        """The embedded queue's socket (under 108 bytes, the operating system's limit)."""
        return self.data / "valkey.sock"

    @property
    def desk(self) -> str:
        """The address that our mails come from, and that anybody may write to."""
        return f"{self.mail_desk}@{self.mail_domain.lower()}"

    @property
    def shares_domain(self) -> bool:
        """Whether one mailbox is all we have of the domain, and its other addresses are other people's."""
        return self.mail_desk == self.mail_replies

    @property
    def post_office_open(self) -> bool:
        """Whether mail stays in the local post office, to be read and answered there."""
        return self.development and not self.smtp_url

    @property
    def _mail_leaves(self) -> bool:
        """Whether mail may come from or go to other machines."""
        servers = [urlsplit(url).hostname or "" for url in (self.smtp_url, self.imap_url) if url]
        return not (self.development and all(map(is_loopback, servers)))

    @property
    def passkey_host(self) -> str:
        """The name that passkeys are bound to (WebAuthn's RP ID); "" where browsers allow none: no TLS, or no name."""
        parts = urlsplit(self.public_url)
        host = parts.hostname or ""
        is_number = ":" in host or host.replace(".", "").isdigit()
        return host if not is_number and (parts.scheme == "https" or host == "localhost") else ""

    @property
    def broker_url(self) -> str:
        """The queue as Celery spells it."""
        return self.redis_url or f"redis+socket://{self.valkey_socket}?virtual_host=0"

    @property
    def limits_url(self) -> str:
        """The queue as the rate limiter spells it."""
        return self.redis_url or f"redis+unix://{self.valkey_socket}"

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Settings:
        """Reads the environment; raises SettingsError. Makes `data` and, once, its secret file (mode 0600)."""
        data = Path(environment.get("STONEPOST_DATA", "var")).resolve()
        data.mkdir(parents=True, exist_ok=True, mode=0o700)
        secret = environment.get("STONEPOST_SECRET") or _kept_secret(data / "secret")
        host = environment.get("WEB_HOST", "127.0.0.1")
        port = _port(environment, "WEB_PORT", 8000)
        development = _mode(environment) == "development"
        smtp_url = environment.get("SMTP_URL", "")
        only = environment.get("MAIL_ADDRESS", "").lower()
        mailbox, _, domain = only.partition("@")
        settings = cls(
            data=data,
            # Some providers write the name of PostgreSQL short.
            database_url=re.sub("^postgres://", "postgresql://", environment.get("DATABASE_URL", ""))
            or f"sqlite:///{data / 'stonepost.db'}",
            redis_url=environment.get("REDIS_URL", ""),
            smtp_url=smtp_url,
            smtp_cleartext=_flag(environment, "SMTP_CLEARTEXT"),
            public_url=environment.get("PUBLIC_URL", f"http://{host}:{port}").rstrip("/"),
            web_host=host,
            web_port=port,
            proxies=_count(environment, "TRUSTED_PROXIES"),
            mail_domain=domain if only else environment.get("MAIL_DOMAIN", "stonepost.localhost"),
            mail_desk=mailbox if only else "play",
            mail_replies=mailbox if only else "g",
            mail_host=environment.get("MAIL_HOST", "127.0.0.1"),
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
            raw_days=_count(environment, "RAW_MAIL_DAYS", 30),
            operators=frozenset(environment.get("OPERATORS", "").replace(",", " ").lower().split()),
            dkim_key=Path(environment.get("DKIM_KEY") or data / "dkim.pem"),
            dkim_selector=environment.get("DKIM_SELECTOR", "stonepost"),
            development=development,
            sweep_seconds=_seconds(environment, "SWEEP_SECONDS", 15.0),
        )
        settings._check()
        return settings

    def _check(self) -> None:
        if not self.redis_url and len(str(self.valkey_socket)) > 100:
            raise SettingsError(
                "STONEPOST_DATA is too long a path for a socket; choose a shorter one or set REDIS_URL."
            )
        if not self.database_url.startswith(("sqlite:///", "postgresql://", "postgresql+psycopg://")):
            raise SettingsError("DATABASE_URL must be like postgresql://user:password@host/name.")
        if self.redis_url and not _names_a_server(self.redis_url, "redis", "rediss"):
            raise SettingsError("REDIS_URL must be like redis://:password@host:6379/0, or begin with rediss://.")
        if self.smtp_url and not _names_a_server(self.smtp_url, "smtp", "smtps"):
            raise SettingsError("SMTP_URL must be like smtp://user:password@host:587, or begin with smtps://.")
        if not _names_a_server(self.public_url, "http", "https"):
            raise SettingsError("PUBLIC_URL must be like https://play.example.org.")
        if not self.development and urlsplit(self.public_url).scheme != "https":
            raise SettingsError("With STONEPOST_MODE=production, PUBLIC_URL must begin with https://.")
        if self.imap_url and not _opens_a_mailbox(self.imap_url):
            raise SettingsError("IMAP_URL must be like imaps://user:password@host/INBOX, with %40 for an @ in them.")
        if self.shares_domain and not (_MAILBOX.fullmatch(self.mail_desk) and self.mail_domain):
            raise SettingsError(
                "MAIL_ADDRESS must be like stonepost@example.org, with 24 letters at most before the @."
            )
        if self.mail_trust not in ("verified", "token"):
            raise SettingsError(f"MAIL_TRUST must be verified or token, not {self.mail_trust!r}.")
        if self.mail_trust == "token" and self._mail_leaves:
            raise SettingsError(
                "MAIL_TRUST=token is refused where mail leaves this machine: anybody who is forwarded a turn email "
                "could move. Set MAIL_TRUST=verified, or leave it unset."
            )
        if len(self.secret) < 32:
            raise SettingsError("STONEPOST_SECRET must have at least 32 characters.")


def _mode(environment: Mapping[str, str]) -> str:
    """`development` or `production`, in which nothing may be left to what suits a single machine."""
    mode = environment.get("STONEPOST_MODE", "development")
    if mode not in ("development", "production"):
        raise SettingsError(f"STONEPOST_MODE must be development or production, not {mode!r}.")
    needed = [("SMTP_URL",), ("PUBLIC_URL",), ("MAIL_DOMAIN", "MAIL_ADDRESS")] if mode == "production" else []
    for names in needed:
        if not any(environment.get(name) for name in names):
            raise SettingsError(f"With STONEPOST_MODE=production, {' or '.join(names)} must be set.")
    return mode


def _names_a_server(url: str, *schemes: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in schemes and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _opens_a_mailbox(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in ("imap", "imaps") and all((parts.hostname, parts.username, parts.port != 0))
    except ValueError:
        return False


def is_loopback(host: str) -> bool:
    """Whether this name or IP address is this machine's own."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _flag(environment: Mapping[str, str], name: str) -> bool:
    text = environment.get(name, "0")
    if text not in ("0", "1"):
        raise SettingsError(f"{name} must be 1 or 0, not {text!r}.")
    return text == "1"


def _port(environment: Mapping[str, str], name: str, default: int) -> int:
    text = environment.get(name, str(default))
    if not text.isdigit() or not 0 < int(text) < 65536:
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
    if not text.isdigit():
        raise SettingsError(f"{name} must be a number, 0 for none, not {text!r}.")
    return int(text)


def _kept_secret(path: Path) -> str:
    """The secret of this data directory, made at the first start. Of two processes starting at once, one makes it."""
    try:
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_text().strip()
    with os.fdopen(file, "w") as writer:
        writer.write(secrets.token_urlsafe(48))
    return path.read_text().strip()
