"""Rows of the body coupler's benchmarks, printed as soon as they are measured."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class BodyRow:
    """A measured quantity and its result."""

    case: str
    asked: str
    measured: str


def print_body_rows(rows: Iterable[BodyRow], *, as_json: bool) -> None:
    """Print each row as it arrives, so that an interrupted run keeps the earlier rows; as text or JSON lines."""
    for row in rows:
        text = f"{row.case:<48} {row.measured}" + (f"   (asked: {row.asked})" if row.asked else "")
        print(json.dumps(asdict(row)) if as_json else text, flush=True)
