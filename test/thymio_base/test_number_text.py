"""Sets of numbers in words."""

import pytest

from thymio_base.number_text import count_text, number_text, robots_text, which_are_text


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        ([], ""),
        ([3], "3"),
        ([2, 1], "1 and 2"),
        ([1, 2, 3], "1 to 3"),
        ([9, 1, 2, 3, 3], "1 to 3 and 9"),
        ([1, 2, 4, 10, 11, 12], "1, 2, 4 and 10 to 12"),
    ],
)
def test_numbers_are_described_in_ascending_order(numbers: list[int], expected: str) -> None:
    assert number_text(numbers) == expected


def test_one_robot_is_singular() -> None:
    assert robots_text({7}) == "robot 7"


def test_several_robots_are_plural() -> None:
    assert robots_text(range(1, 9)) == "robots 1 to 8"


@pytest.mark.parametrize(("numbers", "expected"), [([3], "node 3 is"), ([3, 1, 2], "nodes 1 to 3 are")])
def test_verb_agrees_with_the_number_of_things(numbers: list[int], expected: str) -> None:
    assert which_are_text("node", numbers) == expected


@pytest.mark.parametrize(("count", "expected"), [(0, "0 steps"), (1, "1 step"), (2, "2 steps")])
def test_noun_agrees_with_the_number_of_things(count: int, expected: str) -> None:
    assert count_text(count, "step") == expected
