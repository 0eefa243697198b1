"""Messages of command topics as events of the script: valid ones exactly, invalid ones refused by name."""

import math
import struct

import pytest
from builtin_interfaces.msg import Duration
from geometry_msgs.msg import Twist, Vector3
from hypothesis import given
from hypothesis import strategies as st
from std_msgs.msg import Bool, ColorRGBA, Empty, Float32, Int16
from thymio_msgs.msg import Led, LedGesture, Sound, SystemSound

from aseba_link.errors import InvalidValueError
from aseba_link.thymio.events import EVENT_SIZES, Event
from fleet.geometry import Twist2D
from fleet.ros.thymio_topics.command_messages import (
    BEEP,
    COMM_TOPICS,
    LED_TOPICS,
    SOUND_TOPICS,
    Command,
    alive_gesture,
    comm_enable_from_ros,
    comm_payload_from_ros,
    gesture_from_ros,
    gesture_off,
    led_from_ros,
    leds_off,
    sound_from_ros,
    sound_threshold_from_ros,
    system_sound_from_ros,
    twist_from_ros,
)

TOPICS = {topic.name: topic for topic in (*LED_TOPICS, *SOUND_TOPICS, *COMM_TOPICS)}
NOT_NUMBERS = [math.nan, math.inf, -math.inf]


def on_the_wire(value: float) -> float:
    """Return a number rounded to float32."""
    return float(struct.unpack("f", struct.pack("f", value))[0])


float32s = st.floats(width=32).filter(lambda value: not 3.402823466e38 < abs(value) < math.inf)  # as messages check
uint8s, uint16s = st.integers(0, 255), st.integers(0, 0xFFFF)
messages = {
    Led: st.builds(lambda i, v: Led(id=i, values=v), uint8s, st.lists(float32s, max_size=12)),
    LedGesture: st.builds(
        lambda g, w, leds, p, length, m, mask: LedGesture(
            gesture=g, wave=w, leds=leds, period=p, length=length, mirror=m, mask=mask
        ),
        st.integers(0, 2), st.integers(0, 2), uint8s, float32s, uint16s, uint8s, st.lists(st.booleans(), max_size=10),
    ),
    Sound: st.builds(
        lambda f, s, n: Sound(frequency=f, duration=Duration(sec=s, nanosec=n)),
        float32s, st.integers(-(2**31), 2**31 - 1), st.integers(0, 2**32 - 1),
    ),
    SystemSound: st.builds(lambda s: SystemSound(sound=s), st.integers(-128, 127)),
    ColorRGBA: st.builds(lambda r, g, b, a: ColorRGBA(r=r, g=g, b=b, a=a), float32s, float32s, float32s, float32s),
    Float32: st.builds(lambda v: Float32(data=v), float32s),
    Int16: st.builds(lambda v: Int16(data=v), st.integers(-0x8000, 0x7FFF)),
    Bool: st.builds(lambda v: Bool(data=v), st.booleans()),
    Empty: st.builds(Empty),
}  # fmt: skip


@pytest.mark.parametrize("name", TOPICS)
@given(st.data())
def test_any_command_is_refused_or_becomes_events_that_fit_the_script(name: str, data: st.DataObject) -> None:
    topic = TOPICS[name]
    try:
        commands = topic.commands_from_ros(data.draw(messages[topic.type]))
    except InvalidValueError:
        return
    for command in commands:
        assert len(command.words) == EVENT_SIZES[command.event] - 1
        assert all(-0x8000 <= word <= 0x7FFF for word in command.words)


@given(st.floats(), st.floats())
def test_any_twist_is_refused_or_finite(linear: float, angular: float) -> None:
    try:
        twist = twist_from_ros(Twist(linear=Vector3(x=linear), angular=Vector3(z=angular)))
    except InvalidValueError:
        return
    assert twist == Twist2D(linear, angular)
    assert math.isfinite(linear)
    assert math.isfinite(angular)


@pytest.mark.parametrize("value", NOT_NUMBERS)
def test_nan_twist_is_refused_with_the_name_of_the_field(value: float) -> None:
    with pytest.raises(InvalidValueError, match=rf"angular\.z: {value} is not in -1000 to 1000"):
        twist_from_ros(Twist(angular=Vector3(z=value)))


def test_absurd_twist_is_refused() -> None:
    with pytest.raises(InvalidValueError, match=r"linear\.x: 1e\+300 is not in -100 to 100"):
        twist_from_ros(Twist(linear=Vector3(x=1e300)))


def test_twist_components_impossible_for_a_differential_drive_are_ignored() -> None:
    message = Twist(linear=Vector3(x=0.1, y=3.0, z=1.0), angular=Vector3(x=1.0, y=1.0, z=-0.5))
    assert twist_from_ros(message) == Twist2D(0.1, -0.5)


def test_led_values_are_fractions_of_full_brightness() -> None:
    message = Led(id=Led.BUTTONS, values=[0.0, 0.5, 1.0, 0.25])
    assert led_from_ros(message) == (Command(Event.SET_LED, (2, 0, 16, 32, 8, 0, 0, 0, 0)),)


@pytest.mark.parametrize("value", [*NOT_NUMBERS, -0.1, 1.1])
def test_led_value_out_of_range_is_refused_with_its_name(value: float) -> None:
    with pytest.raises(InvalidValueError, match=r"ground LEDs\[1\]: "):
        led_from_ros(Led(id=Led.GROUND, values=[0.0, value]))


@pytest.mark.parametrize("count", [0, 7, 9])
def test_too_few_or_too_many_leds_are_refused(count: int) -> None:
    with pytest.raises(InvalidValueError, match=f"circle LEDs: {count} values instead of 8"):
        led_from_ros(Led(id=Led.CIRCLE, values=[0.0] * count))


def test_an_unknown_group_of_leds_is_refused() -> None:
    with pytest.raises(InvalidValueError, match="LED group: 7 is not in 0 to 6"):
        led_from_ros(Led(id=7))


def test_leds_off_darkens_every_group_and_the_body_and_ends_the_gesture() -> None:
    commands = leds_off(Empty())
    assert [command.event for command in commands].count(Event.SET_LED) == 7
    assert {command.event for command in commands} == {
        Event.SET_LED,
        Event.SET_LED_GESTURE,
        Event.SET_LED_TOP,
        Event.SET_LED_BOTTOM_LEFT,
        Event.SET_LED_BOTTOM_RIGHT,
    }
    assert all(not any(command.words[1:]) for command in commands)


@pytest.mark.parametrize(
    ("name", "event"),
    [
        ("led/body/top", Event.SET_LED_TOP),
        ("led/body/bottom_left", Event.SET_LED_BOTTOM_LEFT),
        ("led/body/bottom_right", Event.SET_LED_BOTTOM_RIGHT),
    ],
)
def test_body_colours_ignore_alpha(name: str, event: Event) -> None:
    message = ColorRGBA(r=1.0, g=0.5, b=0.0, a=math.nan)
    assert TOPICS[name].commands_from_ros(message) == (Command(event, (32, 16, 0)),)


def test_gesture_carries_every_field_of_the_message() -> None:
    message = LedGesture(
        gesture=LedGesture.WAVE,
        wave=LedGesture.HARMONIC,
        leds=LedGesture.PROXIMITY,
        period=1.5,
        length=12,
        mirror=11,
        mask=[True, False],
    )
    words = (1, 1, 1, 1500, 12, 11, 1, 0, 1, 1, 1, 1, 1, 1)
    assert gesture_from_ros(message) == (Command(Event.SET_LED_GESTURE, words),)


def test_the_shortest_period_survives_a_float32() -> None:
    message = LedGesture(gesture=LedGesture.WAVE, period=on_the_wire(0.02), length=1)
    assert gesture_from_ros(message)[0].words[3] == 20


def test_gesture_off_needs_no_other_field() -> None:
    message = LedGesture(gesture=LedGesture.OFF, period=math.nan, leds=99)
    assert gesture_from_ros(message) == gesture_off(Empty())


def test_an_unknown_gesture_is_refused() -> None:
    with pytest.raises(InvalidValueError, match="gesture: 2 is neither 0 nor 1"):
        gesture_from_ros(LedGesture(gesture=2))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("led/gesture/circle", (1, 0, 1, 2000, 8, 0, *[1] * 8)),
        ("led/gesture/blink", (1, 0, 1, 2000, 1, 0, *[1] * 8)),
        ("led/gesture/kit", (1, 1, 1, 2000, 12, 11, *[1] * 6, 0, 0)),
    ],
)
def test_gesture_topic_accepts_only_a_period(name: str, words: tuple[int, ...]) -> None:
    assert TOPICS[name].commands_from_ros(Float32(data=2.0)) == (Command(Event.SET_LED_GESTURE, words),)


def test_alive_gesture_shows_a_third_of_a_wave_with_a_period_of_three_seconds() -> None:
    assert alive_gesture(Empty())[0].words[:6] == (1, 0, 0, 3000, 24, 0)


def test_tone_is_sent_in_hertz_and_sixtieths_of_a_second() -> None:
    message = Sound(frequency=440.0, duration=Duration(sec=1, nanosec=500_000_000))
    assert sound_from_ros(message) == (Command(Event.PLAY_SOUND, (440, 90)),)


@pytest.mark.parametrize("frequency", [*NOT_NUMBERS, 40_000.0, 0.0])
def test_tone_out_of_range_is_refused(frequency: float) -> None:
    with pytest.raises(InvalidValueError, match="frequency_hz"):
        sound_from_ros(Sound(frequency=frequency, duration=Duration(sec=1)))


@pytest.mark.parametrize("duration", [Duration(), Duration(sec=-1), Duration(sec=2_000_000)])
def test_tone_with_an_impossible_duration_is_refused(duration: Duration) -> None:
    with pytest.raises(InvalidValueError, match="duration_s"):
        sound_from_ros(Sound(frequency=440.0, duration=duration))


def test_system_sounds_are_sent_by_number() -> None:
    assert system_sound_from_ros(SystemSound(sound=SystemSound.STOP)) == (Command(Event.PLAY_SYSTEM_SOUND, (-1,)),)
    with pytest.raises(InvalidValueError, match="system sound: 8 is not in -1 to 7"):
        system_sound_from_ros(SystemSound(sound=8))


def test_alarm_sounds_like_an_arrow_button() -> None:
    assert (BEEP.event, BEEP.words) == (Event.PLAY_SYSTEM_SOUND, (SystemSound.ARROW_BUTTON,))


@pytest.mark.parametrize(("loudness", "word"), [(0.0, 0), (0.001, 1), (0.5, 128), (1.0, 255)])
def test_sound_threshold_is_a_fraction_of_the_maximum(loudness: float, word: int) -> None:
    assert sound_threshold_from_ros(Float32(data=loudness)) == (Command(Event.SET_SOUND_THRESHOLD, (word,)),)


def test_infrared_communication_is_switched_and_given_a_value_to_send() -> None:
    assert comm_enable_from_ros(Bool(data=True)) == (Command(Event.ENABLE_COMM, (1,)),)
    assert comm_payload_from_ros(Int16(data=2047)) == (Command(Event.SET_COMM_PAYLOAD, (2047,)),)
    with pytest.raises(InvalidValueError, match="comm payload: -1 is not in 0 to 2047"):
        comm_payload_from_ros(Int16(data=-1))
