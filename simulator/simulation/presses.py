"""Presses of the robots' buttons."""

import math
from dataclasses import dataclass

from simulator.firmware.body import BUTTONS, Body
from simulator.firmware.peripherals import TICK_S
from simulator.simulation.refusal import Refusal, RefusedError

MAX_PRESS_S = 3600.0


@dataclass(slots=True)
class _Press:
    body: Body
    button: int
    steps_left: int


class Presses:
    """Buttons that are currently pressed, each for a limited time."""

    def __init__(self) -> None:
        self._presses: list[_Press] = []

    def start(self, body: Body, button: str, duration_s: float) -> None:
        """Press a button for a duration from now, replacing an earlier press of it.

        Raises
        ------
        RefusedError
            The button does not exist, or the duration is out of range.
        """
        if button not in BUTTONS:
            raise RefusedError(Refusal.NOT_FOUND, f"button {button!r} is not one of {', '.join(BUTTONS)}")
        if not 0.0 < duration_s <= MAX_PRESS_S:
            raise RefusedError(
                Refusal.BAD_VALUE, f"duration {duration_s:g} s must be above 0 and at most {MAX_PRESS_S:g} s"
            )
        index, steps = BUTTONS.index(button), math.ceil(duration_s / TICK_S - 1e-9)
        self._presses = [press for press in self._presses if press.body is not body or press.button != index]
        self._presses.append(_Press(body, index, steps))
        _touch(body, index, is_touched=True)

    def advance(self) -> None:
        """Advance by a step; release buttons whose time is up."""
        for press in self._presses:
            press.steps_left -= 1
            if press.steps_left <= 0:
                _touch(press.body, press.button, is_touched=False)
        self._presses = [press for press in self._presses if press.steps_left > 0]

    def clear(self) -> None:
        """Forget all presses, because their robots no longer exist."""
        self._presses.clear()


def _touch(body: Body, button: int, *, is_touched: bool) -> None:
    body.touch(tuple(is_touched if index == button else was for index, was in enumerate(body.touched)))
