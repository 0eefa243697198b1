"""Moves the example's arm on a simulated Thymio, both by a single vector field reacher."""

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np
from rbc_actions.action import VF

from bench.body.arm_loop import BODIES, example_body
from bench.body.body_row import BodyRow
from bench.body.thymio_world import coupler_commands, running, simulated_fleet
from body.body_client import BodyClient, ReacherResult, joint_goal, pose_goal
from body.control.vector_field import pose_error
from body.description.robot_tree import Floats
from body.description.rotation import quaternion_from_rotation
from body.kinematics.chain import KinematicChain
from fleet.client.fleet_client import FleetClient
from fleet.geometry import Pose2D

POSTURE: Final = (0.0, 0.6, 0.0, -1.2, 0.0, 0.6, 0.0)  # the hand is ahead of the base, which moves it in any direction
_FLOOR_M: Final = 6.0
_EDGE_M: Final = 0.5
_REACH_M: Final = (0.3, 2.0)  # distances for the base to move
_JOINTS: Final = tuple(f"arm_j{index}" for index in range(7))
_BASE_MOVES: Final = {
    "speed_mps": 0.12,
    "slow_down_m": 0.1,
    "joint_weights": [2.0, 1.0] + [1.0] * 7,
    "default_precision_m": 0.03,
    "default_precision_rad": 0.1,
}
_BASE_STANDS: Final = {
    "speed_mps": 0.2,
    "slow_down_m": 0.05,
    "joint_weights": [0.0, 0.0] + [1.0] * 7,
    "default_precision_m": 0.001,
    "default_precision_rad": 0.01,
}
_PATIENCE_S: Final = 90.0
_TRIES: Final = 3
_NEAR_M: Final = 0.005  # distance at which the hand has reached its pose


def mobile_arm_rows(poses: int, seed: int) -> Iterator[BodyRow]:
    """Yield how close the hand gets to poses for which the base must move by 0.3 to 2 m.

    Parameters
    ----------
    poses
        number of successive poses of the hand
    seed
        seed of the poses
    """
    rng = np.random.default_rng(seed)
    urdf = BODIES / "arm_on_thymio.urdf"
    chain = KinematicChain(example_body("arm_on_thymio"), "map", "hand_link")
    errors, tries = [], []
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        stack.enter_context(simulated_fleet(folder, [(_FLOOR_M / 2, _FLOOR_M / 2)], (_FLOOR_M, _FLOOR_M)))
        stack.enter_context(running(coupler_commands(urdf, with_arm=True)))
        body = stack.enter_context(BodyClient())
        fleet = FleetClient()
        truths: dict[int, Pose2D] = {}
        fleet.watch_pose("/simulator/thymio_1/truth", partial(truths.__setitem__, 1))
        fleet.watch(1)
        prepare(body)
        if not fleet.spin_until(lambda: bool(truths) and fleet.is_ready(1), _PATIENCE_S):
            raise SystemExit("the robot is not ready")
        for _ in range(poses):
            goal = chain.pose(_goal(truths[1], rng))
            tries.append(next((number for number in range(1, _TRIES + 1) if reach(body, goal)), _TRIES + 1))
            fleet.spin(0.5)
            joints = body.variables()
            base = (truths[1].x_m, truths[1].y_m, truths[1].heading_rad)
            reached = np.array([*base, *(joints[f"arm_j{index}/q"] for index in range(7))])
            errors.append(pose_error(chain.pose(reached), goal))
        fleet.close()
    ways = np.linalg.norm(np.array(errors)[:, :3], axis=1)
    turns = np.degrees(np.linalg.norm(np.array(errors)[:, 3:], axis=1))
    text = f"{100 * np.mean(ways < _NEAR_M):.0f} % of {len(ways)}, median {1e3 * np.median(ways):.1f} mm"
    yield BodyRow("arm on a Thymio, hand within 5 mm", "100 %", f"{text}, {np.median(turns):.1f} deg")
    for number, (way_m, count) in enumerate(zip(ways, tries, strict=True)):
        if way_m >= _NEAR_M:
            ended = "said to be reached" if count <= _TRIES else "never said to be reached"
            yield BodyRow(f"pose {number} of seed {seed}", "", f"{1e3 * way_m:.1f} mm away, {ended}")
    counts = [sum(number == count for number in tries) for count in range(1, _TRIES + 2)]
    yield BodyRow(f"tries that such poses need: 1 to {_TRIES}, more", "", ", ".join(map(str, counts)))


def prepare(body: BodyClient) -> None:
    """Create the reachers that `reach` uses."""
    body.add_re("VF", "VF0")
    body.set_params("VF0", {"base_link": "map", "end_link": "hand_link", "posture": POSTURE})
    body.add_re("JR", "JR0")
    body.set_params("JR0", {"joints": _JOINTS})


def reach(body: BodyClient, goal: Floats) -> bool:
    """Move base and arm near a pose, then only the arm: a base responds too slowly for the last centimetres.

    A field is local; where it ends at joint limits, the arm is folded, and the next try starts from there.

    Parameters
    ----------
    body
        client of the coupler
    goal
        goal of the hand in the map, shape (4, 4)
    """
    for settings in (_BASE_MOVES, _BASE_STANDS):
        body.set_params("VF0", settings | {"weight": 1.0})
        result = body.execute_action("VF0", _hand_goal(goal))
        assert isinstance(result, ReacherResult)
        if not result.success:
            body.set_params("VF0", {"weight": 0.0})
            body.set_params("JR0", {"weight": 1.0})
            body.execute_action("JR0", joint_goal(dict(zip(_JOINTS, POSTURE, strict=True))))
            body.set_params("JR0", {"weight": 0.0})
            return False
    return True


def _hand_goal(pose: Floats) -> VF.Goal:
    return pose_goal(tuple(pose[:3, 3]), quaternion_from_rotation(pose[:3, :3]), timeout_s=_PATIENCE_S)


def _goal(base: Pose2D, rng: np.random.Generator) -> Floats:
    """Return the coordinates of base and arm at a pose that the hand can reach from elsewhere, shape (10,)."""
    while True:
        angle, way = rng.uniform(-np.pi, np.pi), rng.uniform(*_REACH_M)
        place = (base.x_m + way * np.cos(angle), base.y_m + way * np.sin(angle))
        if min(place) > _EDGE_M and max(place) < _FLOOR_M - _EDGE_M:
            return np.array([*place, rng.uniform(-np.pi, np.pi), *(np.array(POSTURE) + rng.uniform(-0.6, 0.6, 7))])
