"""Figures about the site for a monitor. All come from the database and Redis when they're asked for, so it
doesn't matter which process or machine answers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import NamedTuple

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from service.play.accounts import account_events
from service.play.operations.health import failing_since
from service.play.operations.sweep import BOTS_TURNS, RIPE
from service.play.site import Site
from service.store.models import Match, Player, Seat, Submission
from service.store.tables.doors import WAITING, Call
from service.store.tables.mail_rows import GIVEN_UP, KEPT, IncomingMail, Letter
from service.store.tables.pulse import Part, Pulse
from service.store.tables.reviews import UNFINISHED, Review

DOMAINS = 10
"""How many domains have their own count of owed letters; the rest share one. Strangers may write from any number."""

LATEST = 200
"""For how many of the latest letters the time until they were sent is measured."""

RECENTLY = timedelta(hours=1)


class Metric(NamedTuple):
    """A metric's name, what it measures, and its values by label. A label is a name and a value; ("", "") is none."""

    name: str
    help: str
    values: dict[tuple[str, str], float]
    kind: str = "gauge"


def measure(site: Site) -> list[Metric]:
    """All metrics, from one read of the database and one of what Redis counts."""
    now = site.now()
    with site.store.reading() as session:
        found = [*_of_orders(session, now), *_of_letters(session, now), *_of_parts(session, site)]
    refused = {("way", how): float(count) for how, count in account_events.refusals(site).items()}
    return [*found, Metric("sign_ins_refused_total", "Sign-ins that were refused, by way.", refused, "counter")]


def _of_orders(session: Session, now: datetime) -> Iterator[Metric]:
    unjudged = (Submission.verdict.is_(None), now >= RIPE)
    orders, order = session.execute(select(func.count(), func.min(RIPE)).where(*unjudged)).one()
    commands = IncomingMail.verdict == "commands"
    emails, email = session.execute(select(func.count(), func.min(IncomingMail.received)).where(commands)).one()
    waiting = (Letter.sent.is_(None), Letter.due <= now)
    letter = session.scalar(select(func.min(Letter.due)).where(*waiting))
    of_bots = BOTS_TURNS.where(Match.state == "running")
    turn = session.scalar(of_bots.with_only_columns(func.min(Match.moved), maintain_column_froms=True))
    yield _one("orders_unjudged", "Orders that wait to be judged.", orders)
    yield _one("commands_unread", "Emails with commands that wait to be carried out.", emails)
    call = session.scalar(select(func.min(Call.due)).where(WAITING, Call.due <= now))
    deadline = session.scalar(select(func.min(Seat.deadline)).where(Seat.deadline <= now))
    review = session.scalar(select(func.min(Review.leased)).where(UNFINISHED, Review.leased <= now))
    oldest = {"judge": _earlier(order, email), "post": letter, "rest": deadline, "think": turn, "review": review}
    oldest["hooks"] = call
    ages = {("queue", queue): _age(now, since) for queue, since in oldest.items()}
    yield Metric(
        "queue_age_seconds",
        "How long the oldest work of a queue has waited: for rest, since the earliest passed deadline.",
        ages,
    )


def _of_letters(session: Session, now: datetime) -> Iterator[Metric]:
    owed = select(Player.email, func.count()).select_from(Letter).join(Player, Player.id == Letter.player_id)
    owed = owed.where(Letter.sent.is_(None), Letter.due.is_not(None)).group_by(Player.email)
    domains: Counter[str] = Counter()
    for address, count in session.execute(owed):
        domains[(address or "").rpartition("@")[2] or "none"] += count
    shown = dict(domains.most_common(DOMAINS))
    shown["others"] = domains.total() - sum(shown.values())
    by_domain = {("domain", domain): float(count) for domain, count in shown.items()}
    yield Metric("letters_owed", "Letters to be sent, by the domain they go to.", by_domain)
    given_up = session.scalar(select(func.count()).select_from(Letter).where(GIVEN_UP)) or 0
    yield _one("letters_given_up", "Letters that couldn't be sent and aren't tried again.", given_up)
    latest = select(Letter.created, Letter.sent).where(Letter.sent.is_not(None), Letter.kind.in_(("turn", "refusal")))
    took = sorted(_age(sent, made) for made, sent in session.execute(latest.order_by(Letter.id.desc()).limit(LATEST)))
    quantiles = {("quantile", f"{part:g}"): took[int(part * (len(took) - 1))] if took else 0.0 for part in (0.5, 0.99)}
    yield Metric("verdict_letter_seconds", f"From a verdict to its letter, of the latest {LATEST}.", quantiles)
    came = select(IncomingMail.verdict, func.count()).where(KEPT, IncomingMail.received > now - RECENTLY)
    verdicts = {("verdict", verdict): float(n) for verdict, n in session.execute(came.group_by(IncomingMail.verdict))}
    yield Metric("emails_last_hour", "Emails received in the last hour, by what they were.", {_BOUNCES: 0.0} | verdicts)


_BOUNCES = ("verdict", "bounce")


def _of_parts(session: Session, site: Site) -> Iterator[Metric]:
    now, pulse = site.now(), session.get(Pulse, 1)
    age = _age(now, pulse.at) if pulse else math.inf  # If no sweep has ever run, a monitor must notice that, too.
    yield _one("sweep_age_seconds", "How long ago the last sweep began.", age)
    failing = {("part", part.name): _age(now, failing_since(site, part)) for part in session.scalars(select(Part))}
    yield Metric("part_failing_seconds", "How long sending or receiving email has been failing.", failing)


def _one(name: str, text: str, value: float) -> Metric:
    return Metric(name, text, {("", ""): float(value)})


def _earlier(*times: datetime | None) -> datetime | None:
    return min((time for time in times if time is not None), default=None)


def _age(now: datetime | None, since: datetime | None) -> float:
    """The age in seconds; 0 if there's nothing to measure."""
    return 0.0 if now is None or since is None else max(0.0, (now - since).total_seconds())
