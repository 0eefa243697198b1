"""The summary of an experiment: over all runs, in words, and as tables of a width that fits terminals."""

import io
from dataclasses import replace

import pytest
from rich.console import Console

from experiments.markdown_table import markdown_table
from experiments.scenarios.summaries.failure_words import failure_words
from experiments.scenarios.summaries.run_progress import RunProgress
from experiments.scenarios.summaries.run_result import RobotResult, RunResult, TaskResult
from experiments.scenarios.summaries.summary import summary
from experiments.scenarios.summaries.summary_tables import markdown_page, terminal_tables
from fleet.reason import Reason

GOOD = TaskResult(
    task="second home",
    robot=1,
    kind="follow_path",
    state="SUCCEEDED",
    reason="",
    start_s=0.0,
    end_s=1000.0,
    duration_s=1000.0,
    driven_m=1.0,
    max_mm=123.4,
    rms_mm=123.4,
    seen_max_mm=1.0,
    seen_rms_mm=1.0,
    off_mm=123.4,
    off_deg=179.9,
    contacts=0,
    least_gap_mm=20.0,
)
LOST = replace(GOOD, state="ABORTED", reason="POSE_LOST", contacts=2, least_gap_mm=0.0)
ROBOT = RobotResult(1, 1.0, 0.0, 0.0, 0.0, None, None, contacts=0, least_gap_mm=20.0)
RUNS = [
    RunResult(10.0, [GOOD], [ROBOT], 0, 20.0),
    RunResult(10.0, [LOST], [replace(ROBOT, contacts=2, least_gap_mm=0.0)], 1, 0.0),
]


def printed(width: int) -> list[str]:
    console = Console(file=io.StringIO(), width=width)
    console.print(terminal_tables(summary(RUNS)))
    output = console.file
    assert isinstance(output, io.StringIO)
    return output.getvalue().splitlines()


def lines_of(count: int, *updates: tuple[int, float]) -> list[str]:
    """Return what is printed about the progress of some runs where there is no terminal."""
    output = io.StringIO()
    with RunProgress(count, Console(file=output)) as progress:
        for index, share in updates:
            progress.update(index, share)
    return output.getvalue().splitlines()


def test_summary_adds_contacts_and_takes_the_least_gap() -> None:
    found = summary(RUNS)
    assert (found.runs, found.contacts, found.least_gap_mm) == (2, 1, 0.0)
    assert [(robot.contacts, robot.least_gap_mm) for robot in found.robots] == [(2, 0.0)]
    assert [(task.contacts, task.least_gap_mm, task.succeeded) for task in found.tasks] == [(2, 0.0, 1)]


def test_summary_counts_failures_in_words() -> None:
    assert summary(RUNS).tasks[0].failures == {"ABORTED: the robot's pose was unknown (POSE_LOST)": 1}


def test_summary_gives_the_numbers_of_failures() -> None:
    lost, later = (RunResult(1.0, [replace(LOST, detail=text)], [ROBOT], 0, 1.0) for text in ("for 2.1 s", "for 3 s"))
    words = "ABORTED: the robot's pose was unknown (POSE_LOST)"
    assert summary([lost, lost]).tasks[0].failures == {f"{words}: for 2.1 s": 2}
    assert summary([lost, later]).tasks[0].failures == {f"{words}, such as: for 2.1 s": 2}


@pytest.mark.parametrize("reason", list(Reason))
def test_every_reason_has_words(reason: Reason) -> None:
    words = failure_words("ABORTED", reason.value)
    assert words.endswith(f" ({reason.value})")


@pytest.mark.parametrize("state", ["WAITING", "EXECUTING", "executing", "canceling", "CANCELED"])
def test_every_state_without_a_reason_has_words(state: str) -> None:
    assert failure_words(state, "").startswith("it ")


def test_tables_fit_eighty_columns() -> None:
    lines = printed(80)
    assert max(map(len, lines)) <= 80
    assert any(line.startswith("second home") for line in lines)


def test_headings_of_a_column_are_unique() -> None:
    first, second = printed(80)[:2]
    pairs = list(zip(first.split()[3::2], first.split()[4::2], second.split(), strict=True))
    assert len(set(pairs)) == len(pairs) == 7


def test_failures_are_listed_below_the_tables() -> None:
    assert printed(200)[-1] == "second home (robot 1) in 1 of 2 runs: ABORTED: the robot's pose was unknown (POSE_LOST)"


def test_page_has_the_same_tables_in_markdown() -> None:
    page = markdown_page("A test", summary(RUNS))
    assert page.startswith("# A test\n\n| task | robot | kind | ok | time s mean |")
    assert "| all | 1 | 0.0 |" in page


def test_bars_in_a_cell_do_not_end_it() -> None:
    assert markdown_table(["task"], [["a|b"]]).splitlines()[-1] == r"| a\|b |"


def test_progress_is_a_line_for_every_quarter_without_a_terminal() -> None:
    lines = lines_of(2, (0, 0.1), (0, 0.6), (1, 0.1), (0, 1.0), (1, 0.9), (1, 1.0))
    assert lines == [
        "25 % of the time: 0 of 2 runs done",
        "50 % of the time: 1 of 2 runs done",
        "75 % of the time: 1 of 2 runs done",
        "100 % of the time: 2 of 2 runs done",
    ]


def test_progress_of_a_single_run_is_its_own() -> None:
    assert lines_of(1, (0, 0.3), (0, 1.0)) == ["25 % of the time: running", "100 % of the time: the run is over"]
