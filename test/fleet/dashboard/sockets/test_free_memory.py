"""Memory that is free goes back to the machine, and large blocks leave no holes, where the C library can do that."""

import asyncio
import ctypes
import platform
import subprocess
import sys
from types import SimpleNamespace

import pytest

from fleet.dashboard import free_memory

# Once a block of 1 MB with pages of its own is freed, glibc puts blocks of that size into the heap, unless it is told.
_BLOCKS_WITH_OWN_PAGES = """
import ctypes
from fleet.dashboard.free_memory import limit_holes

class Usage(ctypes.Structure):
    _fields_ = [("before", ctypes.c_size_t * 3), ("hblks", ctypes.c_size_t), ("after", ctypes.c_size_t * 6)]

libc = ctypes.CDLL(None)
libc.malloc.restype, libc.free.argtypes, libc.mallinfo2.restype = ctypes.c_void_p, [ctypes.c_void_p], Usage
if LIMITED:
    limit_holes()
libc.free(libc.malloc(ctypes.c_size_t(1_000_000)))
before = libc.mallinfo2().hblks
libc.malloc(ctypes.c_size_t(500_000))
print(libc.mallinfo2().hblks - before)
"""


def test_free_memory_is_given_back_again_and_again(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []
    monkeypatch.setattr(free_memory, "_PERIOD_S", 0.001)
    monkeypatch.setattr(ctypes, "CDLL", lambda _: SimpleNamespace(malloc_trim=calls.append))

    async def until_called() -> None:
        giving_back = asyncio.create_task(free_memory.give_memory_back())
        async with asyncio.timeout(60.0):
            while len(calls) < 3:
                await asyncio.sleep(0.001)
        giving_back.cancel()

    asyncio.run(until_called())
    assert calls[:3] == [0, 0, 0]


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc has these options")
@pytest.mark.parametrize(("is_limited", "own_pages"), [(False, 0), (True, 1)])
def test_large_blocks_have_pages_of_their_own(is_limited: bool, own_pages: int) -> None:
    program = _BLOCKS_WITH_OWN_PAGES.replace("LIMITED", str(is_limited))
    answer = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True, timeout=60.0)
    assert int(answer.stdout) == own_pages


def test_a_c_library_that_cannot_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ctypes, "CDLL", lambda _: SimpleNamespace())
    free_memory.limit_holes()
    asyncio.run(asyncio.wait_for(free_memory.give_memory_back(), 60.0))
