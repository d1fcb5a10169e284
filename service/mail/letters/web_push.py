"""Messages to browsers: encrypted for the device (RFC 8291) and authorized by our key (VAPID, RFC 8292).

A few lines of our own with `cryptography`, because pywebpush needs 14 MB and fifteen packages. The tests compare them
with the example in RFC 8291 byte by byte.
"""

from __future__ import annotations

import hmac
import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from urllib.parse import urlsplit

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from service.mail.letters.hooks import Request, to

CURVE = ec.SECP256R1()
ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
RECORD = 4096
"""Bytes of a record (RFC 8188). A message is a single record, and push services accept no longer ones."""

VALID = 12 * 3600
"""Seconds for which an authorization is valid; at most 24 hours are allowed."""


@dataclass(frozen=True, slots=True)
class Device:
    """A push subscription: its address, and its public key and secret in base64url."""

    address: str
    p256dh: str
    auth: str


def own_key(site_secret: str, purpose: str = "vapid") -> ec.EllipticCurvePrivateKey:
    """The site's key, derived from its secret. After the secret changes, devices have to subscribe again."""
    derived = hmac.digest(site_secret.encode(), purpose.encode(), "sha512")
    return ec.derive_private_key(int.from_bytes(derived) % (ORDER - 1) + 1, CURVE)


def public(key: ec.EllipticCurvePrivateKey) -> bytes:
    """The public half as an uncompressed point, as browsers expect it."""
    return key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def unpadded(data: bytes) -> str:
    """base64url without the equals signs."""
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def padded(text: str) -> bytes:
    """Decodes what `unpadded` encoded; raises ValueError."""
    return urlsafe_b64decode(text.rstrip("=") + "=" * (-len(text.rstrip("=")) % 4))


def check(device: Device) -> None:
    """Raises ValueError if nothing can be encrypted for the device: a key off the curve, or no secret of 16 bytes."""
    ec.EllipticCurvePublicKey.from_encoded_point(CURVE, padded(device.p256dh))
    if len(padded(device.auth)) != 16:
        raise ValueError("the secret must have 16 bytes")


def encrypt(body: bytes, device: Device, key: ec.EllipticCurvePrivateKey, salt: bytes) -> bytes:
    """A message that only the device can read, with a key for this message alone and 16 bytes of salt.

    Raises ValueError if the device's key isn't a point of the curve.
    """
    theirs, own = padded(device.p256dh), public(key)
    shared = key.exchange(ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(CURVE, theirs))
    secret = _derived(shared, padded(device.auth), b"WebPush: info\0" + theirs + own, 32)
    content_key = _derived(secret, salt, b"Content-Encoding: aes128gcm\0", 16)
    nonce = _derived(secret, salt, b"Content-Encoding: nonce\0", 12)
    head = salt + RECORD.to_bytes(4) + bytes([len(own)]) + own
    return head + AESGCM(content_key).encrypt(nonce, body + b"\2", None)


def _derived(secret: bytes, salt: bytes, info: bytes, length: int) -> bytes:
    return HKDF(hashes.SHA256(), length, salt, info).derive(secret)


def authorization(address: str, contact: str, key: ec.EllipticCurvePrivateKey, seconds: int) -> str:
    """The Authorization header for a device's push service at this time, in seconds since 1970."""
    parts = urlsplit(address)
    claims = {"aud": f"{parts.scheme}://{parts.netloc}", "exp": seconds + VALID, "sub": contact}
    told = ".".join(unpadded(json.dumps(part).encode()) for part in ({"typ": "JWT", "alg": "ES256"}, claims))
    r, s = decode_dss_signature(key.sign(told.encode(), ec.ECDSA(hashes.SHA256())))
    return f"vapid t={told}.{unpadded(r.to_bytes(32) + s.to_bytes(32))}, k={unpadded(public(key))}"


def request(
    device: Device, name: str, content: Mapping[str, object], site_secret: str, contact: str, *, seconds: int, life: int
) -> Request:
    """The request that shows a device a notification, for `life` seconds from now.

    All copies have the same `name`: the push service replaces one that the device hasn't had yet.
    """
    salt = sha256(f"salt {site_secret} {name} {seconds}".encode()).digest()[:16]
    once = own_key(site_secret, f"push {name} {seconds} {device.address}")
    headers = {
        "Authorization": authorization(device.address, contact, own_key(site_secret), seconds),
        "Content-Encoding": "aes128gcm",
        "TTL": str(life),
        "Topic": sha256(name.encode()).hexdigest()[:32],
        "Urgency": "high",
    }
    body = encrypt(json.dumps(content).encode(), device, once, salt)
    return to(device.address, "application/octet-stream", body, headers)


def notification(title: str, text: str, link: str, tag: str) -> dict[str, object]:
    """A notification in WebKit's declarative form, which needs no script; our service worker reads the same."""
    return {
        "web_push": 8030,
        "notification": {"title": title, "body": text, "navigate": link, "tag": tag, "lang": "en"},
    }
