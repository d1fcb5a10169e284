"""The operators' pages: players, matches, waiting orders, reports, announcements, and the log of what operators did.

They open with a passkey that somebody on the server has confirmed. Others can't open the pages.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import wraps
from typing import Concatenate, ParamSpec

from flask import Blueprint, abort, flash, jsonify, redirect, render_template, request, session, url_for
from werkzeug.wrappers import Response

from service.play import audit
from service.play.accounts import passkeys
from service.play.accounts.passkeys import PasskeyError
from service.play.operations import announcements, failed_letters, operator_acts, operator_pages
from service.play.operations.announcements import AnnouncementError
from service.play.operations.health import TROUBLES, examine
from service.play.operations.operator_acts import ActError
from service.play.ratings import honesty, recompute
from service.play.talk import moderation
from service.web import passkey_challenges
from service.web.current_player import Answer, Player, is_operator, may_operate, signed_in, site
from service.web.form_errors import refuse
from service.web.security import limiter, row_number

P = ParamSpec("P")

pages = Blueprint("operators", __name__, url_prefix="/operator")

BANS = {"7": 7, "30": 30, "365": 365, "": None}
"""The days of a ban, as its form has them; None until it's lifted."""


def operating(view: Callable[Concatenate[Player, P], Answer]) -> Callable[P, Answer]:
    """A view for operators who have opened these pages on this browser. Other operators are asked to open them."""

    @wraps(view)
    def guarded(player: Player, /, *args: P.args, **kwargs: P.kwargs) -> Answer:
        if not may_operate(player):
            abort(404)
        if is_operator(player):
            return view(player, *args, **kwargs)
        return redirect(url_for("operators.locked"), 303)

    return signed_in(guarded)


@pages.get("/open")
@signed_in
def locked(player: Player) -> Answer:
    """Where an operator opens these pages with a passkey."""
    if not may_operate(player):
        abort(404)
    return render_template("operators/locked.html", passkeys=passkeys.of(site(), player.id))


@pages.post("/open/options")
@limiter.limit("60 per hour")
@signed_in
def ask_passkey(player: Player) -> Answer:
    """The options for the page's script to ask the device with."""
    if not may_operate(player):
        abort(404)
    return passkey_challenges.options(lambda given: passkeys.sign_in_options(site(), given, verified=True))


@pages.post("/open")
@limiter.limit("40 per hour")
@signed_in
def unlock(player: Player) -> Answer:
    """Opens these pages with the device's answer, and returns where the page's script should go."""
    if not may_operate(player):
        abort(404)
    answer, challenge = request.form.get("answer", ""), passkey_challenges.taken()
    try:
        passkeys.open_operators_pages(site(), session["visit"], answer, challenge)
    except PasskeyError as error:
        return passkey_challenges.told(error)
    return jsonify(to=url_for("operators.overview"))


@pages.get("")
@operating
def overview(_player: Player) -> Answer:
    """How the site is, and where to look."""
    return _overview()


def _overview() -> str:
    health = examine(site())
    return render_template(
        "operators/overview.html",
        health=health,
        trouble=TROUBLES[health.trouble],
        announced=announcements.current(site()),
        reports=moderation.open_reports(site()),
    )


@pages.get("/find")
@operating
def find(_player: Player) -> Answer:
    """Redirects to the player or match that was searched for."""
    text = request.args.get("player", "").strip()
    if text and (player_id := operator_pages.found(site(), text)) is not None:
        return redirect(url_for("operators.player", player_id=player_id), 303)
    match_id = request.args.get("match", 0, type=row_number)
    if match_id and operator_pages.match(site(), match_id) is not None:
        return redirect(url_for("operators.match", match_id=match_id), 303)
    if "match" in request.args:
        refuse("There's no such match.", "match")
    else:
        refuse("There's no player with this name, number or email address.", "find")
    return _overview(), 404


@pages.get("/player/<int:player_id>")
@operating
def player(_player: Player, player_id: int) -> Answer:
    """One player, with the reports about them and what operators did."""
    return _player_page(player_id)


def _player_page(player_id: int) -> str:
    found = operator_pages.player(site(), player_id)
    if found is None:
        abort(404)
    return render_template(
        "operators/player.html",
        player=found,
        reports=moderation.reports(site(), about=player_id),
        lines=audit.lines(site(), about="player", about_id=player_id),
    )


@pages.post("/player/<int:player_id>")
@operating
def act(operator: Player, player_id: int) -> Answer:
    """Bans a player or lifts the ban, signs them out, or replaces their name."""
    what, reason = request.form.get("act", ""), request.form.get("reason", "")
    days = request.form.get("days", "missing")  # "" would be a ban until it's lifted.
    if what == "ban" and days not in BANS:
        refuse("Choose how long the ban lasts.", "ban-days")
        return _player_page(player_id), 422
    try:
        if what == "ban":
            operator_acts.ban(site(), operator.id, player_id, reason, BANS[days])
        elif what == "lift":
            operator_acts.lift(site(), operator.id, player_id)
        elif what == "sign-out":
            operator_acts.sign_out(site(), operator.id, player_id)
        elif what == "rename":
            operator_acts.rename(site(), operator.id, player_id, reason)
        else:
            abort(400)
    except ActError as error:
        refuse(error, what)
        return _player_page(player_id), 422
    return _done(what, url_for("operators.player", player_id=player_id))


@pages.get("/match/<int:match_id>")
@operating
def match(_player: Player, match_id: int) -> Answer:
    """One match, with the orders and letters that wait in it."""
    found = operator_pages.match(site(), match_id)
    if found is None:
        abort(404)
    lines = audit.lines(site(), about="match", about_id=match_id)
    return render_template("operators/match.html", match=found, lines=lines)


@pages.post("/match/<int:match_id>")
@operating
def act_on_match(operator: Player, match_id: int) -> Answer:
    """Has waiting orders judged now, or annuls a match that is over."""
    what = request.form.get("act", "")
    if what == "judge":
        site().nudge("judge", match_id)
    elif what != "annul" or not recompute.annul(site(), match_id, operator.id, request.form.get("reason", "")[:400]):
        abort(400)
    return _done(what, url_for("operators.match", match_id=match_id))


@pages.get("/orders")
@operating
def orders(_player: Player) -> Answer:
    """The orders that wait to be judged."""
    return render_template("operators/orders.html", orders=operator_pages.orders(site()), listed=operator_pages.LISTED)


@pages.get("/reports")
@operating
def reports(_player: Player) -> Answer:
    """What players report about others, the latest first."""
    before = request.args.get("before", 0, type=row_number) or 0
    found = moderation.reports(site(), before)
    return render_template("operators/reports.html", reports=found, listed=moderation.LISTED)


@pages.post("/reports")
@operating
def close_report(operator: Player) -> Answer:
    """Notes that a report has been dealt with."""
    moderation.close_report(site(), operator.id, request.form.get("report", 0, type=row_number) or 0)
    return _done("close", url_for("operators.reports"))


@pages.get("/pairs")
@operating
def pairs(_player: Player) -> Answer:
    """Pairs of players whose results chance doesn't explain, and accounts of one event that share an address."""
    found = {"pairs": honesty.listed(site()), "neighbours": honesty.neighbours(site())}
    return render_template("operators/pairs.html", **found)


@pages.post("/announcement")
@operating
def announce(operator: Player) -> Answer:
    """Shows a text at the top of every page, or removes it."""
    hours = request.form.get("hours", 0, type=row_number) or 0
    try:
        announcements.announce(site(), operator.id, request.form.get("text", ""), timedelta(hours=min(hours, 10_000)))
    except AnnouncementError as error:
        refuse(error, "announcement")
        return _overview(), 422
    return _done("announce" if request.form.get("text", "").strip() else "withdraw", url_for("operators.overview"))


@pages.get("/log")
@operating
def log(_player: Player) -> Answer:
    """What operators did, the latest first."""
    lines = audit.lines(site(), request.args.get("before", 0, type=row_number) or 0)
    return render_template("operators/log.html", lines=lines, listed=audit.LISTED)


@pages.get("/letters")
@operating
def letters(_player: Player) -> Answer:
    """The letters that were given up, the latest first."""
    return render_template(
        "operators/letters.html", letters=failed_letters.letters(site()), listed=failed_letters.LISTED
    )


@pages.post("/letters")
@operating
def decide(operator: Player) -> Answer:
    """Tries one letter or all again, or drops one."""
    only = request.form.getlist("letter", type=row_number)
    if request.form.get("act") == "drop":
        count = failed_letters.drop(site(), only, operator.id)
    else:
        count = failed_letters.again(site(), only, operator.id) if only or "all" in request.form else 0
    flash(render_template("operators/decided.txt", act=request.form.get("act"), count=count).strip())
    return redirect(url_for("operators.letters"), 303)


def _done(what: str, page: str) -> Response:
    flash(render_template("operators/done.txt", what=what).strip())
    return redirect(page, 303)
