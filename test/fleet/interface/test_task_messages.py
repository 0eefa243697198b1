import math

from fleet.geometry import Pose2D
from fleet.interface.task_messages import task_from_ros, task_to_ros
from fleet.tasks.task_report import LegKind, LegReport, TaskReport

REPORT = TaskReport(
    task_id="a",
    kind="task_transport",
    state="ABORTED",
    reason="NO_PROGRESS",
    detail="why",
    words="transport",
    legs=(
        LegReport(LegKind.DRIVE, Pose2D(1.0, 2.0, 0.5)),
        LegReport(LegKind.DWELL, None, 2.0, True),
        LegReport(LegKind.FOLLOW, Pose2D(3.0, 4.0, -0.5)),
    ),
    leg=1,
    plan_m=((1.0, 2.0), (1.5, 2.25)),
    eta_s=12.5,
    progress=0.25,
    clients=("/one", "/two"),
)


def test_message_of_a_task_says_everything_about_it() -> None:
    message = task_to_ros(REPORT, 1_500_000_000, "map")
    assert (message.header.frame_id, message.header.stamp.sec, message.header.stamp.nanosec) == ("map", 1, 500_000_000)
    assert task_from_ros(message) == REPORT


def test_task_before_the_first_one_is_empty() -> None:
    assert task_from_ros(task_to_ros(TaskReport(), 0, "map")) == TaskReport()


def test_valid_parts_of_a_foreign_message_are_read() -> None:
    message = task_to_ros(REPORT, 0, "map")
    message.plan_x_m = [1.0, math.nan, *[3.0] * 300]
    message.plan_y_m = [2.0, 0.0, *[4.0] * 300]
    message.legs[0].kind = "fly"
    message.eta_s, message.progress = math.inf, 7.0
    report = task_from_ros(message)
    assert (len(report.plan_m), report.plan_m[:2]) == (200, ((1.0, 2.0), (3.0, 4.0)))
    assert [leg.kind for leg in report.legs] == [LegKind.DWELL, LegKind.FOLLOW]
    assert (report.eta_s, report.progress) == (0.0, 1.0)
