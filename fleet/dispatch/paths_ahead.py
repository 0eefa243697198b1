"""Reads the paths of jobs that are about to start, in parts: a long text would delay a tick."""

from typing import Final

from fleet.dispatch.records.job import Job
from fleet.trajectories.limits import Limits
from fleet.work.path_wish import SHORT_TEXT, is_prepared, prepared_in_parts
from thymio_base.parts import WorkInParts


class PathsAhead:
    """Reads about the length of a short path in each tick.

    Parameters
    ----------
    limits : limits of the motion along paths
    corner_m : by how much corners are rounded in paths that do not specify it
    """

    def __init__(self, limits: Limits, corner_m: float) -> None:
        self._limits: Final = limits
        self._corner_m: Final = corner_m
        self._left = SHORT_TEXT
        self._job: Job | None = None
        self._reading: WorkInParts[None] | None = None

    def start_tick(self) -> None:
        """Allow further reading in this tick."""
        self._left = SHORT_TEXT

    def is_read(self, job: Job) -> bool:
        """Return whether a job can start: it has no path, or its path was read, or found unreadable.

        Otherwise continue reading, if this tick has time left. Paths are read one at a time.
        """
        path = job.work.path
        if path is None or is_prepared(path, self._limits, self._corner_m):
            return True
        if self._left <= 0:
            return False
        self._left -= len(path.text)
        if self._job is not job or self._reading is None:
            self._job, self._reading = job, WorkInParts(prepared_in_parts(path, self._limits, self._corner_m))
        try:
            return not self._reading.do_part()
        except Exception:  # its start raises the same, and ends the job
            return True
