"""Parts of a settings file that have their own readers."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml


class Sections:
    """The text of a file and of its parts, so that problems in a part are reported with their line."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._text = file.read_text(encoding="utf-8")
        self._root: Any = yaml.compose(self._text, Loader=yaml.SafeLoader)

    def source(self, value: str | Mapping[str, Any], key: str) -> tuple[Path, str | None]:
        """Return the file that a key names, and None; or this file, and the text of the key's value."""
        if isinstance(value, str):
            return self._file.parent / value, None
        return self._file, self.text(value, key)

    def text(self, value: Mapping[str, Any], *key_path: str | int) -> str:
        """Return the text of a part, at its original lines and columns; `value` is its parsed value."""
        node = self._root
        for key in key_path:
            node = None if node is None else _child(node, key)
        if node is None:  # merged into its place (<<)
            return yaml.safe_dump(dict(value))
        start, end = node.start_mark, node.end_mark
        text: str = "\n" * start.line + " " * start.column + self._text[start.index : end.index]
        return text


def _child(node: Any, key: str | int) -> Any:
    if isinstance(key, int):
        return node.value[key]
    return next((value for name, value in node.value if name.value == key), None)
