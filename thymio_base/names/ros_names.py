"""The rules of ROS for topic names, and of tf2 for frames; each function returns what is wrong, "" if nothing is."""

import re
import unicodedata
from typing import Final

_LONGEST: Final = 247  # RMW_TOPIC_MAX_NAME_LENGTH
_FOREIGN: Final = re.compile(r"[^A-Za-z0-9_/]")
_DIGIT_FIRST: Final = re.compile(r"(?:^|/)([0-9][A-Za-z0-9_]*)")
_PRIVATE: Final = "~/"  # prefix of a name below that of the node


def topic_problem(name: str) -> str:
    """Return why ROS refuses a topic name, which may be absolute, relative or private (~/name)."""
    rest = name.removeprefix(_PRIVATE)
    foreign, digit = _FOREIGN.search(rest), _DIGIT_FIRST.search(rest)
    if foreign:
        return f"it has {foreign[0]!r}; topic names may contain only letters a to z, digits, _ and /"
    if digit:
        return f"{digit[1]!r} in it begins with a digit"
    if not rest or "//" in name or rest.endswith("/"):
        return "a name is missing before, between or after its slashes"
    return f"it has {len(name)} characters, at most {_LONGEST}" if len(name) > _LONGEST else ""


def resolved_topic(name: str, node: str) -> str:
    """Return the full name of a topic, as used by a node without a namespace."""
    if name.startswith(_PRIVATE):
        return f"/{node}/{name.removeprefix(_PRIVATE)}"
    return name if name.startswith("/") else f"/{name}"


def frame_problem(frame: str) -> str:
    """Return why tf2 refuses a frame name, or why people could not read it."""
    if frame.startswith("/"):
        return f"it has a leading slash, which tf2 refuses; write {frame.lstrip('/') or 'map'}"
    return label_problem(frame)


def label_problem(text: str) -> str:
    """Return why a text is unsuitable as a name for people: unprintable or decomposed letters, or blanks at an end."""
    if not text.isprintable():
        character = next(character for character in text if not character.isprintable())
        return f"it has {character!r}, which cannot be printed"
    if not unicodedata.is_normalized("NFC", text):
        return f"it has a decomposed letter; write {unicodedata.normalize('NFC', text)!r}"
    return "it begins or ends with a blank" if text != text.strip() else ""
