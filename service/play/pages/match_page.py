"""What a page shows of matches, and who sees it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from typing import Any, NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.bots.reasons import explained
from service.bots.roster import NAMES
from service.clock.control import Control
from service.engine.game import Draft, OutOfTurn, Position
from service.engine.record_formats import Format
from service.engine.scene import Scene
from service.games import GAMES
from service.mail.grammar import orders
from service.mail.grammar.orders import Accept, Conditional, Decline, Offer, Order, Standing, Withdraw
from service.mail.letters.letter_types import Played
from service.play.match import invitations, offers, play_move, receipts, rematch, review, substitutes, takeback
from service.play.orders import alternatives, conditional, undo
from service.play.orders.preview import Preview, example, foreseen
from service.play.orders.submit import check_length, ordered
from service.play.pages import leader_boards
from service.play.pages.cards import Card, cards
from service.play.pages.match_lists import MatchLine, match_row
from service.play.pages.move_table import Row, rows, seat_then
from service.play.site import Site
from service.play.table import estimate, movers, press, replay, teams
from service.play.table.log import EntryLine, logged, news, notes_after, notes_beside, visible_entries
from service.play.table.press import Press
from service.play.timekeeping import clocks, extra_time, late_turns
from service.render.notation.records import formats
from service.store.models import Match, Place, Seat, Submission

MOST_MOVES = 2_000
"""Legal moves that are listed for a program."""


class Why(NamedTuple):
    """A move of a computer opponent, and what speaks for it: the rest is as in `reasons.Reason`."""

    name: str
    move: str
    kind: str
    number: int
    at: str


@dataclass(frozen=True, slots=True)
class MatchPage:
    """A match after `ply` entries as one viewer may see it; `last` is the latest ply they may know of.

    `newest` is when something last happened that everybody may know of; `news` what others have played since the
    viewer's own last order (for watchers: the last move). `draft` is there when the viewer may order something now.
    """

    line: MatchLine
    ply: int
    last: int
    newest: datetime
    options: dict[str, Any]
    clock: Control
    press: Press
    rated: bool
    substitutes: bool
    teams: bool
    scene: Scene
    phase: str
    entries: tuple[EntryLine, ...]
    rows: list[Row]
    at_once: bool
    """Whether all choose at the same time, so that a row is a round."""
    cards: tuple[Card, ...]
    news: tuple[Played, ...]
    draft: Draft | None
    notations: Sequence[Format]
    importer: str
    """The player who imported the match; "" if it was played here."""
    ahead: str = ""
    """The viewer's conditional moves; always "" for others."""
    standing: str = ""
    """The viewer's standing order; always "" for others."""
    offered: bool = False
    """Whether the viewer's own place is offered to somebody."""
    post: str = ""
    """When the viewer wants emails about this match, one of `choice.HERE`."""
    example: tuple[str, str] | None = None
    """A move of the others and the viewer's reply, to show how conditional moves are written."""
    held: tuple[undo.Held, ...] = ()
    """The orders of the viewer's that nobody has seen and that can be withdrawn, the oldest first."""
    second_look: review.SecondLook | None = None
    """The computer's review of a match that is over, if somebody has asked for it."""
    may_look: bool = False
    """Whether the match is over and has moves that the computer can review."""
    why: Why | None = None
    """Why the opponent for beginners played its last move, if that is the last of all."""
    estimate: estimate.Estimated | None = None
    """The computer's estimate of who owns what, while dead stones are agreed on, if somebody has asked for it."""
    rated_from: tuple[int, int] | None = None
    """The viewer's rating before and after the match, if it is over and was rated."""
    unmoved: bool = False
    """Whether it is over and wasn't rated, because not everybody has moved."""
    verdict: Verdict | None = None
    """The result of the requested order; None if it isn't the viewer's."""
    agreements: offers.Agreements = offers.NOTHING
    """What the players offer each other; nothing for watchers."""

    @property
    def notes(self) -> tuple[str, ...]:
        """The game's notes without those that the news replaces."""
        return notes_beside(self.news, self.scene.notes)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The state of an order: `held`, `waiting`, `accepted`, `withdrawn`, or `refused` with the sentence that says why.

    `text` and `remark` are what was sent, for its writer to correct; `code` is the kind of MoveError, or REPLACED.
    """

    state: str
    message: str
    text: str
    remark: str
    match_id: int
    code: str = ""
    deed: str = ""
    """What was ordered: its kind, for an agreement with what it is about, `forget`, or `standing none`."""
    played: str = ""
    """The resulting move, if it is in the log."""


def match_page(
    site: Site, match_id: int, viewer_id: int | None, ply: int | None = None, key: str = ""
) -> MatchPage | None:
    """The match now, or after `ply` entries; None if there is no such match or position.

    With the key of an order of the viewer's, the page has the verdict on it at that moment."""
    with site.store.reading() as session:
        match = session.get(Match, match_id)
        if match is None:
            return None
        line, place = match_row(match, viewer_id), match.place_of(viewer_id)
        my_seat = line.my_seat
        mine = match.seats[my_seat] if my_seat is not None and line.speaks else None
        entries = visible_entries(session, match, my_seat, reader=viewer_id)
        last = entries[-1].ply if entries else 0
        if ply is not None and not 0 <= ply <= last:
            return None
        own = [entry.move for entry in entries if entry.seat == my_seat and not entry.undone]
        position = replay.position(session, match, None if ply is None else logged(entries, ply))
        shown = last if ply is None else ply
        scene = position.view(seat_then(entries, my_seat, shown))
        draft = _draft(match, position, my_seat) if ply is None and mine is not None else None
        at_once = len(replay.start(match).public_turns) > 1
        overdue = late_turns.known(session, match, position) if ply is None else ()
        line = replace(line, seats=tuple(replace(seat, late=seat.number in overdue) for seat in line.seats))
        is_over = ply is None and match.state == "over"
        rated_from = leader_boards.changed(session, match.id, viewer_id) if is_over else None
        return MatchPage(
            line=line,
            ply=shown,
            last=last,
            options=match.options,
            clock=clocks.control(match),
            press=press.of(match),
            rated=match.rated,
            substitutes=match.substitutes,
            teams=match.teams,
            scene=scene,
            phase=position.phase,
            entries=entries,
            rows=rows(entries, len(match.seats), at_once),
            at_once=at_once,
            cards=cards(session, site.now(), match, line, position),
            news=news(
                [entry for entry in entries if entry.ply <= shown],
                my_seat,
                position,
                notes_after(session, match, my_seat),
                player_id=viewer_id,
                taken=place.taken if place else None,
            ),
            draft=draft,
            notations=[*formats(GAMES[match.game], len(match.seats)).values()],
            importer=match.importer.name if match.importer else "",
            ahead="" if mine is None else mine.ahead,
            standing="" if place is None else place.standing,
            post="" if place is None else place.post,
            offered=place is not None and place.sought is not None,
            example=example(position, mine.number) if draft and mine and teams.may_plan(mine) else None,
            held=undo.held(session, match, place, site.now()),
            second_look=review.of(session, match) if is_over else None,
            may_look=match.state == "over" and bool(review.moves(entries)),
            rated_from=rated_from,
            newest=rematch.asked(session, match.id, match.state) or match.moved,
            unmoved=is_over and rated_from is None and movers.is_unmoved(session, match),
            why=why(session, match, entries) if ply is None and match.state == "running" else None,
            estimate=estimate.of(session, match, position) if ply is None else None,
            verdict=_verdict(session, site.now(), key, viewer_id) if key and viewer_id is not None else None,
            agreements=offers.NOTHING
            if ply is not None
            else offers.table(session, site.now(), match, position, my_seat, own, line.speaks),
        )


def verdict(site: Site, key: str, player_id: int) -> Verdict | None:
    """The state of the player's own order with this key; None if it isn't theirs."""
    with site.store.reading() as session:
        return _verdict(session, site.now(), key, player_id)


def _verdict(session: Session, now: datetime, key: str, player_id: int) -> Verdict | None:
    submission = session.scalars(select(Submission).where(Submission.key == key)).first()
    if submission is None or submission.player_id != player_id:
        return None
    state = submission.verdict or ("held" if undo.waits(session, submission, now) else "waiting")
    told = (submission.message, submission.text, submission.remark, submission.match_id, submission.code)
    played = receipts.move_of(session, submission) if state == "accepted" else ""
    return Verdict(state, *told, _deed(ordered(submission)), played)


def _deed(order: Order) -> str:
    """What was ordered, as `Verdict.deed` has it."""
    if isinstance(order, Offer | Accept | Decline | Withdraw):
        return f"{order.kind} {order.what}".strip()
    if isinstance(order, Conditional) and order.forgets:
        return "forget"
    return "standing none" if isinstance(order, Standing) and not order.choices else order.kind


def preview(site: Site, match_id: int, player_id: int, text: str) -> Preview:
    """What an order would do, with nothing played; raises MoveError."""
    check_length(text)
    with site.store.reading() as session:
        match = session.get(Match, match_id)
        own = None if match is None else match.place_of(player_id)
        if match is None or own is None or match.state != "running":
            raise OutOfTurn("You have no seat in this match, or it isn't being played.")
        order = orders.parse(text.strip())
        if not isinstance(order, orders.Undo | orders.Rematch | orders.Review | orders.LeaveTeam | Standing):
            teams.check_turn(match, own)
        return _foreseen(session, site.now(), match, own, order)


def _foreseen(session: Session, now: datetime, match: Match, own: Place, order: Order) -> Preview:
    """What an order would do, after the checks of its judge as far as they change nothing; raises MoveError."""
    position, seat = replay.position(session, match), own.number
    said = Preview(Draft(order.text, position.view(seat), True, ()), deed=_deed(order))
    if isinstance(order, Conditional):
        said = replace(said, branches=conditional.check(match, match.seats[seat], position, order.plan))
        now_played = _moved(match, position, seat, orders.parse(order.now)) if order.now else said
        draft = now_played.draft._replace(text=said.draft.text, complete=True, choices=())
        return replace(now_played, draft=draft, deed=said.deed, branches=said.branches)
    if isinstance(order, Standing):
        alternatives.check_standing(match, own, position, order, clocks.control(match).late)
        return replace(said, choices=order.choices)
    if isinstance(order, orders.Rematch | orders.Review):
        raise OutOfTurn(rematch.TOO_SOON if isinstance(order, orders.Rematch) else review.TOO_SOON)
    if isinstance(order, orders.Undo) and not undo.held(session, match, own, now):
        raise undo.too_late(position, seat)
    if isinstance(order, orders.LeaveTeam) and not teams.is_shared(match, seat):
        raise OutOfTurn(substitutes.NO_TEAM)
    if isinstance(order, orders.Undo | orders.LeaveTeam):
        return said
    if isinstance(order, orders.Extend):
        extra_time.receivers(session, match, position, seat, order.amount)
        return said
    if isinstance(order, Offer | Accept | Decline | Withdraw) and _concerns_offers(
        session, now, match, position, seat, order
    ):
        return said
    return _moved(match, position, seat, order)


def _concerns_offers(
    session: Session, now: datetime, match: Match, position: Position, seat: int, order: orders.Agreement
) -> bool:
    """Whether it isn't a move; raises MoveError as `offers.judge` does, as far as that changes nothing."""
    if isinstance(order, Withdraw):
        return bool(offers.own(session, match, position, seat))
    theirs = offers.concerned(session, match, position, seat, order, now)
    asks = isinstance(order, Offer) and theirs is not None and order.what not in theirs
    if asks and order.what == "takeback":
        takeback.check_asked(session, match, position, seat)
    if asks and order.what == "pause":
        extra_time.pause_end(match, seat, now, order.until)
    return theirs is not None and (order.what != "resume" or offers.may_end(match, position, now))


def _moved(match: Match, position: Position, seat: int, order: Order) -> Preview:
    """What a move would do; of ranked choices, the one that would be played."""
    invitations.check_answered(position, order)
    play_move.check_draw(match, position, order)
    text = alternatives.unnumbered(order.text, position)
    text = text if len(orders.choices(text)) == 1 else alternatives.choose(position, seat, text)
    return foreseen(position, seat, position.draft(seat, text))


def legal_moves(site: Site, match_id: int, player_id: int) -> tuple[int, list[str]] | None:
    """The round of a match and the legal moves of the player's seat, the first MOST_MOVES of them; None without one.

    There are none while the match doesn't wait for the seat, or, in a team, for this player of it.
    """
    with site.store.reading() as session:
        match = session.get(Match, match_id)
        own = None if match is None else match.place_of(player_id)
        if match is None or own is None:
            return None
        if match.state != "running" or not isinstance(own, Seat):
            return match.round, []
        moves = replay.position(session, match).moves(own.number)
        return match.round, [*islice(moves, MOST_MOVES)]


def newest(site: Site, match_id: int) -> tuple[int, str, datetime] | None:
    """Its round, its state, and when something last happened that everybody may know of; None if there's no match."""
    with site.store.reading() as session:
        row = session.execute(select(Match.round, Match.state, Match.moved).where(Match.id == match_id)).first()
        return None if row is None else (row[0], row[1], rematch.asked(session, match_id, row[1]) or row[2])


def why(session: Session, match: Match, entries: Sequence[EntryLine]) -> Why | None:
    """Why the opponent for beginners made its move, if that is the last of `entries`, all that a seat may see."""
    last = entries[-1] if entries else None
    player = match.seats[last.seat].player if last else None
    if last is None or player is None or player.bot not in NAMES or NAMES[player.bot][1].level > 1:
        return None
    found = explained(replay.position(session, match, last.logged - 1), last.seat, last.move)
    return Why(player.name, last.move, *found) if found else None


def public_board(site: Site, match_id: int, round_: int) -> tuple[int, Scene | None] | None:
    """The round of a match, and its board as everybody sees it all that round if it is `round_`; None without one."""
    with site.store.reading() as session:
        match = session.get(Match, match_id)
        if match is None:
            return None
        return match.round, replay.position(session, match).view(None) if match.round == round_ else None


def _draft(match: Match, position: Position, seat: int | None) -> Draft | None:
    """The empty order of a seat that may send one now, even out of turn: a preference, a resignation."""
    playing = match.state == "running" and seat is not None and seat in position.active
    return position.draft(seat, "") if playing and seat is not None else None
