from fleet.geometry import Pose2D
from fleet.traffic.priorities import Priorities

GOAL, ELSEWHERE = Pose2D(1.0, 0.0, 0.0), Pose2D(2.0, 0.0, 0.0)


def priorities(numbers: dict[int, int]) -> Priorities:
    """Return the priorities of some robots."""
    found = Priorities()
    for robot_id, number in numbers.items():
        found.set(robot_id, number)
    return found


def test_robots_take_only_ways_of_lower_priority() -> None:
    some = priorities({1: 9, 2: 5, 3: 5})
    assert [some.may_take(*pair) for pair in [(1, 2), (2, 1), (2, 3)]] == [True, False, False]


def test_robots_without_a_priority_are_equal() -> None:
    assert not Priorities().may_take(1, 2)


def test_robot_takes_a_way_once_until_its_goal_changes() -> None:
    some = priorities({1: 9, 2: 5})
    some.note_goal(1, GOAL)
    some.note_taken(1, 2)
    some.note_goal(1, GOAL)
    assert not some.may_take(1, 2)
    some.note_goal(1, ELSEWHERE)
    assert some.may_take(1, 2)


def test_robots_of_equal_priority_stay_in_order() -> None:
    assert priorities({1: 5, 2: 5, 3: 9, 4: 0}).ordered([4, 2, 1, 3]) == [3, 2, 1, 4]
