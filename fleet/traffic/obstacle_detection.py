"""Finds unknown obstacles by the proximity sensors of robots, and remembers them for a while."""

from collections.abc import Sequence
from typing import Final

from fleet.floor.obstacles import Obstacles
from fleet.geometry import Pose2D
from fleet.traffic.echo import Echo
from fleet.traffic.traffic import Traffic

_REMEMBERED_S: Final = 10.0  # after the last echo
_SAME_M: Final = 0.05  # echoes this near to each other belong to the same obstacle
_TOLERANCE_M: Final = 0.15  # robots within this distance of an echo, and walls this far behind it, explain it
_BESIDE_M: Final = 0.05  # distance of walls from the line of sight: a sensor sees 15 degrees to either side
_FIRST_ID: Final = -2  # obstacles are numbered from here downward, apart from robots


class _Remembered:
    """An obstacle, and when it was last detected."""

    def __init__(self, place: Pose2D, seen_s: float) -> None:
        self.place: Final = place
        self.seen_s = seen_s


class ObstacleDetection:
    """Enters unknown obstacles in the timetable, as discs like those of robots.

    A robot must report an echo twice in a row at nearly the same place.

    Parameters
    ----------
    traffic : the floor's traffic
    walls : the known walls
    radius_m : radius of robots
    """

    def __init__(self, traffic: Traffic, walls: Obstacles, radius_m: float) -> None:
        self._traffic: Final = traffic
        self._walls: Final = walls
        self._near_m: Final = radius_m + _TOLERANCE_M
        self._obstacles: dict[int, _Remembered] = {}
        self._before: dict[int, list[Echo]] = {}  # the unexplained echoes of each robot's latest report
        self._next_id = _FIRST_ID

    def note(self, robot_id: int, echoes: Sequence[Echo], now_s: float) -> None:
        """Note a robot's echoes."""
        unexplained = [echo for echo in echoes if not self._is_explained(robot_id, echo)]
        before = self._before.get(robot_id, [])
        for echo in unexplained:
            if any(echo.place.distance_to(earlier.place) < _SAME_M for earlier in before):
                self._remember(echo.place, now_s)
        self._before[robot_id] = unexplained

    def forget_old(self, now_s: float) -> None:
        """Forget obstacles that have not been detected for a while."""
        for obstacle_id, obstacle in list(self._obstacles.items()):
            if now_s - obstacle.seen_s > _REMEMBERED_S:
                del self._obstacles[obstacle_id]
                self._traffic.remove_obstacle(obstacle_id)

    def words(self, obstacle_id: int) -> str | None:
        """Return where an obstacle is, human-readable; None for the number of no obstacle."""
        obstacle = self._obstacles.get(obstacle_id)
        return None if obstacle is None else f"obstacle at ({obstacle.place.x_m:.2f}, {obstacle.place.y_m:.2f})"

    def _is_explained(self, robot_id: int, echo: Echo) -> bool:
        """Whether a known robot or wall explains an echo."""
        if self._walls and self._walls.clearance_along_m(echo.sight(_TOLERANCE_M - _BESIDE_M)) < _BESIDE_M:
            return True
        return self._traffic.is_robot_near(echo.place, self._near_m, without=(robot_id, *self._obstacles))

    def _remember(self, place: Pose2D, now_s: float) -> None:
        for obstacle in self._obstacles.values():
            if obstacle.place.distance_to(place) < _SAME_M:
                obstacle.seen_s = now_s
                return
        self._obstacles[self._next_id] = _Remembered(place, now_s)
        self._traffic.enter_obstacle(self._next_id, place)
        self._next_id -= 1
