"""Emails of commands: all lines run in one transaction, and one answer reports on them.

The result of a line is kept in the answer's row as data: a `said` that names the sentence, and the values that the
sentence needs. `answers` puts it into words when the letter is sent.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import partial

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.engine.game import MoveError, Position
from service.mail import reply_address
from service.mail.grammar import command_lines, command_words, orders
from service.mail.grammar.command_lines import Line
from service.mail.grammar.reading import Reading, parse, plainly
from service.mail.parsing.read import Inbound
from service.mail.phrases import courtesies
from service.mail.reply_address import ANSWERS, Purpose, ReplyAddress
from service.play.inbox import company_commands, quoting
from service.play.inbox.command_context import REFUSALS, CommandError, Desk, Item, Question, check_open, title
from service.play.inbox.commands import DO, heard_by
from service.play.inbox.receive import answering, is_said, is_tried, take_order
from service.play.letter_kinds import CommandsAnswer
from service.play.links import mark
from service.play.match import play_move
from service.play.match.judge import judge_oldest, lock
from service.play.notify.announce import owe
from service.play.orders import alternatives, questions, undo
from service.play.orders.submit import Incoming, submit
from service.play.pages import lessons
from service.play.site import Site, Transaction
from service.play.table import press, replay, teams
from service.play.talk import messages
from service.play.talk.messages import TalkError
from service.store import mail_store
from service.store.models import Match, Place, Player, Submission
from service.store.tables.mail_rows import IncomingMail


def obey(site: Site, mail_id: int) -> None:
    """Does what an email of commands asks and owes its writer the answer. A second call changes nothing."""
    try:
        with site.transaction() as tx:
            _obey(tx, mail_id)
    except BaseException:
        replay.forget()
        raise


def _obey(tx: Transaction, mail_id: int) -> None:
    mail = tx.session.get(IncomingMail, mail_id, with_for_update=True)
    if mail is None or mail.verdict != "commands" or mail.player_id is None:
        return
    tx.follow(None, mail_id)
    inbound = quoting.read_reply(tx.site, tx.session, mail_store.text_of(tx.site.settings, mail), mail.recipient)
    player = tx.session.get_one(Player, mail.player_id)
    meant = reply_address.read(tx.site.settings.secret, mail.recipient)
    desk = Desk(tx, mail, player, _match_meant(tx.session, meant, inbound, player))
    mail.verdict = "obeyed"
    if meant is not None and meant.purpose == Purpose.EVENT:
        desk.event = meant.round
    if meant is not None and meant.purpose in (Purpose.ORDER, Purpose.ASKED, Purpose.CONFIRMATION):
        desk.round = questions.round_meant(tx, meant)
    if meant is not None and is_said(meant, inbound) and not _is_command(inbound):
        items = _pass_on(desk, meant, inbound.text)
        if not items:
            return
    elif meant is not None and is_tried(meant, inbound):
        items = _try_in_lesson(meant, inbound)
    else:
        found = _read(desk, meant, inbound)
        if meant is not None and meant.match and (found.is_plain or _is_no_order(desk, found)):
            take_order(tx, mail, meant, found)
            return
        items = company_commands.answer_notice(desk, found, meant) or _obey_all(desk, found, meant)
    _answer(desk, items)


def _try_in_lesson(meant: ReplyAddress, inbound: Inbound) -> list[Item]:
    """The result of a try, and the step that follows: the next one, the same one again, or step 0, the end."""
    lesson, number = lessons.numbered(meant.seat), meant.round
    if meant.purpose == Purpose.GAZETTE:
        lesson, number = lessons.weekly(meant.round)
    step = lesson.step(number) if lesson else None
    if lesson is None or step is None:
        return [{"line": inbound.order[:200], "said": "refused", "why": "This lesson is no longer available."}]
    position = lessons.position(lesson.game, step)
    found = at_the_board([(position, position.turns[0])], "", inbound.text)
    text = plainly(found.lines[0].text).rstrip(" ?") if found.lines else ""
    tried = {"line": text[:200], "said": "tried", "game": lesson.name, "step": number, "move": text[:1_000]}
    following = (number + 1) % (len(lesson.steps) + 1) if _is_solved(lesson.game, step, text) else number
    return [tried, {"line": "", "said": "lesson", "game": lesson.name, "step": following}]


def _is_solved(game: str, step: lessons.Step, text: str) -> bool:
    try:
        return lessons.tried(game, step, text).is_right
    except MoveError:
        return False


def _answer(desk: Desk, items: list[Item]) -> None:
    """Owes the writer the result of each line."""
    desk.match = desk.resigns or (desk.asks.match if desk.asks else None) or desk.match
    answer = CommandsAnswer(mail=desk.mail.id, lines=tuple(items), resigns=desk.resigns is not None)
    if desk.asks is not None and desk.resigns is None:
        answer = replace(answer, asks={"order": desk.asks.order, "round": desk.asks.round})
    if desk.match is not None and desk.own is not None:
        answer = replace(answer, match=desk.match.id, round=desk.match.round, seat=desk.own.number)
    owe(desk.tx, f"answer:{mark(desk.mail)}", desk.player.id, answer)


def _read(desk: Desk, meant: ReplyAddress | None, inbound: Inbound) -> Reading:
    """What the email says. Its first Subject counts only where it answers nothing."""
    found = at_the_board(_tables(desk, inbound.text), "" if meant else inbound.subject, inbound.text)
    found = replace(found, remark="") if press.signs(desk.player, found.remark) else found
    return questions.completed(desk.tx.session, meant, found)


def at_the_board(tables: list[tuple[Position, int]], subject: str, text: str) -> Reading:
    """What an email says to these positions, each with the writer's seat there."""
    return parse(subject, text, partial(_is_move, tables), partial(_is_secret, tables))


def _is_no_order(desk: Desk, found: Reading) -> bool:
    """Whether a reply begins with a line that the match can only refuse, with the board and all that was written."""
    first = found.lines[0]
    return first.command is None and desk.own is not None and not _is_move(_tables(desk, ""), first.text.rstrip(" ?"))


def _pass_on(desk: Desk, meant: ReplyAddress, text: str) -> list[Item]:
    """Sends the answer to a message to the same people only; returns what to tell its writer if that's impossible."""
    try:
        with desk.tx.savepoint():
            match, own = desk.seat()
            found = at_the_board(_tables(desk, ""), "", text)
            if meant.purpose in ANSWERS and _is_order(desk, found):
                raise CommandError(
                    "This looks like an order, but you answered a message, so it was neither played nor sent to "
                    "anybody. To play it, send it as a reply to this email. To send it as a message, answer the "
                    "message again in a sentence."
                )
            check_open(found)
            to = messages.answering(desk.tx.session, match, own, meant) if meant.purpose in ANSWERS else ()
            messages.say(desk.tx, match.id, desk.player.id, text, desk.mail.key, to)
            return _passed_on(desk, match, own, to, text, found.not_obeyed)
    except (CommandError, TalkError) as error:
        return [{"line": text.strip()[:1_000], "said": "refused", "why": str(error)}]


def _passed_on(
    desk: Desk, match: Match, own: Place, to: Collection[int], text: str, not_obeyed: Collection[str]
) -> list[Item]:
    """What the writer of a message reads: who got it, and which commands and orders in it were sent as text instead of
    being carried out."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    commands = {line for line in lines if (known := command_lines.line(line)).command is not None and not known.rest}
    only_said = [line for line in lines if line in commands or line in not_obeyed]
    if not (only_said or desk.player.receipts):
        return []
    sent: Item = {"line": lines[0][:200], "said": "said", "title": title(match), "to": heard_by(match, own, to)}
    why = "This line was sent as part of the message and not carried out. To carry it out, send it in a separate email."
    return [sent, *({"line": line[:200], "said": "refused", "why": why} for line in only_said)]


def _is_order(desk: Desk, found: Reading) -> bool:
    """Whether an answer to a message is an order or a command, as far as the match that it is about reads it."""
    first, more, tables = found.lines[0] if found.lines else Line(""), found.lines[1:], _tables(desk, "")
    return any(line.is_order for line in more) or command_lines.is_no_message(
        plainly(first.text),
        not (more or found.remark),
        lambda move: any(alternatives.is_readable(position, seat, move) for position, seat in tables),
    )


def _is_command(inbound: Inbound) -> bool:
    """Whether the answer to a message is a command after all: a message to certain players, or only `stop`."""
    stops = command_lines.line(inbound.order).stops_match and not inbound.remark
    return stops or command_lines.whispers(inbound.order)


def _match_meant(session: Session, meant: ReplyAddress | None, inbound: Inbound, player: Player) -> Match | None:
    """The match of the reply address, else of the thread or the Subject, else the only one the writer is playing."""
    threads = [re.fullmatch(r"<match-(\d{1,9})@.*>", known) for known in inbound.references]
    subjects = [re.search(r"\b[A-Z]\w* (\d{1,9}):", inbound.subject)]
    numbers = [int(found[1]) for found in (*threads, *subjects) if found]
    if meant is not None or numbers:
        return session.get(Match, meant.match if meant else numbers[0])
    own = Match.id.in_(select(teams.places_of(player.id).c.match_id))
    matches = session.scalars(select(Match).where(own, Match.state.in_(("open", "running"))).limit(2)).all()
    return matches[0] if len(matches) == 1 else None


def _obey_all(desk: Desk, found: Reading, meant: ReplyAddress | None) -> list[Item]:
    """The result of each line in turn, then a note about those that aren't run."""
    first = next((at for at, line in enumerate(found.lines) if line.command is not command_words.named("match")), 0)
    items: list[Item] = []
    for number, line in enumerate(found.lines):
        remark = found.remark if meant is not None and number == first and not found.is_private else ""
        item = _obey_line(desk, _Row(line, number, number <= first, remark, meant), found)
        items.append({"line": line.text[:200], **item})
    if found.remark and not (meant is None and courtesies.is_only(found.remark)):
        items.append(_below(found, items[-1], meant))
    return items + [
        {"line": line.text[:200], "said": "ignored", "why": line.ignored, "most": command_words.MOST_LINES}
        for line in found.ignored
    ]


def _below(found: Reading, first: Item, meant: ReplyAddress | None) -> Item:
    """Says what happened to the prose below the first line."""
    why = "private" if found.is_private else "unheard"
    if meant is not None and found.lines[-1].is_order and first["said"] != "event_left" and not found.is_private:
        why = "sent" if first["said"] in ("ordered", "held", "overdue") else "refused"
    if first["said"] in ("asked", "resign") and not found.is_private:
        why = "asked"
    told = first.get("told", "")
    return {
        "line": found.remark[:1_000],
        "said": "below",
        "why": why,
        "told": told,
        "lines": [text[:100] for text in found.not_obeyed[:10]],
    }


@dataclass(frozen=True, slots=True)
class _Row:
    """A line to execute: its number in the email, whether it is the first with content, and the remark for an order."""

    line: Line
    number: int
    is_first: bool
    remark: str
    meant: ReplyAddress | None


def _obey_line(desk: Desk, row: _Row, found: Reading) -> Item:
    """The result of one line. If it fails, it has changed nothing."""
    line = row.line
    try:
        with desk.tx.savepoint():
            if line.command is command_words.named("withdraw") and desk.match is None:
                return DO["withdraw from"](desk, "")
            if line.is_order:
                return _order(desk, row)
            assert line.command is not None, "A line without a command is an order."
            if line.asks and line.command.name not in (*command_words.HARMLESS, "comment", "say", "resign"):
                return {"said": "usage", "word": line.command.name}
            if line.command.name == "say":
                return _say(desk, line, found)
            if line.stops_match and row.meant is not None and desk.own is not None:
                return DO["off"](desk, command_words.HERE)
            return DO[line.command.name](desk, line.rest)
    except REFUSALS as error:
        return {"said": "refused", "why": str(error)}


def _say(desk: Desk, line: Line, found: Reading) -> Item:
    """A message with everything below it, unless part of that isn't meant for all its readers."""
    check_open(found)
    more = len([text for text in line.rest.split("\n")[1:] if text.strip()])
    return {**DO["say"](desk, line.rest), "more": more, "lines": [text[:100] for text in found.not_obeyed[:10]]}


def _order(desk: Desk, row: _Row) -> Item:
    """An order for the match, submitted like any other and judged immediately."""
    text = row.line.text
    if row.line.command is None and not _is_move(_tables(desk, ""), text.rstrip(" ?")):
        return {"said": "unknown"}
    match, seat = desk.seat()
    replies = row.meant if row.is_first and row.meant is not None and row.meant.match == match.id else None
    order = orders.parse(text) if replies is None else answering(replies, text)
    if row.line.asks or (not row.is_first and _gives_away(desk, order)):
        return _ask(desk, text.rstrip(" ?!."))
    key, answered = f"{desk.mail.key}#{row.number}", desk.round if row.is_first else None
    incoming = Incoming(key, match.id, seat.number, desk.player.id, answered, order, "mail", row.remark, may_undo=True)
    submit(desk.tx, incoming, desk.mail.received)
    more = True
    while more:
        more = judge_oldest(desk.tx, lock(desk.tx.session, match.id))
    judged = desk.tx.session.scalars(select(Submission).where(Submission.key == key)).one()
    if judged.verdict == "refused":
        return {"said": "refused", "why": judged.message}
    said = "ordered" if judged.verdict else "held" if undo.waits(desk.tx.session, judged, desk.tx.now) else "overdue"
    item = {"said": said, "title": title(match), "move": judged.text, "seconds": desk.player.grace}
    return {**item, "told": judged.message} if judged.message else item


def _ask(desk: Desk, order: str) -> Item:
    """Asks the writer to confirm an order; raises CommandError, and MoveError if the game has no draw."""
    match, _ = desk.seat()
    if match.state == "running":
        play_move.check_draw(match, replay.position(desk.tx.session, match), orders.parse(order))
    if desk.asks is not None or desk.resigns is not None:
        raise CommandError("One email can ask about one thing only. Please send this in another email.")
    desk.asks = Question(match, order, match.round if desk.round is None else desk.round)
    return {"said": "asked", "title": title(match), "order": order}


def _gives_away(desk: Desk, order: orders.Order) -> bool:
    """Whether an order may end the match, or give away a turn, a seat or the count."""
    if isinstance(order, orders.Draw) and desk.match is not None and desk.match.state == "running":
        return replay.position(desk.tx.session, desk.match).offer is not None
    return isinstance(order, orders.Pass | orders.LeaveTeam) or (isinstance(order, orders.Accept) and not order.what)


def _tables(desk: Desk, text: str) -> list[tuple[Position, int]]:
    """The positions that an email may be about, with the writer's seat: of its match and those it names.

    A move by somebody without a seat is read as the first seat's, so that it is refused as a move and not taken for
    prose.
    """
    numbers = re.findall(r"(?im)^\s*match\s+#?(\d{1,9})\b", text)[: command_words.MOST_LINES]
    matches = [desk.match, *(desk.tx.session.get(Match, int(number)) for number in numbers)]
    found = []
    for match in matches:
        own = match.place_of(desk.player.id) if match else None
        if match is not None and match.state == "running":
            found.append((replay.position(desk.tx.session, match), own.number if own is not None else 0))
    return found


def _is_move(tables: list[tuple[Position, int]], text: str) -> bool:
    """Whether one of the games reads a text as a move, or as conditional moves."""
    return any(
        command_lines.is_order(text, partial(alternatives.is_readable, position, seat)) for position, seat in tables
    )


def _is_secret(tables: list[tuple[Position, int]], text: str) -> bool:
    """Whether a text has a move that others don't learn of, or not yet: a preference, or a choice where all choose."""
    moves = orders.choices(alternatives.unnumbered(text))
    return any(_is_hidden(position, seat, move) for position, seat in tables for move in moves)


def _is_hidden(position: Position, seat: int, text: str) -> bool:
    if orders.answers_offer(orders.parse(text)):
        return False
    try:
        move = position.read(seat, text)
    except MoveError:
        return False
    return position.is_private(move) or (len(position.public_turns) > 1 and position.phase == "play")
