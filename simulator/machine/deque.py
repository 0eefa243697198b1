"""The native functions of deques: arrays of capacity + 2 words that hold size, start, and a ring of elements."""

from aseba_link.wire.description import NativeFunction
from aseba_link.wire.message import MessageType
from simulator.errors import ScriptFaultError
from simulator.machine.processor import DescribedNative, Processor


class _Deque:
    """A deque in a script's memory, read and written back as a list."""

    def __init__(self, processor: Processor, start: int, length: int) -> None:
        processor.address(start, length)
        self._processor = processor
        self._start = start
        self.capacity = length - 2
        if self.capacity < 1:
            raise self.fault()
        size, self._first = processor.variables[start : start + 2]
        if not 0 <= size <= self.capacity:
            raise self.fault()
        self.elements = [processor.variables[self._place(index)] for index in range(size)]

    def fault(self) -> ScriptFaultError:
        """Return the fault of an element that does not exist or does not fit."""
        return ScriptFaultError(MessageType.ARRAY_ACCESS_OUT_OF_BOUNDS, (self._processor.pc,))

    def insert(self, index: int, words: list[int]) -> None:
        """Insert words before the element at `index`."""
        if not 0 <= index <= len(self.elements) or len(self.elements) + len(words) > self.capacity:
            raise self.fault()
        grows_left = index < len(self.elements) // 2
        self.elements[index:index] = words
        if grows_left:
            self._first -= len(words)
        self._write()

    def erase(self, index: int, count: int) -> None:
        """Erase `count` elements from `index` on."""
        self.check(index, count)
        shrinks_left = index < len(self.elements) // 2
        del self.elements[index : index + count]
        if shrinks_left:
            self._first += count
        self._write()

    def replace(self, index: int, words: list[int]) -> None:
        """Overwrite the elements from `index` on."""
        self.check(index, len(words))
        self.elements[index : index + len(words)] = words
        self._write()

    def check(self, index: int, count: int) -> None:
        """Raise the fault unless `count` elements exist from `index` on."""
        if index < 0 or count < 0 or index + count > len(self.elements):
            raise self.fault()

    def _place(self, index: int) -> int:
        return self._start + 2 + (self._first + index) % self.capacity

    def _write(self) -> None:
        memory = self._processor.variables
        self._first %= self.capacity
        memory[self._start : self._start + 2] = [len(self.elements), self._first]
        for index, word in enumerate(self.elements):
            memory[self._place(index)] = word


def _words(processor: Processor, start: int, length: int) -> list[int]:
    processor.address(start, length)
    return processor.variables[start : start + length]


def _store(processor: Processor, start: int, words: list[int]) -> None:
    processor.address(start, len(words))
    processor.variables[start : start + len(words)] = words


def _size(processor: Processor, deque: int, size: int, _: int) -> None:
    processor.variables[processor.address(size, 1)] = processor.variables[processor.address(deque, 1)]


def _get(processor: Processor, start: int, destination: int, index: int, *sizes: int) -> None:
    length, count = sizes
    deque, first = _Deque(processor, start, length), processor.variables[processor.address(index, 1)]
    deque.check(first, count)
    _store(processor, destination, deque.elements[first : first + count])


def _set(processor: Processor, start: int, source: int, index: int, *sizes: int) -> None:
    length, count = sizes
    first = processor.variables[processor.address(index, 1)]
    _Deque(processor, start, length).replace(first, _words(processor, source, count))


def _insert(processor: Processor, start: int, source: int, index: int, *sizes: int) -> None:
    length, count = sizes
    first = processor.variables[processor.address(index, 1)]
    _Deque(processor, start, length).insert(first, _words(processor, source, count))


def _erase(processor: Processor, start: int, index: int, count: int, length: int) -> None:
    first = processor.variables[processor.address(index, 1)]
    _Deque(processor, start, length).erase(first, processor.variables[processor.address(count, 1)])


def _push_front(processor: Processor, start: int, source: int, length: int, count: int) -> None:
    _Deque(processor, start, length).insert(0, _words(processor, source, count))


def _push_back(processor: Processor, start: int, source: int, length: int, count: int) -> None:
    deque = _Deque(processor, start, length)
    deque.insert(len(deque.elements), _words(processor, source, count))


def _pop_front(processor: Processor, start: int, destination: int, length: int, count: int) -> None:
    deque = _Deque(processor, start, length)
    deque.check(0, count)
    _store(processor, destination, deque.elements[:count])
    deque.erase(0, count)


def _pop_back(processor: Processor, start: int, destination: int, length: int, count: int) -> None:
    deque = _Deque(processor, start, length)
    first = len(deque.elements) - count
    deque.check(first, count)
    _store(processor, destination, deque.elements[first:])
    deque.erase(first, count)


_DEQUE = (-1, "deque")

DEQUES: list[DescribedNative] = [
    (NativeFunction("deque.size", "size = number of elements", (_DEQUE, (1, "size"))), _size),
    (NativeFunction("deque.get", "dest = elements from index on", (_DEQUE, (-2, "dest"), (1, "index"))), _get),
    (NativeFunction("deque.set", "elements from index on = src", (_DEQUE, (-2, "src"), (1, "index"))), _set),
    (NativeFunction("deque.insert", "insert src before index", (_DEQUE, (-2, "src"), (1, "index"))), _insert),
    (NativeFunction("deque.erase", "erase len elements from index on", (_DEQUE, (1, "index"), (1, "len"))), _erase),
    (NativeFunction("deque.push_front", "insert src at the front", (_DEQUE, (-2, "src"))), _push_front),
    (NativeFunction("deque.push_back", "insert src at the back", (_DEQUE, (-2, "src"))), _push_back),
    (NativeFunction("deque.pop_front", "take dest from the front", (_DEQUE, (-2, "dest"))), _pop_front),
    (NativeFunction("deque.pop_back", "take dest from the back", (_DEQUE, (-2, "dest"))), _pop_back),
]
