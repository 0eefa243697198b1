"""Reports of the bring-up are written and read back, whatever they contain."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleet.bringup.bringup_report import BringupReport, compared, read_report, report_text
from fleet.bringup.cause import Cause
from fleet.bringup.stage_result import BringupStage, Measure, StageResult, StageVerdict, Symptom
from fleet.commands.bringup.bringup_page import page_text
from fleet.errors import BringupError

NUMBERS = st.floats(allow_nan=True, allow_infinity=True)
TEXTS = st.text(st.characters(codec="utf-8"), max_size=20)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-10, 10) | TEXTS, lambda inner: st.lists(inner, max_size=3), max_leaves=5
)
RESULTS = st.builds(
    StageResult,
    st.sampled_from(BringupStage),
    st.lists(st.builds(Measure, TEXTS, NUMBERS, TEXTS, NUMBERS, NUMBERS), max_size=3).map(tuple),
    st.lists(st.builds(Symptom, st.sampled_from(Cause), TEXTS, st.booleans()), max_size=3).map(tuple),
    st.dictionaries(TEXTS, st.lists(st.lists(NUMBERS, max_size=4), max_size=4), max_size=3),
    st.lists(TEXTS, max_size=2).map(tuple),
    st.booleans(),
    st.integers(1, 3),
)


def report(*results: StageResult) -> BringupReport:
    return BringupReport("ser:device=/dev/ttyACM0", "2026-11-28", {"firmware": "14"}, results)


@given(RESULTS)
def test_a_report_is_the_same_after_it_was_written_twice(result: StageResult) -> None:
    text = report_text(report(result))
    assert report_text(read_report("it", text)) == text


@given(RESULTS)
def test_a_page_is_made_of_any_report(result: StageResult) -> None:
    assert page_text(report(result)).startswith("<!DOCTYPE html>")


@given(JSON)
def test_what_is_not_a_report_is_refused_with_its_name(value: object) -> None:
    with pytest.raises(BringupError, match=r"it\.json"):
        read_report("it.json", json.dumps(value))


@pytest.mark.parametrize("text", ["", "{", "NaN", '{"format": 1}', '{"format": 2, "target": ""}'])
def test_broken_texts_are_refused(text: str) -> None:
    with pytest.raises(BringupError, match=r"it\.json"):
        read_report("it.json", text)


def test_a_value_that_is_not_a_number_is_null() -> None:
    result = StageResult(BringupStage.RADIO, (Measure("trip", math.nan, "s", 0.0, math.inf),))
    stage = json.loads(report_text(report(result)))["stages"][0]
    assert (stage["measures"][0]["value"], stage["measures"][0]["most"]) == (None, None)


def test_a_new_result_replaces_the_old_one_in_the_order_of_stages() -> None:
    first = StageResult(BringupStage.RADIO, symptoms=(Symptom(Cause.LOSS, ""),))
    both = report(first).with_result(StageResult(BringupStage.RADIO)).with_result(StageResult(BringupStage.WIRE))
    assert [result.stage for result in both.results] == [BringupStage.WIRE, BringupStage.RADIO]
    assert both.results[1].verdict is StageVerdict.PASSED


def test_a_skipped_stage_is_said_to_be_not_checked() -> None:
    skipped = StageResult(BringupStage.ODOMETRY, notes=("no <ruler>",), is_skipped=True)
    both = report(StageResult(BringupStage.RADIO)).with_result(skipped)
    assert both.not_checked == ("odometry (no <ruler>)",)
    assert "not checked: odometry (no &lt;ruler&gt;)" in page_text(both)


def test_two_reports_are_compared_by_stage_and_measure() -> None:
    trip = Measure("trip", 0.02, "s", 0.0, 1.0)
    first, second = report(StageResult(BringupStage.RADIO, (trip,))), report(StageResult(BringupStage.WIRE))
    assert list(compared(first, second)) == [
        ("wire", "verdict", "-", "passed"),
        ("radio", "verdict", "passed", "-"),
        ("radio", "trip", "0.02 s", "-"),
    ]
