"""What mail programs write automatically, in many languages.

One phrase per line, in lower case: the beginning or the distinctive part of what a program writes. A language that is
missing here is still recognised if the shape of a line is enough. To recognise another phrase, add a line.
"""

from __future__ import annotations

import re

COLONS = (":", "\uff1a", ":*")
"""The end of an introduction: also East Asian, and in bold in text converted from HTML."""


def phrases(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.strip().splitlines())


def any_of(text: str) -> re.Pattern[str]:
    """A pattern of these phrases, ignoring case: use `match` for the beginning of a text, `search` for anywhere."""
    return re.compile("|".join(map(_either_case, phrases(text))))


def _either_case(phrase: str) -> str:
    """A phrase as a pattern. `re` is ten times as fast if the first letter needs no case folding."""
    first = {letter for letter in (phrase[0], phrase[0].lower(), phrase[0].upper()) if len(letter) == 1}
    return f"[{re.escape(''.join(sorted(first)))}](?i:{re.escape(phrase[1:])})"


WROTE = any_of("""
    wrote
    writes
    napísala
    píše
    pisze
    geschreven
    geschrieben
    escribiu
    escrigué
    idatzi
    je napisal
    rakstīja
    писал
    напісаў
    نوشت
    shkroi
    yazıb
    գրել
    დაწერა
    жазды
    লিখেছেন
    எழுதியது
    sinulat
    aliandika
    skribis
    ysgrifennodd
    schrieb
    écrit
    escribió
    escribio
    ha scritto
    scrisse
    schreef
    skrev
    kirjoitti
    escreveu
    va escriure
    a scris
    napisał
    napsal
    napísal
    написа
    пише
    írta
    yazdı
    έγραψε
    viết
    menulis
    kirjutas
    rašė
    napisao
    skrifaði
    写道
    寫道
    書きました
    のメール
    작성
    님이
    เขียน
    כתב
    كتب
    ने लिखा
""")
"""The verb of `On …, somebody wrote:`."""

FROM = frozenset(
    phrases("""
    from
    von
    de
    da
    van
    från
    fra
    od
    от
    від
    lähettäjä
    feladó
    kimden
    från
    expéditeur
    remitente
    mittente
    remetente
    afzender
    avsändare
    avsender
    afsender
    nadawca
    odesílatel
    отправитель
    发件人
    寄件人
    від кого
    от кого
    من
    מאת
    寄件者
    差出人
    보낸 사람
    από
""")
)
"""The label of the sender in a copied block of headers."""

LABELS = FROM | frozenset(
    phrases("""
    to
    cc
    date
    sent
    subject
    reply-to
    an
    datum
    gesendet
    betreff
    kopie
    à
    a
    date
    envoyé
    envoyé le
    objet
    sujet
    copie à
    message du
    para
    fecha
    enviado
    enviado el
    asunto
    enviada
    enviada em
    enviado em
    data
    assunto
    inviato
    oggetto
    aan
    verzonden
    onderwerp
    till
    skickat
    ämne
    til
    sendt
    dato
    emne
    lähetetty
    vastaanottaja
    päivämäärä
    aihe
    do
    wysłano
    data wysłania
    temat
    komu
    odesláno
    předmět
    odoslané
    predmet
    címzett
    elküldve
    tárgy
    kime
    gönderildi
    tarih
    konu
    către
    trimis
    subiect
    кому
    от кого
    дата
    отправлено
    тема
    надіслано
    до
    προς
    στάλθηκε
    θέμα
    ημερομηνία
    من
    إلى
    تاريخ
    الموضوع
    מאת
    אל
    נשלח
    נושא
    收件人
    发送时间
    主题
    抄送
    收件者
    寄件日期
    主旨
    宛先
    送信日時
    日時
    件名
    받는 사람
    보낸 날짜
    제목
""")
)
"""The label of any header that programs copy above a quotation."""

ORIGINAL = any_of("""
    original
    ursprüng
    origine
    message
    nachricht
    mensaje
    messaggio
    mensagem
    bericht
    meddelande
    meddelelse
    melding
    besked
    viesti
    wiadomość
    zpráva
    původní
    správa
    pôvodn
    сообщение
    письмо
    повідомлення
    üzenet
    mesaj
    μήνυμα
    メッセージ
    邮件
    郵件
    메시지
    forwarded
    weitergeleitet
    reenviado
    inoltrato
    encaminhad
    doorgestuurd
    vidarebefordra
    videresendt
    転送
    转发
    轉寄
    전달
""")
"""The words between the dashes of `-----Original Message-----`."""

FORWARD = any_of("""
    forwarded message
    message transféré
    begin forwarded message
    anfang der weitergeleiteten
    début du message
    inicio del mensaje reenviado
    início da mensagem
    inizio messaggio inoltrato
    begin doorgestuurd bericht
""")
"""The beginning of a mail forwarded by Apple's programs."""
