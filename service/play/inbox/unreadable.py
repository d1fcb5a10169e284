"""The answer to an email that can't be read, or that only its wording reveals as an automatic reply."""

from __future__ import annotations

from dataclasses import replace

from service.mail.parsing.read import Inbound
from service.mail.reply_address import ReplyAddress
from service.play.letter_kinds import CommandsAnswer
from service.play.links import mark
from service.play.notify.announce import owe
from service.play.site import Transaction
from service.store.tables.mail_rows import IncomingMail


def tell(tx: Transaction, mail: IncomingMail, inbound: Inbound, meant: ReplyAddress | None) -> None:
    """Executes nothing and owes the writer the reason; for automatic replies at most once a week, to prevent loops."""
    assert mail.player_id is not None
    away = inbound.unread == "away"
    mail.verdict = "automatic" if away else "unreadable"
    year, week, _ = tx.now.isocalendar()
    key = f"away:{mail.player_id}:{year}-{week}" if away else f"answer:{mark(mail)}"
    line = {"line": inbound.order[:200], "said": "unread", "why": inbound.unread}
    answer = CommandsAnswer(mail=mail.id, lines=(line,), resigns=False)
    if meant is not None:
        answer = replace(answer, match=meant.match, round=meant.round, seat=meant.seat)
    owe(tx, key, mail.player_id, answer)
