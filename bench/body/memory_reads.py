"""Tests reads of shared memory beside a writer at full speed."""

import mmap
import multiprocessing
import os
from typing import Final

import numpy as np

from body.memory.shared_block import WORD, SharedBlock, block_bytes

_WORDS: Final = 20
_READERS: Final = 3


def mixed_reads(reads: int) -> int:
    """Return the number of torn reads, which mix two writes; three processes share the reads.

    Parameters
    ----------
    reads
        total number of reads
    """
    descriptor = os.memfd_create("bench")
    os.ftruncate(descriptor, block_bytes(_WORDS))
    fork = multiprocessing.get_context("fork")
    writer = fork.Process(target=_write, args=(descriptor,), daemon=True)
    writer.start()
    try:
        with fork.Pool(_READERS, _open, (descriptor,)) as readers:
            return sum(readers.map(_count_mixed, [reads // _READERS] * _READERS, chunksize=1))
    finally:
        writer.kill()
        writer.join()
        os.close(descriptor)


def _block(descriptor: int) -> SharedBlock:
    return SharedBlock(memoryview(mmap.mmap(descriptor, block_bytes(_WORDS)))[: (1 + _WORDS) * WORD])


def _write(descriptor: int) -> None:
    block, number, parent = _block(descriptor), 0.0, os.getppid()
    while os.getppid() == parent:
        number += 1
        block.write(np.full(_WORDS, number))


_opened: list[SharedBlock] = []


def _open(descriptor: int) -> None:
    _opened.append(_block(descriptor))


def _count_mixed(reads: int) -> int:
    block, mixed = _opened[0], 0
    for _ in range(reads):
        words = block.read().tobytes()
        mixed += words != words[:WORD] * _WORDS
    return mixed
