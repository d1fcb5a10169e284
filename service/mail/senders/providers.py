"""What mail providers post to us about an incoming message, and how each proves its identity.

Postmark and SendGrid don't sign: they know a password (HTTP Basic) in the URL they post to. Mailgun signs with a key it
shares with us, Amazon SNS with a certificate of its own.
"""

from __future__ import annotations

import hmac
import json
import re
from base64 import b64decode
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.x509 import load_pem_x509_certificate

FRESH = timedelta(hours=1)
"""How old a signed post may be. Providers try again for longer, each time with a new signature."""

_AMAZON = r"https://sns\.[a-z0-9-]{3,30}\.amazonaws\.com(?:\.cn)?"
_CERTIFICATE = re.compile(rf"{_AMAZON}/SimpleNotificationService-[0-9a-f]{{1,64}}\.pem")
"""Where Amazon keeps its certificates. Other paths on the same hosts have customers' content."""
_CONFIRMATION = re.compile(rf"{_AMAZON}/\?Action=ConfirmSubscription&[!-~]{{1,4000}}")
_SNS_FIELDS = ("Message", "MessageId", "Subject", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type")


class ProviderError(ValueError):
    """A post in the wrong format, or one that isn't proven to be the provider's. The message says why in one
    sentence."""


@dataclass(frozen=True, slots=True)
class Posted:
    """A message and the addresses it was sent to."""

    raw: bytes
    recipients: tuple[str, ...]
    token: str = ""
    """A token that the provider uses for only one message; "" if it has none."""


def postmark(body: bytes) -> Posted:
    """Postmark's inbound JSON, with its setting "Include raw email content" on; raises ProviderError."""
    post = _json(body)
    raw, recipient = post.get("RawEmail"), post.get("OriginalRecipient")
    if not isinstance(raw, str) or not isinstance(recipient, str):
        raise ProviderError("RawEmail or OriginalRecipient is missing: switch on the raw content in Postmark.")
    return Posted(raw.encode("utf-8", "surrogatepass"), (recipient,))


def sendgrid(form: Mapping[str, str]) -> Posted:
    """SendGrid's Inbound Parse, with its setting "POST the raw, full MIME message" on; raises ProviderError."""
    if "email" not in form:
        raise ProviderError("The field email is missing: switch on the raw message in SendGrid.")
    to = _json(form.get("envelope", "").encode()).get("to")
    return Posted(form["email"].encode("utf-8", "surrogatepass"), tuple(map(str, to if isinstance(to, list) else ())))


def mailgun(form: Mapping[str, str], key: str, now: datetime) -> Posted:
    """Mailgun's route to an address ending in `mime`; raises ProviderError."""
    stamp, token = form.get("timestamp", ""), form.get("token", "")
    signature = hmac.new(key.encode(), f"{stamp}{token}".encode(), sha256).hexdigest()
    if not key or not hmac.compare_digest(signature.encode(), form.get("signature", "").encode()):
        raise ProviderError("This isn't signed with MAILGUN_KEY.")
    if not stamp.isdecimal() or len(stamp) > 12 or abs(now.timestamp() - int(stamp)) > FRESH.total_seconds():
        raise ProviderError("This was signed too long ago.")
    if "body-mime" not in form:
        raise ProviderError("The field body-mime is missing: make the route's address end in mime.")
    return Posted(form["body-mime"].encode("utf-8", "surrogatepass"), (form.get("recipient", ""),), token)


def sns(body: bytes, topic: str, fetch: Callable[[str], bytes]) -> Posted | str:
    """Amazon SES through an SNS topic: a message, or the address that confirms the subscription to it.

    `fetch` reads Amazon's certificate from its address. Raises ProviderError.
    """
    post = _json(body)
    if not topic or post.get("TopicArn") != topic:
        raise ProviderError("This isn't from the topic in SNS_TOPIC.")
    _check_sns(post, fetch)
    if post.get("Type") == "SubscriptionConfirmation":
        return _of_amazon(_CONFIRMATION, post.get("SubscribeURL"))
    return _notified(_json(str(post.get("Message", "")).encode("utf-8", "surrogatepass")))


def _notified(notice: Mapping[str, Any]) -> Posted:
    """The message in a notification of SES."""
    match notice:
        case {"content": str(content), "receipt": {"recipients": list(recipients), "action": dict(action)}}:
            encoded = str(action.get("encoding", "")).lower() == "base64"
        case _:
            raise ProviderError("The notification has no content: let the receipt rule publish the message itself.")
    try:
        raw = b64decode(content) if encoded else content.encode("utf-8", "surrogatepass")
    except ValueError as error:
        raise ProviderError("The notification's content is not base64, as it says.") from error
    return Posted(raw, tuple(map(str, recipients)))


def _check_sns(post: Mapping[str, Any], fetch: Callable[[str], bytes]) -> None:
    """Raises ProviderError unless Amazon has signed this (SNS, "Verifying the signatures of messages")."""
    left_out = ("SubscribeURL", "Token") if post.get("Type") == "Notification" else ("Subject",)
    names = [name for name in _SNS_FIELDS if name not in left_out and post.get(name) is not None]
    signed = "".join(f"{name}\n{post[name]}\n" for name in names)
    # Version 1 is SHA-1, which is no longer safe. A topic can be set to version 2.
    if post.get("SignatureVersion") != "2":
        raise ProviderError("Set SignatureVersion 2 for the topic.")
    try:
        certificate = load_pem_x509_certificate(fetch(_of_amazon(_CERTIFICATE, post.get("SigningCertURL"))))
        public = certificate.public_key()
        if not isinstance(public, rsa.RSAPublicKey):
            raise ProviderError("Amazon signs with RSA.")
        given = b64decode(str(post.get("Signature")))
        public.verify(given, signed.encode("utf-8", "surrogatepass"), padding.PKCS1v15(), hashes.SHA256())
    except ProviderError:
        raise
    except (InvalidSignature, ValueError) as error:
        raise ProviderError("Amazon did not sign this.") from error


def _of_amazon(kind: re.Pattern[str], address: object) -> str:
    """Returns the address if it is of this kind; otherwise raises ProviderError."""
    if not isinstance(address, str) or not kind.fullmatch(address):
        raise ProviderError("This names an address that is not Amazon's.")
    return address


def _json(body: bytes) -> dict[str, Any]:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise ProviderError("This isn't valid JSON.") from error
    if not isinstance(found, dict):
        raise ProviderError("This is not a JSON object.")
    return found
