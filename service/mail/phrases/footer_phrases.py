"""What phones and mail programs write below an email, in many languages: one phrase per line, in lower case."""

from __future__ import annotations

import re

from service.mail.phrases.client_phrases import any_of

SENT_FROM = any_of("""
    sent from
    sent with
    sent via
    sent by
    sent using
    hol dir outlook
    holen sie sich outlook
    mobil gesendet
    nadesłane
    εστάλη
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
    أُرسل
    أرسل
    ارسل
    تم الإرسال
    مُرسل
    נשלח מ
    发自
    寄自
    iphoneから送信
    ipadから送信
    나의 iphone
    從我的
    đã gửi từ
    ส่งจาก
    dikirim dari
    dihantar dari
    изпратено от
    išsiųsta iš
    nosūtīts no
    saadetud
    ارسال شده
    iphone'umdan
    iphone\u2019umdan
    ipad'imden
""")
"""The beginning of a phone's or program's footer, which also names one of DEVICES."""


SENT = any_of("""
    küldve
    gönderildi
    送信
    에서 보냄
    에서 전송
    에서 보냈
    भेजा गया
""")
"""The end of a phone's or program's footer, in languages with the verb at the end."""


DEVICES = any_of("""
    iphon
    آيفون
    wiko
    oneplus
    oppo
    realme
    motorola
    xperia
    fairphone
    tablet
    készülék
    جهاز
    هاتف
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
    手机
    메일
    мобильн
    superhuman
    shortwave
""")

OUTLOOK = re.compile(r"[^<]{0,30}\bOutlook\b[^<]{0,30}<https://aka\.ms/", re.IGNORECASE)
"""What Outlook on phones writes in any language: `Get Outlook for iOS`, with a link."""
