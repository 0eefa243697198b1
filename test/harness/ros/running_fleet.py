"""A simulator and a driver as processes, and a client."""

import math
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from std_srvs.srv import Trigger

from fleet.client.fleet_client import FleetClient
from fleet.commands.processes import driver_command, simulator_command
from fleet.geometry import Pose2D
from harness import service_units
from harness.broken import broken_command, environment
from thymio_base.ros.private_domain import reserve_free_port

DEADLINE_S = 60.0


class RunningFleet:
    """Two simulated robots in a row, a metre apart, with motion capture; their homes are their start poses.

    Only one exists at a time: a second one in the same domain would receive the first one's poses and clock.

    Parameters
    ----------
    settings, link_settings, world_settings : further YAML
    options : of the simulator
    has_third : whether a third robot stands in a corner
    """

    ROBOT_IDS = (1, 2)
    _is_open: ClassVar = False

    def __init__(
        self,
        folder: Path,
        settings: str = "",
        link_settings: str = "",
        *,
        world_settings: str = "",
        options: tuple[str, ...] = (),
        is_simulated_time: bool = False,
        has_third: bool = False,
    ) -> None:
        assert not RunningFleet._is_open, "the fleet before this one is not closed yet"
        self._folder = folder
        self._options = options
        self._ros_arguments = ["--ros-args", "-p", "use_sim_time:=true"] if is_simulated_time else []
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self.port = port = reserve_free_port()
        self.config = folder / "fleet.yaml"
        self.config.write_text(f"""
arena: {{x_min_m: 0.0, y_min_m: 0.0, x_max_m: 3.0, y_max_m: 2.0}}
link: {{targets: ['tcp:host=127.0.0.1;port={port}'], lost_grace_s: 1.0{link_settings}}}
{settings}
robots:
- {{id: 1, node_id: 1, home: {{x_m: 1.0, y_m: 1.0}}, pose_topic: /mocap/thymio_1/pose}}
- {{id: 2, node_id: 2, home: {{x_m: 2.0, y_m: 1.0}}, pose_topic: /mocap/thymio_2/pose}}
""")
        if has_third:
            self.ROBOT_IDS = (1, 2, 3)
            with self.config.open("a") as file:
                file.write("- {id: 3, node_id: 3, home: {x_m: 0.3, y_m: 0.3}, pose_topic: /mocap/thymio_3/pose}\n")
        self.world = folder / "world.yaml"
        self.world.write_text(f"""
network: {{port: {port}}}
{world_settings}
arena: {{width_m: 3.0, height_m: 2.0}}
robots:
- {{node_id: 1, x_m: 1.0, y_m: 1.0, left_wheel_gain: 0.98}}
- {{node_id: 2, x_m: 2.0, y_m: 1.0, right_wheel_gain: 0.98}}
{"- {node_id: 3, x_m: 0.3, y_m: 0.3}" if has_third else ""}
""")
        self.truths: dict[int, Pose2D] = {}
        self._truth_count = 0
        self.client = FleetClient()
        for robot_id in self.ROBOT_IDS:
            self.client.watch(robot_id)
            self.client.watch_pose(
                f"/simulator/thymio_{robot_id}/truth", lambda pose, robot_id=robot_id: self._on_truth(robot_id, pose)
            )
        RunningFleet._is_open = True

    def start_simulator(self) -> None:
        """Start the simulator."""
        self._start("simulator", [*simulator_command(self.world), *self._options, *self._ros_arguments])

    def start_driver(self, *options: str) -> None:
        """Start the driver."""
        self._start("driver", [*driver_command(self.config), *options, *self._ros_arguments])

    def start_driver_of(self, unit: str, state: Path) -> None:
        """Start the driver as a unit of systemd does; the fleet's folder is that of the unit below `state`."""
        self._start("driver", service_units.command(unit, state), service_units.environment(unit, state))

    def start_broken_driver(self, faults: list[str]) -> None:
        """Start the driver with methods that raise; see `harness.broken`."""
        self._start("driver", broken_command(driver_command(self.config), faults), environment())

    def start_broken_simulator(self, faults: list[str]) -> None:
        """Start the simulator with methods that raise; see `harness.broken`."""
        self._start("simulator", broken_command(simulator_command(self.world), faults), environment())

    @property
    def driver(self) -> subprocess.Popen[bytes]:
        """The driver's process."""
        return self._processes["driver"]

    def start_both(self, *options: str) -> None:
        """Start the simulator and the driver with the command for both."""
        command = [
            sys.executable,
            "-m",
            "fleet.commands.main",
            "up",
            "--world",
            str(self.world),
            "--config",
            str(self.config),
        ]
        self._start("up", [*command, *options])

    def wait_until_ready(self) -> None:
        """Wait until every robot accepts tasks."""
        self.wait_for(
            lambda: all(robot_id in self.truths and self.client.is_ready(robot_id) for robot_id in self.ROBOT_IDS),
            "every robot to be ready",
        )

    def wait_for(self, condition: Callable[[], bool], what: str, timeout_s: float = DEADLINE_S) -> None:
        """Serve callbacks until a condition holds; fail with `what` and the logs otherwise."""
        if not self.client.spin_until(condition, timeout_s):
            raise AssertionError(f"waited {timeout_s:g} s in vain for {what}\n{self.logs()}")

    def let_pass(self, duration_s: float) -> None:
        """Let simulated time pass, at any speed of the machine: ten true poses of each robot are one second."""
        enough = self._truth_count + len(self.ROBOT_IDS) * (math.ceil(10.0 * duration_s) + 1)
        self.wait_for(lambda: self._truth_count >= enough, "true poses")

    def call(self, kind: Any, name: str, request: Any) -> Any:
        """Return the simulator's answer to a request, which is sent only once: it may not be repeatable."""
        return self.client.graph.call(kind, f"/simulator/{name}", request, DEADLINE_S, repeat_s=DEADLINE_S)

    def trigger(self, name: str) -> Trigger.Response:
        """Return the answer of a service of the driver."""
        return self.client.graph.call(Trigger, name, Trigger.Request())

    def send_signal(self, name: str, number: signal.Signals) -> subprocess.Popen[bytes]:
        """Send a signal to the simulator or the driver; return the process."""
        process = self._processes[name]
        process.send_signal(number)
        return process

    def logs(self) -> str:
        """Return the output of the processes."""
        return "\n".join(f"--- {path.name}\n{path.read_text()}" for path in sorted(self._folder.glob("*.log")))

    def close(self) -> None:
        """End everything."""
        for name, process in self._processes.items():
            if process.poll() is None:
                process.send_signal(signal.SIGINT if name == "up" else signal.SIGKILL)  # it ends its children
            process.wait()
        self.client.close()
        RunningFleet._is_open = False

    def _start(self, name: str, command: list[str], variables: dict[str, str] | None = None) -> None:
        with (self._folder / f"{name}.log").open("ab") as log:
            self._processes[name] = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, env=variables)

    def _on_truth(self, robot_id: int, pose: Pose2D) -> None:
        self.truths[robot_id] = pose
        self._truth_count += 1


def running_fleet(folder: Path, settings: str = "", link_settings: str = "") -> Iterator[RunningFleet]:
    """Yield a fleet whose robots accept tasks; ends it afterwards."""
    yield from ready(RunningFleet(folder, settings, link_settings))


Fleet = TypeVar("Fleet", bound=RunningFleet)


def ready(fleet: Fleet) -> Iterator[Fleet]:
    """Start a fleet, and yield it once its robots accept tasks; ends it afterwards."""
    try:
        fleet.start_simulator()
        fleet.start_driver()
        fleet.wait_until_ready()
        yield fleet
    finally:
        fleet.close()
