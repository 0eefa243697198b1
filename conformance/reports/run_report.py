"""The report of a run as data: the source of all other reports, and the content of the JSON file."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import jsonschema

from conformance.cases.case import CHAPTERS, Judgement
from conformance.record.finding import CaseVerdict, Obligation
from thymio_base.errors import TextError
from thymio_base.exit_code import ExitCode
from thymio_base.texts.json_text import read_json, shipped_schema
from thymio_base.texts.user_file import read_start

SCHEMA: Final = "report.schema.json"
_MOST_BYTES: Final = 1_000_000


def report_of(header: Mapping[str, Any], judgements: Sequence[Judgement]) -> dict[str, Any]:
    """Return the report of a run, in the form of `report.schema.json`."""
    setup = header["setup"]
    counts = Counter(one.verdict for one in judgements)
    return {
        "schema": 1,
        "kit": str(header.get("kit", "")),
        "time": str(header.get("time", "")),
        "ros": str(header.get("ros", "")),
        "middleware": str(header.get("middleware", "")),
        "server": str(setup["namespace"]),
        "profile": str(setup["profile"]),
        "strict": bool(setup["strict"]),
        "setup": {key: value for key, value in setup.items() if key != "cases"},
        "conforms": conforms(judgements),
        "counts": {verdict.value: counts[verdict] for verdict in CaseVerdict},
        "cases": [_row(one) for one in judgements],
    }


def _row(one: Judgement) -> dict[str, Any]:
    return {
        "id": one.case.address,
        "chapter": CHAPTERS[one.case.address[0]],
        "level": one.case.level.value,
        "requirement": one.case.requirement,
        "verdict": one.verdict.value,
        "expected": one.finding.expected,
        "actual": one.finding.actual,
        "scenario": one.case.scenario,
        "start_s": round(one.start_s, 3),
        "end_s": round(one.end_s, 3),
        "tries": one.tries,
    }


def conforms(judgements: Sequence[Judgement]) -> str:
    """Return whether the server conforms: "yes", "no" or "inconclusive"."""
    code = exit_code(judgements)
    if code is ExitCode.DONE:
        return "yes"
    return "inconclusive" if code is ExitCode.INCONCLUSIVE else "no"


def exit_code(judgements: Sequence[Judgement]) -> ExitCode:
    """Return the exit code of a run; a failure takes precedence over an inconclusive must-case."""
    if any(one.verdict in (CaseVerdict.FAIL, CaseVerdict.ERROR) for one in judgements):
        return ExitCode.FAILED
    musts = (one for one in judgements if one.case.level is Obligation.MUST)
    is_unclear = not judgements or any(one.verdict is CaseVerdict.INCONCLUSIVE for one in musts)
    return ExitCode.INCONCLUSIVE if is_unclear else ExitCode.DONE


def load_report(path: Path) -> dict[str, Any]:
    """Return the report in a file; raise TextError if it is not a report."""
    try:
        report: dict[str, Any] = read_json(read_start(path, _MOST_BYTES))
        jsonschema.validate(report, shipped_schema("conformance.reports", SCHEMA))
    except jsonschema.ValidationError as error:
        raise TextError(f"{path} is not a report of a conformance run: {error.message[:200]}") from error
    except (TextError, OSError) as error:
        raise TextError(f"{path}: {getattr(error, 'strerror', None) or error}") from error
    return report


def differences(report: Mapping[str, Any], expected: str, source: str, cases: Sequence[str] = ()) -> list[str]:
    """Return the verdicts, of all or some cases, that differ from those expected in lines such as "G2 FAIL".

    Raises
    ------
    TextError
        A line of the text is malformed; the message names it.
    """
    wanted: dict[str, str] = {}
    for number, line in enumerate(expected.splitlines(), 1):
        words = line.partition("#")[0].split()
        if words and (len(words) != 2 or words[1] not in {verdict.value for verdict in CaseVerdict}):
            raise TextError(f"{source}: line {number} is {line[:80]!r}; write a case and a verdict, such as G2 FAIL")
        wanted |= {words[0]: words[1]} if words else {}
    found = {row["id"]: row["verdict"] for row in report["cases"]}
    unwanted = wanted.keys() - cases if cases else ()
    return [
        f"{address}: expected {wanted.get(address, 'nothing')}, is {verdict}"
        for address, verdict in found.items()
        if wanted.get(address) != verdict
    ] + [
        f"{address}: expected {verdict}, was not run"
        for address, verdict in wanted.items()
        if address not in (*found, *unwanted)
    ]


def verdict_lines(report: Mapping[str, Any]) -> str:
    """Return the verdicts as a text that `--expect` reads."""
    return "".join(f"{row['id']} {row['verdict']}\n" for row in report["cases"])
