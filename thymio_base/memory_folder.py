"""The folder for small files that must not wait for a disk."""

import os
import tempfile
from pathlib import Path
from typing import Final

_MEMORY: Final = Path("/dev/shm")


def memory_folder() -> Path:
    """Return a folder in memory, or the system's folder for temporary files if there is none that can be written.

    A write to a disk can take a quarter of a second.
    """
    return _MEMORY if os.access(_MEMORY, os.W_OK) else Path(tempfile.gettempdir())
