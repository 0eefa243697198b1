"""`python -m bench.bringup [--mutants] [--right N] [--live N]`: one row for each robot; fails if any is wrong."""

import argparse
import json
import sys
from collections.abc import Iterator
from typing import Any

from bench.bringup.live_runs import live_rows
from bench.bringup.mutants import MUTANTS, Mutant, right_robot
from experiments.lab.simulated_bringup import SimulatedBringup
from fleet.bringup.stage_result import StageResult, StageVerdict


def bring_up(mutant: Mutant, seed: int = 1) -> list[StageResult]:
    """Return the results of the stages for a faulty robot."""
    world = mutant.build(seed)
    return SimulatedBringup(world, node_id=1 if mutant.has_node_id else None).bring_up()


def first_problem(results: list[StageResult]) -> tuple[str, str]:
    """Return stage and cause of the first symptom, "" if there is none."""
    for result in results:
        for symptom in result.symptoms:
            return result.stage.value, symptom.cause.code
    return "", ""


def mutant_rows(seed: int) -> Iterator[dict[str, Any]]:
    """Yield a row for each mutant."""
    for mutant in MUTANTS:
        stage, cause = first_problem(bring_up(mutant, seed))
        is_named = (stage, cause) == (mutant.stage.value, mutant.cause.code)
        yield {"mutant": mutant.name, "stage": stage, "cause": cause, "named": is_named}


def right_rows(count: int) -> Iterator[dict[str, Any]]:
    """Yield a row for each sound robot, alternating between cable and radio."""
    for seed in range(1, count + 1):
        results = SimulatedBringup(right_robot(seed, by_radio=seed % 2 == 0)).bring_up()
        stage, cause = first_problem(results)
        has_passed = all(result.verdict is StageVerdict.PASSED for result in results)
        yield {"right": seed, "stage": stage, "cause": cause, "named": has_passed}


def main() -> int:
    """Run the chosen robots."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mutants", action="store_true", help="robots that are wrong in one way each")
    parser.add_argument("--right", type=int, default=0, metavar="N", help="sound robots with other noise each")
    parser.add_argument(
        "--live", type=int, default=0, metavar="N", help="sound robots on pseudo-terminals, in real time"
    )
    parser.add_argument("--jobs", type=int, default=5, help="live robots side by side (default: %(default)s)")
    parser.add_argument("--spin", type=int, default=0, help="busy processes beside the live robots")
    parser.add_argument("--seed", type=int, default=1, help="of the mutants' noise")
    parser.add_argument("--json", action="store_true", help="rows of JSON")
    options = parser.parse_args()
    rows = []
    if options.mutants or not (options.right or options.live):
        rows += [_printed(row, options.json) for row in mutant_rows(options.seed)]
    rows += [_printed(row, options.json) for row in right_rows(options.right)]
    if options.live:
        rows += [_printed(row, options.json) for row in live_rows(options.live, options.jobs, options.spin)]
    wrong = sum(not row["named"] for row in rows)
    print(f"{len(rows) - wrong} of {len(rows)} as they should be", file=sys.stderr)
    return min(wrong, 1)


def _printed(row: dict[str, Any], is_json: bool) -> dict[str, Any]:
    print(json.dumps(row) if is_json else "  ".join(str(value) for value in row.values()), flush=True)
    return row


if __name__ == "__main__":
    sys.exit(main())
