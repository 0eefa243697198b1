"""Master controls of others drive our vehicles, over Debian's mosquitto; tools/masters.sh installs them."""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.ros.master_control import Broker, broker, connector
from harness.ros.running_fleet import RunningFleet

pytestmark = pytest.mark.masters
ROOT = Path(__file__).parents[2]
INSTALLED = ROOT / ".venv-masters"
SCRIPTS = ROOT / "tools" / "masters"
PYTHON = INSTALLED / "bin" / "python"
PATIENCE_S = 240.0


@pytest.fixture
def mqtt(tmp_path: Path) -> Iterator[Broker]:
    if not (INSTALLED / "made").exists():
        pytest.skip("tools/masters.sh has not installed the masters")
    with broker(tmp_path) as running:
        yield running


def outcome(fleet: RunningFleet, folder: Path, *command: object) -> dict[str, Any]:
    """Let a master drive robot 1; return what it prints."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    printed = folder / "master.log"
    with (
        printed.open("wb") as log,
        subprocess.Popen([str(word) for word in command], stdout=log, stderr=log, env=environment) as process,
    ):
        try:
            fleet.wait_for(lambda: process.poll() is not None, "the master to end", PATIENCE_S)
        finally:
            process.kill()
    assert process.returncode == 0, printed.read_text()
    lines = [line for line in printed.read_text().splitlines() if line.startswith("{")]  # beside the master's own log
    found: dict[str, Any] = json.loads(lines[-1])
    return found


def test_vda5050_sdk_finds_every_message_valid_and_its_orders_complete(
    shared_fleet: RunningFleet, mqtt: Broker, tmp_path: Path
) -> None:
    with connector(shared_fleet, tmp_path, mqtt.port, version="2.1.0"):
        found = outcome(shared_fleet, tmp_path, PYTHON, SCRIPTS / "sdk_master.py", mqtt.port, 2, "robot_1")
    assert found == {"complete": 2, "issues": ["ORDER_COMPLETE"], "errors": [], "invalid": 0}


def test_vda5050_core_sees_nodes_in_order_loads_and_the_refusal_of_a_second_order(
    shared_fleet: RunningFleet, mqtt: Broker, tmp_path: Path
) -> None:
    if not list(INSTALLED.glob("lib/python*/site-packages/vda5050_core")):
        return  # has no wheel for this Python, as tools/masters.sh has said
    with connector(shared_fleet, tmp_path, mqtt.port, version="2.0.0"):
        found = outcome(shared_fleet, tmp_path, PYTHON, SCRIPTS / "core_master.py", mqtt.port, "robot_1")
    assert found["decisions"] == ["ASSIGNED"]
    assert found["vehicles"] == {
        "robot_1": {
            "reached": ["A", "B", "C"],
            "complete": ["core-robot_1"],
            "loads": [1, 0],
            "errors": ["orderError"],
        }
    }


def test_vda_5050_lib_extends_an_order_while_it_is_driven_and_cancels_it_once(
    shared_fleet: RunningFleet, mqtt: Broker, tmp_path: Path
) -> None:
    with connector(shared_fleet, tmp_path, mqtt.port, version="2.0.0"):
        found = outcome(shared_fleet, tmp_path, "node", SCRIPTS / "lib_master.js", mqtt.port, "robot_1", INSTALLED)
    assert found["traversed"][:2] == ["n0", "n1"]
    assert [one for one in found["processed"] if one["canceled"]] == [
        {"failed": False, "canceled": True, "active": False}
    ]
    assert (found["errors"], found["left"]) == ([], 0)
