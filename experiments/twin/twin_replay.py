"""Repeats a recorded run in the simulator, without noise, and measures the distance between the final poses."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from experiments.twin.least_squares import Array
from experiments.twin.recorded_run import RecordedRun
from simulator.firmware.hardware import Hardware
from simulator.firmware.peripherals import TICK_S
from simulator.world.config import WorldConfig, build_world
from simulator.world.world import World

_ENDS_S: Final = 0.5  # final time, at rest, over which poses are averaged


@dataclass(frozen=True, slots=True)
class RepeatedRun:
    """The differences between the simulated and the recorded robot at the end of a run, and at most."""

    distance_m: float
    end_m: float
    end_rad: float
    furthest_m: float


def repeat_run(values: Mapping[str, Any], run: RecordedRun, delay_s: float, marker_x_m: float) -> RepeatedRun:
    """Repeat a run with the robot of a world.

    Parameters
    ----------
    values
        keys of the world
    run
        run to repeat; the robot is at rest at its start
    delay_s
        time from a command to the first pose with its effect
    marker_x_m
        position of the marker, ahead of the middle of the axle
    """
    config = _quiet(build_world(values))
    start_s = float(run.commands[0, 0]) if len(run.commands) else float(run.poses[0, 0])
    start_s = min(start_s, float(run.poses[0, 0])) - delay_s - 0.1
    path = _driven(config, run, start_s)
    at = np.clip((run.poses[:, 0] - delay_s - start_s) / TICK_S, 0.0, len(path) - 1.0)
    path[:, 2] = np.unwrap(path[:, 2])
    x_m, y_m, heading = (np.interp(at, np.arange(len(path)), path[:, column]) for column in range(3))
    x_m, y_m = x_m + marker_x_m * np.cos(heading), y_m + marker_x_m * np.sin(heading)
    measured = np.unwrap(run.poses[:, 3])
    first = run.poses[:, 0] <= _first_motion_s(run) + delay_s
    first[: min(3, len(first))] = True
    turn = float(np.mean(measured[first] - heading[first]))
    cosine, sine = math.cos(turn), math.sin(turn)
    off_x = cosine * x_m - sine * y_m - run.poses[:, 1]
    off_y = sine * x_m + cosine * y_m - run.poses[:, 2]
    off_m = np.hypot(off_x - off_x[first].mean(), off_y - off_y[first].mean())
    last = run.poses[:, 0] >= run.poses[-1, 0] - _ENDS_S
    steps = np.hypot(*np.diff(path[:, :2], axis=0).T)
    return RepeatedRun(
        distance_m=float(steps.sum()),
        end_m=math.hypot(off_x[last].mean() - off_x[first].mean(), off_y[last].mean() - off_y[first].mean()),
        end_rad=float(np.mean(heading[last] + turn - measured[last])),
        furthest_m=float(off_m.max()),
    )


def _first_motion_s(run: RecordedRun) -> float:
    moving = run.commands[run.commands[:, 1:].any(axis=1)]
    return float(moving[0, 0]) if len(moving) else math.inf


def _driven(config: WorldConfig, run: RecordedRun, start_s: float) -> Array:
    """Return the robot's poses after each step, shape (n, 3)."""
    world, hardware = World(config, np.random.default_rng(0)), Hardware(config.robots[0].hardware)
    due = np.ceil((run.commands[:, 0] - start_s) / TICK_S - 1e-6).astype(int).tolist()
    targets = run.commands[:, 1:].round().astype(int).tolist()
    held, at, path = (0, 0), 0, [world.poses.truth()[0]]
    for step in range(round((float(run.poses[-1, 0]) + 0.5 - start_s) / TICK_S)):
        while at < len(due) and due[at] <= step:
            held = (targets[at][0], targets[at][1])
            at += 1
        world.wheels.set_targets(list(hardware.targets(held)))
        world.step(TICK_S)
        path.append(world.poses.truth()[0])
    return np.array(path)


def _quiet(config: WorldConfig) -> WorldConfig:
    """Return the world without noise, and without walls near the robot."""
    motors = replace(config.motors, speed_noise=0.0, slip=0.0, reading_noise_raw=0.0)
    robot = replace(config.robots[0], x_m=0.5 * _WIDE_M, y_m=0.5 * _WIDE_M)
    return replace(
        config, motors=motors, robots=(robot,), arena=replace(config.arena, width_m=_WIDE_M, height_m=_WIDE_M)
    )


_WIDE_M: Final = 200.0
