"""Notices for a club's addresses (`CLUB_NOTICES`): open seats, wishes and results, each once. Like all letters these
belong to a player, but they go to the club's address. They say nothing of anonymous matches, even once they are over,
of guests' matches, or of results without two people."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from service.mail.reply_address import mark
from service.play.company_letters import ClubNotice
from service.play.letter_contents import readable
from service.play.notify.announce import owe
from service.play.site import Transaction
from service.play.table import press, teams
from service.store.models import Match, Place
from service.store.tables.company import WishGame
from service.store.tables.mail_rows import Letter

PATIENCE = timedelta(minutes=5)
"""How long a seat or a wish waits before the club hears of it: most wishes meet another one sooner."""


def tell_of_seat(tx: Transaction, match: Match) -> None:
    """Owes the club a notice of an open seat."""
    if match.creator_id is not None and not _is_private(match) and _is_open(match):
        who = " and ".join(sorted({teams.names(match, place.number) for place in match.places if place.accepted}))
        notice = {"games": (match.game,), "about": match.id, "who": who, "clock": match.clock}
        _tell(tx, f"seat:{match.id}", match.creator_id, PATIENCE, what="seat", **notice)


def tell_of_wish(tx: Transaction, player_id: int, games: tuple[str, ...]) -> None:
    """Owes the club a notice of a wish, at most one a day for each player."""
    _tell(tx, f"wish:{player_id}:{tx.now:%Y-%m-%d}", player_id, PATIENCE, what="wish", games=games)


def tell_of_result(tx: Transaction, match: Match) -> None:
    """Owes the club a notice of the result of a match that has just ended."""
    people = [place.player for place in match.places if place.player is not None and place.player.bot is None]
    if len(people) < 2 or _is_private(match) or match.state != "over":
        return
    won = [place for place in match.seats if place.score not in (None, "0")]
    lost = [place for place in match.seats if place not in won]
    notice = {"about": match.id, "winners": _names(match, won), "losers": _names(match, lost)}
    _tell(tx, f"result:{match.id}", people[0].id, timedelta(), what="result", games=(match.game,), **notice)


def _names(match: Match, places: Sequence[Place]) -> tuple[str, ...]:
    return tuple(teams.names(match, place.number) for place in places)


def _is_private(match: Match) -> bool:
    return match.practice or match.importer_id is not None or bool(press.of(match).names)


def _is_open(match: Match) -> bool:
    return match.state == "open" and any(place.player is None and place.player_id is None for place in match.places)


def _tell(tx: Transaction, key: str, player_id: int, after: timedelta, **notice: object) -> None:
    for address in tx.site.settings.club_notices:
        contents = ClubNotice(to=mark(address), **notice)  # type: ignore[arg-type]
        letter = owe(tx, f"club:{key}:{contents.to}", player_id, contents)
        if letter is not None and after:
            letter.due = tx.now + after
            tx.drop_nudge("deliver", letter.id)


def is_past(tx: Transaction, letter: Letter) -> bool:
    """Whether a letter to the club is obsolete: the seat is taken, nobody is looking for the game any more, or the
    address is no longer the club's."""
    contents = readable(letter)
    if not isinstance(contents, ClubNotice):
        return False
    if contents.to not in map(mark, tx.site.settings.club_notices):
        return True
    if contents.what == "result":
        return False
    if contents.what == "wish":
        return all(tx.session.get(WishGame, (game, letter.player_id)) is None for game in contents.games)
    match = tx.session.get(Match, contents.about)
    return match is None or not _is_open(match)
