"""Two hosts on one machine: separate network namespaces, joined by a cable that can be pulled.

They have no access to this machine's network, and share no memory with each other or with other programs.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
_HOLD = "mount -t tmpfs tmpfs /dev/shm && hostname {name} && ip link set lo up && echo up && exec sleep infinity"
_OWN = ("--net", "--mount", "--uts")
_AS_USER = ("--user", "--map-root-user")


class Host:
    """One host: its programs have its network, its name and its shared memory."""

    def __init__(self, name: str, address: str, folder: Path, enter: list[str]) -> None:
        self.name = name
        self.address = address
        self._folder = folder
        self._processes: list[subprocess.Popen[bytes]] = []
        script = _HOLD.format(name=name)
        self._holder = subprocess.Popen(
            [*enter, "sh", "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert self._holder.stdout is not None
        self.is_up = self._holder.stdout.readline() == "up\n"

    @property
    def pid(self) -> int:
        """The process that holds the namespaces."""
        return self._holder.pid

    @property
    def enter(self) -> list[str]:
        """The prefix of a command on this host."""
        user = ["--user", "--preserve-credentials"]
        return ["nsenter", f"--target={self.pid}", *user, *_OWN, f"--wd={ROOT}", "--"]

    def run(self, *command: str, timeout_s: float = 120.0) -> subprocess.CompletedProcess[str]:
        """Run a command to its end."""
        return subprocess.run(
            [*self.enter, *command], env=_environment(), capture_output=True, text=True, timeout=timeout_s, check=False
        )

    def start(self, name: str, *command: str) -> subprocess.Popen[bytes]:
        """Start a program whose output goes to the log of the given name."""
        with self.log_path(name).open("ab") as log:
            process = subprocess.Popen(
                [*self.enter, *command], env=_environment(), stdout=log, stderr=subprocess.STDOUT
            )
        self._processes.append(process)
        return process

    def log(self, name: str) -> str:
        """Return the output of a program so far."""
        return self.log_path(name).read_text(encoding="utf-8")

    def log_path(self, name: str) -> Path:
        """Return the path of a program's log."""
        return self._folder / f"{self.name}_{name}.log"

    def close(self) -> None:
        """End all programs started here, and the host."""
        for process in reversed(self._processes):
            if process.poll() is None:
                process.send_signal(signal.SIGKILL)
            process.wait()
        self._holder.kill()
        self._holder.communicate()


class TwoHosts:
    """The hosts `left` and `right`, and the cable between them."""

    def __init__(self, folder: Path) -> None:
        missing = [tool for tool in ("ip", "nsenter", "unshare", "hostname") if shutil.which(tool) is None]
        if missing:
            pytest.skip(f"two hosts on one machine need {', '.join(missing)}")
        self.left = Host("left", "10.77.0.1", folder, ["unshare", *_AS_USER, *_OWN, "--"])
        if not self.left.is_up:
            self._skip([self.left])
        beside = ["nsenter", f"--target={self.left.pid}", "--user", "--preserve-credentials"]
        self.right = Host("right", "10.77.0.2", folder, [*beside, "unshare", *_OWN, "--"])
        wire = ["ip", "link", "add", "wire", "type", "veth", "peer", "name", "wire", "netns", str(self.right.pid)]
        if not self.right.is_up or self.left.run(*wire).returncode:
            self._skip([self.right, self.left])
        for host in (self.left, self.right):
            assert host.run("ip", "address", "add", f"{host.address}/24", "dev", "wire").returncode == 0
            self._plug(host)

    def pull_cable(self) -> None:
        """Block all traffic between the hosts."""
        assert self.left.run("ip", "link", "set", "wire", "down").returncode == 0

    def plug_cable(self) -> None:
        """Let all traffic pass again."""
        self._plug(self.left)

    def wait_for(self, what: str, is_so: Callable[[], bool], timeout_s: float = 120.0) -> None:
        """Wait until a condition holds; fail with `what` and all logs otherwise."""
        deadline = time.monotonic() + timeout_s
        while not is_so():
            assert time.monotonic() < deadline, f"waited {timeout_s:g} s in vain for {what}\n{self.logs()}"
            time.sleep(0.1)

    def logs(self) -> str:
        """Return the output of every program, and what observers have seen last."""
        folder = self.left.log_path("").parent
        output = [f"--- {path.name}\n{path.read_text()[-6000:]}" for path in sorted(folder.glob("*.log"))]
        seen = [f"--- {path.name}\n{path.read_text().splitlines()[-1:]}" for path in sorted(folder.glob("*_seen"))]
        return "\n".join([*output, *seen])

    def close(self) -> None:
        """End everything."""
        self.right.close()
        self.left.close()

    def _plug(self, host: Host) -> None:
        for command in ("ip link set wire up", "ip route replace 224.0.0.0/4 dev wire"):
            assert host.run(*command.split()).returncode == 0

    def _skip(self, hosts: list[Host]) -> None:
        for host in hosts:
            host.close()
        pytest.skip("this kernel does not let us have network namespaces, or virtual cables between them")


def python(*arguments: str) -> tuple[str, ...]:
    """Return the command that runs Python as the tests run."""
    return (sys.executable, *arguments)


def _environment() -> dict[str, str]:
    profile = str(ROOT / "config/fastdds_hosts.xml")
    profiles = {"FASTRTPS_DEFAULT_PROFILES_FILE": profile, "FASTDDS_DEFAULT_PROFILES_FILE": profile}
    return {**os.environ, **profiles, "ROS_AUTOMATIC_DISCOVERY_RANGE": "SUBNET"}
