"""The common part of all reachers: a share in each step, one goal at a time, and the reason of its end."""

from dataclasses import dataclass
from enum import Enum
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from body.description.robot_tree import Floats
from body.kinematics.layout import BodyLayout
from body.memory.body_board import BodyState, Share

STALE_AFTER_NS: Final = 1_000_000_000  # a goal ends if the joints' state stays unknown for longer


class EndReason(Enum):
    """Why a goal ended."""

    REACHED = "REACHED"  # all errors were within the precision
    STUCK = "STUCK"  # no progress for some seconds
    TIMEOUT = "TIMEOUT"  # the goal's timeout has passed
    CANCELED = "CANCELED"  # by the client
    PREEMPTED = "PREEMPTED"  # by a later goal
    CONTACT = "CONTACT"  # the watched value has passed its limit
    STALE_STATE = "STALE_STATE"  # the state of a joint is unknown
    REMOVED = "REMOVED"  # the reacher was deleted
    INTERNAL = "INTERNAL"  # a step of the reacher failed by a programming error, which its log shows


@dataclass(frozen=True, slots=True)
class GoalEnd:
    """How a goal ended.

    Parameters
    ----------
    reason : why it ended
    error : remaining error at the end, of the axes of a pose or of the joints
    joints : joints that the errors belong to; empty for a pose
    """

    reason: EndReason
    error: Floats
    joints: tuple[str, ...] = ()


class Reacher(Protocol):
    """Moves a body; a step never waits."""

    @property
    def is_busy(self) -> bool:
        """Whether it has a goal."""
        ...

    def step(self, state: BodyState, now_ns: int) -> Share:
        """Return the commands of this step."""
        ...

    def end(self, reason: EndReason) -> None:
        """End the goal, if there is one; the reacher holds from now on."""
        ...

    def take_end(self) -> GoalEnd | None:
        """Return the end of the goal, once."""
        ...


class GoalClock:
    """Ends a goal that stays reached, makes no progress, exceeds its timeout, or has no known state.

    Parameters
    ----------
    start_ns : start of the goal
    timeout_s : timeout of the goal; 0 means none
    """

    SETTLED_NS: Final = 200_000_000
    STUCK_NS: Final = 2_500_000_000  # so that a goal ends within 3 s of standstill
    PROGRESS: Final = 0.99  # of the best distance counts as progress

    def __init__(self, start_ns: int, timeout_s: float = 0.0) -> None:
        self._start_ns = start_ns
        self._timeout_ns = round(timeout_s * 1e9)
        self._within_since_ns: int | None = None
        self._fresh_ns = start_ns
        self._best = np.inf
        self._best_ns = start_ns

    def reason(self, now_ns: int, distance: float | None, *, is_within: bool, slack: float) -> EndReason | None:
        """Return why the goal ends now, if it does.

        Parameters
        ----------
        now_ns
            time on the core's clock
        distance
            distance from the goal, in any unit; None while the state is unknown
        is_within
            whether all errors are within the precision
        slack
            smallest improvement of the distance that counts as progress
        """
        if distance is None:
            self._within_since_ns = None
            is_stale = now_ns - self._fresh_ns > STALE_AFTER_NS
            return EndReason.STALE_STATE if is_stale else None
        self._fresh_ns = now_ns
        if distance < min(self._best * self.PROGRESS, self._best - slack):
            self._best, self._best_ns = distance, now_ns
        if is_within:
            self._best_ns = now_ns
            self._within_since_ns = now_ns if self._within_since_ns is None else self._within_since_ns
            if now_ns - self._within_since_ns >= self.SETTLED_NS:
                return EndReason.REACHED
        else:
            self._within_since_ns = None
        if self._timeout_ns and now_ns - self._start_ns >= self._timeout_ns:
            return EndReason.TIMEOUT
        return EndReason.STUCK if now_ns - self._best_ns > self.STUCK_NS else None


def positions(layout: BodyLayout, state: BodyState) -> Floats:
    """Return the coordinates of the body, with initial values where nothing was measured; shape (coordinates,)."""
    indices = layout.coordinate_variables
    return np.where(state.stamps_ns[indices] > 0, state.values[indices], layout.init)


def motion_positions(layout: BodyLayout, coordinates: Floats) -> Floats:
    """Return the position of each motion; 0 for planar joints, which have no limits; shape (motions,)."""
    return np.where(layout.are_planar, 0.0, coordinates[layout.motion_coordinates[:, 0]])


def are_known(layout: BodyLayout, state: BodyState, now_ns: int) -> NDArray[np.bool_]:
    """Return which coordinates are measured and not too old, shape (coordinates,)."""
    stamps = state.stamps_ns[layout.coordinate_variables]
    known: NDArray[np.bool_] = (stamps > 0) & (now_ns - stamps <= layout.timeouts_ns)
    return known


def idle_share(layout: BodyLayout) -> Share:
    """Return the share of a reacher that moves nothing."""
    zero = np.zeros(len(layout.motions))
    return Share(zero, zero, zero)
