"""Output of commands for programs: one JSON object per line."""

import argparse
import json
import math
from collections.abc import Iterable, Mapping
from typing import Any


def add_json_option(parser: argparse.ArgumentParser) -> None:
    """Add the option `--json` to a command."""
    parser.add_argument("--json", action="store_true", help="print one JSON object a line, once, instead of a table")


def print_json_lines(rows: Iterable[Mapping[str, Any]]) -> None:
    """Print each row as a line; values have JSON's types, and NaN and infinity become null."""
    for row in rows:
        print(json.dumps(_finite(row), ensure_ascii=False, allow_nan=False), flush=True)


def _finite(value: Any) -> Any:
    match value:
        case float():
            return value if math.isfinite(value) else None
        case Mapping():
            return {str(key): _finite(item) for key, item in value.items()}
        case list() | tuple():
            return [_finite(item) for item in value]
    return value
