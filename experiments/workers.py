"""Work for all processors: the same function on many things; the answers do not depend on how many there are."""

import io
import multiprocessing
import os
import pickle
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import fields, is_dataclass
from functools import partial
from typing import Any


def each[Item, Answer](
    function: Callable[[Item], Answer], items: Sequence[Item], processes: int | None = None
) -> list[Answer]:
    """Return what a function of a module says of each item, in order; by default every processor is used."""
    count = min(processes or os.cpu_count() or 1, len(items))
    if count <= 1:
        return [function(item) for item in items]
    with ProcessPoolExecutor(count, multiprocessing.get_context("spawn")) as pool:
        return [pickle.loads(answer) for answer in pool.map(partial(_answer, function), map(_packed, items))]


class _Packer(pickle.Pickler):
    """Takes data classes apart into what their constructors are given, since compiled ones have no other way."""

    def reducer_override(self, thing: object) -> Any:
        """Return how to make a thing again, or that pickle knows it."""
        if not is_dataclass(thing) or isinstance(thing, type):
            return NotImplemented
        return type(thing), tuple(getattr(thing, field.name) for field in fields(thing) if field.init)


def _packed(thing: object) -> bytes:
    file = io.BytesIO()
    _Packer(file).dump(thing)
    return file.getvalue()


def _answer(function: Callable[[Any], object], item: bytes) -> bytes:
    return _packed(function(pickle.loads(item)))
