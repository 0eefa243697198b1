"""The report of a bring-up as one HTML page, with pictures of the measurements and fits in it."""

import io
from collections.abc import Iterator, Sequence
from html import escape

import numpy as np

from fleet.bringup.bringup_record import WheelSample
from fleet.bringup.bringup_report import BringupReport
from fleet.bringup.stage_result import STAGE_TEXTS, BringupStage, Rows, StageResult, StageVerdict
from fleet.bringup.wheel_stage import lag_s
from fleet.calibration.chart import Chart, Series

_STYLE = """
body { font: 15px/1.5 sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; color: #222; background: #fff }
table { border-collapse: collapse } td, th { padding: .15em .8em .15em 0; text-align: left; vertical-align: top }
.passed { color: #17692f } .warning { color: #8a5a00 } .failed { color: #a01818 } .skipped { color: #555 }
svg { max-width: 100%; height: auto }
"""
_SEND = (
    "No real robot has been measured by this project yet. Please send the JSON file beside this page to the project, "
    "as an issue: above all the speeds and the step of the stage wheels, the rates of the stage radio, and the moves "
    "of the stage odometry. It holds the robot's uuid, and nothing about you."
)


def page_text(report: BringupReport) -> str:
    """Return the page."""
    versions = ", ".join(f"{escape(name)} {escape(value)}" for name, value in report.versions.items() if value)
    parts = [
        "<!DOCTYPE html>",
        '<html lang="en"><head><meta charset="utf-8"><title>bring-up</title>',
        f"<style>{_STYLE}</style></head><body>",
        f"<h1>Bring-up of {escape(report.target)}</h1>",
        f"<p>{escape(report.date)}; {versions}</p>",
        *(f'<p class="skipped">not checked: {escape(text)}</p>' for text in report.not_checked),
        *(_stage_html(result) for result in report.results),
        f"<h2>Which numbers to send</h2><p>{_SEND}</p></body></html>",
    ]
    return "\n".join(parts) + "\n"


def _stage_html(result: StageResult) -> str:
    verdict = result.verdict.value
    tries = f", measured {result.attempts} times" if result.attempts > 1 else ""
    parts = [
        f'<h2>{result.stage.value}: <span class="{verdict}">{verdict}</span>{tries}</h2>',
        f"<p>{escape(STAGE_TEXTS[result.stage])}</p>",
    ]
    for symptom in result.symptoms:
        kind = (StageVerdict.FAILED if symptom.is_fatal else StageVerdict.WARNING).value
        parts.append(
            f'<p class="{kind}"><b>{symptom.cause.code}</b>: {escape(symptom.text)}<br>{escape(symptom.cure)}</p>'
        )
    parts += [f"<p>{escape(note)}</p>" for note in result.notes]
    if result.measures:
        rows = "".join(
            f'<tr><td class="{"passed" if one.fits else "failed"}">{escape(one.text)}' for one in result.measures
        )
        parts.append(f"<table>{rows}</table>")
    charts = list(stage_charts(result))
    if charts:
        parts.append(_picture(charts))
    return "\n".join(parts)


def stage_charts(result: StageResult) -> Iterator[Chart]:
    """Yield the charts of a stage's series."""
    series = result.series
    if result.stage is BringupStage.RADIO and series.get("rates [pings/s, answered]"):
        rows = _table(series["rates [pings/s, answered]"], 2)
        points = Series("", 1, rows[:, 0].tolist(), rows[:, 1].tolist())
        yield Chart("answers at rising rates", "round trips per second", "share answered", [points])
    if result.stage is BringupStage.WHEELS:
        yield from _wheel_charts(result)
    if result.stage is BringupStage.ODOMETRY and series.get("moves [left, right, ahead, turned]"):
        rows = _table(series["moves [left, right, ahead, turned]"], 4)
        counted = 0.5 * (rows[:, 0] + rows[:, 1])
        points = Series("moves", 1, counted.tolist(), rows[:, 2].tolist())
        line = Series("as counted", 0, sorted(counted.tolist()), sorted(counted.tolist()), is_line=True)
        yield Chart("way ahead", "counted [m]", "measured [m]", [points, line])


def _wheel_charts(result: StageResult) -> Iterator[Chart]:
    speeds = result.series.get("speeds [targets, measured]", [])
    rows = _table([row for row in speeds if len(row) == 4 and row[0] == row[1]], 4)
    if len(rows):
        targets = rows[:, 0].tolist()
        yield Chart(
            "speeds in the air",
            "target [motor units]",
            "measured [motor units]",
            [
                Series("left", 0, targets, rows[:, 2].tolist()),
                Series("right", 1, targets, rows[:, 3].tolist()),
                Series("target", 2, targets, targets, is_line=True),
            ],
        )
    step = _table(result.series.get("step [s, left, right]", []), 3)
    if len(step) > 5:
        samples = [WheelSample(0, round(100.0 * row[0]), round(row[1]), round(row[2])) for row in step.tolist()]
        constant_s, dead_s = lag_s(samples)
        since_s = np.maximum(step[:, 0] - dead_s, 0.0)
        shape = since_s + constant_s * np.expm1(-since_s / constant_s) if constant_s > 0.0 else since_s
        sums = 0.5 * (step[:, 1] + step[:, 2])
        scale = float(shape @ sums) / max(float(shape @ shape), 1e-9)
        fit = Series(
            f"fit: time constant {constant_s:.2f} s", 2, step[:, 0].tolist(), (scale * shape).tolist(), is_line=True
        )
        yield Chart(
            "a step of the speed",
            "time [s]",
            "sum of speeds",
            [Series("wheels", 1, step[:, 0].tolist(), sums.tolist()), fit],
        )


def _table(rows: Rows, width: int) -> np.ndarray:
    """Return the rows of the given width that only have finite numbers, as an array."""
    fitting = [row for row in rows if len(row) == width and np.all(np.isfinite(row))]
    return np.array(fitting, dtype=float).reshape(-1, width)


def _picture(charts: Sequence[Chart]) -> str:
    from fleet.calibration.chart_figure import charts_svg  # noqa: PLC0415  matplotlib costs other commands 0.4 s

    file = io.StringIO()
    charts_svg(charts, file)
    return file.getvalue().partition("?>")[2].partition("]>")[2] or file.getvalue()
