"""The joint reacher JR: moves joints to positions, each with a PID controller."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from body.control.joint_pid import JointPid, PidGains
from body.description.robot_tree import Floats
from body.errors import ReacherError
from body.kinematics.layout import BodyLayout
from body.memory.body_board import BodyState, Share
from body.reachers.reacher import (
    EndReason,
    GoalClock,
    GoalEnd,
    are_known,
    idle_share,
    motion_positions,
    positions,
)

_LARGEST_SHARE: Final = 0.02  # largest precision, as a share of the joint's range


@dataclass(frozen=True, slots=True)
class JointSettings:
    """Settings of a joint reacher.

    Parameters
    ----------
    joints : names of the joints, in order
    gains : gains of all controllers
    precision_rad, precision_m : largest error of a revolute and of a prismatic joint at the goal; never more than 2 %
        of the joint's range
    """

    joints: tuple[str, ...] = ()
    gains: PidGains = field(default_factory=lambda: PidGains(3.0, 0.0, 0.0))
    precision_rad: float = 0.005
    precision_m: float = 0.0005


class JointReacher:
    """Moves joints to positions; joints that a goal does not name hold their position.

    Parameters
    ----------
    layout : the body's layout
    """

    def __init__(self, layout: BodyLayout) -> None:
        self._layout = layout
        self._settings = JointSettings()
        self._motions: list[int] = []
        self._goal: dict[str, float] | None = None
        self._moved: list[int] = []  # motions of the goal
        self._targets = np.zeros(0)
        self._pid = JointPid(0, self._settings.gains)
        self._clock = GoalClock(0)
        self._end: GoalEnd | None = None
        self._before_ns: int | None = None
        self._drives = np.zeros(len(layout.motions))
        self._errors = np.zeros(0)

    @property
    def is_busy(self) -> bool:
        """Whether it has a goal."""
        return self._goal is not None

    @property
    def errors(self) -> dict[str, float]:
        """Remaining error of each joint of the latest goal [rad or m]."""
        return {self._layout.motions[one].joint: float(e) for one, e in zip(self._moved, self._errors, strict=True)}

    def configure(self, settings: JointSettings) -> None:
        """Use other settings from now on; a change of joints ends the goal.

        Raises
        ------
        ReacherError
            A joint is unknown, cannot be moved, or is named twice.
        """
        motions = [self._motion(name) for name in settings.joints]
        if len(set(motions)) < len(motions):
            raise ReacherError(f"joints contains a name twice: {', '.join(settings.joints)}")
        if motions != self._motions:
            self.end(EndReason.PREEMPTED)
            self._motions = motions
            self._drives = np.zeros(len(self._layout.motions))
            self._drives[motions] = 1.0
        self._pid.change_gains(settings.gains)
        self._settings = settings

    def start(self, goal: Mapping[str, float], now_ns: int) -> None:
        """Start a goal: positions by joint [rad or m]; a previous goal ends.

        Raises
        ------
        ReacherError
            The goal is empty, names a joint that is not in the settings, or a position is beyond the limits.
        """
        if not goal:
            raise ReacherError("the goal names no joint")
        for name, position in goal.items():
            self._check(name, position)
        self.end(EndReason.PREEMPTED)
        self._goal = dict(goal)
        self._moved = [self._motion(name) for name in goal]
        self._targets = np.array(list(goal.values()), dtype=np.float64)
        self._errors = np.zeros(len(self._moved))
        self._pid = JointPid(len(self._moved), self._settings.gains)
        self._clock = GoalClock(now_ns)
        self._before_ns = None

    def end(self, reason: EndReason) -> None:
        """End the goal, if there is one."""
        if self._goal is not None:
            self._goal = None
            self._end = GoalEnd(reason, self._errors, tuple(self.errors))

    def take_end(self) -> GoalEnd | None:
        """Return the end of the goal, once; its errors are those of the joints [rad or m]."""
        end, self._end = self._end, None
        return end

    def step(self, state: BodyState, now_ns: int) -> Share:
        """Return the velocities; without a goal they are 0, which holds the joints."""
        hold = idle_share(self._layout)
        velocities = hold.velocities.copy()
        if self._goal is not None:
            velocities[self._moved] = self._control(state, now_ns)
        return Share(velocities, hold.torques, self._drives)

    def _control(self, state: BodyState, now_ns: int) -> Floats:
        layout = self._layout
        coordinates = [layout.motions[one].coordinates[0] for one in self._moved]
        rest = np.zeros(len(self._moved))
        if not are_known(layout, state, now_ns)[coordinates].all():
            self._before_ns = None
            self._end_if(self._clock.reason(now_ns, None, is_within=False, slack=0.0))
            return rest
        self._errors = self._targets - motion_positions(layout, positions(layout, state))[self._moved]
        relative = np.abs(self._errors) / self._precisions()[self._moved]
        distance = float(relative.max())
        self._end_if(self._clock.reason(now_ns, distance, is_within=distance <= 1, slack=0.1))
        if self._goal is None:
            return rest
        elapsed_s = 0.0 if self._before_ns is None else (now_ns - self._before_ns) * 1e-9
        self._before_ns = now_ns
        return self._pid.step(self._errors, layout.fastest[self._moved], elapsed_s)

    def _precisions(self) -> Floats:
        """Return the precision of each motion, shape (motions,) [rad or m]."""
        layout = self._layout
        given = np.where(layout.are_sliding, self._settings.precision_m, self._settings.precision_rad)
        ranges = layout.upper - layout.lower
        return np.where(ranges > 0, np.minimum(given, _LARGEST_SHARE * ranges), given)

    def _check(self, name: str, position: float) -> None:
        if name not in self._settings.joints:
            raise ReacherError(f"joint {name} is not in the parameter joints: {', '.join(self._settings.joints)}")
        limits = self._layout.motions[self._motion(name)].limits
        if not limits.lower <= position <= limits.upper:  # false for nan, too
            raise ReacherError(f"joint {name}: {position:g} is beyond its limits, {limits.lower:g} to {limits.upper:g}")

    def _motion(self, name: str) -> int:
        index = self._layout.motion_index(name)
        if index is None or not self._layout.motions[index].is_moved:
            known = ", ".join(one.joint for one in self._layout.motions if one.name == "q" and one.is_moved)
            raise ReacherError(f"no command moves a joint {name!r}; there are {known or 'none'}")
        return index

    def _end_if(self, reason: EndReason | None) -> None:
        if reason is not None:
            self.end(reason)
