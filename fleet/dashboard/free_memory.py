"""Limits memory fragmentation by short-lived answers, histories and clients of commands."""

import asyncio
import ctypes
from typing import Final

_M_MMAP_THRESHOLD: Final = -3  # M_MMAP_THRESHOLD and M_ARENA_MAX of malloc.h
_M_ARENA_MAX: Final = -8
_OWN_PAGES: Final = 65_536  # bytes; larger blocks get pages of their own, returned when freed
_ARENAS: Final = 2  # heaps; otherwise each of a dozen threads of Fast DDS gets one
_PERIOD_S: Final = 60.0  # between two returns of free memory


def limit_holes() -> None:
    """Give large blocks pages of their own, and let threads share heaps; call it before any thread starts.

    By default, glibc puts large blocks into the heap too, once a block of their size was freed. Other C libraries have
    no such option.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_MMAP_THRESHOLD, _OWN_PAGES)
        mallopt(_M_ARENA_MAX, _ARENAS)


async def give_memory_back() -> None:
    """Return free memory to the machine now and then, which takes a millisecond; runs for ever with glibc."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    while trim is not None:
        await asyncio.sleep(_PERIOD_S)
        trim(0)
