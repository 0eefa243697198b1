"""The dashboard as a program, and a browser's requests to it."""

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any

from fleet.dashboard.access.roles import Role
from fleet.dashboard.model.pose_frames import HEADER, ROW
from thymio_base.ros.private_domain import reserve_free_port

DEADLINE_S = 60.0
_URL = re.compile(r"dashboard: (http://127\.0\.0\.1:[0-9]+/)\?key=(\S+)")


class RunningDashboard:
    """A dashboard in the ROS domain of the tests; it keeps its files in a folder of its own."""

    def __init__(self, folder: Path, *options: str) -> None:
        self._folder = folder
        self._log = folder / "dashboard.log"
        self._options = options
        self._environment = {**os.environ, "XDG_STATE_HOME": str(folder)}
        self.port = reserve_free_port()
        self.url = ""
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
        self.start()

    def start(self) -> None:
        """Start the program, and log in with the key that it prints unless its cookie is there already."""
        options = ["--port", str(self.port), "--role", "teacher", *self._options]
        command = [sys.executable, "-m", "fleet.commands.main", "dashboard", *options]
        with self._log.open("ab") as log:
            self.process = subprocess.Popen(command, env=self._environment, stdout=log, stderr=subprocess.STDOUT)
        count = len(_URL.findall(self.log()))
        self.wait_for(lambda: len(_URL.findall(self.log())) > count, "the address of the dashboard")
        is_new = not self.url
        self.url, key = _URL.findall(self.log())[-1]
        if is_new:
            self.post("key", {"key": key})

    def lasting_key(self, role: Role) -> str:
        """Return the key that opens the page in a role as often as one likes."""
        keys: dict[str, str] = json.loads((self._folder / "thymio_fleet" / "dashboard_keys.json").read_text())
        return keys[role.value]

    def log(self) -> str:
        return self._log.read_text() if self._log.exists() else ""

    def get(self, path: str) -> Any:
        with self.opener.open(f"{self.url}{path.removeprefix('/')}", timeout=DEADLINE_S) as answer:
            return json.load(answer)

    def ready(self) -> Any:
        """Return the answer of `/ready`, whose status agrees with it."""
        try:
            with self.opener.open(f"{self.url}ready", timeout=DEADLINE_S) as answer:
                status, found = answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            status, found = error.code, json.load(error)
        assert status == (200 if found["ready"] else 503), (status, found)
        return found

    def post(self, verb: str, body: Any) -> Any:
        """Post a command; return its answer, or the text of the error."""
        headers = {"Content-Type": "application/json", "X-Fleet": "1", "Origin": self.url.rstrip("/")}
        request = urllib.request.Request(f"{self.url}api/{verb}", data=json.dumps(body).encode(), headers=headers)
        try:
            with self.opener.open(request, timeout=DEADLINE_S) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            return str(json.load(error)["error"]["text"])

    def token(self) -> str:
        """Return a new token of a program."""
        command = [
            sys.executable,
            "-m",
            "fleet.commands.main",
            "dashboard",
            "token",
            "add",
            f"mes-{time.monotonic_ns()}",
        ]
        printed = subprocess.run(command, env=self._environment, capture_output=True, text=True, check=True).stdout
        return re.findall(r"tf_\S+", printed)[0]

    def ask(self, token: str, path: str, body: Any = None) -> tuple[int, Any]:
        """Return the status and the answer of the API for programs; with a body it is a POST."""
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.url}api/v1{path}", data=data, headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=DEADLINE_S) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)

    def section(self, name: str) -> dict[str, Any]:
        """Return a section of what pages show."""
        found: dict[str, Any] = self.get("/api/state").get(name, {})
        return found

    def poses(self) -> dict[int, tuple[float, float]]:
        """Return where robots are, in m, as pages got it last."""
        return self._last_rows()[0]

    def truths(self) -> dict[int, tuple[float, float]]:
        """Return where simulated robots truly are, in m, as pages got it last."""
        return self._last_rows()[1]

    def has_idle_robots(self, count: int) -> bool:
        """Whether that many robots are shown, all of them idle, and all of them can be sent."""
        robots = self.section("robots").values()
        return len(robots) == count and all(one["word"] == "idle" and "go_to" in one["can"] for one in robots)

    def command(self, verb: str, body: Any) -> dict[str, Any]:
        """Perform a command of one robot, or of the fleet, to its end; return it."""
        command_id = self.post(verb, body)["commands"][0]["id"]
        return self.ended(command_id)

    def ended(self, command_id: str) -> dict[str, Any]:
        """Wait for the end of a command; return it."""
        found: dict[str, Any] = {}

        def is_over() -> bool:
            found.update(self.get(f"/api/commands/{command_id}"))
            return found["ended_s"] is not None

        self.wait_for(is_over, f"the end of command {command_id}")
        return found

    def wait_for(self, condition: Callable[[], bool], what: str) -> None:
        deadline_s = time.monotonic() + DEADLINE_S
        while not condition():
            assert time.monotonic() < deadline_s, f"waited in vain for {what}\n{self.log()}"
            assert self.process.poll() is None, f"the dashboard ended while a test waited for {what}\n{self.log()}"
            time.sleep(0.05)

    def _last_rows(self) -> tuple[dict[int, tuple[float, float]], dict[int, tuple[float, float]]]:
        """Return the places in the rows of the last frame: estimates and truths."""
        path = f"{self.url}api/history?from_s=0&to_s=1e6&step_s=0"
        with self.opener.open(path, timeout=DEADLINE_S) as answer:
            frames = answer.read()
        poses: dict[int, tuple[float, float]] = {}
        truths: dict[int, tuple[float, float]] = {}
        end = 0
        while end < len(frames):
            _, _, pose_count, _, _, truth_count, _, _ = HEADER.unpack_from(frames, end)
            start, middle = end + HEADER.size, end + HEADER.size + pose_count * ROW.size
            end = middle + truth_count * ROW.size
            poses, truths = _places(frames[start:middle]), _places(frames[middle:end])
        return poses, truths

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def close(self, number: signal.Signals = signal.SIGINT) -> int:
        """End the program as Ctrl-C does, or with another signal; return its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.process.wait(DEADLINE_S)


def _places(rows: bytes) -> dict[int, tuple[float, float]]:
    return {row[0]: (row[3] * 1e-4, row[4] * 1e-4) for row in ROW.iter_unpack(rows)}


@contextmanager
def running_dashboard(folder: Path, *options: str) -> Iterator[RunningDashboard]:
    """Run a dashboard for a while."""
    dashboard = RunningDashboard(folder, *options)
    try:
        yield dashboard
    finally:
        dashboard.close()
