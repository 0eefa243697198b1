"""HTML reports: a page without scripts for a run, or for several servers side by side."""

from collections.abc import Mapping, Sequence
from html import escape
from itertools import groupby
from typing import Any, Final

from conformance.record.run_record import ServerRecording
from conformance.reports.text_reports import harmless
from conformance.reports.timeline import timeline

_OPEN: Final = ("FAIL", "ERROR", "INCONCLUSIVE", "NON-STRICT")
_SIGNS: Final = {
    "PASS": "&#10003;",
    "FAIL": "&#10007;",
    "NON-STRICT": "!",
    "INFO": "i",
    "UNSUPPORTED": "&ndash;",
    "INCONCLUSIVE": "?",
    "ERROR": "E",
}
_STYLE: Final = """
:root { color-scheme: light dark; --bg: #fff; --ink: #1c2b33; --faint: #5b6b74; --line: #d5dde1; --card: #f5f7f8;
  --pass: #1b6e34; --fail: #b3261e; --warn: #8a5000; --info: #1f5fa8; }
@media (prefers-color-scheme: dark) { :root { --bg: #12181b; --ink: #e3eaed; --faint: #9aabb4; --line: #33424a;
  --card: #1a2327; --pass: #7ed491; --fail: #ff8a80; --warn: #ffc266; --info: #8ec2ff; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 68rem; background: var(--bg); color: var(--ink);
  font: 15px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.4rem; margin: .2rem 0; } h2 { font-size: 1.1rem; margin: 1.6rem 0 .4rem; }
.faint, dt { color: var(--faint); } .bar { display: flex; height: .8rem; border-radius: .4rem; overflow: hidden; }
.bar span { min-width: 3px; }
.numbers { display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; padding: 0; list-style: none; }
.PASS { color: var(--pass); } .FAIL, .ERROR { color: var(--fail); } .NON-STRICT, .INCONCLUSIVE { color: var(--warn); }
.INFO { color: var(--info); } .UNSUPPORTED { color: var(--faint); }
.bar .PASS { background: var(--pass); } .bar .FAIL, .bar .ERROR { background: var(--fail); }
.bar .NON-STRICT, .bar .INCONCLUSIVE { background: var(--warn); } .bar .INFO { background: var(--info); }
.bar .UNSUPPORTED { background: var(--line); }
details { border: 1px solid var(--line); border-radius: .4rem; margin: .3rem 0; background: var(--card);
  padding: .3rem .6rem; }
summary { cursor: pointer; } summary b { margin-right: .4rem; }
dl { display: grid; grid-template-columns: 6rem 1fr; gap: .1rem .6rem; margin: .4rem 0; } dd { margin: 0; }
table { border-collapse: collapse; width: 100%; } td, th { border-bottom: 1px solid var(--line); padding: .2rem .4rem;
  text-align: left; vertical-align: top; } .wide, .scroll { overflow: auto; } .scroll { max-height: 18rem; }
.log { font: 12px/1.4 ui-monospace, monospace; min-width: 36rem; } .log td { overflow-wrap: normal; }
.log td:last-child { overflow-wrap: anywhere; width: 60%; } .like th { width: 38%; }
.matrix td + td + td, .matrix th + th + th { text-align: center; }
svg { width: 100%; min-width: 36rem; height: auto; } svg text { font: 11px system-ui, sans-serif; fill: var(--faint); }
.grid, .lane { stroke: var(--line); } .message { stroke: var(--info); stroke-width: 1.5; }
.call { fill: var(--warn); } .answer { fill: var(--pass); }
@media (max-width: 40rem) { dl { grid-template-columns: 1fr; } body { padding: .6rem; } }
"""


def run_page(report: Mapping[str, Any], recording: ServerRecording) -> str:
    """Return the page of a run."""
    ends = {"yes": "conforms", "no": "does not conform", "inconclusive": "inconclusive"}
    title = f"{report['server']}: {ends[report['conforms']]}"
    about = " &middot; ".join(
        _text(part) for part in (report["kit"], report["time"], f"{report['ros']} {report['middleware']}")
    )
    strict = ", strict" if report["strict"] else ""
    body = [
        f"<h1>{_text(title)}</h1>",
        f'<p class="faint">{about} &middot; profile {_text(report["profile"])}{strict}</p>',
        _summary(report),
        _likeness(report["cases"]),
    ]
    for (letter, name), rows in groupby(report["cases"], key=lambda row: (row["id"][0], row["chapter"])):
        body.append(f"<h2>{letter} &middot; {_text(name)}</h2>")
        body += [_case(row, recording) for row in rows]
    return _page(title, "".join(body))


def _summary(report: Mapping[str, Any]) -> str:
    counts = {verdict: count for verdict, count in report["counts"].items() if count}
    bar = "".join(f'<span class="{verdict}" style="flex:{count}"></span>' for verdict, count in counts.items())
    numbers = "".join(
        f'<li class="{verdict}">{_SIGNS[verdict]} {count} {verdict}</li>' for verdict, count in counts.items()
    )
    return f'<div class="bar" aria-hidden="true">{bar}</div><ul class="numbers">{numbers}</ul>'


def _likeness(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return a table of the behaviour in which servers differ, for authors of clients."""
    chosen = [row for row in rows if row["level"] != "must" and row["verdict"] in ("INFO", "NON-STRICT")]
    lines = "".join(
        f"<tr><th scope=row>{_text(row['requirement'])}</th><td class={row['verdict']}>"
        f"{'' if row['verdict'] == 'INFO' else 'no: '}{_text(row['actual'])}</td></tr>"
        for row in chosen
    )
    return f"<h2>What this server is like</h2><table class=like><tbody>{lines}</tbody></table>" if lines else ""


def _case(row: Mapping[str, Any], recording: ServerRecording) -> str:
    verdict = row["verdict"]
    is_open = verdict in _OPEN
    rows = [("level", row["level"]), ("expected", row["expected"]), ("actual", row["actual"])]
    if row["tries"] > 1:
        rows.append(("tries", str(row["tries"])))
    if row["tries"]:
        rows.append(("recording", f"{row['start_s']:.1f} s to {row['end_s']:.1f} s, scenario {row['scenario']}"))
    words = "".join(f"<dt>{key}</dt><dd>{_text(value)}</dd>" for key, value in rows if value)
    log = timeline(recording, row["scenario"], row["tries"]) if is_open and row["tries"] else ""
    scroll = f'<div class="wide" tabindex="0">{log}</div>' if log else ""
    return (
        f'<details id="{row["id"]}"{" open" if verdict in ("FAIL", "ERROR") else ""}><summary>'
        f'<b class="{verdict}">{_SIGNS[verdict]} {verdict}</b> <b>{row["id"]}</b>{_text(row["requirement"])}'
        f"</summary><dl>{words}</dl>{scroll}</details>"
    )


def matrix_page(reports: Sequence[Mapping[str, Any]]) -> str:
    """Return the page of several servers side by side: cases by reports."""
    names = [f"{report['server']} {report['time'][:16]}" for report in reports]
    rows: dict[str, str] = {row["id"]: row["requirement"] for report in reports for row in report["cases"]}
    verdicts = [{row["id"]: row for row in report["cases"]} for report in reports]
    head = "".join(f"<th scope=col>{_text(name)}</th>" for name in names)
    lines = [
        f"<tr><th scope=row>{_text(address)}</th><td>{_text(requirement)}</td>"
        + "".join(_cell(found.get(address)) for found in verdicts)
        + "</tr>"
        for address, requirement in rows.items()
    ]
    table = f'<table class="matrix"><thead><tr><th>case</th><th>requirement</th>{head}</tr></thead>'
    body = f'<h1>Servers side by side</h1><div class="wide" tabindex="0">{table}<tbody>{"".join(lines)}'
    return _page("Servers side by side", body + "</tbody></table></div>")


def _cell(row: Mapping[str, Any] | None) -> str:
    if row is None:
        return "<td></td>"
    return f'<td class="{row["verdict"]}" title="{_text(row["actual"])}">{_SIGNS[row["verdict"]]} {row["verdict"]}</td>'


def _text(text: str) -> str:
    return escape(harmless(str(text)))


def _page(title: str, body: str) -> str:
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{_text(title)}</title><style>{_STYLE}</style></head><body><main>{body}</main></body></html>\n"
    )
