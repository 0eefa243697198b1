"""Applies a function to many items in parallel; the answers do not depend on the number of processes."""

import io
import multiprocessing
import os
import pickle  # noqa: TID251 (of exceptions that our own processes raised)
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from functools import partial
from types import FrameType
from typing import Any, TypeVar

Item = TypeVar("Item")
Answer = TypeVar("Answer")

Report = Callable[[float], object]

_POLL_S = 0.2  # period of reading the progress of other processes


def parallel_map(
    function: Callable[[Item], Answer], items: Sequence[Item], processes: int | None = None
) -> list[Answer]:
    """Return a module-level function's answer for each item, in order; by default on all processors.

    Ctrl-C raises KeyboardInterrupt at once; unfinished work is lost.
    """
    count = min(processes or os.cpu_count() or 1, len(items))
    if count <= 1:
        return [function(item) for item in items]
    with _killed_on_interrupt(ProcessPoolExecutor(count, multiprocessing.get_context("spawn"))) as pool:
        with _interrupts_held():
            futures = [pool.submit(_answer, function, _packed(item)) for item in items]
        return [pickle.loads(future.result()) for future in futures]


def parallel_map_with_progress(
    function: Callable[[Item, Report], Answer],
    items: Sequence[Item],
    processes: int | None,
    on_progress: Callable[[int, float], object],
) -> list[Answer]:
    """Return a function's answer for each item, as `parallel_map`, and report progress.

    The function receives a second argument, which it calls with the completed share of its work, 0 to 1.
    `on_progress` is called in this process with an item's index and that share, and with 1 for the answer.
    Ctrl-C raises KeyboardInterrupt at the next report of progress.
    """
    count = min(processes or os.cpu_count() or 1, len(items))
    with _interrupts_remembered() as check:

        def report(index: int, share: float) -> None:
            check()
            on_progress(index, share)

        if count <= 1:
            return [_tracked(function, item, index, report) for index, item in enumerate(items)]
        return _map_in_processes(function, items, count, report)


def _map_in_processes(
    function: Callable[[Item, Report], Answer],
    items: Sequence[Item],
    count: int,
    on_progress: Callable[[int, float], object],
) -> list[Answer]:
    context = multiprocessing.get_context("spawn")
    shares = context.Array("d", len(items))
    with _killed_on_interrupt(ProcessPoolExecutor(count, context, _share_progress, (shares,))) as pool:
        with _interrupts_held():
            futures = [pool.submit(_tracked_answer, function, index, _packed(item)) for index, item in enumerate(items)]
        _watch(futures, shares, on_progress)
        return [pickle.loads(future.result()) for future in futures]


@contextmanager
def _killed_on_interrupt(pool: ProcessPoolExecutor) -> Iterator[ProcessPoolExecutor]:
    """Kill the pool's processes on Ctrl-C, instead of waiting for all their work."""
    others = set(multiprocessing.active_children())  # the pool starts its processes later
    with pool:
        try:
            yield pool
        except KeyboardInterrupt:
            for process in set(multiprocessing.active_children()) - others:
                process.kill()
            raise


@contextmanager
def _interrupts_remembered() -> Iterator[Callable[[], None]]:
    """Yield a function that raises KeyboardInterrupt after Ctrl-C; a second Ctrl-C raises it at once.

    An exception raised in a finalizer would only be printed, and lost.
    """
    before = signal.getsignal(signal.SIGINT)
    if before is not signal.default_int_handler or threading.current_thread() is not threading.main_thread():
        yield _do_nothing
        return
    interrupts: list[int] = []

    def note(number: int, _: FrameType | None) -> None:
        interrupts.append(number)
        if len(interrupts) > 1:
            raise KeyboardInterrupt

    def check() -> None:
        if interrupts:
            raise KeyboardInterrupt

    signal.signal(signal.SIGINT, note)
    try:
        yield check
    finally:
        signal.signal(signal.SIGINT, before)


def _do_nothing() -> None:
    """Do nothing."""


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Block Ctrl-C within the context; processes started there never receive it, and print no traceback."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _watch(futures: Sequence[Future[bytes]], shares: Any, on_progress: Callable[[int, float], object]) -> None:
    pending = set(futures)
    while pending:
        pending = wait(pending, _POLL_S, FIRST_COMPLETED).not_done
        for index, future in enumerate(futures):
            on_progress(index, 1.0 if future.done() else shares[index])


def _tracked(
    function: Callable[[Item, Report], Answer], item: Item, index: int, on_progress: Callable[[int, float], object]
) -> Answer:
    answer = function(item, partial(on_progress, index))
    on_progress(index, 1.0)
    return answer


class _Packer(pickle.Pickler):
    """Pickles data classes by the arguments of their constructors, the only way for compiled classes."""

    def reducer_override(self, value: object) -> Any:
        """Return constructor and arguments of a data class; leave other objects to pickle."""
        if not is_dataclass(value) or isinstance(value, type):
            return NotImplemented
        return type(value), tuple(getattr(value, field.name) for field in fields(value) if field.init)


def _packed(value: object) -> bytes:
    file = io.BytesIO()
    _Packer(file).dump(value)
    return file.getvalue()


def _answer(function: Callable[[Any], object], item: bytes) -> bytes:
    return _packed(function(pickle.loads(item)))


class _SharedProgress:
    """The place for a worker's progress: a pool can pass shared memory only at the start of a process."""

    shares: Any = None


def _share_progress(shares: Any) -> None:
    _SharedProgress.shares = shares


def _tracked_answer(function: Callable[[Any, Report], object], index: int, item: bytes) -> bytes:
    return _packed(function(pickle.loads(item), partial(_SharedProgress.shares.__setitem__, index)))
