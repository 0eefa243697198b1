"""The shipped alert rules and the Grafana board, on what the dashboard exports of a fleet in trouble."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from fleet.dashboard.model.job_view import JobsReport
from fleet.dashboard.model.metrics import DashboardCounts, metrics_text
from fleet.dashboard.model.story import Story
from fleet.dashboard.orders.command_desk import CommandDesk
from fleet.dashboard.orders.command_log import Person
from fleet.dashboard.orders.fleet_orders import Verb
from fleet.dispatch.job_report import JobReport
from fleet.dispatch.records.job import JobState
from harness.dashboard.scripted_fleet import ScriptedFleet

ROOT = Path(__file__).parents[4]
RULES: list[dict[str, Any]] = yaml.safe_load((ROOT / "config/alerts.yaml").read_text())["groups"][0]["rules"]
BOARD: dict[str, Any] = json.loads((ROOT / "config/grafana/fleet.json").read_text())
WAITING = JobReport("old", "go home", JobState.HELD, 0, -1, 5, -1.0, 0.0, 1, "UNREACHABLE", "", 0, 0)
_SAMPLE = re.compile(r"^(\w+?)(?:\{(.*)\})? (\S+)$")
_COMPARISON = re.compile(r"^(\w+) (==|<|>) ([0-9.]+)$")


def samples(
    *commands: tuple[Verb, dict[str, Any]], is_silent: bool = False, book_trouble: str = ""
) -> dict[str, list[tuple[str, float]]]:
    """Return the samples of a scrape, some seconds after commands were performed, by the names of the metrics."""
    fleet = ScriptedFleet(3)
    board = CommandDesk(Story(0), fleet, fleet)
    board.advance(0)
    for verb, body in commands:
        board.perform(verb, body, Person("Anna", "teacher", ""), 0)
    fleet.is_silent = is_silent
    for step in range(1, 200):
        board.advance(step * 50_000_000)
    board.story.jobs.on_report(JobsReport((WAITING,), (), book_trouble, 199 * 50_000_000), 199 * 50_000_000)
    text = metrics_text(board.story, board.commands.rejected, DashboardCounts(), {}, 199 * 50_000_000)
    found: dict[str, list[tuple[str, float]]] = {}
    for line in text.splitlines():
        if line.startswith("# TYPE "):
            found[line.split()[2]] = []
        match = _SAMPLE.match(line)
        if match and not line.startswith("#"):
            found.setdefault(match.group(1), []).append((match.group(2) or "", float(match.group(3))))
    return found


def firing(name: str, scrape: dict[str, list[tuple[str, float]]]) -> list[str]:
    """Return the labels for which a rule that compares a metric with a number would fire."""
    rule = next(rule for rule in RULES if rule["alert"] == name)
    match = _COMPARISON.match(rule["expr"])
    assert match is not None
    metric, operator, limit = match.group(1), match.group(2), float(match.group(3))
    compare = {"==": float.__eq__, "<": float.__lt__, ">": float.__gt__}[operator]
    return [labels for labels, value in scrape[metric] if compare(value, limit)]


def test_jobs_that_wait_and_a_book_that_fails_are_told() -> None:
    scrape = samples(book_trouble="the disk is full")
    assert firing("JobBookDown", scrape) == [""]
    assert scrape["thymio_fleet_job_oldest_age_seconds"] == [('state="held"', 9.95)]


SIMPLE = [
    "JobWaitsLong",
    "JobBookDown",
    "RobotLost",
    "DriverSilent",
    "PoseStale",
    "BatteryLow",
    "TargetDown",
    "FleetStopped",
]


@pytest.mark.parametrize("name", SIMPLE)
def test_no_rule_fires_for_a_healthy_fleet(name: str) -> None:
    assert firing(name, samples()) == []


@pytest.mark.parametrize(
    ("name", "verb", "body", "labels"),
    [
        ("RobotLost", Verb.LINK, {"robots": [2], "link": "silent"}, ['robot="2"']),
        ("BatteryLow", Verb.BATTERY, {"robots": [3], "charge": 0.2}, ['robot="3"']),
        ("FleetStopped", Verb.STOP, {}, [""]),
    ],
)
def test_rule_fires_for_its_trouble(name: str, verb: Verb, body: dict[str, Any], labels: list[str]) -> None:
    assert firing(name, samples((verb, body))) == labels


def test_silent_fleet_is_lost() -> None:
    scrape = samples(is_silent=True)
    assert len(firing("RobotLost", scrape)) == 3
    assert firing("DriverSilent", scrape) == ['host="lab-pc"']


def test_rules_and_board_name_only_metrics_that_exist() -> None:
    goals = {"goals": [{"robot": 1, "x_m": 3.9, "y_m": 1.6}, {"robot": 3, "x_m": 2.7, "y_m": 0.6}]}
    exported = set(samples((Verb.GO_TO, goals), (Verb.LINK, {"robots": [2], "link": "silent"})))
    expressions = [rule["expr"] for rule in RULES]
    expressions += [target["expr"] for panel in BOARD["panels"] for target in panel["targets"]]
    named = {name for text in expressions for name in re.findall(r"thymio_fleet_\w+", text)}
    assert named <= exported


def test_every_rule_says_what_is_wrong_and_how_long_it_waits() -> None:
    for rule in RULES:
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
