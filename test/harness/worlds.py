"""Worlds for tests: 2 m by 2 m; motors and wheels are perfect by default."""

from dataclasses import replace

import numpy as np

from simulator.physics.contacts import gap_m
from simulator.physics.neighbours import Neighbours
from simulator.physics.objects import ObjectConfig
from simulator.physics.walls import Ends
from simulator.physics.wheels import MotorsConfig
from simulator.world.config import (
    SimulatedRobotConfig,
    WallConfig,
    WorldConfig,
    build_world,
)
from simulator.world.world import World

TICK_S = 0.01
SIDE_M = 2.0
DEFAULTS = build_world(
    {
        "arena": {"width_m": SIDE_M, "height_m": SIDE_M},
        "robots": [{"node_id": 1, "x_m": 1.0, "y_m": 1.0}],
        "objects": [
            {"name": "post", "shape": "cylinder", "x_m": 1.0, "y_m": 1.0},
            {"name": "parcel", "shape": "box", "x_m": 1.0, "y_m": 1.0},
        ],
    }
)
POST, PARCEL = DEFAULTS.objects
PERFECT = replace(DEFAULTS.motors, time_constant_s=0.0, speed_noise=0.0)
Pose = tuple[float, float, float]


def robot(number: int, pose: Pose, gains: tuple[float, float] = (1.0, 1.0)) -> SimulatedRobotConfig:
    return SimulatedRobotConfig(number, bytes(16), *pose, left_wheel_gain=gains[0], right_wheel_gain=gains[1])


def config(
    *poses: Pose,
    motors: MotorsConfig = PERFECT,
    gains: tuple[float, float] = (1.0, 1.0),
    walls: tuple[Ends, ...] = (),
    objects: tuple[ObjectConfig, ...] = (),
    seed: int = 1,
) -> WorldConfig:
    return replace(
        DEFAULTS,
        walls=tuple(WallConfig(ends) for ends in walls),
        motors=motors,
        robots=tuple(robot(index + 1, pose, gains) for index, pose in enumerate(poses)),
        seed=seed,
        objects=objects,
    )


def world_of(settings: WorldConfig) -> World:
    return World(settings, np.random.default_rng(settings.seed))


def world(
    *poses: Pose,
    motors: MotorsConfig = PERFECT,
    gains: tuple[float, float] = (1.0, 1.0),
    walls: tuple[Ends, ...] = (),
    objects: tuple[ObjectConfig, ...] = (),
    seed: int = 1,
) -> World:
    return world_of(config(*poses, motors=motors, gains=gains, walls=walls, objects=objects, seed=seed))


def drive(simulated: World, left_raw: int, right_raw: int, steps: int) -> World:
    simulated.wheels.targets_raw[:] = (left_raw, right_raw)
    for _ in range(steps):
        simulated.step(TICK_S)
    return simulated


def overlap_m(simulated: World) -> float:
    """Return the largest overlap of any two bodies; 0 if none overlap."""
    table, places = simulated.bodies.table, simulated.poses.places()
    pairs = Neighbours(table, simulated.poses.movers, table.is_solid, 0.0).pairs(places)
    return max(0.0, -gap_m(table, places, pairs)) if pairs else 0.0


def cylinder(
    x_m: float, y_m: float, radius_m: float = 0.03, *, mass_kg: float = 0.05, movable: bool = True
) -> ObjectConfig:
    return replace(POST, x_m=x_m, y_m=y_m, radius_m=radius_m, mass_kg=mass_kg, movable=movable)


def box(x_m: float, y_m: float, heading_rad: float = 0.0, *, movable: bool = True) -> ObjectConfig:
    return replace(PARCEL, x_m=x_m, y_m=y_m, heading_rad=heading_rad, movable=movable)
