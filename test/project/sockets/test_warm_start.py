"""A program that is forked from one that has loaded it is a process like any other."""

import os
import signal
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from harness.loaded_programs import PROGRAMS, SCRIPTS, STARTED_BY, is_known, starts_programs
from harness.warm_start import WarmPopen

COMMAND = [sys.executable, "-m", "fleet.commands.main"]
SIMULATOR = [sys.executable, "-m", "simulator", "--no-ros", "--world", "config/world.yaml", "--port", "0"]
ROOT = Path(__file__).parents[3]


def parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


@pytest.fixture
def simulator() -> "subprocess.Popen[str]":
    with subprocess.Popen(SIMULATOR, cwd=ROOT, stdout=subprocess.PIPE, text=True, start_new_session=True) as program:
        assert program.stdout is not None
        assert program.stdout.readline().startswith("listening on tcp:")
        yield program
        program.kill()


def test_programs_of_tests_are_forked() -> None:
    assert subprocess.Popen is WarmPopen


def test_output_and_exit_code_are_those_of_a_new_process() -> None:
    arguments = [*COMMAND, "check", "missing.yaml"]
    cold = {**os.environ, "THYMIO_FLEET_COLD_PROGRAMS": "1"}
    warm, new = (
        subprocess.run(arguments, env=variables, capture_output=True, text=True, check=False)
        for variables in (None, cold)
    )
    assert (warm.returncode, warm.stdout, warm.stderr) == (new.returncode, new.stdout, new.stderr)
    assert new.returncode != 0


def test_folder_is_that_of_the_command(tmp_path: Path) -> None:
    (tmp_path / "robots.yaml").write_text("robots: 1\n")
    done = subprocess.run([*COMMAND, "check", "robots.yaml"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "robots.yaml" in done.stdout + done.stderr
    assert done.returncode == 2


def test_input_is_that_of_the_command() -> None:
    done = subprocess.run(
        [*COMMAND, "check", "--kind", "fleet", "/dev/stdin"],
        input="robots: 1\n",
        capture_output=True,
        text=True,
        check=False,
    )
    assert "robots" in done.stdout + done.stderr


def test_program_is_our_child_in_its_own_session(simulator: "subprocess.Popen[str]") -> None:
    assert parent_of(simulator.pid) == os.getpid()
    assert os.getsid(simulator.pid) == simulator.pid


def test_system_shows_the_command(simulator: "subprocess.Popen[str]") -> None:
    shown = Path(f"/proc/{simulator.pid}/cmdline").read_bytes().rstrip(b"\0").split(b"\0")
    assert [part.decode() for part in shown] == SIMULATOR


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 0), (signal.SIGTERM, 0), (signal.SIGKILL, -9)])
def test_signals_end_it_as_ever(simulator: "subprocess.Popen[str]", number: signal.Signals, code: int) -> None:
    simulator.send_signal(number)
    assert simulator.wait(60.0) == code


def test_program_in_a_file_is_forked_too() -> None:
    command = [sys.executable, str(SCRIPTS / "delayed.py"), "fleet.commands.main", "0", "check", "missing.yaml"]
    assert is_known(command)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "missing.yaml" in done.stderr


def test_programs_are_modules_that_can_be_run() -> None:
    assert all(find_spec(name) for name in PROGRAMS)


@pytest.mark.parametrize("name", STARTED_BY)
def test_programs_that_a_program_starts_are_forked_too(name: str) -> None:
    assert starts_programs([*COMMAND, name])
    assert all(is_known([*COMMAND[:2], *started]) for started in STARTED_BY[name])
