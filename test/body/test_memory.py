"""Readers of shared memory never see half of a write, not even of a writer that has died in it."""

import math
import mmap
import multiprocessing
import os
import time

import numpy as np
import pytest

from body.errors import BoardError
from body.memory.body_board import OUTPUTS, BoardRow, BodyBoard, BodyState, Share
from body.memory.shared_block import SharedBlock, block_bytes

WORDS = 20
DEADLINE_S = 60.0


def write_for_ever(descriptor: int) -> None:
    block = SharedBlock(memoryview(mmap.mmap(descriptor, block_bytes(WORDS)))[: (1 + WORDS) * 8])
    number = 0.0
    while os.getppid() != 1:
        number += 1
        block.write(np.full(WORDS, number))


@pytest.fixture
def board() -> BodyBoard:
    return BodyBoard(variables=3, motions=2)


def row(now_ns: int, weight: float) -> BoardRow:
    return BoardRow(now_ns, weight, Share(np.array([1.0, 2.0]), np.array([3.0, 4.0]), np.array([1.0, 2.0])))


@pytest.mark.slow
def test_reader_beside_a_writer_at_full_speed_sees_whole_writes() -> None:
    descriptor = os.memfd_create("test")
    os.ftruncate(descriptor, block_bytes(WORDS))
    block = SharedBlock(memoryview(mmap.mmap(descriptor, block_bytes(WORDS)))[: (1 + WORDS) * 8])
    writer = multiprocessing.get_context("fork").Process(target=write_for_ever, args=(descriptor,), daemon=True)
    writer.start()
    try:
        seen, reads = set(), 0
        deadline_s = time.monotonic() + DEADLINE_S
        while reads < 100_000 or len(seen) <= 100:  # on a busy machine the writer has its turn now and then
            assert time.monotonic() < deadline_s, f"{len(seen)} different values in {reads} reads"
            words = block.read()
            assert (words == words[0]).all()
            seen.add(words[0])
            reads += 1
    finally:
        writer.kill()
        writer.join()


def test_writer_killed_during_a_write_leaves_the_previous_words() -> None:
    memory = bytearray(block_bytes(WORDS))
    block = SharedBlock(memoryview(memory)[: (1 + WORDS) * 8])
    block.write(np.ones(WORDS))
    assert (block.read() == 1.0).all()
    memory[0] |= 1  # as in the middle of a write
    memory[8:16] = bytes(8)
    assert (block.read() == 1.0).all()
    block.write(np.full(WORDS, 2.0))
    assert (block.read() == 2.0).all()


def test_state_and_rows_are_seen_through_another_mapping(board: BodyBoard) -> None:
    other = BodyBoard(3, 2, os.dup(board.descriptor))
    board.write_state(BodyState(np.array([1.0, 2.0, 3.0]), np.array([2**60 + 1, 0, 5], dtype=np.int64)))
    other.write_row(7, row(2**60 + 3, 0.5))
    state, read = other.read_state(), board.read_row(7)
    assert (state.values.tolist(), state.stamps_ns.tolist()) == ([1.0, 2.0, 3.0], [2**60 + 1, 0, 5])
    assert (read.written_ns, read.weight, read.share.drives.tolist()) == (2**60 + 3, 0.5, [1.0, 2.0])


def test_cleared_row_has_no_owner(board: BodyBoard) -> None:
    board.write_row(1, row(5, 1.0))
    board.clear_row(1)
    read = board.read_row(1)
    assert (read.written_ns, read.weight) == (0, 0.0)


def test_output_is_found_by_name_as_soon_as_it_is_in_the_directory(board: BodyBoard) -> None:
    assert board.read_output("TC0/force") is None
    board.write_directory({"TC0/force": (3, 2)})
    board.write_outputs(3, np.arange(OUTPUTS, dtype=np.float64), 99)
    output = board.read_output("TC0/force")
    assert output is not None
    assert (output.value, output.written_ns) == (2.0, 99)


def test_memory_of_another_body_is_refused(board: BodyBoard) -> None:
    with pytest.raises(BoardError, match="another"):
        BodyBoard(4, 2, os.dup(board.descriptor))


def test_directory_that_is_too_long_is_refused(board: BodyBoard) -> None:
    with pytest.raises(BoardError, match="too many"):
        board.write_directory({f"{'x' * 200}/{index}": (0, 0) for index in range(100)})


def test_share_of_another_length_is_refused_and_leaves_the_row(board: BodyBoard) -> None:
    board.write_row(0, row(7, 0.5))
    odd = Share(np.ones(3), np.ones(1), np.ones(2))  # together as many numbers as they must be
    with pytest.raises(BoardError, match="2 numbers for each of velocities, torques, drives"):
        board.write_row(0, BoardRow(8, 1.0, odd))
    assert board.read_row(0).written_ns == 7


@pytest.mark.parametrize("weight", [math.nan, math.inf, -math.inf])
def test_weight_that_is_not_a_number_counts_as_0(board: BodyBoard, weight: float) -> None:
    board.write_row(0, row(7, weight))
    assert board.read_row(0).weight == 0.0


def test_no_process_can_shorten_the_memory(board: BodyBoard) -> None:
    with pytest.raises(PermissionError):
        os.ftruncate(board.descriptor, 8)
