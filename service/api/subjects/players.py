"""Players: who the token is for, the bots they own, profiles, ratings and leader boards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from math import isfinite
from typing import Annotated, Literal
from urllib.parse import urlencode

from msgspec import UNSET, Meta, Struct, UnsetType

from service.api import shapes
from service.api.operations import Call, once, operation
from service.api.problem_details import Refused
from service.api.shapes import Line, Row, Strict, given
from service.api.subjects.talk import refused
from service.games import GAMES
from service.play.accounts.display_names import BOT_MARK, AccountError
from service.play.accounts.programs import bot_accounts, tokens
from service.play.accounts.programs.tokens import Scope
from service.play.notify import following
from service.play.operations import statistics as game_statistics
from service.play.pages import leader_boards, match_lists, profiles
from service.play.pages.leader_boards import Shown
from service.play.talk import moderation
from service.web.current_player import site


class Me(Struct):
    """Whose token this is, what it's for, and how many matches wait for its player."""

    id: int
    name: str
    is_bot: bool
    scopes: Sequence[str]
    waiting: int
    time_zone: str


class Rating(Struct):
    """A rating in whole points. It's provisional after only a few rated matches."""

    rating: int
    deviation: int
    provisional: bool


class Rated(Struct):
    """A rating after a match, with the time the match ended."""

    ended: datetime
    rating: int
    deviation: int


class Result(Struct):
    """How a player has done in one game; `shared` are matches in which they shared the win."""

    won: int
    lost: int
    shared: int
    rating: Rating | None
    history: Sequence[Rated]


class Player(Struct):
    """A player as everybody can see them; `followed` and `blocked` are by the token's player."""

    id: int
    name: str
    is_bot: bool
    since: datetime
    results: Mapping[str, Result]
    matches: Sequence[Line]
    followed: bool
    blocked: bool
    next: str | None


class Before(Strict):
    """Only matches with a lower number."""

    before: Annotated[Row, Meta(description="Only matches with a lower number.")] = 0


class Leader(Struct):
    """A line of a leaderboard."""

    place: int
    player: int
    name: str
    is_bot: bool
    rating: Rating
    matches: int


class Leaders(Struct):
    """A page of a leaderboard, and the address of the next one."""

    leaders: Sequence[Leader]
    next: str | None


class After(Strict):
    """Where a page begins, copied from `next`."""

    floor: Annotated[float | UnsetType, Meta(description="From `next`: where the last page ended.")] = UNSET
    player: Annotated[Row, Meta(description="From `next`: the last player of that page.")] = 0
    place: Annotated[Row, Meta(description="From `next`: the place of that player.")] = 0


class Won(Struct):
    """A side's mean share of the win, and its error: twice the standard error."""

    side: str
    share: float
    error: float


class Opening(Struct):
    """A first move: how often it was played, and the mean share of the win of the side that played it."""

    move: str
    matches: int
    share: float


class Setting(Struct):
    """The matches with the same number of seats and the same options, and how many moves they took: the median and the
    quartiles. `even` is the share of matches that ended evenly for all."""

    seats: int
    options: Mapping[str, str]
    matches: int
    even: float
    middle: int
    short: int
    long: int
    sides: Sequence[Won]
    openings: Sequence[Opening]


class Statistics(Struct):
    """The most played settings of a game, computed on `day`; null if nothing has been computed yet."""

    game: str
    day: str | None
    settings: Sequence[Setting]


class NewBot(Strict):
    """A bot to create, with ` (bot)` appended to its name, and a token for it.

    `token` is the token's name: no two valid tokens can have the same one. `scopes` are among those of the requesting
    token; by default all of them except `bot`. `days` is how long it's valid, null for no limit, and no longer than the
    requesting token.
    """

    name: Annotated[str, Meta(min_length=1, max_length=60)]
    token: Annotated[str, Meta(min_length=1, max_length=60)] = "By the API"  # noqa: S105 - a name
    scopes: Annotated[list[Scope], Meta(min_length=1, max_length=8)] | None = None
    days: Literal[30, 90, 365] | None = None


class Bot(Struct):
    """A bot that the player owns. `token` is shown only in the answer that makes it."""

    id: int
    name: str
    token: str = ""


class Bots(Struct):
    """The bots that the player owns."""

    bots: Sequence[Bot]


@operation("GET", "/me", Me, tag="players", scope="read")
def me(call: Call) -> Me:
    """Whose token this is."""
    player, waiting = call.player, match_lists.needing(site(), call.player.id)
    assert call.holder is not None, "It has a scope."
    scopes = [scope for scope in tokens.SCOPES if scope in call.holder.scopes]
    return Me(player.id, player.name, player.is_bot, scopes, waiting, player.zone or "UTC")


@operation("GET", "/players/<number:player_id>", Player, tag="players", query=Before)
def player(call: Call, player_id: int) -> Player:
    """A player's results, and their matches that everybody can see, the latest first."""
    found = profiles.profile(site(), player_id, call.viewer_id, profiles.Page(before=call.query.before))
    if found is None:
        raise Refused(404, "not-found", f"There's no player {player_id}.")
    earlier, own = found.matches.earlier, call.viewer_id
    return Player(
        id=found.id,
        name=found.name,
        is_bot=found.bot is not None or found.name.endswith(BOT_MARK),
        since=found.since,
        results={one.game: _result(one) for one in found.results},
        matches=[shapes.line(one) for one in found.matches.lines],
        followed=own is not None and following.follows_player(site(), own, player_id),
        blocked=own is not None and moderation.is_blocked(site(), own, player_id),
        next=None if earlier is None else f"/api/v1/players/{player_id}?before={earlier.before}",
    )


@operation("GET", "/ratings/<game>", Leaders, tag="players", query=After)
def ratings(call: Call, game: str) -> Leaders:
    """The leaderboard of a game, 50 players on a page."""
    if game not in GAMES:
        raise _no_game(game)
    asked: After = call.query
    floor = given(asked.floor)
    if floor is not None and not isfinite(floor):
        raise Refused(422, "malformed", "The parameter floor isn't from the field next.", field="floor")
    after = None if floor is None else (floor, asked.player, asked.place)
    board = leader_boards.leaders(site(), game, after)
    following = None
    if board.after is not None:
        edge = zip(("floor", "player", "place"), board.after, strict=True)
        following = f"/api/v1/ratings/{game}?{urlencode([*edge])}"
    return Leaders(
        [
            Leader(
                *(one.place, one.player_id, one.name, one.bot or one.name.endswith(BOT_MARK)),
                Rating(*one.shown),
                one.matches,
            )
            for one in board.leaders
        ],
        following,
    )


@operation("GET", "/bots", Bots, tag="players", scope="bot")
def bots(call: Call) -> Bots:
    """The bots that the player owns."""
    return Bots([Bot(one.id, one.name) for one in bot_accounts.of(site(), call.player.id)])


@operation(
    "POST",
    "/bots",
    Bot,
    tag="players",
    scope="bot",
    body=NewBot,
    status=201,
    headers={"Idempotency-Key": "Send the same key when you repeat a request: it makes only one token."},
    limit="20 per hour",
)
def make_bot(call: Call) -> Bot:
    """Makes a bot account that the player owns, and a token for it. If the player already owns a bot with this name,
    this makes another token for it."""
    new, holder, key = call.body, call.holder, once(call)
    assert holder is not None, "It has a scope."
    wanted = [scope for scope in tokens.OF_BOTS if scope in holder.scopes] if new.scopes is None else new.scopes
    if not wanted or not holder.scopes.issuperset(wanted):
        own = ", ".join(scope for scope in tokens.SCOPES if scope in holder.scopes)
        detail = f"A token can give a bot no more than it has itself: {own}."
        raise Refused(422, "refused", detail, field="scopes")
    try:
        with site().transaction() as tx:
            made = bot_accounts.make(tx, call.player.id, new.name)
            token, _ = tokens.make(tx, made.id, new.token, wanted, new.days, key, until=holder.expires, is_only=True)
    except AccountError as error:
        raise refused(error) from error
    return Bot(made.id, made.name, token)


@operation("GET", "/statistics/<game>", Statistics, tag="players")
def statistics(_call: Call, game: str) -> Statistics:
    """Statistics from the finished matches of a game, computed once a day."""
    if game not in GAMES:
        raise _no_game(game)
    found = game_statistics.of(site(), game)
    return Statistics(game, found.day or None, [_setting(one) for one in found.settings])


def _setting(line: game_statistics.SettingLine) -> Setting:
    return Setting(
        *(line.seats, dict(line.options), line.matches, line.even, line.middle, line.short, line.long),
        sides=[Won(one.side, one.share, one.error) for one in line.sides],
        openings=[Opening(one.move, one.matches, one.share) for one in line.openings],
    )


def _no_game(game: str) -> Refused:
    return Refused(404, "not-found", f"There's no game called {game[:40]} here.")


def _result(found: profiles.Result) -> Result:
    history = [Rated(one.ended, round(one.rating), round(one.deviation)) for one in found.history]
    return Result(found.won, found.lost, found.shared, _rating(found.rating), history)


def _rating(shown: Shown | None) -> Rating | None:
    return None if shown is None else Rating(*shown)
