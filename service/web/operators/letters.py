"""What operators see: letters that could not be sent, and nothing of what they say."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

from flask import Blueprint, abort, flash, redirect, render_template, request, url_for

from service.play.operations import failed_letters
from service.web.current_player import Answer, Player, is_operator, signed_in, site
from service.web.security import row_number

P = ParamSpec("P")

pages = Blueprint("operators", __name__, url_prefix="/operator")


def operating(view: Callable[Concatenate[Player, P], Answer]) -> Callable[P, Answer]:
    """A view for operators; for everybody else there is no such page."""

    @wraps(view)
    def guarded(player: Player, /, *args: P.args, **kwargs: P.kwargs) -> Answer:
        return view(player, *args, **kwargs) if is_operator(player) else abort(404)

    return signed_in(guarded)


@pages.get("/letters")
@operating
def letters(_player: Player) -> Answer:
    """The letters that were given up, the latest first."""
    return render_template(
        "operators/letters.html", letters=failed_letters.letters(site()), listed=failed_letters.LISTED
    )


@pages.post("/letters")
@operating
def decide(_player: Player) -> Answer:
    """Tries one letter or all again, or drops one."""
    only = request.form.getlist("letter", type=row_number)
    if request.form.get("act") == "drop":
        count = failed_letters.drop(site(), only)
    else:
        count = failed_letters.again(site(), only) if only or "all" in request.form else 0
    flash(render_template("operators/decided.txt", act=request.form.get("act"), count=count).strip())
    return redirect(url_for("operators.letters"), 303)
