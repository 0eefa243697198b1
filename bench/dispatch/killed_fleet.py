"""A fleet with jobs whose drivers can be killed: simulators, drivers that share a book, and a client that watches."""

import time
from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from subprocess import Popen
from typing import Final

import yaml

from fleet.client.fleet_client import FleetClient
from fleet.client.job_client import JobClient
from fleet.commands.processes import Processes, driver_command, simulator_command
from fleet.dispatch.job_report import JobReport
from fleet.geometry import Pose2D
from fleet.interface.job_messages import job_state_from_ros
from fleet.reason import Reason
from fleet.tasks.task_report import LegKind
from thymio_base.ros.private_domain import reserve_free_port

_DEADLINE_S: Final = 120.0
_ROBOTS_OF_A_DRIVER: Final = 2
_ARENA_M: Final = (3.0, 2.0)
_STATIONS: Final = {f"s{number}": Pose2D(0.4 + 0.55 * number, 1.6, 0.0) for number in range(5)}
_OBSERVED_S: Final = 1.5  # how long robots are watched after a kill
_SAME_M: Final = 1e-9


class KilledFleet:
    """Drivers with two robots each on a shared floor; each has a simulator of its own, and all share one book.

    Parameters
    ----------
    folder : folder for all files
    processes : owns the programs
    drivers : number of drivers
    book : as in fleet.yaml

    Attributes
    ----------
    handled : how often loading and unloading started, for each job
    """

    def __init__(self, folder: Path, processes: Processes, drivers: int, book: str) -> None:
        self._folder: Final = folder
        self._processes: Final = processes
        self._book: Final = book
        self.robot_ids: Final = list(range(1, 1 + drivers * _ROBOTS_OF_A_DRIVER))
        self._drivers: Final[dict[str, Popen[bytes]]] = {}
        self._poses: Final[dict[int, list[tuple[float, Pose2D]]]] = {robot_id: [] for robot_id in self.robot_ids}
        self._seen: Final[set[tuple[str, str]]] = set()
        self.handled: Final[Counter[tuple[str, str]]] = Counter()
        self.started: Final[set[str]] = set()  # ids of tasks that a robot has performed
        self.client: Final = FleetClient()
        self.jobs: Final = JobClient(self.client.graph)
        self.jobs.watch()
        for number in range(drivers):
            self._write(number)
            self._start("simulator", number)
            self.start_driver(number)
        for robot_id in self.robot_ids:
            self.client.watch_task(robot_id)
            self.client.watch_pose(f"/mocap/thymio_{robot_id}/pose", partial(self._note_pose, robot_id))

    def start_driver(self, number: int) -> None:
        """Start a driver."""
        self._drivers[f"host-{number}"] = self._start("driver", number)

    @property
    def active_host(self) -> str:
        """The host of the driver that assigns jobs, by its latest message."""
        return "" if self.jobs.latest is None else self.jobs.latest.host

    def kill(self, host: str) -> float:
        """Kill the driver of a host; return the time, on the monotonic clock."""
        driver = self._drivers[host]
        driver.kill()
        killed_s = time.monotonic()
        driver.wait()
        return killed_s

    def spin_until(self, condition: Callable[[], bool], what: str, timeout_s: float = _DEADLINE_S) -> None:
        """Watch until a condition holds.

        Raises
        ------
        RuntimeError
            It does not hold in time.
        """
        if not self.client.spin_until(lambda: self._watch() or condition(), timeout_s):
            raise RuntimeError(f"waited {timeout_s:g} s in vain for {what}")

    def spin(self, duration_s: float) -> None:
        """Watch for a while."""
        self.client.spin_until(self._watch, duration_s)

    def stood_after_s(self, robot_ids: list[int], killed_s: float) -> float:
        """Return the time from a kill to the last movement of robots."""
        self.spin(max(0.0, killed_s + _OBSERVED_S - time.monotonic()))
        return max(self._last_movement_s(robot_id, killed_s) for robot_id in robot_ids)

    def reports(self, job_ids: list[str]) -> Mapping[str, JobReport]:
        """Return jobs by their ids; unknown jobs are missing."""
        found: dict[str, JobReport] = {}
        for first in range(0, len(job_ids), 100):
            found |= {report.job_id: report for report in self.jobs.list(job_ids[first : first + 100])}
        return found

    def shown(self) -> list[JobReport]:
        """Return the jobs that have not ended, by the latest message."""
        jobs = () if self.jobs.latest is None else self.jobs.latest.jobs
        return [report for report in map(job_state_from_ros, jobs) if not report.state.is_final]

    def held_at_restart(self) -> list[str]:
        """Return the jobs held until a person has checked where their loads are."""
        return [report.job_id for report in self.shown() if report.reason == Reason.HELD_AT_RESTART.value]

    def _note_pose(self, robot_id: int, pose: Pose2D) -> None:
        self._poses[robot_id].append((time.monotonic(), pose))

    def _watch(self) -> bool:
        """Note what robots perform; return False."""
        for robot_id in self.robot_ids:
            task = self.client.tasks.get(robot_id)
            if task is None or not task.task_id:
                continue
            self.started.add(task.task_id)
            if task.leg >= len(task.legs) or task.legs[task.leg].kind is not LegKind.DWELL:
                continue
            is_rest = task.legs[0].pose == task.legs[-2].pose  # of an already loaded job: it only unloads
            event = (task.task_id, "load" if task.legs[task.leg].loads and not is_rest else "unload")
            if event not in self._seen:
                self._seen.add(event)
                self.handled[task.task_id.partition("#")[0], event[1]] += 1
        return False

    def _last_movement_s(self, robot_id: int, killed_s: float) -> float:
        poses = self._poses[robot_id]
        self._poses[robot_id] = poses[-1:]
        last = poses[-1][1] if poses else Pose2D(0.0, 0.0, 0.0)
        moving = [at_s for at_s, pose in poses if pose.distance_to(last) > _SAME_M]
        return max(0.0, moving[-1] - killed_s) if moving else 0.0

    def _start(self, program: str, number: int) -> Popen[bytes]:
        if program == "driver":
            command = driver_command(self._folder / f"fleet_{number}.yaml")
        else:
            command = simulator_command(self._folder / f"world_{number}.yaml")
            command += ["--no-clock"] if number else []  # the first simulator publishes it for all
        with (self._folder / f"{program}_{number}.log").open("ab") as log:
            return self._processes.start(f"{program} {number}", command, log)

    def _write(self, number: int) -> None:
        port = reserve_free_port()
        first = 1 + number * _ROBOTS_OF_A_DRIVER
        homes = {robot_id: (0.3 + 0.6 * (robot_id - 1), 0.4) for robot_id in range(first, first + _ROBOTS_OF_A_DRIVER)}
        width_m, height_m = _ARENA_M
        fleet = {
            "arena": {"x_min_m": 0.0, "y_min_m": 0.0, "x_max_m": width_m, "y_max_m": height_m},
            "hosts": {"name": f"host-{number}"},
            "link": {"targets": [f"tcp:host=127.0.0.1;port={port}"]},
            "tasks": {"dwell_s": 1.0},
            "dispatch": {"enabled": True, "book": self._book, "finishing": "stay", "no_robot_s": 3_600},
            "stations": [
                {"name": name, "role": "load", "pose": {"x_m": pose.x_m, "y_m": pose.y_m, "heading_rad": 0.0}}
                for name, pose in _STATIONS.items()
            ],
            "robots": [
                {
                    "id": robot_id,
                    "node_id": robot_id,
                    "home": {"x_m": x_m, "y_m": y_m},
                    "pose_topic": f"/mocap/thymio_{robot_id}/pose",
                }
                for robot_id, (x_m, y_m) in homes.items()
            ],
        }
        world = {
            "network": {"port": port},
            "arena": {"width_m": width_m, "height_m": height_m},
            "motion_capture": {"rate_hz": 50, "position_noise_m": 0, "heading_noise_rad": 0},
            "robots": [{"node_id": robot_id, "x_m": x_m, "y_m": y_m} for robot_id, (x_m, y_m) in homes.items()],
        }
        (self._folder / f"fleet_{number}.yaml").write_text(yaml.safe_dump(fleet), encoding="utf-8")
        (self._folder / f"world_{number}.yaml").write_text(yaml.safe_dump(world), encoding="utf-8")


def station_names() -> list[str]:
    """Return the names of the stations."""
    return list(_STATIONS)


def station(name: str) -> Pose2D:
    """Return the pose of a station."""
    return _STATIONS[name]
