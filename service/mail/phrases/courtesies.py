"""How people begin and end an email, in many languages: lines that are never an order.

A greeting is a word or two followed by up to three names, or one or two names and a comma; a farewell likewise. A line
with a digit, or with more words, is neither.
"""

from __future__ import annotations

import re

_GREETINGS = """
    hi | hi there | hello | hello there | hey | hey there | howdy | dear | good morning | good afternoon | good evening
    good day | greetings | morning | evening | yo
    hallo | hallihallo | servus | moin | moin moin | grüezi | grüß gott | guten morgen | guten tag | guten abend | liebe
    lieber | sehr geehrte | sehr geehrter
    bonjour | bonsoir | salut | coucou | cher | chère | chers
    hola | buenos días | buenas tardes | buenas noches | buenas | querido | querida | estimado | estimada
    ciao | salve | buongiorno | buonasera | buona sera | caro | cara | gentile
    olá | oi | bom dia | boa tarde | boa noite | caro | prezado | prezada
    hoi | dag | goedemorgen | goedemiddag | goedenavond | beste
    hej | hejsan | hei | god morgon | god morgen | goddag | kära | kære | kjære | moi | terve | hyvää päivää
    cześć | witaj | witam | dzień dobry | drogi | droga | ahoj | dobrý den | milý | milá | szia | sziasztok | kedves
    salutare | bună | bună ziua | dragă | merhaba | selam | sevgili | iyi günler
    привет | здравствуй | здравствуйте | добрый день | добрый вечер | доброе утро | дорогой | дорогая | привіт
    γεια | γεια σου | καλημέρα | καλησπέρα | αγαπητέ | αγαπητή
    こんにちは | こんばんは | おはようございます | お世話になっております | お世話になります | 拝啓 | はじめまして
    你好 | 您好 | 大家好 | 早上好 | 晚上好 | 안녕하세요 | 안녕 | 안녕하십니까
    مرحبا | السلام عليكم | أهلا | שלום | היי
"""

_FAREWELLS = """
    best | best regards | best wishes | all the best | regards | kind regards | warm regards | with kind regards
    cheers | thanks | thank you | many thanks | thanks a lot | thx | bye | bye for now | see you | see you soon
    take care | yours | yours sincerely | sincerely | yours truly | good luck | have fun
    have a nice day | have a nice weekend | love | br
    greetings
    gruß | grüße | viele grüße | liebe grüße | schöne grüße | beste grüße | herzliche grüße | mit freundlichen grüßen
    lg | vg | mfg | danke | vielen dank | tschüss | bis bald | bis dann | gruss | viele gruesse | liebe gruesse
    cordialement | bien cordialement | amicalement | bien à toi | bien à vous | merci | merci beaucoup | à bientôt
    bises | à plus | bonne journée | salutations
    saludos | un saludo | un abrazo | abrazos | gracias | muchas gracias | hasta luego | hasta pronto | atentamente
    saluti | cordiali saluti | un saluto | grazie | grazie mille | a presto
    abraço | abraços | um abraço | obrigado | obrigada | cumprimentos | atenciosamente | até logo
    groet | groeten | groetjes | met vriendelijke groet | mvg | bedankt | hälsningar | vänliga hälsningar | mvh | hilsen
    vennlig hilsen | med venlig hilsen | tack | takk | tak | terveisin | ystävällisin terveisin | kiitos
    pozdrawiam | pozdrowienia | dziękuję | dzięki | s pozdravem | díky | üdvözlettel | üdv | köszönöm | mulțumesc
    с уважением | спасибо | пока | всего доброго | дякую | ευχαριστώ | teşekkürler | saygılarımla
    よろしくお願いします | よろしくお願いいたします | よろしくお願い致します | 宜しくお願いします | 敬具
    ありがとうございます
    谢谢 | 謝謝 | 此致 | 祝好 | 감사합니다 | شكرا | תודה
"""

_WORD = r"[^\W\d_][^\W\d_.'\u2019-]*(?:[.'\u2019-][^\W\d_]*)*"
_NAMES = rf"(?:[\s,]+(?:{_WORD}|&)){{0,3}}"
_ENDS = r"\s*+[,.!:;\uff0c\u3002\uff01\u3001~\u2013\u2014-]*+\s*+"
"""Possessive: backtracking through a hundred thousand spaces would take minutes."""


def _any_of(phrases: str) -> str:
    found = sorted((one.strip() for one in re.split(r"[|\n]", phrases) if one.strip()), key=len, reverse=True)
    return "|".join(re.escape(one).replace(r"\ ", r"\s+") for one in found)


_NAME = re.compile(rf"{_WORD}(?:\s+{_WORD}){{0,2}}")
_TITLED = rf"{_WORD}(?:さん|様|さま|くん|先生)[,\uff0c\u3001\u3002]?"

GREETING = re.compile(
    rf"(?:{_TITLED}\s*)?(?:{_any_of(_GREETINGS)}){_NAMES}{_ENDS}|{_WORD}(?:\s++{_WORD}){{0,2}}\s*+[,\uff0c\u3001]|{_TITLED}",
    re.IGNORECASE,
)
VALEDICTION = re.compile(rf"(?:{_any_of(_FAREWELLS)}){_NAMES}{_ENDS}", re.IGNORECASE)


def is_only(text: str) -> bool:
    """Whether a text is only a greeting, a farewell, and a name below it."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if (
        len(lines) > 1
        and VALEDICTION.fullmatch(lines[-2])
        and re.fullmatch(rf"{_WORD}(?:\s+{_WORD}){{0,2}}", lines[-1])
    ):
        lines.pop()
    return all(GREETING.fullmatch(line) or VALEDICTION.fullmatch(line) for line in lines)
