"""Measures the fleet under an orchestrator: python -m bench.orchestrator [--json] [--runs N].

Rows: whether runs are identical, on an idle and on a busy machine; the same without an orchestrator; how often a node
with random numbers is found; and simulated seconds per real second.
"""

import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml

from bench.instruments.printed_rows import options_of, print_rows
from bench.instruments.unorchestrated_run import poses_of_run
from experiments.orchestrated.run_comparison import first_difference, read_record
from experiments.orchestrated.runs import run_stack
from experiments.orchestrated.stack import Stack, write_stack
from thymio_base.ros.private_domain import reserve_private_domain

ROOT = Path(__file__).parents[1]
SQUARES = ROOT / "examples/orchestrated/squares.yaml"
CHEAT = """
import random
from pathlib import Path
import rclpy
from geometry_msgs.msg import PoseStamped
from std_msgs.msg import Float64
from fleet.ros.orchestrated.counted_node import CountedNode
from fleet.ros.orchestrated.declared_callbacks import read_declared
rclpy.init()
node = CountedNode("cheat", read_declared(Path(__file__).with_suffix(".json")))
said = node.create_publisher(Float64, "/cheat", 10)
callback = lambda pose: said.publish(Float64(data=round(random.random(), 1)))
node.create_subscription(PoseStamped, "/factory/robot_1/pose", callback, 10)
rclpy.spin(node)
"""


@dataclass(frozen=True, slots=True)
class MeasuredCase:
    """One line of the table."""

    case: str
    result: str


def main() -> int:
    """Measure and print."""
    parser = options_of(__doc__)
    parser.add_argument("--runs", type=int, default=5, help="of each kind (default: %(default)s)")
    options = parser.parse_args()
    reserve_private_domain()
    with tempfile.TemporaryDirectory(prefix="orchestrator-") as folder:
        print_rows(rows(Path(folder), options.runs), as_json=options.json)
    return 0


def rows(folder: Path, runs: int) -> Iterator[MeasuredCase]:
    """Yield the rows as they are measured."""
    yield identical(folder / "same", runs)
    yield unorchestrated(folder / "live", runs)
    yield culprits(folder / "cheat", 2 * runs)
    yield speed(folder / "two", 2, 50.0, without_poses=True)
    yield speed(folder / "eight", 8, 50.0, without_poses=True)
    yield speed(folder / "all", 8, 50.0, without_poses=False)


def identical(folder: Path, runs: int) -> MeasuredCase:
    """Run the two squares, each time with another hash seed of Python, every second time beside busy processes."""
    stack = _written(SQUARES, folder)
    records = []
    for number in range(2 * runs):
        os.environ["PYTHONHASHSEED"] = str(number)
        file = run_stack(stack, folder, f"run_{number}", is_busy=number % 2 == 1)
        records.append(read_record(file.read_text().splitlines()))
    digests = {json.dumps(record.digests()) for record in records}
    first = records[0]
    case = f"2 robots, 60 s, 6 tasks: {runs} runs idle, {runs} beside 3 busy processes"
    return MeasuredCase(case, f"{len(digests)} result: {first.message_count} messages on {len(first.messages)} topics")


def unorchestrated(folder: Path, runs: int) -> MeasuredCase:
    """Run the same experiment with live programs, at twice real time."""
    folder.mkdir()
    found = {json.dumps(poses_of_run(SQUARES, folder, number)) for number in range(runs)}
    return MeasuredCase(f"the same without an orchestrator, {runs} runs", f"{len(found)} results")


def culprits(folder: Path, runs: int) -> MeasuredCase:
    """Count how often a node with random numbers is named."""
    folder.mkdir()
    file = folder / "cheat.yaml"
    nodes = "orchestrated: {nodes: {cheat: {run: cheat.py, config: cheat.json}}}\n"
    file.write_text(SQUARES.read_text() + nodes)
    (folder / "cheat.py").write_text(CHEAT)
    callback = {"name": "pose", "trigger": "/factory/robot_1/pose", "outputs": ["/cheat"]}
    (folder / "cheat.json").write_text(json.dumps({"name": "cheat", "callbacks": [callback]}))
    stack = write_stack(file, folder, 5.0)
    records = [
        read_record(run_stack(stack, folder, f"run_{number}", is_busy=False).read_text().splitlines())
        for number in range(runs + 1)
    ]
    found = [first_difference(records[0], record) for record in records[1:]]
    named = sum(difference is not None and difference.node == "/cheat" for difference in found)
    return MeasuredCase("a node with random numbers", f"named in {named} of {runs} runs")


def speed(folder: Path, robots: int, duration_s: float, *, without_poses: bool) -> MeasuredCase:
    """Time a run of robots that all drive."""
    folder.mkdir()
    file = folder / "robots.yaml"
    file.write_text(yaml.safe_dump(_driving(robots, duration_s, without_poses=without_poses)))
    stack = write_stack(file, folder)
    began_s = time.monotonic()
    run_stack(stack, folder, "run", is_busy=False)
    rate = duration_s / (time.monotonic() - began_s - _start_s(stack, folder))
    outputs = "bytes and statuses" if without_poses else f"{2 * robots + 1} outputs"
    return MeasuredCase(f"{robots} robots, {outputs}, {20 * duration_s:.0f} ticks", f"{rate:.1f} x real time")


def _start_s(stack: Stack, folder: Path) -> float:
    """Return the duration of a run of a single tick: starting and ending the programs."""
    place = stack.simulator.index("--duration") + 1
    short = Stack(stack.nodes, (*stack.simulator[:place], "0.05", *stack.simulator[place + 1 :]), stack.others)
    began_s = time.monotonic()
    run_stack(short, folder, "start", is_busy=False)
    return time.monotonic() - began_s


def _driving(robots: int, duration_s: float, *, without_poses: bool) -> dict[str, object]:
    """Return an experiment in which each of the first robots of the shipped fleet drives a square."""
    world, fleet = (yaml.safe_load((ROOT / f"config/{name}.yaml").read_text()) for name in ("world", "fleet"))
    world["robots"], fleet["robots"] = world["robots"][:robots], fleet["robots"][:robots]
    tasks = [
        {
            "id": f"square {number}",
            "robot": number,
            "follow_path": {"shape": "square", "size_m": 0.4},
            "speed_mps": 0.06,
        }
        for number in range(1, robots + 1)
    ]
    statuses = [f"/factory/robot_{number}/status" for number in range(1, robots + 1)]
    experiment = {"title": "driving", "world": world, "fleet": fleet, "duration_s": duration_s, "tasks": tasks}
    return experiment | ({"orchestrated": {"outputs": statuses}} if without_poses else {})


def _written(file: Path, folder: Path) -> Stack:
    folder.mkdir()
    return write_stack(file, folder)


if __name__ == "__main__":
    sys.exit(main())
