"""The providers that post emails, and those who pretend to be one."""

from __future__ import annotations

import hmac
import json
from base64 import b64encode
from hashlib import sha256
from random import Random
from typing import Any, ClassVar
from unittest.mock import patch

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding

from service.inbound import webhooks
from tests.fuzz import mutation
from tests.fuzz.api import ODD
from tests.fuzz.doors import Door
from tests.fuzz.forms import check_answer
from tests.fuzz.inbox import Inbox
from tests.fuzz.stage import MACHINE_SECRET, MAILGUN_KEY, TOPIC, Stage, stage, unhurried
from tests.inbound.test_webhooks import KEY, certificate
from tests.web.conftest import judge

PASSWORD = {"Authorization": f"Basic {b64encode(f'any:{MACHINE_SECRET}'.encode()).decode()}"}
BEARER = {"Authorization": f"Bearer {MACHINE_SECRET}"}
SIGNED = ("Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type")


class Machines(Door):
    name = "machines"
    share = 8
    every: ClassVar[int] = 250

    def __init__(self, built: Stage | None = None) -> None:
        self.stage = built or stage()
        self.inbox = Inbox(self.stage)

    def begin(self) -> None:
        self.stage.again()

    def make(self, chance: Random) -> tuple[str, Any, dict[str, str]]:
        """The path, the body (bytes, or fields of a form), and headers."""
        raw, recipients, _ = self.inbox.make(chance)
        makers = (self._mail, self._postmark, self._sendgrid, self._mailgun, self._ses)
        path, body, headers = chance.choice(makers)(chance, raw[:200_000], recipients)
        if isinstance(body, bytes) and path != "/inbound/mail" and chance.random() < 0.3:
            body = mutation.raw(chance, [body], 300_000)
        if chance.random() < 0.03:
            headers = {}
        return path, body, headers

    def _mail(self, chance: Random, raw: bytes, recipients: tuple[str, ...]) -> tuple[str, Any, dict[str, str]]:
        to = "".join(sign for sign in recipients[0] if " " <= sign < "\x7f")
        return "/inbound/mail", raw, BEARER | ({"X-Envelope-To": to} if chance.random() < 0.6 else {})

    def _postmark(self, chance: Random, raw: bytes, recipients: tuple[str, ...]) -> tuple[str, Any, dict[str, str]]:
        text = raw.decode("utf-8", chance.choice(("replace", "surrogateescape", "ignore")))
        post = {"RawEmail": text, "OriginalRecipient": recipients[0]}
        return "/inbound/postmark", _json(chance, post), PASSWORD

    def _sendgrid(self, chance: Random, raw: bytes, recipients: tuple[str, ...]) -> tuple[str, Any, dict[str, str]]:
        envelope = _json(chance, {"to": [*recipients], "from": "x@example.org"}).decode()
        form = {"email": _shown(raw), "envelope": mutation.text(chance, [envelope], 3_000), "from": "x"}
        return "/inbound/sendgrid", _less(chance, form), PASSWORD

    def _mailgun(self, chance: Random, raw: bytes, recipients: tuple[str, ...]) -> tuple[str, Any, dict[str, str]]:
        now = str(int(self.stage.town.now.timestamp()))
        stamp = now if chance.random() < 0.8 else mutation.text(chance, [now], 6_000)
        token = f"token{chance.randrange(10**9)}"
        signed = f"{stamp}{token}".encode("utf-8", "replace").decode()
        signature = hmac.new(MAILGUN_KEY.encode(), signed.encode(), sha256).hexdigest()
        form = {"timestamp": stamp, "token": token, "signature": signature, "body-mime": _shown(raw)}
        return "/inbound/mailgun/mime", _less(chance, form | {"recipient": recipients[0]}), {}

    def _ses(self, chance: Random, raw: bytes, recipients: tuple[str, ...]) -> tuple[str, Any, dict[str, str]]:
        encoded = chance.random() < 0.7
        content = b64encode(raw).decode() if encoded else _shown(raw)
        action = {"encoding": "BASE64" if encoded else "UTF-8"}
        notice = {"content": content, "receipt": {"recipients": [*recipients], "action": action}}
        post: dict[str, Any] = {
            "Type": "Notification",
            "MessageId": str(chance.randrange(10**9)),
            "TopicArn": TOPIC,
            "Message": _json(chance, notice).decode(),
            "Timestamp": "2026-11-21T12:00:00Z",
            "SignatureVersion": "2",
            "SigningCertURL": "https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-0a1b.pem",
        }
        said = "".join(f"{name}\n{post[name]}\n" for name in SIGNED if name in post)
        signature = KEY.sign(said.encode("utf-8", "surrogatepass"), padding.PKCS1v15(), hashes.SHA256())
        post["Signature"] = b64encode(signature).decode()
        return "/inbound/ses", json.dumps(post).encode(), {}

    def take(self, given: tuple[str, Any, dict[str, str]]) -> bool:
        path, body, headers = given
        client = self.stage.app.test_client()
        kind = {} if isinstance(body, dict) else {"content_type": "application/json"}
        with unhurried(), patch.object(webhooks, "_fetch", certificate):
            answer = client.post(path, data=body, headers=headers, **kind)
        judge(self.stage.town)
        check_answer(answer)
        return answer.status_code == 204


def _json(chance: Random, post: dict[str, Any]) -> bytes:
    """A JSON object, now and then with something odd in it."""
    made = {**post}
    if chance.random() < 0.2:
        made[chance.choice([*made])] = chance.choice(ODD)
    return json.dumps(made).encode("utf-8", "surrogatepass")


def _less(chance: Random, form: dict[str, str]) -> dict[str, str]:
    """A form, now and then without one of its fields."""
    made = {name: value.encode("utf-8", "replace").decode() for name, value in form.items()}
    if chance.random() < 0.1:
        del made[chance.choice([*made])]
    return made


def _shown(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")
