"""A recording of everything exchanged between the kit and a server: a file with a JSON object on each line."""

import json
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any, Final

from thymio_base.errors import TextError
from thymio_base.texts.json_text import read_json

FORMAT: Final = "thymio-fleet conformance recording 1"
_LONGEST_TEXT: Final = 2000  # most characters of a text in a message: servers under test may write anything
_LONGEST_LIST: Final = 400  # most items of an array in a message
_MOST_BYTES: Final = 400_000_000


class ObservationKind(Enum):
    """Kinds of events."""

    SCENARIO = "scenario"  # a scenario starts, with the latest status; it lasts until the next one starts
    REQUEST = "request"  # the kit called a service
    ANSWER = "answer"  # a service answered
    MESSAGE = "message"  # a message arrived
    GRAPH = "graph"  # names, types and quality of service below the namespace
    LOAD = "load"  # free processor time, and the longest pause of the kit itself
    HOOK = "hook"  # a command of the set-up file has run
    NOTE = "note"  # an action of the kit, or what it could not do, in words


@dataclass(frozen=True, slots=True)
class Observation:
    """An observed event.

    Parameters
    ----------
    at_s : seconds since the start of the run
    name : name of the scenario, service, topic or hook
    body : message or request in the form of JSON; numbers that are not finite are texts, such as "nan"
    number : number of the call, shared by its answer
    label : label by which cases find the call
    """

    at_s: float
    kind: ObservationKind
    name: str
    body: dict[str, Any]
    number: int = 0
    label: str = ""


@dataclass(slots=True)
class ServerRecording:
    """The events of a run in order of observation, and a header with set-up, versions and names."""

    header: dict[str, Any]
    events: list[Observation] = field(default_factory=list)

    def add(
        self, at_s: float, kind: ObservationKind, name: str, body: dict[str, Any], *, number: int = 0, label: str = ""
    ) -> None:
        """Record an event."""
        self.events.append(Observation(at_s, kind, name, plain(body), number, label))

    def tries(self, scenario: str) -> Iterator[list[Observation]]:
        """Yield the events of each try of a scenario."""
        found: list[Observation] | None = None
        for event in self.events:
            if event.kind is ObservationKind.SCENARIO:
                if found is not None:
                    yield found
                found = [event] if event.name == scenario else None
            elif found is not None:
                found.append(event)
        if found is not None:
            yield found


def plain(value: Any) -> Any:
    """Return a value fit for JSON: numbers that are not finite become texts; long texts and lists are cut."""
    match value:
        case float():
            return value if math.isfinite(value) else str(value)
        case str():
            return value[:_LONGEST_TEXT].encode(errors="replace").decode()
        case dict():
            return {str(key): plain(item) for key, item in value.items()}
        case list() | tuple():
            return [plain(item) for item in value[:_LONGEST_LIST]]
    return value


def write_recording(path: Path, recording: ServerRecording) -> None:
    """Write a recording to a file."""
    with path.open("w", encoding="utf-8") as file:
        for line in recording_lines(recording):
            file.write(line + "\n")


def recording_lines(recording: ServerRecording) -> Iterator[str]:
    """Yield the lines of a recording's file."""
    yield json.dumps({"format": FORMAT, **plain(recording.header)}, ensure_ascii=False)
    for event in recording.events:
        row: dict[str, Any] = {"at_s": round(event.at_s, 4), "kind": event.kind.value, "name": event.name}
        if event.number:
            row["number"] = event.number
        if event.label:
            row["label"] = event.label
        yield json.dumps(row | {"body": event.body}, ensure_ascii=False)


def load_recording(path: Path) -> ServerRecording:
    """Return the recording in a file.

    Raises
    ------
    TextError
        The file cannot be read, or is not a recording.
    """
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise TextError(f"{path}: larger than {_MOST_BYTES // 1_000_000} MB, so not a recording")
        return read_recording(path.read_text(encoding="utf-8").removesuffix("\n").split("\n"), str(path))
    except (OSError, UnicodeError) as error:
        raise TextError(f"{path}: {getattr(error, 'strerror', None) or error}") from error


def read_recording(lines: Iterable[str], source: str) -> ServerRecording:
    """Return the recording in lines; raise TextError, with `source` and the line, if they are not a recording."""
    recording = ServerRecording({})
    number = 0
    for number, line in enumerate(lines, 1):
        try:
            row = read_json(line)
            if number == 1:
                recording.header = _header(row)
            else:
                recording.events.append(_event(row))
        except (TextError, KeyError, TypeError, ValueError) as error:
            raise TextError(f"{source}: line {number} is not part of a recording: {error}") from error
    if not number:
        raise TextError(f"{source}: empty, so not a recording")
    return recording


def _header(row: Any) -> dict[str, Any]:
    if not isinstance(row, dict) or row.get("format") != FORMAT:
        raise TextError(f'it does not start with {{"format": "{FORMAT}"')
    return {key: value for key, value in row.items() if key != "format"}


def _event(row: dict[str, Any]) -> Observation:
    body = row["body"]
    if not isinstance(body, dict):
        raise TextError("body is not an object")
    return Observation(
        float(row["at_s"]),
        ObservationKind(row["kind"]),
        str(row["name"]),
        body,
        int(row.get("number", 0)),
        str(row.get("label", "")),
    )
