"""The synchronizer chooses what that of `message_filters` does, where a ROS installation has it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from std_msgs.msg import Header

from thymio_base.approximate_time_sync import ApproximateTimeSync

MS = 1_000_000
filters = pytest.importorskip("message_filters")


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 40)), max_size=30))
def test_sets_are_those_of_message_filters(arrivals: list[tuple[int, int]]) -> None:
    sources = [filters.SimpleFilter() for _ in range(3)]
    found: list[tuple[int, ...]] = []
    original = filters.ApproximateTimeSynchronizer(sources, 4, 0.012)
    original.registerCallback(lambda *messages: found.append(tuple(one.header.stamp.nanosec for one in messages)))
    sync: ApproximateTimeSync[int] = ApproximateTimeSync(3, 4, 0.012)
    own = [sync.add(topic, stamp * MS, stamp * MS) for topic, stamp in arrivals]
    for topic, stamp in arrivals:
        message = Header()
        message.stamp.nanosec = stamp * MS
        sources[topic].signalMessage(type("Stamped", (), {"header": message})())
    assert found == [one for one in own if one is not None]
