"""Reads the paths of jobs that are about to start, in parts: a long text would delay a tick."""

from typing import Final

from fleet.dispatch.records.job import Job
from fleet.trajectories.limits import Limits
from fleet.work.path_wish import SHORT_TEXT, is_prepared, prepared_in_parts
from thymio_base.parts import WorkInParts


class PathsAhead:
    """Reads about as much in each tick as a short path has.

    Parameters
    ----------
    limits : of the motion along paths
    corner_m : how far corners are rounded in paths that do not say it
    """

    def __init__(self, limits: Limits, corner_m: float) -> None:
        self._limits: Final = limits
        self._corner_m: Final = corner_m
        self._left = SHORT_TEXT
        self._job: Job | None = None
        self._reading: WorkInParts[None] | None = None

    def start_tick(self) -> None:
        """Allow to read on."""
        self._left = SHORT_TEXT

    def is_read(self, job: Job) -> bool:
        """Return whether a job can start: it has no path, or its path is read, or cannot be read, as its start tells.

        Otherwise read on, if this tick has not read enough. One path is read at a time.
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
