"""The table of the fleet: one line for each robot, whatever the terminal's width, the most urgent first."""

from collections.abc import Sequence
from io import StringIO

import pytest
from rich.cells import cell_len
from rich.console import Console

from fleet.client.robot_report import RobotReport
from fleet.commands.fleet_table import FleetTable, fleet_lines, hosts_table, table_console
from fleet.geometry import Pose2D
from fleet.robots.status_level import Level
from thymio_base.palette import Tone

TRANSPORT = "transport (1.30, 0.60) > (1.90, 0.80)"
HIDDEN = "pose lost: nothing on /mocap/thymio_3/pose"
OURS = {
    "state": "idle",
    "busy": "no",
    "battery": "ok",
    "battery_pct": "94",
    "link": "connected",
    "localization": "tracked",
}


def idle(robot_id: int) -> RobotReport:
    return RobotReport(robot_id, Level.OK, "idle", OURS, Pose2D(0.6, 1.35, -1.5), 0.4, "lab-pc")


def driving(robot_id: int, task: str = TRANSPORT, level: Level = Level.OK, message: str = "") -> RobotReport:
    task_values = {"state": "executing", "busy": "yes", "task": task, "progress": "0.50", "eta_s": "12.4"}
    values = {**OURS, **task_values, "assigned_task": f"transport-{robot_id:08x}"}
    return RobotReport(robot_id, level, message, values, Pose2D(2.6, 1.35, 3.1), 0.4, "lab-pc")


def lost(robot_id: int) -> RobotReport:
    return RobotReport(robot_id, Level.ERROR, HIDDEN, {**OURS, "localization": "lost"}, None, 1.2, "lab-pc")


def stopped(robot_id: int) -> RobotReport:
    message = "stopped: waiting to be resumed"
    return RobotReport(robot_id, Level.ERROR, message, {**OURS, "state": "stopped"}, None, 0.4)


def foreign(robot_id: int) -> RobotReport:
    values = {"battery": "ok", "busy": "yes", "assigned_task": "fetch-1"}
    return RobotReport(robot_id, Level.OK, "on its way", values, Pose2D(0.0, 0.0, 0.0), 0.4)


def fleet(count: int) -> list[RobotReport]:
    """Return some robots of every kind."""
    warned = driving(4, level=Level.WARN, message="battery low: 18 %; no progress for 7 s")
    kinds = [idle(1), driving(2), lost(3), warned, foreign(5), stopped(6), RobotReport(7)]
    return [*kinds[:count], *(idle(robot_id) for robot_id in range(8, count + 1))]


def lines(reports: Sequence[RobotReport], width: int, rows: int | None = None) -> list[str]:
    console = Console(width=width, height=24, file=StringIO(), color_system=None)
    with console.capture() as captured:
        console.print(FleetTable(reports, "64", rows))
    return captured.get().splitlines()


def row(found: Sequence[str], robot_id: int) -> str:
    return next(line for line in found if line.split()[0] == str(robot_id))


@pytest.mark.parametrize("count", [1, 8, 20, 50])
@pytest.mark.parametrize("width", [30, 60, 80, 160])
def test_no_line_is_wider_than_the_terminal(width: int, count: int) -> None:
    found = lines(fleet(count), width)
    assert max(map(cell_len, found)) <= width
    assert [line.split()[0] for line in found[2 : len(fleet(count)) + 2]].count("robot") == 0
    assert all(line.startswith(("robot ", "  ")) for line in found[len(fleet(count)) + 2 :])


def test_message_that_is_cut_off_follows_below_the_table() -> None:
    report = driving(4, level=Level.WARN, message="blocked for 12 s by robot 7, idle at its place")
    found = lines([idle(1), report], 60)
    assert report.message not in found[2]
    assert found[4:] == [f"robot 4: {report.message}"]
    assert len(lines([idle(1), report], 160)) == 4
    assert len(lines([idle(1), report], 60, rows=4)) == 4


@pytest.mark.parametrize("count", [1, 8, 20, 50])
def test_table_fits_into_the_rows_of_the_terminal(count: int) -> None:
    assert min(len(fleet(count)) + 2, 23) <= len(lines(fleet(count), 80, 23)) <= 23


def test_twenty_robots_fit_a_terminal_of_24_rows() -> None:
    found = lines(fleet(20), 80, 23)
    assert not found[-1].startswith("...")


def test_remaining_robots_are_counted() -> None:
    found = lines([*(idle(number) for number in range(1, 31)), lost(31)], 80, 22)
    assert found[2].split()[:3] == ["31", "◇", "lost"]
    assert found[-1] == "... and 12 more, all idle"


def test_worst_robots_come_first_and_equal_ones_in_order_of_their_ids() -> None:
    found = lines(fleet(8)[::-1], 80)
    assert [int(line.split()[0]) for line in found[2:]] == [3, 4, 6, 2, 5, 1, 7, 8]


def test_headline_counts_the_states() -> None:
    assert (
        lines(fleet(8), 120)[0]
        == "STOPPED · 8 robots: 2 driving, 3 idle, 1 stopped, 2 in trouble · domain 64 · 1 s old"
    )
    assert lines([idle(1)], 120)[0] == "1 robot: all idle · not stopped · domain 64 · 0 s old"


def test_narrow_headline_leaves_out_age_and_domain() -> None:
    assert lines(fleet(8), 66)[0] == "STOPPED · 8 robots: 2 driving, 3 idle, 1 stopped, 2 in trouble"


@pytest.mark.parametrize(
    ("width", "titles"),
    [
        (60, "robot state x y heading task done"),
        (80, "robot state x y heading task done battery ETA age"),
        (160, "robot state x y heading task done battery ETA age message host task id"),
    ],
)
def test_wider_terminals_have_more_columns(width: int, titles: str) -> None:
    reports = [driving(1, "go_to (0.90, 0.80)"), driving(2, level=Level.WARN, message="no progress for 7 s")]
    assert " ".join(lines(reports, width)[1].split()) == titles


def test_row_shows_what_a_robot_does() -> None:
    found = row(lines([driving(2, "go_to (0.90, 0.80)"), idle(1)], 80)[2:], 2)
    assert " ".join(found.split()) == "2 ● driving 2.60 1.35 178° go_to (0.90, 0.80) ━━━━━━────── 94% 12s 0s"


def test_last_goal_is_shown_where_there_is_no_room_for_all() -> None:
    assert TRANSPORT in row(lines(fleet(8), 160), 2)
    assert " transport > (1.90, 0.80) " in row(lines(fleet(8), 80), 2)


def test_message_of_a_robot_without_a_task_fills_the_rest_of_its_line() -> None:
    assert row(lines(fleet(8), 80), 3).endswith(HIDDEN)


def test_message_repeats_no_other_value() -> None:
    found = lines(fleet(8), 160)
    assert "battery low" not in row(found, 4)
    assert "no progress for 7 s" in row(found, 4)
    assert "resumed" not in row(found, 6)


def test_server_without_task_words_shows_task_id_and_message() -> None:
    found = row(lines([foreign(5)], 80), 5)
    assert "fetch-1" in found
    assert found.endswith("on its way")


def test_bar_has_the_colour_of_the_state() -> None:
    *_, line = fleet_lines([driving(4, level=Level.WARN, message="battery low: 18 %")], "64", 80)
    styles = {line.plain[span.start : span.end].strip(): span.style for span in line.spans}
    assert styles["▲ driving"] == f"bold {Tone.WARNING.terminal}"
    assert styles["━━━"] == Tone.WARNING.terminal


def test_silent_robot_is_in_trouble() -> None:
    silent = RobotReport(1, Level.OK, "idle", OURS, None, 12.0)
    assert (silent.word, silent.tone, silent.note) == ("silent", Tone.LOST, "no status for 12 s")


def test_nothing_is_cut_in_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    """Neither of the fleet nor of its hosts, however long words and reasons are."""
    report = driving(4, "transport " + "a place > " * 40 + "the last", Level.WARN, "a reason " * 40 + "with an end")
    for table in (FleetTable([report, idle(1)], "64"), hosts_table([report])):
        table_console().print(table)
        printed = capsys.readouterr().out
        assert "with an end" in printed
        assert "…" not in printed
        assert report.task in printed or "driver" in printed
