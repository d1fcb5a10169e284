"""Push messages follow RFC 8291 and RFC 8292, and the right device can decrypt them."""

from __future__ import annotations

import json

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from service.mail.letters import web_push
from service.mail.letters.web_push import CURVE, Device, padded, public, unpadded

EXAMPLE = {
    "plaintext": b"When I grow up, I want to be a watermelon",
    "as_private": "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw",
    "ua_public": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
    "salt": "DGv6ra1nlYgDCS1FRnbzlw",
    "auth": "BTBZMqHH6r4Tts7J_aSIgg",
    "body": "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6"
    "PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN",
}
"""The example of RFC 8291, section 5."""

SECRET = "a secret of this site with enough characters"


def opened(body: bytes, key: ec.EllipticCurvePrivateKey, auth: bytes) -> bytes:
    """What a device reads (RFC 8188 and 8291), written from its side."""
    salt, size, length = body[:16], int.from_bytes(body[16:20]), body[20]
    theirs, sealed = body[21 : 21 + length], body[21 + length :]
    assert len(sealed) < size

    def derived(secret: bytes, salt: bytes, info: bytes, length: int) -> bytes:
        return HKDF(hashes.SHA256(), length, salt, info).derive(secret)

    shared = key.exchange(ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(CURVE, theirs))
    secret = derived(shared, auth, b"WebPush: info\0" + public(key) + theirs, 32)
    content_key = derived(secret, salt, b"Content-Encoding: aes128gcm\0", 16)
    plain = AESGCM(content_key).decrypt(derived(secret, salt, b"Content-Encoding: nonce\0", 12), sealed, None)
    text, _, padding = plain.rpartition(b"\2")
    assert padding == b""
    return text


def test_the_example_of_rfc_8291_byte_for_byte() -> None:
    key = ec.derive_private_key(int.from_bytes(padded(str(EXAMPLE["as_private"]))), CURVE)
    device = Device("https://push.example.net/", str(EXAMPLE["ua_public"]), str(EXAMPLE["auth"]))
    plaintext = EXAMPLE["plaintext"]
    assert isinstance(plaintext, bytes)
    body = web_push.encrypt(plaintext, device, key, padded(str(EXAMPLE["salt"])))
    assert unpadded(body) == EXAMPLE["body"]


def test_a_device_decrypts_what_it_is_sent() -> None:
    key, auth = ec.generate_private_key(CURVE), bytes(range(16))
    device = Device("https://push.example.net/send/1?x=y", unpadded(public(key)), unpadded(auth))
    content = web_push.notification("Go 1: your move", "It's your move.", "https://play.example.org/match/1", "match-1")
    asked = web_push.request(
        device, "turn:1", content, SECRET, "mailto:play@example.org", seconds=1_700_000_000, life=60
    )
    assert json.loads(opened(asked.body, key, auth)) == {
        "web_push": 8030,
        "notification": {
            "title": "Go 1: your move",
            "body": "It's your move.",
            "navigate": "https://play.example.org/match/1",
            "tag": "match-1",
            "lang": "en",
        },
    }
    assert (asked.host, asked.target) == ("push.example.net", "/send/1?x=y")
    assert {name: asked.headers[name] for name in ("TTL", "Content-Encoding", "Urgency")} == {
        "TTL": "60",
        "Content-Encoding": "aes128gcm",
        "Urgency": "high",
    }
    assert len(asked.headers["Topic"]) <= 32


def test_the_push_service_can_check_the_sender() -> None:
    """RFC 8292: a JWT for its origin, valid for half a day, signed with the key that the browser subscribed with."""
    key = web_push.own_key(SECRET)
    header = web_push.authorization(
        "https://push.example.net:8443/send/1", "mailto:play@example.org", key, 1_700_000_000
    )
    scheme, _, fields = header.partition(" ")
    token, known = (field.partition("=")[2] for field in fields.split(", "))
    head, claims, proof = token.split(".")
    assert scheme == "vapid"
    assert padded(known) == public(web_push.own_key(SECRET))
    assert json.loads(padded(head)) == {"typ": "JWT", "alg": "ES256"}
    assert json.loads(padded(claims)) == {
        "aud": "https://push.example.net:8443",
        "exp": 1_700_000_000 + 12 * 3600,
        "sub": "mailto:play@example.org",
    }
    signature = padded(proof)
    assert len(signature) == 64
    raw = encode_dss_signature(int.from_bytes(signature[:32]), int.from_bytes(signature[32:]))
    key.public_key().verify(raw, f"{head}.{claims}".encode(), ec.ECDSA(hashes.SHA256()))
    with pytest.raises(InvalidSignature):
        key.public_key().verify(raw, f"{head}.{claims}x".encode(), ec.ECDSA(hashes.SHA256()))


def test_keys_differ_by_secret_and_no_two_messages_share_one() -> None:
    sites = {public(web_push.own_key(secret)) for secret in (SECRET, SECRET + "x")}
    assert len(sites) == 2
    device = Device("https://push.example.net/", str(EXAMPLE["ua_public"]), str(EXAMPLE["auth"]))
    bodies = [
        web_push.request(device, name, {}, SECRET, "mailto:a@b", seconds=seconds, life=60).body[:86]
        for name, seconds in (("turn:1", 1), ("turn:1", 2), ("turn:2", 1))
    ]
    assert len({*bodies}) == 3
