"""Paths that grow while a robot follows them: fleet, link and simulator in one thread, with and without traffic."""

import math
from collections.abc import Sequence
from pathlib import Path

import pytest

from experiments.lab.lab import Lab
from fleet.control.tracker_config import LawName
from fleet.errors import GoalRejectedError
from fleet.geometry import Pose2D
from fleet.reason import Reason
from fleet.tasks.task import TaskState, go_to
from fleet.tasks.task_kind import TaskKind
from fleet.work.task_of_work import task_of_work
from fleet.work.work import PathWish, RouteUpdate, Work
from harness.shared_floor import SharedFloor
from harness.turned_edges import turned
from thymio_base.parts import finished

SETTINGS = "traffic: {{enabled: {enabled}}}\ntracker: {{law: {law}}}"
START = (1.0, 1.0)
NEAR_M = 0.02
Points = Sequence[tuple[float, float]]
RING: Points = [(1.0, 1.0), (1.3, 1.0), (1.3, 1.3), (1.0, 1.3), (1.0, 1.0)]


def started(folder: Path, enabled: str, law: LawName = LawName.PD_PURSUIT) -> Lab:
    return SharedFloor(folder, [Pose2D(*START, 0.0)], 2.6, settings=SETTINGS.format(enabled=enabled, law=law.value)).lab


@pytest.fixture(params=["true", "false"], ids=["traffic", "alone"])
def enabled(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def loop(tmp_path: Path, enabled: str) -> Lab:
    return started(tmp_path, enabled)


def follow(loop: Lab, wish: PathWish, robot_id: int = 1) -> None:
    estimate = loop.service.robot(robot_id).telemetry.estimate
    assert estimate is not None
    work = Work(TaskKind.FOLLOW_PATH, path=wish)
    request = task_of_work(work, "route", loop.config, home=estimate.pose, pose=estimate.pose)
    assert loop.service.assign(robot_id, request, loop.now_ns) is None


def extend(loop: Lab, *points_m: tuple[float, float], after: int = 0, laps: int = 0, task_id: str = "route") -> None:
    finished(loop.service.extending(1, task_id, RouteUpdate(after, points_m, laps)))


def refusal(loop: Lab, *points_m: tuple[float, float], after: int = 0, laps: int = 0) -> tuple[Reason, str]:
    """Return why an update is refused; the task goes on."""
    before = loop.status().task_id
    with pytest.raises(GoalRejectedError) as caught:
        extend(loop, *points_m, after=after, laps=laps)
    assert loop.status().task_id == before
    return caught.value.explanation.reason, caught.value.explanation.detail


def route_s(loop: Lab, points_m: Points, at_once: int, brakes_in_s: float = 2.0) -> tuple[float, int]:
    """Return how long a route takes that is released edge by edge, some time before the robot brakes; and its stops."""
    started_ns, known, stops, drives = loop.now_ns, at_once + 1, 0, False
    follow(loop, PathWish(waypoints_m=tuple(points_m[:known])))
    while not loop.outcomes:
        loop.run(0.02)
        speed_mps = abs(loop.service.robot(1).telemetry.twist.linear_mps)
        stops += drives and speed_mps < 0.005
        drives = speed_mps > (0.005 if drives else 0.03)
        if known < len(points_m) and loop.status().eta_s < brakes_in_s + 2.0:
            extend(loop, *points_m[known - 1 : known + 1], after=known)
            known += 1
    assert loop.outcomes[0].state is TaskState.SUCCEEDED
    assert loop.truth().distance_to(Pose2D(*points_m[-1], 0.0)) < NEAR_M
    return (loop.now_ns - started_ns) * 1e-9, stops


ROUTES = {
    "straight": turned(START, 0, 0, 0, 0),
    "square": turned(START, 0, 90, 90, 90),
    "bends": turned(START, 0, 30, 40, -50),
    "wide": turned(START, 0, 20, 0, 65),
    "back": turned(START, 0, 180, 10, 180),
}


@pytest.mark.parametrize("points_m", ROUTES.values(), ids=ROUTES)
def test_a_route_released_edge_by_edge_takes_as_long_as_at_once(tmp_path: Path, enabled: str, points_m: Points) -> None:
    at_once_s, stops = route_s(started(tmp_path, enabled), points_m, at_once=4)
    one_by_one_s, own_stops = route_s(started(tmp_path, enabled), points_m, at_once=1)
    assert one_by_one_s <= 1.03 * at_once_s
    assert own_stops <= stops


@pytest.mark.parametrize("law", list(LawName))
def test_every_law_goes_on_along_a_longer_route(tmp_path: Path, law: LawName) -> None:
    at_once_s, stops = route_s(started(tmp_path, "true", law), ROUTES["bends"], at_once=4)
    one_by_one_s, own_stops = route_s(started(tmp_path, "true", law), ROUTES["bends"], at_once=1)
    assert one_by_one_s <= 1.03 * at_once_s
    assert own_stops <= stops


def test_an_update_during_the_last_metres_costs_a_stop_and_nothing_else(loop: Lab) -> None:
    _, stops = route_s(loop, ROUTES["straight"], at_once=1, brakes_in_s=-1.0)
    assert stops > 1


def test_a_closed_path_goes_on_in_further_laps_without_a_stop(loop: Lab) -> None:
    follow(loop, PathWish("{shape: circle, size_m: 0.3}"))
    loop.run(2.0)
    extend(loop, laps=2)
    still = 0
    while not loop.outcomes:
        loop.run(0.02)
        still += abs(loop.service.robot(1).telemetry.twist.linear_mps) < 0.02
        assert loop.status().lap <= 3
    assert loop.outcomes[0].state is TaskState.SUCCEEDED
    assert still < 60  # at both ends
    assert loop.truth().distance_to(Pose2D(*START, 0.0)) < NEAR_M


@pytest.mark.parametrize("path", ["{shape: circle, size_m: 0.3}", "{shape: square, size_m: 0.3}", "eight"])
def test_an_endless_path_is_driven_until_it_is_canceled(loop: Lab, path: str) -> None:
    follow(loop, PathWish(path, is_endless=True))
    laps = 0
    for _ in range(1200):
        loop.run(0.1)
        assert loop.status().lap in (laps, laps + 1)
        laps = loop.status().lap
        assert len(loop.service.robot(1).followed("route").path.pieces) <= 300
    assert laps > 3
    assert not loop.outcomes
    assert loop.service.robot(1).cancel("route", loop.now_ns)
    loop.run(1.0)
    assert [outcome.state for outcome in loop.outcomes] == [TaskState.CANCELED]


def test_an_endless_circle_never_stops_at_its_seam(loop: Lab) -> None:
    follow(loop, PathWish("{shape: circle, size_m: 0.3}", is_endless=True))
    loop.run(5.0)
    for _ in range(300):
        loop.run(0.2)
        assert loop.service.robot(1).telemetry.twist.linear_mps > 0.07
    assert loop.status().lap > 5


@pytest.mark.parametrize(
    ("wish", "why"),
    [
        (PathWish("pieces: [{line_m: 1}]", is_endless=True), "not closed"),
        (PathWish("circle", laps=3, is_endless=True), "no number of laps"),
        (PathWish(waypoints_m=((1.0, 1.0), (2.0, 1.0)), is_endless=True), "not closed"),
    ],
)
def test_paths_that_cannot_be_endless_are_refused(loop: Lab, wish: PathWish, why: str) -> None:
    with pytest.raises(GoalRejectedError, match=why):
        follow(loop, wish)


def test_updates_that_do_not_continue_the_route_are_refused_and_the_task_goes_on(loop: Lab) -> None:
    follow(loop, PathWish(waypoints_m=((1.0, 1.0), (1.4, 1.0))))
    loop.run(0.5)
    assert refusal(loop, (1.41, 1.03), (1.6, 1.0)) == (
        Reason.BAD_PATH,
        "the update starts at (1.41, 1.03), 31.6228 mm from the last waypoint of the route, (1.4, 1); "
        "repeat that one first",
    )
    assert refusal(loop, (1.4, 1.0), (1.6, 1.0), after=3)[0] is Reason.OUTDATED_UPDATE
    assert refusal(loop, (1.0, 1.0), (1.4, 1.1), after=1)[0] is Reason.OUTDATED_UPDATE
    assert refusal(loop, (1.4, 1.0)) == (
        Reason.BAD_PATH,
        "an update needs 2 waypoints, the last one of the route so far and a further one; got 1",
    )
    assert refusal(loop)[1] == "an update has either waypoints or laps"
    assert refusal(loop, (1.4, 1.0), (1.6, 1.0), laps=1)[1] == "an update has either waypoints or laps, not both"
    assert refusal(loop, (1.4, 1.0), (math.nan, 1.0))[0] is Reason.NON_FINITE_POSE
    assert refusal(loop, (1.4, 1.0), (9.0, 1.0))[0] is Reason.OUT_OF_ARENA
    assert refusal(loop, laps=1) == (
        Reason.BAD_PATH,
        "a path that is not closed cannot be extended by laps; send waypoints",
    )
    assert "300 m" in refusal(loop, *[(1.4 + index % 2, 1.0) for index in range(400)])[1]
    assert "more than 1000" in refusal(loop, *[(1.4 + 0.1 * (index % 2), 1.0) for index in range(1003)])[1]
    assert loop.run_until_ended("route").state is TaskState.SUCCEEDED
    assert loop.truth().distance_to(Pose2D(1.4, 1.0, 0.0)) < NEAR_M


def test_repeated_updates_are_harmless(loop: Lab) -> None:
    follow(loop, PathWish(waypoints_m=((1.0, 1.0), (1.3, 1.0))))
    loop.run(0.5)
    for _ in range(3):
        extend(loop, (1.3, 1.0), (1.5, 1.2), after=2)
    assert loop.run_until_ended("route").state is TaskState.SUCCEEDED
    assert loop.truth().distance_to(Pose2D(1.5, 1.2, 0.0)) < NEAR_M


def test_what_is_given_otherwise_is_extended_by_laps_only(loop: Lab) -> None:
    follow(loop, PathWish("{shape: circle, size_m: 0.3}", is_endless=True))
    loop.run(0.5)
    assert refusal(loop, (1.0, 1.0), (1.5, 1.0))[1] == (
        "the path is not given as waypoints, so that it cannot be extended by waypoints, only by laps if it is closed"
    )
    assert refusal(loop, laps=2)[1] == "the path is already endless"


def test_tasks_that_do_not_follow_a_path_refuse_updates(loop: Lab) -> None:
    assert refusal(loop, (1.0, 1.0), (1.5, 1.0)) == (
        Reason.NOT_RUNNING,
        "task 'route' has ended, or never ran; no task runs here; send a new goal for what follows",
    )
    loop.service.assign(1, go_to("route", Pose2D(1.5, 1.0, 0.0)), loop.now_ns)
    loop.run(0.5)
    assert refusal(loop, (1.5, 1.0), (1.7, 1.0))[1] == (
        "task 'route' follows no path; only a task_follow_path can be extended"
    )


def test_an_update_that_comes_after_the_end_or_a_cancel_is_refused(loop: Lab) -> None:
    follow(loop, PathWish(waypoints_m=((1.0, 1.0), (1.3, 1.0))))
    loop.run(1.0)
    loop.service.robot(1).cancel("route", loop.now_ns)
    assert refusal(loop, (1.3, 1.0), (1.5, 1.0))[1] == (
        "task 'route' is being canceled; send a new goal for what follows"
    )
    loop.run(1.0)
    assert refusal(loop, (1.3, 1.0), (1.5, 1.0))[0] is Reason.NOT_RUNNING


def test_a_route_of_a_stopped_robot_ends(loop: Lab) -> None:
    follow(loop, PathWish(waypoints_m=((1.0, 1.0), (1.3, 1.0))))
    loop.run(1.0)
    extend(loop, (1.3, 1.0), (1.6, 1.0))
    loop.service.stop()
    loop.run(0.5)
    assert [outcome.reason for outcome in loop.outcomes] == [Reason.STOPPED]


def test_a_robot_whose_link_was_lost_drives_on_along_the_longer_route(loop: Lab) -> None:
    follow(loop, PathWish(waypoints_m=((1.0, 1.0), (1.3, 1.0))))
    loop.run(1.0)
    loop.switch_off()
    loop.run(1.0)
    extend(loop, (1.3, 1.0), (1.6, 1.0))
    loop.switch_on()
    assert loop.run_until_ended("route").state is TaskState.SUCCEEDED
    assert loop.truth().distance_to(Pose2D(1.6, 1.0, 0.0)) < NEAR_M


def test_a_robot_that_waits_for_its_way_gets_one_along_the_longer_route(loop: Lab) -> None:
    follow(loop, PathWish(waypoints_m=((1.0, 1.0), (1.3, 1.0))))
    extend(loop, (1.3, 1.0), (1.6, 1.0))
    assert loop.run_until_ended("route").state is TaskState.SUCCEEDED
    assert loop.truth().distance_to(Pose2D(1.6, 1.0, 0.0)) < NEAR_M


def test_the_route_around_and_beyond_its_start_leads_on(loop: Lab) -> None:
    follow(loop, PathWish(waypoints_m=tuple(RING)))
    loop.run(6.0)
    extend(loop, RING[-1], (0.7, 1.0), (0.7, 1.3))
    assert loop.run_until_ended("route").state is TaskState.SUCCEEDED
    assert loop.truth().distance_to(Pose2D(0.7, 1.3, 0.0)) < NEAR_M


def test_progress_and_time_to_go_count_the_longer_route(loop: Lab) -> None:
    follow(loop, PathWish(waypoints_m=((1.0, 1.0), (1.5, 1.0))))
    loop.run(3.0)
    before, left_s = loop.status().progress, loop.status().eta_s
    extend(loop, (1.5, 1.0), (2.0, 1.0))
    loop.run(0.2)
    assert loop.status().progress < before
    assert loop.status().eta_s == pytest.approx(left_s + 0.5 / 0.14, abs=0.4)


def test_a_long_route_forgets_what_was_driven(loop: Lab) -> None:
    points = [(1.0 + 0.5 * (index % 2), 1.0) for index in range(40)]
    follow(loop, PathWish(waypoints_m=tuple(points[:2])))
    for known in range(2, 40):
        loop.run(0.2)
        while loop.status().eta_s > 5.0:
            loop.run(0.1)
        extend(loop, *points[known - 1 : known + 1], after=known)
    assert len(loop.service.robot(1).followed("route").path.pieces) < 20
    assert not loop.outcomes


def test_robots_with_growing_routes_touch_nothing(tmp_path: Path) -> None:
    floor = SharedFloor(tmp_path, [Pose2D(0.3, 0.8, 0.0), Pose2D(0.8, 0.3, math.pi / 2)], 1.6)
    lab = floor.lab
    routes = {1: [(0.3, 0.8), (0.55, 0.8), (1.3, 0.8)], 2: [(0.8, 0.3), (0.8, 0.5), (0.8, 1.3)]}
    for robot_id, points in routes.items():
        follow_as(lab, robot_id, points[:2])
    floor.run(1.0)
    for robot_id, points in routes.items():
        finished(lab.service.extending(robot_id, f"route-{robot_id}", RouteUpdate(2, tuple(points[1:]))))
    assert all(outcome.state is TaskState.SUCCEEDED for outcome in floor.run_until_ended(2))
    assert floor.least_m >= 0.162
    for robot_id, points in routes.items():
        assert lab.truth(robot_id).distance_to(Pose2D(*points[-1], 0.0)) < NEAR_M


def test_a_route_extended_to_another_robots_place_ends_before_it(tmp_path: Path) -> None:
    floor = SharedFloor(tmp_path, [Pose2D(0.3, 0.8, 0.0), Pose2D(1.2, 0.8, 0.0)], 1.6, settings="traffic: {idle: stay}")
    follow_as(floor.lab, 1, [(0.3, 0.8), (0.6, 0.8)])
    floor.run(1.0)
    finished(floor.lab.service.extending(1, "route-1", RouteUpdate(2, ((0.6, 0.8), (1.4, 0.8)))))
    floor.run(8.0)
    assert floor.least_m >= 0.162
    assert floor.lab.truth(1).distance_to(Pose2D(0.6, 0.8, 0.0)) < 0.01
    assert floor.lab.status(1).traffic.blocked_by


def follow_as(lab: Lab, robot_id: int, points_m: Points) -> None:
    work = Work(TaskKind.FOLLOW_PATH, path=PathWish(waypoints_m=tuple(points_m)))
    request = task_of_work(work, f"route-{robot_id}", lab.config, home=Pose2D(0, 0, 0), pose=None)
    assert lab.service.assign(robot_id, request, lab.now_ns) is None
