"""Measures how soon robots stop, over DDS and TCP as in production: python -m bench.stops --trials 10.

Noise-free motion capture at 100 Hz is the reference: a robot stands still from the first pose that no longer changes.
Each row shows the worst of the trials as a share of the limit promised in docs/interfaces.md.
"""

import os
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import yaml

from bench.instruments.printed_rows import options_of, print_rows
from fleet.client.fleet_client import FleetClient
from fleet.commands.demo.generated_fleet import write_files
from fleet.commands.processes import Processes, driver_command, simulator_command
from fleet.geometry import Pose2D
from fleet.goals.sent_goal import SentGoal

_READY_S = 30.0
_OBSERVE_S = 1.5  # how long a robot is watched after its stop command
_SAME_M = 1e-9
_UNDER_WAY_M = 0.08
_PROMISES_S = {
    "cancel: answer with the result": 0.5,
    "cancel: wheels stopped": 0.5,
    "driver killed: wheels stopped": 0.6,
    "SIGTERM: goal ends": 2.0,
    "SIGTERM: process has left": 2.0,
}


class _Run:
    """One robot in its simulated world, driving."""

    def __init__(self, folder: Path, processes: Processes) -> None:
        config, world = write_files(folder, 1)
        values = yaml.safe_load(world.read_text(encoding="utf-8"))
        values["motion_capture"] = {"rate_hz": 100, "position_noise_m": 0, "heading_noise_rad": 0}
        world.write_text(yaml.safe_dump(values), encoding="utf-8")
        self.poses: list[tuple[float, Pose2D]] = []
        with (folder / "log").open("wb") as log:
            processes.start("simulator", simulator_command(world), log)
            self.driver = processes.start("driver", driver_command(config), log)
        self.client = FleetClient()
        self.client.watch(1)
        self.client.watch_pose("/mocap/thymio_1/pose", lambda pose: self.poses.append((time.monotonic(), pose)))

    def drive(self) -> SentGoal:
        """Send the robot to a goal; return once it moves."""
        if not self.client.spin_until(self._is_ready, _READY_S):
            raise RuntimeError(f"the robot is not ready after {_READY_S:g} s")
        home = self.poses[-1][1]
        goal = self.client.go_to(1, home.compose(Pose2D(0.28, 0.0, 0.0)))
        if not self.client.spin_until(lambda: self.poses[-1][1].distance_to(home) > _UNDER_WAY_M, _READY_S):
            raise RuntimeError(f"the robot does not drive; its goal is {goal.state.value}")
        return goal

    def _is_ready(self) -> bool:
        return bool(self.poses) and self.client.is_ready(1)

    def stood_after_s(self, commanded_s: float) -> float:
        """Return the time from the stop command to the robot's last movement."""
        self.client.spin(max(0.0, commanded_s + _OBSERVE_S - time.monotonic()))
        last = self.poses[-1][1]
        moving = [at_s for at_s, pose in self.poses if not _same(pose, last)]
        return max(0.0, moving[-1] - commanded_s)


def main() -> int:
    """Measure and print a table."""
    parser = options_of(__doc__)
    parser.add_argument("--trials", type=int, default=5)
    options = parser.parse_args()
    os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    measured: dict[str, list[float]] = {name: [] for name in _PROMISES_S}
    for trial in (_cancel, _kill, _terminate):
        for _ in range(options.trials):
            for name, duration_s in _alone(trial).items():
                measured[name].append(duration_s)
    print_rows([_row(name, durations_s) for name, durations_s in measured.items()], as_json=options.json)
    return 0


def _alone(trial: Callable[[_Run], dict[str, float]]) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder, Processes() as processes:
        run = _Run(Path(folder), processes)
        try:
            return trial(run)
        finally:
            run.client.close()


def _cancel(run: _Run) -> dict[str, float]:
    goal = run.drive()
    commanded_s = time.monotonic()
    goal.cancel()
    run.client.spin_until(lambda: goal.state.is_final, _READY_S)
    answered_s = time.monotonic() - commanded_s
    return {"cancel: answer with the result": answered_s, "cancel: wheels stopped": run.stood_after_s(commanded_s)}


def _kill(run: _Run) -> dict[str, float]:
    run.drive()
    run.driver.kill()
    return {"driver killed: wheels stopped": run.stood_after_s(time.monotonic())}


def _terminate(run: _Run) -> dict[str, float]:
    goal = run.drive()
    run.driver.send_signal(signal.SIGTERM)
    commanded_s = time.monotonic()
    run.client.spin_until(lambda: goal.state.is_final, _READY_S)
    ended_s = time.monotonic() - commanded_s
    run.client.spin_until(lambda: run.driver.poll() is not None, _READY_S)
    return {"SIGTERM: goal ends": ended_s, "SIGTERM: process has left": time.monotonic() - commanded_s}


def _same(first: Pose2D, second: Pose2D) -> bool:
    return first.distance_to(second) < _SAME_M and abs(first.heading_error_to(second)) < _SAME_M


def _row(name: str, durations_s: list[float]) -> dict[str, object]:
    worst_s, promised_s = max(durations_s), _PROMISES_S[name]
    return {
        "how soon": name,
        "median_s": statistics.median(durations_s),
        "worst_s": worst_s,
        "promised_s": promised_s,
        "worst / promised": worst_s / promised_s,
    }


if __name__ == "__main__":
    sys.exit(main())
