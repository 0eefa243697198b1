"""A path that takes many ticks to plan: what its robot does meanwhile, with and without traffic."""

from pathlib import Path

import pytest

from experiments.lab.lab import Lab
from fleet.geometry import Pose2D
from fleet.paths.shapes import eight
from fleet.reason import Explanation, Reason
from fleet.tasks.task import TaskState, follow_path
from fleet.traffic.traffic_state import TrafficPhase
from harness.closed_loop import closed_loop

SLOW = "arena: {{x_min_m: 0, y_min_m: 0, x_max_m: 3, y_max_m: 2}}\ntraffic: {{enabled: {enabled}, budget_steps: 10}}"


@pytest.fixture(params=["true", "false"])
def loop(tmp_path: Path, request: pytest.FixtureRequest) -> Lab:
    lab = closed_loop(tmp_path, settings=SLOW.format(enabled=request.param))
    lab.start()
    path = eight(0.5).moved(Pose2D(1.0, 1.0, 0.0))
    assert lab.service.assign(1, follow_path("follow", path, lab.config.following, laps=9), lab.now_ns) is None
    lab.run(0.3)
    assert lab.service.robot(1).is_planning
    return lab


def test_a_robot_whose_path_is_being_planned_waits_and_reports_it(loop: Lab) -> None:
    here = loop.truth()
    loop.run(0.1)
    assert loop.status().traffic.going is TrafficPhase.PLANNING
    assert dict(loop.status().values)["traffic"] == "planning"
    assert loop.truth().distance_to(here) < 1e-3
    assert loop.status().eta_s > 5.0


def test_a_task_that_is_canceled_while_its_path_is_planned_ends_at_once(loop: Lab) -> None:
    assert loop.service.robot(1).cancel("follow", loop.now_ns)
    loop.run(0.3)
    assert [outcome.state for outcome in loop.outcomes] == [TaskState.CANCELED]
    assert not loop.service.robot(1).is_planning
    assert loop.status().traffic.going is TrafficPhase.FREE


def test_a_stop_ends_the_task_whose_path_is_planned(loop: Lab) -> None:
    loop.service.stop()
    loop.run(0.3)
    assert [outcome.reason for outcome in loop.outcomes] == [Reason.STOPPED]
    assert not loop.service.robot(1).is_planning


def test_a_halt_while_a_path_is_planned_stops_the_wheels(loop: Lab) -> None:
    here = loop.truth()
    outcomes = loop.service.halt(Explanation(Reason.INTERNAL, "tried"))
    loop.run(0.5)
    assert [outcome.reason for outcome in outcomes] == [Reason.INTERNAL]
    assert loop.truth().distance_to(here) < 1e-3
    assert loop.status().task_id == ""


def test_the_path_is_driven_once_it_is_planned(loop: Lab) -> None:
    here = loop.truth()
    for _ in range(600):
        if loop.truth().distance_to(here) > 0.05:
            break
        loop.run(0.1)
    assert loop.truth().distance_to(here) > 0.05
    assert not loop.service.robot(1).is_planning
