"""Measures how eight robots follow paths at once over the real wire: python -m bench.wire_tracking [--laps 1] [--json].

Simulator and driver are separate processes, joined by Aseba on TCP; goals and poses go over DDS. Odd robots drive
the square of 1 m, even ones the star of the published experiments, at 0.1 m/s; motion capture measures at 30 Hz with
1 mm noise, and wheels roll up to 3 % further or less than they report. A row is one robot: the largest and the root
mean square distance of its true poses from its path, and the largest closest approach to a corner. The first 5 s do
not count.
"""

import math
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import yaml

from bench.instruments.printed_rows import options_of, print_rows
from experiments.control_study.tracking_trials import SPEED_MPS, WARM_UP_S
from experiments.lab.courses import course
from fleet.client.fleet_client import FleetClient
from fleet.commands.demo.demo_domain import choose_domain
from fleet.commands.demo.generated_fleet import write_fleet
from fleet.commands.processes import Processes, driver_command, simulator_command
from fleet.geometry import Pose2D
from fleet.goals.sent_goal import SentGoal
from fleet.work.work import PathWish

_ROBOTS = 8
_COLUMNS = 4
_CELL_M = (3.3, 3.2)  # the star is 2.9 m wide and 2.7 m high
_START_M = {"square": (1.1, 1.1), "star": (2.2, 1.3)}  # where in its cell a path starts
_SIGNS = ((1, 1), (1, -1), (-1, 1), (-1, -1))  # so that half of the robots are biased to one side
_MISMATCH = 0.03
_READY_S = 30.0
_SLOWER = 1.5  # allowed duration of laps relative to 0.1 m/s
_REFRESH_S = 0.5


@dataclass(frozen=True, slots=True)
class WireTrackingRow:
    """The result of one robot."""

    robot: int
    path: str
    state: str
    max_mm: float
    rms_mm: float
    miss_mm: float
    duration_s: float
    laps: int
    poses: int


@dataclass(slots=True)
class _Track:
    """The true poses of a robot since it received its goal."""

    start: Pose2D
    path: str
    poses: list[tuple[float, Pose2D]]

    def on_truth(self, pose: Pose2D) -> None:
        """Process a true pose."""
        self.poses.append((time.monotonic(), pose))


def main() -> int:
    """Measure and print rows."""
    parser = options_of(__doc__)
    parser.add_argument("--laps", type=int, default=1)
    options = parser.parse_args()
    choose_domain()
    with tempfile.TemporaryDirectory() as folder, Processes() as processes:
        rows = _measure(Path(folder), processes, options.laps)
    print_rows(rows, as_json=options.json)
    return 0 if all(row.state == "SUCCEEDED" for row in rows) else 1


def _measure(folder: Path, processes: Processes, laps: int) -> list[WireTrackingRow]:
    config, world = _write_files(folder)
    with (folder / "log").open("wb") as log:
        processes.start("simulator", simulator_command(world), log)
        processes.start("driver", driver_command(config), log)
    client = FleetClient()
    try:
        tracks = {robot_id: _Track(_start(robot_id), _path(robot_id), []) for robot_id in _robot_ids()}
        for robot_id, track in tracks.items():
            client.watch(robot_id)
            client.watch_pose(f"/simulator/thymio_{robot_id}/truth", track.on_truth)
        if not client.spin_until(lambda: all(map(client.is_ready, tracks)), _READY_S):
            raise RuntimeError(f"the robots are not ready after {_READY_S:g} s\n{(folder / 'log').read_text()}")
        sent_s = time.monotonic()
        goals = [client.follow_path(robot_id, _goal(track, laps)) for robot_id, track in tracks.items()]
        longest_m = max(course(track.path, laps).length_m for track in tracks.values())
        client.spin_until(lambda: all(goal.state.is_final for goal in goals), _SLOWER * longest_m / SPEED_MPS)
        return [_row(goal, tracks[goal.robot_id], sent_s, laps) for goal in goals]
    finally:
        client.close()


def _goal(track: _Track, laps: int) -> PathWish:
    start = {"x_m": track.start.x_m, "y_m": track.start.y_m, "heading_rad": track.start.heading_rad}
    text = yaml.safe_dump({"shape": track.path, "start": start, "relative_to": "map"})
    return PathWish(text, SPEED_MPS, laps)


def _row(goal: SentGoal, track: _Track, sent_s: float, laps: int) -> WireTrackingRow:
    """Return the result of one robot from its true poses, relative to the start of its path."""
    during = [pose for at_s, pose in track.poses if sent_s + WARM_UP_S < at_s <= sent_s + goal.duration_s]
    relative = [pose.relative_to(track.start) for pose in during]
    positions = np.array([[pose.x_m, pose.y_m] for pose in relative]).reshape(-1, 1, 2)
    run = course(track.path, laps)
    off_m = run.distances(positions) if during else np.array([math.inf])
    return WireTrackingRow(
        robot=goal.robot_id,
        path=track.path,
        state=goal.state.value,
        max_mm=1000.0 * float(off_m.max()),
        rms_mm=1000.0 * float(np.sqrt(np.mean(off_m**2))),
        miss_mm=1000.0 * run.missed_m(positions),
        duration_s=goal.duration_s,
        laps=laps,
        poses=len(during),
    )


def _robot_ids() -> range:
    return range(1, _ROBOTS + 1)


def _path(robot_id: int) -> str:
    return "square" if robot_id % 2 else "star"


def _start(robot_id: int) -> Pose2D:
    """Return the start pose of a robot's path, in its own cell."""
    column, row = (robot_id - 1) % _COLUMNS, (robot_id - 1) // _COLUMNS
    x_m, y_m = _START_M[_path(robot_id)]
    return Pose2D(_CELL_M[0] * column + x_m, _CELL_M[1] * row + y_m, 0.0)


def _write_files(folder: Path) -> tuple[Path, Path]:
    """Write the fleet's and the world's file; return their paths."""
    width_m, height_m = _CELL_M[0] * _COLUMNS, _CELL_M[1] * math.ceil(_ROBOTS / _COLUMNS)
    starts = [_start(robot_id).compose(course(_path(robot_id), 1).lap.start) for robot_id in _robot_ids()]
    config, world = write_fleet(folder, starts, width_m, height_m)
    values = yaml.safe_load(world.read_text(encoding="utf-8"))
    values["motion_capture"] = {"rate_hz": 30, "position_noise_m": 0.001, "heading_noise_rad": math.radians(0.3)}
    for robot in values["robots"]:
        left, right = _SIGNS[robot["node_id"] // 2 % len(_SIGNS)]
        robot.update(left_wheel_gain=1.0 + left * _MISMATCH, right_wheel_gain=1.0 + right * _MISMATCH)
    world.write_text(yaml.safe_dump(values), encoding="utf-8")
    return config, world


if __name__ == "__main__":
    sys.exit(main())
