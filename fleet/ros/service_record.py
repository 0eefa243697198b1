"""Records which robots a driver serves, for the next driver on this host in case this driver is killed."""

import fcntl
import json
import os
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from typing import Final

from thymio_base.texts.json_text import read_json

_DEAD: Final = ".dead"  # ends the names of records whose robots were handed on
_FREE_S: Final = 60.0  # a busy machine may take long to start the next driver
_CLOCK: Final = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)  # nobody can set it, and it counts in suspension


class ServiceRecord:
    """A file that lists the robots that a driver serves; its lock shows whether the driver still runs.

    Parameters
    ----------
    folder : folder of all records; created if it is missing
    token : identifies this driver

    Raises
    ------
    OSError
        The file cannot be created, or the folder is another user's.
    """

    def __init__(self, folder: Path, token: str) -> None:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if folder.stat().st_uid != os.getuid():
            raise PermissionError(f"{folder} belongs to another user")
        self._path = folder / f"{token}.json"
        self._file: FileIO = self._path.open("wb", buffering=0)  # nothing is left to write if the disk is full
        fcntl.flock(self._file, fcntl.LOCK_EX)

    def write(self, robot_ids: Iterable[int], is_alone: bool) -> None:
        """Record which robots are served now, and that the driver still runs; best called once a second.

        `is_alone` means that no other driver, on any host, could claim the robots if this one dies.

        Raises
        ------
        OSError
            The disk is full.
        """
        record = {"robots": sorted(robot_ids), "is_alone": is_alone, "written_s": time.clock_gettime(_CLOCK)}
        self._file.seek(0)
        self._file.write(json.dumps(record).encode())
        self._file.truncate()

    def close(self) -> None:
        """Delete the record: the driver ends and has released its robots."""
        self._path.unlink(missing_ok=True)
        self._file.close()


def orphaned_robots(folder: Path, silent_s: float) -> set[int]:
    """Return the robots of drivers that were just killed; each dead driver is reported only once.

    Within `silent_s` of the dead driver's last sign of life, no driver on another host can have claimed such a robot,
    since drivers wait that long for an announcement of its server. If there was no other driver, the robots are free
    for a minute. So these robots have no driver, although they still report.
    """
    now_s = time.clock_gettime(_CLOCK)
    return {
        robot_id
        for record in _dead(folder)
        if 0.0 <= now_s - record.written_s < (_FREE_S if record.is_alone else silent_s)
        for robot_id in record.robot_ids
    }


def killed_drivers(folder: Path, tokens: Iterable[str]) -> set[str]:
    """Return which of the drivers recorded on this host and were killed within the last minute or so."""
    dead = {path.stem for path in folder.glob(f"*{_DEAD}")}
    kept = {path.stem: path for path in folder.glob("*.json")}
    return {token for token in tokens if token in dead or (token in kept and _is_free(kept[token]))}


def _is_free(path: Path) -> bool:
    """Whether a file exists and no process locks it."""
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class _Record:
    """The last record that a driver wrote; `written_s` is the time since this host was started."""

    written_s: float
    robot_ids: list[int]
    is_alone: bool


def _dead(folder: Path) -> Iterator[_Record]:
    """Yield the records of dead drivers, which are set aside for a while: other drivers may not have noticed yet."""
    for path in folder.glob(f"*{_DEAD}"):
        with suppress(OSError):
            if abs(time.time() - path.stat().st_mtime) > _FREE_S:
                path.unlink()
    for path in sorted(folder.glob("*.json")):
        try:
            with path.open(encoding="utf-8") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                path.rename(path.with_suffix(_DEAD))
                values = read_json(file.read())
                robot_ids = [int(robot_id) for robot_id in values["robots"]]
                yield _Record(float(values["written_s"]), robot_ids, bool(values["is_alone"]))
        except (OSError, ValueError, TypeError, KeyError):  # it is alive, has just ended, or was killed while it wrote
            continue
