"""Removes what programs that were killed have left behind: folders of demos, and shared memory of Fast DDS.

Shared memory is removed if it is ours and the lock beside it is free, as `fastdds shm clean` does: no program uses it.
Python 3.10 or later can run this file, without set-up.
"""

import fcntl
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import IO

DEMO_PREFIX = "thymio-fleet-demo-"
_SEGMENT = re.compile(r"^fastrtps_([0-9a-f]{16}|port\d{1,5})$")
_LOCKS = ("_el", "_sl")  # exclusive and shared
_NEW_S = 60.0  # memory without a lock may just be being created


def main() -> int:
    """Remove leftovers and print what was removed; return 0."""
    removed = remove_demo_folders(Path(tempfile.gettempdir())) + remove_shared_memory(Path("/dev/shm"))
    for path in removed:
        print(f"removed {path}")
    return 0


def remove_demo_folders(parent: Path) -> list[Path]:
    """Remove the demos' folders that are ours and that no process uses; return them."""
    removed = []
    for folder in sorted(parent.glob(f"{DEMO_PREFIX}*")):
        if folder.is_dir() and not folder.is_symlink() and _is_ours(folder) and not _is_used(folder):
            shutil.rmtree(folder, ignore_errors=True)
            removed.append(folder)
    return removed


def remove_shared_memory(folder: Path) -> list[Path]:
    """Remove the memory of Fast DDS that is ours and that no process has locked; return the segments."""
    names = {path.name for path in folder.glob("fastrtps_*")} if folder.is_dir() else set()
    bases = {re.sub("_[es]l$", "", name) for name in names}
    return [folder / base for base in sorted(bases) if _SEGMENT.match(base) and _remove_segment(folder, base)]


def _remove_segment(folder: Path, base: str) -> bool:
    """Remove a segment with its locks and its mutex, unless a process may use it; return whether it was removed."""
    files = [folder / base, *(folder / f"{base}{lock}" for lock in _LOCKS), folder / f"sem.{base}_mutex"]
    present = [path for path in files if path.exists()]
    if not all(map(_is_ours, present)):
        return False
    with ExitStack() as stack:
        locks = [path for path in present if path.name.endswith(_LOCKS)]
        if not locks and any(_is_new(path) for path in present):
            return False
        if not all(_lock(stack, path) for path in locks):
            return False
        for path in present:
            with suppress(FileNotFoundError):
                path.unlink()
    return True


def _lock(stack: ExitStack, path: Path) -> bool:
    """Lock a file until the stack ends; return False if another process has locked it."""
    try:
        file: IO[bytes] = stack.enter_context(path.open("rb"))
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _is_ours(path: Path) -> bool:
    with suppress(OSError):
        return path.lstat().st_uid == os.getuid()
    return False


def _is_new(path: Path) -> bool:
    with suppress(OSError):
        return time.time() - path.stat().st_mtime < _NEW_S
    return True


def _is_used(folder: Path) -> bool:
    """Whether a process has a folder in its command, as its working directory, or files in it open."""
    return any(_names(process, str(folder)) for process in Path("/proc").glob("[0-9]*"))


def _names(process: Path, folder: str) -> bool:
    with suppress(OSError):
        if folder.encode() in (process / "cmdline").read_bytes():
            return True
    return any(
        target is not None and (target == folder or target.startswith(f"{folder}/")) for target in _open(process)
    )


def _open(process: Path) -> Iterator[str]:
    """Yield the working directory and the open files of a process."""
    yield _target(process / "cwd")
    with suppress(OSError):
        for link in (process / "fd").iterdir():
            yield _target(link)


def _target(link: Path) -> str:
    with suppress(OSError):
        return str(link.readlink())
    return ""


if __name__ == "__main__":
    sys.exit(main())
