"""Deques of the simulated node, against Python lists."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from aseba_link.wire.bytecode import START_EVENT, STOPPED
from aseba_link.wire.message import MessageType
from simulator.machine.deque import DEQUES
from simulator.machine.vm import VirtualMachine

NAMES = [description.name for description, _ in DEQUES]
DEQUE, INDEX, COUNT, ARRAY = 40, 0, 1, 10  # addresses
MEMORY_SIZE = 64
WORDS = st.integers(-32768, 32767)
ARRAYS = st.lists(WORDS, min_size=1, max_size=6)
START = len([START_EVENT, 0]) + 1  # of the code


class Node:
    """A machine with a deque; natives are called through bytecode, arguments in the order of their parameters."""

    def __init__(self, capacity: int) -> None:
        self.length = capacity + 2
        self.faults: list[int] = []
        self.machine = VirtualMachine(64, 32, MEMORY_SIZE, natives=DEQUES, send=self._record, emit=lambda *_: None)
        self.memory = self.machine.variables

    def call(self, name: str, *arguments: int) -> bool:
        """Call a native; return whether the script continued."""
        self.faults.clear()
        code = [word for argument in reversed(arguments) for word in (0x2000, argument & 0xFFFF)]
        self.machine.set_bytecode(0, [START, START_EVENT, START, *code, 0xC000 | NAMES.index(name), 0])
        self.machine.flags &= ~STOPPED
        self.machine.set_up(START_EVENT)
        self.machine.execute(100)
        return not self.faults

    def put(self, words: Sequence[int], index: int = 0, count: int = 0) -> None:
        """Write the arguments of the next call."""
        self.memory[ARRAY : ARRAY + len(words)] = words
        self.memory[INDEX], self.memory[COUNT] = index, count

    def _record(self, message_type: int, _: Sequence[int], __: str) -> None:
        self.faults.append(message_type)


class DequeIsAList(RuleBasedStateMachine):
    """A deque accepts the calls that a list of bounded length accepts, and has the same elements."""

    @initialize(capacity=st.integers(1, 20), first=st.integers(0, 19))
    def empty(self, capacity: int, first: int) -> None:
        self.node, self.capacity, self.model = Node(capacity), capacity, list[int]()
        self.node.memory[DEQUE + 1] = first % capacity

    @rule(words=ARRAYS)
    def push_back(self, words: list[int]) -> None:
        self.node.put(words)
        if self.changes("deque.push_back", DEQUE, ARRAY, self.node.length, len(words), fits=self.has_room(words)):
            self.model += words

    @rule(words=ARRAYS)
    def push_front(self, words: list[int]) -> None:
        self.node.put(words)
        if self.changes("deque.push_front", DEQUE, ARRAY, self.node.length, len(words), fits=self.has_room(words)):
            self.model[:0] = words

    @rule(words=ARRAYS, index=st.integers(-1, 22))
    def insert(self, words: list[int], index: int) -> None:
        self.node.put(words, index)
        fits = 0 <= index <= len(self.model) and self.has_room(words)
        if self.changes("deque.insert", DEQUE, ARRAY, INDEX, self.node.length, len(words), fits=fits):
            self.model[index:index] = words

    @rule(words=ARRAYS, index=st.integers(-1, 22))
    def replace(self, words: list[int], index: int) -> None:
        self.node.put(words, index)
        fits = index >= 0 and index + len(words) <= len(self.model)
        if self.changes("deque.set", DEQUE, ARRAY, INDEX, self.node.length, len(words), fits=fits):
            self.model[index : index + len(words)] = words

    @rule(index=st.integers(-1, 22), count=st.integers(-1, 8))
    def erase(self, index: int, count: int) -> None:
        self.node.put([], index, count)
        fits = index >= 0 and count >= 0 and index + count <= len(self.model)
        if self.changes("deque.erase", DEQUE, INDEX, COUNT, self.node.length, fits=fits):
            del self.model[index : index + count]

    @precondition(lambda self: self.model)
    @rule(count=st.integers(1, 6))
    def pop_front(self, count: int) -> None:
        if self.changes("deque.pop_front", DEQUE, ARRAY, self.node.length, count, fits=count <= len(self.model)):
            assert self.node.memory[ARRAY : ARRAY + count] == self.model[:count]
            del self.model[:count]

    @precondition(lambda self: self.model)
    @rule(count=st.integers(1, 6))
    def pop_back(self, count: int) -> None:
        if self.changes("deque.pop_back", DEQUE, ARRAY, self.node.length, count, fits=count <= len(self.model)):
            assert self.node.memory[ARRAY : ARRAY + count] == self.model[-count:]
            del self.model[-count:]

    @invariant()
    def holds_what_the_list_holds(self) -> None:
        assert self.node.call("deque.size", DEQUE, COUNT, self.node.length)
        assert self.node.memory[COUNT] == len(self.model)
        self.node.put([])
        assert self.node.call("deque.get", DEQUE, ARRAY, INDEX, self.node.length, len(self.model))
        assert self.node.memory[ARRAY : ARRAY + len(self.model)] == self.model

    def changes(self, name: str, *arguments: int, fits: bool) -> bool:
        """Call a native, which must continue exactly if it `fits`; return whether it continued."""
        assert self.node.call(name, *arguments) is fits
        assert self.node.faults == ([] if fits else [MessageType.ARRAY_ACCESS_OUT_OF_BOUNDS])
        return fits

    def has_room(self, words: list[int]) -> bool:
        return len(self.model) + len(words) <= self.capacity


DequeIsAList.TestCase.settings = settings(deadline=None, max_examples=40, stateful_step_count=25)
TestDequeIsAList = DequeIsAList.TestCase


@pytest.mark.parametrize("length", [0, 1, 2])
def test_array_too_short_for_a_deque_is_a_fault(length: int) -> None:
    node = Node(4)
    assert not node.call("deque.push_back", DEQUE, ARRAY, length, 1)


@pytest.mark.parametrize("size", [-1, 5, 32767])
def test_array_that_is_not_a_deque_is_a_fault(size: int) -> None:
    node = Node(4)
    node.memory[DEQUE] = size
    assert not node.call("deque.push_back", DEQUE, ARRAY, node.length, 1)


@settings(deadline=None)
@given(name=st.sampled_from(NAMES), arguments=st.lists(st.integers(0, 0xFFFF - MEMORY_SIZE), min_size=5, max_size=5))
def test_addresses_beyond_the_memory_give_one_message(name: str, arguments: list[int]) -> None:
    node = Node(4)
    node.call(name, *(MEMORY_SIZE + argument for argument in arguments))
    assert len(node.faults) == 1
