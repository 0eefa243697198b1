"""A fleet on simulated time: twice as fast, paused, set back."""

import math
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from geometry_msgs.msg import PoseStamped
from rosgraph_msgs.msg import Clock
from simulation_interfaces.msg import Result, SimulationState
from simulation_interfaces.srv import ResetSimulation, SetEntityState, SetSimulationState

from fleet.geometry import Pose2D
from fleet.goals.sent_goal import GoalState
from fleet.interface.conversions import pose_to_ros
from harness.ros.running_fleet import RunningFleet, ready
from thymio_base.ros.stamps import time_from_ros

FACTOR = 2.0


class TimedFleet(RunningFleet):
    """A running fleet on simulated time, and its clock."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, options=("--speed", str(FACTOR)), is_simulated_time=True)
        self.now_s = 0.0
        self.client.node.create_subscription(Clock, "/clock", self._on_clock, 10)

    def _on_clock(self, message: Clock) -> None:
        self.now_s = time_from_ros(message.clock) * 1e-9

    def set_state(self, state: int) -> None:
        """Play or pause."""
        request = SetSimulationState.Request(state=SimulationState(state=state))
        assert self.call(SetSimulationState, "set_simulation_state", request).result.result == Result.RESULT_OK


class Speed:
    """The speed of simulated time relative to the system clock, measured every second."""

    def __init__(self, fleet: TimedFleet) -> None:
        self._fleet = fleet
        self._began_s = time.monotonic(), fleet.now_s
        self._latest = 0.0

    def latest(self) -> float:
        """Return the speed over the last complete second; 0 in the first one."""
        wall_s, simulated_s = time.monotonic() - self._began_s[0], self._fleet.now_s - self._began_s[1]
        if wall_s >= 1.0:
            self._began_s = time.monotonic(), self._fleet.now_s
            self._latest = simulated_s / wall_s
        return self._latest


@pytest.fixture(scope="module")
def timed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TimedFleet]:
    yield from ready(TimedFleet(tmp_path_factory.mktemp("timed")))


def test_task_takes_half_the_time_at_twice_the_speed(timed: TimedFleet) -> None:
    started_s = timed.now_s
    goal = timed.client.go_to(1, Pose2D(1.4, 1.4, 0.0))
    timed.wait_for(lambda: goal.state.is_final, "the task's end")
    assert goal.state is GoalState.SUCCEEDED
    assert timed.now_s - started_s > 2.0  # in simulated time the task takes as long as always
    speed = Speed(timed)
    timed.wait_for(lambda: speed.latest() == pytest.approx(FACTOR, rel=0.25), "a second in which the machine keeps up")
    assert math.dist((timed.truths[1].x_m, timed.truths[1].y_m), (1.4, 1.4)) < 0.03


def test_poses_are_stamped_with_simulated_time(timed: TimedFleet) -> None:
    received: list[PoseStamped] = []
    subscription = timed.client.node.create_subscription(PoseStamped, "/factory/robot_1/pose", received.append, 10)
    timed.wait_for(lambda: len(received) >= 5, "poses")
    timed.client.node.destroy_subscription(subscription)
    stamps_s = [time_from_ros(message.header.stamp) * 1e-9 for message in received]
    assert stamps_s == sorted(set(stamps_s))
    received_s = timed.now_s
    timed.wait_for(lambda: timed.now_s > received_s, "the next clock message, since the pose may have arrived first")
    assert 0.0 <= timed.now_s - stamps_s[-1] < 1.0


def stands(timed: TimedFleet) -> bool:
    """Whether neither time nor a robot moves for longer than the grace of a robot without a link."""
    before = timed.now_s, timed.truths[2]
    timed.client.spin(3.0)
    return before == (timed.now_s, timed.truths[2])


def test_nothing_moves_and_no_task_ends_while_the_simulation_is_paused(timed: TimedFleet) -> None:
    goal = timed.client.go_to(2, Pose2D(2.5, 1.6, 0.0))
    timed.wait_for(lambda: goal.state is GoalState.EXECUTING, "the start of the task")
    timed.let_pass(0.5)
    timed.set_state(SimulationState.STATE_PAUSED)
    assert any(stands(timed) for _ in range(2))  # messages of before the pause may still arrive in the first span
    assert goal.state is GoalState.EXECUTING
    timed.set_state(SimulationState.STATE_PLAYING)
    timed.wait_for(lambda: goal.state.is_final, "the task's end")
    assert goal.state is GoalState.SUCCEEDED


def test_robots_accept_tasks_after_time_is_set_back(timed: TimedFleet) -> None:
    before_s = timed.now_s
    request = ResetSimulation.Request(scope=ResetSimulation.Request.SCOPE_TIME)
    assert timed.call(ResetSimulation, "reset_simulation", request).result.result == Result.RESULT_OK
    timed.wait_for(lambda: timed.now_s < before_s, "time to be set back")
    timed.let_pass(1.0)
    goal = timed.client.go_home(1)
    timed.wait_for(lambda: goal.state.is_final, "the task's end")
    assert goal.state is GoalState.SUCCEEDED


def test_relocated_robot_drives_home_from_its_new_pose(timed: TimedFleet) -> None:
    request = SetEntityState.Request(entity="thymio_2", set_pose=True)
    request.state.pose = pose_to_ros(Pose2D(2.5, 0.4, 1.0), 0, "map").pose
    assert timed.call(SetEntityState, "set_entity_state", request).result.result == Result.RESULT_OK
    timed.wait_for(lambda: math.dist((timed.client.poses[2].x_m, timed.client.poses[2].y_m), (2.5, 0.4)) < 0.02, "it")
    goal = timed.client.go_home(2)
    timed.wait_for(lambda: goal.state.is_final, "the task's end")
    assert goal.state is GoalState.SUCCEEDED
    assert math.dist((timed.truths[2].x_m, timed.truths[2].y_m), (2.0, 1.0)) < 0.03
