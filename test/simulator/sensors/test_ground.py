"""Ground sensors on floors with lines, compared with Enki's response and the integral of the window."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from simulator.numbers.noise import Noise
from simulator.sensors.ground import readings_raw, response_raw, sensor_points, window_gray

WINDOW_M = 0.004
Line = tuple[float, float, float, float, float, float]


def gray(x_m: float, y_m: float, *lines: Line, floor: float = 1.0) -> float:
    return float(window_gray(np.array([x_m, y_m]), np.array(floor), np.array(lines, dtype=float).reshape(-1, 6)))


def normal(z: float) -> float:
    return 0.5 * (1.0 + math.erf(z / math.sqrt(2.0)))


@pytest.mark.parametrize(
    ("shade", "reading"), [(0.0, 77), (0.2, 154), (0.4, 421), (0.5, 620), (0.6, 773), (0.8, 911), (1.0, 938)]
)
def test_gray_reads_as_measured_in_the_playground(shade: float, reading: int) -> None:
    assert response_raw(shade) == pytest.approx(reading, abs=8)


@given(x_m=st.floats(-0.03, 0.03), width_m=st.floats(0.001, 0.05), shade=st.floats(0.0, 1.0))
def test_long_line_is_blurred_across_by_the_window(x_m: float, width_m: float, shade: float) -> None:
    share = normal((x_m + width_m / 2) / WINDOW_M) - normal((x_m - width_m / 2) / WINDOW_M)
    assert gray(x_m, 0.0, (0.0, -5.0, 0.0, 5.0, width_m, shade)) == pytest.approx(1.0 + share * (shade - 1.0), abs=1e-6)


@settings(deadline=None)
@given(x_m=st.floats(-0.02, 0.02), y_m=st.floats(-0.02, 0.02), angle_rad=st.floats(-3.2, 3.2))
def test_short_slanted_line_is_the_integral_over_its_rectangle(x_m: float, y_m: float, angle_rad: float) -> None:
    half_length, width_m = 0.008, 0.01
    ends = (half_length * math.cos(angle_rad), half_length * math.sin(angle_rad))
    seen = gray(x_m, y_m, (-ends[0], -ends[1], *ends, width_m, 0.0), floor=1.0)
    cells: NDArray[np.float64] = (np.arange(160) + 0.5) / 160 - 0.5
    along, across = np.meshgrid(2 * half_length * cells, width_m * cells)
    dx = along * math.cos(angle_rad) - across * math.sin(angle_rad) - x_m
    dy = along * math.sin(angle_rad) + across * math.cos(angle_rad) - y_m
    density = np.exp(-0.5 * (dx**2 + dy**2) / WINDOW_M**2) / (2.0 * math.pi * WINDOW_M**2)
    assert seen == pytest.approx(1.0 - float(density.mean()) * 2 * half_length * width_m, abs=1e-4)


def test_far_line_is_not_seen() -> None:
    assert gray(0.5, 0.5, (0.0, 0.0, 1.0, 0.0, 0.02, 0.0)) == pytest.approx(1.0, abs=1e-7)


def test_later_line_lies_on_the_earlier_one() -> None:
    black, white = (0.0, -1.0, 0.0, 1.0, 0.1, 0.0), (-1.0, 0.0, 1.0, 0.0, 0.1, 1.0)
    assert gray(0.0, 0.0, black, white) == pytest.approx(1.0)
    assert gray(0.0, 0.0, white, black) == pytest.approx(0.0, abs=1e-6)


def test_sensors_are_ahead_of_the_axle_left_and_right() -> None:
    points = sensor_points(np.array([[1.0, 2.0], [1.0, 2.0]]), np.array([0.0, math.pi / 2]))
    assert points[0].tolist() == pytest.approx(np.array([[1.072, 2.0115], [1.072, 1.9885]]))
    assert points[1].tolist() == pytest.approx(np.array([[0.9885, 2.072], [1.0115, 2.072]]))


def test_robot_astride_the_edge_of_a_line_sees_it_with_one_sensor() -> None:
    line = np.array([[-1.0, -0.05, 1.0, -0.05, 0.1, 0.0]])  # its edge lies under the robot's middle
    points = sensor_points(np.zeros((1, 2)), np.zeros(1))
    seen = window_gray(points, np.ones((1, 2)), line).ravel().tolist()
    left, right = readings_raw(seen, Noise(np.random.default_rng(1)))[0]
    assert left > 850
    assert right < 150


def test_noise_of_ground_sensors_equals_enkis() -> None:
    words = np.array(readings_raw([0.5] * 4000, Noise(np.random.default_rng(1))))
    assert words.std() == pytest.approx(10.0, rel=0.05)


def test_ground_readings_stay_within_ten_bits() -> None:
    words = np.array(readings_raw([1.0] * 10_000, Noise(np.random.default_rng(1))))
    assert 0 <= words.min() <= words.max() <= 1023
