"""Paths, control laws and docking, through DDS."""

import math
from collections.abc import Callable, Iterator

import pytest
from action_msgs.msg import GoalStatus
from rclpy.action import ActionClient
from thymio_fleet_interfaces.action import FollowPath

from fleet.client.fleet_client import FleetClient
from fleet.geometry import Pose2D
from fleet.goals.sent_goal import GoalState, SentGoal
from fleet.tasks.task_kind import TaskKind
from fleet.work.work import Place, Work
from harness.ros.program import program
from harness.ros.running_fleet import RunningFleet, ready

LITTLE_SQUARE = "{shape: square, size_m: 0.15}"
LITTLE_CIRCLE = "{shape: circle, size_m: 0.12}"
LONG_LINE = "{waypoints_m: [[0, 0], [0, 0.6]], speed_mps: 0.05}"


CHARGER = Pose2D(1.5, 0.6, 0.0)


@pytest.fixture(scope="module")
def shared_fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningFleet]:
    """A ready fleet with a charger."""
    place = f"x_m: {CHARGER.x_m}, y_m: {CHARGER.y_m}"
    stations = f"stations: [{{name: dock, role: charge, pose: {{{place}}}}}]"
    yield from ready(
        RunningFleet(tmp_path_factory.mktemp("fleet"), stations, world_settings=f"chargers: [{{{place}}}]")
    )


@pytest.fixture
def client(shared_fleet: RunningFleet) -> Iterator[FleetClient]:
    """The client of a fleet whose robots are idle at home before and after the test."""
    go_home(shared_fleet)
    yield shared_fleet.client
    for robot_id in shared_fleet.ROBOT_IDS:
        shared_fleet.client.configure_tracker(robot_id, "lqr", {"cross_m": 0.001})


def go_home(fleet: RunningFleet) -> None:
    finish(fleet, *(fleet.client.go_home(robot_id) for robot_id in fleet.ROBOT_IDS))


def finish(fleet: RunningFleet, *goals: SentGoal) -> list[GoalState]:
    fleet.wait_for(lambda: all(goal.state.is_final for goal in goals), "the goals to end", 60.0)
    return [goal.state for goal in goals]


def wait_for_feedback(fleet: RunningFleet, goal: SentGoal, holds: Callable[[FollowPath.Feedback], bool]) -> None:
    fleet.wait_for(lambda: goal.feedback is not None and holds(goal.feedback), "feedback", 30.0)


def waypoints(*places: tuple[float, float]) -> FollowPath.Goal:
    return FollowPath.Goal(waypoints_m=[value_m for place in places for value_m in place])


def test_a_square_is_driven(shared_fleet: RunningFleet, client: FleetClient) -> None:
    assert finish(shared_fleet, client.send(1, TaskKind.FOLLOW_PATH, FollowPath.Goal(path=LITTLE_SQUARE))) == [
        GoalState.SUCCEEDED
    ]


def test_laps_are_driven_and_reported(shared_fleet: RunningFleet, client: FleetClient) -> None:
    goal = client.send(1, TaskKind.FOLLOW_PATH, FollowPath.Goal(path=LITTLE_CIRCLE, laps=2))
    wait_for_feedback(shared_fleet, goal, lambda feedback: feedback.lap == 1 and 0.0 < feedback.progress < 1.0)
    assert goal.feedback.eta_s > 0.0
    wait_for_feedback(shared_fleet, goal, lambda feedback: feedback.lap == 2)
    assert finish(shared_fleet, goal) == [GoalState.SUCCEEDED]
    assert (goal.result.success, goal.result.reason) == (True, "")
    assert 0.0 < goal.result.rms_cross_track_m < goal.result.max_cross_track_m < 0.03
    assert goal.result.duration_s > 5.0
    shared_fleet.let_pass(0.3)
    assert shared_fleet.truths[1].distance_to(Pose2D(1.0, 1.0, 0.0)) < 0.03


def test_waypoints_are_in_the_fleets_frame(shared_fleet: RunningFleet, client: FleetClient) -> None:
    assert finish(
        shared_fleet, client.send(1, TaskKind.FOLLOW_PATH, waypoints((1.0, 1.0), (1.2, 1.0), (1.2, 1.2)))
    ) == [GoalState.SUCCEEDED]
    shared_fleet.let_pass(0.3)
    assert shared_fleet.truths[1].distance_to(Pose2D(1.2, 1.2, 0.0)) < 0.03


def test_waypoints_can_be_relative_to_the_robots_pose(shared_fleet: RunningFleet, client: FleetClient) -> None:
    finish(shared_fleet, client.go_to(1, Pose2D(1.0, 1.0, math.pi / 2)))
    goal = waypoints((0.0, 0.0), (0.2, 0.0))
    goal.relative_to = "pose"
    assert finish(shared_fleet, client.send(1, TaskKind.FOLLOW_PATH, goal)) == [GoalState.SUCCEEDED]
    shared_fleet.let_pass(0.3)
    assert shared_fleet.truths[1].distance_to(Pose2D(1.0, 1.2, 0.0)) < 0.03


def test_canceled_path_ends_at_standstill(shared_fleet: RunningFleet, client: FleetClient) -> None:
    goal = client.send(1, TaskKind.FOLLOW_PATH, FollowPath.Goal(path=LONG_LINE))
    shared_fleet.wait_for(lambda: shared_fleet.truths[1].y_m > 1.05, "the robot to be on its way")
    goal.cancel()
    assert finish(shared_fleet, goal) == [GoalState.CANCELED]
    assert (goal.result.success, goal.result.reason) == (False, "")
    shared_fleet.let_pass(0.1)
    stood = shared_fleet.truths[1]
    shared_fleet.let_pass(0.3)
    assert shared_fleet.truths[1].distance_to(stood) < 0.01


def test_a_stopped_fleet_aborts_with_the_reason_in_the_result(shared_fleet: RunningFleet, client: FleetClient) -> None:
    goal = client.send(1, TaskKind.FOLLOW_PATH, FollowPath.Goal(path=LONG_LINE))
    wait_for_feedback(shared_fleet, goal, lambda _: True)
    assert shared_fleet.trigger("/fleet/stop").success
    assert finish(shared_fleet, goal) == [GoalState.ABORTED]
    assert shared_fleet.trigger("/fleet/resume").success
    assert (goal.result.success, goal.result.reason) == (False, "STOPPED")


@pytest.mark.parametrize(
    ("goal", "reason", "text"),
    [
        (FollowPath.Goal(), "BAD_PATH", "a goal has either path or waypoints"),
        (FollowPath.Goal(path="sqare"), "BAD_PATH", "there is no path 'sqare'; there are straight, square, star"),
        (FollowPath.Goal(path="shape: circle\nsped_mps: 1"), "BAD_PATH", "path:2: sped_mps: unknown key, did you mean"),
        (
            FollowPath.Goal(path="{waypoints_m: [[0, 0], [0.1, 0]]}", laps=2),
            "BAD_PATH",
            "a path that is not closed cannot be driven 2 times",
        ),
        (
            FollowPath.Goal(path="square", laps=4_000_000_000),
            "BAD_PATH",
            "4000000000 laps of 4 m are longer than 300 m",
        ),
        (FollowPath.Goal(path="square", relative_to="moon"), "BAD_PATH", "relative_to is 'moon', not one of position"),
        (FollowPath.Goal(path=LITTLE_SQUARE, speed_mps=math.nan), "BAD_SPEED", "speed_mps is nan"),
        (FollowPath.Goal(path=LITTLE_SQUARE, speed_mps=-0.1), "BAD_SPEED", "speed_mps is -0.1"),
        (FollowPath.Goal(path=LITTLE_SQUARE, speed_mps=0.13), "BAD_SPEED", "0.13 m/s on average is too fast"),
        (FollowPath.Goal(path="square"), "OUT_OF_ARENA", "; try --size "),
        (FollowPath.Goal(path="{shape: circle, size_m: 1.2}"), "OUT_OF_ARENA", "OUT_OF_ARENA: y = "),
        (waypoints((1.0, 1.0), (1.0, 9.0)), "OUT_OF_ARENA", "y = 9.000, at most 1.920"),
        (waypoints((1.0, 1.0), (1.0, math.inf)), "NON_FINITE_POSE", "waypoint 1, (1.0, inf), is not finite"),
        (FollowPath.Goal(waypoints_m=[1.0, 1.0, 1.2]), "BAD_PATH", "waypoints_m has 3 numbers"),
    ],
)
def test_invalid_path_goal_is_rejected_with_a_reason(
    shared_fleet: RunningFleet, client: FleetClient, goal: FollowPath.Goal, reason: str, text: str
) -> None:
    sent = client.send(1, TaskKind.FOLLOW_PATH, goal)
    assert finish(shared_fleet, sent) == [GoalState.REJECTED]
    shared_fleet.wait_for(lambda: client.value(1, "reason") == reason, f"the reason {reason}")
    shared_fleet.wait_for(lambda: text in shared_fleet.logs().partition(sent.task_id)[2], f"{text!r} to be logged")


def test_busy_robot_rejects_a_path_and_continues(shared_fleet: RunningFleet, client: FleetClient) -> None:
    running = client.go_to(1, Pose2D(1.0, 1.3, 0.0))
    refused = client.send(1, TaskKind.FOLLOW_PATH, FollowPath.Goal(path=LITTLE_CIRCLE))
    shared_fleet.wait_for(lambda: refused.state.is_final, "an answer")
    assert refused.state is GoalState.REJECTED
    assert finish(shared_fleet, running) == [GoalState.SUCCEEDED]


def test_task_id_is_unique_over_all_actions(shared_fleet: RunningFleet, client: FleetClient) -> None:
    first = client.go_home(1)
    finish(shared_fleet, first)
    with program("other_client") as other:
        action = ActionClient(other.node, FollowPath, "/factory/robot_2/x/follow_path")
        assert action.wait_for_server(timeout_sec=60.0)
        future = action.send_goal_async(FollowPath.Goal(task_id=first.task_id, path=LITTLE_CIRCLE))
        other.spin_until(future.done, "an answer")
        assert not future.result().accepted
    shared_fleet.wait_for(lambda: client.value(2, "reason") == "DUPLICATE_ID", "the reason")


def test_two_robots_follow_at_the_same_time(shared_fleet: RunningFleet, client: FleetClient) -> None:
    goals = [client.send(robot_id, TaskKind.FOLLOW_PATH, FollowPath.Goal(path=LITTLE_CIRCLE)) for robot_id in (1, 2)]
    for goal in goals:
        wait_for_feedback(shared_fleet, goal, lambda feedback: feedback.progress > 0.0)
    assert not any(goal.state.is_final for goal in goals)
    assert finish(shared_fleet, *goals) == [GoalState.SUCCEEDED] * 2


def test_the_law_is_changed_while_a_robot_drives(shared_fleet: RunningFleet, client: FleetClient) -> None:
    goal = client.send(1, TaskKind.FOLLOW_PATH, FollowPath.Goal(path=LITTLE_CIRCLE))
    wait_for_feedback(shared_fleet, goal, lambda feedback: feedback.progress > 0.2)
    answer = client.configure_tracker(1, "kanayama", {"kx_per_s": 3.0})
    assert (answer.success, answer.message, answer.law) == (True, "", "kanayama")
    assert dict(zip(answer.names, answer.values, strict=True))["kanayama.kx_per_s"] == 3.0
    shared_fleet.wait_for(lambda: client.value(1, "law") == "kanayama", "status to report the law")
    assert not goal.state.is_final
    assert finish(shared_fleet, goal) == [GoalState.SUCCEEDED]
    assert goal.result.max_cross_track_m < 0.03


@pytest.mark.parametrize(
    ("law", "gains", "text"),
    [
        ("lqrr", {}, "law: 'lqrr' is unknown, did you mean 'lqr'?"),
        ("", {"cros_m": 0.01}, "lqr.cros_m: unknown key, did you mean 'cross_m'?"),
        ("", {"cross_m": 5.0}, "lqr.cross_m: 5.0 is greater than the maximum of 0.1"),
        ("", {"cross_m": math.nan}, "lqr.cross_m: nan is not a finite number"),
    ],
)
def test_invalid_law_setting_is_refused_and_reported(
    client: FleetClient, law: str, gains: dict[str, float], text: str
) -> None:
    before = client.configure_tracker(1)
    answer = client.configure_tracker(1, law, gains)
    assert not answer.success
    assert text in answer.message
    assert (answer.law, answer.values) == (before.law, before.values)


def test_status_reports_errors_only_while_a_robot_drives(shared_fleet: RunningFleet, client: FleetClient) -> None:
    keys = ("along_track_mm", "cross_track_mm", "heading_error_deg")
    shared_fleet.wait_for(lambda: client.value(1, "busy") == "no", "status of an idle robot")
    assert [client.value(1, key) for key in keys] == ["", "", ""]
    goal = client.send(1, TaskKind.FOLLOW_PATH, FollowPath.Goal(path=LITTLE_CIRCLE))
    shared_fleet.wait_for(lambda: all(client.value(1, key) for key in keys), "errors in status")
    assert all(abs(float(client.value(1, key))) < 50.0 for key in keys)
    assert finish(shared_fleet, goal) == [GoalState.SUCCEEDED]


def test_result_of_a_path_can_be_fetched_again(shared_fleet: RunningFleet, client: FleetClient) -> None:
    goal = client.send(1, TaskKind.FOLLOW_PATH, FollowPath.Goal(path="{shape: straight, size_m: 0.05}"))
    finish(shared_fleet, goal)
    again = client.fetch_result(goal)
    assert again.status == GoalStatus.STATUS_SUCCEEDED
    assert again.result == goal.result


def test_robot_docks_and_reports_that_it_charges(shared_fleet: RunningFleet, client: FleetClient) -> None:
    goal = client.assign(1, Work(TaskKind.DOCK, (Place(CHARGER),)))
    shared_fleet.wait_for(lambda: goal.feedback is not None and goal.feedback.eta_s > 0.0, "feedback", 30.0)
    assert finish(shared_fleet, goal) == [GoalState.SUCCEEDED]
    assert (goal.result.success, goal.result.reason) == (True, "")
    assert shared_fleet.truths[1].distance_to(CHARGER) < 0.02
    shared_fleet.wait_for(lambda: client.value(1, "charging") == "yes", "the status of a robot that charges")


def test_place_that_is_not_a_charger_is_refused_with_the_chargers(client: FleetClient) -> None:
    goal = client.assign(1, Work(TaskKind.DOCK, (Place(Pose2D(0.5, 0.5, 0.0)),)))
    client.spin_until(lambda: goal.state.is_final, 30.0)
    assert (goal.state, client.reason(goal)) == (
        GoalState.REJECTED,
        "NOT_A_CHARGER: (0.50, 0.50) is not a charger; chargers are dock",
    )
