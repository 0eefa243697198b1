"""Routes of legs that drive, turn, stand and dock, and grow meanwhile: fleet, link and simulator in one thread."""

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from experiments.lab.lab import Lab
from fleet.errors import GoalRejectedError
from fleet.geometry import Pose2D
from fleet.reason import Reason
from fleet.tasks.route import RouteLeg, RouteLegKind
from fleet.tasks.task import TaskState
from fleet.tasks.task_kind import TaskKind
from fleet.work.task_of_work import task_of_work
from fleet.work.work import RouteExtension, Work
from harness.shared_floor import SharedFloor
from harness.turned_edges import turned
from thymio_base.parts import finished

START = (1.0, 1.0)
NEAR_M = 0.02
Points = Sequence[tuple[float, float]]


def drive(*points_m: tuple[float, float], speed_mps: float = 0.0, corner_m: float = 0.0) -> RouteLeg:
    return RouteLeg(RouteLegKind.DRIVE, points_m, speed_mps, corner_m)


def turn(heading_rad: float) -> RouteLeg:
    return RouteLeg(RouteLegKind.TURN, value=heading_rad)


def stand(duration_s: float, kind: RouteLegKind = RouteLegKind.WAIT) -> RouteLeg:
    return RouteLeg(kind, value=duration_s)


@pytest.fixture(params=["true", "false"], ids=["traffic", "alone"])
def enabled(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def started(folder: Path, enabled: str) -> Lab:
    return SharedFloor(folder, [Pose2D(*START, 0.0)], 2.6, settings=f"traffic: {{enabled: {enabled}}}").lab


@pytest.fixture
def loop(tmp_path: Path, enabled: str) -> Lab:
    return started(tmp_path, enabled)


def perform(loop: Lab, *legs: RouteLeg) -> Reason | None:
    estimate = loop.service.robot(1).telemetry.estimate
    assert estimate is not None
    work = Work(TaskKind.FOLLOW_ROUTE, route=legs)
    request = task_of_work(work, "route", loop.config, home=estimate.pose, pose=estimate.pose)
    return loop.service.assign(1, request, loop.now_ns)


def extend(loop: Lab, *legs: RouteLeg, expected: int = 0, task_id: str = "route") -> int:
    return finished(loop.service.extending_route(1, task_id, RouteExtension(legs, expected)))


def completed(loop: Lab) -> int:
    """Return how many legs are over, while it runs or at its end."""
    progress = loop.outcomes[0].route if loop.outcomes else loop.status().route
    assert progress is not None
    return progress.legs_completed


def run_to_end(loop: Lab) -> list[tuple[int, Pose2D]]:
    """Return at which pose each leg was over."""
    ends: list[tuple[int, Pose2D]] = []
    while not loop.outcomes:
        loop.run(0.02)
        if completed(loop) != (ends[-1][0] if ends else 0):
            ends.append((completed(loop), loop.truth()))
    assert loop.outcomes[0].state is TaskState.SUCCEEDED, loop.outcomes[0]
    return ends


ROUTES = {
    "straight": turned(START, 0, 0, 0, 0)[1:],
    "square": turned(START, 0, 90, 90, 90)[1:],
    "bends": turned(START, 0, 30, 40, -50)[1:],
    "back": turned(START, 0, 180, 10, 180)[1:],
}


def test_legs_are_over_one_after_the_other_where_they_end(loop: Lab) -> None:
    corner, side = (1.4, 1.0), (1.4, 1.4)
    legs = (drive(corner), drive(side), turn(0.0), stand(0.5, RouteLegKind.LOAD), drive((1.7, 1.4)), stand(0.2))
    assert perform(loop, *legs) is None
    ends = run_to_end(loop)
    assert [number for number, _ in ends] == [1, 2, 3, 4, 5, 6]
    places = [corner, side, side, side, (1.7, 1.4), (1.7, 1.4)]
    assert all(pose.distance_to(Pose2D(*place, 0.0)) < 0.05 for (_, pose), place in zip(ends, places, strict=True))
    assert abs(ends[2][1].heading_rad) < 0.1


def route_s(loop: Lab, points_m: Points, at_once: int, speeds_mps: Sequence[float]) -> tuple[float, int]:
    """Return how long drives take that are released one by one, 2 s before the robot brakes; and the robot's stops.

    No drive is faster than its own speed, but for the accuracy of wheels.
    """
    legs = [drive(point_m, speed_mps=speed_mps) for point_m, speed_mps in zip(points_m, speeds_mps, strict=True)]
    started_ns, known, stops, drives = loop.now_ns, at_once, 0, False
    assert perform(loop, *legs[:known]) is None
    last = 0
    while not loop.outcomes:
        loop.run(0.02)
        speed_mps = abs(loop.service.robot(1).telemetry.twist.linear_mps)
        stops += drives and speed_mps < 0.005
        drives = speed_mps > (0.005 if drives else 0.03)
        assert speed_mps < 1.2 * max(speeds_mps[max(0, last - 1) : last + 1]) + 0.005 or 0.0 in speeds_mps[: last + 1]
        if completed(loop) != last:
            last += 1
            assert completed(loop) == last
            assert loop.truth().distance_to(Pose2D(*points_m[last - 1], 0.0)) < 0.05
        if known < len(points_m) and loop.status().eta_s < 4.0:
            known += 1
            assert extend(loop, legs[known - 1], expected=known - 1) == known
    assert loop.outcomes[0].state is TaskState.SUCCEEDED
    assert last == len(points_m)
    assert loop.truth().distance_to(Pose2D(*points_m[-1], 0.0)) < NEAR_M
    return (loop.now_ns - started_ns) * 1e-9, stops


@pytest.mark.parametrize("speeds_mps", [[0.0] * 4, [0.06, 0.1, 0.05, 0.08]], ids=["one speed", "speeds"])
@pytest.mark.parametrize("points_m", ROUTES.values(), ids=ROUTES)
def test_drives_released_one_by_one_take_as_long_as_at_once(
    tmp_path: Path, enabled: str, points_m: Points, speeds_mps: Sequence[float]
) -> None:
    at_once_s, stops = route_s(started(tmp_path, enabled), points_m, 4, speeds_mps)
    one_by_one_s, own_stops = route_s(started(tmp_path, enabled), points_m, 1, speeds_mps)
    assert one_by_one_s <= 1.03 * at_once_s
    assert own_stops <= stops


def test_a_robot_stays_busy_at_the_end_of_its_route_and_continues_with_added_legs(loop: Lab) -> None:
    assert perform(loop, stand(1.0)) is None
    loop.run(0.5)
    assert loop.status().is_busy
    assert extend(loop, drive((1.3, 1.0)), turn(math.pi / 2)) == 3
    loop.run(2.0)
    assert extend(loop, stand(0.1), drive((1.3, 1.3)), drive((1.3, 1.6)), expected=3) == 6
    assert [number for number, _ in run_to_end(loop)] == [1, 2, 3, 4, 5, 6]
    assert loop.truth().distance_to(Pose2D(1.3, 1.6, 0.0)) < NEAR_M


def test_edges_that_lead_nowhere_are_over_at_once(loop: Lab) -> None:
    assert (
        perform(loop, drive((1.005, 1.0)), drive((1.3, 1.0)), drive((1.3, 1.0)), stand(0.1), drive((1.3, 1.0))) is None
    )
    assert [number for number, _ in run_to_end(loop)][-1] == 5
    assert abs(loop.truth().heading_rad) < 0.1


def test_a_lower_speed_is_kept_on_its_leg_alone_and_driven_into_without_a_stop(loop: Lab) -> None:
    assert perform(loop, drive((1.3, 1.0)), drive((1.5, 1.0), speed_mps=0.05), drive((1.8, 1.0), speed_mps=9.0)) is None
    fastest, slowest_mps = [0.0, 0.0, 0.0, 0.0], 1.0
    while not loop.outcomes:
        loop.run(0.02)
        speed_mps = loop.service.robot(1).telemetry.twist.linear_mps
        fastest[completed(loop)] = max(fastest[completed(loop)], speed_mps)
        if 1.2 < loop.truth().x_m < 1.7:
            slowest_mps = min(slowest_mps, speed_mps)
    assert completed(loop) == 3
    assert slowest_mps > 0.035
    assert fastest[1] < 0.06 < 0.09 < min(fastest[0], fastest[2])


def refusal(loop: Lab, *legs: RouteLeg, expected: int = 0, task_id: str = "route") -> Reason:
    with pytest.raises(GoalRejectedError) as caught:
        extend(loop, *legs, expected=expected, task_id=task_id)
    return caught.value.explanation.reason


def test_extensions_that_do_not_follow_the_route_are_refused_and_it_goes_on(loop: Lab) -> None:
    legs = drive((1.3, 1.0)), turn(1.0)
    assert perform(loop, *legs) is None
    loop.run(1.0)
    assert refusal(loop, turn(2.0), expected=3) is Reason.OUTDATED_UPDATE
    assert refusal(loop, turn(2.0), expected=1) is Reason.OUTDATED_UPDATE
    assert extend(loop, *legs[1:], expected=1) == 2  # a repeated one
    assert refusal(loop, turn(2.0), task_id="other") is Reason.NOT_RUNNING
    assert refusal(loop, drive((9.0, 1.0))) is Reason.OUT_OF_ARENA
    assert refusal(loop, drive((math.nan, 1.0))) is Reason.NON_FINITE_POSE
    assert refusal(loop, drive((1.5, 1.0), speed_mps=0.001)) is Reason.BAD_SPEED
    assert refusal(loop, stand(-1.0)) is Reason.BAD_PATH
    assert refusal(loop, RouteLeg(RouteLegKind.DOCK, ((1.0, 1.0),))) is Reason.NOT_A_CHARGER
    run_to_end(loop)
    assert completed(loop) == 2
    assert refusal(loop, turn(2.0)) is Reason.NOT_RUNNING


def test_random_routes_that_grow_at_random_times_end_where_they_lead(tmp_path: Path, enabled: str) -> None:
    for seed in range(4):
        rng = np.random.default_rng(seed)
        loop = started(tmp_path, enabled)
        legs = [_random_leg(rng) for _ in range(12)]
        known = int(rng.integers(1, 4))
        assert perform(loop, *legs[:known]) is None
        while not loop.outcomes:
            loop.run(float(rng.uniform(0.02, 1.0)))
            added = legs[known : known + int(rng.integers(1, 4))]
            if added and not loop.outcomes and (rng.random() < 0.2 or loop.status().eta_s < 1.5):
                known = extend(loop, *added, expected=known)
        assert loop.outcomes[0].state is TaskState.SUCCEEDED, (seed, loop.outcomes[0])
        assert completed(loop) == known == len(legs)
        end = next(leg.points_m[-1] for leg in reversed(legs) if leg.points_m)
        assert loop.truth().distance_to(Pose2D(*end, 0.0)) < NEAR_M


def _random_leg(rng: np.random.Generator) -> RouteLeg:
    what = rng.random()
    if what < 0.15:
        return turn(float(rng.uniform(-3.0, 3.0)))
    if what < 0.3:
        return stand(float(rng.uniform(0.0, 1.0)), RouteLegKind.UNLOAD)
    points_m = [(float(x_m), float(y_m)) for x_m, y_m in rng.uniform(0.7, 1.4, (int(rng.integers(1, 3)), 2))]
    return drive(*points_m, speed_mps=float(rng.choice([0.0, 0.0, 0.1])), corner_m=float(rng.choice([0.0, 0.01])))
