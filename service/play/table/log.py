"""The log of a match as one viewer may see it, and which part of it is news to them."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import datetime
from typing import NamedTuple, TypeAlias

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from service.engine.game import AGREEMENTS, LEAVES, SUBSTITUTE, Position
from service.engine.game import LATE as LET_GO_BY
from service.engine.scene import passed
from service.games import GAMES
from service.mail.letters.letter_types import Played
from service.play.letter_kinds import Turn
from service.play.table import blocks, press, replay
from service.store.entries import Logged, entries
from service.store.models import AHEAD, LATE, REPLACED, Match, Player
from service.store.tables.mail_rows import Letter

YOURS = "yours"
"""The news for the player who has taken a seat over, in place of `SUBSTITUTE`."""

CHANGED = "players changed"
"""How a change of players is shown in teams, where somebody has joined or has only left."""

ACCEPTED = "accept draw"
"""How an entry shows a `draw` that accepts the opponent's offer: the log has it written like an offer."""

Notes: TypeAlias = Callable[["EntryLine"], tuple[str, ...]]
"""What a game said right after an entry."""

LATEST = 32
"""How many of the latest entries `public_log` returns."""

_SAID_IN_WORDS = (*LEAVES, *AGREEMENTS, SUBSTITUTE, replay.TAKEBACK, "pass")
"""Entries that a game's notes don't mention."""

_AT_ONCE = (*LEAVES, SUBSTITUTE)
"""What everybody may know before the round resolves."""


class EntryLine(NamedTuple):
    """An entry the viewer may see.

    `ply` counts those that everybody may see: one that only its own player sees has the number of the one before it.
    The places in the log, `logged`, would reveal how many others have sealed a choice.
    """

    ply: int
    logged: int
    seat: int
    side: str
    move: str
    round: int
    remark: str
    played: datetime
    undone: bool = False
    """Whether it was taken back."""
    late: bool = False
    """Whether the clock played it, for a player who was late."""
    by: int | None = None
    """The player who ordered it, in a match with teams; 0 if nobody did."""
    name: str = ""
    """That player's name, if they share the seat with a team."""
    ahead: bool = False
    """Whether it is the viewer's own conditional move, which nobody else may know."""
    taken: int = 0
    """How many moves were taken back, for a takeback."""
    accepts: bool = False
    """Whether it is a draw that accepts the other's offer."""
    chosen: bool = False
    """Whether the others chose at the same time, so that it may have collided with theirs."""

    @property
    def of_itself(self) -> bool:
        """Whether it was played without action by its player."""
        return self.late or self.ahead

    @property
    def shown(self) -> str:
        """The move in words that tell accepting a draw from offering one, and a team from a new player."""
        if self.accepts:
            return ACCEPTED
        return CHANGED if self.move == SUBSTITUTE and self.by is not None else self.move


def visible_entries(
    session: Session,
    match: Match,
    seat: int | None,
    until: Position | None = None,
    ply: int | None = None,
    log: Sequence[Logged] | None = None,
    reader: int | None = None,
) -> tuple[EntryLine, ...]:
    """The log as `seat`, or with None the public, may see it now; or as it could be seen at `until`, after `ply`.

    Others' private moves stay hidden until the match is over. Sealed choices, even the seat's own, which the board
    shows, are left out until their round has resolved. Those that were replaced or dropped stay private to their
    player: not even the next player of the seat sees them. What was written by those that the `reader`, by default
    the seat's player, has blocked is left out. `log` has the entries, with authors, if they are known.
    """
    over = match.state == "over" if until is None else until.outcome is not None
    since = 0 if over else (until or replay.position(session, match)).sealed_since
    sides = GAMES[match.game].sides(len(match.seats))
    reads = over or seat is not None or press.of(match).remarks == "everybody"
    rows = entries(session, match, ply, authors=match.teams or match.substitutes) if log is None else log
    stand = replay.standing((row.ply, row.back) for row in rows)
    gone = _taken_back(rows)
    taken = max((row.ply for row in rows if row.seat == seat and row.move == SUBSTITUTE), default=0)
    authors = _authors(session, match, rows) if match.teams else {}
    blocked = () if seat is None else _blocked(session, match, reader or match.seats[seat].player_id, rows)
    seen, number = list[EntryLine](), 0
    for at, by, move, remark, played, round_, private, back_to, fate, who in rows:
        known = _is_known(move, round_, private, over, since)
        public = known and fate != REPLACED
        if not public and not (by == seat and at > taken and (known or round_ < since)):
            continue
        number += public
        unread = not reads or (blocked and _writer(match, by, who) in blocked)
        undone, said = at not in stand and back_to is None, "" if unread else remark
        author = authors.get(at, (0 if match.teams else None, ""))
        late, ahead = fate == LATE, fate == AHEAD and by == seat and at > taken
        how = (undone, late, *author, ahead, gone.get(at, 0), False, GAMES[match.game].parallel)
        seen.append(EntryLine(number, at, by, sides[by], move, round_, said, played, *how))
    if _accepts_draw(seen):
        seen[-1] = seen[-1]._replace(accepts=True)
    return tuple(seen)


def _accepts_draw(entries: Sequence[EntryLine]) -> bool:
    """Whether the last entry is a draw that the other had offered; it ends the match, so no earlier one is.

    An offer is open until the other moves or declines it, or somebody else takes the seat that made it.
    """
    if not entries or entries[-1].move != "draw":
        return False
    for entry in reversed(that_stand(entries[:-1])):
        if entry.seat != entries[-1].seat and entry.move == "draw":
            return True
        if (entry.seat == entries[-1].seat) != (entry.move == SUBSTITUTE):
            return False
    return False


def _taken_back(rows: Iterable[Logged]) -> dict[int, int]:
    """How many moves each takeback in the log took back."""
    stood: list[int] = []
    gone: dict[int, int] = {}
    for row in rows:
        if row.back is not None:
            gone[row.ply] = sum(ply > row.back for ply in stood)
            stood = [ply for ply in stood if ply <= row.back]
        elif not row.private and row.move not in replay.NO_MOVES:
            stood.append(row.ply)
    return gone


def everybody_sees(session: Session, match: Match) -> list[Logged]:
    """The entries of the log that everybody can see now, with who ordered them."""
    over, since = match.state == "over", replay.position(session, match).sealed_since
    log = entries(session, match, authors=True)
    return [one for one in log if one.fate != REPLACED and _is_known(one.move, one.round, one.private, over, since)]


def _is_known(move: str, round_: int, private: bool, over: bool, since: int) -> bool:
    """Whether an entry is for others to see, in a match that is over or of which rounds before `since` are resolved."""
    return over or move in _AT_ONCE or (round_ < since and not private)


def public_log(session: Session, match: Match) -> tuple[int, list[tuple[int, str]]]:
    """How many entries of the log everybody can see now, and the seats and moves of the latest, oldest first."""
    public = everybody_sees(session, match)
    return len(public), [(entry.seat, entry.move) for entry in public[-LATEST:]]


def _blocked(session: Session, match: Match, reader: int | None, rows: Sequence[Logged]) -> Collection[int]:
    """The writers that a reader has blocked; none if names are hidden, because it would show who has which seat."""
    writing = {player for row in rows if row.remark and (player := _writer(match, row.seat, row.by)) is not None}
    if reader is None or not writing or press.hides_names(match):
        return ()
    return blocks.kept_away(session, reader, writing)


def _writer(match: Match, seat: int, author: int | None) -> int | None:
    """Who wrote the remark of an entry: its author, where the seat may have had several players."""
    return author or match.seats[seat].player_id


def _authors(session: Session, match: Match, log: Sequence[Logged]) -> dict[int, tuple[int, str]]:
    """The player who ordered each entry of a log, with a name if they share the seat and names aren't hidden."""
    hidden = press.hides_names(match)
    shared = {mate.number for mate in match.teammates}
    players = select(Player.id, Player.name).where(Player.id.in_({entry.by for entry in log}))
    names = {number: name for number, name in session.execute(players)}  # noqa: C416 - rows are no pairs to mypy
    return {
        entry.ply: (entry.by, names.get(entry.by, "") if entry.seat in shared and not hidden else "")
        for entry in log
        if entry.by is not None
    }


def logged(entries: Sequence[EntryLine], ply: int) -> int:
    """The place in the log of the position after `ply` of the entries that everybody may see."""
    return max((entry.logged for entry in entries if entry.ply <= ply), default=0) if ply else 0


def _untold(entry: EntryLine, entries: Sequence[EntryLine], over: bool) -> bool:
    """Whether a game's own notes about the present board leave this one of the entries out: a takeback, a new player,
    an offer of a draw that is declined, with its answer, a turn that passed by, and what ended a match that is over."""
    if entry.move == "draw":
        return any(later.move == "decline" and later.logged > entry.logged for later in entries)
    if entry.move in LEAVES or (entry.move == "pass" and over):
        return over
    return entry.move in (replay.TAKEBACK, SUBSTITUTE, "decline") or (entry.late and entry.move != LET_GO_BY)


def _told_since(entries: Sequence[EntryLine], at_once: bool) -> float:
    """The round from which on a game's notes say what was played. Entries that don't change the board don't count.

    If all choose `at_once`, the notes are about everything since the choices before; a player who leaves ends no turn.
    """
    beside = (replay.TAKEBACK, SUBSTITUTE, *AGREEMENTS, *(LEAVES if at_once else ()))
    since = max((entry.round for entry in entries if not entry.undone and entry.move not in beside), default=0)
    return _begun(since, entries) if at_once else since


def _begun(round_: float, entries: Sequence[EntryLine]) -> float:
    """The round in which the turn of this one began: where all choose at once, it goes on after somebody leaves, in a
    new round."""
    left = {entry.round for entry in entries if entry.move in LEAVES}
    while round_ - 1 in left:
        round_ -= 1
    return round_


def that_stand(entries: Iterable[EntryLine]) -> list[EntryLine]:
    """The moves that haven't been taken back, without the takebacks, as records have them."""
    return [entry for entry in entries if not entry.undone and entry.move != replay.TAKEBACK]


def is_own(entry: EntryLine, seat: int | None, player_id: int | None) -> bool:
    """Whether a player who has this seat ordered an entry: of a team, nobody else of it, and not the clock."""
    return entry.seat == seat and not entry.of_itself and entry.by in (None, player_id)


def told_before(
    session: Session, letter: Letter, match: Match, seat: int | None, entries: Sequence[EntryLine]
) -> Collection[int]:
    """The places in the log of what the reader's previous letter about a turn contained, if it was in fact sent.

    Only since the reader's own last move: earlier entries aren't repeated anyway.
    """
    own = (entry.played for entry in entries if is_own(entry, seat, letter.player_id))
    since = max(own, default=match.created)
    about = {"player": letter.player_id, "match": match.id, "letter": letter.id, "since": since}
    last = session.connection().execute(_LAST_TURN, about | {"until": letter.created}).first()
    if last is None:
        return ()
    ply = Turn.from_json(last.data).ply
    then = replay.position(session, match, ply)
    return {entry.logged for entry in visible_entries(session, match, seat, then, ply)}


_LAST_TURN = (
    select(Letter.data)
    .where(Letter.player_id == bindparam("player"), Letter.match_id == bindparam("match"), Letter.kind == Turn.kind)
    .where(Letter.id < bindparam("letter"), Letter.sent.between(bindparam("since"), bindparam("until")))
    .order_by(Letter.sent.desc())
    .limit(1)
)


def notes_after(session: Session, match: Match, seat: int | None) -> Notes:
    """Of a move that others have followed, what the game said to this seat right after it.

    Nothing where moves are made at the same time, for then that is about several. Nothing about what wasn't simply
    played, and nothing about passes and agreements.
    """
    in_turn = len(replay.start(match).public_turns) == 1

    def told(entry: EntryLine) -> tuple[str, ...]:
        if not in_turn or entry.late or entry.ahead or entry.name or entry.move in _SAID_IN_WORDS:
            return ()
        then = replay.position(session, match, entry.logged)
        return tuple(then.view(seat).notes) if then.phase == "play" else ()

    return told


def news(
    entries: Sequence[EntryLine],
    seat: int | None,
    position: Position,
    notes: Notes,
    before: Collection[int] = (),
    player_id: int | None = None,
    taken: datetime | None = None,
    to_reader: bool = False,
) -> tuple[Played, ...]:
    """What others have played since the seat's own last order, its round included; if nothing, the last entry.

    What the clock played for the seat is news to it too, and so are its conditional moves; for a player of a team, what
    the others of it played. All of it is repeated until the seat has moved, because an email may be lost, so that the
    latest one has everything; but entries `before`, by their place in the log, were in an email that was sent, and are
    no longer news. `notes` says what the game said after each. The reader has `taken` the seat over then, or has had it
    from the beginning. `to_reader` marks what is their own, for an email that says you.
    """
    mine = {entry for entry in entries if is_own(entry, seat, player_id)}
    own = max((entry.round for entry in mine), default=0 if seat is not None else math.inf)
    turn, ours = _begun(own, entries), {entry for entry in mine if entry.move != replay.TAKEBACK}
    fresh = (entry for entry in entries if entry.round >= (own if entry.move in LEAVES else turn))
    new = [entry for entry in fresh if entry not in ours and not entry.undone] or entries[-1:]
    over, has_notes = position.outcome is not None, bool(position.view(seat).notes)
    at_once = position.phase == "play" and len(position.public_turns) > 1
    since = _told_since(entries, at_once)
    by_me = {entry for entry in new if entry.seat == seat and entry.by in (None, player_id)}
    by_me = by_me if to_reader and not over else set()
    untold = by_me if position.phase == "play" and not at_once else set()
    return tuple(
        Played(
            f"{entry.side.capitalize()} ({entry.name})" if entry.name else entry.side.capitalize(),
            YOURS if entry.move == SUBSTITUTE and entry.seat == seat and entry.played == taken else entry.shown,
            entry.remark,
            told=has_notes and entry.round >= since and entry not in untold and not _untold(entry, entries, over),
            late=entry.late,
            ahead=entry.ahead,
            before=entry.logged in before,
            taken=entry.taken,
            chosen=entry.chosen,
            own=entry in by_me,
            notes=notes(entry) if entry.round < since else (),
        )
        for entry in new
    )


def notes_beside(played: Sequence[Played], notes: Sequence[str]) -> tuple[str, ...]:
    """The game's notes without the pass of a player who was late and the reader's own move: the news says each in a
    sentence of its own."""
    last = played[-1] if played else None
    if last is None or last.told or not (last.late or last.own):
        return tuple(notes)
    side, _, _player = last.side.partition(" (")
    said = (passed(side), f"{side} played {last.move}.")
    return tuple(note for note in notes if note not in said)
