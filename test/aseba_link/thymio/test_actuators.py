"""Commands for a Thymio, and refused values."""

import math
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aseba_link.errors import AsebaLinkError, InvalidValueError
from aseba_link.thymio.actuators import (
    GESTURE_OFF,
    LED_COUNTS,
    LedGroup,
    SystemSound,
    Wave,
    alive_gesture,
    blink_gesture,
    circle_gesture,
    encode_colour,
    encode_comm_enabled,
    encode_comm_payload,
    encode_gesture,
    encode_led,
    encode_sound,
    encode_sound_threshold,
    encode_system_sound,
    kit_gesture,
)
from aseba_link.thymio.events import EVENT_SIZES, Event

shares = st.floats(0.0, 1.0)


@given(st.sampled_from(LedGroup), st.lists(shares, min_size=8, max_size=8))
def test_led_words_are_brightness_in_units_of_one_32nd(group: LedGroup, values: list[float]) -> None:
    count = LED_COUNTS[group]
    words = encode_led(group, values[:count])
    assert len(words) == EVENT_SIZES[Event.SET_LED] - 1
    assert (words[0], words[1 + count :]) == (group, (0,) * (8 - count))
    assert [word / 32 for word in words[1 : 1 + count]] == pytest.approx(values[:count], abs=1 / 64)


@given(shares, shares, shares)
def test_colour_has_three_parts(red: float, green: float, blue: float) -> None:
    assert [word / 32 for word in encode_colour(red, green, blue)] == pytest.approx([red, green, blue], abs=1 / 64)


@pytest.mark.parametrize("words", [GESTURE_OFF, circle_gesture(1.0), blink_gesture(1.0), kit_gesture(1.0)])
def test_gesture_has_the_words_of_its_event(words: tuple[int, ...]) -> None:
    assert len(words) == EVENT_SIZES[Event.SET_LED_GESTURE] - 1


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (circle_gesture(1.5), (1, 0, 1, 1500, 8, 0, *[1] * 8)),
        (blink_gesture(0.02), (1, 0, 1, 20, 1, 0, *[1] * 8)),
        (kit_gesture(2.0), (1, 1, 1, 2000, 12, 11, 1, 1, 1, 1, 1, 1, 0, 0)),
        (alive_gesture(), (1, 0, 0, 3000, 24, 0, *[1] * 8)),
        (encode_gesture(2, 0, 32.767, 32767, mirror=15, mask=[False, True]), (1, 2, 0, 32767, 32767, 15, 0, *[1] * 7)),
    ],
)
def test_gesture_is_encoded_in_milliseconds_and_leds(words: tuple[int, ...], expected: tuple[int, ...]) -> None:
    assert words == expected


@pytest.mark.parametrize(
    ("frequency_hz", "duration_s", "words"),
    [(440.4, 1.0, (440, 60)), (1.0, 0.001, (1, 1)), (32767.0, 32767 / 60, (32767, 32767))],
)
def test_tone_is_encoded_in_sixtieths_of_a_second(
    frequency_hz: float, duration_s: float, words: tuple[int, int]
) -> None:
    assert encode_sound(frequency_hz, duration_s) == words


@pytest.mark.parametrize(("loudness", "word"), [(0.0, 0), (1e-9, 1), (0.5, 128), (1.0, 255)])
def test_sound_threshold_is_off_only_at_zero(loudness: float, word: int) -> None:
    assert encode_sound_threshold(loudness) == (word,)


@pytest.mark.parametrize("sound", SystemSound)
def test_system_sound_is_encoded_by_its_number(sound: SystemSound) -> None:
    assert encode_system_sound(int(sound)) == (int(sound),)


def test_infrared_communication_is_encoded() -> None:
    assert (encode_comm_enabled(True), encode_comm_enabled(False), encode_comm_payload(2047)) == ((1,), (0,), (2047,))


@pytest.mark.parametrize(
    ("encode", "problem"),
    [
        (lambda: encode_led(7, [1.0]), "LED group: 7 is not in 0 to 6"),
        (lambda: encode_led(LedGroup.BUTTONS, [0.0] * 3), "buttons LEDs: 3 values instead of 4"),
        (lambda: encode_led(LedGroup.REMOTE, [0.0] * 8), "remote LEDs: 8 values instead of 1"),
        (lambda: encode_led(LedGroup.GROUND, [0.0, 1.1]), r"ground LEDs\[1\]: 1.1 is not in 0 to 1"),
        (lambda: encode_colour(0.0, math.nan, 0.0), "green: nan is not in 0 to 1"),
        (lambda: encode_colour(0.0, 0.0, -0.1), "blue: -0.1 is not in 0 to 1"),
        (lambda: circle_gesture(0.019), "LED gesture: period_s: 0.019 is not in 0.02 to 32.767"),
        (lambda: circle_gesture(math.inf), "LED gesture: period_s: inf is not in"),
        (lambda: encode_gesture(LedGroup.GROUND, Wave.RECT, 1.0, 8), "LED gesture: ground LEDs have no gestures"),
        (lambda: encode_gesture(LedGroup.CIRCLE, 2, 1.0, 8), "LED gesture: wave: 2 is not in 0 to 1"),
        (lambda: encode_gesture(LedGroup.CIRCLE, 0, 1.0, 0), "LED gesture: length: 0 is not in 1 to 32767"),
        (lambda: encode_gesture(LedGroup.CIRCLE, 0, 1.0, 8, mirror=16), "LED gesture: mirror: 16 is not in 0 to 15"),
        (lambda: encode_gesture(LedGroup.CIRCLE, 0, 1.0, 8, mask=[True] * 9), "LED gesture: mask of 9 instead of"),
        (lambda: encode_sound(0.0, 1.0), "sound: frequency_hz: 0.0 is not in 1 to 32767"),
        (lambda: encode_sound(40000.0, 1.0), "sound: frequency_hz: 40000.0 is not in 1 to 32767"),
        (lambda: encode_sound(440.0, 0.0), "sound: duration_s 0 plays nothing"),
        (lambda: encode_sound(440.0, -1.0), "sound: duration_s: -1.0 is not in 0 to"),
        (lambda: encode_sound(440.0, math.nan), "sound: duration_s: nan is not in 0 to"),
        (lambda: encode_system_sound(8), "system sound: 8 is not in -1 to 7"),
        (lambda: encode_system_sound(-2), "system sound: -2 is not in -1 to 7"),
        (lambda: encode_sound_threshold(1.5), "sound threshold: 1.5 is not in 0 to 1"),
        (lambda: encode_comm_payload(2048), "comm payload: 2048 is not in 0 to 2047"),
        (lambda: encode_comm_payload(-1), "comm payload: -1 is not in 0 to 2047"),
    ],
)
def test_impossible_command_is_refused_with_parameter_and_value(encode: Callable[[], object], problem: str) -> None:
    with pytest.raises(InvalidValueError, match=problem):
        encode()


def test_refusal_is_an_error_of_the_link_and_of_values() -> None:
    assert issubclass(InvalidValueError, AsebaLinkError)
    assert issubclass(InvalidValueError, ValueError)
