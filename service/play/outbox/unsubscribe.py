"""Stopping emails by the link in each of them."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from sqlalchemy.orm import Session

from service.games import GAMES
from service.mail import redact
from service.play.links import GAZETTE, NOTICES, Link, LinkError, Stoppable
from service.play.notify import preferences
from service.play.site import Site, Transaction
from service.store.models import Match, Place, Player


class StopError(ValueError):
    """A link that stops nothing. The message is one sentence for the person who opened it."""


class NotTheReader(StopError):
    """Somebody has a link and doesn't know whose emails it stops."""


@dataclass(frozen=True, slots=True)
class Stopped:
    """What a link can stop: emails about a match, by its title ("" if it isn't about one), and all emails.

    `notices` are the titles of the games that the player wants notices about, and `gazette` says whether they want it;
    each is None if the link is about other emails. `here` is the choice for the match, one of `preferences.HERE`.
    `reader` is the address with most of it left out.
    """

    match: str
    here: str
    all_stopped: bool
    player: int
    reader: str
    notices: tuple[str, ...] | None = None
    gazette: bool | None = None


def state(site: Site, token: str) -> Stopped:
    """The current state; raises StopError."""
    with site.store.reading() as session:
        seat, player, about, _ = _meant(site, session, token)
        match = seat and seat.match
        title = f"{GAMES[match.game].title} {match.id}" if match else ""
        reader, here = redact.redacted(player.email or ""), "" if seat is None else seat.post
        chosen = tuple(GAMES[game].title for game in preferences.notices(session, player.id))
        notices = chosen if about == NOTICES else None
        gazette = player.gazette is not None if about == GAZETTE else None
        return Stopped(title, here, player.post == "off", player.id, reader, notices, gazette)


def stop_at_once(site: Site, token: str) -> None:
    """One-click unsubscribe by a mail program (RFC 8058); raises StopError for a link from the text of an email."""
    with site.transaction() as tx:
        seat, player, about, at_once = _meant(site, tx.session, token)
        if not at_once:
            raise StopError("This link asks for confirmation first. Open it in a browser. Nothing was changed.")
        if isinstance(about, str):
            _stop_kind(tx, player, about)
        elif seat is None:
            preferences.choose(tx, player, "off")
        else:
            seat.post = "off"


def stop(
    site: Site,
    token: str,
    by: int | None,
    given: str = "",
    everything: bool = False,
    again: bool = False,
    reminders: bool = False,
) -> None:
    """Stops emails about the match, or all emails; with `again`, lets them come again. Raises StopError.

    Only their reader can do it: `by` is the player who is signed in; anybody else must give the reader's address as
    `given`. With `reminders`, reminders still come for the match. Without, they don't: a player who unsubscribes gets
    nothing more.
    """
    with site.transaction() as tx:
        seat, player, about, _ = _meant(site, tx.session, token)
        if by != player.id and given.strip().lower() != (player.email or "").lower():
            raise NotTheReader("These emails go to another address. Type the one they come to. Nothing was changed.")
        if isinstance(about, str) and not everything:
            _stop_kind(tx, player, about)
        elif everything or seat is None:
            if not again or player.post == "off":
                preferences.choose(tx, player, "instant" if again else "off")
        elif not again:
            seat.post = "mute" if reminders else "off"
        elif (seat.post or player.post) in ("mute", "off"):
            seat.post = "instant" if player.post == "off" else ""


def _stop_kind(tx: Transaction, player: Player, about: Stoppable) -> None:
    """Stops the notices, or the gazette."""
    if about == NOTICES:
        preferences.choose_notices(tx, player.id, ())
    else:
        preferences.choose_gazette(tx, player, wanted=False)


def _meant(site: Site, session: Session, token: str) -> tuple[Place | None, Player, Stoppable, bool]:
    """The place, the player, what emails the link is about, and whether it is one for mail programs."""
    (player_id, about), at_once = _read(site, token)
    match = session.get(Match, about, with_for_update=True) if about and isinstance(about, int) else None
    seat = match.place_of(player_id) if match else None
    player = session.get(Player, player_id)
    if player is None or (about and isinstance(about, int) and seat is None):
        raise StopError("You no longer have a seat in this match, so there are no emails about it to stop.")
    return seat, player, about, at_once


def _read(site: Site, token: str) -> tuple[tuple[int, Stoppable], bool]:
    """The player and the emails that a link is for, and whether it is one for mail programs; raises StopError."""
    for kind in (Link.STOP_PAGE, Link.STOP_AT_ONCE):
        with suppress(LinkError):
            player_id, about = kind.read(site, token)
            return (player_id, about), kind == Link.STOP_AT_ONCE
    raise StopError("This link is incomplete. Copy all of it from the email.")
