"""Recovery from failures: no robot keeps driving, every goal ends, and the fleet works again."""

import signal
import subprocess
from pathlib import Path

import pytest
from action_msgs.msg import GoalStatus
from geometry_msgs.msg import PoseStamped

from fleet.commands.processes import driver_command
from fleet.geometry import Pose2D
from fleet.goals.sent_goal import GoalState, SentGoal
from harness.ros.running_fleet import RunningFleet

FAR = Pose2D(1.0, 1.6, 0.0)


def send_far(fleet: RunningFleet) -> SentGoal:
    """Send robot 1 to a distant goal, and wait until it rolls."""
    goal = fleet.client.go_to(1, FAR)
    started = fleet.truths[1]
    fleet.wait_for(lambda: fleet.truths[1].distance_to(started) > 0.05, "the robot to be on its way")
    return goal


def test_killed_simulator_ends_the_task_and_robots_are_usable_on_its_return(fleet: RunningFleet) -> None:
    goal = send_far(fleet)
    fleet.send_signal("simulator", signal.SIGKILL).wait()
    fleet.wait_for(lambda: goal.state.is_final, "the task to end")
    assert (goal.state, goal.success) == (GoalState.ABORTED, False)
    fleet.wait_for(lambda: fleet.client.value(1, "last_result") == "ABORTED:ROBOT_LOST", "the reason in status")
    assert fleet.client.statuses[1].level == 2
    assert fleet.client.value(1, "link") == "lost"
    rejected = fleet.client.go_home(1)
    fleet.wait_for(lambda: rejected.state.is_final, "an answer")
    assert rejected.state is GoalState.REJECTED
    fleet.start_simulator()
    fleet.wait_until_ready()
    again = fleet.client.go_to(1, Pose2D(1.1, 1.1, 0.0))
    fleet.wait_for(lambda: again.state.is_final, "the next task to end", 30.0)
    assert again.state is GoalState.SUCCEEDED


def test_robot_with_a_pose_but_no_link_is_not_ready(tmp_path: Path) -> None:
    fleet = RunningFleet(tmp_path)
    try:
        pose_publisher = fleet.client.node.create_publisher(PoseStamped, "/mocap/thymio_1/pose", 10)
        fleet.start_driver()

        def is_known() -> bool:
            pose_publisher.publish(PoseStamped())
            return 1 in fleet.client.poses and fleet.client.value(1, "localization") == "tracked"

        fleet.wait_for(is_known, "the robot's pose and status")
        assert not fleet.client.is_ready(1)
        goal = fleet.client.go_home(1)
        fleet.wait_for(lambda: goal.state.is_final, "an answer")
        assert goal.state is GoalState.REJECTED
        fleet.wait_for(lambda: fleet.client.value(1, "reason") == "ROBOT_LOST", "the reason")
    finally:
        fleet.close()


def test_wheels_stop_after_the_driver_is_killed(fleet: RunningFleet) -> None:
    send_far(fleet)
    fleet.send_signal("driver", signal.SIGKILL).wait()
    fleet.let_pass(1.0)
    stood = fleet.truths[1]
    fleet.let_pass(0.5)
    assert fleet.truths[1].distance_to(stood) < 1e-6
    assert abs(fleet.truths[1].heading_error_to(stood)) < 1e-6


def test_robots_of_a_driver_that_is_killed_at_once_are_served_by_the_next_one(tmp_path: Path) -> None:
    fleet = RunningFleet(tmp_path, "hosts: {silent_s: 600}")  # this long it would listen without the record
    try:
        fleet.start_simulator()
        fleet.start_driver()
        fleet.wait_for(lambda: len(fleet.client.poses) == len(fleet.ROBOT_IDS), "the first poses")
        fleet.send_signal("driver", signal.SIGKILL).wait()
        fleet.client.poses.clear()
        fleet.start_driver()
        fleet.wait_for(lambda: len(fleet.client.poses) == len(fleet.ROBOT_IDS), "poses of the next driver")
    finally:
        fleet.close()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_terminated_driver_ends_its_goals_and_leaves(fleet: RunningFleet, number: signal.Signals) -> None:
    goal = send_far(fleet)
    driver = fleet.send_signal("driver", number)
    fleet.wait_for(lambda: goal.state.is_final and driver.poll() is not None, "the driver to end")
    assert driver.returncode == 0
    assert (goal.state, goal.success) == (GoalState.ABORTED, False)
    fleet.let_pass(0.3)
    stood = fleet.truths[1]
    fleet.let_pass(0.3)
    assert fleet.truths[1].distance_to(stood) < 1e-6


def test_driver_started_before_the_simulator_finds_it_later(fleet: RunningFleet) -> None:
    for name in ("driver", "simulator"):
        fleet.send_signal(name, signal.SIGTERM).wait(60.0)
    fleet.client.statuses.clear()
    fleet.start_driver()
    fleet.wait_for(lambda: fleet.client.value(1, "link") == "lost", "the driver to miss its robots")
    fleet.start_simulator()
    fleet.wait_until_ready()


def test_the_result_of_a_goal_can_be_fetched_long_after_its_end(fleet: RunningFleet) -> None:
    goal = fleet.client.go_home(1)
    fleet.wait_for(lambda: goal.state.is_final, "the task to end")
    fleet.client.spin(11.0)  # rclpy's own default once was 10 s
    assert fleet.client.fetch_result(goal).status == GoalStatus.STATUS_SUCCEEDED


def test_bad_configuration_is_reported_completely_and_the_driver_exits_with_2(tmp_path) -> None:
    path = tmp_path / "fleet.yaml"
    path.write_text("rates: {pose_hz: 0}\nrobotz: []\n")
    result = subprocess.run(driver_command(path), capture_output=True, text=True, timeout=120, check=False)
    assert result.returncode == 2
    assert result.stderr.splitlines() == [
        f"{path}:1: key 'robots' is missing",
        f"{path}:1: rates.pose_hz: 0 is less than or equal to the minimum of 0",
        f"{path}:2: robotz: unknown key, did you mean 'robots'?",
    ]


def test_invalid_ros_arguments_are_reported_without_a_traceback() -> None:
    config = Path(__file__).parents[2] / "config" / "fleet.yaml"
    command = [*driver_command(config), "--ros-args", "-p", "nonsense"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert result.returncode == 2
    assert "nonsense" in result.stderr
    assert "Traceback" not in result.stderr
