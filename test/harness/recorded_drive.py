"""A recorded run of a simulated robot: commands and noisy poses, without its script."""

from collections.abc import Sequence

import numpy as np

from experiments.twin.recorded_run import RecordedRun, recorded_run
from simulator.world.config import WorldConfig
from simulator.world.world import World

Command = tuple[float, int, int]
POSES_AT = 3  # steps of 10 ms from pose to pose


def tour(rounds: int, speed_raw: int = 200) -> tuple[list[Command], float]:
    """Return commands of straights, turns and arcs with rests between them, and the time that they take."""
    half = speed_raw // 2
    moves = (
        (speed_raw, speed_raw, 6.0),
        (-half, half, 2.5),
        (speed_raw, half, 8.0),
        (half, speed_raw, 8.0),
        (-speed_raw, -speed_raw, 4.0),
        (half, -half, 3.0),
    )
    commands, time_s = [(0.0, 0, 0)], 1.0
    for left, right, duration_s in moves * rounds:
        commands += [(time_s, left, right), (time_s + duration_s, 0, 0)]
        time_s += duration_s + 1.0
    return commands, time_s


def recorded_drive(config: WorldConfig, commands: Sequence[Command], duration_s: float) -> RecordedRun:
    """Return what motion capture records of the world's first robot under commands."""
    world, capture = World(config, np.random.default_rng(config.seed)), config.motion_capture
    noise = np.random.default_rng([config.seed, 7])
    deviations = np.array([capture.position_noise_m, capture.position_noise_m, capture.heading_noise_rad])
    due = {round(100.0 * time_s): (left, right) for time_s, left, right in commands}
    poses = []
    for step in range(round(100.0 * duration_s)):
        if step in due:
            world.wheels.set_targets(list(due[step]))
        world.step(0.01)
        if step % POSES_AT == 0:
            pose = world.poses.truth()[0] + deviations * noise.standard_normal(3)
            poses.append([0.01 * (step + 1) + capture.latency_s, *pose.tolist()])
    return recorded_run("drive", commands, poses)
