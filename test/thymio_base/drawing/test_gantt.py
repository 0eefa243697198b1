"""A Gantt chart of what robots do."""

from pathlib import Path

import pytest
from PIL import Image, ImageColor

from thymio_base.drawing.gantt import Gantt, GanttBar
from thymio_base.palette import Tone

CARRY = "transport (0.90, 2.50) > (3.00, 0.70)"


@pytest.fixture
def chart() -> Gantt:
    """Robot 1 carries something and waits meanwhile; robot 2 charges, then fails."""
    chart = Gantt([1, 2], {"press": (0.9, 2.5)})
    for time_s, is_waiting in ((0.0, False), (1.0, True), (2.0, True), (3.0, False)):
        chart.note(time_s, 1, CARRY, Tone.BUSY, is_waiting=is_waiting)
    chart.note(4.0, 1, "", Tone.IDLE, is_waiting=False)
    for time_s, words, tone in ((0.0, "charging", Tone.IDLE), (3.5, CARRY, Tone.ERROR), (9.0, "", Tone.IDLE)):
        chart.note(time_s, 2, words, tone, is_waiting=False)
    return chart


def values(spans: list[GanttBar]) -> list[tuple[float, float, str]]:
    return [(span.begin_s, span.end_s, span.words) for span in spans]


def test_bar_lasts_from_the_first_status_with_its_task_to_the_first_without(chart: Gantt) -> None:
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
