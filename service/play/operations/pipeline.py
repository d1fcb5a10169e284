"""From an order to the first letter about it, in one task: judged, and sent without another hop through the queue."""

from __future__ import annotations

from service.play.match.judge import judge_oldest, judging
from service.play.outbox import deliver
from service.play.site import Site


def judge_and_send(site: Site, match_id: int) -> None:
    """Judge what waits in a match, and send the first letter that each judgement owes.

    It is claimed in the transaction that owes it, which spares another and a hop through the queue, and what it says is
    at hand. If this process dies before it is sent, the letter is due again when its lease ends.
    """
    more = True
    while more:
        with judging(site, match_id) as (session, match):
            nudges, more = judge_oldest(session, site.now(), match)
            owed = next((subject for task, subject in nudges if task == "deliver"), None)
            letter = None if owed is None else deliver.claim(site, session, owed)
        site.nudge_all([nudge for nudge in nudges if nudge != ("deliver", owed)])
        if letter is not None:
            deliver.send(site, letter, match)
