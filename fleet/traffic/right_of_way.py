"""Right of way: grants only motion after which every robot can still stop without touching anything.

Each robot owns the floor that its axle sweeps if it must stop now: until commands already sent act, and
while its wheels run out. As long as these sweeps are apart, a stop command for all robots avoids any contact. In
order of priority, a wanted twist extends a robot's sweep by what it adds; it is granted if the sweep stays apart from
all others, and from walls. Standing adds nothing, so it is always granted, and the sweeps stay apart by induction: the
braking-trajectory argument of safe replanning (Bekris and others, Safe distributed motion coordination for second-order
systems with different planning cycles, 2012).
"""

from collections.abc import Mapping
from typing import Final

from aseba_link.thymio.events import COMMAND_TIMEOUT_S
from fleet.floor.obstacles import Obstacles
from fleet.geometry import STILL, Twist2D
from fleet.settings.config import ArenaConfig
from fleet.traffic.outlines import Outlines
from fleet.traffic.sweep import OBSTACLE, Stopping, Sweep, line_ahead, stopping_sweep

_SHARES: Final = [1.0, 0.5, 0.25]  # of the wanted speed, tried in this order
_SLOW_SHARES: Final = [*_SHARES, 0.125]  # for robots without a way
_ROUNDING_M: Final = 1e-6
_DRIFTED_M: Final = 0.003  # a gap this much too small is more than noise of the estimates
_AHEAD_M: Final = 0.02
_EDGE: Final = -2  # the arena's edge, in place of a robot's ID


class RightOfWay:
    """Grants twists to robots one after the other; earlier robots have priority.

    Parameters
    ----------
    obstacles : the obstacles on the floor
    apart_m : the distance that two axles always keep
    radius_m : the distance that an axle always keeps from obstacles
    bounds : the arena, which robots must not leave; None without one
    """

    def __init__(
        self, obstacles: Obstacles, apart_m: float, radius_m: float, bounds: ArenaConfig | None = None
    ) -> None:
        self._bounds: Final = bounds
        self._obstacles: Final = obstacles
        self._apart_m: Final = apart_m
        self._radius_m: Final = radius_m
        self._stoppings: dict[int, Stopping] = {}
        self._sweeps: dict[int, Sweep] = {}
        self._outlines: Final = Outlines(obstacles)

    def start(self, stoppings: dict[int, Stopping], neighbours: Mapping[int, Sweep]) -> None:
        """Start a tick: all robots on the floor own what they sweep when stopping.

        `neighbours` are the sweeps of robots that are not commanded here.
        """
        self._stoppings = stoppings
        self._sweeps = {robot_id: stopping_sweep(stopping, STILL) for robot_id, stopping in stoppings.items()}
        self._sweeps.update(neighbours)
        self._outlines.start(stoppings)

    def grant(
        self, robot_id: int, wanted: Twist2D, edge_m: float = 0.0, *, has_way: bool = True
    ) -> tuple[Twist2D, int | None]:
        """Return the granted twist, and who is in the way of a faster one.

        Parameters
        ----------
        robot_id
            the robot
        wanted
            the wanted twist
        edge_m
            distance of its axle from the edges of the arena; if it is nearer, or outside, it may not move farther
            out
        has_way
            whether it follows a planned way. Without a way, it must touch nothing even if its link is lost now and its
            script stops it. If it is already too near to something, it must drive away from it: its heading is not
            known exactly, so that driving along it may be driving nearer
        """
        stopping = self._stoppings.get(robot_id)
        if stopping is None:
            return wanted, None
        twist, in_the_way = self._grant(robot_id, stopping, wanted, edge_m, has_way=has_way)
        self._outlines.note(robot_id, twist)
        return twist, in_the_way

    def _grant(
        self, robot_id: int, stopping: Stopping, wanted: Twist2D, edge_m: float, *, has_way: bool
    ) -> tuple[Twist2D, int | None]:
        if wanted.linear_mps == 0.0:
            return self._turn(robot_id, wanted, edge_m, None, has_way=has_way)
        in_the_way: int | None = None
        driven_s = stopping.period_s if has_way else COMMAND_TIMEOUT_S
        for share in _SHARES if has_way else _SLOW_SHARES:
            twist = Twist2D(share * wanted.linear_mps, share * wanted.angular_radps)
            sweep = stopping_sweep(stopping, twist, driven_s)
            met = self._met_by(robot_id, sweep, edge_m)
            if met is None and not has_way:
                soon = stopping_sweep(stopping, twist)
                met = self._approached_by(robot_id, soon, edge_m, is_backward=twist.linear_mps < 0.0)
            if met is None:
                met = self._outlines.met_by(robot_id, twist)
            if met is None:
                self._sweeps[robot_id] = sweep
                return twist, in_the_way
            in_the_way = met
        return self._turn(robot_id, Twist2D(0.0, wanted.angular_radps), edge_m, in_the_way, has_way=has_way)

    def _turn(
        self, robot_id: int, turn: Twist2D, edge_m: float, in_the_way: int | None, *, has_way: bool
    ) -> tuple[Twist2D, int | None]:
        """Return the turn on the spot granted to a robot, and who is in the way.

        If it would touch something, it turns the other way round. Wheels slip, so a robot without a way that turns for
        minutes drifts. If it has drifted clearly too near to something, and can drive straight away from it, it
        must do so.
        """
        if turn.angular_radps == 0.0:
            return turn, in_the_way
        granted, met = self._outlines.turn(robot_id, turn)
        if met is not None:
            return granted, met
        if has_way:
            return turn, in_the_way
        nearest, missing_m = self._nearest(robot_id, edge_m)
        if nearest is None or missing_m < _DRIFTED_M or not self._can_leave(robot_id, nearest, edge_m - missing_m):
            return turn, in_the_way
        return STILL, max(nearest, OBSTACLE)

    def _nearest(self, robot_id: int, edge_m: float) -> tuple[int | None, float]:
        """Return what a robot is nearest to of all that it is too near to, and how much distance is missing."""
        sweep = self._sweeps[robot_id]
        nearest: int | None = None
        missing_m = 0.0
        for other_id, other in self._sweeps.items():
            if other_id != robot_id and not sweep.is_far_from(other, self._apart_m):
                other_m = self._apart_m - sweep.gap_m(other)
                if other_m > missing_m:
                    nearest, missing_m = other_id, other_m
        wall_m = self._radius_m - sweep.clearance_m(self._obstacles) if self._obstacles else 0.0
        beyond_m = 0.0 if self._bounds is None else edge_m - min(sweep.margins_m(self._bounds))
        if max(wall_m, beyond_m) > missing_m:
            return (_EDGE, beyond_m) if beyond_m > wall_m else (OBSTACLE, wall_m)
        return nearest, missing_m

    def _can_leave(self, robot_id: int, nearest: int, margin_m: float) -> bool:
        """Whether the line ahead of a robot or behind it leads away from the nearest thing."""
        then = self._stoppings[robot_id].then
        return any(
            self._leads_away(line_ahead(then, length_m), nearest, margin_m) for length_m in (_AHEAD_M, -_AHEAD_M)
        )

    def _leads_away(self, line: Sweep, nearest: int, margin_m: float) -> bool:
        if nearest == OBSTACLE:
            return line.leads_clear_of(self._obstacles, is_backward=False)
        if nearest == _EDGE:
            bounds = self._bounds
            return bounds is not None and line.leads_inside(bounds, margin_m + _ROUNDING_M, is_backward=False)
        return line.leads_away_from(self._sweeps[nearest], is_backward=False)

    def _met_by(self, robot_id: int, sweep: Sweep, edge_m: float) -> int | None:
        """Return who is in the way of a sweep; a robot that is already too near may move, but not nearer."""
        before = self._sweeps[robot_id]
        for other_id, other in self._sweeps.items():
            if other_id == robot_id or sweep.is_far_from(other, self._apart_m):
                continue
            if sweep.approaches(before, other, self._apart_m):
                return other_id
        if self._obstacles:
            gap_m, needed_m = sweep.clearance_m(self._obstacles), self._radius_m - _ROUNDING_M
            if gap_m < needed_m and gap_m < before.clearance_m(self._obstacles) - _ROUNDING_M:
                return OBSTACLE
        if self._bounds is not None and self._leaves(self._bounds, sweep, before, edge_m):
            return OBSTACLE
        return None

    def _approached_by(self, robot_id: int, sweep: Sweep, edge_m: float, *, is_backward: bool) -> int | None:
        """Return who is already too near without the sweep leading away."""
        for other_id, other in self._sweeps.items():
            if other_id == robot_id or sweep.is_far_from(other, self._apart_m):
                continue
            is_near = sweep.gap_m(other) < self._apart_m - _ROUNDING_M
            if is_near and not sweep.leads_away_from(other, is_backward=is_backward):
                return other_id
        is_near = bool(self._obstacles) and sweep.clearance_m(self._obstacles) < self._radius_m - _ROUNDING_M
        if is_near and not sweep.leads_clear_of(self._obstacles, is_backward=is_backward):
            return OBSTACLE
        bounds, edge_m = self._bounds, edge_m - _ROUNDING_M
        if bounds is not None and not sweep.leads_inside(bounds, edge_m, is_backward=is_backward):
            return OBSTACLE
        return None

    def _leaves(self, bounds: ArenaConfig, sweep: Sweep, before: Sweep, edge_m: float) -> bool:
        """Whether a sweep comes too near to an edge of the arena, and nearer than the sweep before."""
        return any(
            margin_m < edge_m - _ROUNDING_M and margin_m < before_m - _ROUNDING_M
            for margin_m, before_m in zip(sweep.margins_m(bounds), before.margins_m(bounds), strict=True)
        )
