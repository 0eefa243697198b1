"""The last half hour is kept, compressed, and comes back as it was."""

import json
from random import Random

import pytest

from fleet.dashboard.model.history import LENGTH_S, PERIOD_S, History, PackedLog, SeriesLog, StateHistory
from fleet.dashboard.model.published_state import PublishedState, Section


def test_records_come_back_as_they_were() -> None:
    random, log = Random(1), PackedLog()
    records = [(0.1 * number, random.randbytes(random.randrange(300))) for number in range(1_000)]
    for time_s, record in records:
        log.add(time_s, record)
    assert list(log.between(0.0, 1e6)) == records
    assert list(log.between(33.33, 66.66)) == [one for one in records if 33.33 <= one[0] <= 66.66]
    assert not list(log.between(100.5, 200.0))


def test_records_older_than_half_an_hour_are_forgotten() -> None:
    log = PackedLog()
    for second in range(10_000):
        log.add(float(second), b"record")
    kept = [time_s for time_s, _ in log.between(0.0, 1e6)]
    assert kept == [float(second) for second in range(10_000 - len(kept), 10_000)]
    assert LENGTH_S <= len(kept) < LENGTH_S + 100


def test_frames_of_a_time_are_at_least_a_step_apart() -> None:
    history = History()
    for number in range(200):
        assert history.is_due(PERIOD_S * number)
        history.record(PERIOD_S * number, b"%3d " % number)
    assert not history.is_due(PERIOD_S * 199.5)
    assert list(history.between(10.0, 20.0, 5.0)) == [b" 20 ", b" 30 ", b" 40 "]


def test_records_are_added_while_others_are_read() -> None:
    log = PackedLog()
    for second in range(2_000):
        log.add(float(second), b"%d" % second)
    reading = log.between(1_000.0, 1e6)
    first = next(reading)
    for second in range(2_000, 4_000):
        log.add(float(second), b"%d" % second)
    assert [first, *reading][:1_000] == [(float(second), b"%d" % second) for second in range(1_000, 2_000)]


@pytest.mark.parametrize("from_s", [0, 59, 60, 61, 119, 180, 250])
def test_state_of_an_instant_is_that_of_the_latest_whole_record_and_the_changes_after_it(from_s: int) -> None:
    state = PublishedState()
    history = StateHistory(state)
    for second in range(301):
        state.put(Section.ROBOTS, "1", {"second": second, "name": "one"})
        history.advance(float(second))
    first, *later = (json.loads(record) for record in history.between(float(from_s), float(from_s)))
    assert (first["reset"], first["time_s"], first["robots"]["1"]["name"]) == (True, from_s // 60 * 60.0, "one")
    assert not any(record["reset"] for record in later)
    assert [first, *later][-1]["robots"]["1"]["second"] == from_s


def test_numbers_since_an_instant_are_returned() -> None:
    series = SeriesLog()
    assert series.between(1, 0.0, 1e6) is None
    for second in range(5):
        series.record(1, float(second), {"battery_pct": 50.0 + second, "cross_track_mm": None})
    found = series.between(1, 3.0, 1e6)
    assert found == {
        "robot": 1,
        "time_s": [3.0, 4.0],
        "cross_track_mm": [None, None],
        "battery_pct": [pytest.approx(53.0), pytest.approx(54.0)],
        "pose_age_ms": [None, None],
    }
    series.forget(1)
    assert series.between(1, 0.0, 1e6) is None


def test_numbers_are_kept_for_half_an_hour() -> None:
    series = SeriesLog()
    for second in range(4_000):
        series.record(1, float(second), {"battery_pct": second / 100.0})
    found = series.between(1, 0.0, 1e6) or {}
    assert found["time_s"] == [float(second) for second in range(2_200, 4_000)]
    assert found["battery_pct"] == pytest.approx([second / 100.0 for second in range(2_200, 4_000)])
    assert (series.between(1, 3_998.5, 1e6) or {})["time_s"] == [3_999.0]
