"""How tests are divided among the processes that run them: one process runs a whole file, or all files of a share."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from operator import itemgetter

import pytest
from xdist.scheduler import LoadScopeScheduling
from xdist.workermanage import WorkerController

TOGETHER = (
    "processes/test_doors processes/test_doctor processes/test_kill processes/test_run processes/test_chaos "
    "processes/test_herds processes/test_load processes/test_hooks",
    "web/test_back web/test_page_types web/test_whole_matches web/test_keyboard web/test_hand web/test_staying_current "
    "web/account/test_credentials web/operators/test_desk web/test_browser web/rules/test_lessons "
    "web/test_conversation",
    "secrecy/test_pages secrecy/test_mail secrecy/test_later_acts secrecy/test_exports secrecy/test_afterwards "
    "secrecy/test_trouble secrecy/test_cups secrecy/test_agreements secrecy/test_limits secrecy/test_anonymous "
    "secrecy/test_api secrecy/test_teams secrecy/test_departures",
    "processes/test_real_mail inbound/test_imap",
    "web/test_hostile play/test_at_once play/test_match play/test_postgresql play/test_migrations "
    "play/outbox/test_old_letters web/match/test_packed test_upkeep",
    "play/inbox/test_run_commands",
)
"""Files that need the same deployment, browser, database server or sites; and the files that take longest, because they
begin first."""

SHARE = {f"tests/{file}.py": share for share, files in enumerate(TOGETHER) for file in files.split()}
"""The place in line of a file that is named above."""


def _file(nodeid: str) -> str:
    return nodeid.partition("::")[0]


class Shares(LoadScopeScheduling):  # type: ignore[misc] # It is not typed.
    """Hands out one share after the other, in the order in which the tests were collected.

    `--dist loadgroup` is no help: it changes the names of tests, which pytest 9.2 ignores
    (https://github.com/pytest-dev/pytest-xdist/issues/1386).
    """

    def _split_scope(self, nodeid: str) -> str:
        file = _file(nodeid)
        return str(SHARE.get(file, file))

    def mark_test_complete(self, node: WorkerController, item_index: int, duration: float = 0) -> None:
        """Forgets a finished test. By default the scheduler keeps them all, and recounts them after each message."""
        nodeid, work = self.registered_collections[node][item_index], self.assigned_work[node]
        share = self._split_scope(nodeid)
        del work[share][nodeid]
        if not work[share]:
            del work[share]
        self._reschedule(node)


def slowest(reports: Iterable[pytest.TestReport], most: int = 10) -> list[str]:
    """The files whose tests took longest, a line each: seconds with setup and teardown, and the file."""
    seconds: dict[str, float] = defaultdict(float)
    for report in reports:
        seconds[_file(report.nodeid)] += report.duration
    ranked = sorted(seconds.items(), key=itemgetter(1), reverse=True)
    return [f"{taken:6.1f} s  {file}" for file, taken in ranked[:most]]


def in_order(items: Sequence[pytest.Item]) -> list[pytest.Item]:
    """The tests of the shares above first."""
    return sorted(items, key=lambda item: SHARE.get(_file(item.nodeid), len(TOGETHER)))
