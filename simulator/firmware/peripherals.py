"""Runs a Thymio's sensors and actuators as its firmware does: named variables, and local events at their rates.

Rates are those of firmware 14, except `motor`: 100 Hz instead of 97.66 Hz.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from simulator.firmware.body import BUTTONS, Body, Reception

TICK_S: Final = 0.01

_TICK_MS: Final = round(1000.0 * TICK_S)
_TICKS_PER_S: Final = round(1.0 / TICK_S)
_BUTTONS_HZ = 50
_PROX_HZ = 10
_ACC_HZ = 16
_MIC_HZ = 61  # 128 samples at 7812.5 Hz
_TEMPERATURE_HZ = 1
_PRESS_READINGS: Final = 4  # consecutive readings with the button touched; this and the next are firmware 14's
_SWITCH_OFF_READINGS: Final = 113  # of the center button: 2.25 s
_BRIGHTEST: Final = 32
_BRIGHTEST_FLOOR_RAW: Final = 1023

_BUTTONS = tuple(f"button.{name}" for name in BUTTONS)
_CENTER = BUTTONS.index("center")
_UNTOUCHED: Final[tuple[bool, ...]] = (False,) * len(BUTTONS)
_RELEASED: Final = [0] * len(BUTTONS)
_LIGHTS = ("leds.top", "leds.bottom.left", "leds.bottom.right", "leds.circle")  # native functions and variables
_TIMERS = ("timer0", "timer1")

RaiseEvent = Callable[[str], None]  # called with the name of a local event


def _is_due(tick: int, rate_hz: int) -> bool:
    """Return whether an event at this rate occurs in a tick."""
    return tick * rate_hz // _TICKS_PER_S != (tick - 1) * rate_hz // _TICKS_PER_S


class _Due:
    """The sensors that are read in a given tick of a second."""

    def __init__(self, tick: int) -> None:
        self.buttons = _is_due(tick, _BUTTONS_HZ)
        self.prox = _is_due(tick, _PROX_HZ)
        self.acc = _is_due(tick, _ACC_HZ)
        self.mic = _is_due(tick, _MIC_HZ)
        self.temperature = _is_due(tick, _TEMPERATURE_HZ)


_DUE: Final = [_Due(tick) for tick in range(_TICKS_PER_S)]


class Peripherals:
    """Connects a body to the variables of its firmware.

    Parameters
    ----------
    body : sensors and actuators
    memory : the virtual machine's variables
    addresses : start and size of each named variable
    """

    def __init__(self, body: Body, memory: list[int], addresses: Mapping[str, tuple[int, int]]) -> None:
        self._body = body
        self._memory = memory
        self._places = {name: slice(start, start + size) for name, (start, size) in addresses.items()}
        self._intensity, self._threshold = addresses["mic.intensity"][0], addresses["mic.threshold"][0]
        self._speeds = addresses["motor.left.speed"][0]
        self._battery = addresses["_vbat"][0]
        self._button_words = self._span(_BUTTONS[0], _BUTTONS[-1])
        self._first_light = addresses[_LIGHTS[0]][0]
        self._light_words = self._span(_LIGHTS[0], _LIGHTS[-1])
        self._periods = addresses["timer.period"][0]
        self._tick = 0
        self._touches = [0] * len(BUTTONS)  # consecutive readings in which each button was touched
        self._timer_ms = [0, 0]
        self._timer_periods_ms = [0, 0]
        self._light_words_before: list[int] = []
        self._lights_set: dict[str, tuple[int, ...]] = {}

    def read_all(self) -> None:
        """Write the variables of all sensors."""
        self._read_motors()
        self._read_proximity()
        self._write("acc", self._body.acceleration_raw)
        self._write("temperature", (self._body.temperature_raw,))
        self._touches = [_PRESS_READINGS if is_touched else 0 for is_touched in self._body.buttons]
        self._memory[self._button_words] = self._pressed()
        self._light_words_before = self._memory[self._light_words]

    def advance(self, raise_event: RaiseEvent) -> None:
        """Advance by 10 ms: call `raise_event` for each due local event, lower ranks first.

        At each event its own variables are up to date; those of later events are not.
        """
        self._tick += 1
        due = _DUE[self._tick % _TICKS_PER_S]
        body = self._body
        self._read_motors()
        if due.buttons:
            self._show_lights()
            if body.buttons != _UNTOUCHED or not self._touches == self._memory[self._button_words] == _RELEASED:
                self._read_touches(raise_event)
            raise_event("buttons")
        if due.prox:
            self._read_proximity()
            raise_event("prox")
        if body.is_tapped or body.receptions:
            self._report_receptions_and_taps(raise_event)
        if due.acc:
            self._write("acc", body.acceleration_raw)
            raise_event("acc")
        if due.mic:
            self._memory[self._intensity] = body.loudness_raw
            if 0 < self._memory[self._threshold] < body.loudness_raw:
                raise_event("mic")
        if due.temperature or body.sound is not None or body.remote is not None:
            self._report_sound_temperature_remote(due.temperature, raise_event)
        raise_event("motor")
        self._run_timers(raise_event)

    def _read_motors(self) -> None:
        memory, speeds_raw, battery_raw = self._memory, self._body.speeds_raw, self._body.battery_raw
        memory[self._speeds] = speeds_raw[0]
        memory[self._speeds + 1] = speeds_raw[1]
        memory[self._battery] = battery_raw[0]
        memory[self._battery + 1] = battery_raw[1]

    def _read_touches(self, raise_event: RaiseEvent) -> None:
        """Raise events of pressed and released buttons; a long press of the center button switches the robot off."""
        self._touches = [
            count + 1 if is_touched else 0 for count, is_touched in zip(self._touches, self._body.buttons, strict=True)
        ]
        before = [bool(word) for word in self._memory[self._button_words]]
        for name, was_pressed, is_pressed in zip(_BUTTONS, before, self._pressed(), strict=True):
            if was_pressed != is_pressed:
                self._write(name, (is_pressed,))
                raise_event(name)
        if self._touches[_CENTER] >= _SWITCH_OFF_READINGS:
            self._body.switch_off()

    def _pressed(self) -> list[int]:
        return [int(count >= _PRESS_READINGS) for count in self._touches]

    def _read_proximity(self) -> None:
        body = self._body
        reflected = [
            min(own + ambient, _BRIGHTEST_FLOOR_RAW)
            for own, ambient in zip(body.ground_raw, body.ambient_raw, strict=True)
        ]
        self._write("prox.horizontal", body.proximity_raw)
        self._write("prox.ground.ambiant", body.ambient_raw)
        self._write("prox.ground.reflected", reflected)
        self._write("prox.ground.delta", body.ground_raw)

    def _report_receptions_and_taps(self, raise_event: RaiseEvent) -> None:
        """Raise the events between `prox` and `acc`: `prox.comm` for each reception, and `tap`."""
        while self._body.receptions:
            self._receive(self._body.receptions.pop(0))
            raise_event("prox.comm")
        if self._body.is_tapped:
            self._body.is_tapped = False
            raise_event("tap")

    def _report_sound_temperature_remote(self, temperature: bool, raise_event: RaiseEvent) -> None:
        """Raise the events between `mic` and `motor`; `temperature` says whether that event is due."""
        body = self._body
        if self._sound_ends():
            raise_event("sound.finished")
        if temperature:
            self._write("temperature", (body.temperature_raw,))
            raise_event("temperature")
        if body.remote is not None:
            self._write("rc5.address", body.remote[:1])
            self._write("rc5.command", body.remote[1:])
            body.remote = None
            raise_event("rc5")

    def _receive(self, reception: Reception) -> None:
        self._write("prox.comm.rx", (reception.payload,))
        self._write("prox.comm.rx._payloads", reception.payloads)
        self._write("prox.comm.rx._intensities", reception.intensities)

    def _sound_ends(self) -> bool:
        """Advance the sound; return whether it has ended."""
        sound = self._body.sound
        if sound is None or sound.left_s is None:
            return False
        sound.left_s -= TICK_S
        if sound.left_s > 0.5 * TICK_S:
            return False
        self._body.sound = None
        return True

    def _show_lights(self) -> None:
        """Copy variables that a script wrote to the lights, and lights that native functions set to the variables."""
        lights, memory, first = self._body.lights, self._memory, self._first_light
        if not self._are_lights_written() and lights == self._lights_set:
            return
        for name in _LIGHTS:
            place = self._places[name]
            words = memory[place]
            if words != self._light_words_before[place.start - first : place.stop - first]:
                lights[name] = tuple(max(0, min(_BRIGHTEST, word)) for word in words)
            elif name in lights:
                memory[place] = lights[name]
        self._light_words_before = memory[self._light_words]
        self._lights_set = dict(lights)

    def _are_lights_written(self) -> bool:
        for index in range(len(self._light_words_before)):
            if self._memory[self._first_light + index] != self._light_words_before[index]:
                return True
        return False

    def _run_timers(self, raise_event: RaiseEvent) -> None:
        """Raise each timer's event once for each period that ends within this tick."""
        for index in range(len(_TIMERS)):
            period_ms = self._memory[self._periods + index]
            if period_ms == self._timer_periods_ms[index] == 0:
                continue
            if period_ms != self._timer_periods_ms[index]:  # the firmware restarts a timer when its period changes
                self._timer_periods_ms[index] = period_ms
                self._timer_ms[index] = 0
            if period_ms > 0:
                self._timer_ms[index] += _TICK_MS
            while self._timer_ms[index] >= period_ms > 0:
                self._timer_ms[index] -= period_ms
                raise_event(_TIMERS[index])

    def _span(self, first: str, last: str) -> slice:
        return slice(self._places[first].start, self._places[last].stop)

    def _write(self, name: str, words: Sequence[int]) -> None:
        self._memory[self._places[name]] = words
