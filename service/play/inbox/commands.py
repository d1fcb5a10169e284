"""The commands that an email can contain, one a line: what each does, and its result."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from hashlib import sha256

from service.games import GAMES
from service.mail.grammar import command_words
from service.play.accounts import email_change, settings
from service.play.inbox import company_commands
from service.play.inbox.command_context import CommandError, Desk, Item, number, title
from service.play.links import mark
from service.play.match import substitutes
from service.play.match.proposal import ProposalError, game_named
from service.play.notify import preferences
from service.play.orders import alternatives
from service.play.pages import lessons, match_lists, match_page
from service.play.table import estimate, replay, teams
from service.play.table.log import visible_entries
from service.play.talk import comments, messages
from service.store.models import Match, Place

TEAM = ("team", "partner", "partners", "teammate", "teammates", "us")
"""The words that address a message to team-mates only."""


def _resign(desk: Desk, _rest: str) -> Item:
    match, own = desk.seat()
    if match.state != "running":
        raise CommandError(f"{title(match)} isn't being played, so there's nothing to resign.")
    teams.check_turn(match, own)
    if desk.resigns not in (None, match) or desk.asks is not None:
        raise CommandError("One email can ask about one thing only. Please send this in another email.")
    desk.resigns = match
    return {"said": "resign", "title": title(match)}


def _board(desk: Desk, match: Match, **data: object) -> Item:
    """What `show`, `history` and `preview` store: enough to show the same again later."""
    seat = desk.own.number if desk.own else None
    return {"match": match.id, "ply": match.ply, "seat": seat, "title": title(match), **data}


def _show(desk: Desk, rest: str) -> Item:
    match = desk.about()
    item = _board(desk, match, said="board", number=None)
    if rest:
        entries = visible_entries(desk.tx.session, match, item["seat"])
        if not rest.isdecimal() or len(rest) > 9 or int(rest) > len(entries):
            raise CommandError(_how_many(title(match), len(entries)))
        item |= {"ply": entries[int(rest) - 1].logged if int(rest) else 0, "number": int(rest)}
    return item


def _how_many(title: str, moves: int) -> str:
    """What `show` says about a number that no move has."""
    made = "1 move" if moves == 1 else f"{moves or 'no'} moves"
    return f"{title} has {made} so far. To see the board as it is now, write show."


def _history(desk: Desk, _rest: str) -> Item:
    match = desk.about()
    found = comments.of(desk.tx.session, match.id, desk.player.id) if match.state == "over" else []
    told = [[one.ply, one.author, one.text] for one in found]
    return {**_board(desk, match, said="history"), "comments": told}


def _why(desk: Desk, _rest: str) -> Item:
    match = desk.about()
    seat = desk.own.number if desk.own else None
    found = match_page.why(desk.tx.session, match, visible_entries(desk.tx.session, match, seat))
    if found is None:
        raise CommandError(
            f"Only computer opponents for beginners say why they moved, and only about the last move of {title(match)}."
        )
    return {"said": "why", "title": title(match), **found._asdict()}


def _estimate(desk: Desk, _rest: str) -> Item:
    match, _ = desk.seat()
    found = estimate.of(desk.tx.session, match, replay.position(desk.tx.session, match))
    if found is None:
        estimate.ask(desk.tx, match.id, desk.player.id)
    return {"said": "estimate", "title": title(match), "order": found.order if found else ""}


def _preview(desk: Desk, rest: str) -> Item:
    match, seat = desk.seat()
    if match.state != "running":
        raise CommandError(f"{title(match)} isn't being played, so there's nothing to preview.")
    teams.check_turn(match, seat)
    position = replay.position(desk.tx.session, match)
    move = alternatives.unnumbered(rest, position)
    position.draft(seat.number, move)
    return _board(desk, match, said="preview", move=move)


def _say(desk: Desk, rest: str) -> Item:
    match, own = desk.seat()
    sides = GAMES[match.game].sides(len(match.seats))
    found = re.match(r"to\s+([^:\n]+?)\s*:\s*(.*)", rest, re.IGNORECASE | re.DOTALL)
    to = _audience(match, own, sides, found[1]) if found else ()
    text = found[2] if found else rest
    if not text:
        raise CommandError(
            "The message is missing. Write it on the same line: say Good luck, or say to red: Do you agree?"
        )
    key = f"mail:{mark(desk.mail)}:{sha256(rest.encode()).hexdigest()[:24]}"
    messages.say(desk.tx, match.id, desk.player.id, text, key, to)
    return {"said": "said", "title": title(match), "to": heard_by(match, own, to)}


def heard_by(match: Match, own: Place, to: Collection[int]) -> list[str]:
    """The sides of the people who get a message of `own`: the whole table if `to` names no seats."""
    told = sorted({place.number for place in messages.listeners(match, own, to)})
    sides = GAMES[match.game].sides(len(match.seats))
    return ["your team" if number == own.number else sides[number].capitalize() for number in told]


def _audience(match: Match, own: Place, sides: tuple[str, ...], text: str) -> tuple[int, ...]:
    """The seats named, none for `all`; raises CommandError rather than send something to more people than intended."""
    names = [name for name in re.split(r"[\s,;&+]+|\band\b", text.lower()) if name]
    if names in (["all"], ["everybody"], ["table"]):
        return ()
    if names and names[-1] in TEAM and set(names[:-1]) <= {"my", "our", "the"}:
        if not teams.is_shared(match, own.number):
            raise CommandError(f"You don't share your seat in {title(match)}, so this wasn't sent to anybody.")
        return (own.number,)
    for name in names or [text]:
        if name not in sides:
            raise CommandError(
                f"Nobody plays {name.capitalize()} in {title(match)}; write say to {sides[0]}: and your words."
            )
    return tuple(map(sides.index, names))


def _comment(desk: Desk, rest: str) -> Item:
    match = desk.about()
    found = re.match(r"[\s:,.]*(?:on\s+)?(?:move\s+)?#?(\d{1,4})[\s:,.]*(.*)", rest, re.IGNORECASE | re.DOTALL)
    if found is None:
        raise CommandError("Write the number of the move and your comment, for example: comment 12 A quiet move.")
    key = f"mail:{mark(desk.mail)}:{sha256(rest.encode()).hexdigest()[:24]}"
    comments.add(desk.tx, match.id, desk.player.id, int(found[1]), found[2], key)
    return {"said": "commented", "title": title(match), "match": match.id, "number": int(found[1])}


def _mute(desk: Desk, _rest: str) -> Item:
    return _here(desk, "mute")


def _unmute(desk: Desk, _rest: str) -> Item:
    return _here(desk, "")


def _here(desk: Desk, post: str) -> Item:
    """Sets which emails the writer gets about one match."""
    match, seat = desk.locked()
    preferences.choose_here(seat, post)
    if post == "instant":
        preferences.release(desk.tx, desk.player)
    return {"said": "here", "post": post, "title": title(match), "hours": desk.player.digest_hours.split()}


def _about_match(desk: Desk, rest: str) -> Item:
    match = desk.tx.session.get(Match, number(rest, "match 12"))
    if match is None:
        raise CommandError(f"There's no match {rest}.")
    desk.turn_to(match)
    return {"said": "about", "title": title(match)}


def _status(desk: Desk, _rest: str) -> Item:
    own = match_lists.of_places(teams.places_of(desk.player.id))
    return {"said": "status", "rows": _rows(match_lists.lines(desk.tx.session, own, desk.player.id))}


def _games(desk: Desk, _rest: str) -> Item:
    games = [[game.name, game.title, game.summary] for game in GAMES.values()]
    open_seats = match_lists.with_open_seats(desk.tx.session, desk.player.id, desk.tx.now)
    return {"said": "games", "games": games, "rows": _rows(open_seats)}


def _rows(lines: Sequence[match_lists.MatchLine]) -> list[Item]:
    return [
        {
            "number": line.id,
            "title": f"{line.title} {line.id}",
            "state": line.state,
            "my_turn": line.my_turn,
            "until": _until(line),
            "bounces": [seat.side.capitalize() for seat in line.seats if seat.bounces and not seat.is_me],
            "awaited": [seat.waited for seat in line.seats if seat.to_move and not (seat.is_me and line.my_turn)],
            "others": teams.together([seat.name for seat in line.seats if not seat.is_me and seat.name]),
        }
        for line in lines
    ]


def _until(line: match_lists.MatchLine) -> str:
    """When the reader's time runs out; "" if no clock is running."""
    own = next((seat for seat in line.seats if seat.is_me and line.my_turn), None)
    return own.deadline.isoformat() if own is not None and own.deadline is not None else ""


def _rules(desk: Desk, rest: str) -> Item:
    return {"said": "rules", "game": game_named(rest or (desk.match.game if desk.match else ""), "rules")}


def _learn(desk: Desk, rest: str) -> Item:
    """The first step of a lesson, or the one whose number is given."""
    text, _, last = rest.rstrip(" .!?").rpartition(" ")
    name, step = (text, last) if last.isdecimal() and text else (rest.rstrip(" .!?"), "1")
    lesson = lessons.lesson(game_named(name or (desk.match.game if desk.match else ""), "learn"))
    if len(step) > 2 or lesson.step(int(step)) is None:
        raise CommandError(f"The lesson has {len(lesson.steps)} steps: write learn {lesson.game} {len(lesson.steps)}.")
    return {"said": "lesson", "game": lesson.game, "step": int(step)}


def _problem(desk: Desk, rest: str) -> Item:
    """A problem of a game: the one whose number is given, or any."""
    text, _, last = rest.rstrip(" .!?").rpartition(" ")
    name, chosen = (text, last) if last.isdecimal() and text else (rest.rstrip(" .!?"), "")
    game = game_named(name or (desk.match.game if desk.match else ""), "problem")
    if game not in lessons.with_problems():
        raise CommandError(
            f"There are no problems of {GAMES[game].title}, only of {', '.join(lessons.with_problems())}."
        )
    lesson = lessons.lesson(f"{lessons.PROBLEMS}{game}")
    # Each email gets a different problem, and the same email always the same one.
    any_one = 1 + int(mark(desk.mail)[:8], 16) % len(lesson.steps)
    if len(chosen) > 3 or lesson.step(int(chosen or any_one)) is None:
        raise CommandError(f"There are {len(lesson.steps)} problems: write problem {game} {len(lesson.steps)}.")
    return {"said": "lesson", "game": lesson.name, "step": int(chosen or any_one)}


def _help(desk: Desk, rest: str) -> Item:
    about = desk.match.game if desk.match else ""
    word = rest.lower().strip(" .?'\"")
    for known in (word, word.partition(" ")[0], f"{word}s"):
        if known in command_words.TOPICS or command_words.named(known):
            return {"said": "usage", "word": known}
    try:
        return {"said": "help", "game": game_named(rest, "help") if rest else "", "playing": about}
    except ProposalError:
        raise CommandError(
            f"There's no help about {rest[:40]!r}. Write help for all commands, or help and one of "
            f"{', '.join((*command_words.TOPICS, *GAMES))}."
        ) from None


def _most(desk: Desk, rest: str) -> Item:
    most = "" if rest.lower().strip(" .") == "none" else rest or "?"
    preferences.choose_most(desk.tx, desk.player, most)
    return {"said": "most", "most": desk.player.most, "sent": preferences.sent_today(desk.tx, desk.player)}


def _vacation(desk: Desk, rest: str) -> Item:
    return {"said": "vacation", **settings.vacation(desk.tx, desk.player, rest)}


def _receipts(desk: Desk, rest: str) -> Item:
    return {"said": "receipts", **settings.receipts(desk.player, rest)}


def _zone(desk: Desk, rest: str) -> Item:
    return {"said": "zone", **settings.zone(desk.player, rest)}


def _grace(desk: Desk, rest: str) -> Item:
    return {"said": "grace", **settings.hold(desk.player, rest)}


def _offer(desk: Desk, rest: str) -> Item:
    match, _ = desk.locked()
    words = rest.strip(".,;:!? ")
    found = re.fullmatch(r"(?:(?:my|the)\s+)?(?:(none)|seat(?:\s+to\s+(\S+))?)", words, re.IGNORECASE)
    if found is None:
        raise CommandError("Write offer seat, offer seat to ada@example.org, or offer none.")
    to = "" if found[1] else (found[2] or "anybody").strip("<>.,")
    substitutes.offer(desk.tx, match.id, desk.player.id, to)
    return {"said": "offered", "title": title(match), "to": to, "number": match.id}


def _name(desk: Desk, rest: str) -> Item:
    if rest[:1].islower() and " " in rest:  # Name your price.
        raise CommandError("That may be a sentence, so your name wasn't changed. Begin a name with a capital letter.")
    return {"said": "named", "name": settings.rename(desk.tx, desk.player, rest)}


def _address(desk: Desk, rest: str) -> Item:
    wanted = email_change.ask(desk.tx, desk.player.id, rest)
    return {"said": "address", "address": wanted, "old": desk.player.email, "days": email_change.CONFIRM.days}


def _post(name: str) -> Callable[[Desk, str], Item]:
    """The command that sets when emails come."""

    def choose(desk: Desk, rest: str) -> Item:
        if rest.lower().strip(" .") == command_words.HERE:
            return _here(desk, name)
        player = desk.player
        preferences.choose(desk.tx, player, name, rest if name == "digest" else "")
        limit, zone = player.most, player.zone or "UTC"
        if name == "instant":
            # All at once, as it says: the player's own limit for a day ends too.
            preferences.choose_most(desk.tx, player, "")
        return {"said": name, "hours": player.digest_hours.split(), "zone": zone, "limit": limit}

    return choose


DO: dict[str, Callable[[Desk, str], Item]] = {
    "resign": _resign,
    "preview": _preview,
    "show": _show,
    "history": _history,
    "why": _why,
    "estimate": _estimate,
    "say": _say,
    "comment": _comment,
    "mute": _mute,
    "unmute": _unmute,
    "match": _about_match,
    "status": _status,
    "games": _games,
    "rules": _rules,
    "learn": _learn,
    "problem": _problem,
    **company_commands.DO,
    "offer": _offer,
    "name": _name,
    "address": _address,
    **{name: _post(name) for name in preferences.CHOICES},
    "most": _most,
    "receipts": _receipts,
    "vacation": _vacation,
    "zone": _zone,
    "grace": _grace,
    "help": _help,
}
"""The function of each command that isn't an order for a match, by its name in `command_words`."""
