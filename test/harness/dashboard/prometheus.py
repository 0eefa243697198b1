"""What Prometheus would scrape of the dashboard of a scripted fleet, and what its rules make of that, by promtool."""

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fleet.dashboard.model.metrics import DashboardCounts, metrics_text
from fleet.dashboard.model.story import Story
from fleet.dashboard.orders.command_desk import CommandDesk
from harness.dashboard.scripted_fleet import ScriptedFleet

SCRAPE_S = 5  # between two scrapes
_SAMPLE = re.compile(r"^([a-zA-Z_:][\w:]*(?:\{.*\})?) (\S+)$")
Act = Callable[[ScriptedFleet, int], None]


def scraped(act: Act, duration_s: int) -> dict[str, list[str]]:
    """Return the values of all series, one for each scrape of `/metrics`, "_" where a series is missing.

    `act` does something with the fleet, which has jobs, at each second from 0 on.
    """
    fleet = ScriptedFleet(3, has_jobs=True)
    board = CommandDesk(Story(0), fleet, fleet)
    series: dict[str, list[str]] = {}
    for time_s in range(duration_s + 1):
        act(fleet, time_s)
        now_ns = time_s * 1_000_000_000
        board.advance(now_ns)
        if time_s % SCRAPE_S == 0:
            text = metrics_text(board.story, board.commands.rejected, DashboardCounts(), {}, now_ns)
            _append(series, text, time_s // SCRAPE_S)
    return series


def _append(series: dict[str, list[str]], text: str, count: int) -> None:
    """Add the samples of a scrape, before which there were `count`."""
    for line in text.splitlines():
        match = _SAMPLE.match(line)
        if match is not None and not line.startswith("#"):
            series.setdefault(match.group(1), ["_"] * count).append(match.group(2))
    for values in series.values():
        if len(values) == count:  # it is gone: Prometheus notes that once
            values.append("_" if values[-1] in ("_", "stale") else "stale")


def objections(
    rules: Path, series: dict[str, list[str]], expected: dict[str, dict[str, list[dict[str, Any]]]], folder: Path
) -> str:
    """Return what promtool says where rules do not fire as expected; "" if they do.

    Parameters
    ----------
    rules
        the file with the rules
    series
        values for each scrape
    expected
        for instants such as "30s", and for each rule, the alerts that fire: exp_labels and exp_annotations
    folder
        for the file that promtool reads
    """
    tests = [
        {"eval_time": instant, "alertname": name, "exp_alerts": alerts}
        for instant, by_name in expected.items()
        for name, alerts in by_name.items()
    ]
    inputs = [{"series": name, "values": " ".join(values)} for name, values in series.items()]
    one = {"interval": f"{SCRAPE_S}s", "input_series": inputs, "alert_rule_test": tests}
    file = folder / "rules_test.json"  # JSON is YAML
    file.write_text(json.dumps({"rule_files": [str(rules)], "evaluation_interval": f"{SCRAPE_S}s", "tests": [one]}))
    done = subprocess.run(["promtool", "test", "rules", str(file)], capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stdout + done.stderr
