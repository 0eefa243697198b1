"""Each command returns the exit codes that the documentation names."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from command_line import run

from fleet.commands.main import main
from fleet.commands.registry import SUBCOMMANDS
from harness.ros.running_fleet import RunningFleet, ready
from thymio_base.exit_code import ExitCode
from thymio_base.ros.private_domain import reserve_free_port, reserve_private_domain

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "clients.md").read_text(encoding="utf-8").partition("## Exit codes")[2]
NAMES = [subcommand.name for subcommand in SUBCOMMANDS]
SETTINGS = """
dispatch: {enabled: true}
stations:
- {name: press, pose: {x_m: 0.5, y_m: 1.6}, role: load}
- {name: packing, pose: {x_m: 2.5, y_m: 1.6}, role: unload}
"""
EXAMPLE = "examples/experiments/squares.yaml"

# Commands by what they return beside a fleet of two robots; {folder}, {fleet} and {world} stand for its files.
RETURNS: dict[ExitCode, list[str]] = {
    ExitCode.DONE: [
        "status --once",
        "list",
        "go-to 1 1.1 1.0",
        "go-home 1",
        "transport 1 1.2,1.0 1.1,1.0",
        "route 1 1.1,1.0 turn:90deg",
        "follow 1 --path circle --size 0.2",
        "law 1",
        "submit go-to 1.1,1.0 --estimate",
        "jobs --once",
        "places",
        "duty 1 in",
        "cancel 1",
        "stop",
        "resume",
        "view --once",
        "dashboard token list",
        "layouts {fleet} --output {folder}",
        "lif {fleet} --output {folder}/floor.lif",
        "world list",
        "script default 1",
        "experiment {root}/" + EXAMPLE + " --repeat 1 --quiet --out {folder}/results",
        "node-config --config {fleet}",
        "body-urdf --config {fleet} --output {folder}/fleet.urdf",
        "check {fleet}",
        "bringup --compare {root}/test/fleet/bringup/report.json {root}/test/fleet/bringup/report.json",
        "twin --run {root}/test/experiments/twin/run.csv",
        "floor {world}",
    ],
    ExitCode.FAILED: [
        "up --config {fleet} --world {world} --no-dashboard",
        "sim --world {world}",
        "go-to 1 9 9",
        "go-home 7",
        "transport 1 9,9 1,1",
        "dock 1 press",
        "route 1 9,9",
        "follow 7 --path circle",
        "extend 7 1,1 1,1.2",
        "law 7",
        "submit go-to 9,9",
        "jobs cancel none",
        "duty 7 out",
        "cancel 7",
        "bringup ser:device={fleet} --output {folder}",
        "twin {root}/test/fleet/bringup/report.json",
        "view --svg {folder}/nowhere/picture.svg",
        "dashboard token revoke none",
        "world push 9 0.1",
        "script default 9",
        "body list",
    ],
}
WITHOUT_FLEET = ["status --once", "list", "places", "resume"]  # return 1
ELSEWHERE = {  # by command and code, the tests that see it
    ("up", ExitCode.DONE): "test/ros/test_up.py",
    ("extend", ExitCode.DONE): "test/ros/test_cli_follow.py",
    ("calibrate", ExitCode.DONE): "test/ros/test_calibrate.py",
    ("calibrate", ExitCode.FAILED): "test/ros/test_calibrate.py",
    ("stop", ExitCode.FAILED): "test/ros/test_stop.py",
    ("repeat", ExitCode.DONE): "test/ros/test_orchestrated.py",
    ("repeat", ExitCode.FAILED): "test/ros/test_orchestrated.py",
    ("body", ExitCode.DONE): "test/ros/test_body_cli.py",
    ("vda5050", ExitCode.DONE): "test/ros/test_vda5050.py",
    ("vda5050", ExitCode.FAILED): "test/ros/test_vda5050.py",
    ("demo", ExitCode.DONE): ".ci/run",
    ("conformance", ExitCode.DONE): "test/ros/test_conformance.py",
    ("conformance", ExitCode.FAILED): "test/ros/test_conformance.py",
}
UNSEEN = {  # by command and code, why no test sees it
    ("demo", ExitCode.FAILED): "the demo succeeds",
    ("discovery-server", ExitCode.DONE): "opens the fixed UDP port 11811",
    ("dock", ExitCode.DONE): "a robot charges for minutes",
    ("experiment", ExitCode.FAILED): "simulated robots are always reached at the start",
}


def documented() -> set[tuple[str, ExitCode]]:
    """Return what the page says that commands return, besides 2."""
    rows = re.findall(r"^\| (`.*`) \| ?(.*?) ?\|$", PAGE, re.MULTILINE)
    found = {(name, text) for names, text in rows for name in re.findall(r"`([^`]+)`", names)}
    return {(name, ExitCode.DONE) for name, _ in found} | {(name, ExitCode.FAILED) for name, text in found if text}


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningFleet]:
    yield from ready(RunningFleet(tmp_path_factory.mktemp("codes"), SETTINGS, ", bridge: true"))


def test_page_has_each_code_and_each_command() -> None:
    codes = {int(code) for code in re.findall(r"^\| (\d+) \|", PAGE, re.MULTILINE)}
    assert codes == set(ExitCode)
    assert {name for name, _ in documented()} == set(NAMES)


def test_each_documented_code_is_seen_by_a_test() -> None:
    here = {(line.split()[0], code) for code, lines in RETURNS.items() for line in lines}
    here |= {(line.split()[0], ExitCode.FAILED) for line in WITHOUT_FLEET}
    here.add(("sim", ExitCode.DONE))
    assert documented() == here | set(ELSEWHERE) | set(UNSEEN)
    assert not here & {*ELSEWHERE, *UNSEEN}
    assert all((ROOT / path).exists() for path in ELSEWHERE.values())


@pytest.mark.parametrize("name", [name for name in NAMES if name != "sim"])
def test_wrong_usage_is_2(name: str) -> None:
    with pytest.raises(SystemExit) as caught:
        main([name, "--nonsense"])
    assert caught.value.code == ExitCode.USAGE


def test_wrong_usage_of_the_simulator_is_2() -> None:
    assert run("sim", "--nonsense").returncode == ExitCode.USAGE


@pytest.mark.parametrize(("code", "line"), [(code, line) for code, lines in RETURNS.items() for line in lines])
def test_command_returns_its_code(fleet: RunningFleet, tmp_path: Path, code: ExitCode, line: str) -> None:
    places = {"folder": tmp_path, "fleet": fleet.config, "world": fleet.world, "root": ROOT}
    done = run(*(word.format(**places) for word in line.split()))
    assert done.returncode == code, done


@pytest.mark.parametrize("line", WITHOUT_FLEET)
def test_command_without_a_fleet_returns_1(line: str) -> None:
    reserve_private_domain()
    done = run(*line.split())
    assert done.returncode == ExitCode.FAILED, done


def test_simulator_that_is_asked_to_end_returns_0() -> None:
    command = [sys.executable, "-m", "fleet.commands.main", "sim", "--port", str(reserve_free_port()), "--no-ros"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as simulator:
        assert simulator.stdout is not None
        assert simulator.stdout.readline().startswith("listening on")
        simulator.terminate()
        assert simulator.wait(30.0) == ExitCode.DONE
