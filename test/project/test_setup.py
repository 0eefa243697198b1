"""Set-up's functions, in a shell that sources the script."""

import os
import runpy
import signal
import subprocess
from pathlib import Path

import pytest

from harness.packages import PRODUCT

ROOT = Path(__file__).parents[2]
COMPILED = runpy.run_path(str(ROOT / "tools/compiled.py"))["compiled_modules"]


def shell(commands: str, environment: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run commands after set-up's functions, for an environment that may be empty."""
    script = f'. "{ROOT}/tools/setup.sh" jazzy "$1"\n{commands}'
    return subprocess.run(
        ["bash", "-c", script, "bash", str(environment)],
        env=os.environ | variables,
        capture_output=True,
        text=True,
        check=False,
    )


STAGE = """
thing_hash() { echo "$version"; }
thing_whole() { [[ -f $venv/thing ]]; }
progress_of_thing() { :; }
make_thing() { eval "$make"; }
"""


def made(commands: str, environment: Path, version: str = "1") -> bool:
    """Return whether a stage counts as made after the commands."""
    return shell(f"version={version}\n{STAGE}\n{commands}\nis_made thing", environment).returncode == 0


@pytest.mark.slow
def test_stage_that_was_finished_is_not_made_again(tmp_path: Path) -> None:
    assert made('make="touch $venv/thing" && stage thing Thing', tmp_path)
    assert made("", tmp_path)


def test_stage_is_made_again_when_its_inputs_change(tmp_path: Path) -> None:
    assert made('make="touch $venv/thing" && stage thing Thing', tmp_path)
    assert not made("", tmp_path, version="2")


@pytest.mark.slow
def test_stage_is_made_again_when_what_it_made_is_gone(tmp_path: Path) -> None:
    assert made('make="touch $venv/thing" && stage thing Thing', tmp_path)
    (tmp_path / "thing").unlink()
    assert not made("", tmp_path)


def test_stage_that_was_interrupted_is_made_again(tmp_path: Path) -> None:
    assert made('make="touch $venv/thing" && stage thing Thing', tmp_path)
    interrupted = shell(f"version=1\n{STAGE}\nmake='kill -9 $$'\nstage thing Thing", tmp_path)
    assert interrupted.returncode == -9
    assert not made("", tmp_path)


@pytest.mark.slow
def test_failed_step_shows_its_log_and_leaves_no_stamp(tmp_path: Path) -> None:
    failed = shell(f"version=1\n{STAGE}\nmake='run thing sh -c \"echo because; exit 3\"'\nstage thing Thing", tmp_path)
    assert failed.returncode == 1
    assert "  | because" in failed.stderr
    assert not (tmp_path / "stamps/thing").exists()


def test_environment_is_made_again_in_a_folder_that_was_moved(tmp_path: Path) -> None:
    python = {"PYTHON": "python3"}
    here, there = (shell("packages_hash", tmp_path / name, **python).stdout for name in ("here", "there"))
    assert here != there


def test_progress_is_printed_in_lines_without_a_terminal(tmp_path: Path) -> None:
    commands = (
        "sleep() { command sleep 0; }\nprogress_of_thing() { echo 3 of 4; }\n(show_progress thing Thing) | head -n 1"
    )
    assert shell(f"set +o pipefail\n{commands}", tmp_path).stdout == "  Thing: 15 s, 3 of 4\n"


@pytest.mark.parametrize(
    ("commands", "message"),
    [
        ("root='/lab:3'; check_machine", "the path /lab:3 contains a colon"),
        ("root=/absent; check_machine", "the folder /absent is not writable"),
        ("needed_mb=999999999; check_machine", "999999999 MB are needed"),
        ("command() { return 1; }; check_machine", "apt-get install g++"),
        ("PYTHON=/no/python; check_machine", "/no/python was not found; Python 3.11 to 3.14 is needed"),
        ("PYTHON=/bin/false; check_machine", "/bin/false does not run; Python 3.11 to 3.14 is needed"),
        ("PYTHON=cat; check_machine", "cat does not run: Try 'cat --help'"),
    ],
)
def test_missing_packages_of_a_machine_are_named_before_any_download(
    tmp_path: Path, commands: str, message: str
) -> None:
    refused = shell(commands, tmp_path)
    assert refused.returncode == 1
    assert message in refused.stderr


def test_python_that_is_missing_comes_with_commands_for_debian_and_ubuntu(tmp_path: Path) -> None:
    refused = shell("find_python", tmp_path, PYTHON="/no/python")
    assert "apt-get install python3 python3-venv python3-dev" in refused.stderr
    assert "PYTHON=/path/to/python" in refused.stderr


def test_spaces_and_umlauts_in_the_path_are_accepted(tmp_path: Path) -> None:
    folder = tmp_path / "lab Umlaut ä 3"
    folder.mkdir()
    assert shell(f"find_python() {{ :; }}\nroot='{folder}'; check_machine", tmp_path).returncode == 0


@pytest.mark.parametrize(
    ("arguments", "is_ours"),
    [(("-m", "simulator"), True), (("{bin}/thymio-fleet", "up"), True), (("-m", "pip", "list"), False)],
)
def test_core_waits_for_programs_of_its_environment(tmp_path: Path, arguments: tuple[str, ...], is_ours: bool) -> None:
    own = [f"{tmp_path}/bin/python", "/dev/stdin", *(argument.format(bin=f"{tmp_path}/bin") for argument in arguments)]
    with subprocess.Popen(own, executable="/bin/bash", stdin=subprocess.PIPE) as program:
        found = shell("running_programs", tmp_path).stdout
        program.communicate()
    assert (f"(process {program.pid})" in found) == is_ours


def test_programs_that_are_waited_for_are_named_in_each_line_of_progress(tmp_path: Path) -> None:
    """A program that is stopped never ends by itself, so the line says how to end it."""
    own = [f"{tmp_path}/bin/python", "/dev/stdin", "-m", "simulator"]
    commands = """
mkdir -p "$logs"
sleep() { echo "after a second: $(progress_of_core)"; kill -KILL "$process"; }
wait_for_programs
echo "in the end: $(progress_of_core)"
"""
    with subprocess.Popen(own, executable="/bin/bash", stdin=subprocess.PIPE) as program:
        program.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, program.pid, os.WSTOPPED | os.WNOWAIT)
        shown = shell(commands, tmp_path, process=str(program.pid)).stdout
    named = f"simulator (process {program.pid}, stopped; to end it: kill -KILL {program.pid})"
    assert f"after a second: waiting for {named}\n" in shown
    assert "in the end: installing it\n" in shown


@pytest.mark.parametrize("robots", ["0", "abc", "101", ""])
def test_demo_with_a_wrong_number_of_robots_ends_before_set_up(robots: str, tmp_path: Path) -> None:
    command = ["bash", str(ROOT / "tools/demo.sh"), "jazzy", str(tmp_path / "venv"), robots]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"ROBOTS={robots} is not a whole number from 1 to 100\n"
    assert not (tmp_path / "venv").exists()


def test_core_is_removed_from_every_package(tmp_path: Path) -> None:
    packages = {Path(module).parts[0] for module in COMPILED(ROOT)}
    for package in PRODUCT:
        (tmp_path / package).mkdir()
    cores = [tmp_path / package / "module.so" for package in packages]
    for core in cores:
        core.touch()
    done = shell(f"root={tmp_path}\nremove_core", tmp_path)
    assert (done.stderr, [core for core in cores if core.exists()]) == ("", [])


def test_compiled_core_is_installed_as_a_whole_also_after_an_interruption(tmp_path: Path) -> None:
    names = ["thymio_base/compiled__mypyc.so", "fleet/geometry.so"]
    compiled = [tmp_path / "venv/build/core/lib" / name for name in names]
    for file in compiled:
        file.parent.mkdir(parents=True)
        file.touch()
    for package in PRODUCT:
        (tmp_path / package).mkdir()
    (tmp_path / names[1]).touch()  # what an interrupted installation left
    done = shell(f"root={tmp_path}\nmake_core && objects_whole", tmp_path / "venv", THYMIO_FLEET_COMPILED="yes")
    assert (done.returncode, done.stderr) == (0, "")
    assert [(tmp_path / name).samefile(file) for name, file in zip(names, compiled, strict=True)] == [True, True]


DEMO = """
. "$1/demo_functions.sh"
set_up() { echo "set up $1"; }
logs=$1; touch "$logs/background.log"
$work & compiler=$!
sleep 0.1
use_core
"""


@pytest.mark.parametrize(
    ("work", "said"),
    [
        ("sleep 60", "the core is still being compiled, in the background"),
        ("true", "set up core\nthe core is compiled"),
        ("false", "the core was not compiled"),
    ],
)
def test_demo_does_not_wait_for_the_compiler(tmp_path: Path, work: str, said: str) -> None:
    functions = (ROOT / "tools/demo.sh").read_text(encoding="utf-8").split("use_core() {")[1].split("\n}\n")[0]
    (tmp_path / "demo_functions.sh").write_text(f"use_core() {{{functions}\n}}\n", encoding="utf-8")
    done = shell(f"work='{work}'\n{DEMO}\nkill $compiler 2>/dev/null; true", tmp_path)
    assert said in done.stdout + done.stderr


def test_clean_removes_the_core_of_every_package() -> None:
    lines = (ROOT / "Makefile").read_text(encoding="utf-8").splitlines()
    removal = next(line for line in lines if "'*.so' -delete" in line)
    assert {Path(module).parts[0] for module in COMPILED(ROOT)} <= set(removal.split())
