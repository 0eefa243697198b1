"""Runs Debian's mosquitto on a port of its own, on loopback."""

import socket
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from thymio_base.ros.private_domain import reserve_free_port

_DEADLINE_S: Final = 120.0
_PLACES: Final = ("/usr/sbin/mosquitto", "/usr/local/sbin/mosquitto", "/usr/bin/mosquitto")


class Broker:
    """A broker that can be started, killed and restarted.

    Parameters
    ----------
    folder : folder of its settings and log
    settings : further lines of its settings; by default, anyone may connect
    """

    def __init__(self, folder: Path, settings: Sequence[str] = ("allow_anonymous true",)) -> None:
        self.port: Final = reserve_free_port()
        self._log: Final = folder / "mosquitto.log"
        self._settings: Final = folder / "mosquitto.conf"
        lines = (f"listener {self.port} 127.0.0.1", "user root", *settings, "")  # root's broker must read root's files
        self._settings.write_text("\n".join(lines), encoding="utf-8")
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def log(self) -> str:
        """The output of the broker."""
        return self._log.read_text(encoding="utf-8")

    def start(self) -> None:
        """Start the broker, and wait until it listens.

        Raises
        ------
        RuntimeError
            The broker ends, or does not listen.
        """
        program = next(path for path in _PLACES if Path(path).exists())
        with self._log.open("ab") as log:
            self._process = subprocess.Popen([program, "-c", str(self._settings)], stdout=log, stderr=log)
        deadline_s = time.monotonic() + _DEADLINE_S
        while not self._listens():
            if self._process.poll() is not None or time.monotonic() > deadline_s:
                raise RuntimeError(f"mosquitto does not listen: {self.log}")

    def stop(self, *, is_killed: bool = False) -> None:
        """Shut the broker down, or kill it."""
        if self._process is not None:
            (self._process.kill if is_killed else self._process.terminate)()
            self._process.wait()

    def _listens(self) -> bool:
        with socket.socket() as probe:
            probe.settimeout(1.0)
            return probe.connect_ex(("127.0.0.1", self.port)) == 0
