"""The benchmark prints each row when it is measured, and its runs are the same wherever they run."""

from collections.abc import Iterator
from functools import partial

import pytest

from bench.body.body_row import BodyRow, print_body_rows
from bench.body.field_goals import goal_in_the_middle
from bench.body.joint_goals import CASES, body_of
from bench.body.random_reachers import violations
from experiments.workers import parallel_map


@pytest.mark.parametrize("as_json", [True, False])
def test_row_is_printed_before_the_next_is_measured(capsys: pytest.CaptureFixture[str], *, as_json: bool) -> None:
    def rows() -> Iterator[BodyRow]:
        yield BodyRow("goals", ">= 60 %", "71 %")
        assert "71 %" in capsys.readouterr().out
        yield BodyRow("reads", "0", "0")

    print_body_rows(rows(), as_json=as_json)
    assert "reads" in capsys.readouterr().out


@pytest.mark.slow
def test_runs_in_other_processes_are_the_same() -> None:
    numbers = range(2)
    alone = [goal_in_the_middle(number) for number in numbers]
    assert parallel_map(goal_in_the_middle, numbers, 2) == alone
    assert alone[0] != alone[1]
    assert parallel_map(partial(violations, 0.1), [(7, number) for number in numbers], 2) == [0, 0]


def test_joints_of_the_benchmark_are_one_body_without_warnings() -> None:
    layout = body_of(*CASES)
    assert layout.are_sliding.tolist() == [one.kind == "prismatic" for one in CASES]
    assert layout.robot.warnings == ()
