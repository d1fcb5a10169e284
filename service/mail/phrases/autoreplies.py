"""What automatic answers and failure notices say, in many languages.

As in `client_phrases`, one phrase per line in lower case. To recognise another, add a line.
"""

from __future__ import annotations

from service.mail.phrases.client_phrases import any_of

AWAY = any_of("""
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
"""The beginning of an automatic answer's subject."""

FAILURE = any_of("""
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
"""The beginning of a failure notice's subject."""

AWAY_TEXT = any_of("""
    i am out of the office
    i'm out of the office
    i will be out of the office
    i am currently out of
    i'm currently out of
    i am on vacation until
    i'm on vacation until
    i am away from my email
    i'm away from my email
    on annual leave
    i am on leave until
    i'm on leave until
    i am away from the office
    i'm away from the office
    thank you for contacting us
    we have received your email
    we have received your message
    this message was created automatically
    this is an automatically generated
    for this automatic reply
    thank you for your email. i am
    thank you for your message. i am currently
    this is an automatic reply
    this is an automated reply
    this is an automated response
    this is an automatic response
    ich bin derzeit nicht im büro
    ich bin zurzeit nicht im büro
    ich bin bis zum
    ich bin nicht im hause
    ich bin im urlaub
    ich bin erst ab
    ich befinde mich bis
    ich befinde mich derzeit
    ich befinde mich zurzeit
    ich befinde mich im urlaub
    wieder im büro
    vielen dank für ihre nachricht. ich bin
    dies ist eine automatische antwort
    je suis absent
    je suis actuellement absent
    je suis en congé
    je suis en vacances
    je serai absent
    actuellement en congé
    ceci est une réponse automatique
    estoy fuera de la oficina
    estaré fuera de la oficina
    estoy de vacaciones
    me encuentro de vacaciones
    me encuentro fuera
    no estoy en la oficina
    esta es una respuesta automática
    estou fora do escritório
    estou ausente
    estou de férias
    estarei de férias
    estarei ausente
    encontro-me de férias
    esta é uma resposta automática
    sono fuori ufficio
    sarò fuori ufficio
    sono in ferie
    sono in vacanza
    sono assente
    non sono in ufficio
    questa è una risposta automatica
    ik ben afwezig
    ik ben niet op kantoor
    ik ben met vakantie
    ik ben op vakantie
    momenteel afwezig
    dit is een automatisch antwoord
    jag är inte på kontoret
    jag är på semester
    jag har semester
    jeg er ikke på kontoret
    jeg er på ferie
    olen poissa toimistosta
    olen lomalla
    jestem poza biurem
    przebywam na urlopie
    jestem na urlopie
    jsem mimo kancelář
    jsem na dovolené
    som na dovolenke
    szabadságon vagyok
    nem vagyok az irodában
    ez egy automatikus válasz
    sunt în concediu
    nu sunt la birou
    я в отпуске
    нахожусь в отпуске
    меня нет в офисе
    это автоматический ответ
    я у відпустці
    мене немає в офісі
    це автоматична відповідь
    απουσιάζω από
    βρίσκομαι σε άδεια
    αυτό είναι ένα αυτόματο
    ofis dışındayım
    izindeyim
    bu otomatik bir yanıt
    أنا خارج المكتب
    هذا رد تلقائي
    אני בחופשה
    אני מחוץ למשרד
    tôi đang nghỉ phép
    我不在办公室
    我正在休假
    我目前休假
    这是自动回复
    我不在辦公室
    這是自動回覆
    不在にしております
    休暇をいただいて
    자동 응답입니다
    휴가 중입니다
    please click to prove you are human
    please confirm that you are human
    your message is being held
    your email is being held
    your message has been quarantined until you
    to have your message delivered, please
    to deliver your message, please click
    i am protecting myself from spam
    i'm protecting myself from spam
    i'm protecting myself from receiving junk mail
    i am protecting myself from receiving junk mail
    please verify your email address so that your message
    was waitlisted
    to control spam, i now allow
    um ihre nachricht zuzustellen
    ihre nachricht wird zurückgehalten
    pour que votre message soit remis
    votre message est en attente
    su mensaje está retenido
    confirme que es humano
""")
"""The beginning of an automatic answer, or of a program's challenge to senders to prove that they are human."""
