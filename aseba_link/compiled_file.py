"""Compiled scripts as JSON: those shipped in `aseba_link/compiled`, and those in the user's cache."""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from aseba_link.bytecode import CompiledScript
from aseba_link.description import LocalEvent, NativeFunction, NodeDescription, Variable
from aseba_link.errors import CompilerError
from aseba_link.script import NodeCode, Script

_INNER_LIST = re.compile(r"\[[^\[\]{}]*\]")  # a list that holds no other


@dataclass(frozen=True, slots=True)
class CompiledFile:
    """A compiled script, the kind of node that it is for, and the digest of all that the compiler saw."""

    description: NodeDescription
    digest: str
    script: CompiledScript

    def to_text(self) -> str:
        """Return the file's text."""
        data = {"digest": self.digest, "description": description_to_json(self.description)}
        text = json.dumps({**data, "bytecode": list(self.script.bytecode)}, indent=1)
        return _INNER_LIST.sub(_on_one_line, text) + "\n"


def read_compiled(text: str) -> CompiledFile:
    """Return the content of a file that `CompiledFile.to_text` made.

    Raises
    ------
    CompilerError
        The text is something else.
    """
    try:
        data = json.loads(text)
        script = CompiledScript(tuple(int(word) for word in data["bytecode"]))
        return CompiledFile(description_from_json(data["description"]), str(data["digest"]), script)
    except (ValueError, KeyError, TypeError) as error:
        raise CompilerError(f"not a compiled script: {error!r}") from error


def compiler_digest(script: Script, code: NodeCode, description: NodeDescription) -> str:
    """Return a digest of everything that the bytecode depends on: documentation and protocol version are not part."""
    seen = [
        "thymio_fleet compiled script 1",
        code.text,
        [[event.name, event.size] for event in script.events],
        sorted(script.constants.items()),
        [description.bytecode_size, description.stack_size, description.variables_size],
        [[variable.name, variable.size] for variable in description.variables],
        [event.name for event in description.local_events],
        [[function.name, [size for size, _ in function.parameters]] for function in description.native_functions],
    ]
    return hashlib.sha256(json.dumps(seen).encode()).hexdigest()


def description_to_json(description: NodeDescription) -> dict[str, Any]:
    """Return a description as plain lists and dictionaries."""
    return {
        "name": description.name,
        "protocol_version": description.protocol_version,
        "bytecode_size": description.bytecode_size,
        "stack_size": description.stack_size,
        "variables_size": description.variables_size,
        "variables": [[variable.name, variable.size] for variable in description.variables],
        "local_events": [[event.name, event.doc] for event in description.local_events],
        "native_functions": [
            [function.name, function.doc, [list(parameter) for parameter in function.parameters]]
            for function in description.native_functions
        ],
    }


def description_from_json(data: Mapping[str, Any]) -> NodeDescription:
    """Return what `description_to_json` was made of; anything else raises KeyError, TypeError or ValueError."""
    return NodeDescription(
        name=str(data["name"]),
        protocol_version=int(data["protocol_version"]),
        bytecode_size=int(data["bytecode_size"]),
        stack_size=int(data["stack_size"]),
        variables_size=int(data["variables_size"]),
        variables=tuple(Variable(str(name), int(size)) for name, size in data["variables"]),
        local_events=tuple(LocalEvent(str(name), str(doc)) for name, doc in data["local_events"]),
        native_functions=tuple(
            NativeFunction(str(name), str(doc), tuple((int(size), str(parameter)) for size, parameter in parameters))
            for name, doc, parameters in data["native_functions"]
        ),
    )


def _on_one_line(inner_list: re.Match[str]) -> str:
    return json.dumps(json.loads(inner_list.group()))
