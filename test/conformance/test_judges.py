"""Judges and recordings without a server."""

import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.cases.all_cases import CASES
from conformance.cases.case import judged
from conformance.play.plan import RunProfile
from conformance.record.finding import CaseVerdict, Obligation, Outcome, unmet, verdict_of
from conformance.record.run_record import (
    ObservationKind,
    ServerRecording,
    load_recording,
    read_recording,
    recording_lines,
    write_recording,
)
from conformance.record.window import Window
from conformance.run.set_up import read_set_up
from thymio_base.errors import SettingsError, TextError

SETUP = read_set_up(None, "/factory/robot_1", RunProfile.CORE)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)


def recording(*events: tuple[float, ObservationKind, str, dict[str, Any]]) -> ServerRecording:
    found = ServerRecording({"setup": SETUP})
    for at_s, kind, name, body in events:
        found.add(at_s, kind, name, body)
    return found


@given(st.lists(st.tuples(st.floats(0, 1e5), st.sampled_from(ObservationKind), TEXTS, st.dictionaries(TEXTS, VALUES))))
def test_a_recording_is_read_as_it_was_written(
    events: list[tuple[float, ObservationKind, str, dict[str, Any]]],
) -> None:
    written = recording(*events)
    read = read_recording(recording_lines(written), "file")
    assert [one.body for one in read.events] == [one.body for one in written.events]
    assert [(one.kind, one.name) for one in read.events] == [(one.kind, one.name) for one in written.events]


@settings(max_examples=20)
@given(
    st.lists(
        st.tuples(
            st.floats(0, 20),
            st.sampled_from(ObservationKind),
            st.sampled_from(["pose", "status", "x"]),
            st.dictionaries(TEXTS, VALUES),
        )
    )
)
def test_whatever_a_server_sends_every_case_gets_a_verdict(
    events: list[tuple[float, ObservationKind, str, dict[str, Any]]],
) -> None:
    for case in CASES.values():
        found = recording((0.0, ObservationKind.SCENARIO, case.scenario, {}), *events)
        assert judged(case, found, SETUP).case is case


def test_nothing_observed_is_never_a_pass_of_a_must_case_about_messages() -> None:
    silent = [case for case in CASES.values() if case.level is Obligation.MUST and case.scenario != "graph"]
    found = [judged(case, recording((0.0, ObservationKind.SCENARIO, case.scenario, {})), SETUP) for case in silent]
    assert CaseVerdict.PASS not in {one.verdict for one in found}
    assert CaseVerdict.ERROR not in {one.verdict for one in found}


@pytest.mark.parametrize(
    ("load", "outcome"),
    [
        ({}, Outcome.UNMET),
        ({"pause_s": 0.4}, Outcome.UNCLEAR),
        ({"idle": 0.02}, Outcome.UNCLEAR),
        ({"pressure": 0.05}, Outcome.UNMET),
        ({"pressure": 0.3}, Outcome.UNCLEAR),
    ],
)
def test_lateness_on_a_busy_machine_is_inconclusive(load: dict[str, float], outcome: Outcome) -> None:
    load = {"pause_s": 0.0, "idle": 0.9, "over_s": 0.3, **load}
    window = Window(recording((5.0, ObservationKind.LOAD, "machine", load)).events, SETUP)
    assert window.within(0.5, 0.1, "the answer", 4.8).outcome is outcome
    assert window.within(0.05, 0.1, "the answer", 4.8).outcome is Outcome.MET


def test_a_pause_at_another_time_excuses_nothing() -> None:
    load = {"pause_s": 0.4, "idle": 0.0, "over_s": 0.3}
    window = Window(recording((50.0, ObservationKind.LOAD, "machine", load)).events, SETUP)
    assert window.unless_busy(unmet("a", "b"), 1.0, 2.0).outcome is Outcome.UNMET


def test_should_is_a_failure_in_strict_runs_alone() -> None:
    assert verdict_of(Obligation.SHOULD, Outcome.UNMET, is_strict=False) is CaseVerdict.NON_STRICT
    assert verdict_of(Obligation.SHOULD, Outcome.UNMET, is_strict=True) is CaseVerdict.FAIL
    assert verdict_of(Obligation.MUST, Outcome.UNMET, is_strict=False) is CaseVerdict.FAIL
    assert verdict_of(Obligation.INFO, Outcome.UNMET, is_strict=True) is CaseVerdict.INFO


def test_a_file_keeps_texts_with_rare_ends_of_lines(tmp_path: Path) -> None:
    text = "a\u2028b\x85c\x1cd\re\n"
    written = recording((1.0, ObservationKind.NOTE, text, {"text": text}))
    write_recording(tmp_path / "run.jsonl", written)
    assert load_recording(tmp_path / "run.jsonl").events == written.events


def test_numbers_that_are_not_finite_survive_as_texts() -> None:
    found = recording((0.0, ObservationKind.MESSAGE, "pose", {"x": math.nan, "y": [math.inf]}))
    assert found.events[0].body == {"x": "nan", "y": ["inf"]}


@pytest.mark.parametrize(
    "lines", [[], ["{}"], ["no json"], ['{"format": "thymio-fleet conformance recording 1"}', "{}"]]
)
def test_file_that_is_not_a_recording_is_refused_in_words(lines: list[str]) -> None:
    with pytest.raises(TextError, match=r"run\.jsonl"):
        read_recording(lines, "run.jsonl")


def test_a_set_up_with_unknown_hooks_and_cases_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "setup.yaml"
    file.write_text("hooks: {explode: 'true'}\nunsupported: [Z9]\n")
    with pytest.raises(SettingsError, match=r"(?s)explode is not a hook.*'Z9' is neither"):
        read_set_up(file, "/factory/robot_1", RunProfile.CORE)
