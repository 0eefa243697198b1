"""The command, as a person uses it: tasks, and files of configuration."""

import json
from pathlib import Path

import pytest
from command_line import run

from harness.ros.running_fleet import RunningFleet
from thymio_base.shipped_files import shipped_file


def test_robot_is_sent_to_a_goal_and_home(shared_fleet: RunningFleet) -> None:
    there, home = run("go-to", "1", "1.2", "1.1", "90deg"), run("go-home", "1")
    assert (there.returncode, home.returncode) == (0, 0)
    assert "robot 1 task_go_to" in there.stdout
    assert "SUCCEEDED" in home.stdout


def test_transport_is_performed(shared_fleet: RunningFleet) -> None:
    result = run("transport", "2", "2.1,1.0", "2.0,1.0,0.5")
    assert result.returncode == 0
    assert "task_transport" in result.stdout


def test_without_a_heading_a_robot_arrives_as_it_drives(shared_fleet: RunningFleet) -> None:
    result = run("go-to", "1", "1.0", "1.2")
    assert result.returncode == 0, result.stderr
    shared_fleet.let_pass(0.5)
    assert shared_fleet.truths[1].heading_rad == pytest.approx(1.57, abs=0.15)
    assert run("go-home", "1").returncode == 0


def test_rejected_goal_is_reported_with_its_reason(shared_fleet: RunningFleet) -> None:
    result = run("go-to", "1", "99", "1", "0")
    assert result.returncode == 1
    assert "REJECTED (OUT_OF_ARENA) after " in result.stdout
    assert " s: x = 99.000, at most 2.920, as the body needs 0.08 m to the arena's edge\n" in result.stdout


def test_status_and_list_print_json(shared_fleet: RunningFleet) -> None:
    robots, hosts = (
        [json.loads(line) for line in run(name, "--json").stdout.splitlines()] for name in ("status", "list")
    )
    assert [row["robot_id"] for row in robots] == [row["robot_id"] for row in hosts] == sorted(shared_fleet.truths)
    assert {row["state"] for row in robots} == {"idle"}
    assert robots[0]["pose"]["x_m"] == pytest.approx(shared_fleet.truths[1].x_m, abs=0.05)
    assert robots[0]["values"]["link"] == "connected"


def test_check_prints_json(tmp_path: Path) -> None:
    file = tmp_path / "fleet.yaml"
    file.write_text("rates: {control_hz: 1}\nrobots: []\n")
    result = run("check", "--json", str(file), str(shipped_file("fleet.yaml")))
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert result.returncode == 2
    assert [(row["kind"], bool(row["mistakes"])) for row in rows] == [("fleet", True), ("fleet", False)]
    assert "rates.control_hz" in rows[0]["mistakes"][0]


def test_valid_file_passes_the_check(tmp_path: Path) -> None:
    result = run("check", str(shipped_file("fleet.yaml")))
    assert result.returncode == 0
    assert "8 robots" in result.stdout


def test_check_reports_six_mistakes_at_once(tmp_path: Path) -> None:
    path = tmp_path / "fleet.yaml"
    path.write_text("""rates: {control_hz: 1}
motion: {sped_mps: 0.1}
link: {targets: ['carrier-pigeon']}
robots:
- {id: 1, node_id: 1, home: {x_m: 0, y_m: 0}}
- {id: 1, node_id: 2, home: {x_m: 1, y_m: .nan}}
- {id: 1, node_id: 3, home: {x_m: 2, y_m: 0}}
""")
    result = run("check", str(path))
    assert result.returncode == 2
    assert [line.removeprefix(f"{path}:").split(":")[:2] for line in result.stderr.splitlines()] == [
        ["1", " rates.control_hz"],
        ["2", " motion.sped_mps"],
        ["3", " link.targets[0]"],
        ["6", " robots[1].home.y_m"],
        ["6", " robots[1].id"],
        ["7", " robots[2].id"],
    ]
