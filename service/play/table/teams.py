"""Teams: a seat that several players share, each moving in turn, in any game.

The moves of the seat decide whose turn it is: after each of its moves or passes, and after each round in which all
choose at the same time, the next player of the team has the turn. The `Seat` row belongs to that player, so that code
that asks for a match's seats works as if nobody shared them; the others wait as `Teammate`s, who see what their seat
does but can't order anything. The player who moves next speaks for the team: offers, agrees, counts and resigns.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    CompoundSelect,
    Select,
    Subquery,
    and_,
    exists,
    false,
    or_,
    select,
    true,
    union_all,
)
from sqlalchemy.orm import Session, aliased
from sqlalchemy.orm.attributes import set_committed_value

from service.engine.game import LEAVES, Illegal, OutOfTurn, Position
from service.mail.grammar.conditional import Branch
from service.play.table import blocks, press
from service.store.models import Entry, Match, Place, Player, Seat, Submission, Teammate

MOST = 10
"""How many players may share a seat."""

_OWN = (
    *("place", "player_id", "player", "accepted", "post", "seen", "standing"),
    *("missed", "sought", "taken", "written", "turned"),
)
"""The columns that move with a player between the seat and the waiting place."""


def is_shared(match: Match, number: int) -> bool:
    """Whether more than one player has this seat."""
    return match.teams and any(mate.number == number for mate in match.teammates)


def go_on(match: Match, before: Position, after: Position, number: int, move: str, turn_ended: bool) -> list[Seat]:
    """Passes each shared seat whose turn was ended by a move of seat `number` to the next of its team; returns these
    seats.

    Where all choose at the same time, every turn ends when the round resolves.
    """
    if not match.teams or before.phase != "play" or after.outcome is not None:
        return []
    if len(before.public_turns) > 1:
        resolved = after.sealed_since > before.round
        moved = [seat for seat in before.public_turns if seat in after.active] if resolved else []
    else:
        moved = [number] if turn_ended and move not in LEAVES else []
    given = [match.seats[seat] for seat in moved if is_shared(match, seat)]
    for seat in given:
        give(seat, successor(seat))
    return given


def successor(seat: Seat) -> Teammate:
    """The team member whose turn comes after that of the player who has a shared seat."""
    waiting = sorted((mate for mate in seat.match.teammates if mate.number == seat.number), key=_place)
    return next((mate for mate in waiting if mate.place > seat.place), waiting[0])


def give(seat: Seat, mate: Teammate) -> None:
    """Swaps the player of a shared seat with one who waits."""
    for name in _OWN:
        mine, theirs = getattr(seat, name), getattr(mate, name)
        setattr(seat, name, theirs)
        setattr(mate, name, mine)
    seat.ahead = ""


def go_back(session: Session, match: Match, plies: Iterable[int]) -> list[Seat]:
    """Gives each shared seat back to the player who made the first of its moves at these plies, which are taken back.
    Returns these seats, without those whose player has them already."""
    if not match.teams:
        return []
    authors = select(Entry.seat, Submission.player_id).join(Submission, Submission.id == Entry.submission_id)
    authors = authors.where(Entry.match_id == match.id, Entry.ply.in_([*plies])).order_by(Entry.ply.desc())
    first = {row[0]: row[1] for row in session.execute(authors)}
    mates = [mate for mate in match.teammates if first.get(mate.number) == mate.player_id]
    for mate in mates:
        give(match.seats[mate.number], mate)
    return [match.seats[mate.number] for mate in mates]


class PartnersTurn(OutOfTurn):
    """It's the seat's turn, but another team member's."""


def check_turn(match: Match, own: Place) -> None:
    """Raises PartnersTurn for a player who shares a seat if it isn't their turn."""
    if isinstance(own, Seat):
        return
    raise PartnersTurn(
        f"It's {turn_of(match, own.number) or 'your partner'}'s turn in your team, and only they can act for it now. "
        "To write to your team only, write say to team: and your message."
    )


def may_plan(seat: Seat) -> bool:
    """Whether the player who has the seat also makes the reply to the others' next move, and so may send it as a
    conditional move."""
    return not (seat.to_move and is_shared(seat.match, seat.number))


def check_ahead(match: Match, seat: Seat, branches: Sequence[Branch]) -> None:
    """Raises Illegal for conditional moves that would be for a partner's turn."""
    if not branches or not is_shared(match, seat.number):
        return
    if not may_plan(seat):
        raise Illegal(
            "The next reply is your partner's turn. In a team, send conditional moves while the others are to move."
        )
    if any(len(branch) > 1 for branch in branches):
        raise Illegal(
            "After your reply it's your partner's turn, so in a team conditional moves can have only one reply."
        )


def turn_of(match: Match, number: int) -> str | None:
    """The name of the player whose turn it is in a shared seat; None if the seat isn't shared or names are hidden."""
    return called(match, match.seats[number])


def called(match: Match, place: Place) -> str | None:
    """The name of the player of a place in a team; None as for `turn_of`, and before an invitation is accepted."""
    shown = is_shared(match, place.number) and not press.hides_names(match) and not is_hidden(place)
    return place.player.name if place.player is not None and shown else None


def names(match: Match, number: int) -> str:
    """The names of a seat's players, a team's in turn order; "" for an open seat. An open place in a team is
    named as such."""
    if not is_shared(match, number):
        seat = match.seats[number]
        return name_of(seat) or seat.name
    known = [name_of(place) for place in match.team(number)]
    return " & ".join(name or "open" for name in known) if any(known) else ""


INVITED = "an invited player"
"""The name shown for somebody invited by address who hasn't accepted, so that nobody learns whose address it is."""


def together(names: list[str]) -> list[str]:
    """Names for one sentence, which says how many players are invited instead of naming each like the others."""
    invited = names.count(INVITED)
    return names if invited < 2 else [*(name for name in names if name != INVITED), f"{invited} invited players"]


def is_hidden(place: Place) -> bool:
    """Whether a place is for somebody who hasn't accepted, except in a rematch, where players know each other."""
    return not place.accepted and place.player is not None and not (place.match.key or "").startswith("rematch:")


def name_of(place: Place) -> str:
    """The name of the player who has a place, as far as others may know it; "" if nobody has it."""
    if place.player is None:
        return ""
    return INVITED if is_hidden(place) else place.player.name


def shared(match: Match, sides: Sequence[str]) -> list[tuple[str, str]]:
    """The sides that are shared, and the names of their players; none if names are hidden."""
    if not match.teams or press.hides_names(match):
        return []
    return [(side, names(match, number)) for number, side in enumerate(sides) if is_shared(match, number)]


def company(match: Match, sides: Sequence[str], own: int, active: Collection[int]) -> tuple[tuple[str, str, bool], ...]:
    """The other `active` sides, each with who has it and whether that's a computer opponent; none where names are
    hidden."""
    if press.hides_names(match):
        return ()
    others = [(side, seat) for side, seat in zip(sides, match.seats, strict=True) if seat.number in {*active} - {own}]
    known = ((side, names(match, seat.number), seat.player) for side, seat in others)
    return tuple((side, name, who is not None and who.bot is not None) for side, name, who in known if name)


def partners(match: Match, player_id: int) -> tuple[str, ...]:
    """The names of those who share a player's seat; none where names are hidden."""
    own = match.place_of(player_id)
    if own is None or not match.teams or press.hides_names(match):
        return ()
    return tuple(name_of(place) for place in match.team(own.number) if place is not own and place.player)


def load(session: Session, matches: Sequence[Match]) -> None:
    """Reads the present teammates of all these matches at once, if any have some.

    Code that has read a match again reads its teammates again too: a teammate read earlier could be mistaken for the
    player who has the seat by now.
    """
    found: dict[int, list[Teammate]] = {match.id: [] for match in matches if match.teams}
    if found:
        mates = select(Teammate).where(Teammate.match_id.in_(found)).execution_options(populate_existing=True)
        for mate in session.scalars(mates):
            found[mate.match_id].append(mate)
    for match in matches:
        if match.id in found:
            set_committed_value(match, "teammates", found[match.id])


def places_of(player_id: int | BindParameter[int]) -> Subquery:
    """All places of a player, without UNWANTED: match, seat, whether it is accepted, whether the match waits for the
    player to move (`to_move`), and when the seat's turn ends."""
    seat = select(Seat.match_id, Seat.number, Seat.accepted, Seat.to_move, Seat.deadline)
    turn = (false().label("to_move"), Seat.deadline)
    mate = select(Teammate.match_id, Teammate.number, Teammate.accepted, *turn)
    mate = mate.join(Seat, and_(Seat.match_id == Teammate.match_id, Seat.number == Teammate.number))
    seat, mate = seat.where(Seat.player_id == player_id), mate.where(Teammate.player_id == player_id)
    return union_all(seat.where(~UNWANTED[Seat]), mate.where(~UNWANTED[Teammate])).subquery("own")


def _unwanted(place: type[Place]) -> ColumnElement[bool]:
    hosted = aliased(Match)
    by_whom = exists().where(hosted.id == place.match_id, blocks.between(place.player_id, hosted.creator_id))
    return and_(~place.accepted, by_whom.correlate_except(hosted))


UNWANTED = {place: _unwanted(place) for place in (Seat, Teammate)}
"""Whether a place is an invitation whose host the invited player has blocked: they aren't shown it."""


def with_bots(session: Session, player_id: int) -> Sequence[int]:
    """A person and all their bots, also those deleted, found by any one of them: for limits that count them together,
    because a bot costs nothing.

    The person is locked until this transaction ends, or two requests at once would count the same and both be allowed.
    """
    person = session.get_one(Player, player_id)
    owner = person.owner_id or person.id
    session.get_one(Player, owner, with_for_update={"key_share": True})
    return session.scalars(select(Player.id).where(or_(Player.id == owner, Player.owner_id == owner))).all()


def family(match: Match, player: Player) -> list[Place]:
    """The places that a player, their owner or a bot of either has in a match."""
    owner = player.owner_id or player.id
    return [place for place in match.places if place.player and owner in (place.player.id, place.player.owner_id)]


def matches_of(
    players: Select[int] | Sequence[int] | BindParameter[int], *, accepted: bool = False
) -> CompoundSelect[int]:
    """The ids of the matches in which one of these players has a place, or with `accepted` has said so."""
    return union_all(
        *(
            select(place.match_id).where(place.player_id.in_(players), place.accepted if accepted else true())
            for place in (Seat, Teammate)
        )
    )


def _place(mate: Teammate) -> int:
    return mate.place
