"""The driver survives an exception at each kind of door; a tick that fails as a whole stops all robots."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from ricaip_interfaces.srv import AssignedTask
from std_msgs.msg import UInt32

from fleet.client.local_question import ask_local_drivers
from fleet.geometry import Pose2D
from fleet.goals.sent_goal import GoalState
from fleet.hosts.local_drivers import FLEET_ENDING
from fleet.interface.names import IDENTIFY_TOPIC
from fleet.interface.quality import IDENTIFY_QOS
from harness.fence_record import take_record
from harness.ros.running_fleet import RunningFleet
from thymio_base.exit_code import ExitCode

DOORS = {  # by kind, a method behind it
    "service": "fleet.ros.robot_interface:RobotInterface._on_assigned_task",
    "goal": "fleet.ros.robot_interface:RobotInterface._task",
    "cancel": "fleet.robots.robot:Robot.cancel",
    "measured pose": "fleet.ros.pose_source:PoseSource._on_pose",
    "message": "fleet.ros.thymio_topics.identify_topic:IdentifyTopic._on_message",
    "timer": "fleet.ros.edge.client_presence:ClientPresence.update",
    "link message": "aseba_link.link.target_link:TargetLink._receive",
    "link event": "fleet.service.robot_nodes:RobotNodes._on_report",
    "local question": "fleet.ros.local_interface:LocalInterface._on_question",
    "jobs": "fleet.ros.jobs.job_dispatch:JobDispatch.advance",
    "status": "fleet.ros.robot_topics:RobotTopics.publish_status",
    "pose": "fleet.ros.robot_topics:RobotTopics.publish_pose",
    "places": "fleet.ros.fleet_topics.places_topic:PlacesTopic.step",
}
FAULTS = [f"{method} 1" for method in DOORS.values()]

pytestmark = pytest.mark.fenced


@pytest.fixture
def broken_fleet(tmp_path: Path) -> Iterator[RunningFleet]:
    fleet = RunningFleet(tmp_path, settings="dispatch: {enabled: true, book: memory}\n")
    try:
        fleet.start_simulator()
        yield fleet
    finally:
        fleet.close()


def test_driver_survives_an_exception_at_each_kind_of_door(broken_fleet: RunningFleet) -> None:
    fleet, client = broken_fleet, broken_fleet.client
    fleet.start_broken_driver(FAULTS)
    fleet.wait_until_ready()
    name = "/factory/robot_1/assigned_task"
    assert [client.graph.call(AssignedTask, name, AssignedTask.Request()).id for _ in range(2)] == ["", ""]
    refused = client.go_to(1, Pose2D(1.1, 1.1, 0.0))
    fleet.wait_for(lambda: refused.state.is_final, "the refusal of the first goal")
    assert refused.state is GoalState.REJECTED
    fleet.wait_for(lambda: client.value(1, "reason") == "INTERNAL", "the reason in status")
    assert [canceled(fleet), canceled(fleet)] == [GoalState.ABORTED, GoalState.CANCELED]
    again = client.go_to(1, Pose2D(1.1, 1.1, 0.0))
    fleet.wait_for(lambda: again.state.is_final, "the end of the last goal")
    assert again.state is GoalState.SUCCEEDED
    client.node.create_publisher(UInt32, IDENTIFY_TOPIC, IDENTIFY_QOS).publish(UInt32(data=1))
    ask_local_drivers(client.node.context.get_domain_id(), FLEET_ENDING, 0.2)
    caught = ""

    def silent_doors() -> list[str]:
        nonlocal caught
        caught += take_record()
        return [kind for kind, method in DOORS.items() if method not in caught]

    fleet.wait_for(lambda: not silent_doors(), "an exception at each door")


def test_failing_tick_stops_all_robots_and_ends_the_driver_with_its_reason(broken_fleet: RunningFleet) -> None:
    fleet = broken_fleet
    fleet.start_broken_driver(["fleet.traffic.precedence:WayOrder.awaited 1 20"])
    fleet.wait_until_ready()
    goals = [fleet.client.go_to(robot_id, Pose2D(float(robot_id), 1.7, 0.0)) for robot_id in (1, 2)]
    fleet.wait_for(lambda: fleet.driver.poll() is not None, "the end of the driver")
    assert fleet.driver.returncode == ExitCode.CRASHED
    fleet.wait_for(lambda: all(goal.state.is_final for goal in goals), "the ends of both goals")
    assert [goal.state for goal in goals] == [GoalState.ABORTED, GoalState.ABORTED]
    assert "every robot is stopped, and the driver ends: internal error at the tick: InjectedError" in fleet.logs()
    before = dict(fleet.truths)
    fleet.let_pass(1.0)
    assert all(fleet.truths[robot_id].distance_to(pose) < 0.02 for robot_id, pose in before.items())


def canceled(fleet: RunningFleet) -> GoalState:
    """Return how a goal ends that is canceled on the way; a robot whose cancel raises must stop as well."""
    goal = fleet.client.go_to(2, Pose2D(2.0, 1.7, 0.0))
    fleet.wait_for(lambda: goal.state is GoalState.EXECUTING, "the acceptance")
    goal.cancel()
    fleet.wait_for(lambda: goal.state.is_final, "the end of a canceled goal")
    return goal.state
