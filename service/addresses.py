"""The syntax of addresses in settings: servers, mailboxes, people and clubs. Nothing checks that they exist."""

from __future__ import annotations

import re
from ipaddress import ip_address
from urllib.parse import urlsplit

SENTINELS = re.compile(r"redis\+sentinel://([^@/]*@)?([\w.-]+:\d+(?:,[\w.-]+:\d+)*)/([\w.-]+)")
"""Groups: the login, the Sentinels, and the name by which they know the Redis server."""

HOOKS = ("discord", "slack", "mattermost", "matrix", "mastodon", "ntfy")
"""Programs that a hook can send open seats and results to."""

_LABEL = "[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?"
_HOST_NAME = re.compile(rf"(?=.{{1,253}}$){_LABEL}(\.{_LABEL})*", re.IGNORECASE | re.ASCII)
"""RFC 1123, 2.1."""

_SELECTOR = re.compile(r"[\w-]+(\.[\w-]+)*", re.ASCII)
_MAILBOX = re.compile(r"[\w.-]{1,24}")
"""Mailbox names short enough for signed addresses: a local part has at most 64 octets (RFC 5321, 4.5.3.1.1)."""

_DATABASE = re.compile(
    r"sqlite:///.*|postgresql(\+psycopg)?://([^/@]*(/[^@]*)?@)?(\[[^/]*\]|[^/:?\[]*)(:\d+)?([/?].*)?", re.DOTALL
)
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+")
_CONTACT = re.compile(rf"mailto:{_EMAIL.pattern}|https://\S+|tel:\S+")
_MAIL_STORE = re.compile(r"s3://[\w.-]+(/[\w./-]*)?|file:///[^?#]+")


def is_host_name(text: str) -> bool:
    """Whether this is a valid DNS name. A name with letters outside ASCII must be in Punycode."""
    return _HOST_NAME.fullmatch(text) is not None


def is_selector(text: str) -> bool:
    """Whether this can be the name of a DKIM key in the DNS. Some have underscores, which RFC 6376 doesn't allow."""
    return _SELECTOR.fullmatch(text) is not None


def is_mailbox(local_part: str, domain: str) -> bool:
    """Whether signed reply addresses can be made from this mailbox."""
    return _MAILBOX.fullmatch(local_part) is not None and is_host_name(domain)


def is_email(text: str) -> bool:
    """Whether this could be a person's email address."""
    return _EMAIL.fullmatch(text) is not None


def is_contact(url: str) -> bool:
    """Whether this URL may be a contact in `security.txt` (RFC 9116, 2.5.3)."""
    return _CONTACT.fullmatch(url) is not None


def is_of_a_club(address: str) -> bool:
    """Whether this is `mailto:` with an email address, or the name of a program with the URL of a hook."""
    program, _, url = address.partition("+")
    is_hook = program in HOOKS and names_a_server(url, "https")
    return is_hook or (address.startswith("mailto:") and is_email(address.removeprefix("mailto:")))


def is_mail_store(url: str) -> bool:
    """Whether this is the URL of a directory or a bucket."""
    return _MAIL_STORE.fullmatch(url) is not None


def names_a_server(url: str, *schemes: str) -> bool:
    """Whether this is a URL with one of these schemes and a host."""
    try:
        parts = urlsplit(url)
        return parts.scheme in schemes and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def names_a_database(url: str) -> bool:
    """Whether this is the URL of an SQLite file or of a PostgreSQL database, whose port, if any, is a number."""
    return _DATABASE.fullmatch(url) is not None


def names_a_redis(url: str) -> bool:
    """Whether this is the URL of a Redis server or of Sentinels."""
    return names_a_server(url, "redis", "rediss") or SENTINELS.fullmatch(url) is not None


def names_a_site(url: str) -> bool:
    """Whether this is a web server's URL without a path, so that any path can be appended."""
    return names_a_server(url, "http", "https") and re.fullmatch(r"\w+://[^/?#@\s]+", url) is not None


def origin(url: str) -> str:
    """A site's URL as browsers write it: in lower case, without https's own port (RFC 6454, 6.1) or a final slash."""
    return re.sub(r"^(https://.*):443$", r"\1", url.rstrip("/").lower())


def opens_a_mailbox(url: str) -> bool:
    """Whether this is an IMAP URL with a user."""
    return names_a_server(url, "imap", "imaps") and bool(urlsplit(url).username)


def with_port(host: str, port: int) -> str:
    """A host name or IP address with a port, as in a URL (RFC 3986, 3.2.2)."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def is_loopback(host: str) -> bool:
    """Whether this host name or IP address is the machine's own."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
