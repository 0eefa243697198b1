"""The table of jobs fits any terminal, and shows first what needs somebody."""

from dataclasses import replace

import pytest
from rich.console import Console

from fleet.commands.fleet_table import table_console
from fleet.commands.jobs.queue_table import QueueTable
from fleet.dispatch.job_report import JobReport
from fleet.dispatch.records.job import JobState

JOB = JobReport(
    job_id="carry-1",
    words="transport press > packing",
    state=JobState.EXECUTING,
    robot_id=7,
    place=-1,
    priority=5,
    eta_s=12.4,
    progress=0.5,
    attempts=1,
    reason="",
    detail="",
    submitted_ns=0,
    ended_ns=0,
)
LATE = replace(
    JOB,
    job_id="a-job-with-a-very-long-name",
    state=JobState.ABORTED,
    reason="ATTEMPTS",
    detail="3 attempts failed: robot 1: NO_PROGRESS: no progress for 15 s; robot 2: BLOCKED",
    eta_s=-1.0,
)
HELD = replace(JOB, job_id="held", state=JobState.HELD, robot_id=0, eta_s=-1.0, detail="until it is released")


def lines_of(table: QueueTable, width: int) -> list[str]:
    console = Console(width=width, color_system=None)
    with console.capture() as captured:
        console.print(table)
    return captured.get().splitlines()


@pytest.mark.parametrize("width", [40, 80, 200])
def test_every_job_has_one_line_that_fits(width: int) -> None:
    lines = lines_of(QueueTable([JOB, LATE, HELD], [3], "the disk is full"), width)
    assert len(lines) == 2 + 3
    assert all(len(line.rstrip()) <= width for line in lines)


def test_held_jobs_come_first_and_ended_ones_last() -> None:
    lines = lines_of(QueueTable([JOB, LATE, HELD], [3]), 120)
    assert lines[0] == "1 held, 1 executing, 1 aborted · off duty: 3"
    assert [line.split()[0] for line in lines[2:]] == ["held", "carry-1", "a-job-with-a-very-l…"]
    assert "any" in lines[2]
    assert "━━━───" in lines[3]
    assert "12s" in lines[3]
    assert "ATTEMPTS" in lines[4]


def test_without_jobs_it_says_only_that() -> None:
    assert [line.rstrip() for line in lines_of(QueueTable([]), 80)] == ["no jobs"]


def test_nothing_is_cut_in_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    why = replace(JOB, state=JobState.HELD, reason="UNREACHABLE", detail="a reason " * 40 + "with an end")
    table_console().print(QueueTable([why]))
    assert capsys.readouterr().out.splitlines()[-1].rstrip().endswith("with an end")
