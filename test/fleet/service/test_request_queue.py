"""Goals that wait for a decision: in order for each robot, robots in turn, and a limited number at a time."""

from collections.abc import Callable

import pytest

from fleet.service.request_queue import RequestQueue


def served(queue: RequestQueue, decided: list[str]) -> list[str]:
    while queue.serve():
        pass
    return decided


def filled(*names: str, limit: int = 10, quota: int = 10) -> tuple[RequestQueue, list[str], list[bool]]:
    """Return a queue of requests ("1a" is one of robot 1), those decided so far, and whether each was queued."""
    queue, decided = RequestQueue(limit, quota), list[str]()
    queued = [queue.put(int(name[0]), lambda name=name: decided.append(name)) for name in names]
    return queue, decided, queued


def test_requests_of_a_robot_are_decided_in_order() -> None:
    queue, decided, _ = filled("1a", "1b", "1c")
    assert served(queue, decided) == ["1a", "1b", "1c"]


def test_robots_take_turns() -> None:
    queue, decided, _ = filled("1a", "1b", "1c", "2a", "3a", "2b")
    assert served(queue, decided) == ["1a", "2a", "3a", "1b", "2b", "1c"]


def test_excess_requests_of_one_robot_are_refused_without_affecting_others() -> None:
    queue, decided, queued = filled("1a", "1b", "1c", "2a", limit=2)
    assert queued == [True, True, False, True]
    assert served(queue, decided) == ["1a", "2a", "1b"]


def test_request_arriving_during_a_decision_waits_its_turn() -> None:
    queue, decided, _ = filled("2a")
    queue.put(1, lambda: queue.put(1, lambda: decided.append("1b")) and decided.append("1a"))
    assert served(queue, decided) == ["2a", "1a", "1b"]


def test_robot_does_not_exceed_its_quota_until_it_is_renewed() -> None:
    queue, decided, _ = filled("1a", "1b", "1c", "2a", quota=2)
    assert served(queue, decided) == ["1a", "2a", "1b"]
    queue.refill()
    assert served(queue, decided) == ["1a", "2a", "1b", "1c"]


def test_request_of_a_robot_without_quota_waits_for_the_next_quota() -> None:
    queue, decided, _ = filled("1a", quota=1)
    served(queue, decided)
    queue.put(1, lambda: decided.append("1b"))
    assert served(queue, decided) == ["1a"]
    queue.refill()
    assert served(queue, decided) == ["1a", "1b"]


def test_empty_queue_serves_nothing() -> None:
    queue = RequestQueue(1, 1)
    assert (queue.serve(), len(queue)) == (False, 0)


def in_parts(name: str, count: int, decided: list[str]) -> Callable[[], bool]:
    """Return a request that is decided in `count` parts."""
    left = list(range(count))

    def decide() -> bool:
        decided.append(f"{name}{left.pop(0)}")
        return bool(left)

    return decide


def test_request_in_parts_is_decided_before_later_requests_of_its_robot() -> None:
    queue, decided = RequestQueue(10, 10), list[str]()
    queue.put(1, in_parts("a", 3, decided))
    queue.put(1, in_parts("b", 1, decided))
    queue.put(2, in_parts("c", 2, decided))
    assert served(queue, decided) == ["a0", "c0", "a1", "c1", "a2", "b0"]


def test_parts_of_a_request_count_for_the_quota() -> None:
    queue, decided = RequestQueue(10, 2), list[str]()
    queue.put(1, in_parts("a", 3, decided))
    assert served(queue, decided) == ["a0", "a1"]
    queue.refill()
    assert served(queue, decided) == ["a0", "a1", "a2"]
    assert len(queue) == 0


def test_request_whose_part_raises_is_gone_and_the_next_one_is_served() -> None:
    queue, decided = RequestQueue(10, 10), list[str]()
    queue.put(1, lambda: 1 / 0)
    queue.put(1, in_parts("b", 1, decided))
    with pytest.raises(ZeroDivisionError):
        queue.serve()
    assert served(queue, decided) == ["b0"]
