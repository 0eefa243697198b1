"""The units of systemd are valid, start our programs with options that these have, and bound their restarts."""

import os
import shutil
import stat
import subprocess
from pathlib import Path

import pytest

from fleet.commands.main import read_options
from harness.service_units import FOLDER, INSTALLED, NAME, command, settings

SERVICES = sorted(path.name for path in FOLDER.glob("*.service"))
MOST_EXPOSED = 25  # of 100, by `systemd-analyze security`
needs_systemd = pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs the program systemd-analyze")


def instances(folder: Path) -> list[str]:
    """Write the units of a fleet with programs that exist; return their names."""
    programs = folder / "bin"
    programs.mkdir()
    names = []
    for path in FOLDER.iterdir():
        name = path.name.replace("@.", f"@{NAME}.")
        (folder / name).write_text(path.read_text(encoding="utf-8").replace(INSTALLED, str(programs)))
        names.append(name)
    for service in SERVICES:
        (line,) = settings(service, "ExecStart")
        program = programs / Path(line.split()[0]).name
        program.touch(stat.S_IRWXU)
    return names


def analyzed(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    words = ["systemd-analyze", *arguments]
    variables = {**os.environ, "LANG": "C"}
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False, env=variables)


@needs_systemd
def test_systemd_finds_nothing_wrong_with_the_units(tmp_path: Path) -> None:
    paths = [f"./{name}" for name in instances(tmp_path)]
    done = analyzed(tmp_path, "verify", "--recursive-errors=no", *paths)
    assert [line for line in done.stderr.splitlines() if "thymio" in line] == []
    assert done.returncode == 0, done.stderr


@needs_systemd
@pytest.mark.parametrize("service", SERVICES)
def test_services_may_do_little_beside_their_work(service: str, tmp_path: Path) -> None:
    instances(tmp_path)
    path = f"./{service.replace('@.', f'@{NAME}.')}"
    done = analyzed(tmp_path, "security", "--offline=true", "--no-pager", f"--threshold={MOST_EXPOSED}", path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_dashboard_of_the_unit_has_the_options_of_the_fleets_environment(tmp_path: Path) -> None:
    unit = "thymio-fleet-dashboard@.service"
    arguments = command(unit, tmp_path, DASHBOARD_OPTIONS="--host 0.0.0.0 --port 8652")
    options = read_options(arguments[3:])
    assert (options.host, options.port) == ("0.0.0.0", 8652)
    assert options.config == tmp_path / "thymio_fleet" / NAME / "fleet.yaml"
    assert read_options(command(unit, tmp_path)[3:]).host == ""


@pytest.mark.parametrize("service", SERVICES)
def test_killed_program_is_back_soon_and_one_that_cannot_start_is_given_up(service: str) -> None:
    assert settings(service, "Restart") == ["always"]
    (pause_s,), (burst,), (interval_s,) = (
        [float(value) for value in settings(service, key)]
        for key in ("RestartSec", "StartLimitBurst", "StartLimitIntervalSec")
    )
    assert pause_s <= 5.0
    assert burst * pause_s < interval_s  # else it would be started for ever
    assert settings(service, "RestartPreventExitStatus") == ["2"]  # wrong usage or configuration


def test_units_of_the_target_exist() -> None:
    (wanted,) = settings("thymio-fleet@.target", "Wants")
    assert sorted(wanted.replace("%i", "").split()) == SERVICES
