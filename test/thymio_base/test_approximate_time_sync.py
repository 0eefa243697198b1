"""The synchronizer chooses what a search of all combinations chooses, and what `message_filters` does where it is."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thymio_base.approximate_time_sync import ApproximateTimeSync

MS = 1_000_000
Arrival = tuple[int, int]  # topic, stamp [ms]


class AllCombinations:
    """The rule, applied to each combination of the stored messages: slow, and in no order of its own."""

    def __init__(self, topics: int, queue_size: int, slop_ns: int) -> None:
        self.stored: list[list[int]] = [[] for _ in range(topics)]  # stamps, in the order of their first arrival
        self.queue_size, self.slop_ns = queue_size, slop_ns

    def add(self, topic: int, stamp: int) -> tuple[int, ...] | None:
        own = self.stored[topic]
        if stamp not in own:
            own.append(stamp)
        for _ in range(len(own) - self.queue_size):
            own.remove(min(own))
        sets = [one for one in itertools.product(*self.stored) if one[topic] == stamp and self.fits(one)]
        if not sets:
            return None
        best = min(sets, key=lambda one: [self.rank(index, at, stamp) for index, at in enumerate(one)])
        for queue, at in zip(self.stored, best, strict=True):
            queue.remove(at)
        return best

    def fits(self, stamps: tuple[int, ...]) -> bool:
        return max(stamps) - min(stamps) < self.slop_ns

    def rank(self, topic: int, at: int, stamp: int) -> tuple[int, int]:
        return abs(at - stamp), self.stored[topic].index(at)


@given(
    st.integers(2, 4), st.integers(0, 4), st.integers(0, 30),
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 60)), max_size=40),
)  # fmt: skip
def test_sets_are_those_of_a_search_of_all_combinations(
    topics: int, queue_size: int, slop_ms: int, arrivals: list[Arrival]
) -> None:
    sync: ApproximateTimeSync[int] = ApproximateTimeSync(topics, queue_size, slop_ms * 1e-3)
    reference = AllCombinations(topics, queue_size, int(slop_ms * 1e-3 * 1e9))
    for topic, stamp in arrivals:
        assert sync.add(topic % topics, stamp * MS, stamp * MS) == reference.add(topic % topics, stamp * MS)


@pytest.mark.parametrize(
    ("slop_s", "queue_size", "arrivals", "sets"),
    [
        (0.010, 5, [(0, 0), (1, 9)], [(0, 9)]),
        (0.010, 5, [(0, 0), (1, 10)], []),  # the slop itself is too far
        (0.010, 5, [(0, 0), (0, 4), (0, 8), (1, 5)], [(4, 5)]),  # the nearest
        (0.010, 5, [(0, 2), (0, 0), (1, 1)], [(2, 1)]),  # of equally near ones the earlier to arrive
        (0.010, 2, [(0, 0), (0, 1), (0, 2), (1, 0)], [(1, 0)]),  # the oldest is dropped
        (0.010, 2, [(0, 5), (0, 6), (0, 1), (1, 1)], [(5, 1)]),  # also if it has just come
        (0.000, 5, [(0, 0), (1, 0)], []),
        (0.010, 5, [(0, 0), (1, 8), (2, 4)], [(0, 8, 4)]),
        (0.010, 5, [(0, 0), (1, 12), (2, 6)], []),  # each is near the new one, but not each other
    ],
)
def test_slop_and_queue_decide(slop_s: float, queue_size: int, arrivals: list[Arrival], sets: list[object]) -> None:
    topics = 1 + max(topic for topic, _ in arrivals)
    sync: ApproximateTimeSync[int] = ApproximateTimeSync(topics, queue_size, slop_s)
    found = [sync.add(topic, stamp * MS, stamp) for topic, stamp in arrivals]
    assert [one for one in found if one is not None] == sets


def test_stamps_that_never_fit_take_no_time() -> None:
    sync: ApproximateTimeSync[int] = ApproximateTimeSync(8, 100, 0.1)
    for number in range(25):
        for topic in range(7):
            assert sync.add(topic, number * 100 + (95 * MS if topic == 6 else -40 * MS * (topic < 3)), number) is None
