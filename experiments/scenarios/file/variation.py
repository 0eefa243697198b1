"""Varies the repetitions of an experiment, all from one seed."""

from dataclasses import replace

import numpy as np

from experiments.scenarios.file.experiment import StartSpread
from simulator.world.config import SimulatedRobotConfig, WorldConfig


def varied(world: WorldConfig, spread: StartSpread, seed: int, repetition: int) -> WorldConfig:
    """Return the world of a repetition, with its own noise, start poses and wheel gains."""
    random = np.random.default_rng([seed, repetition])
    robots = tuple(_varied(robot, spread, random) for robot in world.robots)
    return replace(world, robots=robots, seed=int(random.integers(2**32)))


def _varied(robot: SimulatedRobotConfig, spread: StartSpread, random: np.random.Generator) -> SimulatedRobotConfig:
    x_m, y_m, heading_rad, left, right = random.normal(size=5).tolist()
    return replace(
        robot,
        x_m=robot.x_m + spread.position_m * x_m,
        y_m=robot.y_m + spread.position_m * y_m,
        heading_rad=robot.heading_rad + spread.heading_rad * heading_rad,
        left_wheel_gain=robot.left_wheel_gain * (1.0 + spread.wheel_gain * left),
        right_wheel_gain=robot.right_wheel_gain * (1.0 + spread.wheel_gain * right),
    )
