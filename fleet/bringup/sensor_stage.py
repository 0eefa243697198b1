"""The stage `sensors`: the robot at rest, then each sensor covered, turned, pressed or clapped at in turn."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from aseba_link.thymio.events import Event
from aseba_link.thymio.hand_request import HandAction
from aseba_link.thymio.sensor_events import PROXIMITY_POSES
from fleet.bringup.bringup_record import BUTTON_EVENTS
from fleet.bringup.bringup_script import GUARD_RAW
from fleet.bringup.cause import Cause
from fleet.bringup.robot_bench import HAND_S, RobotBench, Steps
from fleet.bringup.stage_result import BringupStage, Measure, StageResult, Symptom, judged

_REST_S = 3.0
_NEAR_RAW = 1000  # a covered sensor reads more
_FAINT_RAW = 200  # less is nothing
_FREE_RAW = 150
_FLOOR_RAW = 200  # the driver's threshold of a floor
_TILT_RAW = 15
_ASKEW_RAW = 9  # 23 degrees
_PRESSED = ("forward", "left", "right", "backward")  # never the centre, which switches the robot off
_FEW_ANSWERS = 2  # ineffective requests, after which the person is assumed to be absent
_SOUND_RAW = 20


@dataclass(frozen=True, slots=True)
class RestReadings:
    """Raw sensors of an untouched robot on its floor: means, and the largest proximity readings."""

    proximity_raw: tuple[float, ...]
    ground_raw: tuple[float, ...]
    acceleration_raw: tuple[float, ...]
    temperature_raw: int | None = None
    pressed: tuple[str, ...] = ()


@dataclass(slots=True)
class TouchReadings:
    """Largest readings while each sensor was stimulated; `tilts` are with the nose up, then the left side up."""

    covered: dict[int, tuple[int, ...]] = field(default_factory=dict)  # the seven, by the covered one
    paper: tuple[int, ...] = ()  # ground sensors, the left one above paper
    tilts: list[tuple[int, ...]] = field(default_factory=list)
    buttons: dict[str, tuple[str, ...]] = field(default_factory=dict)  # felt, by pressed
    heard: bool | None = None


def judge_rest(rest: RestReadings) -> tuple[list[Measure], list[Symptom]]:
    """Return measures and symptoms of an untouched robot's sensors."""
    names = list(PROXIMITY_POSES)
    checks = [
        (Measure(f"proximity {name}", value, "", 0.0, _FREE_RAW), Cause.STUCK_SENSOR, True)
        for name, value in zip(names, rest.proximity_raw, strict=False)
    ]
    is_dark = bool(rest.ground_raw) and max(rest.ground_raw) < _FLOOR_RAW
    ground = Cause.DARK_FLOOR if is_dark else Cause.GROUND_SENSOR
    checks += [
        (Measure(f"ground {side}", value, "", _FLOOR_RAW, 1023.0), ground, True)
        for side, value in zip(("left", "right"), rest.ground_raw, strict=False)
    ]
    ranges = (("leftward", -4.0, 4.0), ("backward", -4.0, 4.0), ("downward", 20.0, 26.0))
    checks += [
        (Measure(f"gravity {axis}", value, "", least, most), Cause.ACCELEROMETER, True)
        for (axis, least, most), value in zip(ranges, rest.acceleration_raw, strict=False)
    ]
    if rest.temperature_raw is not None:
        checks.append((Measure("temperature", 0.1 * rest.temperature_raw, "C", 5.0, 50.0), Cause.TEMPERATURE, False))
    measures, symptoms = judged(checks)
    if rest.pressed:
        symptoms.insert(0, Symptom(Cause.BUTTON_STUCK, f"pressed without a touch: {', '.join(rest.pressed)}"))
    for name, readings in (("proximity", rest.proximity_raw), ("ground", rest.ground_raw)):
        if not readings:
            symptoms.append(Symptom(Cause.SCRIPT_STOPS, f"no {name} readings came"))
    return measures, symptoms


def judge_touched(touched: TouchReadings) -> list[Symptom]:
    """Return symptoms of the sensors, from their readings while they were touched."""
    symptoms = _proximity_symptoms(touched.covered)
    if touched.paper:
        symptoms += _paper_symptoms(touched.paper)
    if len(touched.tilts) == 2:
        (nose_leftward, nose_backward, _), (left_leftward, left_backward, _) = touched.tilts
        is_skewed = max(abs(nose_leftward), abs(left_backward)) > _ASKEW_RAW
        if nose_backward < _TILT_RAW or left_leftward > -_TILT_RAW or is_skewed:
            text = f"on its rear {touched.tilts[0]}, on its right side {touched.tilts[1]}"
            symptoms.append(Symptom(Cause.ACCELEROMETER, f"gravity leftward, backward, downward: {text}"))
    for name, felt in touched.buttons.items():
        if not felt:
            symptoms.append(Symptom(Cause.BUTTON_DEAD, f"button {name} was not felt"))
        elif name not in felt:
            symptoms.append(Symptom(Cause.BUTTON_SWAPPED, f"button {name} was felt as {', '.join(felt)}"))
    if touched.heard is False:
        symptoms.append(Symptom(Cause.MICROPHONE, "no sound was heard", is_fatal=False))
    return symptoms


def _proximity_symptoms(covered: dict[int, tuple[int, ...]]) -> list[Symptom]:
    names, symptoms = list(PROXIMITY_POSES), []
    if len(covered) >= _FEW_ANSWERS and all(max(readings, default=0) < _FAINT_RAW for readings in covered.values()):
        return [Symptom(Cause.NO_ANSWER, "no proximity sensor was covered")]
    for index, readings in covered.items():
        own = readings[index]
        others = [names[other] for other, reading in enumerate(readings) if other != index and reading > _NEAR_RAW]
        if own > _NEAR_RAW:
            continue
        if others:
            symptoms.append(Symptom(Cause.SWAPPED_SENSORS, f"for {names[index]}, {', '.join(others)} answered"))
        elif own > _FAINT_RAW:
            symptoms.append(Symptom(Cause.WEAK_SENSOR, f"{names[index]} read {own} at most", is_fatal=False))
        else:
            symptoms.append(Symptom(Cause.BLIND_SENSOR, f"{names[index]} read {own} at most"))
    return sorted(symptoms, key=lambda symptom: symptom.cause is not Cause.SWAPPED_SENSORS)


def _paper_symptoms(paper: Sequence[int]) -> list[Symptom]:
    left, right = paper
    text = f"with paper under the left one only, left {left} and right {right}"
    if left <= GUARD_RAW and right > GUARD_RAW:
        return [Symptom(Cause.GROUND_SWAPPED, text)]
    if left <= GUARD_RAW or right > GUARD_RAW:
        return [Symptom(Cause.GROUND_SENSOR, text)]
    return []


def sensor_stage(bench: RobotBench) -> Steps[StageResult]:
    """Read the robot at rest, then ask for each touch; the robot does not move."""
    bench.record.clear()
    bench.ask_hand(HandAction.AWAY, "stand the robot on its floor, 20 cm free around it, and take your hands away")
    yield from bench.wait(_REST_S)
    rest = yield from _rest(bench)
    measures, symptoms = judge_rest(rest)
    series: dict[str, list[list[float]]] = {
        "proximity at rest": [list(words) for words in bench.record.values(Event.PROXIMITY)],
        "acceleration at rest": [list(words) for words in bench.record.values(Event.ACCELEROMETER)],
    }
    notes: tuple[str, ...] = ()
    if not symptoms and bench.options.has_hands:
        touched = yield from _touched(bench)
        symptoms = judge_touched(touched)
        series["covered [sensor, readings]"] = [[index, *words] for index, words in touched.covered.items()]
    elif not symptoms:
        notes = ("nobody touched the sensors",)
    bench.ask_hand(HandAction.AWAY, "")
    return StageResult(BringupStage.SENSORS, tuple(measures), tuple(symptoms), series, notes)


def _rest(bench: RobotBench) -> Steps[RestReadings]:
    pressed = []
    for name in BUTTON_EVENTS:
        if any((yield from bench.read(f"button.{name}"))):
            pressed.append(name)
    since_ns = bench.now_ns
    yield from bench.wait(_REST_S)
    pressed += [name for name, event in BUTTON_EVENTS.items() if (1,) in bench.record.values(event, since_ns)]
    temperature = bench.record.latest(Event.TEMPERATURE)
    return RestReadings(
        tuple(map(max, zip(*bench.record.values(Event.PROXIMITY, since_ns), strict=True))),
        _means(bench.record.values(Event.GROUND, since_ns)),
        _means(bench.record.values(Event.ACCELEROMETER, since_ns)),
        temperature[0] if temperature else None,
        tuple(pressed),
    )


def _touched(bench: RobotBench) -> Steps[TouchReadings]:
    touched = TouchReadings()
    for index, name in enumerate(PROXIMITY_POSES):
        bench.ask_hand(HandAction.COVER, f"cover the proximity sensor {name.replace('_', ' ')} with a finger", index)
        touched.covered[index] = yield from _peak(bench, Event.PROXIMITY, _is_near(index))
        if len(touched.covered) >= _FEW_ANSWERS and _proximity_symptoms(touched.covered)[:1] and _is_nobody(touched):
            return touched
        bench.ask_hand(HandAction.AWAY, "")
        yield from _until(bench, Event.PROXIMITY, lambda words: max(words) < _FREE_RAW, 5.0)
    text = "hold the robot up, with white paper under its left ground sensor only"
    bench.ask_hand(HandAction.COVER_GROUND, text)
    yield from _until(bench, Event.GROUND, lambda words: min(words) < GUARD_RAW < max(words), HAND_S)
    touched.paper = bench.record.latest(Event.GROUND)
    for action, text, axis in (
        (HandAction.NOSE_UP, "stand the robot on its rear, nose up", 1),
        (HandAction.LEFT_UP, "lay the robot on its right side", 0),
    ):
        bench.ask_hand(action, text)
        sign = 1 if action is HandAction.NOSE_UP else -1
        is_right = _tilted(axis, sign)
        yield from _until(bench, Event.ACCELEROMETER, is_right, HAND_S / 2)
        touched.tilts.append(bench.record.latest(Event.ACCELEROMETER))
    bench.ask_hand(HandAction.AWAY, "put the robot back on its floor")
    yield from _until(bench, Event.GROUND, lambda words: min(words) > GUARD_RAW, HAND_S)
    for name in _PRESSED:
        touched.buttons[name] = yield from _felt(bench, name)
    touched.heard = yield from _heard(bench)
    return touched


def _is_nobody(touched: TouchReadings) -> bool:
    return _proximity_symptoms(touched.covered)[0].cause is Cause.NO_ANSWER


def _is_near(index: int) -> Callable[[tuple[int, ...]], bool]:
    return lambda words: words[index] > _NEAR_RAW


def _tilted(axis: int, sign: int) -> Callable[[tuple[int, ...]], bool]:
    return lambda words: sign * words[axis] > _TILT_RAW


def _felt(bench: RobotBench, name: str) -> Steps[tuple[str, ...]]:
    text = f"press the button {name} until the next request"
    bench.ask_hand(HandAction.PRESS, text, list(BUTTON_EVENTS).index(name))
    found = yield from bench.felt_buttons(tuple(BUTTON_EVENTS))
    bench.ask_hand(HandAction.AWAY, "")
    yield from bench.wait(1.5)
    return found


def _heard(bench: RobotBench) -> Steps[bool]:
    bench.command(Event.SET_SOUND_THRESHOLD, _SOUND_RAW)
    yield from bench.wait(0.2)
    since_ns = bench.now_ns
    bench.ask_hand(HandAction.CLAP, "clap beside the robot")
    is_heard = yield from bench.wait_until(lambda: bool(bench.record.values(Event.SOUND, since_ns)), HAND_S)
    bench.command(Event.SET_SOUND_THRESHOLD, 0)
    bench.ask_hand(HandAction.AWAY, "")
    return is_heard


def _peak(bench: RobotBench, event: Event, is_enough: Callable[[tuple[int, ...]], bool]) -> Steps[tuple[int, ...]]:
    """Return the largest reading of each sensor until one suffices, or for half a request's time."""
    since_ns = bench.now_ns
    yield from _until(bench, event, is_enough, HAND_S / 2)
    return tuple(np.max(np.array(bench.record.values(event, since_ns) or [(0,) * 7]), axis=0).tolist())


def _until(
    bench: RobotBench, event: Event, is_enough: Callable[[tuple[int, ...]], bool], limit_s: float
) -> Steps[bool]:
    since_ns = bench.now_ns
    return (
        yield from bench.wait_until(lambda: any(map(is_enough, bench.record.values(event, since_ns)[-1:])), limit_s)
    )


def _means(rows: Sequence[Sequence[int]]) -> tuple[float, ...]:
    return tuple(np.mean(np.array(rows, dtype=float), axis=0).tolist()) if rows else ()
