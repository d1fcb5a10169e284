"""Pages that links in mails lead to. Each shows a button: programs that look at links must not press it."""

from __future__ import annotations

from flask import Blueprint, render_template

from service.play import confirm
from service.web.guard import limiter
from service.web.visitor import Answer, house

pages = Blueprint("post", __name__, url_prefix="/mail")


@pages.get("/confirm/<token>")
def held(token: str) -> Answer:
    """A mail that waits to be confirmed."""
    try:
        return render_template("post/confirm.html", held=confirm.held(house(), token), error="")
    except confirm.ConfirmError as error:
        return render_template("post/confirm.html", held=None, error=str(error)), 410


@pages.post("/confirm/<token>")
@limiter.limit("60 per hour")
def release(token: str) -> Answer:
    """Confirms it."""
    try:
        confirm.confirm(house(), token)
    except confirm.ConfirmError as error:
        return render_template("post/confirm.html", held=None, error=str(error)), 410
    return render_template("post/confirmed.html")
