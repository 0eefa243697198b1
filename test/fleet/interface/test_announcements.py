"""Whatever another program announces as a driver: ours goes on, and can be stopped and resumed."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from thymio_fleet_interfaces.msg import Driver

from fleet.hosts.claims import Announcement, Claims, DriverId
from fleet.hosts.stop_state import StopState
from fleet.interface.announcements import announcement_from_ros, announcement_to_ros

OURS = DriverId("lab", "/multi_thymio_driver", "ours")
SECOND = 1_000_000_000
tokens = st.sampled_from(["ours", "other", "", "x" * 5000]) | st.text(max_size=3)
counts = st.sampled_from([0, 1, 2**31, 2**32 - 1]) | st.integers(0, 2**32 - 1)
instants = st.sampled_from([0, 1, -(2**63), 2**63 - 1]) | st.integers(-(2**63), 2**63 - 1)
messages = st.builds(
    Driver,
    host=st.text(max_size=5) | st.just("h" * 9000),
    node=st.text(max_size=5),
    token=tokens,
    begun_ns=instants,
    serves=st.lists(counts, max_size=4),
    since_ns=st.lists(instants, max_size=4),
    waits_for=st.lists(counts, max_size=4),
    knows=st.lists(tokens, max_size=4),
    stoppers=st.lists(tokens, max_size=4),
    stops=st.lists(counts, max_size=4),
    resumed=st.lists(counts, max_size=4),
    tasks=st.lists(tokens, max_size=4),
)


def claims() -> Claims:
    return Claims(OURS, [1, 2], 10 * SECOND, listen_s=1.0, silent_s=5.0)


@given(st.lists(messages, max_size=6))
def test_any_announcements_leave_one_that_can_be_published(received: list[Any]) -> None:
    subject = claims()
    for index, message in enumerate(received):
        subject.receive(announcement_from_ros(message))
        subject.advance(index * SECOND, index * SECOND)
    subject.stop()
    assert subject.stop_state.is_stopped
    announcement_to_ros(subject.announcement)
    subject.resume()
    assert not subject.stop_state.is_stopped
    announcement_to_ros(subject.announcement)
    assert all(len(str(other.driver)) < 1000 and other.driver.token for other in subject.others)


def test_announcement_is_the_same_after_its_way_through_ros() -> None:
    stops = StopState({"ours": 3, "other": 1}, {"ours": 2, "other": 1})
    announcement = Announcement(OURS, 5, {1: 7, 2: 9}, (3,), stops, ("other",), "", ("a", "b"))
    assert announcement_from_ros(announcement_to_ros(announcement)) == announcement


def test_of_a_token_that_is_there_twice_the_higher_count_holds() -> None:
    message = Driver(token="a", stoppers=["b", "b"], stops=[2, 1], resumed=[0, 1])
    assert announcement_from_ros(message).stop_state == StopState({"b": 2}, {"b": 1})


def test_robots_beyond_a_thousand_are_left_out() -> None:
    ids = list(range(1, 3001))
    announcement = announcement_from_ros(Driver(token="t", serves=ids, since_ns=ids, waits_for=ids))
    assert (len(announcement.serves), len(announcement.waits_for)) == (1000, 1000)
