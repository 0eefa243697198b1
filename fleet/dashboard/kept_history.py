"""Keeps the last half hour on disk, so that a restarted dashboard shows what happened before.

There are at most two files: the growing one and its predecessor. Each has a header, then packs of records; a pack that
was not written whole ends the file.
"""

import errno
import fcntl
import os
import struct
import zlib
from array import array
from collections.abc import Iterator, Sequence
from functools import partial
from io import FileIO
from pathlib import Path
from typing import BinaryIO, Final

from fleet.dashboard.model.history import LENGTH_S, Pack, PackedLog
from fleet.dashboard.model.story import Story

_HEADER: Final = struct.Struct("<24sd")  # the format, and the time of day at time 0
_FORMAT: Final = b"thymio_fleet history 1\n"
_PACK: Final = struct.Struct("<BIII")  # index of the log, number of records, number of bytes, checksum
_MOST_RECORDS: Final = 10_000
_MOST_BYTES: Final = 64_000_000  # in one file


class KeptHistory:
    """The history files of one ROS domain's fleet.

    Parameters
    ----------
    folder : the user's folder, created when something is kept
    domain : the ROS domain
    unix_s : the time of day at the start

    Attributes
    ----------
    zero_unix_s : the time of day at time 0 of the dashboard's clock, which continues that of an earlier run
    trouble : why the history cannot be kept; "" if it is
    """

    def __init__(self, folder: Path, domain: int, unix_s: float) -> None:
        self.zero_unix_s = unix_s
        self.trouble = ""
        self._path: Final = folder / f"history_of_domain_{domain}"
        self._older: Final = self._path.with_suffix(".older")
        self._file: FileIO | None = None
        latest = list(_read(self._path))
        self._since_s = latest[0][2].times_s[0] if latest else 0.0  # the first time in the file
        self._found: Final = [*_read(self._older), *latest]
        zeros = {zero_s for zero_s, _, _ in self._found}
        latest_s = max((zero_s + pack.times_s[-1] for zero_s, _, pack in self._found), default=unix_s)
        if len(zeros) == 1 and unix_s - LENGTH_S < latest_s <= unix_s:
            self.zero_unix_s = zeros.pop()
        else:
            self._found.clear()

    def restore(self, story: Story) -> None:
        """Restore the kept history to a story, and keep what happens from now on."""
        logs = story.history.frames, story.states.records, story.log.records
        oldest_s = max((pack.times_s[-1] for _, _, pack in self._found), default=0.0) - LENGTH_S
        for _, number, pack in self._found:
            if number < len(logs) and pack.times_s[-1] >= oldest_s:
                logs[number].restore(pack)
        story.log.take_up()
        self._open(is_empty=not self._found)
        self._found.clear()
        for number, log in enumerate(logs):
            log.keep = partial(self._keep, number)
        logs[0].keep = partial(self._keep_all, logs[1:])

    def close(self, story: Story) -> None:
        """Write the latest records too, and stop."""
        log: PackedLog
        for log in (story.history.frames, story.states.records, story.log.records):
            log.pack()
        self._shut()

    def _open(self, *, is_empty: bool) -> None:
        """Open the file for writing, unless another dashboard of this domain has it open."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            file = FileIO(os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600), "r+")
            self._file = file
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._start(file, is_empty=is_empty)
        except BlockingIOError:
            self._give_up("another dashboard of this domain keeps it")
        except OSError as error:
            self._give_up(error.strerror or str(error))

    def _start(self, file: FileIO, *, is_empty: bool) -> None:
        """Continue behind the last whole pack, or start empty."""
        end = 0 if is_empty else _end_of(self._path)
        if is_empty:
            self._older.unlink(missing_ok=True)
        file.seek(end)
        file.truncate()
        if end == 0:
            _write(file, _HEADER.pack(_FORMAT, self.zero_unix_s))

    def _keep_all(self, others: Sequence[PackedLog], pack: Pack) -> None:
        """Write a pack of frames, which come all the time, and the other logs' records, which may be few for hours."""
        self._keep(0, pack)
        for log in others:
            log.pack()

    def _keep(self, number: int, pack: Pack) -> None:
        try:
            file = self._file_for(pack)
            if file is not None:
                _write(file, _written(number, pack))
        except OSError as error:
            self._give_up(error.strerror or str(error))

    def _file_for(self, pack: Pack) -> FileIO | None:
        """Return the file for a pack, after rotating a full one; None while nothing is kept."""
        size = 0 if self._file is None else self._file.tell()
        if size > _MOST_BYTES or (size > _HEADER.size and pack.times_s[-1] - self._since_s > LENGTH_S):
            self._path.rename(self._older)
            self._shut()
            self._open(is_empty=False)
            size = _HEADER.size
        if size == _HEADER.size:
            self._since_s = pack.times_s[0]
        return self._file

    def _give_up(self, why: str) -> None:
        self.trouble = f"the history is not kept in {self._path}: {why}"
        self._shut()

    def _shut(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


def _write(file: FileIO, content: bytes) -> None:
    if file.write(content) != len(content):
        raise OSError(errno.ENOSPC, "the disk is full")


def _written(number: int, pack: Pack) -> bytes:
    body = pack.times_s.tobytes() + pack.ends.tobytes() + pack.packed
    return _PACK.pack(number, len(pack.times_s), len(pack.packed), zlib.crc32(body)) + body


def _read(path: Path) -> Iterator[tuple[float, int, Pack]]:
    """Yield a file's whole packs, each with the file's time 0 and the index of its log."""
    try:
        file = path.open("rb")
    except OSError:
        return
    with file:
        header = file.read(_HEADER.size)
        if len(header) < _HEADER.size or not header.startswith(_FORMAT):
            return
        _, zero_s = _HEADER.unpack(header)
        while (found := _next_pack(file)) is not None:
            yield zero_s, *found


def _next_pack(file: BinaryIO) -> tuple[int, Pack] | None:
    head = file.read(_PACK.size)
    if len(head) < _PACK.size:
        return None
    number, count, size, check = _PACK.unpack(head)
    if not 0 < count <= _MOST_RECORDS or size > _MOST_BYTES:
        return None
    times_s, ends = array("d"), array("I")
    body = file.read(count * (times_s.itemsize + ends.itemsize) + size)
    split = count * times_s.itemsize, count * (times_s.itemsize + ends.itemsize)
    if len(body) < split[1] + size or zlib.crc32(body) != check:
        return None
    times_s.frombytes(body[: split[0]])
    ends.frombytes(body[split[0] : split[1]])
    return number, Pack(times_s, ends, body[split[1] :])


def _end_of(path: Path) -> int:
    """Return the offset behind a file's last whole pack; 0 if it has no header."""
    with path.open("rb") as file:
        header = file.read(_HEADER.size)
        if len(header) < _HEADER.size or not header.startswith(_FORMAT):
            return 0
        end = file.tell()
        while _next_pack(file) is not None:
            end = file.tell()
        return end
