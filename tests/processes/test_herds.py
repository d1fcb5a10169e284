"""Orders among a thousand other things to do, and events that begin, with all processes."""

from __future__ import annotations

from sqlalchemy import func, select

from service.store.models import Submission
from tests.processes import herds
from tests.processes.deployment import Deployment, wait_for
from tests.processes.players import mail_move, open_tables
from tests.processes.thinkers import paused

DEADLINES = 40


def test_an_order_is_judged_before_passed_deadlines(deployment: Deployment) -> None:
    site = deployment.site
    (table,) = open_tables(deployment, 1)
    flags = select(func.count()).select_from(Submission).where(Submission.door == "clock")

    def raised() -> int:
        with site.store.reading() as session:
            return session.scalar(flags) or 0

    with paused(deployment, "worker"):
        before = raised()
        herds.let_deadlines_pass(site, herds.people(site, 4), DEADLINES)
        wait_for(lambda: raised() == before + DEADLINES, "the flags of all deadlines")
        mail_move(deployment, table)
    wait_for(lambda: herds.is_judged(site, table.match_id), "the verdict")
    # Some were under way when the order came, and some are judged until this test has looked.
    assert herds.flagged(site) - before < DEADLINES / 2
    wait_for(lambda: herds.flagged(site) == before + DEADLINES, "the end of all matches")


def test_a_cup_has_six_matches_within_a_minute_of_its_fourth_entrant(deployment: Deployment) -> None:
    assert herds.cup(deployment) <= 60
