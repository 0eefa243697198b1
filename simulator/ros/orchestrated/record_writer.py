"""Writes everything an orchestrator passes on as lines of JSON: the fields of messages, never their bytes.

The bytes of equal messages can differ, because the padding between fields is not initialised.
"""

import array
import hashlib
import json
from typing import Any, Final, TextIO

import numpy as np
from rclpy.serialization import deserialize_message

from simulator.ros.orchestrated.ros_conductor import Caller, Passed


class RecordWriter:
    """Records the inputs and outputs of all nodes of a stack.

    A line is an object with `way` ("in" or "out"), `time_ns`, `node`, `callback` and `topic`. Outputs also have `type`
    and `fields`; inputs have the `sha256` of their fields.

    Parameters
    ----------
    file : open for writing; not closed here
    """

    def __init__(self, file: TextIO) -> None:
        self._file: Final = file

    def note_input(self, now_ns: int, caller: Caller, message: Passed) -> None:
        """See `InterceptionRecorder.note_input`."""
        text = json.dumps(_fields_of(message))
        self._write("in", now_ns, caller, message.topic, sha256=hashlib.sha256(text.encode()).hexdigest())

    def note_output(self, now_ns: int, caller: Caller, message: Passed) -> None:
        """See `InterceptionRecorder.note_output`."""
        kind = message.type.__name__
        self._write("out", now_ns, caller, message.topic, type=kind, fields=_fields_of(message))

    def _write(self, way: str, now_ns: int, caller: Caller, topic: str, **more: Any) -> None:
        who = {"node": caller.node, "callback": caller.callback}
        self._file.write(json.dumps({"way": way, "time_ns": now_ns, **who, "topic": topic, **more}) + "\n")


class NoRecord:
    """Records nothing."""

    def note_input(self, *_: Any) -> None:
        """See `InterceptionRecorder.note_input`."""

    def note_output(self, *_: Any) -> None:
        """See `InterceptionRecorder.note_output`."""


def _fields_of(message: Passed) -> Any:
    return message_fields(deserialize_message(message.data, message.type))


def message_fields(value: Any) -> Any:
    """Return a message in JSON's types: objects, lists, numbers and texts; bytes as hexadecimal text."""
    if hasattr(value, "get_fields_and_field_types"):
        return {name: message_fields(getattr(value, name)) for name in value.get_fields_and_field_types()}
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, array.array):
        return value.tobytes().hex() if value.typecode == "B" else value.tolist()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, list | tuple):
        return [message_fields(one) for one in value]
    return value
