import argparse
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from fleet.commands.processes import Processes, dashboard_command
from fleet.commands.programs import add_up, page_options


def wait_for(processes: Processes, condition: Callable[[], bool]) -> None:
    """Look after the processes until a condition holds."""
    deadline_s = time.monotonic() + 60.0
    while not condition():
        assert time.monotonic() < deadline_s
        assert processes.ended() == {}
        time.sleep(0.02)


def program(starts: Path, then: str, first: str = "") -> list[str]:
    """Return a program that does something first, notes that it was started, and then does something else."""
    code = f"import signal, sys, time\n{first}\nopen({str(starts)!r}, 'a').write('x')\n{then}"
    return [sys.executable, "-c", code]


def test_program_that_is_kept_is_started_again_and_given_up_at_last(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    starts = tmp_path / "starts"
    with Processes() as processes:
        processes.keep("page", program(starts, "sys.exit(3)"))
        wait_for(processes, lambda: starts.exists() and len(starts.read_text()) == 4)
        wait_for(processes, lambda: "continues without it" in capfd.readouterr().err)
        assert len(starts.read_text()) == 4


def test_first_death_is_reported_once(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    starts = tmp_path / "starts"
    with Processes() as processes:
        processes.keep("page", program(starts, "sys.exit(3)"))
        wait_for(processes, lambda: starts.exists() and len(starts.read_text()) == 3)
    assert capfd.readouterr().err == "the page ended with exit code 3; it is started again\n"


def test_program_that_was_asked_to_end_is_not_started_again(tmp_path: Path) -> None:
    starts = tmp_path / "starts"
    with Processes() as processes:
        processes.keep("page", program(starts, ""))
        wait_for(processes, starts.exists)
        deadline_s = time.monotonic() + 2.0
        while time.monotonic() < deadline_s:
            assert processes.ended() == {}
            time.sleep(0.02)
    assert starts.read_text() == "x"


def test_held_program_starts_when_released_and_again_after_a_death(tmp_path: Path) -> None:
    starts, loads = tmp_path / "starts", tmp_path / "loads"
    first = f"open({str(loads)!r}, 'a').write('x')\nassert sys.stdin.readline()"
    with Processes() as processes:
        processes.keep("page", program(starts, "sys.exit(3)", first), is_held=True)
        wait_for(processes, loads.exists)
        assert not starts.exists()
        processes.release()
        wait_for(processes, lambda: starts.exists() and len(starts.read_text()) == 2)
    assert loads.read_text() == "xx"


def test_held_program_ends_with_the_others(tmp_path: Path) -> None:
    starts, loads = tmp_path / "starts", tmp_path / "loads"
    with Processes() as processes:
        first = f"open({str(loads)!r}, 'a').write('x')\nsys.stdin.readline()"
        processes.keep("page", program(starts, "", first), is_held=True)
        wait_for(processes, loads.exists)
    assert not starts.exists()


def test_kept_programs_end_with_the_others(tmp_path: Path) -> None:
    starts, ends = tmp_path / "starts", tmp_path / "ends"
    first = f"signal.signal(signal.SIGTERM, lambda *_: sys.exit(open({str(ends)!r}, 'w').close()))"
    with Processes() as processes:
        processes.keep("page", program(starts, "time.sleep(60)", first))
        wait_for(processes, starts.exists)
    assert ends.exists()


@pytest.mark.skipif(shutil.which("setpriv") is None, reason="setpriv is a part of util-linux")
def test_children_end_with_a_parent_that_is_killed(tmp_path: Path) -> None:
    starts, ends = tmp_path / "starts", tmp_path / "ends"
    then = f"signal.signal(signal.SIGTERM, lambda *_: sys.exit(open({str(ends)!r}, 'w').close()))"
    child = program(starts, f"{then}\nopen({str(tmp_path / 'ready')!r}, 'w')\ntime.sleep(60)")
    code = f"from fleet.commands.processes import Processes\nProcesses().start('child', {child!r}).wait()"
    parent = subprocess.Popen([sys.executable, "-c", code])
    wait_until((tmp_path / "ready").exists)
    parent.kill()
    parent.wait()
    wait_until(ends.exists)


def wait_until(condition: Callable[[], bool]) -> None:
    deadline_s = time.monotonic() + 60.0
    while not condition():
        assert time.monotonic() < deadline_s
        time.sleep(0.02)


@pytest.mark.parametrize("end", ["os.kill(os.getpid(), 9)", "sys.exit(os.EX_SOFTWARE)"])
def test_needed_program_that_crashes_is_started_again(tmp_path: Path, end: str) -> None:
    starts = tmp_path / "starts"
    crash = f"import os\n{end} if os.path.getsize({str(starts)!r}) == 1 else time.sleep(60)"
    with Processes() as processes:
        processes.keep("driver", program(starts, crash), is_needed=True)
        wait_for(processes, lambda: starts.exists() and starts.read_text() == "xx")


def test_needed_program_that_ends_by_itself_is_reported(tmp_path: Path) -> None:
    with Processes() as processes:
        processes.keep("driver", program(tmp_path / "starts", "sys.exit(2)"), is_needed=True)
        wait_until(lambda: processes.ended() == {"driver": 2})


def test_up_passes_the_options_of_the_page_on() -> None:
    parser = argparse.ArgumentParser()
    add_up(parser)
    given = ["--port", "9000", "--host", "0.0.0.0", "--role", "viewer"]
    assert page_options(parser.parse_args([*given, "--open"])) == [*given, "--open"]
    assert page_options(parser.parse_args([])) == []
    command = dashboard_command(Path("fleet.yaml"), given)
    assert command[command.index("dashboard") :] == ["dashboard", "--config", "fleet.yaml", "--role", "teacher", *given]
