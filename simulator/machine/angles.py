"""Sine, cosine and arc tangent of 16 bit angles, equal to those of Aseba's machine to the last unit.

32768 is half a turn. The tables are Aseba's formulas plus small increments at the tables' points, which Aseba's nodes
add to reduce the error between points: up to 2 (sine) and 20 (arc tangent).
"""

import math
from typing import Final

_QUARTER_TURN: Final = 16384
_SINE_STEP_BITS: Final = 7  # 128 angles between two entries
_SINES_ABOVE: Final = (  # increments to the formula, as measured at each entry
    "01010111000101100111011110111010110101111101011011011111110111101"
    "1110111111111111111111111111110111100111111111012011102111101110"
)
_SINES: Final = tuple(
    int(32767.0 * math.sin(0.5 * math.pi * index / 128.0) + 0.5) + (ord(above) - ord("0"))
    for index, above in enumerate(_SINES_ABOVE)
)

_TANGENT_BITS: Final = 16  # fixed point of the quotient y / x
_FIRST_OCTAVE: Final = 12  # bit of the smallest quotient in the table, 2**-4
_ARC_TANGENTS_ABOVE: Final = (  # increments to the formula, as measured at each entry
    (1, 3, 3, 2, 2, 2, 3, 1),
    (3, 2, 3, 2, 2, 3, 4, 2),
    (1, 8, 5, 5, 6, 4, 5, 6),
    (3, 15, 10, 8, 8, 9, 9, 5),
    (11, 20, 11, 14, 9, 10, 7, 7),
    (9, 15, 10, 9, 8, 6, 5, 5),
    (8, 9, 6, 6, 5, 4, 3, 2),
    (4, 5, 4, 3, 2, 2, 2, 1),
    (3, 3, 2, 2, 1, 1, 1, 1),
    (2, 2, 2, 1, 1, 1, 1, 1),
    (1, 1, 1, 1, 1, 0, 1, 1),
    (0, 0, 1, 0, 1, 0, 1, 0),
    (1, 0, 1, 1, 0, 1, 0, 1),
    (0, 0, 1, 0, 1, 1, 1, 0),
    (1, 0, 1, -1, 1, 0, 0, 0),
    (0, 1, 0, 0, 1, 0, 0, 0),
    (1, 0, 0, 0, 0, 0, 1, 0),
    (0, 0, 0, 0, 0, 0, 0, 0),
    (0, 0, 1, 0, 0, 0, 0, 0),
    (0, 0, 0, 0, 0, 0, 0, 0),
)
_ARC_TANGENTS: Final = (
    *(
        int(32768.0 / math.pi * math.atan(2.0 ** (octave - 4) * (1.0 + step / 8.0)) + 0.5) + above[step]
        for octave, above in enumerate(_ARC_TANGENTS_ABOVE)
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
    """Return the angle of (x, y), from -32768 to 32767; 0 if both are 0."""
    if y == 0:
        return 0 if x >= 0 else -2 * _QUARTER_TURN
    angle = _QUARTER_TURN if x == 0 else _first_quadrant(_quotient(_magnitude(y), _magnitude(x)))
    if x < 0:
        angle = 2 * _QUARTER_TURN - angle
    return _word(_word(angle) if y > 0 else -_word(angle))


def _magnitude(word: int) -> int:
    """Return the absolute value in 16 bits: that of -32768 is -32768."""
    return _word(abs(word))


def _word(number: int) -> int:
    return (number + 0x8000) % 0x10000 - 0x8000


def _quotient(y: int, x: int) -> int:
    """Return y / x with 16 fractional bits, rounded towards 0."""
    size = (abs(y) << _TANGENT_BITS) // abs(x)
    return size if (y < 0) == (x < 0) else -size


def _half_turn_sine(angle: int) -> int:
    """Return the sine of an angle from 0 to 32768, interpolated between table entries."""
    folded = min(angle, 2 * _QUARTER_TURN - angle)
    if folded == _QUARTER_TURN:
        return _SINES[-1]
    index, rest = divmod(folded, 1 << _SINE_STEP_BITS)
    return (_SINES[index] * ((1 << _SINE_STEP_BITS) - rest) + _SINES[index + 1] * rest) >> _SINE_STEP_BITS


def _first_quadrant(tangent: int) -> int:
    """Return the angle, 0 to 16384, of a quotient with 16 fractional bits: linear below 2**-4, else interpolated.

    Each octave of the table has 8 entries, with 32 steps between two of them. A negative quotient, which only a word
    of -32768 causes, counts as the unsigned number with the same 32 bits.
    """
    tangent %= 1 << 32
    highest_bit = tangent.bit_length() - 1
    if highest_bit < _FIRST_OCTAVE:
        return (_ARC_TANGENTS[0] * tangent) >> _FIRST_OCTAVE
    within_octave = (tangent - (1 << highest_bit)) >> (highest_bit - 8)
    step, rest = divmod(within_octave, 32)
    index = 8 * (highest_bit - _FIRST_OCTAVE) + step
    return (_ARC_TANGENTS[index] * (32 - rest) + _ARC_TANGENTS[index + 1] * rest) >> 5
