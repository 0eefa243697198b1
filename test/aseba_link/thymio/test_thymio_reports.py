"""The shipped script on a simulated Thymio: which sensors it reports, how often, and with which content."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aseba_link.aesl.compiler import compile_code, shipped_script
from aseba_link.thymio.events import EVENT_SIZES, Event, Reports, script_constants
from harness.aseba.scripted_robot import ALL_REPORTS, NODE_ID, advance, scripted, send_command, sent_events
from simulator.firmware.body import Reception
from simulator.firmware.thymio import Thymio, thymio_description

SECOND = 100  # ticks
RECEPTION = Reception(42, (0, 0, 42, 42, 0, 0, 0), (0, 0, 3000, 2000, 0, 0, 0))


def disturb(thymio: Thymio) -> None:
    """Stimulate all sensors of a robot."""
    thymio.body.buttons = (True,) * 5
    thymio.body.is_tapped = True
    thymio.body.loudness_raw = 200
    thymio.body.remote = (1, 2)
    thymio.body.receptions.append(RECEPTION)


def test_robot_reports_only_odometry_by_default() -> None:
    thymio = scripted()
    thymio.body.buttons = (True,) * 5
    thymio.body.is_tapped = True
    thymio.body.loudness_raw = 200
    thymio.body.remote = (1, 2)
    advance(thymio, 3 * SECOND)
    assert sent_events(thymio) == []


def test_robot_does_not_send_by_infrared_by_default() -> None:
    assert not scripted().body.communicates


def test_every_report_is_as_long_as_its_event() -> None:
    thymio = scripted(reports=ALL_REPORTS)
    disturb(thymio)
    advance(thymio, 2 * SECOND)
    reported = sent_events(thymio)
    assert {event for event, _ in reported} == set(Event) & set(range(Event.PROXIMITY, Event.SHUTDOWN))
    assert all(len(words) == EVENT_SIZES[event] for event, words in reported)


@pytest.mark.parametrize(
    ("reports", "event", "per_second"),
    [
        (Reports(proximity_hz=10.0), Event.PROXIMITY, 10),
        (Reports(proximity_hz=5.0), Event.PROXIMITY, 5),
        (Reports(ground_hz=2.0), Event.GROUND, 2),
        (Reports(ground_raw_hz=1.0), Event.GROUND_AMBIENT, 1),
        (Reports(ground_raw_hz=1.0), Event.GROUND_REFLECTED, 1),
        (Reports(accelerometer_hz=8.0), Event.ACCELEROMETER, 8),
        (Reports(buttons_hz=10.0), Event.BUTTONS, 10),
        (Reports(temperature=True), Event.TEMPERATURE, 1),
    ],
)
def test_report_is_sent_at_its_rate(reports: Reports, event: Event, per_second: int) -> None:
    thymio = scripted(reports=reports)
    advance(thymio, 4 * SECOND)
    assert [kind for kind, _ in sent_events(thymio)].count(event) == 4 * per_second


def test_proximity_is_reported_as_it_was_read() -> None:
    thymio = scripted(reports=Reports(proximity_hz=10.0))
    thymio.body.proximity_raw = (1, 2, 3, 4, 5, 6, 4505)
    advance(thymio, 10)
    assert sent_events(thymio) == [(Event.PROXIMITY, (1, 2, 3, 4, 5, 6, 4505))]


def test_ground_is_reported_with_and_without_the_ambient_light() -> None:
    thymio = scripted(reports=Reports(ground_hz=10.0, ground_raw_hz=10.0))
    thymio.body.ground_raw, thymio.body.ambient_raw = (900, 80), (30, 1000)
    advance(thymio, 10)
    assert sent_events(thymio) == [
        (Event.GROUND, (900, 80)),
        (Event.GROUND_AMBIENT, (30, 1000)),
        (Event.GROUND_REFLECTED, (930, 1023)),
    ]


@settings(deadline=None, max_examples=30)
@given(samples=st.lists(st.tuples(*[st.integers(-32, 31)] * 3), min_size=32, max_size=32))
def test_no_acceleration_is_lost_between_reports(samples: list[tuple[int, int, int]]) -> None:
    thymio = scripted(reports=Reports(accelerometer_hz=4.0))
    for tick in range(2 * SECOND):
        thymio.body.acceleration_raw = samples[tick * 16 // SECOND]
        thymio.advance()
    reported = [words for _, words in sent_events(thymio)]
    measured = [samples[((100 * number + 15) // 16 - 1) * 16 // SECOND] for number in range(1, 33)]
    sums = [sum(axis) for axis in zip(*measured, strict=True)]
    assert [4 * sum(axis) for axis in zip(*reported, strict=True)] == pytest.approx(sums, abs=3)


def test_level_robot_reports_the_push_of_the_floor() -> None:
    thymio = scripted(reports=Reports(accelerometer_hz=8.0))
    advance(thymio, SECOND)
    assert sent_events(thymio)[-1] == (Event.ACCELEROMETER, (0, 0, 23))


def test_short_touch_between_two_reports_of_buttons_is_not_missed() -> None:
    thymio = scripted(reports=Reports(buttons_hz=5.0))
    advance(thymio, 4)
    thymio.body.buttons = (False, True, False, False, True)
    advance(thymio, 8)
    thymio.body.buttons = (False,) * 5
    advance(thymio, 28)
    assert sent_events(thymio) == [(Event.BUTTONS, (0, 1, 0, 0, 1)), (Event.BUTTONS, (0,) * 5)]


@pytest.mark.parametrize("index", range(5))
def test_each_button_is_reported_as_it_is_pressed_and_released(index: int) -> None:
    thymio = scripted(reports=Reports(button=True))
    for touched in (index, None):
        thymio.body.buttons = tuple(number == touched for number in range(5))
        advance(thymio, 10)
    event = Event(Event.BUTTON_BACKWARD + index)
    assert sent_events(thymio) == [(event, (1,)), (event, (0,))]


def test_tap_is_reported_once() -> None:
    thymio = scripted(reports=Reports(tap=True))
    thymio.body.is_tapped = True
    advance(thymio, SECOND)
    assert sent_events(thymio) == [(Event.TAP, ())]


def test_temperature_is_reported_in_tenths_of_a_degree() -> None:
    thymio = scripted(reports=Reports(temperature=True))
    thymio.body.temperature_raw = -31
    advance(thymio, SECOND)
    assert sent_events(thymio) == [(Event.TEMPERATURE, (-31,))]


def test_remote_control_is_reported_with_its_address() -> None:
    thymio = scripted(reports=Reports(remote=True))
    thymio.body.remote = (5, 80)
    advance(thymio, SECOND)
    assert sent_events(thymio) == [(Event.REMOTE, (5, 80))]


def test_reception_from_another_robot_is_reported_with_all_sensors() -> None:
    thymio = scripted(reports=Reports(comm=True))
    assert thymio.body.communicates
    thymio.body.receptions.append(RECEPTION)
    advance(thymio, 1)
    assert sent_events(thymio) == [(Event.COMM, (42, *RECEPTION.payloads, *RECEPTION.intensities))]


def test_sound_is_reported_as_the_loudest_of_a_tenth_of_a_second() -> None:
    thymio = scripted(reports=Reports(sound=True))
    for loudness_raw in (30, 90, 60, 60):
        thymio.body.loudness_raw = loudness_raw
        advance(thymio, 2)
    thymio.body.loudness_raw = 0
    advance(thymio, SECOND)
    assert sent_events(thymio) == [(Event.SOUND, (90,))]


def test_lasting_noise_does_not_flood_the_radio() -> None:
    thymio = scripted(reports=Reports(sound=True))
    thymio.body.loudness_raw = 200
    advance(thymio, SECOND)
    assert sent_events(thymio) == [(Event.SOUND, (200,))] * 10


@pytest.mark.parametrize(("threshold", "is_reported"), [(0, False), (99, True), (100, False)])
def test_only_sounds_above_the_threshold_are_reported(threshold: int, is_reported: bool) -> None:
    thymio = scripted(reports=Reports(sound=True))
    send_command(thymio, Event.SET_SOUND_THRESHOLD, threshold)
    thymio.body.loudness_raw = 100
    advance(thymio, SECOND)
    assert bool(sent_events(thymio)) is is_reported


def test_script_that_reports_everything_reports_to_its_host_alone() -> None:
    sender, other = scripted(reports=ALL_REPORTS), scripted(NODE_ID + 1, ALL_REPORTS)
    disturb(sender)
    advance(sender, SECOND)
    for message in sender.outbox:
        other.handle(message)
    assert other.outbox == []


@pytest.mark.parametrize("missing", [(), ("prox.comm.rx._payloads", "prox.comm.rx._intensities", "_poweroff")])
def test_script_fits_into_nodes_with_and_without_what_the_playground_lacks(missing: tuple[str, ...]) -> None:
    full = thymio_description()
    description = replace(
        full,
        variables=tuple(variable for variable in full.variables if variable.name not in missing),
        native_functions=tuple(function for function in full.native_functions if function.name not in missing),
    )
    script = shipped_script().with_constants(script_constants(20.0, ALL_REPORTS))
    compiled = compile_code(script.codes[0].text, script.events, script.constants, description)
    assert len(compiled.bytecode) <= 1534
    assert sum(variable.size for variable in compiled.variables) <= 512
