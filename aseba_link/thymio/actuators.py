"""Encodes commands for a Thymio's lights, sounds and infrared, from SI units and fractions to words of command events.

Every function returns the words that follow the node's id, and raises InvalidValueError, which names the parameter
and the value, if a Thymio cannot do what is asked.
"""

import math
from collections.abc import Sequence
from enum import IntEnum
from typing import TypeVar

from aseba_link.errors import InvalidValueError

Kind = TypeVar("Kind", bound=IntEnum)

MAX_COMM_PAYLOAD = 2047  # 11 bits are transmitted
MAX_MIRROR = 15
MIN_GESTURE_PERIOD_S = 0.02  # one step of the script's timer
MAX_GESTURE_PERIOD_S = 32.767  # milliseconds in a word
MAX_FREQUENCY_HZ = 32767.0
MAX_SOUND_S = 32767 / 60

_BRIGHTEST_RAW = 32
_LED_WORDS = 8
_SOUND_TICKS_HZ = 60.0
_LOUDEST_RAW = 255
_MAX_WORD = 0x7FFF

Words = tuple[int, ...]


class LedGroup(IntEnum):
    """Groups of LEDs of one colour; the values are those of the script and of thymio_msgs/Led."""

    CIRCLE = 0  # around the buttons, clockwise from the front
    PROXIMITY = 1  # six beside the front sensors, from the left, and two beside the rear ones
    BUTTONS = 2  # front, right, back, left
    GROUND = 3  # left, right
    TEMPERATURE = 4  # red, blue
    MICROPHONE = 5
    REMOTE = 6


LED_COUNTS = {
    LedGroup.CIRCLE: 8,
    LedGroup.PROXIMITY: 8,
    LedGroup.BUTTONS: 4,
    LedGroup.GROUND: 2,
    LedGroup.TEMPERATURE: 2,
    LedGroup.MICROPHONE: 1,
    LedGroup.REMOTE: 1,
}


class Gesture(IntEnum):
    """Animated LED patterns."""

    OFF = 0
    WAVE = 1  # light travels over the LEDs


class Wave(IntEnum):
    """How a wave's light rises and falls over a period."""

    RECT = 0  # a quarter bright, a quarter dim, half dark
    HARMONIC = 1  # the fourth power of a cosine


class SystemSound(IntEnum):
    """Sounds of the firmware."""

    STOP = -1  # stops any sound
    STARTUP = 0
    SHUTDOWN = 1
    ARROW_BUTTON = 2
    CENTRAL_BUTTON = 3
    FREE_FALL = 4
    COLLISION = 5
    TARGET_OK = 6
    TARGET_DETECT = 7


GESTURE_GROUPS = (LedGroup.CIRCLE, LedGroup.PROXIMITY, LedGroup.BUTTONS)
GESTURE_OFF: Words = (0,) * 14  # for SET_LED_GESTURE: ends the gesture and switches its LEDs off


def encode_led(group: int, values: Sequence[float]) -> Words:
    """Return SET_LED for the LEDs of a group, each from 0 (dark) to 1."""
    led_group = _member(LedGroup, "LED group", group)
    name, count = f"{led_group.name.lower()} LEDs", LED_COUNTS[led_group]
    if len(values) != count:
        raise InvalidValueError(f"{name}: {len(values)} values instead of {count}")
    words = [_brightness(f"{name}[{index}]", value) for index, value in enumerate(values)]
    return (led_group, *words, *(0,) * (_LED_WORDS - count))


def encode_colour(red: float, green: float, blue: float) -> Words:
    """Return SET_LED_TOP, SET_LED_BOTTOM_RIGHT or SET_LED_BOTTOM_LEFT for a colour with components from 0 to 1."""
    return _brightness("red", red), _brightness("green", green), _brightness("blue", blue)


def encode_gesture(
    group: int, wave: int, period_s: float, length: int, *, mirror: int = 0, mask: Sequence[bool] = ()
) -> Words:
    """Return SET_LED_GESTURE for a wave of light that travels over a group towards higher numbers.

    Parameters
    ----------
    group
        one of `GESTURE_GROUPS`
    wave
        shape of the light
    period_s
        period of each LED, 0.02 to 32.767 s
    length
        number of LEDs between crests of the wave, at least 1; with 1, all LEDs are alike
    mirror
        0 to 15: LEDs i and `mirror` - i show the mean of both, so that the light runs back and forth; 0 means none
    mask
        which of up to eight LEDs take part; further LEDs always take part
    """
    led_group = _member(LedGroup, "LED group", group)
    if led_group not in GESTURE_GROUPS:
        raise InvalidValueError(f"LED gesture: {led_group.name.lower()} LEDs have no gestures")
    _check_range("LED gesture: period_s", period_s, MIN_GESTURE_PERIOD_S, MAX_GESTURE_PERIOD_S)
    _check_range("LED gesture: length", length, 1, _MAX_WORD)
    _check_range("LED gesture: mirror", mirror, 0, MAX_MIRROR)
    if len(mask) > _LED_WORDS:
        raise InvalidValueError(f"LED gesture: mask of {len(mask)} instead of at most {_LED_WORDS} values")
    words = [int(bool(is_used)) for is_used in mask]
    shape = _member(Wave, "LED gesture: wave", wave)
    return (Gesture.WAVE, led_group, shape, round(1000.0 * period_s), length, mirror, *words, *(1,) * (8 - len(words)))


def circle_gesture(period_s: float) -> Words:
    """Return SET_LED_GESTURE for a light that runs around the circle."""
    return encode_gesture(LedGroup.CIRCLE, Wave.HARMONIC, period_s, 8)


def blink_gesture(period_s: float) -> Words:
    """Return SET_LED_GESTURE for a circle that brightens and fades."""
    return encode_gesture(LedGroup.CIRCLE, Wave.HARMONIC, period_s, 1)


def kit_gesture(period_s: float) -> Words:
    """Return SET_LED_GESTURE for a light that runs back and forth at the front."""
    mask = [True] * 6 + [False] * 2
    return encode_gesture(LedGroup.PROXIMITY, Wave.HARMONIC, period_s, 12, mirror=11, mask=mask)


def alive_gesture(period_s: float = 3.0) -> Words:
    """Return SET_LED_GESTURE for the pattern of an idle Thymio: a third of a wave on the circle."""
    return encode_gesture(LedGroup.CIRCLE, Wave.RECT, period_s, 24)


def encode_sound(frequency_hz: float, duration_s: float) -> Words:
    """Return PLAY_SOUND for a tone."""
    _check_range("sound: frequency_hz", frequency_hz, 1.0, MAX_FREQUENCY_HZ)
    _check_range("sound: duration_s", duration_s, 0.0, MAX_SOUND_S)
    if duration_s == 0.0:
        raise InvalidValueError("sound: duration_s 0 plays nothing")  # the firmware would play forever
    return round(frequency_hz), max(1, round(duration_s * _SOUND_TICKS_HZ))


def encode_system_sound(sound: int) -> Words:
    """Return PLAY_SYSTEM_SOUND for a sound of `SystemSound`."""
    return (_member(SystemSound, "system sound", sound),)


def encode_sound_threshold(loudness: float) -> Words:
    """Return SET_SOUND_THRESHOLD: louder sounds, up to 1, are reported; 0 means never, 1 almost never."""
    _check_range("sound threshold", loudness, 0.0, 1.0)
    return (max(1, round(loudness * _LOUDEST_RAW)) if loudness > 0.0 else 0,)


def encode_comm_payload(payload: int) -> Words:
    """Return SET_COMM_PAYLOAD for the value that the robot sends to other robots by infrared."""
    _check_range("comm payload", payload, 0, MAX_COMM_PAYLOAD)
    return (payload,)


def encode_comm_enabled(enabled: bool) -> Words:
    """Return ENABLE_COMM: whether the robot sends and receives by infrared."""
    return (int(enabled),)


def _brightness(name: str, share: float) -> int:
    _check_range(name, share, 0.0, 1.0)
    return round(share * _BRIGHTEST_RAW)


def _check_range(name: str, value: float, low: float, high: float) -> None:
    if not (math.isfinite(value) and low <= value <= high):
        raise InvalidValueError(f"{name}: {value} is not in {low:g} to {high:g}")


def _member(kind: type[Kind], name: str, value: int) -> Kind:
    """Return the member of an enumeration with this value; raises InvalidValueError."""
    if value not in set(kind):
        raise InvalidValueError(f"{name}: {value} is not in {min(kind)} to {max(kind)}")
    return kind(value)
