"""Commands load only the libraries that they use; this decides how fast they start."""

import os
import subprocess
import sys

import pytest

_PROGRAM = """
import contextlib, io, sys
before = set(sys.modules)
with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
    {statement}
loaded = {{name.partition(".")[0] for name in set(sys.modules) - before}}
print(*sorted(name for name in loaded if name not in sys.stdlib_module_names and not name.startswith("_")))
"""
OURS = {"fleet", "thymio_base"}
RCLPY = {
    "ament_index_python",
    "builtin_interfaces",
    "cython_runtime",  # of yaml
    "rcl_interfaces",
    "rclpy",
    "rosgraph_msgs",
    "rosidl_parser",
    "rpyutils",
    "type_description_interfaces",
    "typing_extensions",
    "yaml",
}
STOP = RCLPY | {"std_srvs", "thymio_fleet_interfaces"}
# The compiled fleet loads the compiled part of aseba_link, whose types it uses.
MESSAGES = STOP | {
    "action_msgs",
    "aseba_link",
    "diagnostic_msgs",
    "geometry_msgs",
    "numpy",
    "ricaip_interfaces",
    "std_msgs",
}

# the page answers before ROS is loaded
HTTP = {"aiohttp", "aiohappyeyeballs", "aiosignal", "attr", "attrs", "frozenlist", "idna", "multidict", "propcache"}
HTTP |= {"cython_runtime", "typing_extensions", "yarl"}


def loaded_by(statement: str) -> set[str]:
    """Return the packages, other than the standard library's, that a statement loads in a new process."""
    command = [sys.executable, "-c", _PROGRAM.format(statement=statement)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=60)
    return set(done.stdout.split())


@pytest.mark.parametrize(
    ("statement", "allowed"),
    [
        ("from fleet.commands.main import main; main(['--help'])", {"ament_index_python"}),
        ("from fleet.commands.main import main; main(['--version'])", {"ament_index_python"}),
        ("import fleet.commands.stop", STOP),
        ("import fleet.client.fleet_client", MESSAGES),
        ("import fleet.commands.status", {"aseba_link", "ament_index_python", "rich"}),
        ("import fleet.commands.tasks.goals", MESSAGES | {"rich"}),
        ("import fleet.commands.dashboard_command", {"aseba_link", "ament_index_python", *HTTP}),
    ],
    ids=["help", "version", "stop", "client", "status", "goals", "dashboard"],
)
def test_command_loads_no_package_that_it_does_not_need(statement: str, allowed: set[str]) -> None:
    assert loaded_by(statement) - OURS - allowed == set()
