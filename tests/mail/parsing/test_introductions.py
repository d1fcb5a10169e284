"""The introduction above a quoted email is set aside with it, in the many forms that mail programs write."""

from __future__ import annotations

import pytest

from service.mail.parsing import quoted_text

QUOTED = "White played g14 and captured 2 stones.\n\nYou're playing Black.\nReply with your move on the first line."
MARKED = "> White played g14 and captured 2 stones.\n>\n> You're playing Black."

UNMARKED_FORMS = {
    "French headers without a blank": """\
De : Stonepost<mailto:play@play.example>
Envoyé le :jeudi 26 novembre 2026 09:35
À : ada@example.org<mailto:ada@example.org>
Objet :Rosette 12
""",
    "indented headers": (
        "     De : Stonepost <play@play.example>\n À : Ada <ada@example.org>\n Envoyé le : 26 novembre 2026 10h30\n"
    ),
    "headers without a sender": "Date: Thu, 26 Nov 2026 00:15:02 +0100\nTo: ada@example.org\n",
    "headers in one line": (
        "From: play@play.example Date: Thu, 26 Nov 2026 08:07 To: ada@example.org Subject: Rosette 12"
    ),
    "Chinese headers": (
        "发件人: Stonepost <play@play.example>\n发送时间: 2026年11月26日 15:37\n收件人: Ada\n主题: Rosette 12\n"
    ),
    "a rule of dashes above bold headers": """\
------------------------------

*From:* Stonepost [mailto:play@play.example]
*Sent:* Thursday, November 26, 2026 1:36 PM
*To:* Ada
""",
    "a rule of equals signs": (
        "====\n\nMessage du : 26/11/2026 13:20\nDe : Stonepost <play@play.example>\nA : ada@example.org\n"
    ),
    "a bold divider": "*-------- Original Message --------*",
    "david's divider": """\
Original Message processed by david®
AW: Rosette 12: your move 8 26. November 2026, 18:44 Uhr
Von Stonepost
An Ada
""",
    "Samsung's divider with the headers behind it": (
        "-------- Original message --------From: Stonepost <play@play.example> Date: 26/11/2026 18:30 To: Ada"
    ),
    "Samsung's sentence": "Sent from Samsung Mobile, Stonepost <play@play.example> wrote:",
    "Seznam's divider": "---------- Původní e-mail ----------\nOd: Stonepost <play@play.example>\nKomu: a@b.cz\n",
    "wrote without a colon": "On Thu, 26 Nov 2026 08:14:43 -0200 Stonepost <play@play.example> wrote",
    "no verb, Russian": '26.11.2026, 18.30, "Stonepost" <play@play.example>:',
    "no verb, the time first": '11:00 AM, November 26, 2026, "Stonepost" <play@play.example>:',
    "no verb, from": "Thursday, 26 November 2026, 3:32 PM +0300 from play@play.example <play@play.example>:",
    "no verb, Cyrillic weekday": "чт, 26 нояб. 2026 г. в 15:19, Stonepost <play@play.example>:",
    "wrapped into two lines, French": "Le jeu. 26 nov. 2026 à 19:42, Stonepost <play@play.example>\na écrit :",
    "wrapped into two lines, German": "Am Do., 26. Nov. 2026 um 17:22 Uhr schrieb Stonepost <\nplay@play.example>:",
    "wrapped into three short lines": "On Nov 26, 2026, at 12:47 PM, Stonepost\n<play@play.example>\nwrote:",
    "wrapped before the time": "On Nov 26, 2026,\nat 10:18,\nStonepost <play@play.example> wrote:",
    "a bracket and a colon alone": "tor. 26. nov. 2026 kl. 13:09 skrev Stonepost <play@play.example\n>:",
    "a link torn apart": (
        "On Thu, Nov 26, 2026 at 10:07 PM Stonepost\n\n<\nmailto:Stonepost <play@play.example>\n> wrote:"
    ),
    "Dutch, the verb last": "Op 26-nov.-2026, om 13:18 heeft Stonepost <play@play.example> het volgende geschreven:",
    "Ukrainian": "26 листопада 2026 р. о 19:09 <play@play.example> написав:",
    "Hungarian": '2026.11.26. 7:31 keltezéssel, "Stonepost" írta:',
    "Arabic": "في الخميس، 26 نوفمبر 2026 في 18:30 كتب Stonepost <play@play.example>:",
}
MARKED_FORMS = {
    "a name between dashes": "---- Stonepost wrote ----",
    "a date and an address without a colon": "2026/11/26 Stonepost <play@play.example>",
    "a day and an address without a colon": "On Thu, Nov 26 Stonepost <play@play.example>",
    "forwarded message": "Forwarded message:",
    "no year and no time": "On Thu, Nov 26, Stonepost\n<play@play.example>\nwrote:",
}
FOOTERS = (
    "Elküldve az iPhone-omról",
    "iPhone készülékemről küldve",
    "أُرسلت من الـ iPhone",
    "تم الإرسال من هاتف Samsung",
    "Sent from my Wiko RIDGE FAB 4G",
    "ᐧ",
    "Получите Outlook для iOS<https://aka.ms/o0ukef>",
    "Outlook voor Android downloaden<https://aka.ms/AAb9ysg>",
    "Pobierz program Outlook dla systemu iOS <https://aka.ms/o0ukef>",
    "获取 Outlook for Android<https://aka.ms/AAb9ysg>",
    "Hol dir Outlook für Android",
    "Εστάλη από το iPhone μου",
    "Nadesłane z iPhone'a",
    "Mobil gesendet mit der GMX Mail App",
    "Đã gửi từ iPhone của tôi",
    "ส่งจาก iPhone ของฉัน",
    "Dikirim dari iPhone saya",
    "Dihantar dari iPhone saya",
    "Изпратено от моя iPhone",
    "Išsiųsta iš mano iPhone",
    "Nosūtīts no mana iPhone",
    "Saadetud minu iPhone'ist",
    "從我的iPhone傳送",
    "मेरे iPhone से भेजा गया",
    "ارسال شده از iPhone من",
    "发自我的华为手机",
    "Отправлено из мобильного приложения Яндекс Почты",
    "네이버 메일앱에서 보냈습니다.",
    "Sent via Superhuman",
    "Sent with Shortwave",
)


def own(text: str) -> list[str]:
    """The writer's own lines that aren't blank."""
    return [line for line in quoted_text.split(text).own if line.strip()]


@pytest.mark.parametrize("introduction", UNMARKED_FORMS.values(), ids=UNMARKED_FORMS.keys())
def test_an_introduction_ends_the_writers_words(introduction: str) -> None:
    assert own(f"f12\n\n{introduction}\n\n{QUOTED}") == ["f12"]
    assert own(f"f12\n\n{introduction}\n{MARKED}") == ["f12"]


@pytest.mark.parametrize("introduction", MARKED_FORMS.values(), ids=MARKED_FORMS.keys())
def test_a_vague_introduction_counts_above_a_marked_quotation(introduction: str) -> None:
    assert own(f"f12\n\n{introduction}\n\n{MARKED}\n\nSee you.") == ["f12", "See you."]


@pytest.mark.parametrize("footer", FOOTERS)
def test_footers_of_phones_and_programs_are_set_aside(footer: str) -> None:
    assert own(f"f12\n\nGood game.\n\n{footer}") == ["f12", "Good game."]


def test_a_link_broken_out_of_a_quotation_is_quoted() -> None:
    assert own("f12\n\n> Look here (https://play.example/match\n/12)\n> and there") == ["f12"]


@pytest.mark.parametrize("stray", ["<", " (https://play.example/go/7) >"])
def test_the_rest_of_a_broken_quoted_line_is_quoted(stray: str) -> None:
    assert own(f"f12\n\n> Look here\n{stray}\n> and there\n\nSee you.") == ["f12", "See you."]


@pytest.mark.parametrize("said", ["<3", "(https://example.org/7)", ":>", "Yes"])
def test_a_short_answer_within_a_quotation_is_the_writers(said: str) -> None:
    assert own(f"f12\n\n> Shall we?\n{said}\n> And then?") == ["f12", said]
    assert own(f"f12\n\n> Shall we?\n{said}") == ["f12", said]


@pytest.mark.parametrize(
    "words",
    [
        "The original message processed by david was lost, I think.",
        "My original message processed by hand",
        "The food is processed by machines\nand I like it",
        "One is <\nthe other\nMore",
        "On the other hand, 18:30 is fine.",
        "From: here I go on.\nTo: the end.",
        "On Monday you wrote: f12 is weak.",
        "I saw the date:\n2026 was good.",
        "Sent from my desk, it is much easier than at the club.",
        "---\nA new thought\n---",
        "Time: 18:30\nPlace: the club",
        "see https://example.org/2026",
        "On 12 May 2026\nwe play\nin town:\nwill you come?",
    ],
)
def test_words_that_only_look_like_an_introduction_are_the_writers(words: str) -> None:
    assert own(f"f12\n{words}") == ["f12", *words.split("\n")]
