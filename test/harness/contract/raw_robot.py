"""The raw interface of one robot, as a third-party client uses it, and jobs of another robot beside it."""

import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from action_msgs.srv import CancelGoal
from geometry_msgs.msg import PoseStamped
from rclpy.action import ActionClient
from rclpy.client import Client
from rclpy.node import Node
from ricaip_interfaces.action import TaskGoHome, TaskGoTo, TaskTransport
from ricaip_interfaces.srv import AssignedTask

from fleet.client.job_client import JobClient
from fleet.dispatch.records.job import Job, JobState
from fleet.geometry import Pose2D
from fleet.interface.conversions import pose_to_ros
from fleet.tasks.task_kind import TaskKind
from fleet.work.work import Place, Work
from harness.ros.program import Program
from harness.ros.running_fleet import DEADLINE_S, RunningFleet

_MANY: Final = 200  # jobs: more than are performed meanwhile
ACTION_NAMES: Final = {TaskGoTo: "task_go_to", TaskGoHome: "task_go_home", TaskTransport: "task_transport"}
_numbers: Final = itertools.count()


def unique() -> str:
    """Return an id that no task has had."""
    return f"task-{next(_numbers)}"


def pose_message(x_m: float = 1.2, y_m: float = 1.0, heading_rad: float = 0.0, frame: str = "map") -> PoseStamped:
    return pose_to_ros(Pose2D(x_m, y_m, heading_rad), 0, frame)


class RawRobot:
    """The raw interface of one robot, with rclpy's action clients.

    They have the executor that most clients have: under rclpy's EventsExecutor, an action client that leaves while
    feedback arrives ends the process with a segmentation fault.
    """

    def __init__(self, fleet: RunningFleet, robot_id: int) -> None:
        self.fleet = fleet
        self.id = robot_id
        self._program = Program(f"raw_client_{next(_numbers)}")
        self.node: Node = self._program.node
        self.prefix = f"/factory/robot_{robot_id}"
        self.actions = {
            action: ActionClient(self.node, action, f"{self.prefix}/{name}") for action, name in ACTION_NAMES.items()
        }
        self.assigned = self.node.create_client(AssignedTask, f"{self.prefix}/assigned_task")
        self._services: dict[str, Client] = {}
        assert all(action.wait_for_server(timeout_sec=60.0) for action in self.actions.values())
        assert self.assigned.wait_for_service(timeout_sec=60.0)

    def send(self, goal: Any) -> Any:
        """Send a goal; return its handle."""
        action = next(action for action in self.actions if isinstance(goal, action.Goal))
        return self.answer(self.actions[action].send_goal_async(goal))

    def result(self, handle: Any) -> Any:
        """Wait for the end of a goal; return the answer with its status and its result."""
        return self.answer(handle.get_result_async())

    def call(self, action: Any, part: str, request: Any) -> Any:
        """Return the answer of a service of an action: send_goal, get_result or cancel_goal."""
        types = {"send_goal": action.Impl.SendGoalService, "get_result": action.Impl.GetResultService}
        name = f"{self.prefix}/{ACTION_NAMES[action]}/_action/{part}"
        if name not in self._services:
            self._services[name] = self.node.create_client(types.get(part, CancelGoal), name)
            assert self._services[name].wait_for_service(timeout_sec=60.0)
        return self.answer(self._services[name].call_async(request))

    def answer(self, future: Any) -> Any:
        """Wait for an answer; return it."""
        self.wait_for(future.done, "an answer")
        return future.result()

    def wait_for(self, condition: Callable[[], bool], what: str, timeout_s: float = DEADLINE_S) -> None:
        """Serve the callbacks of the fleet's client and of this one until a condition holds; fail otherwise."""
        self.fleet.wait_for(self._program.serving(condition), what, timeout_s)

    def assigned_task(self) -> str:
        """Return what the service tells."""
        return str(self.answer(self.assigned.call_async(AssignedTask.Request())).id)

    def value(self, key: str) -> str:
        """Return a value of the latest status."""
        return self.fleet.client.value(self.id, key)

    def wait_for_value(self, key: str, value: str) -> None:
        """Wait until the status has a value."""
        self.wait_for(lambda: self.value(key) == value, f"{key} to be {value!r}, it is {self.value(key)!r}")

    def truth(self) -> Pose2D:
        """Return where the robot is."""
        return self.fleet.truths[self.id]

    def destroy(self) -> None:
        """Leave the graph."""
        self._program.close()


@contextmanager
def performing_jobs(fleet: RunningFleet) -> Iterator[JobClient]:
    """Let robot 3 perform jobs; yield their client."""
    jobs = JobClient(fleet.client.graph)
    places = [Place(Pose2D(x_m, 0.3, 0.0)) for x_m in (0.6, 0.3)]
    jobs.submit(
        [Job(f"job {number}", Work(TaskKind.GO_TO, (places[number % 2],)), robots=(3,)) for number in range(_MANY)]
    )
    yield jobs
    states = [report.state for report in jobs.list(robot_id=3)]
    assert states.count(JobState.SUCCEEDED) >= 5
    assert JobState.ABORTED not in states
