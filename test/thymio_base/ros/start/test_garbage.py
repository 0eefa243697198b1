"""Garbage is collected in small steps; what has survived is searched on demand alone."""

import gc
import weakref
from collections.abc import Iterator

import pytest

from thymio_base.ros.start.garbage import collect_all, collect_in_small_steps


class Knot:
    """An object that only a collection frees: it refers to itself."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture(autouse=True)
def collector() -> Iterator[None]:
    thresholds, callbacks = gc.get_threshold(), list(gc.callbacks)
    yield
    gc.set_threshold(*thresholds)
    gc.callbacks[:] = callbacks
    gc.unfreeze()


def test_survivors_are_not_searched_again() -> None:
    knot = Knot()
    seen = weakref.ref(knot)
    collect_in_small_steps()
    assert gc.get_count()[2] == 0
    assert not any(one is knot for one in gc.get_objects())
    del knot
    gc.collect()
    assert seen() is not None
    collect_all()
    assert seen() is None


def test_new_garbage_is_found_by_every_search() -> None:
    collect_in_small_steps()
    seen = weakref.ref(Knot())
    gc.collect()
    assert seen() is None


def test_a_second_call_changes_nothing() -> None:
    collect_in_small_steps()
    callbacks = list(gc.callbacks)
    collect_in_small_steps()
    assert gc.callbacks == callbacks
