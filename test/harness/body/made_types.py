"""Message types for tests of paths in messages, without ROS."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass
class MadeTypes:
    """Message types that are made as they are needed: a type's fields, by its name in the form of rosidl."""

    known: dict[str, dict[str, str]] = field(default_factory=dict)

    def fields(self, message_type: str) -> Mapping[str, str] | None:
        return self.known.get(message_type)

    def create(self, message_type: str) -> Any:
        class Message:
            pass

        message = Message()
        for name, kind in self.known[message_type].items():
            setattr(message, name, self._default(kind))
        return message

    def _default(self, kind: str) -> Any:
        if kind.startswith("sequence<"):
            return []
        element, _, size = kind.partition("[")
        if size:
            return [self._default(element) for _ in range(int(size.removesuffix("]")))]
        plain = {"double": 0.0, "float": 0.0, "int32": 0, "uint8": 0, "boolean": False, "octet": b"\0", "string": ""}
        return plain[kind] if kind in plain else self.create(kind.replace("/", ".msg."))
