"""Converts the messages of the driver's command topics to twists and events of the robot's script.

Each function is pure; for what a robot cannot do it raises InvalidValueError, which names the field and the value.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from geometry_msgs.msg import Twist
from std_msgs.msg import Bool, ColorRGBA, Empty, Float32, Int16
from thymio_msgs.msg import Led, LedGesture, Sound, SystemSound

from aseba_link.errors import InvalidValueError
from aseba_link.thymio import actuators
from aseba_link.thymio.events import Event
from fleet.geometry import Twist2D
from thymio_base.texts.decimal_text import real_number

_MAX_LINEAR_MPS = 100.0  # a speed beyond these is a mistake
_MAX_ANGULAR_RADPS = 1000.0


@dataclass(frozen=True, slots=True)
class Command:
    """An event for one robot; `words` follow the node's id."""

    event: Event
    words: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class CommandTopic:
    """A topic below the robot's name: its type, and the conversion of its messages to commands."""

    name: str
    type: Any
    commands_from_ros: Callable[[Any], tuple[Command, ...]]


BEEP = Command(Event.PLAY_SYSTEM_SOUND, actuators.encode_system_sound(SystemSound.ARROW_BUTTON))


def twist_from_ros(message: Twist) -> Twist2D:
    """Return the twist of the body; motion that a differential drive cannot do, such as sideways, is ignored."""
    values = {
        f"{part}.{axis}": getattr(getattr(message, part), axis) for part in ("linear", "angular") for axis in "xyz"
    }
    for name, value in values.items():
        limit = _MAX_LINEAR_MPS if name.startswith("linear") else _MAX_ANGULAR_RADPS
        if not abs(value) <= limit:  # NaN compares false
            raise InvalidValueError(f"{name}: {value} is not in {-limit:g} to {limit:g}")
    return Twist2D(message.linear.x, message.angular.z)


def led_from_ros(message: Led) -> tuple[Command, ...]:
    """Return the command for a group of LEDs."""
    return (
        Command(
            Event.SET_LED, actuators.encode_led(message.id, [_shortest_decimal(value) for value in message.values])
        ),
    )


def leds_off(_: Empty) -> tuple[Command, ...]:
    """Return the commands that end the gesture and switch every LED off."""
    dark = actuators.encode_colour(0.0, 0.0, 0.0)
    bodies = (Event.SET_LED_TOP, Event.SET_LED_BOTTOM_LEFT, Event.SET_LED_BOTTOM_RIGHT)
    groups = (actuators.encode_led(group, [0.0] * count) for group, count in actuators.LED_COUNTS.items())
    return (
        Command(Event.SET_LED_GESTURE, actuators.GESTURE_OFF),
        *(Command(event, dark) for event in bodies),
        *(Command(Event.SET_LED, words) for words in groups),
    )


def gesture_from_ros(message: LedGesture) -> tuple[Command, ...]:
    """Return the command that starts or ends a gesture."""
    if message.gesture == LedGesture.OFF:
        return gesture_off(message)
    if message.gesture != LedGesture.WAVE:
        raise InvalidValueError(f"gesture: {message.gesture} is neither {LedGesture.OFF} nor {LedGesture.WAVE}")
    words = actuators.encode_gesture(
        message.leds,
        message.wave,
        _shortest_decimal(message.period),
        message.length,
        mirror=message.mirror,
        mask=message.mask,
    )
    return (Command(Event.SET_LED_GESTURE, words),)


def gesture_off(_: Any) -> tuple[Command, ...]:
    """Return the command that ends the gesture."""
    return (Command(Event.SET_LED_GESTURE, actuators.GESTURE_OFF),)


def alive_gesture(_: Empty) -> tuple[Command, ...]:
    """Return the command for the gesture of an idle Thymio."""
    return (Command(Event.SET_LED_GESTURE, actuators.alive_gesture()),)


def sound_from_ros(message: Sound) -> tuple[Command, ...]:
    """Return the command that plays a tone."""
    duration_s = message.duration.sec + message.duration.nanosec * 1e-9
    return (Command(Event.PLAY_SOUND, actuators.encode_sound(_shortest_decimal(message.frequency), duration_s)),)


def system_sound_from_ros(message: SystemSound) -> tuple[Command, ...]:
    """Return the command that plays a sound of the firmware, or stops what plays."""
    return (Command(Event.PLAY_SYSTEM_SOUND, actuators.encode_system_sound(message.sound)),)


def sound_threshold_from_ros(message: Float32) -> tuple[Command, ...]:
    """Return the command that sets the loudness above which sounds are reported."""
    return (Command(Event.SET_SOUND_THRESHOLD, actuators.encode_sound_threshold(_shortest_decimal(message.data))),)


def comm_enable_from_ros(message: Bool) -> tuple[Command, ...]:
    """Return the command that switches infrared communication on or off."""
    return (Command(Event.ENABLE_COMM, actuators.encode_comm_enabled(message.data)),)


def comm_payload_from_ros(message: Int16) -> tuple[Command, ...]:
    """Return the command that sets the infrared payload."""
    return (Command(Event.SET_COMM_PAYLOAD, actuators.encode_comm_payload(message.data)),)


def _colour_of(event: Event) -> Callable[[ColorRGBA], tuple[Command, ...]]:
    """Return the conversion for one of the body's LEDs; alpha has no meaning for a light."""
    return lambda message: (
        Command(
            event,
            actuators.encode_colour(
                _shortest_decimal(message.r), _shortest_decimal(message.g), _shortest_decimal(message.b)
            ),
        ),
    )


def _gesture_of(encode: Callable[[float], tuple[int, ...]]) -> Callable[[Float32], tuple[Command, ...]]:
    """Return the conversion for a gesture whose message holds only the period."""
    return lambda message: (Command(Event.SET_LED_GESTURE, encode(_shortest_decimal(message.data))),)


def _shortest_decimal(value: float) -> float:
    """Return a float32 rounded to seven digits: 0.02 arrives as 0.0199999996, which is out of range."""
    return real_number(f"{value:.7g}") if math.isfinite(value) else value


LED_TOPICS = (
    CommandTopic("led", Led, led_from_ros),
    CommandTopic("led/off", Empty, leds_off),
    CommandTopic("led/body/top", ColorRGBA, _colour_of(Event.SET_LED_TOP)),
    CommandTopic("led/body/bottom_left", ColorRGBA, _colour_of(Event.SET_LED_BOTTOM_LEFT)),
    CommandTopic("led/body/bottom_right", ColorRGBA, _colour_of(Event.SET_LED_BOTTOM_RIGHT)),
    CommandTopic("led/gesture", LedGesture, gesture_from_ros),
    CommandTopic("led/gesture/off", Empty, gesture_off),
    CommandTopic("led/gesture/circle", Float32, _gesture_of(actuators.circle_gesture)),
    CommandTopic("led/gesture/blink", Float32, _gesture_of(actuators.blink_gesture)),
    CommandTopic("led/gesture/kit", Float32, _gesture_of(actuators.kit_gesture)),
    CommandTopic("led/gesture/alive", Empty, alive_gesture),
)
SOUND_TOPICS = (
    CommandTopic("sound/play", Sound, sound_from_ros),
    CommandTopic("sound/play/system", SystemSound, system_sound_from_ros),
    CommandTopic("sound_threshold", Float32, sound_threshold_from_ros),
)
COMM_TOPICS = (
    CommandTopic("comm/enable", Bool, comm_enable_from_ros),
    CommandTopic("comm/tx", Int16, comm_payload_from_ros),
)
