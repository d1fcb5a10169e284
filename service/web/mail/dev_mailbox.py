"""The local post office: on one machine, in development, mail is read and answered here instead of being sent."""

from __future__ import annotations

from urllib.parse import urlsplit

from flask import Blueprint, Response, abort, flash, redirect, render_template, request, url_for

from service.play.outbox import dev_mailbox
from service.web.current_player import Answer, site
from service.web.form_errors import refuse

pages = Blueprint("post_office", __name__, url_prefix="/post-office")

MAIL_POLICY = (
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; frame-ancestors 'self'; "
    "sandbox allow-top-navigation-by-user-activation allow-same-origin"
)
"""The policy for the HTML of an email: it can be shown, but never runs scripts."""


@pages.before_request
def _only_here() -> None:
    """Only this machine may read the letters, because they contain everybody's sign-in links.

    That excludes a proxy on this machine, and a page elsewhere whose host name points here (DNS rebinding).
    """
    local = request.remote_addr in ("127.0.0.1", "::1", "::ffff:127.0.0.1") and "X-Forwarded-For" not in request.headers
    named = urlsplit(f"//{request.host}").hostname in ("127.0.0.1", "::1", "localhost")
    if not (site().settings.post_office_open and local and named):
        abort(404)


@pages.get("/")
def letters() -> str:
    """All letters, the newest first."""
    return render_template("dev_mailbox/letters.html", letters=dev_mailbox.letters(site()), now=site().now())


@pages.get("/<int:letter_id>")
def letter(letter_id: int) -> str:
    """One letter as a mail program shows it."""
    return render_template("dev_mailbox/letter.html", letter=_letter(letter_id))


@pages.get("/<int:letter_id>/html")
def html(letter_id: int) -> Response:
    """The HTML part alone, for the frame on the letter's page."""
    # Links in an email open outside the frame.
    shown = Response('<base target="_top">' + _letter(letter_id).html, mimetype="text/html")
    shown.headers["Content-Security-Policy"] = MAIL_POLICY
    shown.headers["X-Frame-Options"] = "SAMEORIGIN"
    return shown


@pages.post("/<int:letter_id>/answer")
def answer(letter_id: int) -> Answer:
    """Sends an answer in as a real incoming message."""
    try:
        dev_mailbox.answer(site(), _letter(letter_id).id, request.form.get("text", ""))
    except dev_mailbox.PostOfficeError as error:
        refuse(error, "text")
        return letter(letter_id), 422
    flash(render_template("dev_mailbox/answered.txt").strip())
    return redirect(url_for("post_office.letters"), 303)


def _letter(letter_id: int) -> dev_mailbox.Posted:
    return dev_mailbox.letter(site(), letter_id) or abort(404)
