"""One line of the benchmarks of the body coupler, printed as soon as it is measured."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class BodyRow:
    """What was asked, and what was measured."""

    case: str
    asked: str
    measured: str


def print_body_rows(rows: Iterable[BodyRow], *, as_json: bool) -> None:
    """Print each row when it comes, so that a run that is cut short keeps those before: text, or an object a line."""
    for row in rows:
        text = f"{row.case:<48} {row.measured}" + (f"   (asked: {row.asked})" if row.asked else "")
        print(json.dumps(asdict(row)) if as_json else text, flush=True)
