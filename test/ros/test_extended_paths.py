"""Paths that are extended while robots follow them, through DDS."""

from collections.abc import Iterator

import pytest
from thymio_fleet_interfaces.srv import ExtendPath

from fleet.client.fleet_client import FleetClient
from fleet.geometry import Pose2D
from fleet.goals.sent_goal import GoalState, SentGoal
from fleet.interface.names import extend_path_service
from fleet.tasks.route import RouteLeg, RouteLegKind
from fleet.tasks.task_kind import TaskKind
from fleet.work.work import PathWish, RouteExtension, RouteUpdate, Work
from harness.ros.running_fleet import RunningFleet, ready

NEAR_M = 0.03
START, MIDDLE, END = (1.0, 1.0), (1.25, 1.0), (1.25, 1.25)


@pytest.fixture(scope="module")
def shared_fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningFleet]:
    yield from ready(RunningFleet(tmp_path_factory.mktemp("fleet")))


@pytest.fixture
def client(shared_fleet: RunningFleet) -> FleetClient:
    """The client of a fleet whose first robot is idle at home."""
    assert finished(shared_fleet, shared_fleet.client.go_home(1)) is GoalState.SUCCEEDED
    return shared_fleet.client


def started(fleet: RunningFleet, client: FleetClient, wish: PathWish) -> SentGoal:
    goal = client.assign(1, Work(TaskKind.FOLLOW_PATH, path=wish))
    fleet.wait_for(lambda: goal.feedback is not None, "the robot to be on its way")
    return goal


def finished(fleet: RunningFleet, goal: SentGoal) -> GoalState:
    fleet.wait_for(lambda: goal.state.is_final, f"the end of {goal.task_id}", 60.0)
    return goal.state


def test_a_route_is_extended_by_waypoints(shared_fleet: RunningFleet, client: FleetClient) -> None:
    goal = started(shared_fleet, client, PathWish(waypoints_m=(START, MIDDLE)))
    for _ in range(2):  # also if the first answer was lost
        answer = client.extend_path(1, goal.task_id, RouteUpdate(2, (MIDDLE, END)))
        assert (answer.accepted, answer.reason, answer.waypoints) == (True, "", 3)
    assert finished(shared_fleet, goal) is GoalState.SUCCEEDED
    shared_fleet.let_pass(0.3)
    assert shared_fleet.truths[1].distance_to(Pose2D(*END, 0.0)) < NEAR_M
    late = client.extend_path(1, goal.task_id, RouteUpdate(3, (END, START)))
    assert (late.accepted, late.reason) == (False, "NOT_RUNNING")


def test_an_endless_path_goes_on_until_it_is_canceled(shared_fleet: RunningFleet, client: FleetClient) -> None:
    goal = started(shared_fleet, client, PathWish("{shape: circle, size_m: 0.12}", is_endless=True))
    shared_fleet.wait_for(lambda: goal.feedback.lap >= 3, "the third lap", 40.0)
    assert not goal.state.is_final
    goal.cancel()
    assert finished(shared_fleet, goal) is GoalState.CANCELED


def test_bad_updates_are_refused_and_the_task_goes_on(shared_fleet: RunningFleet, client: FleetClient) -> None:
    goal = started(shared_fleet, client, PathWish(waypoints_m=(START, (1.0, 1.4))))
    gap = client.extend_path(1, goal.task_id, RouteUpdate(0, ((1.0, 1.45), END)))
    assert (gap.accepted, gap.reason) == (False, "BAD_PATH")
    assert "50 mm from the last waypoint" in gap.detail
    uneven = ExtendPath.Request(task_id=goal.task_id, waypoints_m=[1.0, 1.4, 1.0])
    answer = client.graph.call(ExtendPath, extend_path_service(1), uneven, 5.0)
    assert (answer.reason, answer.detail) == (
        "BAD_PATH",
        "waypoints_m has 3 numbers, and needs x and y of each waypoint",
    )
    assert client.extend_path(1, "other", RouteUpdate(0, ((1.0, 1.4), END))).reason == "NOT_RUNNING"
    assert finished(shared_fleet, goal) is GoalState.SUCCEEDED


def test_a_route_grows_by_legs_and_reports_completed_ones(shared_fleet: RunningFleet, client: FleetClient) -> None:
    legs = (RouteLeg(RouteLegKind.DRIVE, (MIDDLE,)), RouteLeg(RouteLegKind.LOAD, value=0.5))
    goal = client.assign(1, Work(TaskKind.FOLLOW_ROUTE, route=legs))
    shared_fleet.wait_for(lambda: goal.feedback is not None, "the robot to be on its way")
    further = RouteExtension((RouteLeg(RouteLegKind.TURN, value=1.5), RouteLeg(RouteLegKind.DRIVE, (END,))), 2)
    for _ in range(2):  # also if the first answer was lost
        answer = client.extend_route(1, goal.task_id, further)
        assert (answer.accepted, answer.reason, answer.legs) == (True, "", 4)
    gap = client.extend_route(1, goal.task_id, RouteExtension(legs, 7))
    assert (gap.accepted, gap.reason) == (False, "OUTDATED_UPDATE")
    shared_fleet.wait_for(lambda: goal.feedback.legs_completed >= 2, "the third leg", 40.0)
    assert goal.feedback.legs == 4
    assert finished(shared_fleet, goal) is GoalState.SUCCEEDED
    result = client.fetch_result(goal).result
    assert (result.success, result.legs_completed) == (True, 4)
    shared_fleet.let_pass(0.3)
    assert shared_fleet.truths[1].distance_to(Pose2D(*END, 0.0)) < NEAR_M
