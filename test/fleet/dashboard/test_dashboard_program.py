"""The program itself: memory that is free goes back to the machine, where the C library can do that."""

import asyncio
import ctypes
from types import SimpleNamespace

import pytest

from fleet.dashboard import dashboard_program


def test_free_memory_is_given_back_again_and_again(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []
    monkeypatch.setattr(dashboard_program, "_MEMORY_S", 0.001)
    monkeypatch.setattr(ctypes, "CDLL", lambda _: SimpleNamespace(malloc_trim=calls.append))

    async def until_called() -> None:
        giving_back = asyncio.create_task(dashboard_program._give_memory_back())
        async with asyncio.timeout(60.0):
            while len(calls) < 3:
                await asyncio.sleep(0.001)
        giving_back.cancel()

    asyncio.run(until_called())
    assert calls[:3] == [0, 0, 0]


def test_a_c_library_that_cannot_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ctypes, "CDLL", lambda _: SimpleNamespace())
    asyncio.run(asyncio.wait_for(dashboard_program._give_memory_back(), 60.0))
