"""What mail programs write of their own accord, in the languages they speak.

One phrase a line, in lower case, each the beginning or the telling part of what a program writes. A language that is
missing here is still read where the shape of a line gives it away; to teach the house another, add a line.
"""

from __future__ import annotations

import re

COLONS = (":", "\uff1a", ":*")
"""How an introduction ends: also as East Asian programs write it, and in the bold of a text made from HTML."""


def _phrases(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.strip().splitlines())


def _any_of(text: str) -> re.Pattern[str]:
    """Finds any of the phrases in text of either case; at the beginning with `match`, anywhere with `search`."""
    return re.compile("|".join(map(re.escape, _phrases(text))), re.IGNORECASE)


WROTE = _any_of("""
    wrote
    writes
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
    _phrases("""
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
    寄件者
    差出人
    보낸 사람
    από
""")
)
"""The label of the sender in a copied block of headers."""

ORIGINAL = _any_of("""
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
    správa
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
"""What stands between the dashes of `-----Original Message-----`."""

FORWARD = _any_of("""
    begin forwarded message
    anfang der weitergeleiteten
    début du message
    inicio del mensaje reenviado
    início da mensagem
    inizio messaggio inoltrato
    begin doorgestuurd bericht
""")
"""How Apple's programs begin a forwarded mail."""

SENT_FROM = _any_of("""
    sent from
    sent with
    sent via
    sent by
    sent using
    get outlook
    get bluemail
    download outlook
    yahoo mail
    please excuse
    von mein
    gesendet von
    gesendet mit
    diese nachricht wurde
    outlook für
    envoyé
    téléchargez
    obtenir
    enviado
    enviada
    enviat
    obtener
    obtenha
    obter
    inviato
    scarica
    verstuurd
    verzonden
    skickat
    hämta
    sendt fra
    hent
    lähetetty
    hanki
    wysłan
    odeslán
    odoslan
    отправлено
    надіслано
    στάλθηκε
    trimis
    poslano
    elküld
    发自
    寄自
    iphoneから送信
    ipadから送信
    나의 iphone
    iphone'umdan
    iphone\u2019umdan
    ipad'imden
""")
"""How the footer of a phone or program begins; it also names one of DEVICES."""

DEVICES = _any_of("""
    iphon
    ipad
    apple
    mac
    android
    outlook
    galaxy
    samsung
    huawei
    xiaomi
    redmi
    pixel
    mail
    yahoo
    proton
    k-9
    thunderbird
    blackberry
    windows
    nokia
    smartphone
    handy
    telefon
    phone
    mobil
    móvil
    tuta
    spark
    gmx
    web.de
""")

AWAY = _any_of("""
    automatic reply
    automatic response
    automated reply
    automated response
    auto reply
    auto-reply
    auto response
    auto-response
    autoreply
    auto:
    out of office
    out of the office
    ooo:
    away from
    on vacation
    vacation reply
    i am out
    i am away
    i am currently
    abwesen
    automatische antwort
    automatische beantwortung
    ich bin nicht
    ich bin derzeit
    réponse auto
    absence
    absent
    respuesta auto
    fuera de la oficina
    fuera de oficina
    ausencia
    resposta auto
    fora do escritório
    ausência
    risposta auto
    fuori ufficio
    fuori sede
    assenza
    automatisch antwoord
    afwezig
    autosvar
    automatiskt svar
    automatisk svar
    frånvaro
    fravær
    automaattinen vastaus
    poissa
    automatická odpov
    nepřítomnost
    mimo kancelář
    odpowiedź automatyczna
    automatyczna odpowiedź
    autoodpowied
    nieobecno
    автоответ
    автоматический ответ
    автоматична відповідь
    αυτόματη απάντηση
    otomatik yanıt
    automatikus v
    răspuns automat
    自動応答
    自動返信
    不在
    自动回复
    自動回覆
    자동 회신
    자동회신
    부재
""")
"""How the subject of an automatic answer begins."""

FAILURE = _any_of("""
    undeliver
    delivery status
    delivery failure
    delivery has failed
    delivery delayed
    delivery incomplete
    mail delivery
    returned mail
    failure notice
    unzustellbar
    non remis
    no se puede entregar
    mancata consegna
    onbestelbaar
""")
"""How the subject of a failure notice begins."""
