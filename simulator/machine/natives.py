"""The native functions of every Aseba node: vectors and 16 bit fixed-point mathematics.

A function gets the addresses of its arguments in the order of its parameters, followed by the sizes of its templates.
Angles are words: 32768 is half a turn.
"""

import math
from collections.abc import Callable
from typing import Final

from aseba_link.wire.description import NativeFunction
from aseba_link.wire.message import MessageType
from aseba_link.wire.operators import divide
from simulator.errors import ScriptFaultError
from simulator.machine.angles import arc_tangent, cosine, sine
from simulator.machine.processor import DescribedNative, Native, Processor, signed


def _map(function: Callable[..., int]) -> Native:
    """Return a native that sets every word of dest to `function` of the words of its operands."""

    def native(processor: Processor, destination: int, *operands_and_length: int) -> None:
        *operands, length = operands_and_length
        for start in (destination, *operands):
            processor.address(start, length)
        memory = processor.variables
        for offset in range(length):
            memory[destination + offset] = signed(function(*(memory[start + offset] for start in operands)))

    return native


def _quotient(processor: Processor, left: int, right: int) -> int:
    if right == 0:
        raise ScriptFaultError(MessageType.DIVISION_BY_ZERO, (processor.pc,))
    return divide(left, right)


def _div(processor: Processor, *arguments: int) -> None:
    _map(lambda a, b: _quotient(processor, a, b))(processor, *arguments)


def _muldiv(processor: Processor, *arguments: int) -> None:
    _map(lambda a, b, c: _quotient(processor, a * b, c))(processor, *arguments)


def _sqrt(processor: Processor, *arguments: int) -> None:
    def root(value: int) -> int:
        if value < 0:
            raise processor.fault("Negative input to sqrt")
        return math.isqrt(value)

    _map(root)(processor, *arguments)


def _copy(processor: Processor, destination: int, source: int, length: int) -> None:
    """Copy word by word from the first; arrays may overlap."""
    processor.address(destination, length)
    processor.address(source, length)
    for offset in range(length):
        processor.variables[destination + offset] = processor.variables[source + offset]


def _fill(processor: Processor, destination: int, value: int, length: int) -> None:
    processor.address(destination, length)
    word = processor.variables[processor.address(value, 1)]
    processor.variables[destination : destination + length] = [word] * length


def _add_scalar(processor: Processor, destination: int, source: int, scalar: int, length: int) -> None:
    processor.address(destination, length)
    processor.address(source, length)
    added = processor.variables[processor.address(scalar, 1)]
    for offset in range(length):
        processor.variables[destination + offset] = signed(processor.variables[source + offset] + added)


def _dot(processor: Processor, destination: int, first: int, second: int, *shift_and_length: int) -> None:
    shift, length = shift_and_length
    processor.address(first, length)
    processor.address(second, length)
    memory = processor.variables
    bits = memory[processor.address(shift, 1)]
    total = sum(memory[first + offset] * memory[second + offset] for offset in range(length))
    memory[processor.address(destination, 1)] = signed(_signed32(total) >> (bits & 31)) if bits <= 32 else 0


def _signed32(value: int) -> int:
    return ((value + 0x80000000) & 0xFFFFFFFF) - 0x80000000


def _stat(processor: Processor, source: int, *results_and_length: int) -> None:
    low, high, mean, length = results_and_length
    words = processor.variables[processor.address(source, length) : source + length]
    for address in (low, high, mean):
        processor.address(address, 1)
    if words:
        processor.variables[low], processor.variables[high] = min(words), max(words)
        processor.variables[mean] = signed(divide(sum(words), length))


_LARGEST: Final = 32767


def _argbounds(processor: Processor, source: int, low: int, high: int, length: int) -> None:
    words = processor.variables[processor.address(source, length) : source + length]
    processor.address(low, 1)
    processor.address(high, 1)
    if words and min(words) < _LARGEST:  # Aseba writes no index if no word is below, or above, its first guess
        processor.variables[low] = words.index(min(words))
    if words and max(words) > -_LARGEST - 1:
        processor.variables[high] = words.index(max(words))


def _sort(processor: Processor, start: int, length: int) -> None:
    processor.address(start, length)
    processor.variables[start : start + length] = sorted(processor.variables[start : start + length])


def _rot2(processor: Processor, destination: int, source: int, angle: int) -> None:
    processor.address(destination, 2)
    processor.address(source, 2)
    memory = processor.variables
    x, y = memory[source : source + 2]
    word = memory[processor.address(angle, 1)]
    cos, sin = cosine(word), sine(word)
    memory[destination] = signed((cos * x - sin * y) >> 15)
    memory[destination + 1] = signed((cos * y + sin * x) >> 15)


class Random:
    """Aseba's linear congruential generator: state = 25173 * state + 13849 modulo 2^16."""

    def __init__(self, seed: int) -> None:
        self._state = seed & 0xFFFF

    def fill(self, processor: Processor, destination: int, length: int) -> None:
        """Implement `math.rand`."""
        processor.address(destination, length)
        for offset in range(length):
            self._state = (25173 * self._state + 13849) & 0xFFFF
            processor.variables[destination + offset] = signed(self._state)


_A, _B = -1, -2  # templates: arrays of any size, equal for all parameters with the same template


def mathematics(random: Random) -> list[DescribedNative]:
    """Return descriptions and functions of the `math` natives, in Aseba's order."""

    def function(name: str, doc: str, native: Native, *parameters: tuple[int, str]) -> DescribedNative:
        return NativeFunction(f"math.{name}", doc, parameters), native

    dest, src, src1, src2 = (_A, "dest"), (_A, "src"), (_A, "src1"), (_A, "src2")
    return [
        function("copy", "dest = src", _copy, dest, src),
        function("fill", "every word of dest = value", _fill, dest, (1, "value")),
        function("addscalar", "dest = src + scalar", _add_scalar, dest, src, (1, "scalar")),
        function("add", "dest = src1 + src2", _map(lambda a, b: a + b), dest, src1, src2),
        function("sub", "dest = src1 - src2", _map(lambda a, b: a - b), dest, src1, src2),
        function("mul", "dest = src1 * src2", _map(lambda a, b: a * b), dest, src1, src2),
        function("div", "dest = src1 / src2", _div, dest, src1, src2),
        function("min", "dest = smaller of src1 and src2", _map(min), dest, src1, src2),
        function("max", "dest = larger of src1 and src2", _map(max), dest, src1, src2),
        function("clamp", "dest = src within low and high", _map(_clamp), dest, src, (_A, "low"), (_A, "high")),
        function("dot", "dest = (src1 . src2) >> shift", _dot, (1, "dest"), src1, src2, (1, "shift")),
        function("stat", "smallest, largest and mean of src", _stat, src, (1, "min"), (1, "max"), (1, "mean")),
        function("argbounds", "where src is smallest and largest", _argbounds, src, (1, "argmin"), (1, "argmax")),
        function("sort", "sort array in place", _sort, (_A, "array")),
        function("muldiv", "dest = a * b / c, in 32 bits", _muldiv, dest, (_A, "a"), (_A, "b"), (_A, "c")),
        function("atan2", "dest = angle of (x, y)", _map(arc_tangent), dest, (_A, "y"), (_A, "x")),
        function("sin", "dest = 32767 sin x", _map(sine), dest, (_A, "x")),
        function("cos", "dest = 32767 cos x", _map(cosine), dest, (_A, "x")),
        function("rot2", "dest = vector turned by angle", _rot2, (2, "dest"), (2, "vector"), (1, "angle")),
        function("sqrt", "dest = square root of x", _sqrt, dest, (_A, "x")),
        function("rand", "fill dest with random words", random.fill, dest),
    ]


def _clamp(value: int, low: int, high: int) -> int:
    return high if value > high else max(value, low)
