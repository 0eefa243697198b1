"""A fleet connected by radio: fleet, link, radio and simulator in one thread."""

from pathlib import Path

import pytest

from fleet.geometry import Pose2D
from fleet.robots.robot_status import LinkState
from fleet.tasks.task import TaskState, go_home, go_to
from harness.closed_loop import closed_loop

POOR = "radio: {enabled: true, latency_s: 0.03, jitter_s: 0.01, loss: 0.01}"
DONGLE = "radio: {enabled: true, bandwidth_messages_per_s: 250}"
TEN_A_SECOND = "rates: {odometry_hz: 10}"
SEEDS = (1, 2, 3)


@pytest.mark.parametrize("seed", SEEDS)
def test_tasks_succeed_over_a_radio_that_delays_and_loses_messages(tmp_path: Path, seed: int) -> None:
    loop = closed_loop(tmp_path, 2, settings=TEN_A_SECOND, world=f"{POOR}\nseed: {seed}")
    loop.start()
    goals = {robot_id: Pose2D(robot_id + 0.3, 1.2, 1.0) for robot_id in (1, 2)}
    for robot_id, goal in goals.items():
        assert loop.service.assign(robot_id, go_to(f"there {robot_id}", goal), loop.now_ns) is None
    assert [loop.run_until_ended(f"there {robot_id}").state for robot_id in goals] == [TaskState.SUCCEEDED] * 2
    assert all(loop.truth(robot_id).distance_to(goal) < 0.03 for robot_id, goal in goals.items())


def test_six_robots_share_a_dongle(tmp_path: Path) -> None:
    loop = closed_loop(tmp_path, 6, settings=TEN_A_SECOND, world=DONGLE)
    loop.start()
    for robot_id in range(1, 7):
        assert (
            loop.service.assign(robot_id, go_to(f"{robot_id}", Pose2D(robot_id + 0.2, 1.2, 0.0)), loop.now_ns) is None
        )
    ends = [loop.run_until_ended(f"{robot_id}").state for robot_id in range(1, 7)]
    assert ends == [TaskState.SUCCEEDED] * 6


def test_robots_continue_after_being_out_of_range(tmp_path: Path) -> None:
    world = "radio: {enabled: true, dropouts: {mean_interval_s: 5.0, duration_s: 0.6}}"
    loop = closed_loop(tmp_path, settings=TEN_A_SECOND, world=world)
    loop.start()
    for number in range(3):
        assert loop.service.assign(1, go_to(f"there {number}", Pose2D(1.5, 1.3, 0.0)), loop.now_ns) is None
        assert loop.run_until_ended(f"there {number}").state is TaskState.SUCCEEDED
        assert loop.service.assign(1, go_home(f"home {number}", loop.config.robots[0].home), loop.now_ns) is None
        assert loop.run_until_ended(f"home {number}").state is TaskState.SUCCEEDED


def test_same_seed_gives_the_same_motion(tmp_path: Path) -> None:
    def driven() -> tuple[Pose2D, LinkState]:
        loop = closed_loop(tmp_path, world=f"{POOR}\nseed: 5")
        loop.start()
        loop.service.assign(1, go_to("there", Pose2D(1.4, 1.3, 0.5)), loop.now_ns)
        loop.run(4.0)
        return loop.truth(), loop.status().link

    assert driven() == driven()
