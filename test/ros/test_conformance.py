"""The conformance kit on ROS: our driver, a correct server, wrong ones, and no server at all."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from command_line import run

from conformance.ros.ros_port import RosPort
from harness.broken import environment
from harness.ros.running_fleet import RunningFleet
from thymio_base.exit_code import ExitCode
from thymio_base.ros.private_domain import reserve_private_domain
from thymio_base.texts.json_text import read_json

REFERENCE = ("bench.conformance.reference_server", "--server")
UNLESS_BUSY = (ExitCode.DONE, ExitCode.INCONCLUSIVE)  # on a busy machine, times are not judged


@contextmanager
def server(*module: str) -> Iterator[None]:
    """Run a server in a domain of its own."""
    reserve_private_domain()
    with subprocess.Popen([sys.executable, "-m", *module], env=environment()) as process:
        try:
            yield
        finally:
            process.kill()


def conformance(
    folder: Path, *options: str, target: tuple[str, ...] = ("--namespace", "/factory/robot_1")
) -> tuple[int, list[dict[str, Any]]]:
    """Test robot 1, or an action; return the exit code and the cases of the report."""
    done = run("conformance", *target, "--yes", "--out", str(folder / "out"), *options)
    report = folder / "out" / "report.json"
    assert report.exists(), done
    cases: list[dict[str, Any]] = read_json(report.read_bytes())["cases"]
    return done.returncode, cases


def failed(cases: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(row["id"], row["actual"]) for row in cases if row["verdict"] in ("FAIL", "ERROR")]


def test_our_driver_conforms(fleet: RunningFleet, tmp_path: Path) -> None:
    code, cases = conformance(tmp_path, "--profile", "quick")
    assert failed(cases) == []
    assert code in UNLESS_BUSY


def test_a_correct_server_conforms(tmp_path: Path) -> None:
    with server(*REFERENCE, "ReferenceRobot"):
        code, cases = conformance(
            tmp_path, "--case", "A1", "A2", "A6", "A8", "E1", "F1", "F2", "F8", "F9", "G2", "G6", "G7"
        )
    assert failed(cases) == []
    assert code in UNLESS_BUSY


def test_a_wrong_server_does_not_conform(tmp_path: Path) -> None:
    with server(*REFERENCE, "CanceledSuccess"):
        code, cases = conformance(tmp_path, "--case", "G4", "F2")
    assert "F2" in dict(failed(cases)) or "G4" in dict(failed(cases)) or code == ExitCode.INCONCLUSIVE
    assert code in (ExitCode.FAILED, ExitCode.INCONCLUSIVE)


def test_an_action_server_of_rclpy_conforms(tmp_path: Path) -> None:
    goal = tmp_path / "goal.yaml"
    goal.write_text("task_id: any")
    target = ("--action", "/plain", "ricaip_interfaces/action/TaskGoHome")
    with server("harness.ros.plain_action_server"):
        code, cases = conformance(tmp_path, "--profile", "quick", "--strict", "--goal", str(goal), target=target)
    assert failed(cases) == []
    assert code in UNLESS_BUSY
    assert sum(row["verdict"] == "PASS" for row in cases) >= 10


def test_without_a_server_nothing_is_written(tmp_path: Path) -> None:
    reserve_private_domain()
    done = run("conformance", "--namespace", "/factory/robot_1", "--yes", "--out", str(tmp_path / "out"))
    assert done.returncode == ExitCode.USAGE
    assert "no server of" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_hook_ends_with_its_command_although_a_program_that_it_started_runs_on(tmp_path: Path) -> None:
    reserve_private_domain()
    file = tmp_path / "program"
    hooks = {"start": f"sleep 100 & echo $! > {file}", "stop": "echo not there >&2; exit 1"}
    port = RosPort({"namespace": "/factory/robot_1", "action": "", "hooks": hooks}, {}, {})
    try:
        assert port.run_hook("start")
        os.kill(int(file.read_text()), signal.SIGKILL)  # it still runs
        assert not port.run_hook("stop")
        assert port.recording.events[-1].body["problem"] == "not there\n"
    finally:
        port.close()
