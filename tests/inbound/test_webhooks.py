"""Mail that providers post is handled like mail over SMTP, and only providers can post it."""

from __future__ import annotations

import hmac
import json
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.x509.oid import NameOID
from flask import Flask
from sqlalchemy import select
from werkzeug.exceptions import HTTPException

from service.inbound import webhooks
from service.mail.senders import providers
from service.mail.senders.providers import Posted, ProviderError
from service.store.tables.mail_rows import IncomingMail
from tests.play.conftest import Town, town
from tests.web.conftest import app

__all__ = ["app", "town"]

MAIL = "From: ada@example.org\r\nMessage-ID: <1@example.org>\r\n\r\nstatus\r\n"
DESK = "play@stonepost.localhost"
BASIC = {"Authorization": f"Basic {b64encode(b'any:open sesame').decode()}"}
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
TOPIC = "arn:aws:sns:eu-west-1:1:mail"
KEY = rsa.generate_private_key(65537, 2048)


def kept(town: Town) -> list[tuple[str, str]]:
    with town.store.reading() as session:
        return [(mail.recipient, mail.verdict) for mail in session.scalars(select(IncomingMail))]


def test_postmark_and_sendgrid_need_a_password(app: Flask, town: Town) -> None:
    client = app.test_client()
    post = {"RawEmail": MAIL, "OriginalRecipient": DESK}
    form = {"email": MAIL, "envelope": json.dumps({"to": [DESK]})}
    assert client.post("/inbound/postmark", json=post).status_code == 401
    assert client.post("/inbound/sendgrid", data=form).status_code == 401
    assert kept(town) == []
    assert client.post("/inbound/postmark", json=post, headers=BASIC).status_code == 204
    assert client.post("/inbound/sendgrid", data=form, headers=BASIC).status_code == 204
    assert kept(town) == [(DESK, "held")]


def test_webhooks_that_are_not_set_up_stay_closed(app: Flask) -> None:
    client = app.test_client()
    assert client.post("/inbound/mailgun/mime", data={"body-mime": MAIL}).status_code == 403
    assert client.post("/inbound/ses", json={"TopicArn": ""}).status_code == 403
    assert client.post("/inbound/postmark", data="nonsense", headers=BASIC).status_code == 403


def test_a_stranger_without_proof_soon_hits_a_limit(app: Flask) -> None:
    client = app.test_client()
    assert [client.post("/inbound/ses", json={}).status_code for _ in range(21)] == [403] * 20 + [429]


def mailgun(**changed: str) -> Posted:
    stamp = str(int(NOW.timestamp()))
    signature = hmac.new(b"key", f"{stamp}token".encode(), sha256).hexdigest()
    form = {"timestamp": stamp, "token": "token", "signature": signature, "body-mime": MAIL, "recipient": DESK}
    return providers.mailgun(form | changed, "key", NOW)


def test_mailguns_signature_is_checked() -> None:
    assert mailgun() == Posted(MAIL.encode(), (DESK,), "token")
    old = str(int((NOW - timedelta(hours=2)).timestamp()))
    late = hmac.new(b"key", f"{old}token".encode(), sha256).hexdigest()
    for changed in ({"token": "other"}, {"signature": ""}, {"timestamp": old, "signature": late}):
        with pytest.raises(ProviderError):
            mailgun(**changed)
    with pytest.raises(ProviderError):
        providers.mailgun({"signature": hmac.new(b"", b"", sha256).hexdigest()}, "", NOW)


def certificate(address: str) -> bytes:
    """The certificate that Amazon would return."""
    assert address == "https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-0a1b.pem"
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "sns.amazonaws.com")])
    made = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(KEY.public_key())
    made = made.serial_number(1).not_valid_before(NOW).not_valid_after(NOW + timedelta(days=1))
    return made.sign(KEY, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)


def sns(**changed: Any) -> Posted | str:
    told = changed.pop("message", "")
    receipt = {"recipients": [DESK], "action": {"encoding": "BASE64"}}
    content = b64encode(MAIL.encode()).decode()
    post = {
        "Type": "Notification",
        "MessageId": "1",
        "TopicArn": TOPIC,
        "Message": told or json.dumps({"content": content, "receipt": receipt}),
        "Timestamp": "2026-11-21T12:00:00Z",
        "SignatureVersion": "2",
        "SigningCertURL": "https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-0a1b.pem",
    } | {name: value for name, value in changed.items() if name in ("Type", "SubscribeURL", "Token")}
    names = sorted(set(post) - {"SignatureVersion", "SigningCertURL"})
    signed = "".join(f"{name}\n{post[name]}\n" for name in names).encode()
    post["Signature"] = b64encode(KEY.sign(signed, padding.PKCS1v15(), hashes.SHA256())).decode()
    return providers.sns(json.dumps(post | changed).encode(), TOPIC, certificate)


def test_amazons_message_is_accepted() -> None:
    assert sns() == Posted(MAIL.encode(), (DESK,))


def test_amazons_subscription_is_confirmed() -> None:
    link = "https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription&TopicArn=t&Token=t"
    assert sns(Type="SubscriptionConfirmation", SubscribeURL=link, Token="t") == link


@pytest.mark.parametrize(
    "changed",
    [
        {"Message": "{}"},
        {"TopicArn": "arn:aws:sns:eu-west-1:2:mail"},
        {"SignatureVersion": "1"},
        {"Signature": "AAAA"},
        {"SigningCertURL": "https://sns.eu-west-1.amazonaws.com.evil.example/SimpleNotificationService-0a1b.pem"},
        {"SigningCertURL": "http://sns.eu-west-1.amazonaws.com/SimpleNotificationService-0a1b.pem"},
        {"SigningCertURL": "https://evil.example/sns.eu-west-1.amazonaws.com"},
        {"SigningCertURL": "https://sns.eu-west-1.amazonaws.com/bucket/SimpleNotificationService-0a1b.pem"},
        {"SigningCertURL": "https://sns.eu-west-1.amazonaws.com/?x=/SimpleNotificationService-0a1b.pem"},
        {"SigningCertURL": "https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-0a1b.pem?x"},
        {"SigningCertURL": "https://sns.eu-west-1.amazonaws.com/../SimpleNotificationService-0a1b.pem"},
        {"SigningCertURL": ["https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-0a1b.pem"]},
        {"Signature": "*"},
        {"Type": "SubscriptionConfirmation", "SubscribeURL": "https://evil.example/", "Token": "t"},
        {"Type": "SubscriptionConfirmation", "SubscribeURL": "https://sns.eu-west-1.amazonaws.com/x", "Token": "t"},
    ],
)
def test_nobody_else_can_speak_for_amazon(changed: dict[str, Any]) -> None:
    with pytest.raises(ProviderError):
        sns(**changed)


@pytest.mark.parametrize(
    "notice",
    [
        {"content": "x", "receipt": {"recipients": [DESK], "action": "odd"}},
        {"content": "x", "receipt": {"recipients": DESK, "action": {}}},
        {"content": "x", "receipt": {}},
        {"content": "x" * 5, "receipt": {"recipients": [DESK], "action": {"encoding": "BASE64"}}},
    ],
)
def test_a_notification_without_a_message_is_refused(notice: dict[str, Any]) -> None:
    with pytest.raises(ProviderError):
        sns(message=json.dumps(notice))


def test_json_too_deep_to_read_is_refused(app: Flask) -> None:
    client = app.test_client()
    deep = "[" * 100_000
    assert client.post("/inbound/ses", data=deep).status_code == 403
    assert client.post("/inbound/postmark", data=deep, headers=BASIC).status_code == 403
    form = {"email": MAIL, "envelope": deep}
    assert client.post("/inbound/sendgrid", data=form, headers=BASIC).status_code == 403


def test_a_mailgun_token_works_for_one_message(app: Flask, town: Town) -> None:
    """The signature doesn't cover the message: anybody who sees one post could send any other with it."""
    app.extensions["site"] = replace(app.extensions["site"], settings=replace(town.settings, mailgun_key="key"))
    stamp = str(int(town.now.timestamp()))
    signature = hmac.new(b"key", f"{stamp}token".encode(), sha256).hexdigest()
    form = {"timestamp": stamp, "token": "token", "signature": signature, "body-mime": MAIL, "recipient": DESK}

    def post(**changed: str) -> int:
        return app.test_client().post("/inbound/mailgun/mime", data=form | changed).status_code

    assert post() == 204
    assert post() == 204
    assert post(**{"body-mime": MAIL.replace("<1@", "<2@").replace("status", "resign")}) == 403
    assert len(kept(town)) == 1


@pytest.mark.parametrize(
    ("door", "given", "sentence"),
    [
        (
            "postmark",
            {"json": {"OriginalRecipient": DESK}},
            "RawEmail or OriginalRecipient is missing: switch on the raw content in Postmark.",
        ),
        ("postmark", {"json": [MAIL]}, "This is not a JSON object."),
        ("sendgrid", {"data": {}}, "The field email is missing: switch on the raw message in SendGrid."),
    ],
)
def test_a_setting_that_the_provider_lacks_is_named_in_the_answer(
    app: Flask, town: Town, door: str, given: dict[str, Any], sentence: str
) -> None:
    answer = app.test_client().post(f"/inbound/{door}", headers=BASIC, **given)
    assert (answer.status_code, answer.text) == (403, f"{sentence}\n")
    assert kept(town) == []


def test_a_post_of_mailgun_without_the_message_is_refused() -> None:
    stamp = str(int(NOW.timestamp()))
    signature = hmac.new(b"key", f"{stamp}token".encode(), sha256).hexdigest()
    with pytest.raises(ProviderError, match="The field body-mime is missing"):
        providers.mailgun({"timestamp": stamp, "token": "token", "signature": signature}, "key", NOW)


def test_a_certificate_of_another_kind_proves_nothing() -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "sns.amazonaws.com")])
    made = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    made = made.serial_number(1).not_valid_before(NOW).not_valid_after(NOW + timedelta(days=1))
    pem = made.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
    address = "https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-0a1b.pem"
    post = {"TopicArn": TOPIC, "SignatureVersion": "2", "SigningCertURL": address, "Signature": "AAAA"}
    with pytest.raises(ProviderError, match=r"Amazon signs with RSA\."):
        providers.sns(json.dumps(post).encode(), TOPIC, lambda _: pem)


class Amazon(BaseHTTPRequestHandler):
    """Where Amazon's addresses lead, for once: what was asked there, and what it answers."""

    asked: list[str]

    def do_GET(self) -> None:
        self.asked.append(self.path)
        self.send_response(302 if self.path == "/moved" else 200)
        self.send_header("Location", "/elsewhere")
        self.end_headers()
        self.wfile.write(b"confirmed" if self.path != "/moved" else b"")

    def log_message(self, *_about: object) -> None:
        pass


@pytest.fixture
def amazon() -> Iterator[str]:
    Amazon.asked = []
    with HTTPServer(("127.0.0.1", 0), Amazon) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_amazon_is_asked_without_following_redirects(amazon: str) -> None:
    assert webhooks._fetch(f"{amazon}/here") == b"confirmed"
    with pytest.raises(HTTPException) as raised:
        webhooks._fetch(f"{amazon}/moved")
    assert raised.value.get_response().status_code == 503, "Amazon will post the message again"
    assert Amazon.asked == ["/here", "/moved"]
    with pytest.raises(HTTPException) as raised:
        webhooks._fetch("http://127.0.0.1:1/")
    assert raised.value.get_response().get_data(as_text=True) == "Amazon didn't answer (URLError).\n"


def test_the_subscription_to_amazons_topic_is_confirmed(
    app: Flask, town: Town, amazon: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    app.extensions["site"] = replace(app.extensions["site"], settings=replace(town.settings, sns_topic=TOPIC))
    monkeypatch.setattr(providers, "sns", lambda _body, _topic, _fetch: f"{amazon}/?Action=ConfirmSubscription")
    assert app.test_client().post("/inbound/ses", data="{}").status_code == 204
    assert Amazon.asked == ["/?Action=ConfirmSubscription"]
    assert kept(town) == []
