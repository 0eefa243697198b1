"""The board: variables, reachers' commands and extenders' outputs in one anonymous file."""

import fcntl
import json
import math
import mmap
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import numpy as np

from body.description.robot_tree import Floats
from body.errors import BoardError
from body.memory.shared_block import WORD, SharedBlock, block_bytes
from thymio_base.texts.json_text import own_json

ROWS: Final = 32  # most reachers and extenders
OUTPUTS: Final = 16  # most outputs of an extender
_MAGIC: Final = 0x5242_4331  # "RBC1"; changes with the layout
_DIRECTORY_WORDS: Final = 1024
_HEADER: Final = 4


@dataclass(frozen=True, slots=True)
class BodyState:
    """All variables at one instant.

    Parameters
    ----------
    values : values of the variables, shape (variables,)
    stamps_ns : arrival times on the core's clock, 0 before the first message; shape (variables,), int64
    """

    values: Floats
    stamps_ns: "np.ndarray[tuple[int], np.dtype[np.int64]]"


@dataclass(frozen=True, slots=True)
class Share:
    """The commands of one reacher.

    Parameters
    ----------
    velocities : velocities of the motions, shape (motions,) [rad/s, m/s]
    torques : torques of the motions, shape (motions,) [Nm]
    drives : 1 for motions that it moves or holds, 2 for motions with a commanded torque, 3 for both; shape (motions,)
    """

    velocities: Floats
    torques: Floats
    drives: Floats


@dataclass(frozen=True, slots=True)
class BoardRow:
    """A reacher's share, its weight, and the time of writing on the core's clock."""

    written_ns: int
    weight: float
    share: Share


@dataclass(frozen=True, slots=True)
class Output:
    """An extender's number, and the time of writing on the core's clock."""

    value: float
    written_ns: int


class BodyBoard:
    """Shared blocks with one writer each: the coupler writes variables and directory, each reacher its row.

    Parameters
    ----------
    variables, motions : numbers of variables and motions of the body
    descriptor : descriptor of an existing board's memory; None creates new memory
    """

    def __init__(self, variables: int, motions: int, descriptor: int | None = None) -> None:
        self._variable_count, self._motion_count = variables, motions
        self._row_words = 2 + 3 * motions
        size = self._size()
        self.descriptor = _new_memory(size) if descriptor is None else descriptor
        if os.fstat(self.descriptor).st_size != size:
            raise BoardError("the coupler's memory has another size: it runs another version, or another URDF")
        self._map = mmap.mmap(self.descriptor, size)
        self._cut_into_blocks(memoryview(self._map))
        header = np.array([_MAGIC, variables, motions, ROWS], dtype=np.float64)
        if descriptor is None:
            self._header.write(header)
        elif not np.array_equal(self._header.read(), header):
            raise BoardError("the coupler's memory has another layout: it runs another version, or another URDF")

    def write_state(self, state: BodyState) -> None:
        """Write all variables."""
        self._state.write(np.concatenate([state.values, state.stamps_ns.view(np.float64)]))

    def read_state(self) -> BodyState:
        """Return all variables."""
        words = self._state.read()
        return BodyState(words[: self._variable_count], words[self._variable_count :].view(np.int64))

    def write_row(self, index: int, row: BoardRow) -> None:
        """Write a reacher's commands.

        Raises
        ------
        BoardError
            The share does not have one number for each motion.
        """
        share = row.share
        if any(part.shape != (self._motion_count,) for part in (share.velocities, share.torques, share.drives)):
            raise BoardError(f"a share must have {self._motion_count} numbers for each of velocities, torques, drives")
        head = np.array([row.written_ns], dtype=np.int64).view(np.float64)
        self._rows[index].write(np.concatenate([head, [row.weight], share.velocities, share.torques, share.drives]))

    def read_row(self, index: int) -> BoardRow:
        """Return a reacher's commands; a weight that is not finite becomes 0."""
        words = self._rows[index].read()
        count = self._motion_count
        parts = words[2:].reshape(3, count)
        weight = float(words[1])
        weight = weight if math.isfinite(weight) else 0.0
        return BoardRow(int(words[:1].view(np.int64)[0]), weight, Share(parts[0], parts[1], parts[2]))

    def clear_row(self, index: int) -> None:
        """Reset a row for the next reacher, after its previous reacher has ended."""
        zero = np.zeros(self._motion_count)
        self.write_row(index, BoardRow(0, 0.0, Share(zero, zero, zero)))
        self.write_outputs(index, np.zeros(0), 0)

    def write_outputs(self, index: int, values: Floats, now_ns: int) -> None:
        """Write the outputs of an extender, at most OUTPUTS numbers."""
        words = np.zeros(1 + OUTPUTS)
        words[:1].view(np.int64)[0] = now_ns
        words[1 : 1 + len(values)] = values
        self._outputs[index].write(words)

    def write_directory(self, names: dict[str, tuple[int, int]]) -> None:
        """Write the directory of extenders' outputs: row and place by "NAME/output"."""
        text = json.dumps(names).encode()
        words = np.zeros(_DIRECTORY_WORDS)
        if len(text) > (_DIRECTORY_WORDS - 1) * WORD:
            raise BoardError(f"the outputs' names take {len(text)} bytes, too many: use shorter names of extenders")
        words[:1].view(np.int64)[0] = len(text)
        words[1:].view(np.uint8)[: len(text)] = np.frombuffer(text, dtype=np.uint8)
        self._directory.write(words)

    def read_directory(self) -> dict[str, tuple[int, int]]:
        """Return the present directory of extenders' outputs: row and place by "NAME/output"."""
        words = self._directory.read()
        length = int(words[:1].view(np.int64)[0])
        if not length:
            return {}
        found = own_json(words[1:].view(np.uint8)[:length].tobytes())
        return {name: (row, place) for name, (row, place) in found.items()}

    def read_output(self, name: str) -> Output | None:
        """Return an extender's output; None if there is no output of that name yet."""
        place = self.read_directory().get(name)
        if place is None:
            return None
        words = self._outputs[place[0]].read()
        return Output(float(words[1 + place[1]]), int(words[:1].view(np.int64)[0]))

    def close(self) -> None:
        """Release the memory; the system frees it when all processes have released it or ended."""
        del self._header, self._state, self._directory, self._rows, self._outputs
        with suppress(BufferError):  # a copy of a block is still in use, and ends with the process
            self._map.close()
        os.close(self.descriptor)

    def _counts(self) -> Iterator[int]:
        """Yield the number of words of each block."""
        yield _HEADER
        yield 2 * self._variable_count
        yield _DIRECTORY_WORDS
        yield from (self._row_words for _ in range(ROWS))
        yield from (1 + OUTPUTS for _ in range(ROWS))

    def _size(self) -> int:
        return sum(block_bytes(count) for count in self._counts())

    def _cut_into_blocks(self, memory: memoryview) -> None:
        blocks, start = [], 0
        for count in self._counts():
            blocks.append(SharedBlock(memory[start : start + (1 + count) * WORD]))
            start += block_bytes(count)
        self._header, self._state, self._directory = blocks[:3]
        self._rows, self._outputs = blocks[3 : 3 + ROWS], blocks[3 + ROWS :]


def _new_memory(size: int) -> int:
    """Return a descriptor of new memory that cannot be shortened: reading beyond its end would kill the reader."""
    descriptor = os.memfd_create("rbc", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.ftruncate(descriptor, size)
    fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL)
    return descriptor
