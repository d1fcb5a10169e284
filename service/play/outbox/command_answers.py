"""Composes the answer to an email of commands from the stored results of its lines, the same every time."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo

from jinja2 import Environment, FileSystemLoader, select_autoescape
from markupsafe import Markup
from sqlalchemy.orm import Session

from service.clock.control import DEFAULT, EXAMPLES, Control
from service.config import ROOT
from service.engine.game import MoveError
from service.games import GAMES
from service.mail.grammar import command_examples, command_words
from service.mail.grammar.command_words import COMMANDS, RULES
from service.mail.html import html_text
from service.mail.letters import letter_types, write
from service.mail.letters.letter_types import Answered, Deadline, Played
from service.mail.parsing.read import Inbound, read
from service.mail.reply_address import Purpose, ReplyAddress
from service.play import links
from service.play.letter_kinds import CommandsAnswer
from service.play.orders import questions
from service.play.outbox.board_images import Album
from service.play.outbox.match_context import Context, view
from service.play.pages import diagrams, lessons
from service.play.site import Site
from service.play.table import board_view, replay
from service.play.table.log import visible_entries
from service.render.text import text
from service.store import mail_store
from service.store.models import Match
from service.store.tables.mail_rows import IncomingMail


@view.register
def say(contents: CommandsAnswer, context: Context) -> letter_types.Answer:
    """The answer as data for its template."""
    subject = _answered(context, contents).subject
    items = contents.lines
    return letter_types.Answer(
        subject=re.sub(r"^(re:\s*)+", "", subject, flags=re.IGNORECASE),
        lines=tuple(Answered(item["line"], item["said"], _about(context, item)) for item in items),
        unread=not items or any(item["said"] in ("unknown", "ignored") for item in items),
        link=context.site.settings.public_url,
    )


def _answered(context: Context, contents: CommandsAnswer) -> Inbound:
    mail = context.session.get_one(IncomingMail, contents.mail)
    return read(mail_store.text_of(context.site.settings, mail))


def thread(context: Context, contents: CommandsAnswer, mail: write.Mail) -> write.Mail:
    """The mail with the headers that tie it to what it answers and bring its reply back."""
    answered = _answered(context, contents).message_id
    return replace(mail, answers=answered, reply_to=_reply_to(context, contents))


def _reply_to(context: Context, contents: CommandsAnswer) -> str:
    steps = [item for item in contents.lines if item["said"] == "lesson" and item["step"]]
    if steps:
        return _to_lesson(context, steps[-1])
    if contents.match is None or contents.round is None or contents.seat is None:
        return ""
    letter, purpose, about = context.letter, Purpose.ORDER, contents.round
    if contents.resigns:
        purpose = Purpose.CONFIRMATION
    elif contents.asks is not None:
        purpose, about = Purpose.ASKED, questions.number(letter.key.partition(":")[2])
    restored = links.restored(context.site, letter.created)
    back = ReplyAddress(letter.player_id, contents.match, contents.seat, about, purpose, restored)
    return context.site.reply_address(back)


def _to_lesson(context: Context, item: dict[str, Any]) -> str:
    """The reply address for a try at a step of a lesson."""
    game, step = lessons.number(item["game"]), item["step"]
    back = ReplyAddress(context.letter.player_id, seat=game, round=step, purpose=Purpose.LESSON)
    return context.site.reply_address(back)


def _about(context: Context, item: dict[str, Any]) -> dict[str, Any]:
    """What the template needs for this line, with values that are computed now rather than stored."""
    site, letter = context.site, context.letter
    about = {"board": "", "picture": "", **item}
    if item["said"] in ("board", "preview", "history"):
        about |= _match(context.session, item, context.album, context.letter.player_id)
    elif item["said"] == "rules":
        about |= {"text": _rules(item["game"]), "link": _rules_link(site, item["game"])}
    elif item["said"] in ("lesson", "tried"):
        about |= _lesson(context, item)
    elif item["said"] == "help":
        about |= _game(item["game"]) if item["game"] else _everything(site, item.get("playing", ""))
    elif item["said"] == "usage":
        about |= _usage(item["word"])
    elif item["said"] in ("new", "joined"):
        link = f"{site.settings.public_url}/match/{item['match']}"
        about = {"invited": (), "open": False, **about, "link": link}
    elif item["said"] == "rating":
        about |= {"link": f"{site.settings.public_url}/player/{item['player']}"}
    elif item["said"] == "wish" and item["wish"]:
        about |= {"wish": _wish(item["wish"]), "link": f"{site.settings.public_url}/wishes"}
    elif item["said"] in ("following", "followed"):
        about |= {"link": f"{site.settings.public_url}/following"}
    elif item["said"] == "commented":
        about |= {"link": f"{site.settings.public_url}/match/{item['match']}/at/{item['number']}"}
    elif item["said"] == "gazette":
        about |= {"link": f"{site.settings.public_url}/gazette"}
    elif item["said"] in ("events", "event_created", "event_joined", "event_left", "standings", "challenged"):
        number = f"/{item['event']}" if "event" in item else ""
        about |= {"link": f"{site.settings.public_url}/events{number}"} | _begins(context, item)
        about |= {"rows": [row | _begins(context, row) for row in item.get("rows", ())]}
    elif item["said"] in ("status", "games"):
        rows = [row | {"until": deadline(row.get("until"), letter.created, context.zone)} for row in item["rows"]]
        about |= {"rows": rows}
    return about


def _begins(context: Context, event: dict[str, Any]) -> dict[str, Any]:
    """When the next season of an event begins, in the reader's time zone."""
    return {"begins": deadline(event.get("begins"), context.letter.created, context.zone)}


def deadline(until: str | None, now: datetime, zone: ZoneInfo) -> Deadline | None:
    """The time from `now` to an instant stored as text; None for "" and None."""
    if not until:
        return None
    moment = datetime.fromisoformat(until)
    return Deadline(moment - now, moment.astimezone(zone))


def _match(session: Session, item: dict[str, Any], album: Album, reader: int) -> dict[str, Any]:
    match, seat = session.get_one(Match, item["match"]), item["seat"]
    position = replay.position(session, match, item["ply"])
    if item["said"] == "history":
        entries = visible_entries(session, match, seat, position, item["ply"], reader=reader)
        return {
            "entries": [
                Played(entry.side.capitalize(), entry.shown, entry.remark, undone=entry.undone, late=entry.late)
                for entry in entries
            ]
        }
    scene = position.draft(seat, item["move"]).scene if item["said"] == "preview" else position.view(seat)
    facts = "   ".join(f"{label}: {value}." for label, value in scene.facts)
    picture = album.show(board_view.sided(scene, match, reader))
    return {"board": text(scene), "picture": picture, "notes": " ".join(scene.notes), "facts": facts}


def _lesson(context: Context, item: dict[str, Any]) -> dict[str, Any]:
    """A step of a lesson, or what was tried there, or with step 0 the end."""
    lesson = lessons.lesson(item["game"])
    step = lesson.step(item["step"])
    room = "problems" if lesson.has_problems else "learn"
    page = f"{context.site.settings.public_url}/{room}/{lesson.game}"
    about = {"lesson": lesson, "page": step, "link": f"{page}/{item['step']}" if step else f"{page}/end"}
    if step is None:
        return about
    if item["said"] == "lesson":
        scene = lessons.draft(lesson.game, step, "").scene
        return about | {"board": text(scene), "picture": context.album.show(scene)}
    try:
        tried = lessons.tried(lesson.game, step, item["move"])
    except MoveError as error:
        return about | {"tried": None, "why": str(error)}
    return about | {"tried": tried, "board": text(tried.scene), "picture": context.album.show(tried.scene)}


def _game(name: str) -> dict[str, Any]:
    game = GAMES[name]
    return {"title": game.title, "summary": game.summary, "options": game.options, "words": game.words}


def _everything(site: Site, playing: str) -> dict[str, Any]:
    """All commands, how an email is read, and the words and rules of the game played in the match it is about."""
    game = GAMES[playing] if playing else None
    words, title = (game.words, game.title) if game else ((), "")
    about = {"title": "", "commands": COMMANDS, "rules": RULES, "words": words, "played": title}
    rules_link = _rules_link(site, playing) if playing else ""
    return {**about, "rules_link": rules_link, "example": next(iter(GAMES))}


def _rules_link(site: Site, game: str) -> str:
    return f"{site.settings.public_url}/rules/{game}"


def _wish(wish: dict[str, Any]) -> dict[str, Any]:
    """The wish with its times as lengths of time."""
    wanted = wish["wanted"]
    times = {name: timedelta(seconds=wanted[name]) for name in ("shortest", "longest")}
    return wish | {"wanted": wanted | times}


def _usage(word: str) -> dict[str, Any]:
    """One command with examples, or the clocks or presses that a new match can have."""
    game = next(iter(GAMES))
    clocks = [(example, Control.parse(example)) for example in EXAMPLES]
    examples = [example.replace("GAME", game) for example in command_examples.EXAMPLES.get(word, (word,))]
    return {
        "command": command_words.named(word),
        "examples": examples,
        "clocks": clocks,
        "game": game,
        "default": DEFAULT,
    }


@cache
def _rules(game: str) -> str:
    """The rules as text: what mail programs without HTML would show of the page, its figures drawn in letters."""
    pages = Environment(loader=FileSystemLoader(ROOT / "templates"), autoescape=select_autoescape(["html"]))
    page = pages.get_template(f"rules/{game}.html").render(diagram=_figure)
    # A page shows where a paragraph ends by its spacing, a text by a blank line.
    return re.sub(r"\n{3,}", "\n\n", html_text.read(re.sub(r"<(?=p|h\d)", "<br><br><", page)))


def _figure(game: str, moves: str = "", seats: int = 0, live: str = "", **options: str) -> Markup:
    del live
    return Markup("<pre>{}</pre>").format(text(diagrams.played(game, moves, seats, options).view(None)))
