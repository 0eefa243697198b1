"""The handling of goals through DDS, for a third-party client: it is the same while the fleet performs jobs."""

import math
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest
from action_msgs.msg import GoalStatus
from geometry_msgs.msg import PoseStamped
from ricaip_interfaces.action import TaskGoHome, TaskGoTo, TaskTransport

from fleet.geometry import Pose2D
from fleet.goals.sent_goal import GoalState
from harness.contract.raw_robot import RawRobot, performing_jobs, pose_message, unique
from harness.ros.running_fleet import RunningFleet, ready


def changed(**fields: float) -> PoseStamped:
    """Return a good pose with some of px, py, ox, oy, oz, ow replaced."""
    message = pose_message()
    for name, value in fields.items():
        setattr(message.pose.position if name[0] == "p" else message.pose.orientation, name[1], value)
    return message


@pytest.fixture(scope="module", params=["alone", "beside jobs"])
def robot(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RawRobot]:
    has_jobs = request.param == "beside jobs"
    settings = "dispatch: {enabled: true, book: memory}" if has_jobs else ""
    with ExitStack() as stack:
        fleet = RunningFleet(tmp_path_factory.mktemp("fleet"), settings, has_third=has_jobs)
        stack.enter_context(contextmanager(ready)(fleet))
        if has_jobs:
            stack.enter_context(performing_jobs(fleet))
        subject = RawRobot(fleet, 1)
        stack.callback(subject.destroy)
        yield subject


def test_goal_is_reached_and_its_outcome_is_consistent_everywhere(robot: RawRobot) -> None:
    goal = TaskGoTo.Goal(task_id=unique(), goal_pose=pose_message(1.2, 1.15, 1.0))
    handle = robot.send(goal)
    assert handle.accepted
    assert robot.assigned_task() == goal.task_id
    response = robot.answer(handle.get_result_async())
    assert response.status == GoalStatus.STATUS_SUCCEEDED
    assert response.result.success
    assert robot.assigned_task() == ""
    robot.wait_for_value("last_task", goal.task_id)
    assert (robot.value("busy"), robot.value("last_result")) == ("no", "SUCCEEDED")
    robot.fleet.let_pass(0.2)
    assert robot.truth().distance_to(Pose2D(1.2, 1.15, 0.0)) < 0.03
    assert abs(robot.truth().heading_error_to(Pose2D(0.0, 0.0, 1.0))) < math.radians(6)


def test_going_home_ends_at_the_home_pose(robot: RawRobot) -> None:
    response = robot.answer(robot.send(TaskGoHome.Goal(task_id=unique())).get_result_async())
    assert response.result.success
    robot.fleet.let_pass(0.2)
    assert robot.truth().distance_to(Pose2D(1.0, 1.0, 0.0)) < 0.03


def test_a_transport_visits_both_poses(robot: RawRobot) -> None:
    places = []
    goal = TaskTransport.Goal(task_id=unique(), pose_from=pose_message(1.2, 1.0), pose_to=pose_message(1.0, 1.0))
    future = robot.send(goal).get_result_async()
    robot.wait_for(lambda: places.append(robot.truth()) or future.done(), "the end", 40.0)
    assert future.result().result.success
    assert min(place.distance_to(Pose2D(1.2, 1.0, 0.0)) for place in places) < 0.03
    assert robot.truth().distance_to(Pose2D(1.0, 1.0, 0.0)) < 0.03


@pytest.mark.parametrize(
    ("pose", "reason"),
    [
        (changed(px=math.nan), "NON_FINITE_POSE"),
        (changed(py=math.inf), "NON_FINITE_POSE"),
        (changed(pz=-math.inf), "NON_FINITE_POSE"),
        (changed(oz=math.nan), "NON_FINITE_POSE"),
        (changed(ow=0.0), "BAD_QUATERNION"),
        (changed(ow=0.5), "BAD_QUATERNION"),
        (changed(ox=math.sin(0.5), ow=math.cos(0.5)), "BAD_QUATERNION"),
        (pose_message(frame="odom"), "UNKNOWN_FRAME"),
        (pose_message(3.5, 1.0), "OUT_OF_ARENA"),
    ],
)
def test_invalid_goal_pose_is_rejected_with_its_reason(robot: RawRobot, pose: PoseStamped, reason: str) -> None:
    for goal in (
        TaskGoTo.Goal(task_id=unique(), goal_pose=pose),
        TaskTransport.Goal(task_id=unique(), pose_from=pose_message(), pose_to=pose),
        TaskTransport.Goal(task_id=unique(), pose_from=pose, pose_to=pose_message()),
    ):
        assert not robot.send(goal).accepted
    robot.wait_for_value("reason", reason)
    assert robot.assigned_task() == ""


@pytest.mark.parametrize(("task_id", "reason"), [("", "EMPTY_ID"), ("x" * 129, "BAD_ID"), ("a\nb", "BAD_ID")])
def test_invalid_task_id_is_rejected(robot: RawRobot, task_id: str, reason: str) -> None:
    assert not robot.send(TaskGoHome.Goal(task_id=task_id)).accepted
    robot.wait_for_value("reason", reason)


def test_task_id_is_unique_in_the_whole_fleet(robot: RawRobot) -> None:
    goal = TaskGoHome.Goal(task_id=unique())
    robot.answer(robot.send(goal).get_result_async())
    other = RawRobot(robot.fleet, 2)
    assert not robot.send(goal).accepted
    assert not other.send(goal).accepted
    other.wait_for_value("reason", "DUPLICATE_ID")
    other.destroy()


def test_busy_robot_rejects_every_action_and_continues(robot: RawRobot) -> None:
    running = TaskGoTo.Goal(task_id=unique(), goal_pose=pose_message(1.2, 1.1))
    future = robot.send(running).get_result_async()
    for goal in (
        TaskGoTo.Goal(task_id=unique(), goal_pose=pose_message()),
        TaskGoHome.Goal(task_id=unique()),
        TaskTransport.Goal(task_id=unique(), pose_from=pose_message(), pose_to=pose_message()),
    ):
        assert not robot.send(goal).accepted
        assert robot.assigned_task() == running.task_id
    robot.wait_for_value("reason", "BUSY")
    assert robot.answer(future).status == GoalStatus.STATUS_SUCCEEDED


def test_canceled_task_ends_when_the_wheels_stop(robot: RawRobot) -> None:
    goal = TaskGoTo.Goal(task_id=unique(), goal_pose=pose_message(1.5, 1.0))
    handle = robot.send(goal)
    robot.wait_for(lambda: robot.truth().distance_to(Pose2D(1.5, 1.0, 0.0)) < 0.4, "the robot to be on its way")
    future = handle.get_result_async()
    assert len(robot.answer(handle.cancel_goal_async()).goals_canceling) == 1
    response = robot.answer(future)
    assert response.status == GoalStatus.STATUS_CANCELED
    assert not response.result.success
    assert robot.assigned_task() == ""
    robot.fleet.let_pass(0.1)
    stood = robot.truth()
    robot.fleet.let_pass(0.3)
    assert robot.truth().distance_to(stood) < 0.01
    robot.wait_for_value("last_result", "CANCELED")


def test_ended_goal_cannot_be_canceled(robot: RawRobot) -> None:
    handle = robot.send(TaskGoHome.Goal(task_id=unique()))
    robot.answer(handle.get_result_async())
    assert robot.answer(handle.cancel_goal_async()).goals_canceling == []


def test_goal_sent_right_after_a_cancel_is_accepted(robot: RawRobot) -> None:
    handle = robot.send(TaskGoTo.Goal(task_id=unique(), goal_pose=pose_message(1.6, 1.0)))
    started = robot.truth()
    robot.wait_for(lambda: robot.truth().distance_to(started) > 0.05, "the robot to be on its way")
    handle.cancel_goal_async()
    next_one = robot.send(TaskGoHome.Goal(task_id=unique()))
    assert next_one.accepted
    assert robot.answer(handle.get_result_async()).status == GoalStatus.STATUS_CANCELED
    assert robot.answer(next_one.get_result_async()).result.success


def test_feedback_is_published_as_a_sign_of_life(robot: RawRobot) -> None:
    received = []
    future = robot.actions[TaskTransport].send_goal_async(
        TaskTransport.Goal(task_id=unique(), pose_from=pose_message(1.0, 1.0), pose_to=pose_message(0.5, 1.0)),
        feedback_callback=received.append,
    )
    handle = robot.answer(future)
    ended = handle.get_result_async()
    robot.wait_for(lambda: len(received) >= 2, "signs of life", 30.0)
    handle.cancel_goal_async()
    robot.answer(ended)


def test_stopped_fleet_aborts_and_rejects_tasks_until_resumed(robot: RawRobot) -> None:
    future = robot.send(TaskGoTo.Goal(task_id=unique(), goal_pose=pose_message(1.5, 1.0))).get_result_async()
    assert robot.fleet.trigger("/fleet/stop").success
    response = robot.answer(future)
    assert (response.status, response.result.success) == (GoalStatus.STATUS_ABORTED, False)
    assert not robot.send(TaskGoHome.Goal(task_id=unique())).accepted
    robot.wait_for_value("state", "stopped")
    assert robot.value("reason") == "STOPPED"
    assert robot.fleet.trigger("/fleet/resume").success
    assert robot.answer(robot.send(TaskGoHome.Goal(task_id=unique())).get_result_async()).result.success


def test_two_robots_perform_at_the_same_time(robot: RawRobot) -> None:
    client = robot.fleet.client
    goals = [client.go_to(1, Pose2D(1.0, 1.3, 0.0)), client.go_to(2, Pose2D(2.0, 1.3, 0.0))]
    robot.wait_for(lambda: all(goal.state is GoalState.EXECUTING for goal in goals), "both to execute")
    robot.wait_for(lambda: all(goal.state.is_final for goal in goals), "both to end", 30.0)
    assert [(goal.state, goal.success) for goal in goals] == [(GoalState.SUCCEEDED, True)] * 2
