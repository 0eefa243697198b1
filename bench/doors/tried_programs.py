"""Runs the programs whose doors are tried, in a folder of their own; a program that ends is restarted."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import yaml

from fleet.commands.demo.generated_fleet import write_files
from fleet.commands.processes import dashboard_command, driver_command, simulator_command
from thymio_base.fence import RECORD_VARIABLE
from thymio_base.ros.private_domain import reserve_free_port
from thymio_base.shipped_files import shipped_file

_ROBOTS: Final = 4
_LOG_TAIL: Final = 6000  # characters of a dead program's log to show
_ENDING_S: Final = 5.0
_BODY: Final = "arm.urdf"
BODY: Final = Path(__file__).parents[2] / "examples" / "bodies" / _BODY


class TriedPrograms:
    """All programs of a fleet, a body and a bridge.

    Parameters
    ----------
    folder : folder for files and logs
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.robots = _ROBOTS
        self.switch_port = reserve_free_port()
        self.page_port = reserve_free_port()
        self.hostile_ports = (reserve_free_port(), reserve_free_port())
        self.config, self.world = write_files(folder, _ROBOTS)
        self.link_port = _port(self.world)
        bridged = folder / "bridged"
        bridged.mkdir()
        _, self.bridged_world = write_files(bridged, 2)
        targets = [_target(self.link_port), _target(self.hostile_ports[0])]
        _extend(self.config, _fleet_settings(self.switch_port, targets))
        self._commands = self._all_commands()
        self._children: dict[str, subprocess.Popen[bytes]] = {}
        self._log_starts = dict.fromkeys(self._commands, 0)

    def __enter__(self) -> "TriedPrograms":
        for name in self._commands:
            self._start(name)
        return self

    def __exit__(self, *_: object) -> None:
        for child in reversed(self._children.values()):
            child.terminate()
        for child in self._children.values():
            try:
                child.wait(_ENDING_S)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()

    @property
    def names(self) -> list[str]:
        """Names of the programs."""
        return list(self._commands)

    def deaths(self) -> Iterator[tuple[str, str]]:
        """Yield name and last output of each program that has ended since the last call; start it again."""
        for name, child in list(self._children.items()):
            code = child.poll()
            if code is not None:
                yield name, f"exit code {code}\n{_end(self.log(name))}"
                self._start(name)

    def has_ended(self) -> bool:
        """Whether a program has ended."""
        return any(child.poll() is not None for child in self._children.values())

    def log(self, name: str) -> str:
        """Return what a program has printed since its last start."""
        return self._log_path(name).read_bytes()[self._log_starts[name] :].decode(errors="replace")

    def fence_record(self, name: str) -> str:
        """Return the record of exceptions that a program's fence has caught."""
        path = self._fence_path(name)
        return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""

    def _start(self, name: str) -> None:
        environment = {
            **os.environ,
            "XDG_STATE_HOME": str(self.folder),
            "PYTHONUNBUFFERED": "1",
            "PYTHONFAULTHANDLER": "1",
            RECORD_VARIABLE: str(self._fence_path(name)),
        }
        with self._log_path(name).open("ab") as log:
            self._log_starts[name] = log.tell()
            self._children[name] = subprocess.Popen(
                self._commands[name], stdout=log, stderr=subprocess.STDOUT, env=environment, start_new_session=True
            )

    def _fence_path(self, name: str) -> Path:
        return self.folder / f"{name}.fence"

    def _log_path(self, name: str) -> Path:
        return self.folder / f"{name}.log"

    def _all_commands(self) -> dict[str, list[str]]:
        run = [sys.executable, "-m"]
        targets = [_target(_port(self.bridged_world)), _target(self.hostile_ports[1])]
        script = shipped_file("thymio.aesl", "aseba_link/thymio")
        parameters = {
            "targets": str(targets),
            "port": str(reserve_free_port()),
            "script.path": str(script),
            "nodes.thymio.name": "thymio-II",
            "nodes.thymio.prefix": "thymio_",
        }
        bridge = [one for key, value in parameters.items() for one in ("-p", f"{key}:={value}")]
        return {
            "simulator": simulator_command(self.world),
            "bridged simulator": [*simulator_command(self.bridged_world), "--no-ros"],
            "driver": driver_command(self.config),
            "dashboard": [*dashboard_command(self.config), "--port", str(self.page_port)],
            "bridge": [*run, "aseba_link.ros.asebaros", "--ros-args", "-r", "__ns:=/bridged", *bridge],
            "arm": [*run, "body.ros.arm_program", "--urdf", str(BODY)],
            "coupler": [*run, "body.ros.rbc_program", "--urdf", str(BODY), "--in-process"],
        }


def _fleet_settings(switch_port: int, targets: list[str]) -> dict[str, Any]:
    """Return the settings with which every door of the driver is open."""
    publish: tuple[str, ...] = (
        "odom",
        "tf",
        "joint_states",
        "imu",
        "ground",
        "proximity",
        "laser",
        "buttons",
        "joy",
        "tap",
    )
    publish += ("temperature", "sound", "remote", "comm", "battery", "description")
    accept = ("cmd_vel", "led", "sound", "comm", "shutdown")
    return {
        "link": {"targets": targets, "switch_port": switch_port, "bridge": True},
        "dispatch": {"enabled": True},
        "stations": [
            {"name": "A", "pose": {"x_m": 1.6, "y_m": 1.6, "heading_rad": 0.0}, "role": "load"},
            {"name": "B", "pose": {"x_m": 2.6, "y_m": 1.6, "heading_rad": 1.0}, "role": "unload"},
            {"name": "C", "pose": {"x_m": 1.1, "y_m": 1.1, "heading_rad": 1.0}, "role": "charge"},
        ],
        "driver": {"publish": dict.fromkeys(publish, True), "accept": dict.fromkeys(accept, True)},
    }


def _extend(path: Path, further: dict[str, Any]) -> None:
    """Add settings to a file; sections are merged."""
    values = yaml.safe_load(path.read_text(encoding="utf-8"))
    for key, value in further.items():
        values[key] = {**values.get(key, {}), **value} if isinstance(value, dict) else value
    path.write_text(yaml.safe_dump(values, sort_keys=False), encoding="utf-8")


def _end(log: str) -> str:
    """Return the end of a log, from its last traceback on."""
    start = log.rfind("Traceback (most recent call last)")
    return log[max(start, 0) :][-_LOG_TAIL:]


def _target(port: int) -> str:
    return f"tcp:host=127.0.0.1;port={port}"


def _port(world: Path) -> int:
    return int(yaml.safe_load(world.read_text(encoding="utf-8"))["network"]["port"])
