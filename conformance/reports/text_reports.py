"""Reports as lines for the terminal and as JUnit XML, in which servers' texts are made harmless."""

import re
from collections.abc import Iterator, Mapping
from html import escape
from itertools import groupby
from typing import Any, Final

_CONTROL: Final = re.compile(r"[^\x20-\x7e\xa0-\ud7ff\ue000-\ufffd]")
_QUIET: Final = ("PASS", "INFO", "UNSUPPORTED")


def harmless(text: str) -> str:
    """Return a text on one line without control characters, which terminals would obey and XML forbids."""
    return _CONTROL.sub("?", text)


def console_lines(report: Mapping[str, Any], command: str) -> Iterator[str]:
    """Yield the report by chapters, with the details of cases that need attention."""
    for chapter, rows in groupby(report["cases"], key=lambda row: (row["id"][0], row["chapter"])):
        yield from _chapter(*chapter, list(rows), command)
    counts = ", ".join(f"{count} {verdict}" for verdict, count in report["counts"].items() if count)
    ends = {"yes": "conforms", "no": "does not conform", "inconclusive": "inconclusive"}
    yield f"{len(report['cases'])} cases: {counts}: {ends[report['conforms']]}"


def _chapter(letter: str, name: str, rows: list[Mapping[str, Any]], command: str) -> Iterator[str]:
    verdicts = [row["verdict"] for row in rows]
    counts = "  ".join(f"{verdicts.count(verdict)} {verdict}" for verdict in dict.fromkeys(verdicts))
    yield f"  {letter}  {name:<28}{counts}"
    for row in rows:
        if row["verdict"] not in _QUIET:
            yield f"     {row['verdict']} {row['id']}  {row['level']}  {row['requirement']}"
            if row["expected"]:
                yield f"           expected  {harmless(row['expected'])}"
            yield f"           actual    {harmless(row['actual'])}"
            span = f"{row['start_s']:.1f} s to {row['end_s']:.1f} s"
            yield f"           evidence  {span}; again: {command} --case {row['id']}"


def junit_text(report: Mapping[str, Any]) -> str:
    """Return the report as JUnit XML, in which inconclusive cases count as errors."""
    cases = "".join(map(_junit_case, report["cases"]))
    counts = report["counts"]
    numbers = (
        f'tests="{len(report["cases"])}" failures="{counts["FAIL"]}" '
        f'errors="{counts["ERROR"] + counts["INCONCLUSIVE"]}" skipped="{counts["UNSUPPORTED"]}"'
    )
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name="conformance" {numbers}>\n{cases}</testsuite>\n'


def _junit_case(row: Mapping[str, Any]) -> str:
    name = escape(f"{row['id']} {row['requirement']}")
    words = escape(harmless(f"expected {row['expected']}; actual {row['actual']}"))
    inner = {
        "FAIL": f'<failure message="{words}"/>',
        "ERROR": f'<error message="{words}"/>',
        "INCONCLUSIVE": f'<error message="{words}"/>',
        "UNSUPPORTED": f'<skipped message="{escape(harmless(row["actual"]))}"/>',
    }.get(row["verdict"], f"<system-out>{escape(harmless(row['actual']))}</system-out>")
    return f'<testcase classname="conformance.{row["chapter"].replace(" ", "_")}" name="{name}">{inner}</testcase>\n'
