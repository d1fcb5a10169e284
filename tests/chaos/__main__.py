"""`python -m tests.chaos` plays while everything goes wrong, and exits with 1 if anything was lost or doubled."""

from __future__ import annotations

import argparse
import sys

from tests.chaos.run import Plan, run
from tests.rabbitmq import PROGRAMS


def main() -> int:
    parser = argparse.ArgumentParser(prog="make chaos", description=__doc__)
    parser.add_argument("--orders", type=int, default=2000, help="how many orders to send (2000)")
    parser.add_argument("--seed", type=int, default=1, help="the random seed of moves and faults (1)")
    parser.add_argument("--database", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument(
        "--broker", choices=("valkey", "rabbitmq"), default="valkey", help="RabbitMQ needs Debian's rabbitmq-server"
    )
    parser.add_argument("--faults", default="", help="prefixes of names, such as kill,full-disk,letters (all)")
    parser.add_argument("--every", type=float, default=15.0, help="mean number of orders between faults (15)")
    chosen = parser.parse_args()
    if chosen.broker == "rabbitmq" and not PROGRAMS.exists():
        parser.error("RabbitMQ isn't installed: apt-get install rabbitmq-server")
    faults = [name for name in chosen.faults.split(",") if name]
    result = run(Plan(chosen.orders, chosen.seed, chosen.database, chosen.broker, faults, chosen.every))
    print(result)
    return 1 if result.findings.kinds else 0


if __name__ == "__main__":
    sys.exit(main())
