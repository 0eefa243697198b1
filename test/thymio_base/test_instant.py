"""Clocks of the core: they never jump, whatever the ROS clock does."""

from hypothesis import given
from hypothesis import strategies as st

from thymio_base.instant import ForwardClock, Instant


def test_clock_equals_the_other_while_that_one_advances() -> None:
    clock = ForwardClock()
    assert [clock.follow(now_ns) for now_ns in (0, 5, 5, 9)] == [0, 5, 5, 9]


def test_clock_continues_from_its_latest_time_when_the_other_is_set_back() -> None:
    clock = ForwardClock()
    assert [clock.follow(now_ns) for now_ns in (100, 0, 10, 3, 4)] == [100, 100, 110, 110, 111]


@given(st.lists(st.integers(0, 10**18)))
def test_clock_never_goes_back(instants_ns: list[int]) -> None:
    clock = ForwardClock()
    followed = [clock.follow(now_ns) for now_ns in instants_ns]
    assert followed == sorted(followed)


def test_stamps_keep_their_age_when_the_clock_was_set_back() -> None:
    clock = ForwardClock()
    clock.follow(1_000)
    now = Instant(clock.follow(50), 50)
    assert now.core_ns - now.to_core(20) == 30
    assert now.to_ros(now.to_core(20)) == 20


def test_stamp_before_the_zero_of_the_ros_clock_is_its_zero() -> None:
    assert Instant(core_ns=100, ros_ns=30).to_ros(50) == 0
