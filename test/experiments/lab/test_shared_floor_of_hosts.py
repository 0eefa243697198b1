"""Robots of two hosts on one floor: nobody touches anybody, and everybody arrives."""

import math
from collections.abc import Sequence

import pytest

from experiments.lab.shared_hosts import SharedHosts
from fleet.geometry import Pose2D, Twist2D
from fleet.reason import Reason
from fleet.tasks.task import TaskState
from fleet.tasks.task_kind import TaskKind
from fleet.traffic.traffic_state import TrafficPhase
from fleet.work.task_of_work import task_of_work
from fleet.work.work import PathWish, RouteUpdate, Work
from thymio_base.parts import finished

APART_M = 0.162  # two bodies may touch at 0.16 m
WEST, EAST = Pose2D(0.3, 0.8, 0.0), Pose2D(1.3, 0.8, math.pi)
SOUTH, NORTH = Pose2D(0.8, 0.3, 0.5 * math.pi), Pose2D(0.8, 1.3, -0.5 * math.pi)


def crossing(settings: str = "") -> SharedHosts:
    """Return two hosts whose robots drive across each other's ways."""
    floor = SharedHosts({"bench": {1: WEST}, "desk": {2: SOUTH}}, 1.6, settings=settings)
    floor.run(1.0)
    floor.send({1: EAST, 2: NORTH})
    return floor


def on_circle(count: int, side_m: float) -> dict[int, Pose2D]:
    """Return poses on a circle; each looks at the opposite one."""
    radius_m = 0.5 * side_m - 0.2
    angles = [math.tau * index / count for index in range(count)]
    return {
        number: Pose2D(
            0.5 * side_m + radius_m * math.cos(angle), 0.5 * side_m + radius_m * math.sin(angle), math.pi + angle
        )
        for number, angle in enumerate(angles, 1)
    }


def swapping(names: Sequence[str], *, lost: float = 0.0, delay_s: float = 0.01) -> SharedHosts:
    """Return hosts whose robots swap places across a circle, most of them with robots of other hosts."""
    starts = on_circle(6, 1.8)
    groups = {
        name: {number: pose for number, pose in starts.items() if number % len(names) == index}
        for index, name in enumerate(names)
    }
    floor = SharedHosts(groups, 1.8, lost=lost, delay_s=(0.5 * delay_s, delay_s))
    floor.run(1.0)
    floor.send({number: starts[(number + 2) % 6 + 1] for number in starts})
    return floor


def assert_all_arrive(floor: SharedHosts, count: int, timeout_s: float = 90.0) -> None:
    """Assert that this many tasks succeed, and that nobody touches anybody."""
    assert [outcome.state for outcome in floor.run_until_ended(count, timeout_s)] == [TaskState.SUCCEEDED] * count
    assert (floor.contacts, floor.least_m >= APART_M) == (0, True)


@pytest.mark.parametrize("law", ["lqr", "pure_pursuit"])
def test_robots_of_two_hosts_cross_each_others_ways(law: str) -> None:
    assert_all_arrive(crossing(f"tracker: {{law: {law}}}"), 2)


@pytest.mark.slow
@pytest.mark.parametrize("names", [("bench", "desk"), ("bench", "desk", "attic")], ids=["two hosts", "three hosts"])
def test_robots_of_several_hosts_swap_places(names: Sequence[str]) -> None:
    assert_all_arrive(swapping(names), 6)


@pytest.mark.slow
def test_robots_swap_places_over_a_slow_network_that_loses_messages() -> None:
    assert_all_arrive(swapping(("bench", "desk"), lost=0.2, delay_s=0.2), 6)


@pytest.fixture
def separated() -> SharedHosts:
    """Two hosts that are separated while ways cross, long enough for their robots to stand."""
    floor = crossing()
    while floor.truth(1).x_m < 0.45:
        floor.run(0.05)
    floor.cut()
    floor.run(3.0)
    return floor


def test_robots_of_disconnected_hosts_stop_before_each_others_ways(separated: SharedHosts) -> None:
    places = [separated.truth(1), separated.truth(2)]
    separated.run(1.0)
    assert [separated.truth(number).distance_to(place) < 1e-3 for number, place in enumerate(places, 1)] == [True] * 2
    assert separated.least_m >= 0.2
    bench, desk = separated.host_of(1).status(1).traffic, separated.host_of(2).status(2).traffic
    assert [bench.going, desk.going] == [TrafficPhase.BLOCKED] * 2
    assert ("host desk" in bench.blocked_by, "host bench" in desk.blocked_by) == (True, True)


@pytest.mark.slow
def test_first_of_two_hosts_that_do_not_hear_each_other_drives_on_around_the_other(separated: SharedHosts) -> None:
    separated.run(30.0)
    assert [outcome.robot_id for outcome in separated.run_until_ended(1)] == [1]
    assert separated.truth(2).distance_to(NORTH) > 0.2  # it stands where it was cut off
    assert (separated.contacts, separated.least_m >= APART_M) == (0, True)


@pytest.mark.parametrize("apart_s", [0.0, 30.0])
def test_robots_arrive_once_hosts_hear_each_other_again(separated: SharedHosts, apart_s: float) -> None:
    separated.run(apart_s)
    separated.join()
    assert_all_arrive(separated, 2)


def test_task_that_starts_while_hosts_do_not_hear_each_other_waits() -> None:
    floor = SharedHosts({"bench": {1: WEST}, "desk": {2: SOUTH}}, 1.6, settings="traffic: {blocked_s: 20}")
    floor.cut()
    floor.send({2: NORTH})
    outcomes = floor.run_until_ended(1, 40.0)
    assert outcomes[0].reason is Reason.BLOCKED
    assert "host bench, which does not answer" in outcomes[0].detail
    assert floor.truth(2).distance_to(SOUTH) < 1e-3


def test_teleoperated_robots_of_two_hosts_stop_before_each_other() -> None:
    floor = SharedHosts({"bench": {1: WEST}, "desk": {2: EAST}}, 1.6)
    for _ in range(100):
        for number in (1, 2):
            host = floor.host_of(number)
            host.service.drive(number, Twist2D(0.14, 0.0), host.now_ns)
        floor.run(0.1)
    assert (floor.contacts, floor.least_m >= APART_M) == (0, True)
    assert floor.truth(2).x_m - floor.truth(1).x_m < 0.5


def test_teleoperated_robot_stops_while_hosts_are_disconnected() -> None:
    floor = SharedHosts({"bench": {1: WEST}, "desk": {2: EAST}}, 1.6)
    floor.cut()
    for _ in range(40):
        floor.host_of(1).service.drive(1, Twist2D(0.14, 0.0), floor.host_of(1).now_ns)
        floor.run(0.1)
    assert floor.truth(1).x_m < WEST.x_m + 0.2
    assert floor.host_of(1).status(1).traffic.blocked_by == "host desk, which does not answer"


def test_robot_drives_around_a_lost_robot_of_another_host() -> None:
    floor = crossing()
    while floor.truth(2).y_m < 0.75:
        floor.run(0.05)
    floor.stage.simulation.network.cut_off(2)
    outcomes = {outcome.robot_id: outcome for outcome in floor.run_until_ended(2)}
    assert (outcomes[1].state, outcomes[2].reason) == (TaskState.SUCCEEDED, Reason.ROBOT_LOST)
    assert (floor.contacts, floor.least_m >= APART_M) == (0, True)


def test_robot_at_the_goal_is_named_with_its_host() -> None:
    floor = SharedHosts({"bench": {1: WEST}, "desk": {2: EAST}}, 1.6)
    floor.send({1: EAST})
    floor.run(7.0)
    status = floor.host_of(1).status(1)
    assert status.traffic.blocked_by == "robot 2 of host desk, standing"


def test_robot_that_waits_for_a_robot_of_another_host_names_both() -> None:
    floor = crossing()
    floor.stage.simulation.world.wheels.gains[:] *= 0.7  # the robot that goes first is late, whichever it is
    seen: set[str] = set()
    while not any(host.outcomes for host in floor.hosts.values()):
        floor.run(0.1)
        seen.update(floor.host_of(number).status(number).traffic.waiting_text for number in (1, 2))
    assert seen & {"2@desk", "1@bench"}


def routes_across(floor: SharedHosts, extends: bool) -> tuple[float, list[float]]:
    """Let two robots follow routes, extended underway or given at once; return the time, and the speeds of one."""
    routes = {1: ((0.3, 0.8), (0.7, 0.8), (1.3, 0.8)), 2: ((0.4, 0.3), (0.4, 0.45), (0.4, 0.55))}
    started_ns = floor.stage.now_ns
    for robot_id, route in routes.items():
        host = floor.host_of(robot_id)
        work = Work(TaskKind.FOLLOW_PATH, path=PathWish(waypoints_m=route[:2] if extends else route))
        home = Pose2D(*route[0], 0.0)
        request = task_of_work(work, f"route {robot_id}", host.service.config, home=home, pose=home)
        assert host.service.assign(robot_id, request, host.now_ns) is None
    floor.run(1.2)
    for robot_id, route in routes.items() if extends else ():
        update = RouteUpdate(2, route[1:])
        finished(floor.host_of(robot_id).service.extending(robot_id, f"route {robot_id}", update))
    speeds_mps = []
    while len([outcome for host in floor.hosts.values() for outcome in host.outcomes]) < 2:
        floor.run(0.1)
        speeds_mps.append(floor.host_of(1).service.robot(1).telemetry.twist.linear_mps)
        assert floor.stage.now_ns - started_ns < 60e9
    return (floor.stage.now_ns - started_ns) * 1e-9, speeds_mps


def test_routes_of_two_hosts_grow_without_a_stop() -> None:
    starts = {"bench": {1: WEST}, "desk": {2: Pose2D(0.4, 0.3, 0.5 * math.pi)}}
    floor = SharedHosts(starts, 1.6)
    floor.run(1.0)
    extended_s, speeds_mps = routes_across(floor, extends=True)
    assert (floor.contacts, floor.least_m >= APART_M) == (0, True)
    other = SharedHosts(starts, 1.6)
    other.run(1.0)
    at_once_s, _ = routes_across(other, extends=False)
    assert extended_s <= 1.03 * at_once_s
    assert min(speeds_mps[:40]) > 0.1
