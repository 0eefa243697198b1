"""When Python's garbage collector runs, so that it never holds up a program for long."""

import gc
from typing import Any, Final

_THRESHOLDS: Final = (10_000, 2, 2)  # new objects until they are searched; how often, until older ones are, too


def exempt_what_exists() -> None:
    """Exempt all that exists from garbage collection; call it once all is loaded.

    Python waits with a full collection until a quarter as much as survives has been made again: with tens of thousands
    of objects that stay, that is long, and each collection stops the program for 20 ms.
    """
    gc.collect()
    gc.freeze()


def collect_in_small_steps() -> None:
    """Exempt all that exists from garbage collection, and from now on whatever has survived three searches.

    A search takes up to half a microsecond for each object: 50 ms for the hundred thousand that a driver holds, once
    some more were made. Now at most some ten thousand are searched at once. An exempted object is still freed as soon
    as nothing refers to it; only cycles of such objects remain, until `collect_all` finds them.
    """
    if _exempt_survivors not in gc.callbacks:
        gc.callbacks.append(_exempt_survivors)
    gc.set_threshold(*_THRESHOLDS)
    gc.collect()


def collect_all() -> None:
    """Search all objects now, and exempt those that survive; nothing else can run meanwhile."""
    gc.unfreeze()
    exempt_what_exists()


def _exempt_survivors(phase: str, info: dict[str, Any]) -> None:
    if phase == "stop" and info["generation"] == len(_THRESHOLDS) - 1:
        gc.freeze()
