"""A temporary private PostgreSQL server, in a folder of its own, on a socket and a free port."""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from thymio_base.ros.private_domain import reserve_free_port

_USER: Final = "postgres"  # Debian's; the server refuses to run as root
_READY_S: Final = 30.0


def server_programs() -> Path | None:
    """Return the folder of the newest installed server, None if there is none."""
    found = [path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/postgres")]
    on_path = shutil.which("postgres")
    newest = max(found, key=lambda folder: int(folder.parent.name), default=None)
    return newest or (Path(on_path).parent if on_path else None)


class PrivatePostgresql:
    """The server, for the lifetime of the context."""

    def __init__(self) -> None:
        programs = server_programs()
        if programs is None:
            raise RuntimeError("no PostgreSQL server is installed: apt-get install postgresql")
        self._programs: Final = programs
        self._folder: Final = Path(tempfile.mkdtemp(prefix="postgresql-"))
        self._data: Final = self._folder / "data"
        self.port: Final = reserve_free_port()
        self._process: subprocess.Popen[bytes] | None = None
        self._account: Final = pwd.getpwnam(_USER) if os.geteuid() == 0 else None
        if self._account is not None:
            os.chown(self._folder, self._account.pw_uid, self._account.pw_gid)
        self._run("initdb", "--pgdata", str(self._data), "--auth", "trust", "--username", "fleet", "--no-sync")

    @property
    def source(self) -> str:
        """The data source of its database, as in fleet.yaml."""
        return f"postgresql:host=127.0.0.1 port={self.port} user=fleet dbname=postgres"

    def __enter__(self) -> "PrivatePostgresql":
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        shutil.rmtree(self._folder)

    def start(self) -> None:
        """Start the server, and wait until it answers."""
        setpriv = shutil.which("setpriv")  # ends the server when this program ends
        ended_with_us = [setpriv, "--pdeathsig", "INT", "--"] if setpriv else []
        command = [
            *ended_with_us,
            self._program("postgres"),
            "-D",
            str(self._data),
            "-p",
            str(self.port),
            "-k",
            str(self._folder),
        ]
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [*command, "-c", "fsync=off", "-c", "listen_addresses=127.0.0.1"],
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=self._folder,
                start_new_session=True,
                **self._as_user(),
            )
        deadline_s = time.monotonic() + _READY_S
        check = [self._program("pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        while subprocess.run(check, check=False).returncode:
            if time.monotonic() > deadline_s or self._process.poll() is not None:
                raise RuntimeError(f"the server does not start: {(self._folder / 'log').read_text()}")
            time.sleep(0.05)

    def stop(self) -> None:
        """End the server at once, as if the power failed."""
        if self._process is None:
            return
        self.resume()
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._process = None

    def pause(self) -> None:
        """Suspend all its processes: connections stay open, without answers."""
        for pid in self._pids():
            os.kill(pid, signal.SIGSTOP)

    def resume(self) -> None:
        """Resume all its processes."""
        for pid in self._pids():
            os.kill(pid, signal.SIGCONT)

    def _pids(self) -> list[int]:
        """Return the server's process ids; its children have sessions of their own."""
        if self._process is None:
            return []
        children = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children").read_text()
        return [self._process.pid, *map(int, children.split())]

    def _program(self, name: str) -> str:
        return str(self._programs / name)

    def _run(self, name: str, *arguments: str) -> None:
        command = [self._program(name), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=self._folder, **self._as_user())
        if done.returncode:
            raise RuntimeError(f"{name} failed: {done.stderr}")

    def _as_user(self) -> dict[str, Any]:
        account = self._account
        return {} if account is None else {"user": account.pw_uid, "group": account.pw_gid}
