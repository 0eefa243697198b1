"""Makes robots without a task step aside for blocked robots, and return once these have passed."""

from collections.abc import Mapping
from typing import Final

from fleet.geometry import Pose2D
from fleet.robots.battery import BatteryLevel
from fleet.robots.robot import Robot
from fleet.tasks.task import go_to
from fleet.traffic.traffic import Traffic

_BLOCKED_S: Final = 0.5  # a robot must have been blocked for this long
_AGAIN_S: Final = 2.0  # before the next place is looked for, or another way back


class GivingWay:
    """Decides which robots step aside, and for whom.

    A returning robot makes no other step aside, so two robots never swap places endlessly.

    Parameters
    ----------
    traffic : the floor's traffic
    homes : home poses of all robots
    """

    def __init__(self, traffic: Traffic, homes: Mapping[int, Pose2D]) -> None:
        self._traffic: Final = traffic
        self._homes: Final = homes
        self._let_pass: dict[int, list[int]] = {}  # for robots that step aside, whom they let pass
        self._next_s: dict[int, float] = {}  # when to look again for places aside, for robots that are blocked
        self._return_s: dict[int, float] = {}  # when to try to come back again

    def lets_pass(self, robot_id: int) -> tuple[int, ...]:
        """Return the robots for which a robot steps aside."""
        return tuple(self._let_pass.get(robot_id, ()))

    def advance(self, robots: Mapping[int, Robot], now_ns: int) -> None:
        """Send robots aside, and back."""
        now_s = now_ns * 1e-9
        self._let_pass = {
            robot_id: let_pass
            for robot_id, let_pass in self._let_pass.items()
            if robot_id in robots and robots[robot_id].aside is not None
        }
        blocked = [robot_id for robot_id in self._traffic.blocked_for(_BLOCKED_S) if robots[robot_id].task_id]
        self._next_s = {robot_id: self._next_s.get(robot_id, 0.0) for robot_id in blocked}
        for robot_id in blocked:
            if now_s >= self._next_s[robot_id]:
                self._next_s[robot_id] = now_s + _AGAIN_S
                self._clear_way(robots, robot_id, now_ns)
        for robot_id in self._let_pass:
            self._come_back(robots[robot_id], now_s)

    def _clear_way(self, robots: Mapping[int, Robot], blocked_id: int, now_ns: int) -> None:
        movable = [robot_id for robot_id, robot in robots.items() if self._may_leave(robot, now_ns)]
        for robot_id, place in self._traffic.places_aside(blocked_id, movable, self._homes).items():
            robots[robot_id].step_aside(go_to("", place))
            let_pass = self._let_pass.setdefault(robot_id, [])
            if blocked_id not in let_pass:
                let_pass.append(blocked_id)

    def _may_leave(self, robot: Robot, now_ns: int) -> bool:
        """Whether a robot may be sent aside: it is idle, and does not drive to a place already.

        A robot that cannot reach its place aside is in the way like any stationary robot; and robots that step aside
        may have to wait for each other.
        """
        aside, robot_id = robot.aside, robot.config.id
        is_weak = robot.telemetry.battery.level is BatteryLevel.CRITICAL
        is_stuck = robot_id not in self._let_pass and self._traffic.is_blocked(robot_id)
        stands = aside is None or aside.waits or aside.returns or is_stuck
        return stands and not is_weak and robot.may_step_aside(now_ns)

    def _come_back(self, robot: Robot, now_s: float) -> None:
        robot_id, aside = robot.config.id, robot.aside
        if aside is None or now_s < self._return_s.get(robot_id, 0.0):
            return
        if aside.waits:
            have_ways = not any(self._traffic.is_planning(other_id) for other_id in self._let_pass[robot_id])
            if have_ways and self._traffic.is_left_at_last(aside.stood, robot_id):
                robot.come_back()
        elif aside.returns and self._traffic.is_blocked(robot_id):
            aside.wait()
            self._return_s[robot_id] = now_s + _AGAIN_S
