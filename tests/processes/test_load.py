"""The generator of `tests.processes.load`, in the deployment that other tests have too."""

from __future__ import annotations

import asyncio

from tests.processes.deployment import Deployment, Outbox, wait_for
from tests.processes.load import PLIES, Load, memory, prepare, spent


def test_each_prepared_move_leads_to_the_expected_letter(deployment: Deployment, outbox: Outbox) -> None:
    mails = prepare(deployment, 2 * PLIES)
    letters = {mail.letter for mail in mails}
    assert len(letters) == 2 * PLIES
    load, before = Load(mails, deployment.ports["SMTP_PORT"]), spent(deployment)
    for number in range(0, len(mails), 2):  # Each match's next move comes after its last.
        load.mails = mails[number : number + 2]
        asyncio.run(load.run(rate=10))
        wait_for(lambda: {mail.letter for mail in load.mails} <= {*outbox.identities}, "the letters")
    assert len(load.accepted) == len(mails)
    assert spent(deployment)["worker"] > before["worker"]
    assert memory(deployment)["worker"] > 10
