"""The shipped alert rules, evaluated by Prometheus on what the dashboard exports of a fleet in trouble; the board."""

import json
import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml

from fleet.dispatch.records.job import JobState
from fleet.geometry import Pose2D
from harness.dashboard.prometheus import Act, objections, scraped
from harness.dashboard.scripted_fleet import ScriptedFleet
from harness.pages import shown_files

ROOT = Path(__file__).parents[4]
FILE = ROOT / "config/alerts.yaml"
RULES: dict[str, Any] = {rule["alert"]: rule for rule in yaml.safe_load(FILE.read_text())["groups"][0]["rules"]}
BOARD: dict[str, Any] = json.loads((ROOT / "config/grafana/fleet.json").read_text())
QUIET: dict[str, list[dict[str, Any]]] = {rule: [] for rule in RULES}
START_S = 60  # when the trouble starts


Labels = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Trouble:
    """What happens to a fleet, and which alerts that raises.

    Parameters
    ----------
    rule : the rule that fires
    act : what happens at each second
    quiet_s, firing_s : instants at which nothing fires, and at which the rule does
    summaries : by the labels that the rule's metric has
    also : the summaries of other rules that fire; all others do not
    """

    rule: str
    act: Act
    quiet_s: int
    firing_s: int
    summaries: dict[Labels, str]
    also: dict[str, dict[Labels, str]] = field(default_factory=dict)

    @property
    def expected(self) -> dict[str, dict[str, list[dict[str, Any]]]]:
        firing = {rule: alerts(rule, summaries) for rule, summaries in {self.rule: self.summaries, **self.also}.items()}
        return {f"{self.quiet_s}s": QUIET, f"{self.firing_s}s": {**QUIET, **firing}}


def alerts(rule: str, summaries: dict[Labels, str]) -> list[dict[str, Any]]:
    severity = RULES[rule]["labels"]["severity"]
    return [
        {"exp_labels": {"severity": severity, **dict(labels)}, "exp_annotations": {"summary": summary}}
        for labels, summary in summaries.items()
    ]


def from_start(do: Callable[[ScriptedFleet], None]) -> Act:
    """Return an act that does something once, when the trouble starts."""
    return lambda fleet, time_s: do(fleet) if time_s == START_S else None


def every(period_s: int, do: Callable[[ScriptedFleet, int], None]) -> Act:
    """Return an act that does something again and again, from the start of the trouble on; it gets a count."""
    return lambda fleet, time_s: (
        do(fleet, (time_s - START_S) // period_s) if time_s >= START_S and (time_s - START_S) % period_s == 0 else None
    )


def during(start_s: int, duration_s: int, change: Callable[[ScriptedFleet, bool], object]) -> Act:
    """Return an act that makes something bad for a while."""

    def act(fleet: ScriptedFleet, time_s: int) -> None:
        if time_s in (start_s, start_s + duration_s):
            change(fleet, time_s == start_s)

    return act


def set_robot(robot_id: int, **values: Any) -> Act:
    def do(fleet: ScriptedFleet) -> None:
        for name, value in values.items():
            setattr(fleet.robots[robot_id], name, value)

    return from_start(do)


def set_fleet(**values: Any) -> Act:
    return from_start(lambda fleet: fleet.__dict__.update(values))


def set_diagnostic(name: str, value: str) -> Act:
    return from_start(lambda fleet: fleet.diagnostics.update({name: value}))


def overrun(fleet: ScriptedFleet, count: int) -> None:
    fleet.diagnostics = {**fleet.diagnostics, "tick_overruns": str(count)}


def end_task(*results: str) -> Callable[[ScriptedFleet, int], None]:
    """Return what lets robot 1 take up a task, and end it the next time, with one result after the other."""

    def do(fleet: ScriptedFleet, count: int) -> None:
        if count % 2:
            fleet.end(1, results[count // 2 % len(results)])
        elif not fleet.is_stopped:
            fleet.robots[1].pose = fleet.robots[1].home  # so that it does not arrive by itself
            fleet.take_up(1, f"task-{count}", "go to 4.00, 2.00", Pose2D(4.0, 2.0, 0.0))

    return do


def end_job(state: JobState, *reasons: str) -> Callable[[ScriptedFleet, int], None]:
    """Return what lets a job end that was submitted a second before its end is reported."""
    return lambda fleet, count: fleet.set_job(f"job-{count}", state, reason=reasons[count % len(reasons)])


HOST = (("host", "lab-pc"),)
TARGET_NAME = "tcp:host=127.0.0.1"
TARGET = (("host", "lab-pc"), ("target", TARGET_NAME))
LOST = {
    (("robot", str(robot_id)),): f"robot {robot_id} is lost: no link, no pose, or no status" for robot_id in (1, 2, 3)
}
TROUBLES = [
    Trouble(
        "RobotLost",
        set_robot(2, link="lost"),
        START_S + 5,
        START_S + 30,
        {label: LOST[label] for label in [(("robot", "2"),)]},
    ),
    Trouble(
        "DriverSilent",
        set_fleet(is_silent=True),
        START_S + 5,
        START_S + 60,
        {HOST: "the driver on lab-pc is silent: it hangs, was killed, or is cut off"},
        {"RobotLost": LOST},
    ),
    Trouble(
        "PoseStale",
        set_robot(2, pose_age_s=3.0),
        START_S,
        START_S + 20,
        {(("robot", "2"),): "motion capture has not seen robot 2 for 3 s"},
    ),
    Trouble(
        "BatteryLow",
        set_robot(3, battery_pct=20),
        START_S + 100,
        START_S + 180,
        {(("robot", "3"),): "robot 3 has 20% of its charge"},
    ),
    Trouble(
        "TickOverruns",
        every(2, overrun),
        START_S + 30,
        START_S + 180,
        {HOST: "the driver on lab-pc starts ticks late: its machine has too much to do"},
    ),
    Trouble(
        "TargetDown",
        set_diagnostic(TARGET_NAME, "lost"),
        START_S + 5,
        START_S + 30,
        {TARGET: "target tcp:host=127.0.0.1 of the driver on lab-pc is not connected"},
    ),
    Trouble(
        "TasksFail",
        every(5, end_task("ABORTED:ROBOT_LOST")),
        START_S + 30,
        START_S + 120,
        {(): "more than a fifth of the tasks of the last 10 minutes were aborted"},
    ),
    Trouble(
        "JobWaitsLong",
        from_start(lambda fleet: fleet.set_job("stuck", JobState.QUEUED)),
        START_S + 1800,
        START_S + 1895,
        {(("state", "queued"),): "a job is queued and was submitted 31m 36s ago"},
    ),
    Trouble(
        "JobsFail",
        every(60, end_job(JobState.ABORTED, "ATTEMPTS", "NO_ROBOT", "UNREACHABLE")),
        START_S + 90,
        START_S + 290,
        {(): "5 jobs of the last 10 minutes were aborted"},
    ),
    Trouble(
        "JobBookDown",
        set_fleet(book_trouble="the disk is full"),
        START_S + 5,
        START_S + 30,
        {(): "jobs cannot be kept: the driver's log says why"},
    ),
    Trouble(
        "FleetStopped",
        from_start(lambda fleet: fleet.call_stop(is_stop=True)),
        START_S + 280,
        START_S + 330,
        {(): "the fleet has been stopped for five minutes"},
    ),
]


@pytest.mark.prometheus
@pytest.mark.parametrize("trouble", TROUBLES, ids=lambda trouble: trouble.rule)
def test_rule_fires_for_its_trouble_and_after_its_time(trouble: Trouble, tmp_path: Path) -> None:
    assert objections(FILE, scraped(trouble.act, trouble.firing_s), trouble.expected, tmp_path) == ""


def test_every_rule_has_a_trouble() -> None:
    assert sorted(trouble.rule for trouble in TROUBLES) == sorted(RULES)


NEARLY: list[Act] = [  # too short, too rare or too little
    during(START_S, 7, lambda fleet, bad: setattr(fleet.robots[2], "link", "lost" if bad else "connected")),
    during(81, 11, lambda fleet, bad: setattr(fleet, "is_silent", bad)),
    during(120, 4, lambda fleet, bad: setattr(fleet.robots[3], "pose_age_s", 2.0 if bad else 0.05)),
    during(START_S, 1400, lambda fleet, bad: setattr(fleet.robots[1], "battery_pct", 26 if bad else 94)),
    during(100, 7, lambda fleet, bad: fleet.diagnostics.update({TARGET_NAME: "lost" if bad else "connected"})),
    during(100, 7, lambda fleet, bad: setattr(fleet, "book_trouble", "the disk is full" if bad else "")),
    during(200, 240, lambda fleet, bad: fleet.call_stop(is_stop=bad)),
    every(20, overrun),
    every(10, end_task(*["SUCCEEDED"] * 9, "ABORTED:BLOCKED")),
    every(400, end_job(JobState.ABORTED, "ATTEMPTS", "NO_ROBOT")),
    during(START_S, 1700, lambda fleet, bad: fleet.set_job("long", JobState.QUEUED if bad else JobState.SUCCEEDED)),
]


def nearly(fleet: ScriptedFleet, time_s: int) -> None:
    for act in NEARLY:
        act(fleet, time_s)


@pytest.mark.prometheus
def test_rules_do_not_fire_for_short_or_small_disturbances(tmp_path: Path) -> None:
    duration_s = 2000
    series = scraped(nearly, duration_s)
    assert objections(FILE, series, {f"{time_s}s": QUIET for time_s in range(0, duration_s, 10)}, tmp_path) == ""


@pytest.mark.prometheus
def test_settings_of_prometheus_in_the_page_are_valid(tmp_path: Path) -> None:
    (text,) = shown_files(ROOT / "docs/operation.md").values()
    file = tmp_path / "prometheus.yml"
    file.write_text(text.replace("/opt/thymio_fleet", str(ROOT)))
    done = subprocess.run(["promtool", "check", "config", str(file)], capture_output=True, text=True, check=False)
    assert (done.returncode, f"{len(RULES)} rules found" in done.stdout) == (0, True), done.stderr


def test_page_says_what_to_do_for_every_alert() -> None:
    page = (ROOT / "docs/operation.md").read_text(encoding="utf-8")
    rows = {name for row in re.findall(r"^\| ([A-Za-z, ]+) \|", page, re.MULTILINE) for name in row.split(", ")}
    assert set(RULES) <= rows


def test_rules_and_board_name_only_metrics_that_exist() -> None:
    series = scraped(nearly, 600)
    exported = {name.partition("{")[0] for name in series}
    expressions = [rule["expr"] for rule in RULES.values()]
    expressions += [target["expr"] for panel in BOARD["panels"] for target in panel["targets"]]
    named = {name for text in expressions for name in re.findall(r"thymio_fleet_\w+", text)}
    assert named <= exported


def test_every_rule_says_what_is_wrong_and_how_long_it_waits() -> None:
    for rule in RULES.values():
        assert re.fullmatch(r"\d+[sm]", rule["for"])
        assert rule["labels"]["severity"] in ("info", "warning", "error")
        assert rule["annotations"]["summary"]


def test_panels_of_the_board_do_not_overlap() -> None:
    taken: set[tuple[int, int]] = set()
    for panel in BOARD["panels"]:
        place = panel["gridPos"]
        cells = {(place["x"] + x, place["y"] + y) for x in range(place["w"]) for y in range(place["h"])}
        assert not cells & taken
        assert place["x"] + place["w"] <= 24
        taken |= cells
