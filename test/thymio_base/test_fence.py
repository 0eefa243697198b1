import io
import sys
from pathlib import Path

import pytest

from harness.fence_record import take_record
from thymio_base.fence import Fence

SECOND_NS = 1_000_000_000


class Clock:
    def __init__(self) -> None:
        self.now_ns = 0

    def __call__(self) -> int:
        return self.now_ns


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def logged() -> list[str]:
    return []


@pytest.fixture
def fence(logged: list[str], clock: Clock) -> Fence:
    return Fence(logged.append, clock)


def broken(request: object) -> None:
    raise TypeError(f"int object expected, got {request}")


@pytest.mark.fenced
def test_an_exception_is_logged_with_its_door_request_and_traceback(fence: Fence, logged: list[str]) -> None:
    fence.fenced("/fleet/perform", broken)("laps: 2.0")
    assert "internal error at /fleet/perform" in logged[0]
    assert "request: 'laps: 2.0'" in logged[0]
    assert "in broken" in logged[0]
    assert "TypeError: int object expected, got laps: 2.0" in logged[0]


@pytest.mark.fenced
def test_code_after_a_fenced_body_continues(fence: Fence) -> None:
    with fence.around("poses"):
        raise ValueError
    assert fence.counts == {"poses": 1}


@pytest.mark.fenced
def test_repeats_are_counted_and_logged_once_in_ten_seconds(fence: Fence, logged: list[str], clock: Clock) -> None:
    call = fence.fenced("door", broken)
    for number in range(100):
        call(number)
    assert len(logged) == 1
    clock.now_ns = 10 * SECOND_NS
    call(100)
    assert len(logged) == 2
    assert "(99 more since the last report)" in logged[1]
    assert fence.counts == {"door": 101}


@pytest.mark.fenced
def test_another_fault_at_the_same_door_is_logged_at_once(fence: Fence, logged: list[str]) -> None:
    fence.fenced("door", broken)(1)
    fence.fenced("door", lambda _: 1 / 0)(1)
    assert len(logged) == 2


@pytest.mark.fenced
def test_a_request_that_has_no_text_is_still_noted(fence: Fence, logged: list[str]) -> None:
    class Speechless:
        def __repr__(self) -> str:
            raise RuntimeError

    fence.fenced("door", broken)(Speechless())
    assert "Speechless without a text (RuntimeError)" in logged[0]


def test_ends_of_the_program_pass(fence: Fence) -> None:
    with pytest.raises(KeyboardInterrupt), fence.around("door"):
        raise KeyboardInterrupt
    assert fence.total == 0


@pytest.mark.fenced
def test_what_a_fence_catches_is_recorded_for_tests(fence: Fence) -> None:
    fence.fenced("door", broken)(1)
    assert "internal error at door" in take_record()


def test_exceptions_that_end_the_program_pass(logged: list[str]) -> None:
    fence = Fence(logged.append, passes=(LookupError,))
    with pytest.raises(KeyError), fence.around("door"):
        raise KeyError("an end")
    assert (fence.total, logged) == (0, [])


@pytest.mark.fenced
def test_an_exception_is_caught_although_the_log_cannot_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    with io.TextIOWrapper(Path("/dev/full").open("wb", buffering=0), write_through=True) as full:
        monkeypatch.setattr(sys, "stderr", full)
        assert Fence().call("door", broken, "x") is None
    take_record()
