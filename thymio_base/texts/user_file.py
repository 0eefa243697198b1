"""Reads files named by users; a pipe or device must neither block a program nor fill its memory."""

import errno
import stat
from pathlib import Path


def may_exist(path: Path) -> bool:
    """Return whether a file may exist, as reading it will show; False for an impossible name, such as a long one."""
    try:
        return path.exists()
    except OSError as error:
        return error.errno != errno.ENAMETOOLONG


def read_start(path: Path, most_bytes: int) -> bytes:
    """Return at most `most_bytes` bytes from the start of a file.

    Raises
    ------
    OSError
        The file cannot be read, or is a named pipe, which may never be written. A shell's `<(command)` is a file.
    """
    try:
        if stat.S_ISFIFO(path.stat().st_mode) and not str(path.resolve()).startswith("/proc/"):
            raise OSError(errno.EINVAL, "is a named pipe, not a file")
        with path.open("rb") as file:
            return file.read(most_bytes)
    except ValueError as error:  # a path with a NUL
        raise OSError(errno.EINVAL, "is not the name of a file") from error
