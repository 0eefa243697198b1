"""The report of a bring-up as JSON: results with all series, versions, and the comparison of two reports."""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from fleet.bringup.cause import Cause
from fleet.bringup.stage_result import BringupStage, Measure, StageResult, StageVerdict, Symptom
from fleet.errors import BringupError
from thymio_base.errors import SettingsError, TextError
from thymio_base.settings_file import check_values
from thymio_base.texts.json_text import read_json, shipped_schema

FORMAT: Final = 1
_DIGITS: Final = 6


@dataclass(frozen=True, slots=True)
class BringupReport:
    """The results of one robot, in the order of their stages; `date` is in ISO 8601."""

    target: str
    date: str
    versions: Mapping[str, str] = field(default_factory=dict)
    results: tuple[StageResult, ...] = ()

    @property
    def has_failed(self) -> bool:
        """Whether any stage has failed."""
        return any(result.verdict is StageVerdict.FAILED for result in self.results)

    @property
    def not_checked(self) -> tuple[str, ...]:
        """Skipped stages, with their reasons."""
        return tuple(
            f"{result.stage.value} ({', '.join(result.notes)})"
            for result in self.results
            if result.verdict is StageVerdict.SKIPPED
        )

    def result(self, stage: BringupStage) -> StageResult | None:
        """Return the result of a stage; None if it has not run."""
        return next((result for result in self.results if result.stage is stage), None)

    def with_result(self, result: StageResult) -> "BringupReport":
        """Return the report with a stage's new result; results of later stages are kept."""
        kept = {one.stage: one for one in self.results} | {result.stage: result}
        ordered = tuple(kept[stage] for stage in BringupStage if stage in kept)
        return BringupReport(self.target, self.date, self.versions, ordered)


def report_text(report: BringupReport) -> str:
    """Return a report as JSON; numbers have six digits, and numbers that are not finite are null."""
    values = {
        "format": FORMAT,
        "target": report.target,
        "date": report.date,
        "versions": dict(report.versions),
        "stages": [_stage_values(result) for result in report.results],
    }
    return json.dumps(_plain(values), indent=1, allow_nan=False) + "\n"


def load_report(path: Path) -> BringupReport:
    """Return the report in a file.

    Raises
    ------
    BringupError
        The file cannot be read, or is not a report; the message names it.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise BringupError(f"{path} cannot be read: {error}") from error
    return read_report(str(path), text)


def read_report(name: str, text: str) -> BringupReport:
    """Return the report in a text.

    Raises
    ------
    BringupError
        The text is not a report; the message gives the name, and the problem.
    """
    try:
        values = read_json(text)
        if not isinstance(values, dict):
            raise BringupError(f"{name}: a report is an object, not {type(values).__name__}")
        checked = check_values(name, values, shipped_schema("fleet.bringup", "bringup_report.schema.json"))
    except (TextError, SettingsError) as error:
        raise BringupError(f"{name} is not a report of the bring-up: {error}") from error
    results = tuple(_read_stage(stage) for stage in checked["stages"])
    return BringupReport(checked["target"], checked["date"], checked["versions"], results)


def compared(first: BringupReport, second: BringupReport) -> Iterator[tuple[str, str, str, str]]:
    """Yield stage, name and both values of everything that differs, or is measured in both."""
    for stage in BringupStage:
        one, other = first.result(stage), second.result(stage)
        if one is None and other is None:
            continue
        yield stage.value, "verdict", _verdict(one), _verdict(other)
        values = [{measure.name: measure for measure in result.measures} if result else {} for result in (one, other)]
        for name in dict.fromkeys([*values[0], *values[1]]):
            yield stage.value, name, _measure(values[0].get(name)), _measure(values[1].get(name))


def _verdict(result: StageResult | None) -> str:
    if result is None:
        return "-"
    return " ".join([result.verdict.value, *(symptom.cause.code for symptom in result.symptoms)])


def _measure(measure: Measure | None) -> str:
    return "-" if measure is None else f"{measure.value:.4g} {measure.unit}".strip()


def _stage_values(result: StageResult) -> dict[str, Any]:
    return {
        "stage": result.stage.value,
        "verdict": result.verdict.value,
        "attempts": result.attempts,
        "skipped": result.is_skipped,
        "measures": [
            {"name": one.name, "value": one.value, "unit": one.unit, "least": one.least, "most": one.most}
            for one in result.measures
        ],
        "symptoms": [
            {"cause": one.cause.code, "text": one.text, "fatal": one.is_fatal, "cure": one.cure}
            for one in result.symptoms
        ],
        "notes": list(result.notes),
        "series": {name: [list(row) for row in rows] for name, rows in result.series.items()},
    }


def _read_stage(values: Mapping[str, Any]) -> StageResult:
    measures = tuple(
        Measure(
            one["name"],
            _number(one["value"], math.nan),
            one["unit"],
            _number(one["least"], -math.inf),
            _number(one["most"], math.inf),
        )
        for one in values["measures"]
    )
    symptoms = tuple(Symptom(Cause[one["cause"].upper()], one["text"], one["fatal"]) for one in values["symptoms"])
    return StageResult(
        BringupStage(values["stage"]),
        measures,
        symptoms,
        {name: [[_number(word, math.nan) for word in row] for row in rows] for name, rows in values["series"].items()},
        tuple(values["notes"]),
        values["skipped"],
        values["attempts"],
    )


def _number(value: float | None, missing: float) -> float:
    return missing if value is None else value


def _plain(value: Any) -> Any:
    """Return a value with numbers rounded to six digits, and None for numbers that are not finite."""
    if isinstance(value, Mapping):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(one) for one in value]
    if isinstance(value, float):
        return round(value, _DIGITS) if math.isfinite(value) else None
    return value
