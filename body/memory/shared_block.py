"""A block of shared memory with one writer and many readers, which never see a partial write."""

import threading
from typing import Final

import numpy as np

from body.description.robot_tree import Floats

WORD: Final = 8  # bytes
_TRIES: Final = 100


class SharedBlock:
    """Words behind a sequence number, which is odd during a write (a seqlock).

    A reader copies the words, and tries again if the number was odd or has changed. It never waits for a writer that
    was interrupted or has died during a write: it then returns the words of its previous read. An x86 processor
    keeps the order of stores and of loads; on others, the lock that both sides take and release is the barrier.

    Parameters
    ----------
    memory : memory of 1 + `count` words, shared by all processes
    """

    def __init__(self, memory: memoryview) -> None:
        self._sequence = memory[:WORD].cast("Q")
        self._words = np.frombuffer(memory[WORD:], dtype=np.float64)
        self._barrier = threading.Lock()
        self._latest = np.zeros(len(self._words))

    def write(self, words: Floats) -> None:
        """Replace the words, shape (count,); only one process may ever call this."""
        sequence = self._sequence[0] | 1  # a writer that was killed has left it odd
        self._sequence[0] = sequence
        with self._barrier:
            self._words[:] = words
        self._sequence[0] = sequence + 1

    def read(self) -> Floats:
        """Return the words of the latest write, or those of the previous read while a write is unfinished."""
        for _ in range(_TRIES):
            before = self._sequence[0]
            if before & 1:
                continue
            with self._barrier:
                words = self._words.copy()
            if self._sequence[0] == before:
                self._latest = words
                break
        return self._latest


def block_bytes(count: int) -> int:
    """Return the size of a block of `count` words, padded to a cache line so that writers do not interfere."""
    return -(-(1 + count) * WORD // 64) * 64
