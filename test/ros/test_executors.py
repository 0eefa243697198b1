"""The driver works the same with either executor."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from fleet.client.sent_goal import GoalState
from fleet.geometry import Pose2D
from harness.ros.running_fleet import RunningFleet
from thymio_base.ros.executors import ExecutorKind


@pytest.fixture(params=[kind.value for kind in ExecutorKind])
def fleet_on_executor(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[RunningFleet]:
    fleet = RunningFleet(tmp_path)
    try:
        fleet.start_simulator()
        fleet.start_driver("--executor", request.param)
        fleet.wait_until_ready()
        yield fleet
    finally:
        fleet.close()


def test_tasks_are_performed_and_canceled(fleet_on_executor: RunningFleet) -> None:
    fleet = fleet_on_executor
    short, long = fleet.client.go_to(1, Pose2D(1.05, 1.0, 0.0)), fleet.client.go_to(2, Pose2D(2.0, 1.8, 0.0))
    fleet.wait_for(lambda: long.state is GoalState.EXECUTING, "the acceptance of a goal")
    long.cancel()
    fleet.wait_for(lambda: short.state.is_final and long.state.is_final, "the ends of both goals")
    assert (short.state, long.state) == (GoalState.SUCCEEDED, GoalState.CANCELED)
