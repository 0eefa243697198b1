"""Keeps the holes in the memory small that answers, histories and clients of commands leave, which come and go."""

import asyncio
import ctypes
from typing import Final

_M_MMAP_THRESHOLD: Final = -3  # of malloc.h, as the next one
_M_ARENA_MAX: Final = -8
_OWN_PAGES: Final = 65_536  # bytes of a block that has pages of its own, which its end gives back
_ARENAS: Final = 2  # heaps; otherwise each of a dozen threads of Fast DDS gets one
_PERIOD_S: Final = 60.0  # between two times at which free memory is given back


def limit_holes() -> None:
    """Let large blocks have pages of their own, and threads share heaps; call it before there are threads.

    Unasked, glibc puts large blocks into the heap, too, once one of their size was freed. Other C libraries have no
    such choice.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_MMAP_THRESHOLD, _OWN_PAGES)
        mallopt(_M_ARENA_MAX, _ARENAS)


async def give_memory_back() -> None:
    """Give free memory back to the machine now and then, which takes a millisecond; returns only without glibc."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    while trim is not None:
        await asyncio.sleep(_PERIOD_S)
        trim(0)
