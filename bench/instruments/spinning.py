"""Programs that use a core each: the load of a busy machine."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from fleet.commands.processes import Processes


@contextmanager
def spinning(count: int) -> Iterator[None]:
    """Let programs compute while the context lives."""
    with Processes() as processes:
        for number in range(count):
            processes.start(f"spinning program {number}", [sys.executable, "-c", "while True: pass"])
        yield
