"""Values of command-line arguments, and what is said about wrong ones."""

import argparse
import math
from collections.abc import Callable

import pytest

from thymio_base.argument_types import (
    angle_rad,
    count,
    identifier,
    metres,
    port,
    positive_metres,
    positive_mps,
    positive_seconds,
    seconds,
)


@pytest.mark.parametrize(
    ("read", "text", "expected"),
    [
        (metres, "-0.5", -0.5),
        (positive_metres, "0.4", 0.4),
        (positive_mps, "1e-2", 0.01),
        (angle_rad, "1.5", 1.5),
        (angle_rad, "-90deg", -math.pi / 2),
        (angle_rad, "90°", math.pi / 2),
        (angle_rad, "6.28", 6.28),
        (angle_rad, "-360deg", -math.tau),
        (identifier, "12", 12),
        (count, "4294967295", 4294967295),
    ],
)
def test_valid_text_is_read(read: Callable[[str], float], text: str, expected: float) -> None:
    assert read(text) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("read", "text", "expected"),
    [
        (metres, "abc", "must be a number in metres, within 1000, got 'abc'"),
        (metres, "inf", "must be a number in metres, within 1000, got 'inf'"),
        (positive_metres, "0", "must be a number in metres, 0.001 to 1000, got '0'"),
        (positive_mps, "nan", "must be a number in m/s, 0.001 to 10, got 'nan'"),
        (metres, "1_0", "must be a number in metres, within 1000, got '1_0': write 10, without underscores"),
        (metres, "1e308", "must be a number in metres, within 1000, got '1e308'"),
        (metres, "٣", "must be a number in metres, within 1000, got '٣': write it with the digits 0 to 9"),
        (positive_mps, "1e-320", "must be a number in m/s, 0.001 to 10, got '1e-320'"),
        (positive_seconds, "1e-320", "must be a number of seconds, 0.001 to 1e+06, such as 0.5, got '1e-320'"),
        (seconds, "-1", "must be a number of seconds from 0 to 1e+06, got '-1'"),
        (port, "65536", "must be a port, a whole number from 0 to 65535, got '65536'"),
        (
            angle_rad,
            "1e308deg",
            "must be an angle in radians such as 1.57, or in degrees such as 90deg, of at most a whole turn, "
            "got '1e308deg'",
        ),
        (
            angle_rad,
            "361deg",
            "must be an angle in radians such as 1.57, or in degrees such as 90deg, of at most a whole turn, "
            "got '361deg'",
        ),
        (angle_rad, "90", "90 rad? degrees are 90deg"),
        (identifier, "0", "must be a robot's ID, a whole number from 1, got '0'"),
        (identifier, "one", "must be a robot's ID, a whole number from 1, got 'one'"),
        (count, "4294967296", "must be a whole number from 1, got '4294967296'"),
        (count, "9" * 5000, f"must be a whole number from 1, got '{'9' * 57}...{'9' * 20}': it is too long"),
    ],
)
def test_invalid_text_is_refused_in_plain_words(read: Callable[[str], float], text: str, expected: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError) as caught:
        read(text)
    assert str(caught.value) == expected
