"""Mails of commands: all lines obeyed in one transaction, and accounted for in one answer.

What a line came to is kept in the answer's row as data: a `said` that names the sentence, and what the sentence
needs. `answers` puts it into words when the letter is sent.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, TypeAlias

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.engine.game import MoveError, OptionError
from service.games import GAMES
from service.mail import address, grammar
from service.mail.address import Purpose, ReplyAddress
from service.mail.grammar import Line
from service.mail.read import Inbound, read
from service.play import addresses, ahead, browse, choice, habits, lobby, names, proposal, replay, seats, talk
from service.play.accounts import AccountError
from service.play.adjudicate import judge_oldest, lock
from service.play.announce import owe
from service.play.choice import ChoiceError
from service.play.entries import visible_entries
from service.play.house import House, Nudges
from service.play.lobby import LobbyError
from service.play.proposal import ProposalError, game_named
from service.play.submit import Order, keep
from service.play.talk import TalkError
from service.store.models import IncomingMail, Match, Player, Seat, Submission

Item: TypeAlias = dict[str, Any]
"""What one line came to, as JSON."""


class CommandError(ValueError):
    """A line that asks for something we cannot do. The message is one sentence for its writer."""


_REFUSALS = (CommandError, ProposalError, LobbyError, AccountError, ChoiceError, TalkError, MoveError, OptionError)


@dataclass
class _Desk:
    """A mail being obeyed: who wrote it, which match its lines are about, and what has come of them."""

    house: House
    session: Session
    mail: IncomingMail
    player: Player
    match: Match | None
    nudges: Nudges = field(default_factory=list)
    resigns: Match | None = None

    def about(self) -> Match:
        """The match the line is about; raises CommandError where the mail names none."""
        if self.match is None:
            raise CommandError("Which match is this about? Write a line such as match 12 above it.")
        return self.match

    def seat(self) -> tuple[Match, Seat]:
        """That match and the writer's seat in it; raises CommandError."""
        match = self.about()
        for seat in match.seats:
            if seat.player_id == self.player.id:
                return match, seat
        raise CommandError(f"You have no seat in {title(match)}.")


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
    inbound = read(mail.raw)
    player = session.get_one(Player, mail.player_id)
    meant = address.read(house.settings.secret, mail.recipient)
    desk = _Desk(house, session, mail, player, _match_meant(session, meant, inbound, player))
    mail.verdict = "obeyed"
    if meant is not None and meant.purpose == Purpose.PRESS:
        items = _pass_on(desk, meant, inbound.text)
        if not items:
            return desk.nudges
    else:
        items = _obey_all(desk, grammar.lines(inbound.subject, inbound.text))
    match = desk.resigns or desk.match
    own = next((seat.number for seat in match.seats if seat.player_id == player.id), None) if match else None
    data: Item = {"mail": mail.id, "lines": items, "resigns": desk.resigns is not None, "seat": own}
    if match is not None and own is not None:
        data |= {"match": match.id, "round": match.round}
    return desk.nudges + owe(session, house.now(), "answer", f"answer:{mail.id}", player.id, **data)


def title(match: Match) -> str:
    """A match as mails name it: "Rosette 12"."""
    return f"{GAMES[match.game].title} {match.id}"


def _pass_on(desk: _Desk, meant: ReplyAddress, text: str) -> list[Item]:
    """Sends the answer to a message to just those it was among; what there is to tell its writer where it cannot be."""
    try:
        with desk.session.begin_nested():
            match, own = desk.seat()
            to = talk.answering(desk.session, match, own, meant.round)
            desk.nudges += talk.speak(desk.session, desk.house.now(), match, own, text, f"mail:{desk.mail.id}", to)
            return []
    except (CommandError, TalkError) as error:
        return [{"line": text.partition("\n")[0][:200], "said": "refused", "why": str(error)}]


def _match_meant(session: Session, meant: ReplyAddress | None, inbound: Inbound, player: Player) -> Match | None:
    """The match of the reply address, else of the thread or the Subject, else the only one the writer is playing."""
    threads = [re.fullmatch(r"<match-(\d{1,9})@.*>", known) for known in inbound.references]
    subjects = [re.search(r"\b[A-Z]\w* (\d{1,9}):", inbound.subject)]
    numbers = [int(found[1]) for found in (*threads, *subjects) if found]
    if meant is not None or numbers:
        return session.get(Match, meant.match if meant else numbers[0])
    playing = select(Match).join(Seat).where(Seat.player_id == player.id, Match.state.in_(("open", "running")))
    matches = session.scalars(playing.limit(2)).all()
    return matches[0] if len(matches) == 1 else None


def _obey_all(desk: _Desk, lines: tuple[Line, ...]) -> list[Item]:
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
        strange = strange + 1 if item["said"] == "unknown" else 0 if not ignored else strange
        items.append({"line": line.text[:200], **item})
    return items


def _obey_line(desk: _Desk, line: Line, number: int) -> Item:
    """What one line came to. One that fails has changed nothing."""
    try:
        with desk.session.begin_nested():
            if line.command is None or line.command.order:
                return _order(desk, line, number)
            return _DO[line.command.name](desk, line.rest)
    except _REFUSALS as error:
        return {"said": "refused", "why": str(error)}


def _order(desk: _Desk, line: Line, number: int) -> Item:
    """An order for the match, through the one door for orders, judged on the spot."""
    if line.command is None and not _is_move(desk, line.text):
        return {"said": "unknown"}
    match, seat = desk.seat()
    key = f"{desk.mail.key}#{number}"
    keep(desk.session, Order(key, match.id, seat.number, desk.player.id, None, line.text, "mail"), desk.mail.received)
    more = True
    while more:
        nudges, more = judge_oldest(desk.session, desk.house.now(), lock(desk.session, match.id))
        desk.nudges += nudges
    judged = desk.session.scalars(select(Submission).where(Submission.key == key)).one()
    if judged.verdict == "refused":
        return {"said": "refused", "why": judged.message}
    return {"said": "ordered", "title": title(match), "move": judged.text}


def _is_move(desk: _Desk, text: str) -> bool:
    """Whether a line that begins with no command of ours is a move of the game it is about."""
    own = next((seat for seat in desk.match.seats if seat.player_id == desk.player.id), None) if desk.match else None
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


def _resign(desk: _Desk, _rest: str) -> Item:
    match, _ = desk.seat()
    if match.state != "running":
        raise CommandError(f"{title(match)} is not being played, so there is nothing to resign.")
    if desk.resigns not in (None, match):
        raise CommandError("One mail can ask to resign one match only; send another mail for this one.")
    desk.resigns = match
    return {"said": "resign", "title": title(match)}


def _board(desk: _Desk, match: Match, **data: object) -> Item:
    """What `show`, `history` and `preview` keep: enough to see the same again later."""
    own = next((seat.number for seat in match.seats if seat.player_id == desk.player.id), None)
    return {"match": match.id, "ply": match.ply, "seat": own, "title": title(match), **data}


def _show(desk: _Desk, rest: str) -> Item:
    match = desk.about()
    item = _board(desk, match, said="board", number=None)
    if rest:
        entries = visible_entries(desk.session, match, item["seat"])
        if not rest.isdigit() or int(rest) > len(entries):
            raise CommandError(f"{title(match)} has {len(entries)} moves so far: write show 0 to show {len(entries)}.")
        item |= {"ply": entries[int(rest) - 1].logged if int(rest) else 0, "number": int(rest)}
    return item


def _history(desk: _Desk, _rest: str) -> Item:
    return _board(desk, desk.about(), said="history")


def _preview(desk: _Desk, rest: str) -> Item:
    match, seat = desk.seat()
    if match.state != "running":
        raise CommandError(f"{title(match)} is not being played, so there is nothing to preview.")
    replay.position(desk.session, match).draft(seat.number, rest)
    return _board(desk, match, said="preview", move=rest)


def _say(desk: _Desk, rest: str) -> Item:
    match, own = desk.seat()
    sides = GAMES[match.game].sides(len(match.seats))
    found = re.match(r"to\s+([^:]+?)\s*:\s*(.+)", rest, re.IGNORECASE)
    to = _audience(match, sides, found[1]) if found else ()
    text = found[2] if found else rest
    if not text:
        raise CommandError("Say what? Write it in the same line: say Good luck, or say to red: Shall we?")
    others = [seat for seat in match.seats if seat is not own and seat.player and (not to or seat.number in to)]
    key = f"mail:{desk.mail.id}:{sha256(rest.encode()).hexdigest()[:24]}"
    desk.nudges += talk.speak(desk.session, desk.house.now(), match, own, text, key, to)
    return {"said": "said", "title": title(match), "to": [sides[seat.number].capitalize() for seat in others]}


def _audience(match: Match, sides: tuple[str, ...], text: str) -> tuple[int, ...]:
    """The seats named, none for `all`; raises CommandError, so that nothing goes to more than it was meant for."""
    names = [name for name in re.split(r"[\s,;&+]+|\band\b", text.lower()) if name]
    if names in (["all"], ["everybody"], ["table"]):
        return ()
    for name in names or [text]:
        if name not in sides:
            raise CommandError(
                f"Nobody plays {name.capitalize()} in {title(match)}; write say to {sides[0]}: and your words."
            )
    return tuple(map(sides.index, names))


def _mute(desk: _Desk, _rest: str) -> Item:
    return _here(desk, "mute")


def _unmute(desk: _Desk, _rest: str) -> Item:
    return _here(desk, "")


def _here(desk: _Desk, post: str) -> Item:
    """What is chosen for the mails about one match."""
    match, seat = desk.seat()
    choice.choose_here(seat, post)
    return {"said": "here", "post": post, "title": title(match), "hours": desk.player.digest_hours.split()}


def _about_match(desk: _Desk, rest: str) -> Item:
    match = desk.session.get(Match, _number(rest, "match 12"))
    if match is None:
        raise CommandError(f"There is no match {rest}.")
    desk.match = match
    return {"said": "about", "title": title(match)}


def _status(desk: _Desk, _rest: str) -> Item:
    return {"said": "status", "rows": _rows(browse.lines(desk.session, browse.mine(desk.player.id), desk.player.id))}


def _games(desk: _Desk, _rest: str) -> Item:
    games = [[game.name, game.title, game.summary] for game in GAMES.values()]
    open_seats = browse.lines(desk.session, browse.with_open_seats(), desk.player.id)
    return {"said": "games", "games": games, "rows": _rows(open_seats)}


def _rows(lines: list[browse.MatchLine]) -> list[Item]:
    return [
        {
            "number": line.id,
            "title": f"{line.title} {line.id}",
            "state": line.state,
            "my_turn": line.my_turn,
            "until": _until(line),
            "bounces": [seat.side.capitalize() for seat in line.seats if seat.bounces and not seat.is_me],
            "awaited": [seat.side.capitalize() for seat in line.seats if seat.to_move and not seat.is_me],
            "others": [seat.name for seat in line.seats if not seat.is_me and seat.name],
        }
        for line in lines
    ]


def _until(line: browse.MatchLine) -> str:
    """When the reader's own time runs out, "" where it does not."""
    own = next((seat for seat in line.seats if seat.is_me), None)
    return own.deadline.isoformat() if own is not None and own.deadline is not None else ""


def _rules(desk: _Desk, rest: str) -> Item:
    return {"said": "rules", "game": game_named(rest or (desk.match.game if desk.match else ""), "rules")}


def _help(desk: _Desk, rest: str) -> Item:
    about = desk.match.game if desk.match else ""
    word = rest.lower().strip(" .?'\"")
    if word in grammar.TOPICS or grammar.named(word):
        return {"said": "usage", "word": word}
    return {"said": "help", "game": game_named(rest, "help") if rest else "", "playing": about}


def _most(desk: _Desk, rest: str) -> Item:
    choice.choose_most(desk.player, "" if rest.lower().strip(" .") == "none" else rest or "?")
    return {"said": "most", "most": desk.player.most}


def _vacation(desk: _Desk, rest: str) -> Item:
    return {"said": "vacation", **habits.vacation(desk.session, desk.house.now(), desk.player, rest)}


def _zone(desk: _Desk, rest: str) -> Item:
    return {"said": "zone", **habits.zone(desk.player, rest)}


def _new(desk: _Desk, rest: str) -> Item:
    match, nudges = lobby.set_up(desk.session, desk.house.now(), desk.player.id, proposal.read(rest))
    desk.nudges, desk.match = desk.nudges + nudges, match
    # Not in the order of their seats, which may be hidden.
    invited = sorted(seat.player.email or "" for seat in match.seats if seat.player and not seat.accepted)
    is_open = any(seat.player_id is None for seat in match.seats)
    return _taken(desk, match, said="new", invited=invited, open=is_open)


def _taken(desk: _Desk, match: Match, **data: object) -> Item:
    """What `new` and `join` keep: which match, the writer's side, whether it has begun, and a name that is a number."""
    own = next(seat.number for seat in match.seats if seat.player_id == desk.player.id)
    side = GAMES[match.game].sides(len(match.seats))[own].capitalize()
    number = desk.player.name if desk.player.is_unnamed else ""
    return {"match": match.id, "title": title(match), "state": match.state, "side": side, "number": number, **data}


def _join(desk: _Desk, rest: str) -> Item:
    number = _number(rest, "join 12")
    desk.nudges += seats.take(desk.session, desk.house.now(), number, desk.player.id)
    desk.match = desk.session.get_one(Match, number)
    return _taken(desk, desk.match, said="joined")


def _offer(desk: _Desk, rest: str) -> Item:
    match, _ = desk.seat()
    found = re.fullmatch(r"(?:(?:my|the)\s+)?(?:(none)|seat(?:\s+to\s+(\S+))?)[.!]?", rest.strip(), re.IGNORECASE)
    if found is None:
        raise CommandError("Write offer seat, offer seat to ada@example.org, or offer none.")
    to = "" if found[1] else (found[2] or "anybody").strip("<>.,")
    desk.nudges += seats.offer_seat(desk.session, desk.house.now(), match, desk.player.id, to)
    return {"said": "offered", "title": title(match), "to": to, "number": match.id}


def _name(desk: _Desk, rest: str) -> Item:
    return {"said": "named", "name": names.take(desk.session, desk.player, rest)}


def _address(desk: _Desk, rest: str) -> Item:
    wanted, nudges = addresses.wish(desk.session, desk.house.now(), desk.player, rest)
    desk.nudges += nudges
    return {"said": "address", "address": wanted, "hours": int(addresses.CONFIRM.total_seconds() // 3600)}


def _post(name: str) -> Callable[[_Desk, str], Item]:
    """The command that chooses when mails come."""

    def choose(desk: _Desk, rest: str) -> Item:
        if rest.lower().strip(" .") == grammar.HERE:
            return _here(desk, name)
        choice.choose(desk.session, desk.player, name, rest if name == "digest" else "")
        zone = desk.player.zone or "UTC"
        return {"said": name, "hours": desk.player.digest_hours.split(), "zone": zone}

    return choose


def _number(text: str, example: str) -> int:
    digits = text.strip(" #.")
    if not digits.isdecimal() or len(digits) > 9:
        raise CommandError(f"Write the number of the match, for example {example}.")
    return int(digits)


_DO: dict[str, Callable[[_Desk, str], Item]] = {
    "resign": _resign,
    "preview": _preview,
    "show": _show,
    "history": _history,
    "say": _say,
    "mute": _mute,
    "unmute": _unmute,
    "match": _about_match,
    "status": _status,
    "games": _games,
    "rules": _rules,
    "new": _new,
    "join": _join,
    "offer": _offer,
    "name": _name,
    "address": _address,
    **{name: _post(name) for name in choice.CHOICES},
    "most": _most,
    "vacation": _vacation,
    "zone": _zone,
    "help": _help,
}
