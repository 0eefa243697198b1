"""The microphones' readings of the world's sounds."""

from dataclasses import replace

import numpy as np
import pytest

from harness.worlds import config, world_of
from simulator.sensors.microphone import SoundConfig, readings_raw

SOUND = np.array([[1.0, 0.0, 200.0]])


@pytest.mark.parametrize(("x_m", "expected"), [(1.0, 200), (1.1, 200), (1.2, 100), (1.4, 50), (3.0, 10)])
def test_sound_falls_with_the_inverse_of_the_distance(x_m: float, expected: int) -> None:
    assert readings_raw(np.array([[x_m, 0.0]]), SOUND, 0.0).tolist() == [expected]


def test_loudest_sound_is_heard() -> None:
    sounds = np.array([[1.0, 0.0, 200.0], [1.2, 0.0, 40.0]])
    assert readings_raw(np.array([[1.2, 0.0]]), sounds, 0.0).tolist() == [100]


def test_background_noise_is_the_lowest_reading() -> None:
    assert readings_raw(np.array([[9.0, 0.0]]), SOUND, 30.0).tolist() == [30]


def test_loudness_stays_within_a_byte() -> None:
    assert readings_raw(np.zeros((1, 2)), np.array([[0.0, 0.0, 5000.0]]), 0.0).tolist() == [255]


def test_world_without_sounds_is_silent() -> None:
    assert not world_of(config((1.0, 1.0, 0.0))).sensors.is_loud


def test_sound_of_the_world_is_heard_from_its_place() -> None:
    sounds = (SoundConfig(1.0, 1.0, 150.0),)
    simulated = world_of(replace(config((1.0, 1.0, 0.0), (1.0, 1.5, 0.0)), sounds=sounds))
    assert simulated.sensors.is_loud
    assert simulated.sensors.loudness_raw().tolist() == [150, 30]
