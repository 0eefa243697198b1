"""The table of all API operations, from which routes, document and checks are made."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from fleet.dashboard.access.roles import Role, least_role
from fleet.dashboard.api.answer_schemas import list_of
from fleet.dashboard.orders.fleet_orders import Verb
from fleet.dashboard.orders.request_schemas import (
    LINE,
    LONGEST_JOB_ID,
    REQUEST_SCHEMAS,
    JsonSchema,
    described_object,
)
from fleet.dispatch.records.job import JobState

BASE: Final = "/api/v1"
STREAM: Final = f"{BASE}/events/stream"
MOST_EVENTS: Final = 500
LONGEST_WAIT_S: Final = 30.0
USUAL_WAIT_S: Final = 5.0
IDEMPOTENCY_KEY: Final = "Idempotency-Key"
LAST_EVENT_ID: Final = "Last-Event-ID"
EVENT_KINDS: Final = ("job_ended", "alarm_raised", "alarm_cleared")
_OF_PAGES: Final = (Verb.DRIVE, Verb.NAME, Verb.KEY)  # for pages alone: a socket, and sessions of browsers
_HOST: Final = "[A-Za-z0-9]([A-Za-z0-9.-]{0,198}[A-Za-z0-9])?"
_PORT: Final = "6553[0-5]|655[0-2][0-9]|65[0-4][0-9]{2}|6[0-4][0-9]{3}|[1-5][0-9]{4}|[1-9][0-9]{0,3}"
_URL: Final = f"^https?://{_HOST}(:({_PORT}))?(/[A-Za-z0-9._~/=&?-]{{0,1000}})?$"
_EVENT_ID: Final = {"type": "string", "pattern": "^[0-9a-z]{1,20}-[0-9]{1,15}$", "description": "The id of an event."}


@dataclass(frozen=True, slots=True)
class ApiOperation:
    """One operation of the API.

    Parameters
    ----------
    name : its name in the document and of its handler
    role : the lowest role admitted; for commands the server's configuration decides
    status : the HTTP status of success
    answer : its schema; None without a body
    query, path, headers : parameters, as properties of an object; those of the path are required
    body : the schema of the request's body; None without one
    route : the path as the router needs it, where it would otherwise match other operations too
    refusals : its HTTP statuses beside those of every operation
    """

    name: str
    method: str
    path: str
    summary: str
    answer: JsonSchema | None
    role: Role = Role.VIEWER
    status: int = 200
    query: Mapping[str, JsonSchema] = field(default_factory=dict)
    path_fields: Mapping[str, JsonSchema] = field(default_factory=dict)
    headers: Mapping[str, JsonSchema] = field(default_factory=dict)
    body: JsonSchema | None = None
    route: str = ""
    refusals: tuple[int, ...] = ()
    verb: Verb | None = None


def _reference(definition: str) -> JsonSchema:
    return {"$ref": f"#/$defs/{definition}"}


def _listed(name: str, definition: str) -> JsonSchema:
    return described_object({name: list_of(definition)})


def _named(name: str, longest: int, text: str) -> Mapping[str, JsonSchema]:
    return {name: {"type": "string", "minLength": 1, "maxLength": longest, "pattern": LINE, "description": text}}


def _state(*states: str) -> Mapping[str, JsonSchema]:
    return {"state": {"type": "string", "enum": list(states), "description": "Those in a state."}}


_ROBOT: Final = {"robot": {"type": "integer", "minimum": 1, "maximum": 65535, "description": "The ID of a robot."}}
_TASK_STATES: Final = ("executing", "canceling", "SUCCEEDED", "CANCELED", "ABORTED", "gone")
_WEBHOOK_BODY: Final = described_object(
    {
        "url": {"type": "string", "maxLength": 2000, "pattern": _URL, "description": "An http or https URL."},
        "events": {
            "type": "array",
            "minItems": 1,
            "maxItems": len(EVENT_KINDS),
            "items": {"type": "string", "enum": list(EVENT_KINDS)},
            "description": "What it is told.",
        },
    }
)
_NEW_WEBHOOK: Final = described_object(
    {
        "id": {"type": "string"},
        "url": {"type": "string"},
        "events": {"type": "array", "items": {"type": "string"}},
        "secret": {"type": "string", "description": "Signs the deliveries; it is not shown again."},
    }
)
_READS: Final = (
    ApiOperation("fleet", "GET", "/fleet", "The fleet as a whole", _reference("fleet_answer")),
    ApiOperation("robots", "GET", "/robots", "All robots", _listed("robots", "robot_answer")),
    ApiOperation(
        "robot", "GET", "/robots/{robot}", "One robot", _reference("robot_answer"), path_fields=_ROBOT, refusals=(404,)
    ),
    ApiOperation(
        "jobs",
        "GET",
        "/jobs",
        "Open jobs and the last that ended",
        _listed("jobs", "job_answer"),
        query=_state(*(state.value for state in JobState)),
    ),
    ApiOperation(
        "job",
        "GET",
        "/jobs/{job}",
        "One job",
        _reference("job_answer"),
        path_fields=_named("job", LONGEST_JOB_ID, "The id of a job."),
        refusals=(404,),
    ),
    ApiOperation(
        "tasks",
        "GET",
        "/tasks",
        "Running tasks and the last that ended",
        _listed("tasks", "task_answer"),
        query={**_ROBOT, **_state(*_TASK_STATES)},
    ),
    ApiOperation("places", "GET", "/places", "All stations", _listed("places", "place_answer")),
    ApiOperation("alarms", "GET", "/alarms", "Alarms that stand or were not seen", _listed("alarms", "alarm_answer")),
    ApiOperation(
        "events",
        "GET",
        "/events",
        "The latest events, oldest first",
        described_object({"events": list_of("event_answer"), "is_complete": {"type": "boolean"}}),
        query={
            "after": _EVENT_ID,
            "limit": {"type": "integer", "minimum": 1, "maximum": MOST_EVENTS, "default": MOST_EVENTS},
        },
    ),
    ApiOperation(
        "event_stream",
        "GET",
        "/events/stream",
        "Events as they occur, as server-sent events; Last-Event-ID resumes",
        None,
        headers={LAST_EVENT_ID: _EVENT_ID},
    ),
    ApiOperation(
        "command",
        "GET",
        "/commands/{command}",
        "The outcome of a command; the last 100 are known",
        _reference("command_answer"),
        route="/commands/{command:c[0-9]+}",
        path_fields={"command": {"type": "string", "pattern": "^c[0-9]{1,15}$", "description": "Its id."}},
        refusals=(404,),
    ),
    ApiOperation(
        "webhooks", "GET", "/webhooks", "All webhooks", _listed("webhooks", "webhook_answer"), role=Role.OPERATOR
    ),
    ApiOperation(
        "add_webhook",
        "POST",
        "/webhooks",
        "Add a webhook",
        _NEW_WEBHOOK,
        role=Role.OPERATOR,
        status=201,
        body=_WEBHOOK_BODY,
        refusals=(409,),
    ),
    ApiOperation(
        "remove_webhook",
        "DELETE",
        "/webhooks/{webhook}",
        "Remove a webhook",
        None,
        role=Role.OPERATOR,
        status=204,
        path_fields=_named("webhook", 40, "The id of a webhook."),
        refusals=(404, 409),
    ),
)
_COMMANDED: Final = described_object(
    {
        "commands": list_of("command_answer"),
        "stop": {"type": ["object", "null"], "description": "Who has confirmed a STOP, and who stands; else null."},
    }
)
_COMMAND_QUERY: Final = {
    "wait_s": {
        "type": "number",
        "minimum": 0,
        "maximum": LONGEST_WAIT_S,
        "default": USUAL_WAIT_S,
        "description": "How long to wait for the outcome; 202 if it is not known by then.",
    }
}
_COMMAND_HEADERS: Final = {
    IDEMPOTENCY_KEY: {
        "type": "string",
        "pattern": "^[!-~]{1,100}$",
        "description": "The same key again performs nothing, and is answered with the outcome of the first request.",
    }
}


def _command(verb: Verb) -> ApiOperation:
    return ApiOperation(
        verb.value,
        "POST",
        f"/commands/{verb.value}",
        verb.words.capitalize(),
        _COMMANDED,
        role=least_role(verb, viewers_may_stop=True),
        query=_COMMAND_QUERY,
        headers=_COMMAND_HEADERS,
        body=REQUEST_SCHEMAS[verb],
        refusals=(202, 404, 409),
        verb=verb,
    )


OPERATIONS: Final[Sequence[ApiOperation]] = (*_READS, *(_command(verb) for verb in Verb if verb not in _OF_PAGES))
