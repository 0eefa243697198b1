"""Follows a STOP or a resume until every driver has confirmed it and every robot is stationary."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from fleet.dashboard.model.fleet_entries import SeenDriver
from fleet.dashboard.model.fleet_picture import FleetPicture
from fleet.geometry import Pose2D

_STILL_NS: Final = 200_000_000  # a robot that has not moved for this long is stationary
_STILL_M: Final = 0.002
_STILL_RAD: Final = 0.02
_PATIENCE_NS: Final = 5_000_000_000
_ONE_PRESS_NS: Final = 1_000_000_000  # a page sends one press in several ways, and repeats it until answered


@dataclass(slots=True)
class _Rest:
    """Where a robot came to rest, and when."""

    pose: Pose2D
    since_ns: int


@dataclass(slots=True)
class StopFollower:
    """A single STOP or resume.

    Parameters
    ----------
    number : counts STOPs and resumes from 1; a repeat raises it
    is_stop : False for a resume
    by : the person who asked for it
    started_ns : when it was asked for
    before : tokens of drivers that had announced its effect before; only their direct answers confirm it

    Attributes
    ----------
    is_over : whether it is no longer followed
    """

    number: int
    is_stop: bool
    by: str
    started_ns: int
    before: set[str] = field(default_factory=set)
    is_over: bool = False
    _is_awaited: bool = False  # whether a driver has yet to confirm
    _confirmed: dict[str, dict[str, Any]] = field(default_factory=dict)  # by the driver's token
    _rests: dict[int, _Rest] = field(default_factory=dict)
    _standing: list[int] = field(default_factory=list)
    _stand_ms: int | None = None

    def confirm(self, driver: SeenDriver, now_ns: int) -> None:
        """Note a driver's confirmation."""
        self._confirmed.setdefault(driver.token, _driver_entry(driver) | {"ms": self._ms(now_ns)})

    def is_repeated_by(self, now_ns: int) -> bool:
        """Whether a STOP now repeats this one: it is the same press, or drivers have yet to confirm."""
        if not self.is_stop:
            return False
        return now_ns - self.started_ns < _ONE_PRESS_NS or (self._is_awaited and not self.is_over)

    def advance(self, drivers: Sequence[SeenDriver], picture: FleetPicture, now_ns: int) -> dict[str, Any]:
        """Update the STOP, and return it as pages show it."""
        present = [driver for driver in drivers if not driver.is_silent]
        for driver in present:
            if driver.is_stopped is not self.is_stop:
                self.before.discard(driver.token)
            elif driver.token not in self.before:
                self.confirm(driver, now_ns)
        self._watch(picture, now_ns)
        missing = [driver for driver in present if driver.token not in self._confirmed]
        before = [driver for driver in missing if driver.token in self.before]
        unconfirmed = [driver for driver in missing if driver.token not in self.before]
        self._is_awaited = bool(unconfirmed)
        robots = list(picture.robots)
        posed = [robot.robot_id for robot in picture if robot.pose is not None]
        is_all_standing = all(robot_id in self._standing for robot_id in posed)
        if self.is_stop and self._stand_ms is None and is_all_standing and posed:
            self._stand_ms = self._ms(now_ns)
        is_unannounced = self.is_stop and not present  # foreign servers announce nothing
        is_heard = bool(self._confirmed or before) or is_unannounced
        is_answered = not before or now_ns - self.started_ns >= _ONE_PRESS_NS
        is_done = not unconfirmed and is_heard and is_answered and (is_all_standing or not self.is_stop)
        self.is_over = is_done or now_ns - self.started_ns >= _PATIENCE_NS
        return self._entry(unconfirmed, before, robots)

    def _entry(
        self, unconfirmed: Iterable[SeenDriver], before: Iterable[SeenDriver], robots: list[int]
    ) -> dict[str, Any]:
        return {
            "number": self.number,
            "is_stop": self.is_stop,
            "by": self.by,
            "time_s": round(self.started_ns * 1e-9, 3),
            "confirmed": list(self._confirmed.values()),
            "unconfirmed": [_driver_entry(one) for one in unconfirmed],
            "before": [_driver_entry(one) for one in before],
            "standing": list(self._standing),
            "robots": robots,
            "stand_ms": self._stand_ms,
            "is_over": self.is_over,
        }

    def _watch(self, picture: FleetPicture, now_ns: int) -> None:
        for robot in picture:
            if robot.pose is None or robot.pose_ns < self.started_ns:
                continue
            rest = self._rests.get(robot.robot_id)
            if rest is None or _has_moved(rest.pose, robot.pose):
                self._rests[robot.robot_id] = _Rest(robot.pose, robot.pose_ns)
        self._standing = sorted(_standing(self._rests, picture))

    def _ms(self, now_ns: int) -> int:
        return round((now_ns - self.started_ns) * 1e-6)


def _driver_entry(driver: SeenDriver) -> dict[str, Any]:
    return {"host": driver.host, "node": driver.node, "robots": list(driver.serves)}


def _standing(rests: Mapping[int, _Rest], picture: FleetPicture) -> Iterable[int]:
    for robot_id, rest in rests.items():
        robot = picture.robots.get(robot_id)
        if robot is not None and robot.pose is not None and robot.pose_ns - rest.since_ns >= _STILL_NS:
            yield robot_id


def _has_moved(one: Pose2D, other: Pose2D) -> bool:
    turned_rad = abs(math.remainder(other.heading_rad - one.heading_rad, math.tau))
    return math.hypot(other.x_m - one.x_m, other.y_m - one.y_m) > _STILL_M or turned_rad > _STILL_RAD
