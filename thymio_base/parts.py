"""Work in parts: a generator that pauses after each part, so that its caller decides how many parts to do now."""

from collections.abc import Callable, Generator
from typing import Final, Generic, TypeAlias, TypeVar

Result = TypeVar("Result")
Parts: TypeAlias = Generator[None, None, Result]


def finished(work: Generator[object, None, Result]) -> Result:
    """Do all remaining parts; return the result."""
    whole = WorkInParts(work)
    while whole.do_part():
        pass
    return whole.result


class WorkInParts(Generic[Result]):
    """Does work part by part.

    Parameters
    ----------
    parts : the work to do
    """

    def __init__(self, parts: Generator[object, None, Result]) -> None:
        self._parts: Final = parts
        self._results: Final[list[Result]] = []

    @property
    def is_over(self) -> bool:
        """Whether all parts are done."""
        return bool(self._results)

    @property
    def result(self) -> Result:
        """The result of the work, once it is over."""
        return self._results[0]

    def do_part(self) -> bool:
        """Do the next part; return whether more parts remain."""
        try:
            next(self._parts)
        except StopIteration as stop:
            self._results.append(stop.value)
        return not self.is_over


def begun(parts: Parts[Result], count: int) -> Parts[Result]:
    """Return work that does its first `count` parts as one."""
    work = WorkInParts(parts)
    while work.do_part():
        count -= 1
        if count <= 0:
            yield
    return work.result


def batches(parts: Parts[Result], measure: Callable[[], int], most: int) -> Parts[Result]:
    """Return work in larger parts, each of which ends once the return value of `measure` has grown by `most`."""
    work, until = WorkInParts(parts), measure() + most
    while work.do_part():
        if measure() >= until:
            yield
            until = measure() + most
    return work.result
