"""The page about programs that act for a player: their tokens, and the bots that the player owns."""

from __future__ import annotations

from flask import Blueprint, abort, redirect, render_template, request, url_for

from service.play.accounts.display_names import AccountError
from service.play.accounts.programs import bot_accounts, tokens
from service.web import idempotency
from service.web.current_player import Answer, Player, signed_in, site
from service.web.form_errors import refuse
from service.web.security import limiter, row_number

pages = Blueprint("programs", __name__, url_prefix="/account/programs")


@pages.get("")
@signed_in
def show(player: Player) -> str:
    """The player's tokens and bots, and forms for new ones."""
    return _page(player)


@pages.post("")
@limiter.limit("20 per hour")
@signed_in
def make_token(player: Player) -> Answer:
    """Makes a token and shows it, this once."""
    form = request.form
    try:
        holder = bot_accounts.holder(site(), player, form.get("holder", 0, type=row_number))
        token, _ = tokens.make(
            site(),
            holder.id,
            form.get("name", ""),
            form.getlist("scope"),
            form.get("days", type=row_number) or None,
            idempotency.key(),
        )
    except tokens.TokenError as error:
        refuse(error, error.field)
        return _page(player), 422
    except AccountError as error:
        refuse(error)
        return _page(player), 422
    return _page(player, token, holder.name)


@pages.post("/revoke")
@signed_in
def revoke(player: Player) -> Answer:
    """Revokes a token immediately."""
    tokens.revoke(site(), player.id, request.form.get("token", ""))
    return redirect(url_for("programs.show"), 303)


@pages.post("/bots")
@limiter.limit("10 per hour")
@signed_in
def make_bot(player: Player) -> Answer:
    """Makes a bot account."""
    try:
        bot_accounts.make(site(), player.id, request.form.get("bot", ""))
    except AccountError as error:
        refuse(error, "bot")
        return _page(player), 422
    return redirect(url_for("programs.show"), 303)


@pages.get("/bots/<int:bot_id>/delete")
@signed_in
def deletable(player: Player, bot_id: int) -> str:
    """Asks for confirmation before a bot is deleted."""
    bot = bot_accounts.owned(site(), player.id, bot_id) or abort(404)
    return render_template("account/bot.html", bot=bot)


@pages.post("/bots/<int:bot_id>/delete")
@signed_in
def delete_bot(player: Player, bot_id: int) -> Answer:
    """Deletes a bot. Repeating it changes nothing."""
    bot_accounts.end(site(), player.id, bot_id)
    return redirect(url_for("programs.show"), 303)


def _page(player: Player, token: str = "", holder: str = "") -> str:
    bots = bot_accounts.of(site(), player.id)
    return render_template(
        "account/programs.html",
        token=token,
        holder=holder,
        holders=[(one.name, tokens.of(site(), one.id)) for one in (player, *bots)],
        bots=bots,
        scopes=tokens.SCOPES,
        ticked=request.form.getlist("scope") if request.form else tokens.USUAL,
        lives=tokens.LIVES,
        now=site().now(),
    )
