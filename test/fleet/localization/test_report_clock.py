from itertools import accumulate

from hypothesis import given
from hypothesis import strategies as st

from fleet.localization.report_clock import ReportClock

MS = 1_000_000
PERIOD_NS = 50 * MS


def test_punctual_reports_were_read_on_arrival() -> None:
    clock = ReportClock()
    assert [clock.read_ns(0.05, k * PERIOD_NS) for k in range(5)] == [k * PERIOD_NS for k in range(5)]


def test_reports_that_arrive_together_were_read_a_period_apart() -> None:
    clock = ReportClock()
    clock.read_ns(0.02, 0)
    assert [clock.read_ns(0.02, 60 * MS) for _ in range(3)] == [20_800_000, 41_600_000, 60 * MS]


@given(st.lists(st.integers(0, 40 * MS), min_size=2, max_size=60))
def test_readings_are_ordered_and_never_later_than_their_reports(delays_ns: list[int]) -> None:
    clock = ReportClock()
    stamps_ns = list(accumulate((k * PERIOD_NS + delay_ns for k, delay_ns in enumerate(delays_ns)), max))
    read_ns = [clock.read_ns(0.05, stamp_ns) for stamp_ns in stamps_ns]
    assert all(read <= stamp for read, stamp in zip(read_ns, stamps_ns, strict=True))
    assert read_ns == sorted(read_ns)


def test_polling_delay_is_removed() -> None:
    clock = ReportClock()
    delays_ns = [(17 * k % 50) * MS for k in range(200)]
    errors_ns = [clock.read_ns(0.05, k * PERIOD_NS + delay_ns) - k * PERIOD_NS for k, delay_ns in enumerate(delays_ns)]
    assert max(errors_ns[100:]) - min(errors_ns[100:]) < 20 * MS


def test_the_motor_period_of_a_real_robot_does_not_let_readings_fall_behind() -> None:
    clock = ReportClock()
    assert [clock.read_ns(0.05, 51_200_000 * k) for k in range(200)] == [51_200_000 * k for k in range(200)]


def test_slow_clock_lags_by_a_tenth_of_a_second_at_most() -> None:
    clock = ReportClock()
    assert clock.read_ns(0.05, 0) == 0
    assert [clock.read_ns(0.02, k * PERIOD_NS) >= (k - 2) * PERIOD_NS for k in range(1, 100)] == [True] * 99


def test_clock_of_a_restarted_robot_is_reset() -> None:
    clock = ReportClock()
    clock.read_ns(0.05, 0)
    clock.restart()
    assert clock.read_ns(0.05, 500 * MS) == 500 * MS
