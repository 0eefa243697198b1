"""A work in parts that one thread passes to another, with its result."""

from collections.abc import Callable
from concurrent.futures import Future
from typing import Final, Generic, TypeVar, cast

from thymio_base.parts import Parts

Works = TypeVar("Works")
Result = TypeVar("Result")

CANCEL_S: Final = 5.0  # longest wait for the end of a cancellation


class InterruptedWorkError(Exception):
    """Thrown into a work whose caller no longer waits: it cancels what it has started."""


class ClientCall(Generic[Works, Result]):
    """A work that the client's thread does in parts.

    Parameters
    ----------
    begin : returns the work, given the object that creates works
    """

    def __init__(self, begin: Callable[[Works], Parts[Result]]) -> None:
        self._begin: Final = begin
        self._parts: Parts[Result] | None = None
        self._is_interrupted = self._is_told = False
        self.future: Final[Future[Result]] = Future()
        self.future.set_running_or_notify_cancel()  # so that only the work ends it

    def interrupt(self) -> None:
        """Have the work cancel what it has started; its result no longer matters."""
        self._is_interrupted = True

    def advance(self, works: Works) -> bool:
        """Do the next part; return whether another part is left."""
        try:
            if self._parts is None:
                self._parts = self._begin(works)
            if self._is_interrupted and not self._is_told:
                self._is_told = True
                self._parts.throw(InterruptedWorkError())
            else:
                next(self._parts)
        except StopIteration as stop:
            self.future.set_result(stop.value)
        except Exception as error:
            self.fail(error)
        return not self.future.done()

    def fail(self, error: Exception) -> None:
        """End the work; the end of an interrupted work is ignored."""
        if self._parts is not None:
            self._parts.close()
        if self._is_interrupted:
            self.future.set_result(cast(Result, None))
        else:
            self.future.set_exception(error)
