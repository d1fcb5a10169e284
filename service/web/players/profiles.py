"""Profiles of players, and the list of all matches with its filters."""

from __future__ import annotations

from math import isfinite

from flask import Blueprint, abort, flash, redirect, render_template, request, url_for
from markupsafe import Markup

from service.clock.control import Control
from service.games import GAMES
from service.play.match import invitations, rematch
from service.play.notify import following
from service.play.operations import statistics as game_statistics
from service.play.pages import leader_boards, profiles
from service.play.talk import moderation
from service.render import rating_graph
from service.web import idempotency
from service.web.current_player import Answer, Player, signed_in, site, visitor_id
from service.web.security import limiter, row_number

pages = Blueprint("people", __name__)


@pages.get("/player/<int:player_id>")
def player(player_id: int) -> str:
    """A player's results and matches, and a report about them that was refused."""
    shown = profiles.profile(site(), player_id, visitor_id(), _page()) or abort(404)
    own = visitor_id()
    blocked = own is not None and moderation.is_blocked(site(), own, player_id)
    graphs = [
        (result, Markup(rating_graph.svg(result.history, f"Rating at {result.title}")))  # noqa: S704 - drawn by us
        for result in shown.results
        if len(result.history) > 1
    ]
    wanted = rematch.settings(site(), own, player_id) if own not in (None, player_id) else None
    game = GAMES[wanted.game] if wanted else None
    return render_template(
        "players/player.html",
        player=shown,
        graphs=graphs,
        blocked=blocked,
        follows=own is not None and following.follows_player(site(), own, player_id),
        game=game,
        wanted=wanted,
        usual={option.name: option.default for option in game.options} if game else {},
        clock=Control.parse(wanted.clock) if wanted else None,
        now=site().now(),
    )


@pages.get("/history")
@signed_in
def history(player: Player) -> Answer:
    """The player's finished matches, of one game or all."""
    game = request.args.get("game", "")
    found = profiles.history(site(), player.id, game if game in GAMES else "", _page())
    return render_template("players/history.html", found=found, game=game, games=GAMES.values(), now=site().now())


@pages.post("/player/<int:player_id>/play")
@limiter.limit("30 per hour")
@signed_in
def play(player: Player, player_id: int) -> Answer:
    """Opens a match with this player, with the settings of the last one."""
    try:
        match_id = rematch.invite(site(), player.id, player_id, f"web:{player.id}:{idempotency.key()}")
    except invitations.LobbyError as error:
        flash(str(error))
        return redirect(url_for("people.player", player_id=player_id), 303)
    return redirect(url_for("match.show", match_id=match_id), 303)


@pages.get("/ratings")
@pages.get("/ratings/<game>")
def ratings(game: str = "") -> str:
    """The leader board of a game, or of the first one."""
    known = GAMES.get(game or next(iter(GAMES))) or abort(404)
    return render_template(
        "players/ratings.html",
        game=known,
        games=GAMES.values(),
        board=leader_boards.leaders(site(), known.name, _after()),
    )


@pages.get("/statistics")
@pages.get("/statistics/<game>")
def statistics(game: str = "") -> str:
    """Statistics of a game's finished matches, by default the first game's."""
    known = GAMES.get(game or next(iter(GAMES))) or abort(404)
    return render_template(
        "players/statistics.html",
        game=known,
        games=GAMES.values(),
        statistics=game_statistics.of(site(), known.name),
    )


@pages.get("/matches")
def matches() -> str:
    """The matches everybody may see, by player, game and state."""
    asked = request.args
    wanted = profiles.Search(asked.get("player", ""), asked.get("game", ""), asked.get("state", ""), _page())
    return render_template(
        "players/matches.html",
        wanted=wanted,
        found=profiles.search(site(), wanted, visitor_id()),
        games=GAMES.values(),
        longest=profiles.LONGEST_QUESTION,
        named=profiles.NAMED,
        now=site().now(),
    )


def _after() -> tuple[float, int, int] | None:
    """Where the wanted page of a leader board begins."""
    asked = request.args
    floor = asked.get("floor", type=float)
    player_id, place = asked.get("player", type=row_number), asked.get("place", type=row_number)
    if floor is None or not isfinite(floor) or player_id is None or place is None:
        return None
    return floor, player_id, place


def _page() -> profiles.Page:
    return profiles.Page(*(request.args.get(edge, 0, type=row_number) for edge in profiles.Page._fields))
