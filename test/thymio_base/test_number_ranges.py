import pytest

from thymio_base.number_ranges import ranges_text


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        ([], "none"),
        ([4], "4"),
        ([2, 1], "1 and 2"),
        ([3, 1, 2, 2], "1 to 3"),
        ([9, 1, 2, 3, 4, 7], "1 to 4, 7 and 9"),
        ([1, 2, 4, 5], "1, 2, 4 and 5"),
    ],
)
def test_numbers_are_listed_with_their_ranges(numbers: list[int], text: str) -> None:
    assert ranges_text(numbers) == text
