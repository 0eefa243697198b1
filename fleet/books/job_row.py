"""A job as a row of a table; books in files and on servers have the same columns."""

import json

from fleet.dispatch.job_record import JobRecord
from fleet.dispatch.record_values import record_to_values


def job_row(record: JobRecord) -> tuple[str, int, int | None, str]:
    """Return the job's id, its number, when it ended on the ROS clock if it has, and all of it as JSON."""
    ended_ns = None if record.end is None else record.end.ended_ns
    return record.job_id, record.number, ended_ns, json.dumps(record_to_values(record), separators=(",", ":"))
