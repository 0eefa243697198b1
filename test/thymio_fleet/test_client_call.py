"""A work that a thread does for a caller: its result, its error, and what an interruption does."""

from collections.abc import Callable

import pytest

from thymio_base.parts import Parts
from thymio_fleet.client_call import ClientCall, InterruptedWorkError


def three_parts(works: list[str]) -> Parts[str]:
    works.append("first")
    yield
    works.append("second")
    yield
    return "done"


def failing(_: list[str]) -> Parts[str]:
    yield
    raise ValueError("no")


def careful(works: list[str]) -> Parts[str]:
    try:
        while True:
            yield
    except InterruptedWorkError:
        works.append("canceled")
        yield
        works.append("over")
        raise


def run(call: ClientCall[list[str], str], works: list[str], most: int = 10) -> int:
    """Advance a call to its end; return how many times that took."""
    for count in range(1, most + 1):
        if not call.advance(works):
            return count
    raise AssertionError("the call does not end")


def test_a_work_is_done_part_by_part() -> None:
    works: list[str] = []
    call = ClientCall(three_parts)
    assert call.advance(works)
    assert works == ["first"]
    assert run(call, works) == 2
    assert call.future.result() == "done"


def test_the_error_of_a_work_is_raised_by_its_result() -> None:
    call = ClientCall(failing)
    run(call, [])
    with pytest.raises(ValueError, match="no"):
        call.future.result()


def test_an_interrupted_work_cancels_and_goes_on_to_its_end() -> None:
    works: list[str] = []
    call = ClientCall(careful)
    call.advance(works)
    call.interrupt()
    assert call.advance(works)
    assert works == ["canceled"]
    assert not call.advance(works)
    assert works == ["canceled", "over"]


@pytest.mark.parametrize("begin", [three_parts, failing, careful])
@pytest.mark.parametrize("parts", [0, 1])
def test_an_interrupted_work_ends_without_an_error(begin: Callable[[list[str]], Parts[str]], parts: int) -> None:
    call = ClientCall(begin)
    for _ in range(parts):
        call.advance([])
    call.interrupt()
    run(call, [])
    assert call.future.exception() is None


def test_only_the_work_ends_a_call() -> None:
    call = ClientCall(three_parts)
    assert not call.future.cancel()
    run(call, [])
    assert call.future.result() == "done"


def test_a_call_that_fails_closes_its_work() -> None:
    works: list[str] = []

    def begin(_: list[str]) -> Parts[str]:
        try:
            yield
        finally:
            works.append("closed")
        return ""

    call = ClientCall(begin)
    call.advance([])
    call.fail(OSError("the fleet is gone"))
    assert works == ["closed"]
    with pytest.raises(OSError, match="gone"):
        call.future.result()
