"""How a herd of work delays the orders of others: `python -m tests.processes.herds [--database postgresql]`.

A deployment with all its processes, on which an event of a thousand matches begins, and then ten thousand deadlines
pass in the same minute. Meanwhile somebody moves, alternately on the web and by email. The figures are seconds from
sending an order to its verdict, while nothing else goes on, and while each herd is there; and how long a cup takes from
its fourth entrant to its six matches.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from statistics import median

from sqlalchemy import func, insert, select

from service.play.accounts import identity
from service.play.company import events
from service.play.company.events import Plan
from service.play.site import Site
from service.store.models import Match, Player, Seat, Submission
from service.store.tables.events import Entrant, Event, EventMatch
from tests import postgresql
from tests.processes.deployment import Deployment, Outbox, wait_for
from tests.processes.players import HOST, Browser, Table, mail_move, open_tables

SETTINGS = {"MAIL_PER_DAY": "0", "MAIL_PER_MINUTE": "0", "TRUSTED_PROXIES": "1", "SWEEP_SECONDS": "15"}
WEEK = timedelta(days=7)
PAUSE = 0.7
"""Seconds from a verdict to the next order."""


def people(site: Site, count: int) -> list[int]:
    """Players who want a letter for everything; their ids."""
    now = site.now()
    rows = [
        {
            "name": f"Herd {n}",
            "name_key": f"herd {n}",
            "email": f"herd{n}@example.net",
            "post": "instant",
            "vacation": False,
        }
        for n in range(count)
    ]
    with site.store.writing() as session:
        adding = insert(Player).returning(Player.id, sort_by_parameter_order=True)
        return list(session.scalars(adding, [row | {"created": now, "confirmed": now} for row in rows]))


def let_deadlines_pass(site: Site, players: Sequence[int], count: int) -> None:
    """Opens matches whose deadlines passed within the last minute."""
    now = site.now()
    options = {"base": "5", "counting": "area", "komi": "4.5", "setup": ""}
    match = {"game": "rosette", "options": options, "state": "running", "round": 1, "ply": 0, "clock": "7d/move"}
    seats = []
    with site.store.writing() as session:
        adding = insert(Match).returning(Match.id, sort_by_parameter_order=True)
        rows = [match | {"seed": n, "created": now - WEEK, "moved": now - WEEK} for n in range(count)]
        for n, match_id in enumerate(session.scalars(adding, rows)):
            due = now - timedelta(seconds=n * 60 / count)
            clock = {"since": due - WEEK, "deadline": due, "budget": {"main": 604800, "over": 0, "count": 0}}
            for seat, player in enumerate((players[n % len(players)], players[(n + 1) % len(players)])):
                row = {"match_id": match_id, "number": seat, "player_id": player, "accepted": True, "remind": None}
                idle = {"since": None, "deadline": None, "budget": clock["budget"]}
                seats.append(row | {"to_move": seat == 0, "awaited": seat == 0} | (idle if seat else clock))
        session.execute(insert(Seat), seats)


def begin_event(site: Site, players: Sequence[int]) -> int:
    """Creates a tour that is due, with as many matches as it has entrants; returns its id."""
    now = site.now()
    event_id = events.found(site, players[0], Plan("Great tour", "go", "5d/move", kind="tour"))
    with site.store.writing() as session:
        rows = [{"event_id": event_id, "player_id": one, "joined": now, "state": "in"} for one in players[1:]]
        session.merge(Entrant(event_id=event_id, player_id=players[0], joined=now, state="in"))
        session.execute(insert(Entrant), rows)
        session.get_one(Event, event_id).begins = now
    return event_id


@dataclass
class Mover:
    """Somebody who moves in one match after the other, and how many seconds each order took to its verdict."""

    deployment: Deployment
    tables: Iterator[Table]
    browser: Browser
    taken: list[float] = field(default_factory=list)

    def move(self) -> None:
        """Makes one move; the next is sent the other way."""
        table = next(self.tables)
        form = None if len(self.taken) % 2 else self.browser.written(table, table.moves[0])
        begun = time.monotonic()
        mail_move(self.deployment, table) if form is None else self.browser.open(*form)
        wait_for(lambda: is_judged(self.deployment.site, table.match_id), "the verdict")
        self.taken.append(time.monotonic() - begun)
        time.sleep(PAUSE)

    def during(self, seconds: float, is_over: Callable[[], bool]) -> str:
        """Moves until all is done or the time is over; returns the figures."""
        self.taken.clear()
        until = time.monotonic() + seconds
        while time.monotonic() < until and not is_over():
            self.move()
        worst = sorted(self.taken)[-3:][::-1]
        slowest = ", ".join(f"{one:.2f}" for one in worst)
        return f"{len(self.taken)} orders, {median(self.taken):.2f} s each, the median; the slowest {slowest} s"


def cup(deployment: Deployment) -> float:
    """Seconds from the fourth entrant of a cup to its six running matches."""
    site = deployment.site
    with site.store.writing() as session:
        four = [identity.by_email(session, f"cup{n}@example.net", site.now()) for n in range(4)]
        for one in four:
            one.confirmed = site.now()
        ids = [one.id for one in four]
    event_id = events.found(site, ids[0], Plan("Small cup", "lotus", "5d/move"))
    for player_id in ids[:3]:
        events.join(site, event_id, player_id)
    browser = Browser(deployment, ip="10.9.9.9").sign_in("cup3@example.net")
    form = browser.form(f"/events/{event_id}", f"/events/{event_id}/join")
    begun = time.monotonic()
    browser.open(f"/events/{event_id}/join", form)
    wait_for(lambda: running(site, event_id) == 6, "six running matches")
    return time.monotonic() - begun


def is_judged(site: Site, match_id: int) -> bool:
    """Whether a match's first order has its verdict."""
    with site.store.reading() as session:
        return session.scalars(select(Submission.verdict).where(Submission.match_id == match_id)).first() is not None


def running(site: Site, event_id: int) -> int:
    """How many matches of an event are being played."""
    with site.store.reading() as session:
        begun = select(func.count()).select_from(EventMatch).join(Match, Match.id == EventMatch.match_id)
        return session.scalar(begun.where(EventMatch.event_id == event_id, Match.state == "running")) or 0


def flagged(site: Site) -> int:
    """How many deadlines have been judged to have passed."""
    with site.store.reading() as session:
        over = select(func.count()).select_from(Submission).where(Submission.door == "clock")
        return session.scalar(over.where(Submission.verdict.is_not(None))) or 0


def figures(deployment: Deployment, matches: int, deadlines: int, seconds: float) -> Iterator[str]:
    """Yields a line for each of them; herds that take longer than `seconds` aren't waited for."""
    site = deployment.site
    crowd = people(site, matches)
    tables = open_tables(deployment, 60 + int(4 * seconds))
    mover = Mover(deployment, iter(tables), Browser(deployment, ip="10.8.8.8").sign_in(HOST))
    yield f"from the fourth entrant to six running matches: {cup(deployment):.1f} s"
    yield f"with nothing else to do: {mover.during(10, lambda: False)}"
    event_id = begin_event(site, crowd)
    said = mover.during(seconds, lambda: running(site, event_id) >= matches)
    yield f"while an event of {matches} matches began ({running(site, event_id)} did meanwhile): {said}"
    let_deadlines_pass(site, crowd, deadlines)
    wait_for(lambda: flagged(site) > 0, "the first flag")
    said = mover.during(seconds, lambda: flagged(site) >= deadlines)
    yield f"while {deadlines} deadlines passed ({flagged(site)} were judged meanwhile): {said}"


@contextmanager
def database(kind: str) -> Iterator[dict[str, str]]:
    """The settings of a database of this kind."""
    if kind == "sqlite":
        yield {}
        return
    with postgresql.running(postgresql.DURABLE) as server:
        server.execute("CREATE DATABASE herds")
        yield {"DATABASE_URL": server.url.format("herds").replace("postgresql://", "postgresql+psycopg://")}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--database", choices=("sqlite", "postgresql"), default="sqlite")
    for name, usual in (("matches", 1_000), ("deadlines", 10_000), ("seconds", 60)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    wanted = parser.parse_args()
    with ExitStack() as stack:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        outbox = stack.enter_context(Outbox())
        given = SETTINGS | {"SMTP_URL": outbox.url} | stack.enter_context(database(wanted.database))
        deployment = stack.enter_context(Deployment(place, given).running())
        for line in figures(deployment, wanted.matches, wanted.deadlines, wanted.seconds):
            print(f"{wanted.database}: {line}", flush=True)


if __name__ == "__main__":
    main()
