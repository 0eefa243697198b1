"""Starts the simulator and the driver as child processes, and makes sure that they end."""

import signal
import subprocess
import sys
import sysconfig
import time
from pathlib import Path
from types import TracebackType
from typing import IO

_ENDING_S = 3.0  # the driver takes at most 2 s to end its goals
_POLL_S = 0.1


def simulator_command(world: Path) -> list[str]:
    """Return the command that runs the simulator with a world file."""
    return [sys.executable, "-m", "simulator", "--world", str(world)]


def driver_command(config: Path) -> list[str]:
    """Return the command that runs the driver with a configuration."""
    return [sys.executable, "-m", "fleet.ros.driver_node", "--config", str(config)]


def discovery_server_command(address: str, port: int) -> list[str]:
    """Return the command that runs Fast DDS's discovery server, from the wheels or a ROS installation."""
    program = Path(sys.prefix) / "bin" / "fast-discovery-server"
    where = ["-i", "0", "-l", address, "-p", str(port)]
    if not program.exists():
        return ["fastdds", "discovery", *where]
    folders = [Path(sys.prefix) / "lib", *Path(sysconfig.get_path("purelib")).glob("ros_*.libs")]
    libraries = ":".join(map(str, folders))  # the program from the wheels does not find them by itself
    return ["env", f"LD_LIBRARY_PATH={libraries}", str(program), *where]


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
        """Start a child; its output goes to `output`, or to ours. Ctrl-C reaches it only through us."""
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
