"""The fleet's events for programs, with ids from which a reader resumes, even after a restart."""

import json
from collections.abc import Callable
from typing import Any, Final

from fleet.dashboard.api.answer_schemas import answer_of
from fleet.dashboard.api.webhook_book import Delivery, WebhookBook
from fleet.dashboard.model.event_log import LogEntryKind, Severity
from fleet.dashboard.model.published_state import Section
from fleet.dashboard.model.story import Story
from thymio_base.texts.decimal_text import whole_number

_AT_ONCE: Final = 100


class EventFeed:
    """Reads the log of events.

    Parameters
    ----------
    story : has the log
    started_unix_s : when the server's clock started; distinguishes the ids of this run from those of others
    """

    def __init__(self, story: Story, started_unix_s: float) -> None:
        self._story = story
        self._started_unix_s = started_unix_s
        self._run = f"{int(started_unix_s * 1000):x}"

    @property
    def last_number(self) -> int:
        """The number of the latest event."""
        return self._story.log.last_number

    def number_after(self, event_id: str) -> int:
        """Return an event's number; for an event of an earlier run, the number before the first kept event."""
        run, _, number = event_id.partition("-")
        return min(whole_number(number), self.last_number) if run == self._run else self._story.log.first_number - 1

    def number_before(self, count: int) -> int:
        """Return the number before the latest `count` events that are kept."""
        return max(self.last_number - count, self._story.log.first_number - 1)

    def since(self, number: int, limit: int) -> tuple[list[dict[str, Any]], int]:
        """Return events after a number, and how many in between are lost because they are no longer kept."""
        entries = self._story.log.since(number, limit)
        missed = entries[0]["number"] - number - 1 if entries else 0
        return [self._answer(entry) for entry in entries], missed

    def _answer(self, entry: dict[str, Any]) -> dict[str, Any]:
        named = entry | {"id": f"{self._run}-{entry['number']}"}
        return answer_of("event_answer", named, self._started_unix_s)


class WebhookFeed:
    """Finds the ends of jobs and the alarms among the events, for webhooks.

    Parameters
    ----------
    story : has jobs, alarms and the log
    book : gets the deliveries
    started_unix_s : when the server's clock started
    random : returns random bytes
    """

    def __init__(self, story: Story, book: WebhookBook, started_unix_s: float, random: Callable[[int], bytes]) -> None:
        self._story = story
        self._book = book
        self._started_unix_s = started_unix_s
        self._random = random
        self._number = story.log.last_number
        self._alarms: dict[str, dict[str, Any]] = {}  # not yet cleared; an acknowledged alarm goes as soon as it clears

    def advance(self) -> None:
        """Pass on what happened since the last time."""
        for entry in self._story.log.since(self._number, _AT_ONCE):
            self._number = entry["number"]
            self._pass_on(entry)

    def _pass_on(self, entry: dict[str, Any]) -> None:
        found = self._about_job(entry) or self._about_alarm(entry)
        if found is None:
            return
        event, data = found
        time_unix_s = round(self._started_unix_s + entry["time_s"], 3)
        body = json.dumps({"type": event, "time_unix_s": time_unix_s, "data": data}).encode()
        self._book.put(event, Delivery(f"msg_{self._random(12).hex()}", body))

    def _about_job(self, entry: dict[str, Any]) -> tuple[str, dict[str, Any]] | None:
        job = self._subject(entry, LogEntryKind.JOB, Section.JOBS)
        if job is None or job["ended_s"] is None:
            return None
        return "job_ended", answer_of("job_answer", job, self._started_unix_s)

    def _about_alarm(self, entry: dict[str, Any]) -> tuple[str, dict[str, Any]] | None:
        if entry["kind"] != LogEntryKind.ALARM.value:
            return None
        known = self._alarms.pop(entry["subject"], None)
        alarm = self._subject(entry, LogEntryKind.ALARM, Section.ALARMS) or known
        if alarm is None:
            return None
        is_over = entry["severity"] == Severity.INFO.value  # alarms are raised with a graver one
        alarm = alarm | {"cleared_s": entry["time_s"] if is_over else None}  # it may have changed since
        if not is_over:
            self._alarms[entry["subject"]] = alarm
        return "alarm_cleared" if is_over else "alarm_raised", answer_of("alarm_answer", alarm, self._started_unix_s)

    def _subject(self, entry: dict[str, Any], kind: LogEntryKind, section: Section) -> dict[str, Any] | None:
        """Return the entry that an event of this kind is about, as pages see it."""
        found: dict[str, Any] | None = None
        if entry["kind"] == kind.value:
            found = self._story.state.get(section, entry["subject"])
        return found
