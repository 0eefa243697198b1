"""How the installed programs begin: Ctrl-C and settings of ROS that cannot work are answered before anything loads."""

import ast
import fcntl
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RUN = "import sys; from {module} import {function}; sys.argv[1:] = {arguments}; sys.exit({function}())"
ARGUMENTS = {"thymio-fleet": ["status", "--once"], "thymio_simulator": ["--world", str(ROOT / "config/world.yaml")]}
MIDDLEWARE = "RMW_IMPLEMENTATION is 'rmw_none_cpp', a middleware that this installation of ROS does not have"
DOMAIN = "ROS_DOMAIN_ID is '300': write a whole number from 0 to 232, or unset it\n"


def console_scripts() -> dict[str, str]:
    tree = ast.parse((ROOT / "setup.py").read_text(encoding="utf-8"))
    points = next(node.value for node in ast.walk(tree) if isinstance(node, ast.keyword) and node.arg == "entry_points")
    return dict(script.split(" = ") for script in ast.literal_eval(points)["console_scripts"])


SCRIPTS = console_scripts()


def command(script: str, *arguments: str) -> list[str]:
    module, _, function = SCRIPTS[script].partition(":")
    return [sys.executable, "-c", RUN.format(module=module, function=function, arguments=list(arguments))]


def run(script: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    variables = {**os.environ, **environment}
    arguments = command(script, *ARGUMENTS.get(script, []))
    return subprocess.run(arguments, env=variables, capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.parametrize("script", SCRIPTS)
def test_interrupt_while_a_program_loads_ends_it_without_a_traceback(script: str, tmp_path: Path) -> None:
    # a module that all programs load, and that is not needed to begin
    (tmp_path / "dataclasses.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n")
    done = run(script, PYTHONPATH=os.pathsep.join([str(tmp_path), *filter(None, sys.path)]))
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


@pytest.mark.parametrize("script", SCRIPTS)
def test_number_that_is_not_a_ros_domain_is_refused_in_a_sentence(script: str) -> None:
    done = run(script, ROS_DOMAIN_ID="300")
    assert (done.returncode, done.stdout, done.stderr) == (2, "", DOMAIN)


@pytest.mark.parametrize("script", ["multi_thymio_driver", "thymio-fleet"])
def test_middleware_that_is_not_installed_is_refused_in_a_sentence(script: str) -> None:
    done = run(script, RMW_IMPLEMENTATION="rmw_none_cpp")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith(MIDDLEWARE)


@pytest.mark.parametrize(
    ("script", "arguments"),
    [
        ("thymio-fleet", ["check", "config/fleet.yaml", "--world", "config/world.yaml"]),
        ("thymio-fleet", ["--help"]),
        ("thymio_simulator", ["--no-ros", "--world", "config/world.yaml", "--port", "0"]),
        ("rbc", ["--help"]),
    ],
    ids=str,
)
def test_program_whose_output_is_not_read_ends_without_a_traceback(script: str, arguments: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        program = command(script, *arguments)
        done = subprocess.run(
            program, stdout=writing, stderr=subprocess.PIPE, text=True, cwd=ROOT, check=False, timeout=60
        )
    finally:
        os.close(writing)
    assert (done.returncode in (0, 141), done.stderr) == (True, "")  # 0 where argparse prints


@pytest.mark.slow
@pytest.mark.parametrize(("script", "option"), [("thymio_simulator", "--world"), ("rbc", "--urdf")])
def test_interrupt_while_a_program_reads_its_files_ends_it_without_a_traceback(script: str, option: str) -> None:
    reading, writing = os.pipe()
    file = f"/dev/fd/{reading}"  # as a shell's <(command)
    with subprocess.Popen(
        command(script, option, file), stderr=subprocess.PIPE, text=True, pass_fds=[reading]
    ) as program:
        os.close(reading)
        os.write(writing, b"#" * fcntl.fcntl(writing, fcntl.F_GETPIPE_SZ))  # as much as fits
        os.write(writing, b"#")  # which takes until the program reads
        program.send_signal(signal.SIGINT)
        os.close(writing)
        errors = program.communicate(timeout=60)[1]  # a signal just before the read is noticed after it
    assert (program.returncode, errors) == (130, "")
