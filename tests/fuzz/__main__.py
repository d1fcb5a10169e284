"""`python -m tests.fuzz` gives every entrance random inputs, and exits with code 1 if one did something forbidden:
raise an error that isn't a refusal, answer 500, log an error, take 3 seconds, or make the process grow by 400 MB.

    make fuzz                                      20,000 inputs, which takes a minute
    make fuzz ARGS="1000000 --seed 2"              a million others
    make fuzz ARGS="5000 --doors inbox,forms"      only some entrances
    make fuzz ARGS="--again var/fuzz/orders-7.txt" an input that was kept
    make fuzz ARGS="--coverage 600"                for ten minutes, emails guided by coverage (atheris)

The same seed makes the same inputs. Those that fail are kept in var/fuzz, with the error, and so is the slowest of each
door. Make a test of what fails. A door with a database is reset to the same rows after every few hundred inputs; if an
input fails only after others, `--doors NAME --first NUMBER` repeats them.
"""

from __future__ import annotations

import argparse
import ast
import sys
from pathlib import Path

from service.config import ROOT

KEPT = ROOT / "var" / "fuzz"


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="make fuzz", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("inputs", nargs="?", type=int, default=20_000, help="how many, for all doors together (20,000)")
    parser.add_argument("--seed", type=int, default=1, help="from which all inputs follow (1)")
    parser.add_argument("--doors", default="", metavar="NAMES", help="only these, with commas")
    parser.add_argument("--first", type=int, default=0, metavar="N", help="begin with input N of each door (0)")
    parser.add_argument("--folder", type=Path, default=KEPT, help="where inputs are kept (var/fuzz)")
    parser.add_argument("--again", type=Path, metavar="FILE", help="only the input that was kept there")
    parser.add_argument("--coverage", type=int, metavar="SECONDS", help="run atheris on the reader of emails")
    chosen = parser.parse_args()
    if chosen.coverage:
        from tests.fuzz import coverage

        coverage.main(chosen.coverage)
    return _again(chosen.again) if chosen.again else _all(chosen)


def _all(chosen: argparse.Namespace) -> int:
    from tests.fuzz.every_door import DOORS, trials
    from tests.fuzz.run import table

    results, names = [], chosen.doors.split(",") if chosen.doors else [*DOORS]
    for result in trials(names, chosen.seed, chosen.inputs, chosen.folder, chosen.first):
        results.append(result)
        print(table([result]).splitlines()[1], flush=True)
        for kept, why in result.faults.items():
            print(f"  {kept}\n{why}", flush=True)
    print(f"seed {chosen.seed}\n{table(results)}")
    return 1 if any(result.failed for result in results) else 0


def _again(kept: Path) -> int:
    """Gives a door an input that was kept, on a fresh site."""
    from tests.fuzz.every_door import DOORS
    from tests.fuzz.run import taken

    lines = kept.read_text().splitlines()
    door = DOORS[lines[0].removeprefix("# ").partition(",")[0]]()
    door.begin()
    accepted, seconds, wrong = taken(door, ast.literal_eval(lines[-1]))
    door.close()
    print(wrong or f"{'accepted' if accepted else 'refused'} in {seconds:.3f} seconds")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
