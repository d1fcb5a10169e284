"""The cause why an email has no readable text, and automatic answers, which are recognised by their words."""

from __future__ import annotations

import pytest

from service.mail.parsing.read import read

HEAD = "From: ada@example.org\nSubject: Re: Rosette 12\nMIME-Version: 1.0\n"


def deep(levels: int) -> str:
    parts = "".join(f'Content-Type: multipart/mixed; boundary="b{n}"\n\n--b{n}\n' for n in range(levels))
    return f"{parts}Content-Type: text/plain\n\nf12\n"


@pytest.mark.parametrize(
    ("cause", "message"),
    [
        ("smime", 'Content-Type: application/pkcs7-mime; smime-type=enveloped-data; name="smime.p7m"\n\nMIAG\n'),
        (
            "pgp",
            "Content-Type: multipart/encrypted; boundary=b\n\n--b\nContent-Type: application/pgp-encrypted\n\n"
            "Version: 1\n--b\nContent-Type: application/octet-stream\n\n-----BEGIN PGP MESSAGE-----\n--b--\n",
        ),
        ("pgp", "Content-Type: text/plain\n\n-----BEGIN PGP MESSAGE-----\n\nhQEMA\n-----END PGP MESSAGE-----\n"),
        ("tnef", 'Content-Type: application/ms-tnef; name="winmail.dat"\n\nx\n'),
        ("tnef", 'Content-Type: application/octet-stream; name="winmail.dat"\n\nx\n'),
        ("calendar", "Content-Type: text/calendar; method=REPLY\n\nBEGIN:VCALENDAR\n"),
        ("deep", deep(12)),
        ("", deep(3)),
        ("", "Content-Type: text/plain\n\n\n"),
        ("", "Content-Type: text/plain\n\nf12\n\nI am on vacation until Monday.\n"),
        ("", "Content-Type: text/plain\n\nf12\n\nI am out of the office, this is an automatic reply of mine!\n"),
        ("away", "Content-Type: text/plain\n\nI am out of the office until Monday.\nWrite to Ben.\n"),
        ("away", "Content-Type: text/plain\n\nHello,\n\nI'm on vacation until 3 December and read no email.\n"),
        ("away", "Content-Type: text/plain; charset=utf-8\n\nGuten Tag,\nich bin derzeit nicht im Büro.\n"),
        ("away", "Content-Type: text/plain; charset=utf-8\n\nBonjour,\n\nJe suis absent jusqu'au 3 décembre.\n"),
        ("away", "Content-Type: text/plain\n\nYour message is being held. Please click to prove you are human.\n"),
    ],
)
def test_the_cause_is_named(cause: str, message: str) -> None:
    assert read((HEAD + message).encode()).unread == cause


@pytest.mark.parametrize(
    "words",
    [
        "Thanks for your message! I'm on annual leave until 7 December.",
        "Thank you for contacting us. We have received your email and will get back to you within 24 hours.",
        "Ich bin ab dem 7. Dezember wieder im Büro und lese meine Mails nur unregelmäßig.",
        "Guten Tag,\n\nich befinde mich bis einschließlich 7. Dezember im Urlaub.",
        "Bonjour,\n\nJe serai absente jusqu'au 7 décembre.",
        "Hola:\n\nMe encuentro de vacaciones hasta el 7 de diciembre.",
        "お世話になっております。\n12月7日まで休暇をいただいております。",
        "안녕하세요.\n\n12월 7일까지 휴가 중입니다.",
        "Merhaba,\n\nŞu anda ofis dışındayım, 7 Aralık'ta döneceğim.",
        "Γεια σας,\n\nΑπουσιάζω από το γραφείο έως τις 7 Δεκεμβρίου.",
        "Üdvözlöm!\n\nJelenleg szabadságon vagyok december 7-ig.",
        "Вітаю!\n\nЯ у відпустці до 7 грудня.",
        "Dobrý den,\n\njsem na dovolené do 7. prosince.",
        "Hello ada@example.org,\n\nYour message about your move was waitlisted.\nPlease add yourself to my Guest List.",
        "This message was created automatically by mail delivery software.\n\nYour message is being held.",
        "Bruno here,\n\nI'm protecting myself from receiving junk mail.\n\nJust this once, click the link below.",
        "I apologize for this automatic reply to your email.\n\nTo control spam, I now allow incoming messages only",
    ],
)
def test_automatic_answers_from_many_places_are_recognised(words: str) -> None:
    found = read(f"{HEAD}Content-Type: text/plain; charset=utf-8\n\n{words}\n".encode())
    assert found.unread == "away"
    assert read(f"{HEAD}Content-Type: text/plain; charset=utf-8\n\nf12\n{words}\n".encode()).unread == ""


@pytest.mark.parametrize("order", ["Pass!", "pass,", "Accept!", "Yes,", "OK!", "Draw!", "Resign!"])
def test_an_absence_below_an_order_with_a_mark_is_a_persons(order: str) -> None:
    found = read(f"{HEAD}Content-Type: text/plain\n\n{order}\nI'm on vacation until Friday.\n".encode())
    assert (found.unread, found.order) == ("", order)
