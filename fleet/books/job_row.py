"""A job as a table row; all books have the same columns."""

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Final, TypeAlias

from fleet.dispatch.records.job import Duty
from fleet.dispatch.records.job_record import JobRecord
from fleet.dispatch.records.record_values import record_from_values, record_to_values
from fleet.errors import BookError
from thymio_base.errors import TextError
from thymio_base.texts.decimal_text import whole_number
from thymio_base.texts.json_text import read_json
from thymio_base.texts.shortened import printable, shortened

_LONGEST: Final = 200  # characters of an error

# the job's id, its number, its end on the ROS clock (None before), and the whole job as JSON
JobRow: TypeAlias = tuple[str, int, int | None, str]


def job_row(record: JobRecord) -> JobRow:
    """Return a job as a row."""
    return record.job_id, record.number, _ended_ns(record), json.dumps(record_to_values(record), separators=(",", ":"))


def record_of(row: JobRow) -> JobRecord:
    """Return the job of a row.

    Raises
    ------
    BookError
        The row is damaged, or of a newer version; the message says where.
    """
    job_id, number, ended_ns, text = row
    try:
        record = record_from_values(read_json(text))
    except (BookError, TextError, TypeError) as error:
        raise BookError(printable(shortened(str(error), _LONGEST))) from error
    if (record.job_id, record.number, _ended_ns(record)) != (job_id, number, ended_ns):
        raise BookError("its id, number or end is not that of its row")
    return record


def split(rows: Iterable[JobRow]) -> tuple[list[JobRecord], list[tuple[JobRow, str]]]:
    """Return the records of readable rows, and the unreadable rows with their reasons."""
    records: list[JobRecord] = []
    unreadable: list[tuple[JobRow, str]] = []
    for row in rows:
        try:
            records.append(record_of(row))
        except BookError as error:
            unreadable.append((row, str(error)))
    return records, unreadable


def _ended_ns(record: JobRecord) -> int | None:
    return None if record.end is None else record.end.ended_ns


def duties_text(duties: Mapping[int, Duty]) -> str:
    """Return the duties of robots as JSON."""
    return json.dumps({robot_id: duty.value for robot_id, duty in duties.items()})


def duties_from_text(text: str) -> dict[int, Duty]:
    """Return the duties in a text from `duties_text`, as far as it is readable: other robots take jobs."""
    found: dict[int, Duty] = {}
    with suppress(TextError):
        values = read_json(text)
        for robot_id, duty in values.items() if isinstance(values, dict) else ():
            with suppress(TextError, ValueError):
                found[whole_number(robot_id)] = Duty(duty)
    return found
