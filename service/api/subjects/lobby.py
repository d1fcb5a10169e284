"""How matches begin: opened, joined and answered; and the standing wish for opponents."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Annotated, TypeVar

from msgspec import Meta, Struct
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response

from service.api import reading
from service.api.operations import Call, holder, once, operation
from service.api.problem_details import Refused
from service.api.shapes import Done, Line, Strict
from service.api.subjects.matches import shown
from service.api.subjects.talk import check_match, refused
from service.bots.roster import OPPONENTS
from service.games import GAMES
from service.play.accounts.display_names import AccountError
from service.play.company import pairing, wish_text, wishes
from service.play.company.wish_text import WishError
from service.play.match import invitations, lobby, proposal, rematch, substitutes
from service.play.match.invitations import LobbyError
from service.play.match.proposal import ProposalError
from service.play.notify import preferences
from service.web.current_player import site
from service.web.security import limiter, requester


class Option(Struct):
    """A setting of a game. `choices` are the usual values; some options allow others too."""

    name: str
    default: str
    choices: Sequence[str]
    summary: str


class Game(Struct):
    """A game that can be played here; `orders` are examples of how its orders are written, with what each does."""

    name: str
    title: str
    summary: str
    seats: Sequence[int]
    options: Sequence[Option]
    orders: Mapping[str, str]
    opponents: Sequence[str]
    rules: str


class Games(Struct):
    """All games."""

    games: Sequence[Game]


class NewMatch(Strict):
    """A match to open, in the words of the email command `new`: `lotus vs open`, `go size=9 clock=3d/move vs bot`."""

    new: Annotated[str, Meta(min_length=1, max_length=2_000)]


class Joining(Strict):
    """Which side, by its number; the first open one by default."""

    side: Annotated[int, Meta(ge=0, le=15)] | None = None


class Answer(Strict):
    """Whether the invitation is accepted."""

    accept: bool


class NewWish(Strict):
    """What the player is looking for, in the words of the email command `wish`: `lotus, go 1d-7d up to 3`."""

    wish: Annotated[str, Meta(min_length=1, max_length=500)]


class Wish(Struct):
    """The player's standing wish; "" if there is none. It's paused after a long absence."""

    wish: str
    since: datetime | None = None
    rests: bool = False
    matches: Sequence[int] = ()


class SeatOffer(Strict):
    """Who is offered the seat: `anybody`, an email address, or "" to withdraw the offer."""

    to: Annotated[str, Meta(max_length=320)]


class Notices(Strict):
    """Names of games."""

    games: Annotated[list[str], Meta(max_length=100)]


class Seekers(Struct):
    """How many people are looking for each game, by its name."""

    seekers: Mapping[str, int]


@operation("GET", "/games", Games, tag="lobby")
def games(_call: Call) -> Games:
    """The games that can be played here, with their options and how their orders are written."""
    return Games(
        [
            Game(
                name=game.name,
                title=game.title,
                summary=game.summary,
                seats=[game.min_seats, game.max_seats],
                options=[Option(one.name, one.default, one.choices, one.summary) for one in game.options],
                orders={word.usage: word.summary for word in game.words},
                opponents=[one.name for one in OPPONENTS[game.name]],
                rules=f"{site().settings.public_url}/rules/{game.name}",
            )
            for game in GAMES.values()
        ]
    )


_Given = TypeVar("_Given", bound=Strict)
_View = Callable[..., Response]


def _inviting(body: type[_Given], addresses: Callable[[_Given], int]) -> Callable[[_View], _View]:
    """The limit on invitations, which is shared with the web. `addresses` returns how many people a request invites by
    address, given its body."""

    def invited() -> int:
        try:
            known = holder()
            given = reading.body(body) if known is not None and "lobby" in known.scopes else None
            return 0 if given is None else addresses(given)
        except (Refused, ProposalError, HTTPException):
            # The operation will refuse it, so it invites nobody. An error here would count as the counter's.
            return 0

    return limiter.shared_limit(
        "30 per hour; 100 per day", "invitations", key_func=requester, cost=invited, exempt_when=lambda: not invited()
    )


@operation(
    "POST",
    "/matches",
    Line,
    tag="lobby",
    scope="lobby",
    body=NewMatch,
    status=201,
    headers={"Idempotency-Key": "Send the same key when you repeat a request: it opens only one match."},
    limit="120 per hour",
    also_limited=_inviting(NewMatch, lambda given: proposal.read(given.new).addresses),
)
def open_match(call: Call) -> Line:
    """Opens a match, in the words of the email command `new`. `vs bot` begins immediately, `vs open` waits for
    somebody."""
    try:
        wanted = proposal.read(call.body.new)
        number = lobby.open_match(
            site(),
            call.player.id,
            wanted.game,
            wanted.options,
            wanted.chairs,
            wanted.clock,
            wanted.talk,
            once(call),
            wanted.substitutes,
            rated=wanted.rated,
        )
    except (ProposalError, LobbyError) as error:
        raise refused(error) from error
    return shown(call, number)


@operation(
    "POST", "/matches/<number:match_id>/join", Line, tag="lobby", scope="lobby", body=Joining, limit="60 per hour"
)
def join(call: Call, match_id: int) -> Line:
    """Takes an open seat. In a match that is being played, it takes a seat that its player has offered."""
    check_match(match_id)
    try:
        substitutes.join(site(), match_id, call.player.id, call.body.side)
    except LobbyError as error:
        raise refused(error) from error
    return shown(call, match_id)


@operation("POST", "/matches/<number:match_id>/answer", Line, tag="lobby", scope="lobby", body=Answer)
def answer(call: Call, match_id: int) -> Line:
    """Accepts or declines an invitation."""
    check_match(match_id)
    try:
        invitations.answer(site(), match_id, call.player.id, call.body.accept)
    except LobbyError as error:
        raise refused(error) from error
    return shown(call, match_id)


@operation("POST", "/matches/<number:match_id>/withdraw", Line, tag="lobby", scope="lobby")
def withdraw(call: Call, match_id: int) -> Line:
    """Withdraws a match that the player has opened and that hasn't begun."""
    check_match(match_id)
    try:
        invitations.withdraw(site(), match_id, call.player.id)
    except LobbyError as error:
        raise refused(error) from error
    return shown(call, match_id)


@operation(
    *("POST", "/matches/<number:match_id>/seat", Line),
    tag="lobby",
    scope="lobby",
    body=SeatOffer,
    limit="30 per hour",
    also_limited=_inviting(SeatOffer, lambda given: given.to.count("@")),
)
def offer_seat(call: Call, match_id: int) -> Line:
    """Offers the player's own seat to a substitute, in a match that is being played."""
    check_match(match_id)
    try:
        substitutes.offer(site(), match_id, call.player.id, call.body.to.strip())
    except (LobbyError, AccountError) as error:
        raise refused(error) from error
    return shown(call, match_id)


@operation(
    *("POST", "/players/<number:player_id>/matches", Line),
    tag="lobby",
    scope="lobby",
    status=201,
    headers={"Idempotency-Key": "Send the same key when you repeat a request: it opens only one match."},
    limit="30 per hour",
)
def invite_player(call: Call, player_id: int) -> Line:
    """Invites a player, with the settings of their last match together, or else of the player's own last match."""
    try:
        number = rematch.invite(site(), call.player.id, player_id, once(call))
    except LobbyError as error:
        raise refused(error) from error
    return shown(call, number)


@operation("GET", "/wish", Wish, tag="lobby", scope="read")
def wish(call: Call) -> Wish:
    """What opponents the player is looking for."""
    found = wishes.shown(site(), call.player.id)
    if found is None:
        return Wish("")
    return Wish(wish_text.write(found.wanted), found.since, found.rests, [number for number, _ in found.matches])


@operation("PUT", "/wish", Done, tag="lobby", scope="lobby", body=NewWish, limit="60 per hour")
def make_wish(call: Call) -> Done:
    """Looks for opponents, replacing what the player looked for before."""
    try:
        wishes.make(site(), call.player.id, wish_text.read(call.body.wish))
    except (WishError, AccountError) as error:
        raise refused(error) from error
    return Done("/api/v1/wish")


@operation("DELETE", "/wish", Done, tag="lobby", scope="lobby")
def end_wish(call: Call) -> Done:
    """Stops looking for opponents. Matches that have begun go on."""
    wishes.end(site(), call.player.id)
    return Done("/api/v1/wish")


@operation(
    *("POST", "/wishes/<game>/meet", Line),
    tag="lobby",
    scope="lobby",
    status=201,
    headers={"Idempotency-Key": "Send the same key when you repeat a request: it begins only one match."},
    limit="30 per hour",
)
def meet(call: Call, game: str) -> Line:
    """Begins a match with the player who has been looking for this game the longest."""
    if game not in GAMES:
        raise Refused(404, "not-found", f"There's no game called {game[:40]} here.")
    try:
        number = pairing.meet(site(), call.player.id, game, once(call))
    except LobbyError as error:
        raise refused(error) from error
    return shown(call, number)


@operation("GET", "/notices", Notices, tag="lobby", scope="read")
def notices(call: Call) -> Notices:
    """The games for which the player gets an email when somebody is looking for opponents."""
    return Notices([*preferences.notices_of(site(), call.player.id)])


@operation("PUT", "/notices", Notices, tag="lobby", scope="lobby", body=Notices)
def choose_notices(call: Call) -> Notices:
    """Chooses the games for which the player gets such emails, at most one a day."""
    wanted: Notices = call.body
    if unknown := next((one for one in wanted.games if one not in GAMES), None):
        raise Refused(422, "refused", f"There's no game called {unknown[:40]} here.", field="games")
    preferences.choose_notices(site(), call.player.id, wanted.games)
    return Notices([*preferences.notices_of(site(), call.player.id)])


@operation("GET", "/wishes", Seekers, tag="lobby")
def seekers(_call: Call) -> Seekers:
    """How many people are looking for an opponent, by game: the same for everybody, with or without a token."""
    return Seekers({one.game: one.people for one in wishes.seekers(site(), None)})
