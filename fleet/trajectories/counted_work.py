"""Long work in counted steps, shared by several ticks: counted, not timed, so that runs are repeatable."""

from collections.abc import Generator
from typing import Final, Generic, TypeAlias, TypeVar

from thymio_base.parts import Parts

T = TypeVar("T")

_STEP: Final = 100  # units
_PAUSE: Final = 10 * _STEP

Steps: TypeAlias = Generator[int, None, T]  # yields the steps of each part; a step takes about 7 us


class Effort:
    """Counts the work between two pauses, in units of a hundredth of a step."""

    def __init__(self) -> None:
        self.units = 0

    @property
    def is_much(self) -> bool:
        """Whether it is time for a pause."""
        return self.units >= _PAUSE

    def take(self) -> int:
        """Return the number of whole steps; the rest counts later."""
        steps = self.units // _STEP
        self.units -= steps * _STEP
        return steps


class CountedWork(Generic[T]):
    """Work that is done in small portions.

    Parameters
    ----------
    work : the work to do

    Attributes
    ----------
    result : the result; None until the work is over
    is_over : whether it is done
    """

    def __init__(self, work: Steps[T]) -> None:
        self.result: T | None = None
        self.is_over = False
        self._work: Final = work

    def advance(self, count: int) -> int:
        """Do approximately `count` steps at most; return how many were done."""
        done = 0
        while done < count and not self.is_over:
            try:
                done += next(self._work)
            except StopIteration as end:
                self.result, self.is_over = end.value, True
        return done


def in_parts(work: Steps[T], count: int) -> Parts[T]:
    """Do some work in parts of about `count` steps."""
    done = 0
    while True:
        try:
            done += next(work)
        except StopIteration as end:
            result: T = end.value
            return result
        if done >= count:
            yield
            done = 0
