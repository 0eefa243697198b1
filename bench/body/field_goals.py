"""Runs many goals of a vector field reacher with the example's arm, in simulated time."""

import math
import time
from dataclasses import dataclass

import numpy as np

from bench.body.arm_loop import PERIOD_S, ArmLoop, example_body
from body.control.vector_field import pose_error
from body.description.robot_tree import Floats
from body.kinematics.chain import KinematicChain
from body.reachers.reacher import EndReason
from body.reachers.vector_field_reacher import FieldSettings, PoseGoal, VectorFieldReacher

_STANDSTILL_RADPS = 1e-4
_LONGEST_S = 60.0
_MIDDLE_SEED, _RANDOM_SEED = 1, 2


@dataclass(frozen=True, slots=True)
class FieldRun:
    """The result of one goal, from the simulated joints.

    Parameters
    ----------
    reason : reason of its end; None without an end after a minute
    seconds : simulated time until the end
    standstill_s : how long the arm had been stationary before the end
    error_m, error_rad : errors at the end
    speed_mps : speed of the hand at the end
    straightness : length of the hand's path over the distance
    outside : number of samples of joints or commands beyond a limit
    too_fast : number of samples of joints or commands above a speed limit
    """

    reason: EndReason | None
    seconds: float
    standstill_s: float
    error_m: float
    error_rad: float
    speed_mps: float
    straightness: float
    outside: int
    too_fast: int


def goal_in_the_middle(number: int) -> FieldRun:
    """Run a goal whose start and end lie in the middle 60 % of the ranges, joints within 0.8 rad of each other."""
    rng = np.random.default_rng([_MIDDLE_SEED, number])
    arm = example_body("arm")
    start = 0.6 * rng.uniform(arm.lower, arm.upper)
    return run_goal(start, np.clip(start + rng.uniform(-0.8, 0.8, 7), 0.6 * arm.lower, 0.6 * arm.upper))


def random_goal(number: int) -> FieldRun:
    """Run a goal from a random to a random pose of the whole range."""
    rng = np.random.default_rng([_RANDOM_SEED, number])
    arm = example_body("arm")
    return run_goal(rng.uniform(arm.lower, arm.upper), rng.uniform(arm.lower, arm.upper))


def run_goal(start: Floats, end: Floats) -> FieldRun:
    """Move the hand from its pose at `start` to its pose at `end`.

    Parameters
    ----------
    start, end
        joint positions, shape (7,) [rad]
    """
    arm = example_body("arm")
    chain = KinematicChain(arm, "robot-base", "hand_link")
    reacher = VectorFieldReacher(arm)
    precision = np.array([0.001 / np.sqrt(3)] * 3 + [np.radians(0.5) / np.sqrt(3)] * 3)  # 1 mm and 0.5 degrees in total
    reacher.configure(FieldSettings("robot-base", "hand_link", precision=precision))
    wanted = chain.pose(end)
    loop = ArmLoop(arm, [(reacher, 1.0)], start)
    reacher.start(PoseGoal(wanted, np.zeros(6)), loop.now_ns)
    before = chain.pose(start)[:3, 3]
    distance = max(float(np.linalg.norm(wanted[:3, 3] - before)), 1e-9)
    way, speed, stood_s, outside, too_fast = 0.0, 0.0, 0.0, 0, 0
    references = start
    ended = None
    while ended is None and loop.now_ns < _LONGEST_S * 1e9:
        loop.step()
        place = chain.pose(loop.arm.positions)[:3, 3]
        step = math.dist(place, before)
        way, speed, before = way + step, step / PERIOD_S, place
        stood_s = stood_s + PERIOD_S if np.abs(loop.arm.velocities).max() < _STANDSTILL_RADPS else 0.0
        before_references, references = references, loop.references
        for positions in (loop.arm.positions, references):
            outside += int(((positions < arm.lower) | (positions > arm.upper)).any())
        too_fast += int((np.abs(references - before_references) > arm.fastest * PERIOD_S + 1e-9).any())
        too_fast += int((np.abs(loop.arm.velocities) > arm.fastest + 1e-9).any())
        ended = reacher.take_end()
    error = pose_error(chain.pose(loop.arm.positions), wanted)
    return FieldRun(
        reason=None if ended is None else ended.reason,
        seconds=loop.now_ns * 1e-9,
        standstill_s=stood_s,
        error_m=float(np.linalg.norm(error[:3])),
        error_rad=float(np.linalg.norm(error[3:])),
        speed_mps=speed,
        straightness=way / distance,
        outside=outside,
        too_fast=too_fast,
    )


def tick_cost_ms(ticks: int) -> float:
    """Return the CPU time of one step of a vector field reacher [ms]."""
    arm = example_body("arm")
    reacher = VectorFieldReacher(arm)
    reacher.configure(FieldSettings("robot-base", "hand_link"))
    bent = np.full(7, 0.5)
    loop = ArmLoop(arm, [(reacher, 1.0)], bent)
    loop.step()
    reacher.start(PoseGoal(KinematicChain(arm, "robot-base", "hand_link").pose(bent + 0.5), np.zeros(6)), 1)
    began_s = time.process_time()
    for _ in range(ticks):
        reacher.step(loop.state, loop.now_ns)
    return (time.process_time() - began_s) / ticks * 1e3
