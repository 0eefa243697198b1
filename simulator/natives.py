"""The native functions that every Aseba node has: vectors and 16 bit fixed-point mathematics.

A function pops the addresses of its arguments in the order of its parameters, then the sizes of its templates. Angles
are words: 32768 is half a turn.
"""

import math
from collections.abc import Callable

from aseba_link.description import NativeFunction
from aseba_link.message import MessageType
from aseba_link.operators import divide
from simulator.angles import arc_tangent, cosine, sine
from simulator.errors import ScriptFaultError
from simulator.vm import Native, VirtualMachine, signed


def _map(function: Callable[..., int], operand_count: int) -> Native:
    """Return the native that sets every word of dest to `function` of the words of its operands."""

    def native(machine: VirtualMachine) -> None:
        destination = machine.pop()
        operands = [machine.pop() for _ in range(operand_count)]
        length = machine.pop()
        for start in (destination, *operands):
            machine.address(start, length)
        memory = machine.variables
        for offset in range(length):
            memory[destination + offset] = signed(function(*(memory[start + offset] for start in operands)))

    return native


def _divide(machine: VirtualMachine) -> Callable[[int, int], int]:
    def quotient(left: int, right: int) -> int:
        if right == 0:
            raise ScriptFaultError(MessageType.DIVISION_BY_ZERO, (machine.pc,))
        return divide(left, right)

    return quotient


def _div(machine: VirtualMachine) -> None:
    _map(_divide(machine), 2)(machine)


def _muldiv(machine: VirtualMachine) -> None:
    quotient = _divide(machine)
    _map(lambda a, b, c: quotient(a * b, c), 3)(machine)


def _sqrt(machine: VirtualMachine) -> None:
    def root(value: int) -> int:
        if value < 0:
            raise machine.fault("Negative input to sqrt")
        return math.isqrt(value)

    _map(root, 1)(machine)


def _fill(machine: VirtualMachine) -> None:
    destination, value, length = machine.pop(), machine.pop(), machine.pop()
    machine.address(destination, length)
    word = machine.variables[machine.address(value, 1)]
    machine.variables[destination : destination + length] = [word] * length


def _add_scalar(machine: VirtualMachine) -> None:
    destination, source, scalar, length = (machine.pop() for _ in range(4))
    machine.address(destination, length)
    machine.address(source, length)
    added = machine.variables[machine.address(scalar, 1)]
    for offset in range(length):
        machine.variables[destination + offset] = signed(machine.variables[source + offset] + added)


def _dot(machine: VirtualMachine) -> None:
    destination, first, second, shift, length = (machine.pop() for _ in range(5))
    machine.address(first, length)
    machine.address(second, length)
    memory = machine.variables
    bits = memory[machine.address(shift, 1)]
    total = sum(memory[first + offset] * memory[second + offset] for offset in range(length))
    memory[machine.address(destination, 1)] = signed(_signed32(total) >> (bits & 31)) if bits <= 32 else 0


def _signed32(value: int) -> int:
    return ((value + 0x80000000) & 0xFFFFFFFF) - 0x80000000


def _stat(machine: VirtualMachine) -> None:
    source, low, high, mean, length = (machine.pop() for _ in range(5))
    words = machine.variables[machine.address(source, length) : source + length]
    for address in (low, high, mean):
        machine.address(address, 1)
    if words:
        machine.variables[low], machine.variables[high] = min(words), max(words)
        machine.variables[mean] = signed(divide(sum(words), length))


def _argbounds(machine: VirtualMachine) -> None:
    source, low, high, length = (machine.pop() for _ in range(4))
    words = machine.variables[machine.address(source, length) : source + length]
    machine.address(low, 1)
    machine.address(high, 1)
    if words:
        machine.variables[low], machine.variables[high] = words.index(min(words)), words.index(max(words))


def _sort(machine: VirtualMachine) -> None:
    start, length = machine.pop(), machine.pop()
    machine.address(start, length)
    machine.variables[start : start + length] = sorted(machine.variables[start : start + length])


def _rot2(machine: VirtualMachine) -> None:
    destination, source, angle = (machine.pop() for _ in range(3))
    machine.address(destination, 2)
    machine.address(source, 2)
    memory = machine.variables
    x, y = memory[source : source + 2]
    word = memory[machine.address(angle, 1)]
    cos, sin = cosine(word), sine(word)
    memory[destination] = signed((cos * x - sin * y) >> 15)
    memory[destination + 1] = signed((cos * y + sin * x) >> 15)


class Random:
    """The original's linear congruential generator: state = 25173 * state + 13849 modulo 2^16."""

    def __init__(self, seed: int) -> None:
        self._state = seed & 0xFFFF

    def fill(self, machine: VirtualMachine) -> None:
        """Do what `math.rand` does."""
        destination, length = machine.pop(), machine.pop()
        machine.address(destination, length)
        for offset in range(length):
            self._state = (25173 * self._state + 13849) & 0xFFFF
            machine.variables[destination + offset] = signed(self._state)


_A, _B = -1, -2  # templates: arrays of any size, the same for all parameters of the same template


def mathematics(random: Random) -> list[tuple[NativeFunction, Native]]:
    """Return descriptions and functions of the `math` natives, in the order of the original."""

    def function(name: str, doc: str, native: Native, *parameters: tuple[int, str]) -> tuple[NativeFunction, Native]:
        return NativeFunction(f"math.{name}", doc, parameters), native

    dest, src, src1, src2 = (_A, "dest"), (_A, "src"), (_A, "src1"), (_A, "src2")
    return [
        function("copy", "dest = src", _map(lambda a: a, 1), dest, src),
        function("fill", "every word of dest = value", _fill, dest, (1, "value")),
        function("addscalar", "dest = src + scalar", _add_scalar, dest, src, (1, "scalar")),
        function("add", "dest = src1 + src2", _map(lambda a, b: a + b, 2), dest, src1, src2),
        function("sub", "dest = src1 - src2", _map(lambda a, b: a - b, 2), dest, src1, src2),
        function("mul", "dest = src1 * src2", _map(lambda a, b: a * b, 2), dest, src1, src2),
        function("div", "dest = src1 / src2", _div, dest, src1, src2),
        function("min", "dest = smaller of src1 and src2", _map(min, 2), dest, src1, src2),
        function("max", "dest = larger of src1 and src2", _map(max, 2), dest, src1, src2),
        function("clamp", "dest = src within low and high", _map(_clamp, 3), dest, src, (_A, "low"), (_A, "high")),
        function("dot", "dest = (src1 . src2) >> shift", _dot, (1, "dest"), src1, src2, (1, "shift")),
        function("stat", "smallest, largest and mean of src", _stat, src, (1, "min"), (1, "max"), (1, "mean")),
        function("argbounds", "where src is smallest and largest", _argbounds, src, (1, "argmin"), (1, "argmax")),
        function("sort", "sort array in place", _sort, (_A, "array")),
        function("muldiv", "dest = a * b / c, in 32 bits", _muldiv, dest, (_A, "a"), (_A, "b"), (_A, "c")),
        function("atan2", "dest = angle of (x, y)", _map(arc_tangent, 2), dest, (_A, "y"), (_A, "x")),
        function("sin", "dest = 32767 sin x", _map(sine, 1), dest, (_A, "x")),
        function("cos", "dest = 32767 cos x", _map(cosine, 1), dest, (_A, "x")),
        function("rot2", "dest = vector turned by angle", _rot2, (2, "dest"), (2, "vector"), (1, "angle")),
        function("sqrt", "dest = square root of x", _sqrt, dest, (_A, "x")),
        function("rand", "fill dest with random words", random.fill, dest),
    ]


def _clamp(value: int, low: int, high: int) -> int:
    return high if value > high else max(value, low)
