"""Measures what a new user waits for: python -m bench.first_hour [--json].

Clones the repository into an empty folder, with an empty home and empty caches, runs `make demo` twice, and times
commands beside a running fleet. Packages come from the network, so that the connection counts.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.instruments.printed_rows import options_of, print_rows
from bench.instruments.set_up_output import SetUpOutput
from fleet.commands.demo.generated_fleet import write_files
from thymio_base.ros.private_domain import reserve_private_domain

ROOT = Path(__file__).parents[1]
RUNS = 5  # of each command; the median counts
ROBOTS = 8
READY_S = 120.0  # longest time until the fleet of the timed commands is there
_OURS = {  # what our own environment sets, and must not reach that of the clone
    "AMENT_PREFIX_PATH",
    "CMAKE_PREFIX_PATH",
    "LD_LIBRARY_PATH",
    "PYTHON",
    "PYTHONPATH",
    "ROS_DOMAIN_ID",
    "_ROS_WHEELS_BOOTSTRAP_COMPLETE",
}
_IMPORTS = """
import sys
from fleet.commands.main import main
try:
    main(["status", "--help"])
except SystemExit:
    sys.exit(3 if "matplotlib" in sys.modules else 0)
"""


@dataclass(frozen=True, slots=True)
class FirstHour:
    """What a new user waits for.

    Parameters
    ----------
    clone_to_pose_s : from `git clone` to the first pose of a robot in `make demo`
    stages : duration of each stage in s, as set-up prints them
    second_start_s : from the second `make demo` to the start of the demo itself
    help_s, status_once_s : duration of the commands, beside a running fleet
    stop_s : from the start of `thymio-fleet stop` to the line with which the driver's confirmation is printed; then
        the command still looks for drivers of other hosts
    loads_matplotlib : whether a command line that draws nothing imports matplotlib
    """

    clone_to_pose_s: float
    stages: Mapping[str, float]
    second_start_s: float
    help_s: float
    stop_s: float
    status_once_s: float
    loads_matplotlib: bool


def main() -> int:
    """Measure and print."""
    parser = options_of(__doc__)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="first-hour-") as folder:
        measured = measure(Path(folder))
    print_rows([measured], as_json=options.json)
    return 0


def measure(folder: Path) -> FirstHour:
    """Measure in an empty folder.

    Raises
    ------
    subprocess.CalledProcessError
        A program failed; its output has been printed.
    """
    environment, clone = empty_environment(folder), folder / "clone"
    started_s = time.monotonic()
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
    cloned_s = time.monotonic()
    first = run_demo(clone, environment, started_s)
    second = run_demo(clone, environment, time.monotonic())
    with running_fleet(clone, environment, folder):
        return FirstHour(
            clone_to_pose_s=first.first_pose_s,
            stages={"clone": cloned_s - started_s, **first.stages},
            second_start_s=second.demo_start_s,
            help_s=median_s(clone, environment, "--help"),
            stop_s=statistics.median(_confirmed_s(clone, environment) for _ in range(RUNS)),
            status_once_s=median_s(clone, environment, "status", "--once"),
            loads_matplotlib=_loads_matplotlib(clone, environment),
        )


def empty_environment(folder: Path) -> dict[str, str]:
    """Return our environment with an empty home and empty caches, without settings of set-up."""
    kept = {name: value for name, value in os.environ.items() if name not in _OURS}
    places = {name: str(folder / name.lower()) for name in ("HOME", "PIP_CACHE_DIR", "UV_CACHE_DIR")}
    for place in places.values():
        Path(place).mkdir()
    pyenv = {"PYENV_ROOT": str(Path.home() / ".pyenv")}  # an interpreter in the real home is still found
    return pyenv | {name: value for name, value in kept.items() if not name.startswith("THYMIO_FLEET_")} | places


def run_demo(clone: Path, environment: Mapping[str, str], started_s: float) -> SetUpOutput:
    """Run `make demo`; return when it printed what, since an instant of the monotonic clock."""
    command = ["make", "demo", f"ROBOTS={ROBOTS}"]
    read = SetUpOutput()
    with subprocess.Popen(command, cwd=clone, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            print(line, end="", file=sys.stderr)
            read.take(line, time.monotonic() - started_s)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return read


@contextmanager
def running_fleet(clone: Path, environment: dict[str, str], folder: Path) -> Iterator[None]:
    """Run simulator and driver on a private domain and port, which `environment` then names."""
    reserve_private_domain()
    environment["ROS_DOMAIN_ID"] = os.environ["ROS_DOMAIN_ID"]
    environment["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
    config, world = write_files(folder, ROBOTS)
    command = [*thymio_fleet(clone), "up", "--config", str(config), "--world", str(world)]
    with (folder / "up.log").open("wb") as log:
        process = subprocess.Popen(command, cwd=clone, env=environment, stdout=log, stderr=subprocess.STDOUT)
        try:
            _wait_until_ready(clone, environment)
            yield
        finally:
            process.terminate()
            process.wait()


def _wait_until_ready(clone: Path, environment: Mapping[str, str]) -> None:
    """Wait until the fleet can be stopped.

    Raises
    ------
    TimeoutError
        It was not there in time.
    """
    deadline_s = time.monotonic() + READY_S
    command = [*thymio_fleet(clone), "stop"]
    while subprocess.run(command, cwd=clone, env=environment, capture_output=True, check=False).returncode:
        if time.monotonic() > deadline_s:
            raise TimeoutError(f"`thymio-fleet stop` found no fleet for {READY_S:g} s")


def median_s(clone: Path, environment: Mapping[str, str], *arguments: str) -> float:
    """Return the median duration of a command."""
    return statistics.median(_duration_s(clone, environment, arguments) for _ in range(RUNS))


def _duration_s(clone: Path, environment: Mapping[str, str], arguments: tuple[str, ...]) -> float:
    started_s = time.monotonic()
    command = [*thymio_fleet(clone), *arguments]
    subprocess.run(command, cwd=clone, env=environment, stdout=subprocess.DEVNULL, check=True)
    return time.monotonic() - started_s


def _confirmed_s(clone: Path, environment: Mapping[str, str]) -> float:
    """Return how long `stop` takes until a driver's confirmation is printed.

    Raises
    ------
    RuntimeError
        No driver has confirmed.
    """
    started_s = time.monotonic()
    command = [*thymio_fleet(clone), "stop"]
    with subprocess.Popen(command, cwd=clone, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        printed = {line: time.monotonic() - started_s for line in process.stdout}
    confirmed = [seconds for line, seconds in printed.items() if "confirmed by" in line]
    if not confirmed:
        raise RuntimeError(f"`thymio-fleet stop` printed no confirmation, but: {''.join(printed)!r}")
    return confirmed[0]


def _loads_matplotlib(clone: Path, environment: Mapping[str, str]) -> bool:
    command = [str(clone / ".venv/bin/python"), "-c", _IMPORTS]
    return subprocess.run(command, cwd=clone, env=environment, stdout=subprocess.DEVNULL, check=False).returncode == 3


def thymio_fleet(clone: Path) -> list[str]:
    """Return the command of a clone."""
    return [str(clone / ".venv/bin/thymio-fleet")]


if __name__ == "__main__":
    sys.exit(main())
