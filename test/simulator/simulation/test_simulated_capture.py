"""The simulated motion-capture system: its rate, its noise, its latency."""

import numpy as np
import pytest
from numpy.typing import NDArray

from simulator.simulation.simulated_capture import SimulatedCapture
from simulator.world.config import SimulatedCaptureConfig

TRUTH = np.array([[1.0, 2.0, 0.5], [3.0, 4.0, -0.5]])


def capture(
    seed: int = 1, *, enabled: bool = True, latency_s: float = 0.0, noise: float = 0.0
) -> SimulatedCapture[int]:
    config = SimulatedCaptureConfig(enabled, 30.0, noise, noise, latency_s)
    return SimulatedCapture(config, np.random.default_rng(seed))


def arrivals(source: SimulatedCapture[int], seconds: float) -> list[tuple[int, int, NDArray[np.float64]]]:
    """The time of each report, the time of its measurement (both in steps of 10 ms), and the poses."""
    steps = range(1, round(seconds / 0.01) + 1)
    return [(step, *come) for step in steps for come in source.advance(0.01 * step, step, lambda: TRUTH)]


def test_capture_measures_at_its_rate() -> None:
    assert len(arrivals(capture(), 2.0)) == 60


def test_capture_without_noise_reports_the_truth() -> None:
    assert all((poses == TRUTH).all() for _, _, poses in arrivals(capture(), 0.5))


def test_capture_noise_has_the_configured_deviation() -> None:
    errors = np.array([poses - TRUTH for _, _, poses in arrivals(capture(noise=0.01), 20.0)])
    assert errors.std() == pytest.approx(0.01, rel=0.05)


def test_capture_noise_repeats_with_the_same_seed() -> None:
    first, second, other = (arrivals(capture(seed, noise=0.01), 0.2)[-1][2].tolist() for seed in (1, 1, 2))
    assert first == second
    assert first != other


def test_capture_reports_late_with_the_time_of_measurement() -> None:
    assert {came - measured for came, measured, _ in arrivals(capture(latency_s=0.05), 1.0)} == {5}


def test_exchanged_bodies_have_the_poses_of_the_robots_before_them() -> None:
    config = SimulatedCaptureConfig(True, 30.0, 0.0, 0.0, 0.0, exchanged=True)
    (_, _, poses), *_ = arrivals(SimulatedCapture(config, np.random.default_rng(1)), 0.1)
    assert poses.tolist() == [TRUTH[-1].tolist(), TRUTH[0].tolist()]


def test_disabled_capture_reports_nothing() -> None:
    assert arrivals(capture(enabled=False), 1.0) == []
