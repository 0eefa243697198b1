"""The coupler: sums the reachers' commands, enforces all limits, and selects the commands to publish."""

from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from body.control.guard import kept_inside, next_reference, scaled_by_limb, scaled_to_speed
from body.description.robot_tree import Floats
from body.kinematics.layout import BodyLayout
from body.memory.body_board import BoardRow, BodyState
from body.reachers.reacher import are_known, motion_positions, positions

LARGEST_WEIGHT: Final = 10.0

_HELD_NS: Final = 1_000_000_000  # time after a release in which a driver still holds the latest reference
_LEAD_RAD: Final = 0.1  # largest lead of a reference over the measured position
_LEAD_M: Final = 0.02
_LEAD_OF_INTEGERS: Final = 1.0  # a smaller lead would be rounded away
_REACTION_S: Final = 0.1  # how long a velocity-driven joint may keep moving after a command
_LARGEST: Final = 1e9  # largest number in a share, so that sums stay finite
_MOVES, _TORQUE = 1, 2  # bits of a share's `drives`


@dataclass(frozen=True, slots=True)
class Commands:
    """The commands of one period, and the topics to publish.

    Parameters
    ----------
    values : values of the command variables, shape (variables,); others are 0
    topics : topics to publish in this period
    """

    values: Floats
    topics: frozenset[str] = field(default_factory=frozenset)


class Coupler:
    """Sums the rows of the reachers, and enforces all limits.

    Limits are enforced here and nowhere else, after the sum: no motion exceeds its limit of position or speed, whatever
    a reacher writes. Reachers avoid limits only for the quality of the motion.

    Parameters
    ----------
    layout : the body's layout
    period_s : time between two steps
    """

    def __init__(self, layout: BodyLayout, period_s: float) -> None:
        self._layout = layout
        self._period_s = period_s
        self._lead = _leads(layout)
        self._limits = (layout.lower, layout.upper)
        self._bases = _motions_of_bases(layout)
        self._reference = np.zeros(len(layout.motions))
        self._held_until_ns = np.zeros(len(layout.motions), dtype=np.int64)
        self._driven = frozenset[str]()  # topics of the previous step
        self._topic_motions = self._motions_by_topic()
        # the latest result of `_topics`, behind the flags that it belongs to
        self._topics_of: tuple[bytes, frozenset[str]] = (b"", frozenset())

    def step(self, state: BodyState, rows: list[BoardRow], now_ns: int) -> Commands:
        """Return the commands of this period.

        A topic is published while a reacher drives one of its variables, and once more at rest.

        Parameters
        ----------
        state
            state of all variables
        rows
            rows of the live reachers
        now_ns
            time on the core's clock

        Raises
        ------
        ArithmeticError
            A command is not finite.
        """
        velocities, torques, moved, pushed = self._sum(rows)
        known = self._known(state, now_ns)
        measured = motion_positions(self._layout, positions(self._layout, state))
        velocities = np.where(moved & known, velocities, 0.0)
        held = self._held_until_ns >= now_ns
        reference = self._following(np.where(held, self._reference, measured), measured, velocities, moved & known)
        inside = kept_inside(velocities, measured, self._limits, _REACTION_S)
        values = self._values(reference, inside, torques, moved)
        if not np.isfinite(values).all():
            raise ArithmeticError("a command is not finite")
        driven = self._topics(moved, pushed, known | held)
        published = driven | self._driven
        self._reference, self._driven = reference, driven
        self._hold(driven, now_ns + _HELD_NS)
        return Commands(values, published)

    def rest(self, now_ns: int) -> Commands:
        """Return commands that hold everything the previous step drove; for use after a failed step."""
        self._hold(self._driven, now_ns + _HELD_NS)
        zero = np.zeros(len(self._layout.motions))
        return Commands(self._values(self._reference, zero, zero, zero > 0), self._driven)

    def _sum(self, rows: list[BoardRow]) -> tuple[Floats, Floats, NDArray[np.bool_], NDArray[np.bool_]]:
        """Return the weighted sums of velocities and torques, and masks of the motions that they drive.

        A share that is too fast is scaled by one factor, and so is the sum for joints that reachers share.
        """
        count = len(self._layout.motions)
        velocities, torques = np.zeros(count), np.zeros(count)
        drives = np.zeros(count, dtype=np.int64)
        limbs = [*self._bases]
        for row in rows:
            weight = min(max(row.weight, 0.0), LARGEST_WEIGHT)  # 0 for nan
            if weight > 0:
                own = _finite(row.share.drives).astype(np.int64)
                limbs.append((own & _MOVES) > 0)
                wanted = np.where(limbs[-1], _finite(row.share.velocities), 0.0)
                velocities += weight * scaled_to_speed(wanted, self._layout.fastest)
                if (own & _TORQUE).any():
                    torques += np.where(own & _TORQUE, weight * _finite(row.share.torques), 0.0)
                drives |= own
        velocities = scaled_by_limb(velocities, self._layout.fastest, limbs)
        return velocities, torques, (drives & _MOVES) > 0, (drives & _TORQUE) > 0

    def _known(self, state: BodyState, now_ns: int) -> NDArray[np.bool_]:
        """Return whether all coordinates of each motion are known, shape (motions,)."""
        known: NDArray[np.bool_] = are_known(self._layout, state, now_ns)[self._layout.motion_coordinates].all(axis=1)
        return known

    def _following(self, held: Floats, measured: Floats, velocities: Floats, moved: NDArray[np.bool_]) -> Floats:
        """Advance the position references from where they are held; only those of moved motions change."""
        following = next_reference(
            held,
            measured,
            velocities,
            self._limits,
            fastest=self._layout.fastest,
            lead=self._lead,
            period_s=self._period_s,
        )
        return np.where(moved, following, held)

    def _hold(self, driven: frozenset[str], until_ns: int) -> None:
        """Hold the references of all motions on driven topics: a message also holds the other joints of its topic."""
        for topic in driven:
            self._held_until_ns[self._topic_motions[topic]] = until_ns

    def _values(self, reference: Floats, velocities: Floats, torques: Floats, moved: NDArray[np.bool_]) -> Floats:
        values = np.zeros(len(self._layout.variables))
        for index, motion in enumerate(self._layout.motions):
            if motion.position_command >= 0:
                values[motion.position_command] = reference[index]
            if motion.velocity_command >= 0:
                values[motion.velocity_command] = velocities[index] if moved[index] else 0.0
            if motion.torque_command >= 0:
                values[motion.torque_command] = torques[index]
        return values

    def _topics(self, moved: NDArray[np.bool_], pushed: NDArray[np.bool_], placed: NDArray[np.bool_]) -> frozenset[str]:
        """Return the topics of driven variables, without those with a joint whose position is unknown."""
        key = moved.tobytes() + pushed.tobytes() + placed.tobytes()
        if key != self._topics_of[0]:
            self._topics_of = key, self._find_topics(moved, pushed, placed)
        return self._topics_of[1]

    def _find_topics(
        self, moved: NDArray[np.bool_], pushed: NDArray[np.bool_], placed: NDArray[np.bool_]
    ) -> frozenset[str]:
        variables = self._layout.variables
        found: set[str] = set()
        for index, motion in enumerate(self._layout.motions):
            if moved[index]:
                commands = (motion.position_command, motion.velocity_command)
                found |= {variables[one].topic for one in commands if one >= 0}
            if pushed[index] and motion.torque_command >= 0:
                found.add(variables[motion.torque_command].topic)
        return frozenset(topic for topic in found if placed[self._topic_motions[topic]].all())

    def _motions_by_topic(self) -> dict[str, list[int]]:
        """Return the indices of the position-commanded motions of each command topic."""
        found: dict[str, list[int]] = {one.topic: [] for one in self._layout.variables if one.is_command}
        for index, motion in enumerate(self._layout.motions):
            if motion.position_command >= 0:
                found[self._layout.variables[motion.position_command].topic].append(index)
        return found


def _leads(layout: BodyLayout) -> Floats:
    """Return the largest lead of each motion's position reference over its measured position, shape (motions,)."""
    paths = [layout.variables[one.position_command].path for one in layout.motions]  # any path if there is no command
    are_whole = [bool(path) and path[-1].value_type == "int" for path in paths]
    return np.where(are_whole, _LEAD_OF_INTEGERS, np.where(layout.are_sliding, _LEAD_M, _LEAD_RAD))


def _motions_of_bases(layout: BodyLayout) -> list[NDArray[np.bool_]]:
    """Return a mask of the motions of each planar joint, shape (motions,)."""
    joints = {one.joint for one, is_planar in zip(layout.motions, layout.are_planar, strict=True) if is_planar}
    return [np.array([one.joint == joint for one in layout.motions], dtype=np.bool_) for joint in sorted(joints)]


def _finite(numbers: Floats) -> Floats:
    """Return a reacher's numbers, clipped to a size that can be summed; values that are not finite become 0."""
    if np.abs(numbers).max(initial=0.0) <= _LARGEST:  # not for nan
        return numbers
    return np.clip(np.nan_to_num(numbers, nan=0.0, posinf=0.0, neginf=0.0), -_LARGEST, _LARGEST)
