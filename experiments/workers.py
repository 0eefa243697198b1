"""Work for all processors: the same function on many things; the answers do not depend on how many there are."""

import multiprocessing
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor


def each[Item, Answer](
    function: Callable[[Item], Answer], items: Sequence[Item], processes: int | None = None
) -> list[Answer]:
    """Return what a function of a module says of each item, in order; by default every processor is used."""
    count = min(processes or os.cpu_count() or 1, len(items))
    if count <= 1:
        return [function(item) for item in items]
    with ProcessPoolExecutor(count, multiprocessing.get_context("spawn")) as pool:
        return list(pool.map(function, items))
