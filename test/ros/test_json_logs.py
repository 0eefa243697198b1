"""Driver, simulator and dashboard write their logs as lines of JSON into one folder."""

import json
import logging
from pathlib import Path

import pytest

from harness.dashboard.running_dashboard import running_dashboard
from harness.ros.running_fleet import RunningFleet, ready


def rows(folder: Path, program: str) -> list[dict[str, object]]:
    file = folder / f"{program}.jsonl"
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def test_every_program_writes_how_it_started_and_what_happened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    logs = tmp_path / "logs"
    monkeypatch.setenv("THYMIO_FLEET_LOG_DIR", str(logs))
    for fleet in ready(RunningFleet(tmp_path)):
        with running_dashboard(tmp_path, "--config", str(fleet.config)) as dashboard:
            assert dashboard.close() == 0
        driver = rows(logs, "multi_thymio_driver")
        assert driver[0]["message"] == "started"
        assert driver[0]["configuration"] == str(fleet.config)
        connected = [row for row in driver if str(row["message"]).endswith(": connected")]
        assert [(row["level"], row["logger"]) for row in connected] == [("info", "multi_thymio_driver")]
        assert rows(logs, "thymio_simulator")[0]["configuration"] == str(fleet.world)
        assert rows(logs, "thymio_fleet_dashboard")[0]["configuration"] == str(fleet.config)
    assert not logging.getLogger("thymio_fleet").handlers  # this process was not concerned
