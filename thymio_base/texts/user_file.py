"""Reads files that users name; a pipe or a device must neither keep a program waiting nor fill its memory."""

import errno
import stat
from pathlib import Path


def may_exist(path: Path) -> bool:
    """Whether a file may exist, as reading it will show; a name that no file can have, such as a long one, is none."""
    try:
        return path.exists()
    except OSError as error:
        return error.errno != errno.ENAMETOOLONG


def read_start(path: Path, most_bytes: int) -> bytes:
    """Return at most `most_bytes` bytes from the start of a file.

    Raises
    ------
    OSError
        It cannot be read, or is a named pipe: nobody may ever write into one. A shell's `<(command)` is a file.
    """
    try:
        if stat.S_ISFIFO(path.stat().st_mode) and not str(path.resolve()).startswith("/proc/"):
            raise OSError(errno.EINVAL, "is a named pipe, not a file")
        with path.open("rb") as file:
            return file.read(most_bytes)
    except ValueError as error:  # a path with a NUL
        raise OSError(errno.EINVAL, "is not the name of a file") from error
