"""Ctrl-C ends parallel work wherever it arrives."""

import os
import signal

import pytest

from experiments.workers import Report, parallel_map_with_progress


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
