"""Drives eight simulated Thymios at once, by eight vector field reachers through the driver."""

import math
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np

from bench.body.body_row import BodyRow
from bench.body.thymio_world import coupler_commands, running, simulated_fleet
from body.body_client import BodyClient, SentReacherGoal, pose_goal
from fleet.client.fleet_client import FleetClient
from fleet.commands.body.fleet_urdf import NOSE_M, fleet_urdf
from fleet.geometry import Pose2D
from fleet.settings.config import load_config
from thymio_base.shipped_files import shipped_file

_CELL_M: Final = 1.7  # each robot has a square of its own
_ROBOTS: Final = 8
_REACH_M: Final = 0.6  # of goals from the middle of a cell
_FIELD: Final = {"speed_mps": 0.12, "slow_down_m": 0.05, "default_precision_m": 0.004, "weight": 1.0}
_PATIENCE_S: Final = 90.0


def thymio_rows(goals: int, seed: int) -> Iterator[BodyRow]:
    """Yield how close the noses get to goals 0.5 to 1.5 m away.

    Parameters
    ----------
    goals
        number of goals for all robots together
    seed
        seed of the goals
    """
    rng = np.random.default_rng(seed)
    errors: list[float] = []
    homes = [_middle(number) for number in range(1, _ROBOTS + 1)]
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        config = stack.enter_context(simulated_fleet(folder, homes, (4 * _CELL_M, 2 * _CELL_M)))
        thymio = shipped_file("thymio.urdf", "description").read_text(encoding="utf-8")
        urdf = folder / "fleet.urdf"
        urdf.write_text(fleet_urdf(load_config(config), thymio), encoding="utf-8")
        stack.enter_context(running(coupler_commands(urdf, with_arm=False)))
        body = stack.enter_context(BodyClient())
        fleet = FleetClient()
        truths: dict[int, Pose2D] = {}
        for number in range(1, _ROBOTS + 1):
            fleet.watch_pose(f"/simulator/thymio_{number}/truth", partial(truths.__setitem__, number))
            body.add_re("VF", f"VF{number}")
            links = {"base_link": "map", "end_link": f"robot_{number}/nose_link"}
            body.set_params(f"VF{number}", links | {"task_weights": [1.0, 1.0, 0.0, 0.0, 0.0, 0.0]} | _FIELD)
            fleet.watch(number)
        everyone = range(1, _ROBOTS + 1)
        if not fleet.spin_until(lambda: len(truths) == _ROBOTS and all(map(fleet.is_ready, everyone)), _PATIENCE_S):
            raise SystemExit("the robots are not ready")
        while len(errors) < goals:
            errors += _round(body, fleet, truths, rng)
        fleet.close()
    near = [error < 0.01 for error in errors]
    text = f"{100 * np.mean(near):.1f} % of {len(errors)}, median {1e3 * np.median(errors):.1f} mm"
    yield BodyRow("8 Thymios at once, noses within 1 cm", ">= 99 %", text)


def _round(
    body: BodyClient, fleet: FleetClient, truths: dict[int, Pose2D], rng: np.random.Generator
) -> Iterator[float]:
    """Give each robot a goal, and yield the distance by which its nose misses it."""
    goals = {number: _goal(number, _nose(truths[number]), rng) for number in range(1, _ROBOTS + 1)}
    sent = {
        number: body.execute_action(f"VF{number}", pose_goal((*goal, 0.0), timeout_s=60.0), blocking=False)
        for number, goal in goals.items()
    }
    for one in sent.values():
        assert isinstance(one, SentReacherGoal)
        one.wait(_PATIENCE_S)
    fleet.spin(0.5)
    yield from (math.dist(_nose(truths[number]), goal) for number, goal in goals.items())


def _goal(number: int, start: tuple[float, float], rng: np.random.Generator) -> tuple[float, float]:
    x, y = _middle(number)
    while True:
        goal = (x + rng.uniform(-_REACH_M, _REACH_M), y + rng.uniform(-_REACH_M, _REACH_M))
        if 0.5 <= math.dist(goal, start) <= 1.5:
            return goal


def _nose(pose: Pose2D) -> tuple[float, float]:
    return pose.x_m + NOSE_M * math.cos(pose.heading_rad), pose.y_m + NOSE_M * math.sin(pose.heading_rad)


def _middle(number: int) -> tuple[float, float]:
    row, column = divmod(number - 1, 4)
    return (column + 0.5) * _CELL_M, (row + 0.5) * _CELL_M
