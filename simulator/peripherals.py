"""A Thymio's sensors and actuators as its firmware runs them: named variables, and local events at their rates.

Rates are those of firmware 14, with `motor` taken for 100 Hz instead of 97.66 Hz.
"""

from collections.abc import Iterator, Mapping, Sequence

from simulator.body import Body, Reception

TICK_S = 0.01

_PROX_TICKS = 10
_BUTTONS_TICKS = 2
_TEMPERATURE_TICKS = 100
_ACC_HZ = 16
_MIC_HZ = 61  # 128 samples at 7812.5 Hz
_BRIGHTEST = 32
_BRIGHTEST_FLOOR_RAW = 1023
_TIMERS = 2

_BUTTONS = ("button.backward", "button.left", "button.center", "button.forward", "button.right")
_LIGHTS = ("leds.top", "leds.bottom.left", "leds.bottom.right", "leds.circle")  # native functions and variables


class Peripherals:
    """Joins a body and the variables of its firmware.

    Parameters
    ----------
    body : what is sensed, and what is done
    memory : the virtual machine's variables
    addresses : start and size of the named ones
    """

    def __init__(self, body: Body, memory: list[int], addresses: Mapping[str, tuple[int, int]]) -> None:
        self._body = body
        self._memory = memory
        self._addresses = addresses
        self._tick = 0
        self._timer_ms = [0] * _TIMERS
        self._timer_periods_ms = [0] * _TIMERS
        self._lights_seen = self._light_variables()

    def read_all(self) -> None:
        """Write every variable of a sensor."""
        self._read_motors()
        self._read_proximity()
        self._write("acc", self._body.acceleration_raw)
        self._write("temperature", (self._body.temperature_raw,))
        for name, is_touched in zip(_BUTTONS, self._body.buttons, strict=True):
            self._write(name, (int(is_touched),))
        self._lights_seen = self._light_variables()

    def advance(self) -> Iterator[str]:
        """Let 10 ms pass: yield the local events that come, lower ranks first; each finds its variables written."""
        self._tick += 1
        self._read_motors()
        if self._tick % _BUTTONS_TICKS == 0:
            self._show_lights()
            yield from self._read_buttons()
        if self._tick % _PROX_TICKS == 0:
            self._read_proximity()
            yield "prox"
        yield from self._happenings()
        if self._tick % _TEMPERATURE_TICKS == 0:
            self._write("temperature", (self._body.temperature_raw,))
            yield "temperature"
        if self._body.remote is not None:
            self._write("rc5.address", self._body.remote[:1])
            self._write("rc5.command", self._body.remote[1:])
            self._body.remote = None
            yield "rc5"
        yield "motor"
        for index in range(_TIMERS):
            yield from self._timer(index)

    def _happenings(self) -> Iterator[str]:
        """Yield the events between `prox` and `temperature`."""
        while self._body.receptions:
            self._receive(self._body.receptions.pop(0))
            yield "prox.comm"
        if self._body.is_tapped:
            self._body.is_tapped = False
            yield "tap"
        if _comes_round(self._tick, _ACC_HZ):
            self._write("acc", self._body.acceleration_raw)
            yield "acc"
        if _comes_round(self._tick, _MIC_HZ):
            self._write("mic.intensity", (self._body.loudness_raw,))
            if 0 < self._word("mic.threshold") < self._body.loudness_raw:
                yield "mic"
        if self._sound_ends():
            yield "sound.finished"

    def _read_motors(self) -> None:
        left, right = self._body.speeds_raw
        self._write("motor.left.speed", (left,))
        self._write("motor.right.speed", (right,))
        self._write("_vbat", self._body.battery_raw)

    def _read_buttons(self) -> Iterator[str]:
        """Yield the events of the buttons that are touched or let go, and that of their reading."""
        for name, is_touched in zip(_BUTTONS, self._body.buttons, strict=True):
            if bool(self._word(name)) is not is_touched:
                self._write(name, (int(is_touched),))
                yield name
        yield "buttons"

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

    def _receive(self, reception: Reception) -> None:
        self._write("prox.comm.rx", (reception.payload,))
        self._write("prox.comm.rx._payloads", reception.payloads)
        self._write("prox.comm.rx._intensities", reception.intensities)

    def _sound_ends(self) -> bool:
        """Let the sound go on; return whether it has come to its end."""
        sound = self._body.sound
        if sound is None or sound.left_s is None:
            return False
        sound.left_s -= TICK_S
        if sound.left_s > 0.5 * TICK_S:
            return False
        self._body.sound = None
        return True

    def _show_lights(self) -> None:
        """Let lights that have variables show what a script wrote there, and the variables what functions set."""
        written = self._light_variables()
        for name, before, words in zip(_LIGHTS, self._lights_seen, written, strict=True):
            if words != before:
                self._body.lights[name] = tuple(max(0, min(_BRIGHTEST, word)) for word in words)
            elif name in self._body.lights:
                self._write(name, self._body.lights[name])
        self._lights_seen = self._light_variables()

    def _light_variables(self) -> list[list[int]]:
        found = (self._addresses[name] for name in _LIGHTS)
        return [self._memory[start : start + size] for start, size in found]

    def _timer(self, index: int) -> Iterator[str]:
        """Yield a timer's event as often as its period ends within this tick."""
        period_ms = self._memory[self._addresses["timer.period"][0] + index]
        if period_ms != self._timer_periods_ms[index]:  # the firmware starts a timer anew when its period changes
            self._timer_periods_ms[index] = period_ms
            self._timer_ms[index] = 0
        if period_ms <= 0:
            return
        self._timer_ms[index] += round(1000.0 * TICK_S)
        while self._timer_ms[index] >= period_ms:
            self._timer_ms[index] -= period_ms
            yield f"timer{index}"

    def _word(self, name: str) -> int:
        return self._memory[self._addresses[name][0]]

    def _write(self, name: str, words: Sequence[int]) -> None:
        start, size = self._addresses[name]
        self._memory[start : start + size] = words


def _comes_round(tick: int, rate_hz: int) -> bool:
    """Whether an event of a rate falls into a tick of 10 ms."""
    return tick * rate_hz // 100 != (tick - 1) * rate_hz // 100
