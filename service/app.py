"""The web application."""

from __future__ import annotations

from hashlib import blake2b
from pathlib import Path

from flask import Flask
from jinja2 import StrictUndefined
from werkzeug.middleware.proxy_fix import ProxyFix

from service.api import guide, problem_details
from service.config import ROOT
from service.inbound import http, webhooks
from service.play.links import restored
from service.play.site import Site
from service.web import board_images, idempotency, places
from service.web.account import credentials, data, doors, email_change, feeds, programs, settings, sign_in
from service.web.compression import press
from service.web.current_player import announced, needs_you, visitor
from service.web.current_player import site as current_site
from service.web.errors import answer_errors
from service.web.form_errors import add_form_errors
from service.web.lobby import events, gazette, lobby, play_now, wishes
from service.web.mail import dev_mailbox, links
from service.web.match import analysis, board_view, comments, messages, page, records, second_look
from service.web.operators import desk, health, metrics
from service.web.players import following, moderation, profiles
from service.web.rules import diagrams, lessons, problems, rules
from service.web.security import guard, refuse_zero_bytes
from service.web.sharing import embeds, link_cards
from service.web.template_filters import speak

STATIC = Path(__file__).parent / "web" / "static"
A_YEAR = 31_536_000
ROOMS = (
    email_change,
    sign_in,
    analysis,
    comments,
    lobby,
    page,
    following,
    moderation,
    profiles,
    board_images,
    link_cards,
    embeds,
    guide,
    play_now,
    wishes,
    events,
    gazette,
    links,
    dev_mailbox,
    feeds,
    diagrams,
    health,
    metrics,
    credentials,
    data,
    programs,
    doors,
    desk,
    lessons,
    problems,
    records,
    second_look,
    rules,
    settings,
    board_view,
    messages,
)
"""Modules with a blueprint `pages`."""


def create_app(site: Site) -> Flask:
    """The application for one site: its pages, its API, and incoming mail over HTTP."""
    # The address of static files contains a hash of their content, so browsers can cache them forever.
    app = Flask(
        "stonepost",
        template_folder=str(ROOT / "templates"),
        static_folder=str(STATIC),
        static_url_path=f"/static/{_fingerprint()}",
        root_path=str(ROOT),
    )
    app.config["SEND_FILE_MAX_AGE_DEFAULT"] = A_YEAR
    app.jinja_env.undefined = StrictUndefined
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    app.extensions["site"] = site
    proxies = site.settings.proxies
    app.wsgi_app = ProxyFix(app.wsgi_app, x_for=proxies, x_proto=proxies, x_host=proxies)  # type: ignore[method-assign]
    app.wsgi_app = places.placed(app.wsgi_app)  # type: ignore[assignment, method-assign]
    guard(app, site.settings)
    refuse_zero_bytes(app, {room.pages.name for room in ROOMS})
    press(app)
    answer_errors(app, {"/api/": problem_details.tell})
    add_form_errors(app)
    speak(app)
    board_images.hang(app)
    diagrams.hang(app)
    for room in ROOMS:
        app.register_blueprint(room.pages)
    app.register_blueprint(guide.door)
    app.register_blueprint(http.door)
    app.register_blueprint(webhooks.door)
    app.context_processor(
        lambda: {
            "visitor": visitor(),
            "needs_you": needs_you,
            "announced": announced(),
            "nonce": idempotency.nonce(),
            "restored": lambda: restored(current_site(), current_site().now()),
            "post_office_open": current_site().settings.post_office_open,
            "public_url": current_site().settings.public_url,
            "passkeys_offered": bool(current_site().settings.passkey_host),
        }
    )
    return app


def _fingerprint() -> str:
    content = b"".join(path.read_bytes() for path in sorted(STATIC.iterdir()))
    return blake2b(content, digest_size=6).hexdigest()
