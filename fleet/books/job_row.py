"""A job as a row of a table; all books have the same columns."""

import json
from collections.abc import Mapping
from typing import TypeAlias

from fleet.dispatch.records.duty import Duty
from fleet.dispatch.records.job_record import JobRecord
from fleet.dispatch.records.record_values import record_to_values
from thymio_base.texts.json_text import read_json

# the job's id, its number, when it ended on the ROS clock, None if it has not, and all of it as JSON
JobRow: TypeAlias = tuple[str, int, int | None, str]


def job_row(record: JobRecord) -> JobRow:
    """Return a job as a row."""
    ended_ns = None if record.end is None else record.end.ended_ns
    return record.job_id, record.number, ended_ns, json.dumps(record_to_values(record), separators=(",", ":"))


def duties_text(duties: Mapping[int, Duty]) -> str:
    """Return the duties of robots as JSON."""
    return json.dumps({robot_id: duty.value for robot_id, duty in duties.items()})


def duties_from_text(text: str) -> dict[int, Duty]:
    """Return the duties of the text that `duties_text` made."""
    return {int(robot_id): Duty(duty) for robot_id, duty in read_json(text).items()}
