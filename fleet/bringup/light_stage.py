"""The stage `lights`: a light, a tone, the motors' settings, and the battery."""

from collections.abc import Sequence

from aseba_link.thymio.battery_cell import charge_at
from aseba_link.thymio.events import Event, battery_volts
from aseba_link.thymio.hand_request import HandAction, Sight
from fleet.bringup.bringup_script import SETTINGS
from fleet.bringup.cause import Cause
from fleet.bringup.robot_bench import HAND_S, RobotBench, Steps
from fleet.bringup.stage_result import BringupStage, Measure, StageResult, Symptom, judged

_TONE_HZ, _TONE_60TH_S = 440, round((HAND_S + 1.0) * 60)
_GREEN = (0, 32, 0)
_READINGS = 5
_EMPTY_V, _LOW_V, _FULL_V, _ABSURD_V = 3.0, 3.6, 4.3, 4.5
_NEUTRAL = 256  # the firmware's motor correction
_CORRECTED = 13  # 5 %


def judge_battery(volts: Sequence[float]) -> tuple[list[Measure], list[Symptom]]:
    """Return measures and symptoms of the voltage of a resting robot."""
    if not volts:
        return [], [Symptom(Cause.LOST, "the battery was not read")]
    mean_v = sum(volts) / len(volts)
    if not _EMPTY_V <= mean_v <= _ABSURD_V:
        return judged([(Measure("battery", mean_v, "V", _EMPTY_V, _FULL_V), Cause.BATTERY_GAUGE, True)])
    return judged([(Measure("battery", mean_v, "V", _LOW_V, _ABSURD_V), Cause.BATTERY_LOW, True)])


def judge_settings(settings: Sequence[int]) -> list[Symptom]:
    """Return a symptom if the motors' corrections, left and right, are not neutral; firmware without them reads 0."""
    if len(settings) != 2 or not any(settings):
        return []
    if max(abs(setting - _NEUTRAL) for setting in settings) <= _CORRECTED:
        return []
    text = f"the motors' corrections are {settings[0]} and {settings[1]} instead of {_NEUTRAL}"
    return [Symptom(Cause.MOTOR_SETTINGS, text, is_fatal=False)]


def light_stage(bench: RobotBench) -> Steps[StageResult]:
    """Show a light and play a tone, ask about both and the charger, and read the battery."""
    bench.record.clear()
    volts = []
    for _ in range(_READINGS):
        words = yield from bench.read("_vbat")
        volts += [battery_volts(words)] if len(words) == 2 else []
        yield from bench.wait(0.2)
    measures, symptoms = judge_battery(volts)
    settings = yield from bench.read(SETTINGS)
    symptoms += judge_settings(settings)
    notes = [f"charge about {100.0 * charge_at(sum(volts) / len(volts)):.0f} %"] if volts else []
    if bench.options.has_hands:
        symptoms += yield from _seen_and_heard(bench)
    else:
        notes.append("nobody looked at the lights")
    series = {"battery [V]": [[round(value, 4)] for value in volts], "motor settings": [[*map(float, settings)]]}
    return StageResult(BringupStage.LIGHTS, tuple(measures), tuple(symptoms), series, tuple(notes))


def _seen_and_heard(bench: RobotBench) -> Steps[list[Symptom]]:
    symptoms = []
    bench.command(Event.SET_LED_TOP, *_GREEN)
    yield from bench.wait(0.3)
    is_green = yield from bench.look(Sight.GREEN_LIGHT, "The robot's top should be green.")
    bench.command(Event.SET_LED_TOP, 0, 0, 0)
    bench.ask_hand(HandAction.AWAY, "")
    yield from bench.wait(1.5)
    bench.command(Event.PLAY_SOUND, _TONE_HZ, _TONE_60TH_S)
    yield from bench.wait(0.3)
    is_heard = yield from bench.look(Sight.TONE, "You should hear a tone.")
    bench.command(Event.PLAY_SYSTEM_SOUND, -1)
    bench.ask_hand(HandAction.AWAY, "")
    yield from bench.wait(1.5)
    text = (
        "Plug a cable into the robot, if there is none: the lamp beside its socket should be lit, or the battery full."
    )
    is_charging = yield from bench.look(Sight.CHARGING, text)
    bench.ask_hand(HandAction.AWAY, "unplug the cable again, unless it connects the robot")
    yield from bench.wait(1.0)
    answers = ((is_green, Cause.LIGHTS_DARK), (is_heard, Cause.NO_SOUND), (is_charging, Cause.NOT_CHARGING))
    for answer, cause in answers:
        if answer is None:
            symptoms.append(Symptom(Cause.NO_ANSWER, "neither button was pressed", is_fatal=False))
        elif not answer:
            symptoms.append(Symptom(cause, "the person pressed backward", is_fatal=False))
    return symptoms
