"""Budgets of targets: messages are spread, stops are not held back, and an overload is reported."""

from concurrent.futures import Future
from pathlib import Path

import pytest

from aseba_link.host.node import NodeAddress
from aseba_link.host.script_policy import ScriptPolicy
from aseba_link.link.aseba_link import AsebaLink
from aseba_link.link.budget import Budget
from aseba_link.link.connection import Connection, pipe
from aseba_link.link.target import Target
from aseba_link.thymio.events import Event
from aseba_link.wire.message import HOST_ID, encode, from_words
from experiments.lab.lab import Lab
from fleet.geometry import Pose2D
from fleet.tasks.task import TaskState, go_to
from harness.closed_loop import closed_loop
from harness.fleets import ONE_ROBOT, problems_of, read

TARGET = "tcp:host=127.0.0.1;port=33333"
TICK_NS = 50_000_000


class Pipes:
    """A dialer with a single connection."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def dial(self, target: Target) -> Future[Connection]:
        attempt: Future[Connection] = Future()
        attempt.set_result(self._connection)
        return attempt


def run(budget: Budget, seconds: float, received_hz: float = 0.0, start_s: float = 0.0, attempts: int = 100) -> int:
    """Let nodes send at `received_hz`, send as much as the budget allows, and return the number of messages sent."""
    sent = 0
    for tick in range(round(start_s * 1e9 / TICK_NS), round((start_s + seconds) * 1e9 / TICK_NS)):
        budget.advance(tick * TICK_NS)
        budget.receive(round(received_hz * TICK_NS * 1e-9))
        for _ in range(attempts):
            if budget.allows():
                budget.send(1)
                sent += 1
    return sent


def crowd(folder: Path, budget_hz: float, count: int = 6) -> Lab:
    settings = f"link: {{budgets_hz: {{'{TARGET}': {budget_hz}}}}}\nrates: {{odometry_hz: 10}}"
    loop = closed_loop(folder, count, settings=settings)
    loop.start()
    loop.run(4.0)  # robots were identified and received their scripts, more messages than any radio carries
    for robot_id in range(1, count + 1):
        assert loop.service.assign(robot_id, go_to(f"{robot_id}", Pose2D(robot_id, 1.8, 1.57)), loop.now_ns) is None
    return loop


def test_no_more_is_sent_than_a_target_carries() -> None:
    assert run(Budget(100.0), 10.0) == pytest.approx(1000, rel=0.05)


def test_messages_of_nodes_take_room_from_ours() -> None:
    budget = Budget(100.0)
    run(budget, 4.0, 60.0)  # long enough to measure how much they send
    assert run(budget, 10.0, 60.0, start_s=4.0) == pytest.approx(10 * 40, rel=0.05)


def test_a_quarter_of_the_budget_is_for_us_however_much_nodes_send() -> None:
    budget = Budget(100.0)
    run(budget, 4.0, 500.0)
    assert run(budget, 10.0, 500.0, start_s=4.0) == pytest.approx(10 * 25, rel=0.05)


def test_unused_room_is_not_saved_up() -> None:
    budget = Budget(100.0)
    budget.advance(0)
    budget.advance(10_000_000_000)
    allowed = 0
    while budget.allows():
        budget.send(1)
        allowed += 1
    assert allowed == 10


def test_a_target_that_is_used_up_to_its_budget_is_not_over_it() -> None:
    budget = Budget(100.0)
    run(budget, 10.0)
    assert not budget.is_over


def test_a_target_is_over_its_budget_when_a_late_message_must_wait_again() -> None:
    budget = Budget(100.0)
    run(budget, 3.0)
    while budget.allows(is_late=True):
        budget.send(1)
    budget.advance(6_000_000_000)
    assert budget.is_over


def test_six_robots_on_one_dongle_drive_to_their_goals_within_its_budget(tmp_path: Path) -> None:
    loop = crowd(tmp_path, 120.0)
    messages = set()
    while len(loop.outcomes) < 6:
        loop.run(0.5)
        messages |= {loop.status(robot_id).message for robot_id in loop.robot_ids}
    assert {outcome.state for outcome in loop.outcomes} == {TaskState.SUCCEEDED}
    assert [message for message in messages if "budget" in message] == []


def test_status_shows_when_a_radio_is_over_its_budget_and_robots_still_obey_a_stop(tmp_path: Path) -> None:
    loop = crowd(tmp_path, 60.0)
    loop.run(4.0)
    assert all("radio over its budget" in loop.status(robot_id).message for robot_id in loop.robot_ids)
    loop.service.stop()
    loop.run(0.3)
    assert [loop.speed(robot_id) for robot_id in loop.robot_ids] == [pytest.approx(0.0, abs=0.01)] * 6


def test_only_what_can_wait_is_held_back_from_a_target_that_does_not_read() -> None:
    ours, theirs = pipe()
    link = AsebaLink([TARGET], ScriptPolicy(lambda _: None), Pipes(ours))
    address = NodeAddress(TARGET, 1)
    for now_ns in (0, TICK_NS):
        link.poll(now_ns)
    assert link.node(address).has_room()
    for _ in range(30):
        link.broadcast(Event.SET_SPEED, [1, 100, 100])
    link.poll(2 * TICK_NS)
    assert not link.node(address).has_room()
    link.broadcast(Event.SET_SPEED, [1, 0, 0])
    assert theirs.receive().endswith(encode(from_words(HOST_ID, Event.SET_SPEED, [1, 0, 0])))
    link.poll(3 * TICK_NS)
    assert link.node(address).has_room()


def test_a_budget_of_an_unknown_target_is_reported(tmp_path: Path) -> None:
    problems = problems_of(tmp_path, "link: {budgets_hz: {'ser:device=/dev/ttyACM9': 120}}" + ONE_ROBOT)
    assert problems == ["1: link.budgets_hz.ser:device=/dev/ttyACM9: not one of link.targets"]


def test_a_bad_budget_is_reported_with_its_key(tmp_path: Path) -> None:
    assert "link.budgets_hz" in problems_of(tmp_path, f"link: {{budgets_hz: {{'{TARGET}': 0}}}}" + ONE_ROBOT)[0]


def test_a_rate_is_advised_if_robots_report_too_often_for_their_radio(tmp_path: Path) -> None:
    robots = "".join(f"- {{id: {k}, node_id: {k}, home: {{x_m: {k}, y_m: 0}}}}\n" for k in range(1, 7))
    config = read(tmp_path, f"link: {{budgets_hz: {{'{TARGET}': 120}}}}\nrobots:\n{robots}")
    assert config.budget_advice == [
        f"{TARGET}: 6 robots exchange 180 messages a second, it carries 120; rates.odometry_hz: at most 10"
    ]
