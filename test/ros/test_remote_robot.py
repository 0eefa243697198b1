"""What a driver that gives jobs knows of a robot that another driver serves, and how it sends that robot aside."""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from diagnostic_msgs.msg import DiagnosticStatus, KeyValue
from geometry_msgs.msg import PoseStamped
from rclpy.action import ActionServer, CancelResponse
from rclpy.action.server import ServerGoalHandle
from ricaip_interfaces.action import TaskGoTo

from fleet.geometry import Pose2D
from fleet.interface.conversions import pose_to_ros
from fleet.interface.quality import STATUS_QOS
from fleet.reason import Reason
from fleet.robots.readiness import Readiness
from fleet.ros.jobs.remote_robot import RemoteRobot
from fleet.tasks.task_kind import TaskKind
from fleet.watch.robot_watch import RobotWatch
from fleet.work.work import Place, Work
from harness.ros.program import DEADLINE_S, Program, program

HERE, CHARGER = Pose2D(1.0, 2.0, 0.0), Pose2D(3.0, 1.0, 0.0)


class ServedRobot:
    """Robot 7 with a charge of 20 %, whose server performs a goal until it is canceled."""

    def __init__(self, server: Program) -> None:
        self._program = server
        self._poses = server.node.create_publisher(PoseStamped, "/factory/robot_7/pose", 10)
        self._statuses = server.node.create_publisher(DiagnosticStatus, "/factory/robot_7/status", STATUS_QOS)
        self.goals: list[ServerGoalHandle] = []
        self._server = ActionServer(
            server.node,
            TaskGoTo,
            "/factory/robot_7/task_go_to",
            lambda goal: TaskGoTo.Result(),
            handle_accepted_callback=self.goals.append,
            cancel_callback=lambda goal: CancelResponse.ACCEPT,
        )

    def serve(self) -> None:
        """Publish what it reports; end goals that are canceled."""
        self._poses.publish(pose_to_ros(HERE, 0, "map"))
        values = {"state": "idle", "battery_pct": "20", "battery": "ok", "link": "connected", "home": "0,0,0"}
        self._statuses.publish(
            DiagnosticStatus(values=[KeyValue(key=key, value=value) for key, value in values.items()])
        )
        for goal in list(self.goals):
            if goal.is_cancel_requested and goal.is_active:
                goal.execute(_cancel)
        self._program.spin_once()

    def close(self) -> None:
        self._server.destroy()


def _cancel(goal: ServerGoalHandle) -> TaskGoTo.Result:
    goal.canceled()
    return TaskGoTo.Result()


class Talk:
    """The robot, and what the driver that gives jobs knows of it."""

    def __init__(self, robot: ServedRobot, dispatching: Program, listener: Program) -> None:
        self.robot = robot
        self._dispatching = dispatching
        self._watch = RobotWatch(listener.node, "map")
        self.other = RemoteRobot(7, dispatching.node, self._watch, "map", time.monotonic, drain_per_s=1e-4)

    def until(self, condition: Callable[[Readiness], bool], what: str) -> Readiness:
        """Serve both sides until what is known of the robot meets a condition."""
        end_s = time.monotonic() + DEADLINE_S
        while time.monotonic() < end_s:
            self.robot.serve()
            self._dispatching.spin_once()
            self._watch.take(7)
            assert self.other.advance(is_served=True) is None
            known = self.other.readiness()
            if known is not None and known.pose is not None and condition(known):
                return known
        pytest.fail(f"waited in vain for {what}")


@pytest.fixture
def talk() -> Iterator[Talk]:
    with ExitStack() as stack:
        server, dispatching, listener = (stack.enter_context(program(name)) for name in ("its", "giving", "listening"))
        robot = ServedRobot(server)
        stack.callback(robot.close)
        yield Talk(robot, dispatching, listener)


def send_aside(talk: Talk) -> None:
    """Send it to the charger, as soon as its server is reached."""

    def is_sent(known: Readiness) -> bool:
        if not known.is_aside:
            talk.other.send_aside(Work(TaskKind.GO_TO, (Place(CHARGER),)), 0)
        return bool(talk.robot.goals)

    talk.until(is_sent, "the goal at the charger")


def test_charge_is_that_of_its_status(talk: Talk) -> None:
    known = talk.until(lambda known: True, "its status")
    assert (known.charge, known.drain_per_s, known.may_drive, known.is_aside) == (0.2, 1e-4, True, False)


def test_robot_that_is_sent_aside_has_no_task_for_a_job(talk: Talk) -> None:
    send_aside(talk)
    known = talk.until(lambda known: known.is_aside, "it to drive aside")
    assert (known.task_id, known.aside_at, known.may_drive) == ("", CHARGER, True)
    assert talk.robot.goals[0].request.task_id.startswith("aside-7-")


def test_job_takes_the_robot_from_its_way_aside(talk: Talk) -> None:
    send_aside(talk)
    work = Work(TaskKind.GO_TO, (Place(HERE),))
    refusal = talk.other.give(work, "job#1", 0)
    assert refusal is not None
    assert refusal.reason is Reason.BUSY
    talk.until(lambda known: not known.is_aside, "the way aside to end")
    assert talk.other.give(work, "job#2", 0) is None
    talk.until(lambda known: len(talk.robot.goals) == 2, "the job's goal")
    assert talk.robot.goals[1].request.task_id == "job#2"
