"""Sine, cosine and arc tangent of 16 bit angles, with the rounding of Aseba's table interpolation.

32768 is half a turn. The tables follow from the formulas that Aseba gives for them. Those in its nodes were
tuned afterwards: their entries differ from these by up to 2 (sine) and 20 (arc tangent).
"""

import math

_QUARTER_TURN = 16384
_SINE_STEP_BITS = 7  # 128 angles between two entries
_SINES = tuple(int(32767.0 * math.sin(0.5 * math.pi * index / 128.0) + 0.5) for index in range(129))

_TANGENT_BITS = 16  # fixed point of the quotient y / x
_FIRST_OCTAVE = 12  # bit of the smallest quotient in the table, 2**-4
_ARC_TANGENTS = (
    *(
        int(32768.0 / math.pi * math.atan(2.0 ** (octave - 4) * (1.0 + step / 8.0)) + 0.5)
        for octave in range(20)
        for step in range(8)
    ),
    _QUARTER_TURN,
)


def sine(angle: int) -> int:
    """Return 32767 times the sine of an angle from -32768 to 32767."""
    if angle < 0:
        return -_half_turn_sine(-angle)
    return _half_turn_sine(angle)


def cosine(angle: int) -> int:
    """Return 32767 times the cosine of an angle from -32768 to 32767."""
    return sine((angle + _QUARTER_TURN + 0x8000) % 0x10000 - 0x8000)


def arc_tangent(y: int, x: int) -> int:
    """Return the angle of (x, y), from -32768 to 32767; 0 where both are 0."""
    if y == 0:
        return 0 if x >= 0 else -2 * _QUARTER_TURN
    angle = _QUARTER_TURN if x == 0 else _first_quadrant((abs(y) << _TANGENT_BITS) // abs(x))
    if x < 0:
        angle = 2 * _QUARTER_TURN - angle
    return angle if y > 0 else -angle


def _half_turn_sine(angle: int) -> int:
    """Return the sine of an angle from 0 to 32768, between two entries of the table."""
    folded = min(angle, 2 * _QUARTER_TURN - angle)
    if folded == _QUARTER_TURN:
        return _SINES[-1]
    index, rest = divmod(folded, 1 << _SINE_STEP_BITS)
    return (_SINES[index] * ((1 << _SINE_STEP_BITS) - rest) + _SINES[index + 1] * rest) >> _SINE_STEP_BITS


def _first_quadrant(tangent: int) -> int:
    """Return the angle from 0 to 16384 of a quotient with 16 binary places: linear below 2**-4, else interpolated.

    Each octave of the table has 8 entries, and 32 steps between two of them.
    """
    highest_bit = tangent.bit_length() - 1
    if highest_bit < _FIRST_OCTAVE:
        return (_ARC_TANGENTS[0] * tangent) >> _FIRST_OCTAVE
    within_octave = (tangent - (1 << highest_bit)) >> (highest_bit - 8)
    step, rest = divmod(within_octave, 32)
    index = 8 * (highest_bit - _FIRST_OCTAVE) + step
    return (_ARC_TANGENTS[index] * (32 - rest) + _ARC_TANGENTS[index + 1] * rest) >> 5
