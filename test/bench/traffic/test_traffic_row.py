"""Rows of the traffic benchmark, from runs whose figures are known."""

import numpy as np
import pytest

from bench.traffic.catalogue import SCENARIOS, scenarios
from bench.traffic.run_figures import RunFigures
from bench.traffic.traffic_row import TrafficRow, traffic_row

SWAP, _, STREAM, *_ = SCENARIOS


def figures(durations_s: list[float], alone_s: list[float], least_gap_m: float, failures: list[str]) -> RunFigures:
    return RunFigures(
        contacts=1,
        asked=len(durations_s) + len(failures),
        durations_s=durations_s,
        alone_s=alone_s,
        last_end_s=max(durations_s, default=0.0),
        least_gap_m=least_gap_m,
        ticks_ms=[1.0] * 99 + [50.0],
        held=2,
        pushes=0,
        off_path_mm=None,
        failures=failures,
        tracks=np.zeros((1, 2, 2)),
    )


@pytest.fixture
def row() -> TrafficRow:
    first = figures([12.0, 20.0], [10.0, 10.0], 0.2, [])
    second = figures([30.0], [20.0], 0.19, ["2 of robot 2: not ended"])
    return traffic_row(SWAP, "traffic", [(7, first), (8, second)])


def test_row_counts_contacts_and_arrivals_of_all_runs(row: TrafficRow) -> None:
    assert (row.robots, row.seeds, row.contacts, row.held) == (2, 2, 2, 4)
    assert (row.asked, row.arrived) == (4, 3)


def test_sum_ratio_is_that_of_the_sums(row: TrafficRow) -> None:
    assert row.sum_ratio == pytest.approx(62.0 / 40.0)


def test_makespan_ratio_is_that_of_the_worst_run(row: TrafficRow) -> None:
    assert row.makespan_ratio == pytest.approx(2.0)


def test_least_gap_is_that_of_all_runs(row: TrafficRow) -> None:
    assert row.least_gap_mm == pytest.approx(190.0)


def test_longest_tick_is_not_that_of_99_percent(row: TrafficRow) -> None:
    assert row.cpu_ms_per_tick_max == pytest.approx(50.0)
    assert row.cpu_ms_per_tick_p99 < 50.0


def test_failures_name_their_seed(row: TrafficRow) -> None:
    assert row.failures == ("seed 8: 2 of robot 2: not ended",)


def test_random_goals_have_no_makespan_ratio() -> None:
    assert traffic_row(STREAM, "none", [(1, figures([12.0], [10.0], 0.2, []))]).makespan_ratio is None


def test_row_without_arrivals_has_no_ratios() -> None:
    row = traffic_row(SWAP, "none", [(1, figures([], [], 0.2, ["1 of robot 1: not ended"]))])
    assert (row.sum_ratio, row.p95_ratio, row.makespan_ratio) == (None, None, None)


def test_names_select_all_scenarios_that_start_like_them() -> None:
    assert [scenario.name for scenario in scenarios(["dead"])] == ["dead1", "dead3", "dead5"]


def test_minutes_lengthen_only_scenarios_that_go_on_for_ever() -> None:
    assert [scenario.duration_s for scenario in scenarios(["circle3", "random"], 10.0)] == [0.0, 600.0]


def test_unknown_scenario_is_refused_with_the_names_of_all() -> None:
    with pytest.raises(ValueError, match="no scenario 'circus'; there are circle3, circle2"):
        scenarios(["circus"])
