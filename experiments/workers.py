"""Parallel work: the same function on many items; the answers do not depend on the number of processes."""

import io
import multiprocessing
import os
import pickle
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import fields, is_dataclass
from functools import partial
from typing import Any


def parallel_map[Item, Answer](
    function: Callable[[Item], Answer], items: Sequence[Item], processes: int | None = None
) -> list[Answer]:
    """Return a module-level function's answer for each item, in order; by default on all processors."""
    count = min(processes or os.cpu_count() or 1, len(items))
    if count <= 1:
        return [function(item) for item in items]
    with ProcessPoolExecutor(count, multiprocessing.get_context("spawn")) as pool:
        return [pickle.loads(answer) for answer in pool.map(partial(_answer, function), map(_packed, items))]


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
