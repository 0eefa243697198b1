"""Schemas of each verb's request body, for the reader of requests and the API's document."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

from fleet.control.tracker_config import LawName
from fleet.dashboard.orders.fleet_orders import JobChange, SimulatedLink, Verb
from fleet.paths.placement import Placement
from fleet.paths.shape_names import SHAPE_NAMES
from fleet.settings.path_limits import PIECES_MAX, TEXT_MAX
from fleet.settings.station_config import StationRole
from fleet.tasks.task_kind import HIGHEST_PRIORITY, TaskKind
from fleet.work.kinds import KINDS

JsonSchema: TypeAlias = dict[str, Any]

LONGEST_JOB_ID: Final = 120
_LARGEST_ID: Final = 65535  # pose frames have two bytes for it
_ROBOTS: Final = 100  # of one request
_JOBS: Final = 100  # of one request
_ALARMS: Final = 1000
_FAR_M: Final = 1000.0
_TURN_RAD: Final = 1000.0
_FASTEST_MPS: Final = 0.5  # above the top speed of a Thymio's wheels
_FASTEST_RADPS: Final = 10.0
LINE: Final = r"^[^\u0000-\u001f\u007f]*$"
_LINES: Final = r"^[^\u0000-\u0009\u000b-\u001f\u007f]*$"
_NAME: Final = r"^[^\u0000-\u0020\u007f]([^\u0000-\u001f\u007f]*[^\u0000-\u0020\u007f])?$"


def described_object(properties: Mapping[str, JsonSchema], *optional: str, **more: Any) -> JsonSchema:
    """Return the schema of an object with only these fields, all required except the optional ones."""
    required = [name for name in properties if name not in optional]
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": dict(properties),
        "required": required,
    } | more


def _number(text: str, least: float, most: float) -> JsonSchema:
    return {"type": "number", "minimum": least, "maximum": most, "description": text}


def _integer(text: str, least: int, most: int) -> JsonSchema:
    return {"type": "integer", "minimum": least, "maximum": most, "description": text}


def _text(text: str, longest: int, pattern: str = LINE) -> JsonSchema:
    return {"type": "string", "minLength": 1, "maxLength": longest, "pattern": pattern, "description": text}


def _choice(text: str, choices: Sequence[str]) -> JsonSchema:
    return {"type": "string", "enum": list(choices), "description": text}


def _list(text: str, most: int, items: JsonSchema) -> JsonSchema:
    return {"type": "array", "minItems": 1, "maxItems": most, "items": items, "description": text}


def _named(definition: str) -> JsonSchema:
    return {"$ref": f"#/$defs/{definition}"}


_HEADING: Final = _number("Heading in rad, counter-clockwise from x.", -_TURN_RAD, _TURN_RAD)
_POINT: Final = {
    "x_m": _number("Metres in the frame of the fleet.", -_FAR_M, _FAR_M),
    "y_m": _number("Metres in the frame of the fleet.", -_FAR_M, _FAR_M),
}
_POSE: Final = _POINT | {"heading_rad": _HEADING | {"default": 0.0}}
_STATION_NAME: Final = _text("The name of a station, without blanks at its ends.", 40, _NAME)
_ROBOT: Final = _named("robot")
_ROBOT_LIST: Final = _named("robots")
_IDLE_ROBOT: Final = {
    "type": ["integer", "null"],
    "minimum": 1,
    "maximum": _LARGEST_ID,
    "description": "The ID of a robot; without it, or null, the nearest idle one.",
}

_SHAPES: Final = ", ".join(SHAPE_NAMES)
_PATH: Final = {
    "path": _text(f"A shape ({_SHAPES}), or the text of a path file.", TEXT_MAX, _LINES),
    "size_m": _number("Size of a shape; for shapes alone.", 0.01, 100.0),
    "speed_mps": _number("Mean speed; 0 is the path's own.", 0.0, 1.0) | {"default": 0.0},
    "laps": _integer("How often it is driven; 0 is the path's own.", 0, PIECES_MAX) | {"default": 0},
    "relative_to": _choice("Where it starts; the path's own without it.", [one.value for one in Placement]),
}
_ROUTE: Final = {
    "route": _text(
        "Legs between blanks: X,Y or a station to drive there, turn:ANGLE, wait:S, load:S, unload:S, dock:STATION.",
        TEXT_MAX,
        _LINES,
    )
}
_PATH_OPTIONS: Final = ("size_m", "speed_mps", "laps", "relative_to")
_SHAPE: Final = {
    "pattern": f"^({'|'.join(SHAPE_NAMES)})$",
    "description": f"size_m is for a shape: path must be one of {_SHAPES}",
}
_SIZED: Final = {"dependentSchemas": {"size_m": {"properties": {"path": _SHAPE}}}}

DEFINITIONS: Final[Mapping[str, JsonSchema]] = {
    "robot": _integer("The ID of a robot.", 1, _LARGEST_ID),
    "robots": _list("IDs of robots.", _ROBOTS, _named("robot")),
    "place": {
        "description": 'a place is {"station": "A"}, or {"x_m": 1.3, "y_m": 0.6, "heading_rad": 0.0}',
        "anyOf": [described_object({"station": _STATION_NAME}), described_object(_POSE, "heading_rad")],
    },
    "goal": described_object(
        {"robot": _ROBOT, **_POINT, "heading_rad": _HEADING | {"type": ["number", "null"]}},
        "heading_rad",
        description="Where a robot is to drive; without a heading it arrives as its way leads.",
    ),
}


def _task(kind: TaskKind) -> JsonSchema:
    """Return the body's schema for a kind of task: with places for a single robot, else for several."""
    facts = KINDS[kind]
    if facts.places:
        places = {name: _named("place") for name in facts.places}
        return described_object({"robot": _IDLE_ROBOT, **places}, "robot")
    if facts.has_path:
        return described_object({"robots": _ROBOT_LIST, **_PATH}, *_PATH_OPTIONS, **_SIZED)
    return described_object({"robots": _ROBOT_LIST, **(_ROUTE if facts.has_route else {})})


def _job(kind: TaskKind) -> JsonSchema:
    """Return the schema of a job of this kind."""
    facts, count = KINDS[kind], len(KINDS[kind].places)
    places = {"type": "array", "minItems": count, "maxItems": count, "items": _named("place")}
    listed = {"places": places | {"description": f"{', '.join(facts.places) or 'none'}"}}
    what = _PATH if facts.has_path else _ROUTE if facts.has_route else listed
    properties = {
        "kind": {"const": kind.public_name},
        **what,
        "robots": _ROBOT_LIST | {"description": "The robots that may perform it; any without them."},
        "priority": _integer("9 is the highest; 5 without it.", 0, HIGHEST_PRIORITY),
        "id": _text("The same id again is the same job; a new one without it.", LONGEST_JOB_ID),
    }
    optional = ("robots", "priority", "id", *_PATH_OPTIONS, *(() if count else ("places",)))
    return described_object(properties, *optional, **(_SIZED if facts.has_path else {}))


_BY_ROBOTS: Final = described_object({"robots": _ROBOT_LIST})
_NOTHING: Final = described_object({})
_OTHER_SCHEMAS: Final[Mapping[Verb, JsonSchema]] = {
    Verb.GO_TO: described_object({"goals": _list("A goal for each robot.", _ROBOTS, _named("goal"))}),
    Verb.SUBMIT: {
        "description": f"kind must be one of {', '.join(kind.public_name for kind in KINDS)}",
        "anyOf": [_job(kind) for kind in KINDS],
    },
    Verb.CHANGE_JOBS: described_object(
        {
            "jobs": _list("Ids of jobs.", _JOBS, _text("The id of a job.", LONGEST_JOB_ID)),
            "change": _choice("What to do with them.", [change.value for change in JobChange]),
        }
    ),
    Verb.CANCEL: _BY_ROBOTS,
    Verb.STOP: _NOTHING,
    Verb.RESUME: _NOTHING,
    Verb.LAW: described_object(
        {
            "robots": _ROBOT_LIST,
            "law": _choice("The control law.", [law.value for law in LawName]),
            "gains": {
                "type": "object",
                "description": "Gains of the law, by their names in fleet.yaml.",
                "maxProperties": 50,
                "additionalProperties": _number("A gain.", -1e6, 1e6),
            },
        },
        "law",
        "gains",
        description="law or gains are needed",
        anyOf=[{"required": ["law"]}, {"required": ["gains"]}],
    ),
    Verb.IDENTIFY: _BY_ROBOTS,
    Verb.DRIVE: described_object(
        {
            "type": {"const": "drive"},
            "robot": _ROBOT,
            "speed_mps": _number("Forward.", -_FASTEST_MPS, _FASTEST_MPS),
            "turn_radps": _number("Counter-clockwise.", -_FASTEST_RADPS, _FASTEST_RADPS),
        }
    ),
    Verb.STATION: described_object(
        {
            "name": _STATION_NAME,
            **_POSE,
            "role": _choice("What happens there.", [role.value for role in StationRole]),
        },
        "heading_rad",
    ),
    Verb.REMOVE_STATION: described_object({"name": _STATION_NAME}),
    Verb.ACKNOWLEDGE: described_object({"alarms": _list("Ids of alarms.", _ALARMS, _text("Such as 7:link.", 200))}),
    Verb.DISMISS: _BY_ROBOTS,
    Verb.NAME: described_object({"name": {"type": "string", "minLength": 1, "maxLength": 200}}),
    Verb.KEY: described_object({"key": {"type": "string", "minLength": 1, "maxLength": 200}}),
    Verb.PUSH: described_object(
        {
            "robot": _ROBOT,
            "distance_m": _number("Metres.", -1.0, 1.0),
            "heading_rad": _number("In the frame of the robot.", -_TURN_RAD, _TURN_RAD) | {"default": 0.0},
        },
        "heading_rad",
    ),
    Verb.LINK: described_object(
        {
            "robots": _ROBOT_LIST,
            "link": _choice(
                "silent is out of reach, disconnected is unplugged.", [link.value for link in SimulatedLink]
            ),
        }
    ),
    Verb.BATTERY: described_object({"robots": _ROBOT_LIST, "charge": _number("Of its capacity.", 0.0, 1.0)}),
    Verb.TELEPORT: described_object({"robot": _ROBOT, **_POSE}, "heading_rad"),
}
REQUEST_SCHEMAS: Final[Mapping[Verb, JsonSchema]] = {
    **{Verb(kind.public_name): _task(kind) for kind in KINDS},
    **_OTHER_SCHEMAS,
}


def request_schema(verb: Verb) -> JsonSchema:
    """Return the self-contained JSON Schema of a verb's body."""
    return {**REQUEST_SCHEMAS[verb], "$defs": DEFINITIONS}
