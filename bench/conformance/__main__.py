"""Has the conformance kit judge servers in memory: the reference, faulty servers, and the customer's simulator.

`--mutants` lists the cases that found each faulty server; `--right N` judges the reference N times, each time with
a different start of its clock and a different speed of the machine's steps.
"""

import argparse
import sys
from collections.abc import Callable, Iterator
from typing import Any

from bench.conformance.memory_port import MakeRobot, MemoryPort
from bench.conformance.reference_robot import ReferenceRobot
from bench.conformance.wrong_servers import MUTANTS, CustomersSimulator
from conformance.cases.case import Judgement
from conformance.play.plan import RunProfile, planned
from conformance.play.robot_stage import ScenarioStage
from conformance.record.finding import CaseVerdict
from conformance.record.run_record import ServerRecording
from conformance.run.kit_run import judge, perform
from conformance.run.set_up import read_set_up
from thymio_base.texts.json_lines import add_json_option, print_json_lines

BAD = (CaseVerdict.FAIL, CaseVerdict.INCONCLUSIVE, CaseVerdict.ERROR)


def run_in_memory(
    make_robot: MakeRobot, *, start_s: float = 0.5, strict: bool = True
) -> tuple[ServerRecording, dict[str, Any]]:
    """Return the recording of all scenarios with a server in memory, and the run's set-up."""
    setup = read_set_up(None, "/factory/robot_1", RunProfile.FULL, {"strict": strict, "timeout_s": 20.0})
    port = MemoryPort(make_robot, setup)
    port.wait(lambda: False, start_s)
    perform(ScenarioStage(port, setup, f"ct{start_s}"), planned(RunProfile.FULL, setup), setup, lambda *_: None)
    return port.recording, setup


def verdicts(make_robot: MakeRobot, **options: Any) -> list[Judgement]:
    """Return the verdicts on a server in memory."""
    return judge(*run_in_memory(make_robot, **options))


def wrong_servers() -> Iterator[dict[str, Any]]:
    """Yield for each faulty server the case that must find it, and the cases that do."""
    for name, (address, robot) in MUTANTS.items():
        failed = [one.case.address for one in verdicts(robot) if one.verdict is CaseVerdict.FAIL]
        yield {"server": name, "case": address, "is_found": address in failed, "failed": failed}


def main() -> int:
    """Print the rows; return 1 if a faulty server is missed, or the correct server fails."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--mutants", action="store_true", help="judge the wrong servers")
    parser.add_argument("--right", type=int, default=1, metavar="N", help="judge the right one N times")
    add_json_option(parser)
    options = parser.parse_args()
    rows = [*_right(options.right), _customers(), *(wrong_servers() if options.mutants else ())]
    if options.json:
        print_json_lines(rows)
    else:
        for row in rows:
            print(*(f"{key} {value}" for key, value in row.items()), sep="; ")
    return int(not all(row["is_found"] for row in rows))


def _right(count: int) -> Iterator[dict[str, Any]]:
    for index in range(count):
        bad = _addresses(ReferenceRobot, lambda one: one.verdict in BAD, start_s=0.5 + 0.137 * index)
        yield {"server": "ReferenceRobot", "case": "none", "is_found": not bad, "failed": bad}


def _customers() -> dict[str, Any]:
    failed = _addresses(CustomersSimulator, lambda one: one.verdict is CaseVerdict.FAIL, strict=False)
    return {
        "server": "CustomersSimulator",
        "case": "D7 G2 G4",
        "is_found": failed == ["D7", "G2", "G4"],
        "failed": failed,
    }


def _addresses(robot: MakeRobot, is_chosen: Callable[[Judgement], bool], **options: Any) -> list[str]:
    return [one.case.address for one in verdicts(robot, **options) if is_chosen(one)]


if __name__ == "__main__":
    sys.exit(main())
