"""The vector-field reacher VF: moves a link along a vector field to a pose."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from body.control.inverse_velocity import solve_within_limits
from body.control.vector_field import FieldShape, field_velocity, pose_error
from body.description.robot_tree import Floats
from body.errors import ReacherError
from body.kinematics.chain import KinematicChain, check_links
from body.kinematics.layout import BodyLayout
from body.memory.body_board import BodyState, Share
from body.reachers.reacher import (
    EndReason,
    GoalClock,
    GoalEnd,
    are_known,
    motion_positions,
    positions,
)

_FASTEST_PULL_RADPS = 1.0
_FASTEST_PULL_MPS = 0.1
_SLACK = 0.5  # smallest improvement that counts as progress, as a multiple of the precision


@dataclass(frozen=True, slots=True)
class FieldSettings:
    """Settings of a vector-field reacher.

    Parameters
    ----------
    base_link, end_link : ends of the chain of moved joints; "" means not yet chosen
    shape : speeds of the field
    precision : precision of goals that do not give their own, shape (6,) [m, rad]
    task_weights : weights of the axes, shape (6,); 0 leaves an axis free
    joint_weights : weights of the chain's motions in order; () means 1 for all
    posture : preferred positions of the chain's joints in order, without planar bases; approached as far as the
        motion of the link leaves them free; () means none
    posture_gain : speed of this approach divided by the distance [1/s]
    """

    base_link: str = ""
    end_link: str = ""
    shape: FieldShape = field(default_factory=lambda: FieldShape(0.2, 1.0, 0.05))
    precision: Floats = field(default_factory=lambda: np.array([0.001] * 3 + [0.01] * 3))
    task_weights: Floats = field(default_factory=lambda: np.ones(6))
    joint_weights: tuple[float, ...] = ()
    posture: tuple[float, ...] = ()
    posture_gain: float = 1.0


@dataclass(frozen=True, slots=True)
class PoseGoal:
    """A pose that a link must reach.

    Parameters
    ----------
    pose : pose of the end link in the frame of the base link, shape (4, 4)
    precision : largest error of each axis, 0 for the reacher's setting, shape (6,) [m, rad]
    timeout_s : timeout of the goal; 0 means none
    """

    pose: Floats
    precision: Floats
    timeout_s: float = 0.0


class VectorFieldReacher:
    """Moves all joints between two links so that the end link follows a field in the frame of the base link.

    Parameters
    ----------
    layout : the body's layout
    """

    def __init__(self, layout: BodyLayout) -> None:
        self._layout = layout
        self._settings = FieldSettings()
        self.chain: KinematicChain | None = None
        self._moved = _MovedJoints(layout, None)
        self._goal: PoseGoal | None = None
        self._clock = GoalClock(0)
        self._end: GoalEnd | None = None
        self.error = np.zeros(6)
        self.slowest_weight = 1.0

    @property
    def is_busy(self) -> bool:
        """Whether it has a goal."""
        return self._goal is not None

    def configure(self, settings: FieldSettings) -> None:
        """Use other settings from now on; a change of links ends the goal.

        Raises
        ------
        ReacherError
            There is no such link, no joint between the links can move, or the weights or the posture do not fit.
        """
        links = (settings.base_link, settings.end_link)
        check_links(self._layout.robot, *filter(None, links))
        chain = self.chain
        if links != (self._settings.base_link, self._settings.end_link):
            chain = KinematicChain(self._layout, *links) if all(links) else None
        moved = self._moved if chain is self.chain else _MovedJoints(self._layout, chain)
        if chain is not None:
            self._check(settings, moved)
        if chain is not self.chain:
            self.end(EndReason.PREEMPTED)
            self.chain, self._moved = chain, moved
        self._settings = settings

    def start(self, goal: PoseGoal, now_ns: int) -> None:
        """Start a goal; a previous goal ends.

        Raises
        ------
        ReacherError
            The links are not chosen yet.
        """
        if self.chain is None:
            missing = [name for name in ("base_link", "end_link") if not getattr(self._settings, name)]
            raise ReacherError(f"set the parameters {' and '.join(missing)} before sending a goal")
        self.end(EndReason.PREEMPTED)
        precision = np.where(goal.precision > 0, goal.precision, self._settings.precision)
        self._goal = PoseGoal(goal.pose, precision, goal.timeout_s)
        self._clock = GoalClock(now_ns, goal.timeout_s)

    def end(self, reason: EndReason) -> None:
        """End the goal, if there is one."""
        if self._goal is not None:
            self._goal = None
            self._end = GoalEnd(reason, self.error)

    def take_end(self) -> GoalEnd | None:
        """Return the end of the goal, once; its error has the shape (6,) [m, rad]."""
        end, self._end = self._end, None
        return end

    def step(self, state: BodyState, now_ns: int) -> Share:
        """Return the velocities; without a goal, hold joints that have position references, and release the others."""
        rest = np.zeros(len(self._layout.motions))
        if self.chain is None or self._goal is None:
            return Share(rest, rest, self._moved.holds)
        velocities = self._follow(self.chain, self._goal, state, now_ns)
        return Share(velocities, rest, self._moved.drives)

    def _follow(self, chain: KinematicChain, goal: PoseGoal, state: BodyState, now_ns: int) -> Floats:
        rest = np.zeros(len(self._layout.motions))
        if not are_known(self._layout, state, now_ns)[self._moved.measured].all():
            self._end_if(self._clock.reason(now_ns, None, is_within=False, slack=0.0))
            return rest
        coordinates = positions(self._layout, state)
        pose, jacobian = chain.pose_and_jacobian(coordinates)
        self.error = np.where(self._settings.task_weights > 0, pose_error(pose, goal.pose), 0.0)
        relative = np.abs(self.error) / goal.precision
        distance = math.hypot(*relative.tolist())
        self._end_if(self._clock.reason(now_ns, distance, is_within=bool(relative.max() <= 1), slack=_SLACK))
        if self._goal is None:
            return rest
        velocity = field_velocity(self.error, self._settings.shape)
        rest[self._moved.motions] = self._solved(jacobian[:, self._moved.columns], velocity, coordinates)
        return rest

    def _solved(self, jacobian: Floats, velocity: Floats, coordinates: Floats) -> Floats:
        moved = self._moved
        places = motion_positions(self._layout, coordinates)[moved.motions]
        solution, weights = solve_within_limits(
            jacobian,
            velocity,
            self._settings.task_weights,
            np.array(self._settings.joint_weights) if self._settings.joint_weights else moved.ones,
            positions=places,
            limits=moved.limits,
            pull=self._pull(places),
        )
        self.slowest_weight = float(weights.min(initial=1.0))
        return solution

    def _pull(self, places: Floats) -> Floats | None:
        if not self._settings.posture:
            return None
        pull, joints = np.zeros(len(places)), self._moved.jointed
        pull[joints] = self._settings.posture_gain * (np.array(self._settings.posture) - places[joints])
        return np.clip(pull, -self._moved.fastest_pull, self._moved.fastest_pull)

    def _end_if(self, reason: EndReason | None) -> None:
        if reason is not None:
            self.end(reason)

    def _check(self, settings: FieldSettings, moved: "_MovedJoints") -> None:
        links = f"{settings.base_link} and {settings.end_link}"
        count = len(moved.motions)
        if not count:
            raise ReacherError(f"no joint between {links} can be moved: it needs <rbc> with a command")
        given = len(settings.joint_weights)
        if given not in (0, count):
            raise ReacherError(f"joint_weights has {given} numbers; between {links} {count} motions are commanded")
        joints = moved.motions[moved.jointed]
        if len(settings.posture) not in (0, len(joints)):
            text = f"posture has {len(settings.posture)} numbers; between {links} there are {len(joints)} joints"
            raise ReacherError(f"{text} that commands move (a base has no posture)")
        for motion, place in zip(joints, settings.posture, strict=False):
            if not self._layout.lower[motion] <= place <= self._layout.upper[motion]:
                raise ReacherError(f"posture has {place:g} for {self._layout.motions[motion].joint}: beyond its limits")


class _MovedJoints:
    """The motions of a chain that commands can move, and constants that each step needs."""

    def __init__(self, layout: BodyLayout, chain: KinematicChain | None) -> None:
        own = () if chain is None else chain.motions
        self.columns = _indices(place for place, one in enumerate(own) if layout.motions[one].is_moved)
        self.motions = _indices(one for one in own if layout.motions[one].is_moved)
        self.measured = _indices(() if chain is None else chain.coordinates)
        self.jointed = np.flatnonzero(~layout.are_planar[self.motions])  # places of motions without planar bases
        self.limits = (layout.lower[self.motions], layout.upper[self.motions])
        self.fastest_pull = np.where(layout.are_sliding[self.motions], _FASTEST_PULL_MPS, _FASTEST_PULL_RADPS)
        self.ones = np.ones(len(self.motions))
        self.drives = np.zeros(len(layout.motions))
        self.drives[self.motions] = 1.0
        # without a goal: only positions can be held
        self.holds = np.where([one.position_command >= 0 for one in layout.motions], self.drives, 0.0)


def _indices(numbers: Iterable[int]) -> NDArray[np.intp]:
    return np.array(list(numbers), dtype=np.intp)
