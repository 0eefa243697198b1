"""Figures of this process from the operating system, under Prometheus's standard names."""

import resource
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

from thymio_base.texts.decimal_text import real_number

_STARTED_S: Final = time.time()


def process_numbers() -> dict[str, float]:
    """Return start, processor time, memory and open files; the last two only on Linux."""
    found = {"process_start_time_seconds": _STARTED_S, "process_cpu_seconds_total": time.process_time()}
    with suppress(OSError):
        pages = real_number(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
        found["process_resident_memory_bytes"] = pages * resource.getpagesize()
        found["process_open_fds"] = float(sum(1 for _ in Path("/proc/self/fd").iterdir()))
    return found
