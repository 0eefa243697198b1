"""Ctrl-C ends parallel work wherever it arrives."""

import multiprocessing
import os
import signal

import pytest

from experiments.workers import Report, parallel_map_with_progress


def interrupted(item: int, report: Report) -> int:
    os.kill(os.getppid(), signal.SIGINT)
    report(0.5)
    return item


def test_ctrl_c_kills_only_the_processes_of_the_pool() -> None:
    other = multiprocessing.get_context("spawn").Process(target=signal.pause)
    other.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            parallel_map_with_progress(interrupted, [1, 2], 2, lambda *_: None)
        assert multiprocessing.active_children() == [other]
        assert other.exitcode is None
    finally:
        other.kill()
        other.join()


class Finalized:
    """Is interrupted while it is finalized: Python would print a KeyboardInterrupt, and go on."""

    def __del__(self) -> None:
        os.kill(os.getpid(), signal.SIGINT)


def interrupted_in_a_finalizer(item: int, report: Report) -> int:
    Finalized()
    report(0.5)
    return item


def test_ctrl_c_within_a_finalizer_is_not_lost() -> None:
    told: list[int] = []
    with pytest.raises(KeyboardInterrupt):
        parallel_map_with_progress(interrupted_in_a_finalizer, [1, 2, 3], 1, lambda index, _: told.append(index))
    assert told == []
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
