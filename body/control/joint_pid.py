"""PID controllers of several joints; gains change without a jump of the output."""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from body.description.robot_tree import Floats

_BLEND_S: Final = 0.5  # time constant with which the offset after a change of gains decays
_LARGEST_STEP: Final = 0.05  # largest change of that offset in one step [rad/s]


@dataclass(frozen=True, slots=True)
class PidGains:
    """PID gains, the same for all joints: velocity = kp e + ki integral(e) + kd de/dt.

    Parameters
    ----------
    kp : [1/s]
    ki : [1/s^2]
    kd : [1]
    """

    kp: float
    ki: float
    kd: float


class JointPid:
    """Computes joint velocities from joint errors.

    Parameters
    ----------
    count : number of joints
    gains : gains of all joints
    """

    def __init__(self, count: int, gains: PidGains) -> None:
        self._gains = gains
        self._integral = np.zeros(count)
        self._offset = np.zeros(count)  # keeps the output when gains change, then decays
        self._error: Floats | None = None
        self._rate = np.zeros(count)

    def change_gains(self, gains: PidGains) -> None:
        """Use other gains from now on; the output changes over without a jump."""
        if self._error is not None:
            before = self._output(self._error)
            self._gains = gains
            self._offset = self._offset + before - self._output(self._error)
        self._gains = gains

    def step(self, errors: Floats, largest: Floats, elapsed_s: float) -> Floats:
        """Return the velocities, clipped to the largest ones, shape (joints,).

        Integration pauses where the output is clipped (anti-windup by conditional integration).

        Parameters
        ----------
        errors
            goal minus position, shape (joints,) [rad]
        largest
            largest speeds, shape (joints,) [rad/s]; infinite for none
        elapsed_s
            time since the previous step
        """
        if self._error is not None and elapsed_s > 0:
            self._rate = (errors - self._error) / elapsed_s
        self._error = errors
        shrunk = self._offset * math.exp(-elapsed_s / _BLEND_S)
        self._offset = np.clip(shrunk, self._offset - _LARGEST_STEP, self._offset + _LARGEST_STEP)
        output = self._output(errors)
        free = (np.abs(output) < largest) | (output * errors < 0)
        self._integral = self._integral + np.where(free, errors * elapsed_s, 0.0)
        return np.clip(self._output(errors), -largest, largest)

    def _output(self, errors: Floats) -> Floats:
        gains = self._gains
        result: Floats = gains.kp * errors + gains.ki * self._integral + gains.kd * self._rate + self._offset
        return result
