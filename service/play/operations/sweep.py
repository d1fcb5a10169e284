"""What was left lying: the database is the truth, and every nudge may have been lost."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import or_, select

from service.play.accounts import deletion, email_change, sessions
from service.play.company import event_matches, pairing
from service.play.operations import retention, unconfirmed
from service.play.outbox import digest
from service.play.site import Site, Task
from service.play.timekeeping import deadlines
from service.store.models import Match, Player, Seat, Submission
from service.store.tables.mail_rows import IncomingMail, Letter
from service.store.tables.reviews import UNFINISHED, Review

PATIENCE = 1 / 6
"""How long a nudge may take before the sweep repeats it, as a part of the time between two sweeps."""

AT_ONCE = 500
"""How much of each kind one sweep takes up; the next goes on."""


def sweep(site: Site) -> None:
    """Raises flags, sends reminders and digests, begins matches, nudges what waits, deletes what is old."""
    before = deadlines.feel_pulse(site)
    email_change.make_due(site)
    email_change.forget_old(site)
    deletion.leave_due(site)
    if f"{before:%F %H}" != f"{site.now():%F %H}":
        # No index serves the first of these, and both are short looks once an hour.
        sessions.forget_old(site)
        unconfirmed.forget_old(site)
    deadlines.raise_flags(site)
    deadlines.send_reminders(site)
    digest.send_digests(site)
    pairing.pair(site)
    event_matches.look_after(site)
    for task, subject in _left_over(site):
        site.nudge(task, subject)
    retention.delete_old(site)


def _left_over(site: Site) -> list[tuple[Task, int]]:
    waited = site.now() - timedelta(seconds=PATIENCE * site.settings.sweep_seconds)
    ripe = or_(Submission.held.is_(None), Submission.held <= site.now())
    unjudged = select(Submission.match_id).where(Submission.verdict.is_(None), Submission.received < waited, ripe)
    due = select(Letter.id).where(Letter.sent.is_(None), Letter.due < waited).order_by(Letter.due)
    unread = select(IncomingMail.id).where(IncomingMail.verdict == "commands", IncomingMail.received < waited)
    # Bots are few: from them to their seats, and not the other way round, whatever the database would rather do.
    bots = select(Player.id).where(Player.bot.is_not(None))
    waiting = select(Seat.match_id).where(Seat.player_id.in_(bots), Seat.to_move)
    waiting = waiting.join(Seat.match).where(Match.state == "running", Match.moved < waited)
    unreviewed = select(Review.match_id).where(UNFINISHED, Review.leased < waited)
    with site.store.reading() as session:
        return [
            *(("judge", match_id) for match_id in session.scalars(unjudged.distinct().limit(AT_ONCE))),
            *(("obey", mail_id) for mail_id in session.scalars(unread.order_by(IncomingMail.id).limit(AT_ONCE))),
            *(("deliver", letter_id) for letter_id in session.scalars(due.limit(AT_ONCE))),
            *(("review", match_id) for match_id in session.scalars(unreviewed.order_by(Review.leased).limit(AT_ONCE))),
            *(("think", match_id) for match_id in session.scalars(waiting.distinct().limit(AT_ONCE))),
        ]
