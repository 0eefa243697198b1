"""Draws the messages of a scenario: a lane for each topic and service, and a list of the calls."""

import json
from collections.abc import Iterator, Sequence
from html import escape
from typing import Any, Final

from conformance.record.run_record import Observation, ObservationKind, ServerRecording
from conformance.reports.text_reports import harmless

_WIDTH, _LANE, _LEFT, _TOP = 900, 20, 190, 24
_MOST_LANES: Final = 14
_MOST_ROWS: Final = 60
_MOST_MARKS: Final = 400  # most marks in a lane
_LONGEST: Final = 240
_ARROWS: Final = {"request": "&rarr;", "answer": "&larr;"}
_LISTED: Final = (ObservationKind.REQUEST, ObservationKind.ANSWER, ObservationKind.HOOK, ObservationKind.NOTE)


def timeline(recording: ServerRecording, scenario: str, tries: int) -> str:
    """Return the picture and the list of one try of a scenario, as HTML."""
    events = next((one for number, one in enumerate(recording.tries(scenario), 1) if number == max(1, tries)), [])
    shown = [
        one
        for one in events
        if one.kind not in (ObservationKind.LOAD, ObservationKind.GRAPH, ObservationKind.SCENARIO)
        and not (one.name.startswith("late_") and scenario != "idle")  # the late subscriber listens until the run ends
    ]
    if not shown:
        return '<p class="faint">nothing was recorded</p>'
    return f'{_picture(shown)}<p class="faint">disc: request, square: answer, stroke: message</p>{_list(shown)}'


def _picture(events: Sequence[Observation]) -> str:
    start_s, end_s = events[0].at_s, max(events[-1].at_s, events[0].at_s + 0.1)
    lanes = list(dict.fromkeys(one.name for one in events if one.kind is not ObservationKind.NOTE))[:_MOST_LANES]
    height = _TOP + _LANE * len(lanes) + 6

    def x(at_s: float) -> float:
        return _LEFT + (_WIDTH - _LEFT - 14) * (at_s - start_s) / (end_s - start_s)

    parts = [f'<svg viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="messages over time">']
    for share in range(6):
        at_s = start_s + (end_s - start_s) * share / 5
        parts.append(f'<path class="grid" d="M{x(at_s):.0f} {_TOP - 6}V{height}"/>')
        anchor = "end" if share == 5 else "middle"
        parts.append(f'<text x="{x(at_s):.0f}" y="12" text-anchor="{anchor}">{at_s:.1f} s</text>')
    for index, name in enumerate(lanes):
        y = _TOP + _LANE * index + _LANE // 2
        parts.append(f'<text x="{_LEFT - 8}" y="{y + 4}" text-anchor="end">{escape(harmless(name)[-28:])}</text>')
        parts.append(f'<path class="lane" d="M{_LEFT} {y}H{_WIDTH - 14}"/>')
        marks = [one for one in events if one.name == name][:_MOST_MARKS]
        parts += [_mark(one, x(one.at_s), y) for one in marks]
    return "".join([*parts, "</svg>"])


def _mark(event: Observation, x: float, y: int) -> str:
    """Return a mark: a call is a disc, its answer a square, a message a stroke."""
    if event.kind is ObservationKind.MESSAGE:
        return f'<path class="message" d="M{x:.1f} {y - 5}v10"/>'
    title = f"<title>{escape(harmless(event.label))} {event.at_s:.3f} s</title>"
    if event.kind is ObservationKind.ANSWER:
        return f'<rect class="answer" x="{x - 3:.1f}" y="{y - 3}" width="6" height="6">{title}</rect>'
    return f'<circle class="call" cx="{x:.1f}" cy="{y}" r="4">{title}</circle>'


def _list(events: Sequence[Observation]) -> str:
    listed = [one for one in events if one.kind in _LISTED and one.body != {"text": ""}]
    rows = "".join(map(_line, listed[:_MOST_ROWS]))
    more = f'<p class="faint">{len(listed) - _MOST_ROWS} more in the recording</p>' if len(listed) > _MOST_ROWS else ""
    return f'<div class="scroll" tabindex="0"><table class="log"><tbody>{rows}</tbody></table></div>{more}'


def _line(event: Observation) -> str:
    text = harmless(" ".join(_words(event.body)))[:_LONGEST]
    arrow = _ARROWS.get(event.kind.value, "")
    label = f" <b>{escape(harmless(event.label))}</b>" if event.label else ""
    name = escape(harmless(event.name))
    return f"<tr><td>{event.at_s:.3f}</td><td>{arrow}</td><td>{name}{label}</td><td>{escape(text)}</td></tr>"


def _words(body: dict[str, Any]) -> Iterator[str]:
    for key, value in body.items():
        yield f"{key}: {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"
