"""The shipped script on a simulated Thymio: lights, gestures, sounds and infrared on command."""

import itertools
import math
from copy import deepcopy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aseba_link.thymio.actuators import GESTURE_OFF, Gesture, LedGroup, Wave, kit_gesture
from aseba_link.thymio.events import EVENT_SIZES, Event, Reports
from harness.aseba.scripted_robot import NODE_ID, advance, scripted, send_command
from simulator.firmware.body import Sound
from simulator.firmware.thymio import Thymio

STEP_TICKS = 2  # of 10 ms, between two steps of a gesture
STEP_S = 0.02
VALUES = (1, 2, 3, 4, 5, 6, 7, 32)
NATIVES = {
    LedGroup.CIRCLE: ("leds.circle", 8),
    LedGroup.PROXIMITY: ("leds.prox.h", 8),
    LedGroup.BUTTONS: ("leds.buttons", 4),
    LedGroup.GROUND: ("leds.prox.v", 2),
    LedGroup.TEMPERATURE: ("leds.temperature", 2),
    LedGroup.MICROPHONE: ("leds.sound", 1),
    LedGroup.REMOTE: ("leds.rc", 1),
}
COMMANDS = [event for event in Event if event is Event.SET_SPEED or event >= Event.SHUTDOWN]


def gesture(
    thymio: Thymio,
    *,
    group: int = LedGroup.CIRCLE,
    wave: int = Wave.HARMONIC,
    period_ms: int = 1000,
    length: int = 8,
    mirror: int = 0,
    mask: tuple[int, ...] = (1,) * 8,
) -> Thymio:
    send_command(thymio, Event.SET_LED_GESTURE, Gesture.WAVE, group, wave, period_ms, length, mirror, *mask)
    return thymio


def frames(thymio: Thymio, count: int, native: str = "leds.circle") -> list[tuple[int, ...]]:
    """Return the lights after each step of a gesture."""
    shown = []
    for _ in range(count):
        advance(thymio, STEP_TICKS)
        shown.append(thymio.body.lights[native])
    return shown


def harmonic(turns: float) -> float:
    return 33.0 * math.cos(math.pi * turns) ** 4


def rectangle(turns: float) -> int:
    return (32, 3, 0, 0)[math.floor(4.0 * turns + 1e-9) % 4]


@pytest.mark.parametrize("event", COMMANDS)
def test_command_for_another_robot_changes_nothing(event: Event) -> None:
    thymio = scripted(reports=Reports(sound=True))
    before = deepcopy(thymio.body)
    names = ("motor.left.target", "motor.right.target", "timer.period", "mic.threshold", "prox.comm.tx")
    variables = [thymio.variable(name) for name in names]
    send_command(thymio, event, *(1,) * (EVENT_SIZES[event] - 1), node_id=NODE_ID + 1)
    assert thymio.body == before
    assert [thymio.variable(name) for name in names] == variables


@pytest.mark.parametrize("group", LedGroup)
def test_every_led_of_a_group_is_set(group: LedGroup) -> None:
    thymio = scripted()
    send_command(thymio, Event.SET_LED, group, *VALUES)
    native, count = NATIVES[group]
    assert thymio.body.lights == {native: VALUES[:count]}


@pytest.mark.parametrize("group", [-1, 7, 32767])
def test_group_that_does_not_exist_stays_dark(group: int) -> None:
    thymio = scripted()
    send_command(thymio, Event.SET_LED, group, *VALUES)
    assert thymio.body.lights == {}


@pytest.mark.parametrize(
    ("event", "native"),
    [
        (Event.SET_LED_TOP, "leds.top"),
        (Event.SET_LED_BOTTOM_RIGHT, "leds.bottom.right"),
        (Event.SET_LED_BOTTOM_LEFT, "leds.bottom.left"),
    ],
)
def test_body_shows_a_colour(event: Event, native: str) -> None:
    thymio = scripted()
    send_command(thymio, event, 32, 16, 0)
    assert thymio.body.lights == {native: (32, 16, 0)}


def test_system_sound_plays_and_is_stopped() -> None:
    thymio = scripted()
    send_command(thymio, Event.PLAY_SYSTEM_SOUND, 4)
    assert thymio.body.sound == Sound("sound.system", 4, 1.0)
    send_command(thymio, Event.PLAY_SYSTEM_SOUND, -1)
    assert thymio.body.sound is None


def test_tone_plays_for_its_duration() -> None:
    thymio = scripted()
    send_command(thymio, Event.PLAY_SOUND, 440, 30)
    advance(thymio, 49)
    assert thymio.body.sound is not None
    assert thymio.body.sound.argument == 440
    advance(thymio, 1)
    assert thymio.body.sound is None


def test_infrared_communication_is_switched_and_its_payload_set() -> None:
    thymio = scripted()
    send_command(thymio, Event.ENABLE_COMM, 1)
    send_command(thymio, Event.SET_COMM_PAYLOAD, 1234)
    assert thymio.body.communicates
    assert thymio.variable("prox.comm.tx") == [1234]
    send_command(thymio, Event.ENABLE_COMM, 0)
    assert not thymio.body.communicates


def test_robot_switches_off_with_its_wheels_and_lights() -> None:
    thymio = scripted()
    send_command(thymio, Event.SET_SPEED, 100, 100)
    send_command(thymio, Event.SET_LED_TOP, 32, 32, 32)
    send_command(thymio, Event.SHUTDOWN)
    advance(thymio, 100)
    assert (thymio.body.is_on, thymio.targets_raw, thymio.body.lights, thymio.outbox) == (False, (0, 0), {}, [])


@pytest.mark.slow
@settings(deadline=None, max_examples=30)
@given(period_ms=st.integers(20, 32767), length=st.integers(1, 40), start=st.integers(0, 100))
def test_harmonic_wave_is_the_fourth_power_of_a_cosine(period_ms: int, length: int, start: int) -> None:
    thymio = gesture(scripted(), period_ms=period_ms, length=length)
    advance(thymio, STEP_TICKS * start)
    shown = frames(thymio, 1)[0]
    turns = (start + 1) * STEP_S / (0.001 * period_ms)
    assert shown == pytest.approx([harmonic(turns - led / length) for led in range(8)], abs=1.01)


@pytest.mark.parametrize(("period_ms", "length"), [(800, 8), (3000, 24), (1000, 1), (20, 4), (30000, 3)])
def test_rectangular_wave_is_a_quarter_bright_a_quarter_dim_and_half_dark(period_ms: int, length: int) -> None:
    thymio = gesture(scripted(), wave=Wave.RECT, period_ms=period_ms, length=length)
    for number, shown in enumerate(frames(thymio, 60), start=1):
        turns = number * STEP_S / (0.001 * period_ms)
        # between two steps the word for the angle may fall on either side of an edge
        allowed = [{rectangle(turns - led / length + slack) for slack in (-2e-4, 2e-4)} for led in range(8)]
        assert all(level in levels for level, levels in zip(shown, allowed, strict=True))


def test_wave_travels_towards_higher_leds() -> None:
    thymio = gesture(scripted(), period_ms=800, length=8)
    crests = [shown.index(max(shown)) for shown in frames(thymio, 40)[4::5]]
    assert crests == [1, 2, 3, 4, 5, 6, 7, 0]


def test_wave_of_length_one_is_the_same_on_all_leds() -> None:
    assert all(len(set(shown)) == 1 for shown in frames(gesture(scripted(), length=1), 50))


def test_mean_period_is_right_although_it_is_not_a_multiple_of_a_step() -> None:
    thymio = gesture(scripted(), wave=Wave.RECT, period_ms=90, length=1)
    shown = [frame[0] for frame in frames(thymio, 4500)]
    assert sum(earlier < later for earlier, later in itertools.pairwise(shown)) == pytest.approx(1000, abs=1)


@settings(deadline=None, max_examples=20)
@given(mirror=st.integers(1, 15), wave=st.sampled_from(Wave), steps=st.integers(1, 60))
def test_mirrored_leds_show_the_mean_of_both(mirror: int, wave: Wave, steps: int) -> None:
    thymio = gesture(scripted(), wave=wave, length=12, mirror=mirror)
    shown = frames(thymio, steps)[-1]
    mirrored = [led for led in range(8) if 0 <= mirror - led < 8]
    assert [shown[led] for led in mirrored] == [shown[mirror - led] for led in mirrored]


@settings(deadline=None, max_examples=20)
@given(mirror=st.integers(1, 15), steps=st.integers(1, 60))
def test_partners_of_mirrored_leds_may_lie_beyond_their_group(mirror: int, steps: int) -> None:
    shown = frames(gesture(scripted(), length=12, mirror=mirror), steps)[-1]
    turns = steps * STEP_S
    partners = [mirror - led if led <= mirror else led for led in range(8)]
    waves = [(harmonic(turns - led / 12.0), harmonic(turns - partner / 12.0)) for led, partner in enumerate(partners)]
    assert shown == pytest.approx([0.5 * sum(pair) for pair in waves], abs=2.01)


def test_kit_runs_to_and_fro_over_the_six_leds_in_front() -> None:
    thymio = scripted()
    send_command(thymio, Event.SET_LED_GESTURE, *kit_gesture(1.2))
    shown = frames(thymio, 60, "leds.prox.h")
    assert {led for frame in shown for led in range(8) if frame[led]} == set(range(6))
    crests = [frame.index(max(frame)) for frame in shown]
    assert crests[:30] == sorted(crests[:30])
    assert crests[30:] == sorted(crests[30:], reverse=True)


def test_masked_leds_stay_dark_and_the_others_do_not() -> None:
    thymio = gesture(scripted(), length=1, mask=(1, 0, 5, 0, -1, 0, 1, 0))
    assert max(frames(thymio, 50)) == (32, 0, 32, 0, 32, 0, 32, 0)


def test_gesture_ends_dark() -> None:
    thymio = gesture(scripted())
    frames(thymio, 10)
    send_command(thymio, Event.SET_LED_GESTURE, *GESTURE_OFF)
    assert frames(thymio, 10) == [(0,) * 8] * 10


def test_ending_a_gesture_when_none_runs_changes_no_lights() -> None:
    thymio = scripted()
    send_command(thymio, Event.SET_LED, LedGroup.CIRCLE, *VALUES)
    send_command(thymio, Event.SET_LED_GESTURE, *GESTURE_OFF)
    assert frames(thymio, 5) == [VALUES] * 5


def test_gesture_that_moves_to_other_leds_leaves_the_first_dark() -> None:
    thymio = gesture(scripted())
    frames(thymio, 10)
    gesture(thymio, group=LedGroup.BUTTONS)
    assert max(frames(thymio, 50, "leds.buttons"))[0] > 0
    assert thymio.body.lights["leds.circle"] == (0,) * 8


def test_gesture_gives_way_to_lights_that_are_set() -> None:
    thymio = gesture(scripted())
    frames(thymio, 10)
    send_command(thymio, Event.SET_LED, LedGroup.CIRCLE, *VALUES)
    assert frames(thymio, 10) == [VALUES] * 10


def test_lights_of_another_group_do_not_end_a_gesture() -> None:
    thymio = gesture(scripted())
    send_command(thymio, Event.SET_LED, LedGroup.BUTTONS, *VALUES)
    assert len(set(frames(thymio, 50))) > 10


@pytest.mark.parametrize(("period_ms", "length"), [(0, 8), (19, 8), (-1000, 8), (1000, 0), (1000, -1)])
def test_gesture_without_period_or_length_is_ignored(period_ms: int, length: int) -> None:
    thymio = gesture(scripted(), period_ms=period_ms, length=length)
    advance(thymio, 100)
    assert (thymio.body.lights, thymio.outbox[0].type) == ({}, Event.ODOMETRY)


@pytest.mark.slow
@settings(deadline=None, max_examples=50)
@given(st.lists(st.integers(-32768, 32767), min_size=14, max_size=14))
def test_no_gesture_stops_the_script(words: list[int]) -> None:
    thymio = scripted()
    send_command(thymio, Event.SET_LED_GESTURE, *words)
    send_command(thymio, Event.SET_LED_GESTURE, Gesture.WAVE, *words[1:])
    advance(thymio, 10)
    assert {message.type for message in thymio.outbox} == {Event.ODOMETRY}
