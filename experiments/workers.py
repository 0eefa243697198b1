"""Parallel work: the same function on many items; the answers do not depend on the number of processes."""

import io
import multiprocessing
import os
import pickle
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from dataclasses import fields, is_dataclass
from functools import partial
from typing import Any

Report = Callable[[float], object]

_POLL_S = 0.2  # between two looks at the progress of other processes


def parallel_map[Item, Answer](
    function: Callable[[Item], Answer], items: Sequence[Item], processes: int | None = None
) -> list[Answer]:
    """Return a module-level function's answer for each item, in order; by default on all processors."""
    count = min(processes or os.cpu_count() or 1, len(items))
    if count <= 1:
        return [function(item) for item in items]
    with ProcessPoolExecutor(count, multiprocessing.get_context("spawn")) as pool:
        return [pickle.loads(answer) for answer in pool.map(partial(_answer, function), map(_packed, items))]


def parallel_map_with_progress[Item, Answer](
    function: Callable[[Item, Report], Answer],
    items: Sequence[Item],
    processes: int | None,
    on_progress: Callable[[int, float], object],
) -> list[Answer]:
    """Return a function's answer for each item, as `parallel_map`, and report progress.

    The function receives a second argument, which it calls with the share of its work that is done, 0 to 1.
    `on_progress` is called with an item's index and that share, in this process; with 1 when the answer is there.
    """
    count = min(processes or os.cpu_count() or 1, len(items))
    if count <= 1:
        return [_tracked(function, item, index, on_progress) for index, item in enumerate(items)]
    context = multiprocessing.get_context("spawn")
    shares = context.Array("d", len(items))
    with ProcessPoolExecutor(count, context, _share_progress, (shares,)) as pool:
        packed = map(_packed, items)
        futures = [pool.submit(_tracked_answer, function, index, item) for index, item in enumerate(packed)]
        pending = set(futures)
        while pending:
            pending = wait(pending, _POLL_S, FIRST_COMPLETED).not_done
            for index, future in enumerate(futures):
                on_progress(index, 1.0 if future.done() else shares[index])
        return [pickle.loads(future.result()) for future in futures]


def _tracked[Item, Answer](
    function: Callable[[Item, Report], Answer], item: Item, index: int, on_progress: Callable[[int, float], object]
) -> Answer:
    answer = function(item, partial(on_progress, index))
    on_progress(index, 1.0)
    return answer


class _Packer(pickle.Pickler):
    """Pickles data classes by the arguments of their constructors, since compiled ones have no other way."""

    def reducer_override(self, value: object) -> Any:
        """Return how to rebuild a data class, or leave other things to pickle."""
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
    """Where a worker process writes its progress: a pool hands shared memory over at a process's start alone."""

    shares: Any = None


def _share_progress(shares: Any) -> None:
    _SharedProgress.shares = shares


def _tracked_answer(function: Callable[[Any, Report], object], index: int, item: bytes) -> bytes:
    return _packed(function(pickle.loads(item), partial(_SharedProgress.shares.__setitem__, index)))
