"""Prints docs/configuration.md, generated from the JSON Schemas."""

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

ROOT = Path(__file__).parent.parent
Row: TypeAlias = tuple[str, str, str, str]
FILES = (
    ("config/fleet.yaml", "fleet/settings/fleet.schema.json", "What `multi_thymio_driver` serves."),
    ("Path files", "fleet/settings/path.schema.json", "The path that a robot follows; see `examples/paths`."),
    ("Experiment files", "experiments/scenarios/file/experiment.schema.json", "What `thymio-fleet experiment` runs."),
    ("config/world.yaml", "simulator/world/world.schema.json", "What `thymio_simulator` simulates."),
)


def reference() -> str:
    """Return the page."""
    lines = [
        "# Configuration",
        "",
        "This page is generated from the schemas that check the files (`tools/configuration_reference.py`).",
        "`thymio-fleet check FILE...` reports all problems of such files at once, with path and line; with",
        "`--world WORLD` also where a fleet does not fit a simulated world. A file may have at most a megabyte.",
        "Units are in the key names: `_m` metres, `_mps` metres per second, `_rad` radians, `_s` seconds, `_hz` per",
        "second.",
    ]
    for file, schema_file, purpose in FILES:
        schema = json.loads((ROOT / schema_file).read_text(encoding="utf-8"))
        rows = list(_rows(schema, schema, ""))
        lines += ["", f"## {file}", "", purpose, "", *_table(row for row, is_expert in rows if not is_expert)]
        if expert := [row for row, is_expert in rows if is_expert]:
            lines += [
                "",
                f"Expert keys of {file}; few fleets need other values.",
                "",
                *_table(expert),
            ]
    return "\n".join(lines) + "\n"


def _table(rows: Iterable[Row]) -> list[str]:
    lines = [" | ".join(("", *row, "")).strip() for row in rows]
    return ["| key | default | range | meaning |", "|---|---|---|---|", *lines]


def _rows(part: dict[str, Any], root: dict[str, Any], path: str) -> Iterator[tuple[Row, bool]]:
    """Yield a row for every key below a part of a schema, and whether it is for experts."""
    for key, raw in part.get("properties", {}).items():
        value = {**_resolved(raw, root), **raw}
        name = f"{path}{key}"
        if value.get("type") == "array" and "properties" in value.get("items", {}):
            yield (f"`{name}[]`", "", "", value.get("description", "")), False
            yield from _rows(value["items"], root, f"{name}[].")
        elif "properties" in value:
            if "description" in value:
                yield (f"`{name}`", "", "", value["description"]), False
            yield from _rows(value, root, f"{name}.")
        else:
            row = (f"`{name}`", _default(key, value, part), _range(value), value.get("description", ""))
            yield row, bool(value.get("x-expert"))


def _resolved(value: dict[str, Any], root: dict[str, Any]) -> dict[str, Any]:
    reference_path = value.get("$ref", "").removeprefix("#/").split("/")
    found: Any = root
    for name in reference_path if reference_path != [""] else ():
        found = found[name]
    return found if "$ref" in value else {}


def _default(key: str, value: dict[str, Any], part: dict[str, Any]) -> str:
    if "default" in value:
        return f"`{json.dumps(value['default'])}`"
    return "required" if key in part.get("required", []) else ""


def _range(value: dict[str, Any]) -> str:
    low, high = value.get("minimum"), value.get("maximum")
    if "exclusiveMinimum" in value:
        return f"above {value['exclusiveMinimum']}" + (f", to {high}" if high is not None else "")
    if low is not None and high is not None:
        return f"{low} to {high}"
    return f"from {low}" if low is not None else f"to {high}" if high is not None else ""


if __name__ == "__main__":
    sys.stdout.write(reference())
