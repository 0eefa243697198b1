"""Starts the simulator and the driver as processes of their own, and sees to it that they end."""

import os
import signal
import subprocess
import sys
import sysconfig
import time
from pathlib import Path
from types import TracebackType
from typing import IO

from ament_index_python.packages import get_package_share_directory

_ENDING_S = 3.0  # the driver takes at most 2 s to end its goals
_POLL_S = 0.1
_PROFILE_VARIABLES = ("FASTRTPS_DEFAULT_PROFILES_FILE", "FASTDDS_DEFAULT_PROFILES_FILE")  # of Jazzy, of Kilted


def simulator_command(world: Path) -> list[str]:
    """Return the command that runs the simulator, in the world of a file."""
    return [sys.executable, "-m", "simulator", "--world", str(world)]


def driver_command(config: Path) -> list[str]:
    """Return the command that runs the driver with a configuration."""
    return [sys.executable, "-m", "fleet.node", "--config", str(config)]


def discovery_server_command(address: str, port: int) -> list[str]:
    """Return the command that runs Fast DDS's discovery server, of the wheels or of a ROS installation."""
    program = Path(sys.prefix) / "bin" / "fast-discovery-server"
    where = ["-i", "0", "-l", address, "-p", str(port)]
    if not program.exists():
        return ["fastdds", "discovery", *where]
    folders = [Path(sys.prefix) / "lib", *Path(sysconfig.get_path("purelib")).glob("ros_*.libs")]
    libraries = ":".join(map(str, folders))  # which the program of the wheels does not find by itself
    return ["env", f"LD_LIBRARY_PATH={libraries}", str(program), *where]


def shipped_file(name: str, folder: str = "config") -> Path:
    """Return a file of one of the shipped folders: of the source tree, or of the installed package."""
    source = Path(__file__).parent.parent / folder / name
    return source if source.exists() else Path(get_package_share_directory("thymio_fleet")) / folder / name


def use_shipped_profile() -> None:
    """Let Fast DDS find others soon, unless the user has a profile; call it before ROS begins."""
    for variable in _PROFILE_VARIABLES:
        os.environ.setdefault(variable, str(shipped_file("fastdds.xml")))


class Processes:
    """Child processes that live no longer than this context."""

    def __init__(self) -> None:
        self._children: dict[str, subprocess.Popen[bytes]] = {}

    def __enter__(self) -> "Processes":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def start(self, name: str, command: list[str], output: IO[bytes] | None = None) -> subprocess.Popen[bytes]:
        """Start a child; its output goes to `output`, or to ours. Ctrl-C reaches it through us alone."""
        child = subprocess.Popen(
            command, stdout=output, stderr=subprocess.STDOUT if output else None, start_new_session=True
        )
        self._children[name] = child
        return child

    def ended(self) -> dict[str, int]:
        """Return the exit codes of the children that have ended."""
        codes = {name: child.poll() for name, child in self._children.items()}
        return {name: code for name, code in codes.items() if code is not None}

    def wait(self) -> int:
        """Wait until a child ends, or for Ctrl-C; return the child's exit code, or 0."""
        try:
            while not self.ended():
                time.sleep(_POLL_S)
        except KeyboardInterrupt:
            return 0
        name, code = next(iter(self.ended().items()))
        print(f"the {name} ended with exit code {code}", file=sys.stderr)
        return code or 1

    def stop(self) -> None:
        """End the children, the last one first; those that do not end in time are killed."""
        for child in reversed(self._children.values()):
            if child.poll() is None:
                child.send_signal(signal.SIGINT)
            try:
                child.wait(_ENDING_S)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
