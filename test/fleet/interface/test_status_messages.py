"""What status and diagnostics report of laws, errors and wheels; unknown values stay empty."""

from pathlib import Path

import pytest
from diagnostic_msgs.msg import DiagnosticStatus, KeyValue

from experiments.lab.lab import Lab
from fleet.geometry import Pose2D
from fleet.interface.progress_messages import feedback_to_ros
from fleet.interface.status_messages import chassis_to_ros, status_to_ros
from fleet.paths.shapes import circle
from fleet.tasks.task import follow_path, go_to
from fleet.tasks.task_kind import TaskKind
from harness.closed_loop import closed_loop

ERRORS = ("along_track_mm", "cross_track_mm", "heading_error_deg")
GAINS = ("wheel_gain_left_pct", "wheel_gain_left_std_pct", "wheel_gain_right_pct", "wheel_gain_right_std_pct")


@pytest.fixture
def loop(tmp_path: Path) -> Lab:
    started = closed_loop(tmp_path, gains=1.02)
    started.start()
    return started


def values(message: DiagnosticStatus | list[KeyValue]) -> dict[str, str]:
    pairs = message.values if isinstance(message, DiagnosticStatus) else message
    return {pair.key: pair.value for pair in pairs}


def wheels(loop: Lab, learns_latency: bool = True) -> dict[str, str]:
    return values(
        chassis_to_ros(loop.service.robot(1).chassis, loop.service.robot(1).telemetry.gain_stds, learns_latency)
    )


def follow(loop: Lab, laps: int) -> None:
    lap = circle(0.4).moved(Pose2D(1.0, 1.0, 0.0))
    loop.service.assign(1, follow_path("a", lap, loop.config.following, None, laps), loop.now_ns)


def test_idle_robot_reports_its_law_and_no_errors(loop: Lab) -> None:
    reported = values(status_to_ros(loop.status()))
    assert reported["law"] == "lqr"
    assert [reported[key] for key in ERRORS] == ["", "", ""]


def test_driving_robot_reports_its_errors(loop: Lab) -> None:
    follow(loop, 1)
    loop.run(3.0)
    reported = values(status_to_ros(loop.status()))
    assert all(abs(float(reported[key])) < 20.0 for key in ERRORS)


def test_customers_keys_come_first(loop: Lab) -> None:
    assert list(values(status_to_ros(loop.status())))[:3] == ["battery", "busy", "assigned_task"]


def test_gains_are_reported_once_they_are_learned(loop: Lab) -> None:
    before = wheels(loop)
    follow(loop, 2)
    loop.run(25.0)
    after = wheels(loop)
    assert [before[key] for key in GAINS] == ["", "", "", ""]
    assert float(after["wheel_gain_left_pct"]) - float(after["wheel_gain_right_pct"]) == pytest.approx(4.0, abs=0.7)
    assert 0.0 < float(after["wheel_gain_left_std_pct"]) < 1.0


def test_configured_latency_has_no_standard_deviation(loop: Lab) -> None:
    reported = wheels(loop, learns_latency=False)
    assert (reported["latency_ms"], reported["latency_std_ms"]) == (f"{1e3 * loop.config.actuation.latency_s:.0f}", "")


def test_feedback_counts_the_laps(loop: Lab) -> None:
    follow(loop, 3)
    laps = []
    while not loop.outcomes:
        loop.run(0.1)
        laps.append(feedback_to_ros(TaskKind.FOLLOW_PATH, loop.status).lap)
    assert sorted(set(laps)) == [0, 1, 2, 3]
    assert laps[:-1] == sorted(laps[:-1], key=lambda lap: lap or 3)
    assert laps.count(2) == pytest.approx(laps.count(1), abs=30)


def test_rejection_is_reported_with_its_numbers(loop: Lab) -> None:
    loop.service.assign(1, go_to("a" * 130, Pose2D(1.2, 1.0, 0.0)), loop.now_ns)
    reported = values(status_to_ros(loop.status()))
    expected = ("BAD_ID", "the task id has 130 characters, at most 128")
    assert (reported["reason"], reported["reason_detail"]) == expected


def test_accepted_task_clears_the_reason_and_its_detail(loop: Lab) -> None:
    loop.service.assign(1, go_to("", Pose2D(1.2, 1.0, 0.0)), loop.now_ns)
    loop.service.assign(1, go_to("b", Pose2D(1.2, 1.0, 0.0)), loop.now_ns)
    reported = values(status_to_ros(loop.status()))
    assert (reported["reason"], reported["reason_detail"]) == ("", "")


def test_abort_keeps_its_detail_after_a_rejection(loop: Lab) -> None:
    loop.service.assign(1, go_to("a", Pose2D(1.2, 1.0, 0.0)), loop.now_ns)
    loop.service.stop()
    loop.run_until_ended("a")
    loop.service.resume()
    loop.service.assign(1, go_to("a", Pose2D(1.2, 1.0, 0.0)), loop.now_ns)
    reported = values(status_to_ros(loop.status()))
    assert (reported["last_result"], reported["reason"]) == ("ABORTED:STOPPED", "DUPLICATE_ID")
    assert reported["last_result_detail"] == "the fleet is stopped until it is resumed; try: thymio-fleet resume"
