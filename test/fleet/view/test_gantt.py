"""A Gantt chart of what robots say they do."""

from pathlib import Path

import pytest
from PIL import Image, ImageColor

from fleet.client.robot_report import RobotReport
from fleet.geometry import Pose2D
from fleet.robots.status_level import Level
from fleet.view.gantt import Gantt, Span
from thymio_base.palette import Tone

CARRY = {"busy": "yes", "state": "executing", "task": "transport (0.90, 2.50) > (3.00, 0.70)"}
STATIONS = {"press": Pose2D(0.9, 2.5, 1.57)}


def report(robot_id: int, level: Level = Level.OK, **values: str) -> RobotReport:
    return RobotReport(robot_id, level, "", values)


@pytest.fixture
def chart() -> Gantt:
    """Robot 1 carries something and waits meanwhile; robot 2 charges, then fails."""
    chart = Gantt([1, 2], STATIONS)
    for time_s, traffic in ((0.0, "free"), (1.0, "waiting"), (2.0, "waiting"), (3.0, "free")):
        chart.note(time_s, report(1, **CARRY, traffic=traffic))
    chart.note(4.0, report(1, state="idle"))
    chart.note(0.0, report(2, state="idle", activity="charging"))
    chart.note(3.5, report(2, Level.ERROR, **CARRY))
    chart.note(9.0, report(2, state="idle"))
    return chart


def values(spans: list[Span]) -> list[tuple[float, float, str]]:
    return [(span.begin_s, span.end_s, span.words) for span in spans]


def test_bar_lasts_from_the_first_status_that_tells_of_it_to_the_next_that_does_not(chart: Gantt) -> None:
    words = "transport press > (3.00, 0.70)"
    assert values(chart.work[1]) == [(0.0, 4.0, words), (4.0, 4.0, "")]
    assert values(chart.work[2]) == [(0.0, 3.5, "charging"), (3.5, 9.0, words), (9.0, 9.0, "")]
    assert [span.tone for span in chart.work[2]] == [Tone.IDLE, Tone.ERROR, Tone.IDLE]


def test_waits_are_part_of_the_task_in_which_they_occur(chart: Gantt) -> None:
    assert [span for span in values(chart.waits[1]) if span[2]] == [(1.0, 3.0, "waiting for others")]
    assert not any(span.words for span in chart.waits[2])


def test_picture_has_a_row_for_each_robot_and_the_colours_of_its_states(chart: Gantt, tmp_path: Path) -> None:
    chart.save(tmp_path / "chart.png")
    with Image.open(tmp_path / "chart.png") as opened:
        picture = opened.convert("RGB")
    colors = {shown for _, shown in picture.getcolors(1 << 20)}
    assert {ImageColor.getrgb(tone.light) for tone in (Tone.BUSY, Tone.IDLE, Tone.ERROR)} <= colors
    larger = Gantt(range(20), {})
    larger.save(tmp_path / "larger.png")
    with Image.open(tmp_path / "larger.png") as opened:
        assert opened.height > 2 * picture.height


def test_the_same_run_is_the_same_picture(chart: Gantt, tmp_path: Path) -> None:
    for name in ("one.svg", "other.svg"):
        chart.save(tmp_path / name)
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "other.svg").read_bytes()
