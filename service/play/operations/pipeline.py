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
        with judging(site, match_id) as (tx, match):
            more = judge_oldest(tx, match)
            letter = deliver.claim_first(tx)
        if letter is not None:
            deliver.send(site, letter, match)
