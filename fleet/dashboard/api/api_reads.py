"""Answers what programs read: the fleet, robots, jobs, tasks, places, alarms, events, commands."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, Final

from fleet.dashboard.access.request_refusal import RefusalError
from fleet.dashboard.api.answer_schemas import answer_of
from fleet.dashboard.api.event_feed import EventFeed
from fleet.dashboard.model.published_state import Section
from fleet.dashboard.orders.command_desk import CommandDesk
from fleet.dispatch.job_report import JobReport

Fields = Mapping[str, Any]
_SOUGHT_S: Final = 5.0  # to look up a job that is not published


class ApiReads:
    """Answers everything that viewers can read.

    Parameters
    ----------
    board : what is known, and finds jobs
    feed : the events
    clock : returns the time since the server started [ns]
    started_unix_s : when the server's clock started
    """

    def __init__(self, board: CommandDesk, feed: EventFeed, clock: Callable[[], int], started_unix_s: float) -> None:
        self._board = board
        self._clock = clock
        self._story = board.story
        self._feed = feed
        self._started_unix_s = started_unix_s

    @property
    def readers(self) -> Mapping[str, Callable[[Fields], dict[str, Any]]]:
        """The readers, by the names of their operations."""
        return {
            "fleet": self._fleet,
            "robots": lambda _: {"robots": [self._robot_answer(robot) for robot in sorted(self._story.picture.robots)]},
            "robot": self._robot,
            "jobs": self._jobs,
            "tasks": self._tasks,
            "places": lambda _: {"places": self._all(Section.STATIONS, "place")},
            "alarms": lambda _: {"alarms": self._all(Section.ALARMS, "alarm")},
            "events": self._events,
            "command": lambda fields: self._one(Section.COMMANDS, "command", fields),
        }

    def _fleet(self, _: Fields) -> dict[str, Any]:
        get = self._story.state.get
        return {
            "is_stopped": self._story.is_stopped,
            "count": get(Section.FLEET, "count"),
            "accepts_jobs": get(Section.FLEET, "jobs") is not None,
            "is_simulation": get(Section.FLEET, "simulation") is not None,
            "started_unix_s": self._started_unix_s,
        }

    def _robot(self, fields: Fields) -> dict[str, Any]:
        robot_id = fields["robot"]
        if robot_id not in self._story.picture.robots:
            known = ", ".join(map(str, sorted(self._story.picture.robots))) or "none"
            raise RefusalError(404, f"There is no robot {robot_id}; there are {known}.")
        return self._robot_answer(robot_id)

    def _robot_answer(self, robot_id: int) -> dict[str, Any]:
        pose = self._story.picture.robots[robot_id].pose
        entry = self._story.state.get(Section.ROBOTS, str(robot_id)) or _UNKNOWN | {"id": robot_id}
        pose_list = None if pose is None else [pose.x_m, pose.y_m, pose.heading_rad]
        return answer_of("robot_answer", entry | {"pose": pose_list}, self._started_unix_s)

    def _jobs(self, fields: Fields) -> dict[str, Any]:
        entries = sorted(self._story.state.entries(Section.JOBS), key=lambda job: job["order"])
        return {"jobs": [self._answer("job", job) for job in entries if _fits(job, fields)]}

    async def job(self, fields: Fields) -> dict[str, Any]:
        """Return a job of any age; a driver is asked for a job that it does not publish at present."""
        if self._story.state.get(Section.JOBS, fields["job"]) is None and self._story.jobs.is_served:
            found: asyncio.Future[JobReport | None] = asyncio.get_running_loop().create_future()
            self._board.execution.find_job(fields["job"], lambda job: None if found.done() else found.set_result(job))
            try:
                job = await asyncio.wait_for(found, _SOUGHT_S)
            except TimeoutError:
                job = None
            if job is not None:
                return self._answer("job", self._story.jobs.entry(job, self._clock()))
        return self._one(Section.JOBS, "job", fields)

    def _tasks(self, fields: Fields) -> dict[str, Any]:
        entries = self._story.state.entries(Section.TASKS)
        return {"tasks": [self._answer("task", task) for task in entries if _fits(task, fields)]}

    def _events(self, fields: Fields) -> dict[str, Any]:
        limit, after = fields["limit"], fields.get("after")
        number = self._feed.number_before(limit) if after is None else self._feed.number_after(after)
        events, missed = self._feed.since(number, limit)
        return {"events": events, "is_complete": missed == 0}

    def _one(self, section: Section, name: str, fields: Fields) -> dict[str, Any]:
        entry = self._story.state.get(section, fields[name])
        if entry is None:
            raise RefusalError(404, f"There is no {name} {fields[name][:60]!r}, or it was forgotten.")
        return self._answer(name, entry)

    def _all(self, section: Section, name: str) -> list[dict[str, Any]]:
        return [self._answer(name, entry) for entry in self._story.state.entries(section)]

    def _answer(self, name: str, entry: dict[str, Any]) -> dict[str, Any]:
        return answer_of(f"{name}_answer", entry, self._started_unix_s)


_UNKNOWN: dict[str, Any] = {
    "word": "waiting",
    "level": None,
    "message": "",
    "task": "",
    "task_id": "",
    "progress": None,
    "eta_s": None,
    "battery": "",
    "battery_pct": None,
    "link": "",
    "localization": "",
    "host": "",
    "can": [],
}


def _fits(entry: dict[str, Any], fields: Fields) -> bool:
    """Whether an entry has all the values that a query asks for."""
    return all(entry[name] == value for name, value in fields.items())
