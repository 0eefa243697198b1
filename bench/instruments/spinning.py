"""Programs that use a core each: the load of a busy machine."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from fleet.commands.processes import Processes


@contextmanager
def spinning(count: int) -> Iterator[None]:
    """Run busy programs for the lifetime of the context."""
    with Processes() as processes:
        for number in range(count):
            processes.start(f"spinning program {number}", [sys.executable, "-c", "while True: pass"])
        yield
