"""Who ordered what is in the audit log, whether it came by the command line, the dashboard or ROS."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command_line import run

from fleet.geometry import Pose2D
from harness.dashboard.running_dashboard import running_dashboard
from harness.ros.running_fleet import RunningFleet, ready


@pytest.fixture
def logged_fleet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[RunningFleet]:
    monkeypatch.setenv("THYMIO_FLEET_LOG_DIR", str(tmp_path / "logs"))
    yield from ready(RunningFleet(tmp_path, "dispatch: {enabled: true}"))


def audit(fleet: RunningFleet, **wanted: object) -> list[dict[str, Any]]:
    """Return the lines that have these values."""
    lines = (fleet.config.parent / "logs" / "audit.jsonl").read_text().splitlines()
    return [row for line in lines if (row := json.loads(line)).items() >= wanted.items()]


def test_orders_and_their_ends_are_noted_by_each_program(logged_fleet: RunningFleet, tmp_path: Path) -> None:
    fleet = logged_fleet
    assert run("go-to", "1", "1.2", "1.0").returncode == 0
    assert run("go-to", "1", "9", "9").returncode == 1
    assert run("status", "--once").returncode == 0
    assert run("jobs", "--once").returncode == 0
    assert run("submit", "go-to", "1.0,1.0", "--id", "first", "--wait").returncode == 0
    assert run("jobs", "cancel", "none").returncode == 1
    typed = audit(fleet, program="thymio-fleet", role="command line")
    assert [(row["event"], row["what"], row.get("outcome")) for row in typed] == [
        ("ordered", "go-to 1 1.2 1.0", None),
        ("ended", "go-to 1 1.2 1.0", "done"),
        ("ordered", "go-to 1 9 9", None),
        ("ended", "go-to 1 9 9", "failed"),
        ("ordered", "submit go-to 1.0,1.0 --id first --wait", None),
        ("ended", "submit go-to 1.0,1.0 --id first --wait", "done"),
        ("ordered", "jobs cancel none", None),
        ("ended", "jobs cancel none", "failed"),
    ]
    assert all(row["who"] for row in typed)
    driven = audit(fleet, program="multi_thymio_driver", what="go_to", robot=1)
    assert [(row["event"], row.get("outcome")) for row in driven[:2]] == [("ordered", None), ("ended", "SUCCEEDED")]
    assert audit(fleet, program="multi_thymio_driver", event="refused", robot=1, reason="OUT_OF_ARENA")
    assert audit(fleet, program="multi_thymio_driver", event="ordered", jobs=["first"])
    assert audit(fleet, program="multi_thymio_driver", event="ended", jobs=["first"], outcome="SUCCEEDED")
    assert audit(fleet, program="multi_thymio_driver", event="refused", what="cancel jobs", jobs=["none"])
    with running_dashboard(tmp_path) as dashboard:
        fleet.wait_for(lambda: "go_to" in dashboard.section("robots").get("1", {}).get("can", ()), "the robots")
        dashboard.post("name", {"name": "Anna"})
        dashboard.post("stop", {})
        fleet.wait_for(
            lambda: bool(audit(fleet, who="Anna", role="teacher", what="STOP ALL", event="ended")), "the stop's end"
        )
    assert audit(fleet, program="multi_thymio_driver", what="stop the fleet")


def test_task_names_the_nodes_that_could_have_ordered_it(logged_fleet: RunningFleet) -> None:
    goal = logged_fleet.client.go_to(2, Pose2D(2.4, 1.0, 0.0))
    logged_fleet.wait_for(lambda: goal.state.is_final, "the end of the task")
    logged_fleet.wait_for(lambda: bool(audit(logged_fleet, event="ended", robot=2)), "its line")
    (ended,) = audit(logged_fleet, event="ended", robot=2)
    assert logged_fleet.client.node.get_name() in ended["who"]
    assert ended["role"] == "ROS"
