"""What automatic answers and failure notices say, in the languages they are written in.

As in `dialects`, one phrase a line in lower case: to teach the house another, add a line.
"""

from __future__ import annotations

from service.mail.dialects import any_of

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
"""How the subject of an automatic answer begins."""

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
"""How the subject of a failure notice begins."""
