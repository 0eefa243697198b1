"""The launch files, with any pytest: pytest 9 cannot load launch_testing's plugin, so `launch_test` runs beside it."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

DEADLINE_S = 300.0
LAUNCH_TEST = Path(__file__).with_name("fleet_simulation.py")


def test_simulator_and_driver_start_together_serve_robots_and_exit_with_0() -> None:
    if importlib.util.find_spec("launch_testing") is None:
        pytest.skip("launch_testing comes with a ROS installation only")
    command = [sys.executable, "-m", "launch_testing.launch_test", str(LAUNCH_TEST)]
    ended = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=DEADLINE_S, check=False
    )
    assert ended.returncode == 0, ended.stdout
