"""Commands with which players find each other: new matches, open seats, wishes, notices, events, ratings."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import date

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.games import GAMES
from service.mail.grammar import orders
from service.mail.grammar.reading import Reading, plainly
from service.mail.reply_address import Purpose, ReplyAddress
from service.play import names
from service.play.accounts import settings
from service.play.accounts.display_names import BOT_MARK
from service.play.company import event_pages, event_text, events, gazette_issues, ladders, notices, wish_text, wishes
from service.play.company.events import EventError
from service.play.inbox.command_context import CommandError, Desk, Item, number, title
from service.play.links import mark
from service.play.match import lobby, proposal, substitutes
from service.play.match.invitations import LobbyError
from service.play.notify import following, preferences
from service.play.pages import leader_boards
from service.store.models import Match, Player
from service.store.tables.events import Entrant, Event, EventMatch


def _new(desk: Desk, rest: str) -> Item:
    match = desk.turn_to(lobby.set_up(desk.tx, desk.player.id, proposal.read(rest)))
    # Not in the order of their seats, which may be hidden.
    invited = sorted(place.written for place in match.places if not place.accepted and place.written)
    is_open = any(place.player_id is None for place in match.places)
    return _taken(desk, match, said="new", invited=invited, open=is_open)


def _taken(desk: Desk, match: Match, **data: object) -> Item:
    """What `new` and `join` store: which match, the writer's side, whether it has begun, and the writer's name if it is
    only a number."""
    own = match.place_of(desk.player.id)
    assert own is not None, "A player who has just taken a place has one."
    side = GAMES[match.game].sides(len(match.seats))[own.number].capitalize()
    unnamed = desk.player.name if desk.player.is_unnamed else ""
    return {"match": match.id, "title": title(match), "state": match.state, "side": side, "number": unnamed, **data}


def _join(desk: Desk, rest: str) -> Item:
    if (not rest and desk.event) or (rest and not rest[0].isdecimal() and rest[0] != "#"):
        event = events.join(desk.tx, _meant(desk, rest, "join").id, desk.player.id)
        (line,) = event_pages.lines(desk.tx.session, desk.player.id, [event.id])
        waits = desk.tx.session.get_one(Entrant, (event.id, desk.player.id)).state == "next"
        return {"said": "event_joined", "waits": waits, **_event(line)}
    digits, _, side = rest.strip().partition(" ")
    match_id = number(digits, "join 12")
    wanted = _side(desk.tx.session.get(Match, match_id), side)
    substitutes.take(desk.tx, match_id, desk.player.id, wanted)
    match = desk.turn_to(desk.tx.session.get_one(Match, match_id))
    return _taken(desk, match, said="joined")


def _side(match: Match | None, text: str) -> int | None:
    """The seat of a side by its name; None if none is named. Raises CommandError."""
    word = text.strip(" .").lower()
    if match is None or not word:
        return None
    sides = GAMES[match.game].sides(len(match.seats))
    if word not in sides:
        free = next((sides[seat.number] for seat in match.seats if seat.player_id is None), sides[0])
        raise CommandError(f"The sides of {title(match)} are {', '.join(sides)}: write join {match.id} {free}.")
    return sides.index(word)


def _rating(desk: Desk, rest: str) -> Item:
    """The ratings of the writer, or of the player who has this name."""
    name = rest.strip(" .?!")
    hint = "Write rating and a name, or rating alone."
    of = _named(desk.tx.session, name, hint) if name and name.lower() not in ("me", "mine") else desk.player
    known = leader_boards.of_player(desk.tx.session, of.id)
    rows = [[GAMES[game].title, str(shown), shown.deviation] for game, shown in known.items()]
    unsure = any(shown.provisional for shown in known.values())
    name = "" if of is desk.player else of.name
    return {"said": "rating", "player": of.id, "name": name, "rows": rows, "provisional": unsure}


def _named(session: Session, name: str, hint: str) -> Player:
    """The player shown to others under this name; raises CommandError with a hint."""
    digits = name.removeprefix("Player ").removeprefix("player ").removesuffix(BOT_MARK)
    by_number = digits != name and digits.isdecimal() and len(digits) < 10
    same = Player.id == int(digits) if by_number else Player.name_key == names.key(name)
    bot = Player.bot == names.key(name)
    found = session.scalars(select(Player).where(same | bot, Player.left.is_(None))).first()
    if found is None or found.is_guest or (by_number and not found.is_unnamed):
        raise CommandError(f"There's no player called {name[:60]} here. {hint}")
    return found


def _wish(desk: Desk, rest: str) -> Item:
    """Shows, sets or ends the writer's wish for opponents."""
    text = rest.strip(" .?!")
    if text.lower() in ("off", "none", "end", "stop"):
        return {"said": "wish_ended", "had": wishes.end(desk.tx, desk.player.id)}
    if text:
        wishes.make(desk.tx, desk.player.id, wish_text.read(text))
        # Others see the wish, so they may see that its player's email arrives.
        desk.player.bounces_known = False
    wish = wishes.of(desk.tx.session, desk.player.id)
    if wish is None:
        return {"said": "wish", "wish": "", "example": wish_text.example()}
    wanted = asdict(wish.wanted)
    wanted |= {name: int(wanted[name].total_seconds()) for name in ("shortest", "longest")}
    kept = {"wanted": wanted, "titles": wish.titles, "rests": wish.rests, "is_full": wish.is_full}
    return {"said": "wish", "wish": {**kept, "matches": wish.matches}}


def _events(desk: Desk, _rest: str) -> Item:
    rows = event_pages.listed(desk.tx.session, desk.player.id)
    return {"said": "events", "rows": [_event(row) for row in rows], "game": next(iter(GAMES))}


def _create(desk: Desk, rest: str) -> Item:
    """Creates an event. Its creator isn't in it before they join."""
    number = events.found(desk.tx, desk.player.id, event_text.read(rest))
    (line,) = event_pages.lines(desk.tx.session, desk.player.id, [number])
    return {"said": "event_created", **_event(line)}


def _event(line: event_pages.EventLine) -> Item:
    event = line.event
    about = {"name": event.name, "event": event.id, "title": line.title, "state": event.state, "clock": event.clock}
    about |= {"kind": event.kind, "season": event.season, "begins": event.begins.isoformat() if event.begins else ""}
    about |= {"lowest": event.lowest, "highest": event.highest}
    return {**about, "entrants": line.entrants, "needed": line.needed, "is_in": line.is_in}


def _meant(desk: Desk, rest: str, word: str) -> Event:
    """The event that is named, or whose news the email answers; for standings also the writer's only one. Raises
    CommandError and EventError."""
    if rest.strip(" .?!"):
        return events.named(desk.tx.session, rest)
    known = desk.tx.session.get(Event, desk.event) if desk.event else None
    if known is None and word == "standings":
        known = _event_of(desk)
    if known is None:
        listed = event_pages.listed(desk.tx.session, desk.player.id)
        possible = [row.event for row in listed if row.is_in is (word != "join")]
        if word == "standings" and len(possible) == 1:
            return possible[0]
        lines = " or ".join(f"{word} {event.name}" for event in possible[:3])
        write = f"Write {lines}{', or events to see them all' if possible[3:] else ''}."
        raise CommandError(f"Which event do you mean? {write if lines else 'Write events to see them all.'}")
    return known


def _event_of(desk: Desk) -> Event | None:
    """The event of the match that the email is about, if there is one."""
    if desk.match is None:
        return None
    matches = select(Event).join(EventMatch, EventMatch.event_id == Event.id)
    return desk.tx.session.scalars(matches.where(EventMatch.match_id == desk.match.id)).first()


def _leave_event(desk: Desk, rest: str) -> Item:
    event = _meant(desk, rest, "withdraw from")
    events.withdraw(desk.tx, event.id, desk.player.id)
    stays = bool(events.unfinished(desk.tx.session, event.id, desk.player.id))
    return {"said": "event_left", "event": event.id, "name": event.name, "kind": event.kind, "stays": stays}


def _standings(desk: Desk, rest: str) -> Item:
    page = event_pages.of(desk.tx.session, _meant(desk, rest, "standings"), desk.player.id, desk.tx.now)
    names = page.names
    parts = [
        [
            [line.place, names[int(line.name)], float(line.points), float(line.sonneborn_berger), line.matches]
            for line in part.lines
        ]
        for part in page.parts
    ]
    rungs = [names[one] for one in page.rungs.order] if page.rungs else []
    open_to = [names[one] for one in page.open_to]
    return {"said": "standings", "parts": parts, "rungs": rungs, "open_to": open_to, **_event(page.line)}


def _challenge(desk: Desk, rest: str) -> Item:
    """Challenges a player on the ladder that is named, or the only one that both are on."""
    words = rest.strip(" .?!").split()
    if not words or words[-1].lower() != "ladder" or len(words) < 2:
        example = f"challenge Ada {next(iter(GAMES.values())).title} ladder"
        raise CommandError(f"Write the player's name and the ladder, for example: {example}.")
    event, other = _on_ladder(desk, words[:-1])
    ladders.challenge(desk.tx, event.id, desk.player.id, other.id)
    (line,) = event_pages.lines(desk.tx.session, desk.player.id, [event.id])
    return {"said": "challenged", "player": other.name, **_event(line)}


SEE_NAMES = "To see who you can challenge, write standings and the name of the ladder."


def _on_ladder(desk: Desk, words: Sequence[str]) -> tuple[Event, Player]:
    """The ladder and the player meant by a name, optionally followed by a game; raises CommandError."""
    session, missing = desk.tx.session, ""
    titles = {names.key(name): game.title for game in GAMES.values() for name in (game.name, game.title)}
    for cut in range(1, len(words)):
        game, name = " ".join(words[cut:]), _without_on(words[:cut])
        if found := ladders.of_game(session, game):
            return found, _named(session, name, SEE_NAMES)
        if title := titles.get(names.key(game)):
            missing = title
    try:
        other = _named(session, _without_on(words), SEE_NAMES)
    except CommandError as error:
        if not missing:
            raise
        raise CommandError(f"There's no {missing} ladder. To create one, write create {missing} ladder.") from error
    shared = ladders.shared(session, desk.player.id, other.id)
    if len(shared) == 1:
        return shared[0], other
    if not shared:
        raise CommandError(f"You and {other.name} aren't on the same ladder. Write events to see all ladders.")
    lines = " or ".join(f"challenge {other.name} {event.name}" for event in shared)
    raise CommandError(f"You and {other.name} are on several ladders. Please name one: {lines}.")


def _without_on(words: Sequence[str]) -> str:
    """The name in `Ada on the`, which a ladder follows."""
    return re.sub(r"\s+(?:on|in|at)(?:\s+the)?$|\s+the$", "", " ".join(words), flags=re.IGNORECASE)


def _notices(desk: Desk, rest: str) -> Item:
    """Shows or sets the games for which the writer wants notices when somebody looks for opponents."""
    text, _, last = rest.strip(" .?!").lower().rpartition(" ")
    chosen = preferences.notices(desk.tx.session, desk.player.id)
    if not (text or last):
        return _noticed(desk, chosen, changed=False)
    if last not in ("on", "off"):
        text, last = f"{text} {last}".strip(), "on"
    named = wish_text.games(text or "all")
    kept = [game for game in GAMES if game in named or game in chosen]
    if last == "off":
        kept = [game for game in chosen if game not in named]
    preferences.choose_notices(desk.tx, desk.player.id, kept)
    return _noticed(desk, kept, changed=True)


def _noticed(desk: Desk, games: Sequence[str], *, changed: bool) -> Item:
    titles, off = [GAMES[game].title for game in games], desk.player.post == "off"
    return {"said": "notices", "titles": titles, "game": next(iter(GAMES)), "changed": changed, "off": off}


def _gazette(desk: Desk, rest: str) -> Item:
    """Shows or sets whether the writer gets the gazette."""
    return {"said": "gazette", **settings.gazette(desk.tx, desk.player, rest)}


def _follow(desk: Desk, rest: str) -> Item:
    """Follows a player or an event; without a name, lists the players that the writer follows."""
    if not rest.strip(" .?!"):
        found = following.of(desk.tx.session, desk.player.id)
        return {"said": "following", "names": [one.name for one in (*found.players, *found.events)]}
    name = _followed(desk, rest, following.follow_player, following.follow_event)
    return {"said": "followed", "name": name, "on": True}


def _unfollow(desk: Desk, rest: str) -> Item:
    name = _followed(desk, rest, following.unfollow_player, following.unfollow_event)
    return {"said": "followed", "name": name, "on": False}


def _followed(desk: Desk, rest: str, player: Callable[..., object], event: Callable[..., object]) -> str:
    """Calls the function for the player or event of this name, and returns the exact name; raises CommandError."""
    name = rest.strip(" .?!")
    try:
        other = _named(desk.tx.session, name, SEE_NAMES)
    except CommandError:
        try:
            found = events.named(desk.tx.session, name)
        except EventError:
            raise CommandError(f"There's no player or event called {name[:60]} here.") from None
        event(desk.tx, desk.player.id, found.id)
        return found.name
    player(desk.tx, desk.player.id, other.id)
    return other.name


def answer_notice(desk: Desk, found: Reading, meant: ReplyAddress | None) -> list[Item]:
    """The result of a reply to a notice or to the gazette that accepts an opening, or stops these emails, and of one to
    news of an event that says yes or no; nothing for all other emails."""
    if meant is None or meant.purpose not in (Purpose.OPENINGS, Purpose.GAZETTE, Purpose.EVENT) or not found.lines:
        return []
    line = plainly(found.lines[0].text)[:200]
    if meant.purpose == Purpose.EVENT:
        return _answer_event(desk, line)
    if found.lines[0].stops_match:
        return [{"line": line, **(_notices if meant.purpose == Purpose.OPENINGS else _gazette)(desk, "off")}]
    accepted = orders.accepts_opening(line)
    return [] if accepted is None else [{"line": line, **_accept(desk, meant, *accepted)}]


def _answer_event(desk: Desk, line: str) -> list[Item]:
    """The result of a yes or no to news of an event: join or withdraw for somebody who was asked whether they are still
    playing. Nothing for everything else."""
    event = desk.tx.session.get(Event, desk.event)
    own = desk.tx.session.get(Entrant, (desk.event, desk.player.id))
    order = orders.parse(line)
    agrees = orders.accepts_invitation(order) or re.match(r"yes\b", line, re.IGNORECASE) is not None
    if event is None or not (agrees or orders.declines_invitation(order)):
        return []
    if event.state == "running" and own is not None and own.asked is not None:
        return [{"line": line, **(_join if agrees else _leave_event)(desk, "")}]
    why = f"There's nothing to accept or decline in {event.name}. Reply with join to enter it, or withdraw to leave it."
    return [{"line": line, "said": "refused", "why": why}]


def _accept(desk: Desk, meant: ReplyAddress, wanted: int | None) -> Item:
    key = f"mail:{mark(desk.mail)}"
    try:
        with desk.tx.savepoint():
            if meant.purpose == Purpose.GAZETTE:
                opening = gazette_issues.chosen(desk.tx.session, meant.round, wanted)
            else:
                opening = notices.chosen(desk.tx, desk.player.id, date.fromordinal(meant.round), wanted)
            if opening[0] == "event":
                desk.event = opening[1]
                return _join(desk, "")
            match_id = notices.accept(desk.tx, desk.player.id, opening, key)
            desk.match = desk.tx.session.get_one(Match, match_id)
            return _taken(desk, desk.match, said="joined")
    except (LobbyError, EventError) as error:
        return {"said": "refused", "why": str(error)}


DO: dict[str, Callable[[Desk, str], Item]] = {
    "new": _new,
    "join": _join,
    "rating": _rating,
    "wish": _wish,
    "notices": _notices,
    "gazette": _gazette,
    "follow": _follow,
    "unfollow": _unfollow,
    "events": _events,
    "create": _create,
    "standings": _standings,
    "challenge": _challenge,
    "withdraw from": _leave_event,
}
"""The function of each of these commands, by its name in `command_words`."""
