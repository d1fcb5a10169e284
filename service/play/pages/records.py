"""Matches as records: exported in some notation, and imported from elsewhere."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from datetime import datetime
from fractions import Fraction
from hashlib import sha256

from sqlalchemy import insert, select

from service.engine import record_formats
from service.engine.game import Outcome
from service.engine.record import RecordError
from service.engine.record_formats import Format, Record
from service.games import GAMES
from service.play import bans
from service.play.match import review
from service.play.site import Site
from service.play.table import press, replay, teams
from service.play.table.log import EntryLine, that_stand, visible_entries
from service.render.notation.records import recognise
from service.store.models import Entry, Match, Player, Seat

LARGEST = 200_000
"""Bytes in a record to import."""
UNKNOWN = "?"
NOTHING_SAID: Mapping[int, Sequence[str]] = {}


class RecordRefused(ValueError):
    """A record that can't be imported. The message is one sentence, which names the line."""


def export(site: Site, match_id: int, notation: Format, said: Mapping[int, Sequence[str]] = NOTHING_SAID) -> str | None:
    """The match in this notation, as everybody may know it now; None if there is no such match. `said` are comments by
    the numbers of their moves.

    Of a running match, private moves and choices that are still sealed are left out, also for those who made them.
    """
    with site.store.reading() as session:
        match = session.get(Match, match_id)
        if match is None:
            return None
        entries = that_stand(visible_entries(session, match, None))
        looked = review.of(session, match) if match.state == "over" else None
        comments = {one.logged: one.comment for one in looked.moments} if looked else {}
        return notation.write(
            Record(
                match.game,
                match.options,
                tuple("" if press.hides_names(match) else teams.names(match, seat.number) for seat in match.seats),
                tuple(
                    record_formats.Entry(line.seat, line.move, line.round, line.played, _remark(line, said, comments))
                    for line in entries
                ),
                _outcome(match),
            )
        )


def _remark(line: EntryLine, said: Mapping[int, Sequence[str]], reviewed: Mapping[int, str]) -> str:
    """What the player wrote with a move, then what others say about it, and what a review does."""
    return "\n".join(filter(None, (line.remark, *said.get(line.ply, ()), reviewed.get(line.logged, ""))))


def bring(site: Site, importer_id: int, raw: bytes) -> int:
    """Enters a record as a match that is over, and returns its id; raises RecordRefused.

    Its players are names only. A match that the record leaves unfinished is over for the reason `imported`. The same
    record from the same player enters nothing and returns the first match.
    """
    if len(raw) > LARGEST:
        raise RecordRefused(f"A game record can have up to {LARGEST:,} bytes; this one has {len(raw):,}.")
    # A form sends lines that end with CR LF.
    text = raw.decode("utf-8-sig", errors="replace").replace("\0", "").replace("\r\n", "\n").replace("\r", "\n")
    try:
        record = recognise(text).read(text)
    except RecordError as error:
        raise RecordRefused(f"Line {error.line}: {error}") from error
    key = f"import:{importer_id}:{sha256(raw).hexdigest()}"
    with site.store.reading() as session:
        if (brought := session.scalars(select(Match.id).where(Match.key == key)).first()) is not None:
            return brought
    # It is replayed before anything is written: SQLite has one writer at a time, and people's orders are waiting.
    match = _entered(record, importer_id, site.now())
    match.key = key
    with site.transaction() as tx:
        tx.session.get(Player, importer_id, with_for_update=True)
        if (brought := tx.session.scalars(select(Match.id).where(Match.key == key)).first()) is not None:
            return brought
        bans.refuse_banned(tx, importer_id, RecordRefused)
        tx.session.add(match)
        tx.session.flush()
        if record.entries:
            # As objects, thousands of rows would take most of a second.
            tx.session.execute(insert(Entry), _log(record, match))
        return match.id


def _entered(record: Record, importer_id: int, now: datetime) -> Match:
    """The match and its seats, over."""
    game = GAMES[record.game]
    match = Match(
        game=record.game,
        options=dict(record.options),
        seed=secrets.randbits(62),
        created=now,
        moved=now,
        ply=len(record.entries),
        importer_id=importer_id,
    )
    match.seats = [Seat(number=number, name=name or UNKNOWN, accepted=True) for number, name in enumerate(record.names)]
    replay.summarise(match, game.replay(game.begin(len(record.names), 0, record.options), record.log))
    match.state, match.reason = "over", record.outcome.reason if record.outcome else "imported"
    for seat in match.seats:
        seat.to_move = seat.awaited = False
        seat.score = str(record.outcome.scores[seat.number]) if record.outcome else None
    return match


def _log(record: Record, match: Match) -> list[dict[str, object]]:
    """The rows of the entries. If the record doesn't give a time, or gives one in the future, it is the time of the
    upload."""
    return [
        {
            "match_id": match.id,
            "ply": ply,
            "seat": entry.seat,
            "move": entry.move,
            "round": entry.round,
            "remark": entry.remark,
            "played": min(entry.played or match.created, match.created),
        }
        for ply, entry in enumerate(record.entries, start=1)
    ]


def _outcome(match: Match) -> Outcome | None:
    """How the match ended, by its row: time and imported ends are not in every position."""
    scores = [seat.score for seat in match.seats if seat.score is not None]
    if match.reason is None or len(scores) < len(match.seats):
        return None
    return Outcome(tuple(map(Fraction, scores)), match.reason)
