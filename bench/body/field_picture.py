"""Draws docs/pictures/body_field.svg: the vector field in a plane, and how the example's arm follows it."""

from pathlib import Path
from typing import Final

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from bench.body.arm_loop import ArmLoop, example_body
from body.control.vector_field import FieldShape, field_velocity
from body.kinematics.chain import KinematicChain
from body.reachers.vector_field_reacher import FieldSettings, PoseGoal, VectorFieldReacher

PICTURE: Final = Path(__file__).parents[2] / "docs/pictures/body_field.svg"

_BENT: Final = np.array([0.0, 0.7, 0.0, -1.2, 0.0, 0.6, 0.0])
_SHAPE: Final = FieldShape(0.2, 1.0, 0.05)


def draw() -> None:
    """Write the picture."""
    mpl.rcParams["svg.hashsalt"] = "body"  # the same bytes each time
    arm = example_body("arm")
    chain = KinematicChain(arm, "robot-base", "hand_link")
    goal = chain.pose(_BENT)
    figure = Figure(figsize=(6.4, 4.4), layout="constrained")
    axes = figure.add_subplot(aspect="equal", xlabel="x from the goal [m]", ylabel="y from the goal [m]")
    reach = np.linspace(-0.15, 0.15, 17)
    xs, ys = np.meshgrid(reach, reach)
    field = np.array(
        [field_velocity(np.array([-x, -y, 0, 0, 0, 0]), _SHAPE) for x, y in zip(xs.flat, ys.flat, strict=True)]
    )
    speeds = np.linalg.norm(field, axis=1)
    arrows = axes.quiver(xs, ys, field[:, 0], field[:, 1], speeds, cmap="viridis_r", width=0.004)
    figure.colorbar(arrows, label="speed [m/s]")
    for angle in np.arange(8) * np.pi / 4:
        start = goal.copy()
        start[:2, 3] += 0.13 * np.cos(angle), 0.13 * np.sin(angle)
        way = np.array(_way(start, goal)) - goal[:2, 3]
        axes.plot(way[:, 0], way[:, 1], color="#d84315", linewidth=1.6)
        axes.plot(*way[0], "o", color="#d84315", markersize=5)
    axes.plot(0, 0, "*", color="black", markersize=12)
    figure.savefig(PICTURE, metadata={"Date": None})


def _way(start: np.ndarray, goal: np.ndarray) -> list[np.ndarray]:
    """Return the places of the hand from one pose to another, in the plane."""
    arm = example_body("arm")
    chain = KinematicChain(arm, "robot-base", "hand_link")
    reacher = VectorFieldReacher(arm)
    reacher.configure(FieldSettings("robot-base", "hand_link", _SHAPE))
    loop = ArmLoop(arm, [(reacher, 1.0)], _BENT)
    reacher.start(PoseGoal(start, np.zeros(6)), loop.now_ns)
    _run(loop, reacher)
    reacher.start(PoseGoal(goal, np.zeros(6)), loop.now_ns)
    return [chain.pose(positions)[:2, 3] for positions in _run(loop, reacher)]


def _run(loop: ArmLoop, reacher: VectorFieldReacher) -> list[np.ndarray]:
    """Step until the goal ends; return the joints of each step."""
    joints = [loop.arm.positions]
    while reacher.is_busy:
        loop.step()
        joints.append(loop.arm.positions)
    return joints


if __name__ == "__main__":
    draw()
