"""Laws and gains that change while robots drive."""

import math
from dataclasses import replace

import pytest

from fleet.control.tracker_config import LawName
from fleet.errors import ConfigError
from fleet.settings.tracker_settings import changed_tracker, tracker_values
from harness.law_defaults import TRACKER


def problems(law: str, *changes: tuple[str, float]) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        changed_tracker(TRACKER, law, changes)
    return str(caught.value).splitlines()


def test_empty_change_changes_nothing() -> None:
    assert changed_tracker(TRACKER, "", ()) == TRACKER


def test_a_law_is_chosen_by_its_name() -> None:
    assert changed_tracker(TRACKER, "kanayama", ()) == replace(TRACKER, law=LawName.KANAYAMA)


def test_gain_without_a_law_belongs_to_the_law_in_force_after_the_change() -> None:
    changed = changed_tracker(TRACKER, "kanayama", [("kx_per_s", 2.0)])
    assert changed.kanayama == replace(TRACKER.kanayama, kx_per_s=2.0)


def test_a_gain_with_a_law_can_be_changed_before_the_law_is_chosen() -> None:
    changed = changed_tracker(TRACKER, "", [("pure_pursuit.lookahead_m", 0.06), ("replan_error_m", 0.2)])
    assert (changed.law, changed.pure_pursuit.lookahead_m, changed.replan_error_m) == (TRACKER.law, 0.06, 0.2)


@pytest.mark.parametrize("name", list(tracker_values(TRACKER)))
def test_every_reported_value_can_be_set_again(name: str) -> None:
    value = tracker_values(TRACKER)[name]
    assert changed_tracker(TRACKER, "", [(name, value)]) == TRACKER


@pytest.mark.parametrize(
    ("law", "changes", "expected"),
    [
        ("lqrr", [("cross_m", 0.01)], ["tracker: law: 'lqrr' is unknown, did you mean 'lqr'?"]),
        ("", [("cros_m", 0.01)], ["tracker: lqr.cros_m: unknown key, did you mean 'cross_m'?"]),
        ("", [("lqe.cross_m", 0.01)], ["tracker: lqe: unknown key, did you mean 'lqr'?"]),
        ("", [("cross_m", 7.0)], ["tracker: lqr.cross_m: 7.0 is greater than the maximum of 0.1"]),
        ("", [("cross_m", math.nan)], ["tracker: lqr.cross_m: nan is not a finite number"]),
        ("", [("cross_m", 0.01), ("lqr.cross_m", 0.02)], ["tracker: lqr.cross_m: given twice"]),
        ("", [("replan_error_m", 9.0)], ["tracker: replan_error_m: 9.0 is greater than the maximum of 1"]),
        ("", [("replan_error_m.x", 1.0)], ["tracker: replan_error_m: {'x': 1.0} is not of type 'number'"]),
    ],
)
def test_invalid_settings_are_named(law: str, changes: list[tuple[str, float]], expected: list[str]) -> None:
    assert problems(law, *changes) == expected


def test_all_problems_are_reported_together() -> None:
    assert len(problems("", ("cross_m", 7.0), ("along_m", -1.0))) == 2
