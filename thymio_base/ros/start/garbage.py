"""Controls Python's garbage collector, so that it never blocks a program for long."""

import gc
from typing import Any, Final

_THRESHOLDS: Final = (10_000, 2, 2)  # new objects before a search; searches before older objects are included


def exempt_what_exists() -> None:
    """Exempt all existing objects from garbage collection; call once everything is loaded.

    Python delays a full collection until new objects amount to a quarter of the survivors: with tens of thousands of
    permanent objects that takes long, and each collection stops the program for 20 ms.
    """
    gc.collect()
    gc.freeze()


def collect_in_small_steps() -> None:
    """Exempt all existing objects from garbage collection, and later those that survive three searches.

    A search takes up to half a microsecond per object: 50 ms for the hundred thousand that a driver holds, whenever
    some more have been made. This way at most some ten thousand are searched at once. An exempted object is still freed
    as soon as nothing refers to it; only cycles of such objects remain, until `collect_all` finds them.
    """
    if _exempt_survivors not in gc.callbacks:
        gc.callbacks.append(_exempt_survivors)
    gc.set_threshold(*_THRESHOLDS)
    gc.collect()


def collect_all() -> None:
    """Search all objects now, and exempt the survivors; nothing else can run meanwhile."""
    gc.unfreeze()
    exempt_what_exists()


def _exempt_survivors(phase: str, info: dict[str, Any]) -> None:
    if phase == "stop" and info["generation"] == len(_THRESHOLDS) - 1:
        gc.freeze()
