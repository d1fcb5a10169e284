"""Mails of commands: all lines obeyed in one transaction, and accounted for in one answer.

What a line came to is kept in the answer's row as data: a `said` that names the sentence, and what the sentence
needs. `answers` puts it into words when the letter is sent.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.engine.game import MoveError
from service.mail import address, grammar
from service.mail.address import ANSWERS, Purpose, ReplyAddress
from service.mail.grammar import Line
from service.mail.read import Inbound
from service.play import ahead, grace, quoting, replay, talk, teams
from service.play.adjudicate import judge_oldest, lock
from service.play.announce import owe
from service.play.commands import DO, REFUSALS, CommandError, Desk, Item, heard_by, title
from service.play.house import House, Nudges
from service.play.receive import is_said
from service.play.submit import Order, keep, mark
from service.play.talk import TalkError
from service.store.models import IncomingMail, Match, Place, Player, Submission


def obey(house: House, mail_id: int) -> None:
    """Does what a mail of commands asks and owes its writer the answer. A second call changes nothing."""
    try:
        with house.store.writing() as session:
            nudges = _obey(house, session, mail_id)
    except BaseException:
        replay.forget()
        raise
    house.nudge_all(nudges)


def _obey(house: House, session: Session, mail_id: int) -> Nudges:
    mail = session.get(IncomingMail, mail_id, with_for_update=True)
    if mail is None or mail.verdict != "commands" or mail.player_id is None:
        return []
    inbound = quoting.read_reply(house, session, mail.raw, mail.recipient)
    player = session.get_one(Player, mail.player_id)
    meant = address.read(house.settings.secret, mail.recipient)
    desk = Desk(house, session, mail, player, _match_meant(session, meant, inbound, player))
    mail.verdict = "obeyed"
    if meant is not None and meant.purpose == Purpose.ORDER:
        desk.round = meant.round
    if meant is not None and is_said(meant, inbound) and not grammar.whispers(inbound.order):
        items = _pass_on(desk, meant, inbound.text)
        if not items:
            return desk.nudges
    else:
        items = _obey_all(desk, grammar.lines(inbound.subject, inbound.text))
    desk.match = desk.resigns or desk.match
    data: Item = {"mail": mail.id, "lines": items, "resigns": desk.resigns is not None}
    if desk.match is not None and desk.own is not None:
        data |= {"match": desk.match.id, "round": desk.match.round, "seat": desk.own.number}
    return desk.nudges + owe(session, house.now(), "answer", f"answer:{mark(mail)}", player.id, **data)


def _pass_on(desk: Desk, meant: ReplyAddress, text: str) -> list[Item]:
    """Sends the answer to a message to just those it was among; what there is to tell its writer where it cannot be."""
    try:
        with desk.session.begin_nested():
            match, own = desk.seat()
            if meant.purpose in ANSWERS and _is_order(desk, text):
                raise CommandError(
                    "That reads as an order, and an answer to a message is only said, so it was neither played nor "
                    "sent to anybody. Reply to this mail with it to have it played; to say it, answer the message "
                    "again in a sentence."
                )
            to = talk.answering(desk.session, match, own, meant) if meant.purpose in ANSWERS else ()
            desk.nudges += talk.speak(desk.session, desk.house.now(), match, own, text, desk.mail.key, to)
            return _passed_on(desk, match, own, to, text)
    except (CommandError, TalkError) as error:
        return [{"line": text.partition("\n")[0][:200], "said": "refused", "why": str(error)}]


def _passed_on(desk: Desk, match: Match, own: Place, to: Collection[int], text: str) -> list[Item]:
    """What the writer of a message reads: whom it went to, and which commands in it were said and not obeyed."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    only_said = [line for line in lines if (known := grammar.line(line)).command is not None and not known.rest]
    if not (only_said or desk.player.receipts):
        return []
    sent: Item = {"line": lines[0][:200], "said": "said", "title": title(match), "to": heard_by(match, own, to)}
    why = "This line was said with the rest, so nothing was done. To have it done, write it in an email of its own."
    return [sent, *({"line": line[:200], "said": "refused", "why": why} for line in only_said)]


def _is_order(desk: Desk, text: str) -> bool:
    """Whether an answer to a message is nothing but a move or a command, or begins with a move on a line of its own.

    Whoever answers their latest mail may mean it for the board, and a choice that is still sealed is nobody else's.
    """
    first, _, below = text.strip().partition("\n")
    line = grammar.line(first)
    alone = not below.strip() and line.command is not None and not line.rest
    return alone or all(_is_move(desk, one.strip(" .!")) for one in re.split(r"\bor\b", first, flags=re.IGNORECASE))


def _match_meant(session: Session, meant: ReplyAddress | None, inbound: Inbound, player: Player) -> Match | None:
    """The match of the reply address, else of the thread or the Subject, else the only one the writer is playing."""
    threads = [re.fullmatch(r"<match-(\d{1,9})@.*>", known) for known in inbound.references]
    subjects = [re.search(r"\b[A-Z]\w* (\d{1,9}):", inbound.subject)]
    numbers = [int(found[1]) for found in (*threads, *subjects) if found]
    if meant is not None or numbers:
        return session.get(Match, meant.match if meant else numbers[0])
    own = Match.id.in_(teams.matches_of([player.id]))
    playing = select(Match).where(own, Match.state.in_(("open", "running")))
    matches = session.scalars(playing.limit(2)).all()
    return matches[0] if len(matches) == 1 else None


def _obey_all(desk: Desk, lines: tuple[Line, ...]) -> list[Item]:
    """Each line in turn. Where too many in a row say nothing, what is left is given back unread."""
    items: list[Item] = []
    strange = 0
    for number, line in enumerate(lines):
        ignored = line.ignored or ("strange" if strange >= grammar.PATIENCE else "")
        item = (
            {"said": "ignored", "why": ignored, "most": grammar.MOST_LINES}
            if ignored
            else _obey_line(desk, line, number)
        )
        if item["said"] == "unknown" and items and (items[-1]["said"] == "said" or "unsaid" in items[-1]):
            item = {**item, "unsaid": True}
        strange = strange + 1 if item["said"] == "unknown" else 0 if not ignored else strange
        items.append({"line": line.text[:200], **item})
    return items


def _obey_line(desk: Desk, line: Line, number: int) -> Item:
    """What one line came to. One that fails has changed nothing."""
    try:
        with desk.session.begin_nested():
            if line.command is None or line.command.order:
                return _order(desk, line, number)
            return DO[line.command.name](desk, line.rest)
    except REFUSALS as error:
        return {"said": "refused", "why": str(error)}


def _order(desk: Desk, line: Line, number: int) -> Item:
    """An order for the match, through the one door for orders, judged on the spot."""
    if line.command is None and not _is_move(desk, line.text):
        return {"said": "unknown"}
    match, seat = desk.seat()
    key, received = f"{desk.mail.key}#{number}", desk.mail.received
    held = grace.holds(desk.session, received, match.id, desk.player, line.text)
    answered = None if number or line.command else desk.round
    keep(
        desk.session,
        Order(key, match.id, seat.number, desk.player.id, answered, line.text, "mail", held=held),
        received,
    )
    more = True
    while more:
        nudges, more = judge_oldest(desk.session, desk.house.now(), lock(desk.session, match.id))
        desk.nudges += nudges
    judged = desk.session.scalars(select(Submission).where(Submission.key == key)).one()
    if judged.verdict == "refused":
        return {"said": "refused", "why": judged.message}
    said = "held" if judged.verdict is None else "ordered"
    return {"said": said, "title": title(match), "move": judged.text, "seconds": desk.player.grace}


def _is_move(desk: Desk, text: str) -> bool:
    """Whether a line that begins with no command of ours is a move of the game it is about."""
    own = desk.own
    if own is None or desk.match is None or desk.match.state != "running":
        return False
    now, planned = ahead.split(text)
    try:
        if now or planned is None:
            replay.position(desk.session, desk.match).read(own.number, now)
        ahead.read(planned or "")
    except MoveError:
        return False
    return True
