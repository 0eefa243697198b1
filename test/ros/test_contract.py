"""The customer's contract, case by case, for a third-party client of robot 1 while robot 3 performs jobs.

`test_goals.py` has more cases, alone and beside jobs: bad poses and ids, a busy robot, stops, transports.
"""

import itertools
import math
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from action_msgs.msg import GoalInfo, GoalStatus, GoalStatusArray
from action_msgs.srv import CancelGoal
from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import PoseStamped
from rclpy.action.client import ClientGoalHandle
from rclpy.qos import DurabilityPolicy, ReliabilityPolicy, qos_profile_action_status_default
from ricaip_interfaces.action import TaskGoHome, TaskGoTo, TaskTransport
from unique_identifier_msgs.msg import UUID

from fleet.client.job_client import JobClient
from fleet.dispatch.records.job import JobState
from fleet.geometry import Pose2D
from harness.contract.raw_robot import ACTION_NAMES, RawRobot, performing_jobs, pose_message, unique
from harness.ros.running_fleet import RunningFleet, ready

HOME = Pose2D(1.0, 1.0, 0.0)
NEAR_M, NEAR_RAD = 0.03, math.radians(6.0)


@dataclass(frozen=True)
class Stage:
    """The fleet, its robots without jobs, and what robot 1 reported and where it was while it was idle."""

    fleet: RunningFleet
    jobs: JobClient
    robot: RawRobot
    other: RawRobot
    poses: list[PoseStamped]
    statuses: list[DiagnosticStatus]
    stood: list[Pose2D]

    @property
    def keys(self) -> list[str]:
        return [value.key for value in self.statuses[-1].values]

    def idle_value(self, key: str) -> str:
        return next(value.value for value in self.statuses[-1].values if value.key == key)


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    settings = "dispatch: {enabled: true, book: memory}"
    fleet = RunningFleet(tmp_path_factory.mktemp("fleet"), settings, has_third=True)
    with ExitStack() as stack:
        stack.enter_context(contextmanager(ready)(fleet))
        jobs = stack.enter_context(performing_jobs(fleet))
        robot, other = RawRobot(fleet, 1), RawRobot(fleet, 2)
        stack.callback(other.destroy)
        stack.callback(robot.destroy)
        poses: list[PoseStamped] = []
        statuses: list[DiagnosticStatus] = []
        stood = [robot.truth()]
        with fleet.client.graph.visit() as node:
            node.create_subscription(PoseStamped, f"{robot.prefix}/pose", poses.append, 10)  # the customer's QoS
            node.create_subscription(DiagnosticStatus, f"{robot.prefix}/status", statuses.append, 10)
            fleet.wait_for(lambda: len(poses) >= 30 and len(statuses) >= 3, "poses and statuses")
        stood.append(robot.truth())
        yield Stage(fleet, jobs, robot, other, poses, statuses, stood)


@pytest.fixture
def robot(stage: Stage) -> Iterator[RawRobot]:
    """Robot 1; it is free afterwards."""
    yield stage.robot
    for action in ACTION_NAMES:
        cancel(stage.robot, action)
    stage.robot.wait_for(lambda: stage.robot.assigned_task() == "", "robot 1 to be free")


def go_to(x_m: float, y_m: float = 1.0, heading_rad: float = 0.0, task_id: str | None = None) -> TaskGoTo.Goal:
    return TaskGoTo.Goal(task_id=task_id or unique(), goal_pose=pose_message(x_m, y_m, heading_rad))


def far(robot: RawRobot, task_id: str | None = None) -> TaskGoTo.Goal:
    """Return a goal that takes a robot seconds, wherever it is: on a busy machine, answers take a while."""
    return go_to(1.6 if robot.truth().x_m < 1.2 else 0.8, task_id=task_id)


def goal_of(robot: RawRobot, action: Any) -> Any:
    """Return a good goal of an action."""
    if action is TaskGoTo:
        return far(robot)
    if action is TaskGoHome:
        return TaskGoHome.Goal(task_id=unique())
    return TaskTransport.Goal(task_id=unique(), pose_from=pose_message(1.5), pose_to=pose_message(1.1))


def cancel(robot: RawRobot, action: Any, goal_id: UUID | None = None, stamp: Time | None = None) -> CancelGoal.Response:
    """Call an action's cancel service: without id and stamp it cancels all goals."""
    info = GoalInfo(goal_id=goal_id or UUID())
    if stamp is not None:
        info.stamp = stamp
    return robot.call(action, "cancel_goal", CancelGoal.Request(goal_info=info))


def raw_result(robot: RawRobot, action: Any, goal_id: UUID) -> Any:
    """Ask an action for the result of a goal."""
    return robot.call(action, "get_result", action.Impl.GetResultService.Request(goal_id=goal_id))


def set_out(robot: RawRobot) -> ClientGoalHandle:
    """Send a robot on its way, and wait until it drives."""
    started = robot.truth()
    handle = robot.send(far(robot))
    assert handle.accepted
    robot.wait_for(lambda: robot.truth().distance_to(started) > 0.03, "the robot to be on its way")
    return handle


# The graph


def test_topics_have_the_customers_names_and_types(stage: Stage) -> None:
    found = dict(stage.robot.node.get_topic_names_and_types())
    assert found[f"{stage.robot.prefix}/pose"] == ["geometry_msgs/msg/PoseStamped"]
    assert found[f"{stage.robot.prefix}/status"] == ["diagnostic_msgs/msg/DiagnosticStatus"]


def test_service_has_the_customers_name_and_type(stage: Stage) -> None:
    found = dict(stage.robot.node.get_service_names_and_types())
    assert found[f"{stage.robot.prefix}/assigned_task"] == ["ricaip_interfaces/srv/AssignedTask"]


@pytest.mark.parametrize("action", ACTION_NAMES)
def test_actions_have_the_customers_names_and_types(stage: Stage, action: Any) -> None:
    services = dict(stage.robot.node.get_service_names_and_types())
    topics = dict(stage.robot.node.get_topic_names_and_types())
    name, kind = f"{stage.robot.prefix}/{ACTION_NAMES[action]}/_action", action.__name__
    assert services[f"{name}/send_goal"] == [f"ricaip_interfaces/action/{kind}_SendGoal"]
    assert services[f"{name}/get_result"] == [f"ricaip_interfaces/action/{kind}_GetResult"]
    assert services[f"{name}/cancel_goal"] == ["action_msgs/srv/CancelGoal"]
    assert topics[f"{name}/feedback"] == [f"ricaip_interfaces/action/{kind}_FeedbackMessage"]
    assert topics[f"{name}/status"] == ["action_msgs/msg/GoalStatusArray"]


@pytest.mark.parametrize("topic", ["pose", "status"])
def test_topic_has_one_publisher(stage: Stage, topic: str) -> None:
    assert stage.robot.node.count_publishers(f"{stage.robot.prefix}/{topic}") == 1


def test_status_is_offered_with_the_latest_one_for_late_readers(stage: Stage) -> None:
    (offered,) = stage.robot.node.get_publishers_info_by_topic(f"{stage.robot.prefix}/status")
    assert offered.qos_profile.durability is DurabilityPolicy.TRANSIENT_LOCAL
    assert offered.qos_profile.reliability is ReliabilityPolicy.RELIABLE


def test_pose_is_offered_reliably(stage: Stage) -> None:
    (offered,) = stage.robot.node.get_publishers_info_by_topic(f"{stage.robot.prefix}/pose")
    assert offered.qos_profile.reliability is ReliabilityPolicy.RELIABLE


# Poses


def test_stamps_of_poses_rise(stage: Stage) -> None:
    stamps = [(pose.header.stamp.sec, pose.header.stamp.nanosec) for pose in stage.poses]
    assert all(earlier < later for earlier, later in itertools.pairwise(stamps))


def test_poses_are_in_the_frame_of_the_fleet(stage: Stage) -> None:
    assert {pose.header.frame_id for pose in stage.poses} == {"map"}


POSE_CASES: dict[str, Callable[[PoseStamped], bool]] = {
    "position is finite": lambda pose: all(map(math.isfinite, (pose.pose.position.x, pose.pose.position.y))),
    "position is on the floor": lambda pose: pose.pose.position.z == 0.0,
    "orientation is upright": lambda pose: pose.pose.orientation.x == pose.pose.orientation.y == 0.0,
    "orientation has length 1": lambda pose: abs(_length(pose) - 1.0) < 1e-6,
    "position is in the arena": lambda pose: 0.0 < pose.pose.position.x < 3.0 and 0.0 < pose.pose.position.y < 2.0,
}


def _length(pose: PoseStamped) -> float:
    turn = pose.pose.orientation
    return math.hypot(turn.x, turn.y, turn.z, turn.w)


@pytest.mark.parametrize("case", POSE_CASES)
def test_poses_are_sound(stage: Stage, case: str) -> None:
    assert all(POSE_CASES[case](pose) for pose in stage.poses)


def test_poses_of_an_idle_robot_stay(stage: Stage) -> None:
    places = [(pose.pose.position.x, pose.pose.position.y) for pose in stage.poses[:30]]
    assert max(math.dist(places[0], place) for place in places) < 0.005
    assert stage.stood[0].distance_to(stage.stood[1]) < 0.001


def test_poses_are_where_the_robot_is(stage: Stage) -> None:
    place = stage.poses[20].pose.position
    assert stage.stood[0].distance_to(Pose2D(place.x, place.y, 0.0)) < 0.01


# Status


def test_level_of_a_good_robot_is_ok(stage: Stage) -> None:
    assert {status.level for status in stage.statuses[:3]} == {DiagnosticStatus.OK}


def test_status_begins_with_the_customers_keys(stage: Stage) -> None:
    assert stage.keys[:3] == ["battery", "busy", "assigned_task"]


def test_keys_of_a_status_are_unique(stage: Stage) -> None:
    assert len(set(stage.keys)) == len(stage.keys)


def test_status_names_its_robot(stage: Stage) -> None:
    assert "1" in stage.statuses[-1].hardware_id
    assert stage.statuses[-1].name


def test_status_says_something(stage: Stage) -> None:
    assert all(status.message for status in stage.statuses)


@pytest.mark.parametrize(
    ("key", "allowed"), [("battery", {"ok", "low", "critical"}), ("busy", {"no"}), ("assigned_task", {""})]
)
def test_values_of_an_idle_robot(stage: Stage, key: str, allowed: set[str]) -> None:
    assert stage.idle_value(key) in allowed


def test_status_of_a_busy_robot_names_its_task_and_then_no_more(robot: RawRobot) -> None:
    goal = far(robot)
    handle = robot.send(goal)
    robot.wait_for(
        lambda: (robot.value("busy"), robot.value("assigned_task")) == ("yes", goal.task_id), "a busy status"
    )
    robot.result(handle)
    robot.wait_for(lambda: (robot.value("busy"), robot.value("assigned_task")) == ("no", ""), "an idle status")


# The assigned task


def test_idle_robot_has_no_assigned_task(robot: RawRobot) -> None:
    assert robot.assigned_task() == ""


@pytest.mark.parametrize("action", ACTION_NAMES)
def test_task_is_assigned_from_its_acceptance_to_its_end(robot: RawRobot, action: Any) -> None:
    goal = goal_of(robot, action)
    handle = robot.send(goal)
    assert handle.accepted
    assert robot.assigned_task() == goal.task_id
    cancel(robot, action)
    robot.result(handle)
    assert robot.assigned_task() == ""


def test_question_for_the_task_is_always_answered(robot: RawRobot) -> None:
    goal = goal_of(robot, TaskTransport)
    assert robot.send(goal).accepted
    assert {robot.assigned_task() for _ in range(50)} == {goal.task_id}


def test_task_of_one_robot_does_not_belong_to_another(stage: Stage, robot: RawRobot) -> None:
    goal = far(robot)
    assert robot.send(goal).accepted
    assert stage.other.assigned_task() == ""
    robot.wait_for(lambda: robot.value("busy") == "yes", "a busy status")
    assert stage.other.value("busy") == "no"


# Acceptance


@pytest.mark.parametrize("task_id", ["x" * 128, "a b", "č" * 32, "../task", "-1"])
def test_any_printable_id_is_accepted(robot: RawRobot, task_id: str) -> None:
    assert robot.send(far(robot, task_id)).accepted
    assert robot.assigned_task() == task_id


def test_id_of_a_running_task_of_another_robot_is_rejected(stage: Stage, robot: RawRobot) -> None:
    goal = far(robot)
    assert robot.send(goal).accepted
    assert not stage.other.send(TaskGoHome.Goal(task_id=goal.task_id)).accepted
    assert stage.other.assigned_task() == ""


def test_id_of_a_rejected_goal_can_be_used(robot: RawRobot) -> None:
    task_id = unique()
    assert not robot.send(go_to(7.0, task_id=task_id)).accepted
    assert robot.send(go_to(1.2, task_id=task_id)).accepted


def test_another_goal_with_the_uuid_of_the_running_one_is_rejected_and_changes_nothing(robot: RawRobot) -> None:
    request = TaskGoTo.Impl.SendGoalService.Request(goal_id=UUID(uuid=list(range(16))), goal=far(robot))
    running = request.goal.task_id
    assert robot.call(TaskGoTo, "send_goal", request).accepted
    request.goal = far(robot)
    assert not robot.call(TaskGoTo, "send_goal", request).accepted
    robot.wait_for_value("reason", "DUPLICATE_ID")
    assert robot.assigned_task() == running


@pytest.mark.parametrize(("x_m", "y_m"), [(-0.5, 1.0), (3.5, 1.0), (1.0, -0.5), (1.0, 2.5), (0.01, 1.0)])
def test_goal_outside_of_the_arena_is_rejected(robot: RawRobot, x_m: float, y_m: float) -> None:
    assert not robot.send(go_to(x_m, y_m)).accepted
    robot.wait_for_value("reason", "OUT_OF_ARENA")


@pytest.mark.parametrize("bad", ["pose_from", "pose_to"])
def test_transport_with_one_bad_pose_is_rejected_at_once(robot: RawRobot, bad: str) -> None:
    goal = goal_of(robot, TaskTransport)
    setattr(goal, bad, pose_message(9.0))
    stood = robot.truth()
    assert not robot.send(goal).accepted
    robot.fleet.let_pass(0.3)
    assert robot.truth().distance_to(stood) < 0.001
    assert robot.assigned_task() == ""


def test_rejected_goal_has_no_result(robot: RawRobot) -> None:
    request = TaskGoTo.Impl.SendGoalService.Request(goal_id=UUID(uuid=[7] * 16), goal=go_to(9.0))
    assert not robot.call(TaskGoTo, "send_goal", request).accepted
    assert raw_result(robot, TaskGoTo, request.goal_id).status == GoalStatus.STATUS_UNKNOWN


# Execution


@pytest.mark.parametrize("heading_rad", [-2.0, 0.5, 3.0])
def test_robot_ends_at_the_pose_of_its_goal_and_stays(robot: RawRobot, heading_rad: float) -> None:
    response = robot.result(robot.send(go_to(1.15, 1.1, heading_rad)))
    assert (response.status, response.result.success) == (GoalStatus.STATUS_SUCCEEDED, True)
    robot.fleet.let_pass(0.2)
    stood = robot.truth()
    assert stood.distance_to(Pose2D(1.15, 1.1, 0.0)) < NEAR_M
    assert abs(stood.heading_error_to(Pose2D(0.0, 0.0, heading_rad))) < NEAR_RAD
    robot.fleet.let_pass(0.5)
    assert robot.truth().distance_to(stood) < 0.001


def test_goal_that_is_reached_already_succeeds(robot: RawRobot) -> None:
    robot.result(robot.send(go_to(1.1)))
    assert robot.result(robot.send(go_to(1.1))).result.success


def test_result_that_is_asked_for_twice_is_the_same(robot: RawRobot) -> None:
    handle = robot.send(go_to(1.1))
    assert robot.result(handle) == robot.result(handle)


def test_another_client_gets_the_result_too(stage: Stage, robot: RawRobot) -> None:
    handle = robot.send(go_to(1.1, 1.1))
    third = RawRobot(stage.fleet, 1)
    response = raw_result(third, TaskGoTo, handle.goal_id)
    third.destroy()
    assert (response.status, response.result.success) == (GoalStatus.STATUS_SUCCEEDED, True)


def test_result_is_known_after_later_goals(robot: RawRobot) -> None:
    first = robot.send(go_to(1.1))
    robot.result(first)
    robot.result(robot.send(go_to(1.2)))
    assert raw_result(robot, TaskGoTo, first.goal_id).status == GoalStatus.STATUS_SUCCEEDED


def test_states_of_a_goal_follow_each_other(robot: RawRobot) -> None:
    seen: list[int] = []
    ids: list[list[int]] = []

    def note(message: GoalStatusArray) -> None:
        for status in message.status_list:
            if ids and list(status.goal_info.goal_id.uuid) == ids[0] and status.status not in seen[-1:]:
                seen.append(status.status)

    robot.node.create_subscription(
        GoalStatusArray, f"{robot.prefix}/task_go_to/_action/status", note, qos_profile_action_status_default
    )
    handle = robot.send(go_to(1.3))
    ids.append(list(handle.goal_id.uuid))
    robot.result(handle)
    robot.wait_for(lambda: GoalStatus.STATUS_SUCCEEDED in seen, "the end on the status topic")
    order = [GoalStatus.STATUS_ACCEPTED, GoalStatus.STATUS_EXECUTING, GoalStatus.STATUS_SUCCEEDED]
    assert seen == [state for state in order if state in seen]


# Cancel


def test_cancel_names_the_goal_which_then_is_canceled_without_success(robot: RawRobot) -> None:
    handle = set_out(robot)
    response = cancel(robot, TaskGoTo, handle.goal_id)
    assert response.return_code == CancelGoal.Response.ERROR_NONE
    assert [info.goal_id for info in response.goals_canceling] == [handle.goal_id]
    ended = robot.result(handle)
    assert (ended.status, ended.result.success) == (GoalStatus.STATUS_CANCELED, False)


def test_cancel_of_an_unknown_goal_says_so(robot: RawRobot) -> None:
    response = cancel(robot, TaskGoTo, UUID(uuid=[9] * 16))
    assert response.return_code == CancelGoal.Response.ERROR_UNKNOWN_GOAL_ID


def test_cancel_of_an_ended_goal_says_so(robot: RawRobot) -> None:
    handle = robot.send(go_to(1.1))
    robot.result(handle)
    assert cancel(robot, TaskGoTo, handle.goal_id).return_code == CancelGoal.Response.ERROR_GOAL_TERMINATED


def test_cancel_without_id_and_stamp_cancels_all(robot: RawRobot) -> None:
    handle = set_out(robot)
    assert [info.goal_id for info in cancel(robot, TaskGoTo).goals_canceling] == [handle.goal_id]
    assert robot.result(handle).status == GoalStatus.STATUS_CANCELED


def test_cancel_with_a_stamp_cancels_what_was_accepted_until_then(robot: RawRobot) -> None:
    handle = set_out(robot)
    before = cancel(robot, TaskGoTo, stamp=Time(sec=1))
    assert before.goals_canceling == []
    now = robot.node.get_clock().now().to_msg()
    assert [info.goal_id for info in cancel(robot, TaskGoTo, stamp=now).goals_canceling] == [handle.goal_id]


def test_second_cancel_changes_nothing(robot: RawRobot) -> None:
    handle = set_out(robot)
    cancel(robot, TaskGoTo, handle.goal_id)
    cancel(robot, TaskGoTo, handle.goal_id)
    assert robot.result(handle).status == GoalStatus.STATUS_CANCELED


def test_any_client_may_cancel(stage: Stage, robot: RawRobot) -> None:
    handle = set_out(robot)
    third = RawRobot(stage.fleet, 1)
    assert len(cancel(third, TaskGoTo, handle.goal_id).goals_canceling) == 1
    third.destroy()
    assert robot.result(handle).status == GoalStatus.STATUS_CANCELED


def test_cancel_for_one_robot_leaves_other_robots_alone(stage: Stage, robot: RawRobot) -> None:
    kept = stage.other.send(go_to(2.1))
    handle = set_out(robot)
    cancel(robot, TaskGoTo)
    assert robot.result(handle).status == GoalStatus.STATUS_CANCELED
    assert stage.other.result(kept).status == GoalStatus.STATUS_SUCCEEDED


# Home and transport


@pytest.mark.parametrize(("x_m", "y_m"), [(1.2, 1.1), (0.8, 0.9)])
def test_home_is_the_same_from_all_sides(robot: RawRobot, x_m: float, y_m: float) -> None:
    robot.result(robot.send(go_to(x_m, y_m)))
    assert robot.result(robot.send(TaskGoHome.Goal(task_id=unique()))).result.success
    robot.fleet.let_pass(0.2)
    assert robot.truth().distance_to(HOME) < NEAR_M
    assert abs(robot.truth().heading_error_to(HOME)) < NEAR_RAD


def test_robot_that_is_at_home_may_go_home(robot: RawRobot) -> None:
    robot.result(robot.send(TaskGoHome.Goal(task_id=unique())))
    assert robot.result(robot.send(TaskGoHome.Goal(task_id=unique()))).result.success


def test_transport_may_end_where_it_starts(robot: RawRobot) -> None:
    place = pose_message(1.1)
    goal = TaskTransport.Goal(task_id=unique(), pose_from=place, pose_to=place)
    assert robot.result(robot.send(goal)).result.success


# Several clients and robots


def test_one_of_ten_goals_at_the_same_instant_is_accepted(robot: RawRobot) -> None:
    goals = [far(robot) for _ in range(10)]
    futures = [robot.actions[TaskGoTo].send_goal_async(goal) for goal in goals]
    accepted = [goal.task_id for goal, future in zip(goals, futures, strict=True) if robot.answer(future).accepted]
    assert accepted == [robot.assigned_task()]


def test_all_robots_accept_at_once(stage: Stage, robot: RawRobot) -> None:
    handles = [one.send(TaskGoHome.Goal(task_id=unique())) for one in (robot, stage.other)]
    assert all(handle.accepted for handle in handles)
    assert [one.result(handle).status for one, handle in zip((robot, stage.other), handles, strict=True)] == [
        GoalStatus.STATUS_SUCCEEDED
    ] * 2


# Jobs beside it


def test_robot_that_performs_a_job_is_busy_for_goals_and_the_job_goes_on(stage: Stage) -> None:
    third = RawRobot(stage.fleet, 3)
    performed: list[str] = []
    third.wait_for(
        lambda: performed.append(third.assigned_task()) or performed[-1].startswith("job "), "robot 3 to perform a job"
    )
    is_accepted = third.send(TaskGoHome.Goal(task_id=unique())).accepted  # only if the job has ended meanwhile
    cancel(third, TaskGoHome)
    third.destroy()
    (report,) = [one for one in stage.jobs.list() if one.job_id == performed[-1].partition("#")[0]]
    assert report.state in (JobState.EXECUTING, JobState.SUCCEEDED)
    assert not is_accepted or report.state is JobState.SUCCEEDED


def test_robots_without_jobs_are_never_given_any(stage: Stage) -> None:
    assert {report.robot_id for report in stage.jobs.list() if report.state is not JobState.QUEUED} <= {0, 3}
