"""The handling of goals through DDS, for a third-party client: it is the same while the fleet performs jobs."""

import itertools
import math
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest
from action_msgs.msg import GoalStatus
from geometry_msgs.msg import PoseStamped
from rclpy.action import ActionClient
from ricaip_interfaces.action import TaskGoHome, TaskGoTo, TaskTransport
from ricaip_interfaces.srv import AssignedTask

from fleet.client.job_client import JobClient
from fleet.dispatch.records.job import Job, JobState, NamedPose
from fleet.geometry import Pose2D
from fleet.goals.sent_goal import GoalState
from fleet.interface.conversions import pose_to_ros
from fleet.tasks.task_kind import TaskKind
from harness.ros.running_fleet import RunningFleet, ready

MANY = 200  # jobs: more than are performed meanwhile
numbers = itertools.count()


def unique() -> str:
    return f"task-{next(numbers)}"


def pose_message(x_m: float = 1.2, y_m: float = 1.0, heading_rad: float = 0.0, frame: str = "map") -> PoseStamped:
    return pose_to_ros(Pose2D(x_m, y_m, heading_rad), 0, frame)


def changed(**fields: float) -> PoseStamped:
    """Return a good pose with some of px, py, ox, oy, oz, ow replaced."""
    message = pose_message()
    for name, value in fields.items():
        setattr(message.pose.position if name[0] == "p" else message.pose.orientation, name[1], value)
    return message


class Robot:
    """The raw interface of one robot."""

    def __init__(self, fleet: RunningFleet, robot_id: int) -> None:
        self.fleet = fleet
        self.id = robot_id
        self._stack = ExitStack()
        node, prefix = self._stack.enter_context(fleet.client.graph.visit()), f"/factory/robot_{robot_id}"
        self.actions = {
            TaskGoTo: ActionClient(node, TaskGoTo, f"{prefix}/task_go_to"),
            TaskGoHome: ActionClient(node, TaskGoHome, f"{prefix}/task_go_home"),
            TaskTransport: ActionClient(node, TaskTransport, f"{prefix}/task_transport"),
        }
        self.assigned = node.create_client(AssignedTask, f"{prefix}/assigned_task")
        fleet.client.graph.settle()
        assert all(action.wait_for_server(timeout_sec=60.0) for action in self.actions.values())
        assert self.assigned.wait_for_service(timeout_sec=60.0)

    def send(self, goal):
        action = next(action for action in self.actions if isinstance(goal, action.Goal))
        return self.answer(self.actions[action].send_goal_async(goal))

    def answer(self, future):
        self.fleet.wait_for(future.done, "an answer")
        return future.result()

    def assigned_task(self) -> str:
        return self.answer(self.assigned.call_async(AssignedTask.Request())).id

    def value(self, key: str) -> str:
        return self.fleet.client.value(self.id, key)

    def wait_for_value(self, key: str, value: str) -> None:
        self.fleet.wait_for(lambda: self.value(key) == value, f"{key} to be {value!r}, it is {self.value(key)!r}")

    def truth(self) -> Pose2D:
        return self.fleet.truths[self.id]

    def destroy(self) -> None:
        self._stack.close()
        for action in self.actions.values():
            action.destroy()


@contextmanager
def performing_jobs(fleet: RunningFleet) -> Iterator[None]:
    """Let robot 3 perform jobs."""
    jobs = JobClient(fleet.client.graph)
    places = [NamedPose(Pose2D(x_m, 0.3, 0.0)) for x_m in (0.6, 0.3)]
    jobs.submit([Job(f"job {number}", TaskKind.GO_TO, (places[number % 2],), robots=(3,)) for number in range(MANY)])
    yield
    states = [report.state for report in jobs.list(robot_id=3)]
    assert states.count(JobState.SUCCEEDED) >= 5
    assert JobState.ABORTED not in states


@pytest.fixture(scope="module", params=["alone", "beside jobs"])
def robot(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Robot]:
    has_jobs = request.param == "beside jobs"
    settings = "dispatch: {enabled: true, book: memory}" if has_jobs else ""
    with ExitStack() as stack:
        fleet = RunningFleet(tmp_path_factory.mktemp("fleet"), settings, has_third=has_jobs)
        stack.enter_context(contextmanager(ready)(fleet))
        if has_jobs:
            stack.enter_context(performing_jobs(fleet))
        subject = Robot(fleet, 1)
        stack.callback(subject.destroy)
        yield subject


def test_goal_is_reached_and_its_outcome_is_consistent_everywhere(robot: Robot) -> None:
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


def test_going_home_ends_at_the_home_pose(robot: Robot) -> None:
    response = robot.answer(robot.send(TaskGoHome.Goal(task_id=unique())).get_result_async())
    assert response.result.success
    robot.fleet.let_pass(0.2)
    assert robot.truth().distance_to(Pose2D(1.0, 1.0, 0.0)) < 0.03


def test_a_transport_visits_both_poses(robot: Robot) -> None:
    places = []
    goal = TaskTransport.Goal(task_id=unique(), pose_from=pose_message(1.2, 1.0), pose_to=pose_message(1.0, 1.0))
    future = robot.send(goal).get_result_async()
    robot.fleet.wait_for(lambda: places.append(robot.truth()) or future.done(), "the end", 40.0)
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
def test_invalid_goal_pose_is_rejected_with_its_reason(robot: Robot, pose: PoseStamped, reason: str) -> None:
    for goal in (
        TaskGoTo.Goal(task_id=unique(), goal_pose=pose),
        TaskTransport.Goal(task_id=unique(), pose_from=pose_message(), pose_to=pose),
        TaskTransport.Goal(task_id=unique(), pose_from=pose, pose_to=pose_message()),
    ):
        assert not robot.send(goal).accepted
    robot.wait_for_value("reason", reason)
    assert robot.assigned_task() == ""


@pytest.mark.parametrize(("task_id", "reason"), [("", "EMPTY_ID"), ("x" * 129, "BAD_ID"), ("a\nb", "BAD_ID")])
def test_invalid_task_id_is_rejected(robot: Robot, task_id: str, reason: str) -> None:
    assert not robot.send(TaskGoHome.Goal(task_id=task_id)).accepted
    robot.wait_for_value("reason", reason)


def test_task_id_is_unique_in_the_whole_fleet(robot: Robot) -> None:
    goal = TaskGoHome.Goal(task_id=unique())
    robot.answer(robot.send(goal).get_result_async())
    other = Robot(robot.fleet, 2)
    assert not robot.send(goal).accepted
    assert not other.send(goal).accepted
    other.wait_for_value("reason", "DUPLICATE_ID")
    other.destroy()


def test_busy_robot_rejects_every_action_and_continues(robot: Robot) -> None:
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


def test_canceled_task_ends_when_the_wheels_stand(robot: Robot) -> None:
    goal = TaskGoTo.Goal(task_id=unique(), goal_pose=pose_message(1.5, 1.0))
    handle = robot.send(goal)
    robot.fleet.wait_for(lambda: robot.truth().distance_to(Pose2D(1.5, 1.0, 0.0)) < 0.4, "the robot to be on its way")
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


def test_ended_goal_cannot_be_canceled(robot: Robot) -> None:
    handle = robot.send(TaskGoHome.Goal(task_id=unique()))
    robot.answer(handle.get_result_async())
    assert robot.answer(handle.cancel_goal_async()).goals_canceling == []


def test_goal_sent_right_after_a_cancel_is_accepted(robot: Robot) -> None:
    handle = robot.send(TaskGoTo.Goal(task_id=unique(), goal_pose=pose_message(1.6, 1.0)))
    started = robot.truth()
    robot.fleet.wait_for(lambda: robot.truth().distance_to(started) > 0.05, "the robot to be on its way")
    handle.cancel_goal_async()
    next_one = robot.send(TaskGoHome.Goal(task_id=unique()))
    assert next_one.accepted
    assert robot.answer(handle.get_result_async()).status == GoalStatus.STATUS_CANCELED
    assert robot.answer(next_one.get_result_async()).result.success


def test_feedback_is_published_as_a_sign_of_life(robot: Robot) -> None:
    received = []
    future = robot.actions[TaskTransport].send_goal_async(
        TaskTransport.Goal(task_id=unique(), pose_from=pose_message(1.0, 1.0), pose_to=pose_message(0.5, 1.0)),
        feedback_callback=received.append,
    )
    handle = robot.answer(future)
    ended = handle.get_result_async()
    robot.fleet.wait_for(lambda: len(received) >= 2, "signs of life", 30.0)
    handle.cancel_goal_async()
    robot.answer(ended)


def test_stopped_fleet_aborts_and_rejects_tasks_until_resumed(robot: Robot) -> None:
    future = robot.send(TaskGoTo.Goal(task_id=unique(), goal_pose=pose_message(1.5, 1.0))).get_result_async()
    assert robot.fleet.trigger("/fleet/stop").success
    response = robot.answer(future)
    assert (response.status, response.result.success) == (GoalStatus.STATUS_ABORTED, False)
    assert not robot.send(TaskGoHome.Goal(task_id=unique())).accepted
    robot.wait_for_value("state", "stopped")
    assert robot.value("reason") == "STOPPED"
    assert robot.fleet.trigger("/fleet/resume").success
    assert robot.answer(robot.send(TaskGoHome.Goal(task_id=unique())).get_result_async()).result.success


def test_two_robots_perform_at_the_same_time(robot: Robot) -> None:
    client = robot.fleet.client
    goals = [client.go_to(1, Pose2D(1.0, 1.3, 0.0)), client.go_to(2, Pose2D(2.0, 1.3, 0.0))]
    robot.fleet.wait_for(lambda: all(goal.state is GoalState.EXECUTING for goal in goals), "both to execute")
    robot.fleet.wait_for(lambda: all(goal.state.is_final for goal in goals), "both to end", 30.0)
    assert [(goal.state, goal.success) for goal in goals] == [(GoalState.SUCCEEDED, True)] * 2
