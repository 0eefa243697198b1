"""Schemas of the API's answers, whose fields are taken from the entries that pages are shown.

Instants of pages are on the server's clock; those of the API, `*_unix_s`, are the time of day.
"""

from collections.abc import Mapping
from typing import Any, Final

from fleet.dashboard.orders.request_schemas import JsonSchema, described_object
from fleet.settings.station_config import StationRole

_UNIX: Final = "_unix_s"


def _nullable(kind: str, text: str) -> JsonSchema:
    return {"type": [kind, "null"], "description": text}


def _text(text: str = "") -> JsonSchema:
    return {"type": "string"} | ({"description": text} if text else {})


def _number(text: str) -> JsonSchema:
    return {"type": "number", "description": text}


def _integer(text: str) -> JsonSchema:
    return {"type": "integer", "description": text}


def list_of(definition: str) -> JsonSchema:
    """Return the schema of a list of answers."""
    return {"type": "array", "items": {"$ref": f"#/$defs/{definition}"}}


_POSE: Final = {
    "type": "array",
    "items": {"type": "number"},
    "minItems": 3,
    "maxItems": 3,
    "description": "x in m, y in m, heading in rad.",
}
_STARTED: Final = _number("Seconds since 1970.")
_ENDED: Final = _nullable("number", "Seconds since 1970; null while it is not over.")
_REASON: Final = _text("A reason of the interface, such as NO_PROGRESS; empty without one.")
_PROGRESS: Final = _nullable("number", "0 to 1.")
_ETA: Final = _nullable("number", "Seconds until its end, as planned.")

ANSWERS: Final[Mapping[str, JsonSchema]] = {
    "fleet_answer": described_object(
        {
            "is_stopped": {"type": "boolean"},
            "count": {"type": "object", "additionalProperties": {"type": "integer"}, "description": "Robots by tone."},
            "accepts_jobs": {"type": "boolean", "description": "Whether a driver accepts jobs."},
            "is_simulation": {"type": "boolean"},
            "started_unix_s": _number("When the dashboard started, in seconds since 1970."),
        }
    ),
    "robot_answer": described_object(
        {
            "id": _integer("Its ID."),
            "word": _text("What it does, such as idle or driving."),
            "level": _nullable("string", "OK, WARN or ERROR; null without a status."),
            "message": _text("What its driver says."),
            "task": _text("What it performs, in words; empty when idle."),
            "task_id": _text(),
            "progress": _PROGRESS,
            "eta_s": _ETA,
            "pose": {"anyOf": [_POSE, {"type": "null"}]},
            "battery": _text("ok, low, critical or empty."),
            "battery_pct": _nullable("number", "Percent."),
            "link": _text(),
            "localization": _text(),
            "host": _text("Of its driver."),
            "can": {"type": "array", "items": {"type": "string"}, "description": "What its server offers."},
        }
    ),
    "job_answer": described_object(
        {
            "id": _text(),
            "words": _text("Such as transport press > packing."),
            "state": _text("waiting, queued, held, assigned, executing, SUCCEEDED, CANCELED or ABORTED."),
            "robot": _nullable("integer", "Who performs it, has it next, or performed it last."),
            "place": _nullable("integer", "How many jobs its robot performs before it."),
            "priority": _integer("Raised by age."),
            "progress": _number("0 to 1."),
            "eta_s": _ETA,
            "attempts": _integer("That were begun."),
            "reason": _REASON,
            "detail": _text(),
            "submitted_unix_s": _STARTED,
            "ended_unix_s": _ENDED,
        }
    ),
    "task_answer": described_object(
        {
            "id": _text(),
            "robot": _integer("Who performs it."),
            "kind": _text(),
            "words": _text(),
            "state": _text("executing, canceling, SUCCEEDED, CANCELED, ABORTED, or gone if its end was not seen."),
            "reason": _REASON,
            "detail": _text(),
            "progress": _PROGRESS,
            "eta_s": _ETA,
            "started_unix_s": _STARTED,
            "ended_unix_s": _ENDED,
            "command": _nullable("string", "The command that started it."),
        }
    ),
    "place_answer": described_object(
        {
            "name": _text(),
            "pose": _POSE,
            "role": {"type": "string", "enum": [role.value for role in StationRole]},
            "is_configured": {"type": "boolean", "description": "Whether fleet.yaml has it; operators add others."},
        }
    ),
    "alarm_answer": described_object(
        {
            "id": _text("Such as 7:link."),
            "robot": _nullable("integer", "null if it concerns no single robot."),
            "cause": _text(),
            "severity": _text(),
            "text": _text(),
            "raised_unix_s": _STARTED,
            "cleared_unix_s": _nullable("number", "Seconds since 1970; null while it stands."),
            "acknowledged_by": _text(),
        }
    ),
    "event_answer": described_object(
        {
            "id": _text("For `after` and Last-Event-ID."),
            "time_unix_s": _STARTED,
            "severity": _text("info, notice, warning or error."),
            "kind": _text("task, job, alarm, command, robot or fleet."),
            "robot": _nullable("integer", "null if it concerns no single robot."),
            "subject": _text("The id of its task, job or alarm."),
            "text": _text(),
            "reason": _REASON,
            "detail": _text(),
            "by": _text("Who did it."),
        }
    ),
    "command_answer": described_object(
        {
            "id": _text(),
            "verb": _text(),
            "robot": _nullable("integer", "null if it concerns no single robot."),
            "by": _text(),
            "state": _text("sent, executing, done, succeeded, canceled, aborted, rejected or failed."),
            "reason": _REASON,
            "text": _text("The reason in words."),
            "task_id": _text("Of its goal; empty for what is not a goal."),
            "job_id": _text("Of the job that it submits; empty for other commands."),
            "time_unix_s": _STARTED,
            "ended_unix_s": _ENDED,
        }
    ),
    "webhook_answer": described_object(
        {
            "id": _text(),
            "url": _text(),
            "events": {"type": "array", "items": {"type": "string"}},
            "by": _text("Whose token made it."),
            "waiting": _integer("Deliveries that are still to be made."),
            "delivered": _integer("Since the dashboard started."),
            "given_up": _integer("After all tries, or since too many waited."),
            "last_problem": _text("Of the latest try that failed."),
        }
    ),
    "problem": described_object(
        {
            "type": _text(),
            "title": _text(),
            "status": _integer("As in HTTP."),
            "detail": _text("A sentence for people."),
            "problems": {
                "type": "array",
                "description": "All mistakes of the request.",
                "items": described_object({"field": _text("Such as goals[0].x_m."), "text": _text()}),
            },
            "commands": list_of("command_answer"),
        },
        "problems",
        "commands",
        description="A problem by RFC 9457.",
    ),
}


def answer_of(definition: str, entry: Mapping[str, Any], started_unix_s: float) -> dict[str, Any]:
    """Return an answer's fields, taken from an entry as pages see it."""
    return {name: _field(name, entry, started_unix_s) for name in ANSWERS[definition]["properties"]}


def _field(name: str, entry: Mapping[str, Any], started_unix_s: float) -> Any:
    if name in entry or not name.endswith(_UNIX):
        return entry[name]
    instant_s = entry[f"{name.removesuffix(_UNIX)}_s"]
    return None if instant_s is None else round(started_unix_s + instant_s, 3)
