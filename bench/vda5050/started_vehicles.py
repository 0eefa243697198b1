"""Runs the programs behind a master control: broker, simulator, driver and connector."""

import os
from pathlib import Path
from subprocess import Popen
from typing import Final

import yaml
from diagnostic_msgs.msg import DiagnosticArray

from bench.vda5050.broker import Broker
from fleet.client.fleet_client import FleetClient
from fleet.commands.demo.generated_fleet import write_files, write_yaml
from fleet.commands.processes import Processes, connector_command, driver_command, simulator_command

_STATES_TOPIC: Final = "/simulator/robots"


class StartedVehicles:
    """Simulated robots that are vehicles.

    Parameters
    ----------
    folder : folder for all files
    processes : owns the programs
    robots : number of robots
    version : version of VDA 5050
    speed : speed of simulated time

    Attributes
    ----------
    broker : the vehicles' broker
    connector : the connector's process
    floor_m : width and height of the floor
    client : client that observes the robots
    """

    def __init__(
        self, folder: Path, processes: Processes, robots: int, *, version: str = "2.1.0", speed: float = 1.0
    ) -> None:
        os.environ["XDG_STATE_HOME"] = str(folder)  # where connectors keep orders
        self._folder: Final = folder
        self._processes: Final = processes
        self.serials: Final = [f"robot_{number}" for number in range(1, robots + 1)]
        self.broker: Final = Broker(folder)
        self.broker.start()
        self._config, world = write_files(folder, robots)
        values = yaml.safe_load(self._config.read_text(encoding="utf-8"))
        self.floor_m: Final = values["arena"]["x_max_m"], values["arena"]["y_max_m"]
        section = {"broker": f"mqtt://127.0.0.1:{self.broker.port}", "version": version}
        write_yaml(self._config, values | {"vda5050": section, "tasks": {"dwell_s": 1.0}})
        clock = ["--ros-args", "-p", "use_sim_time:=true"] if speed != 1.0 else []
        self._start("simulator", [*simulator_command(world), "--speed", f"{speed:g}", *clock])
        self._start("driver", [*driver_command(self._config), *clock])
        self.connector = self._start("connector", connector_command(self._config))
        self._contacts: Final[dict[str, int]] = {}
        self.client: Final = FleetClient()
        self.client.node.create_subscription(DiagnosticArray, _STATES_TOPIC, self._on_robot_states, 1)

    @property
    def contacts(self) -> int:
        """The number of contacts of robots."""
        return sum(self._contacts.values())

    def restart_connector(self) -> None:
        """Kill the connector, and start a new one."""
        self.connector.kill()
        self.connector.wait()
        self.connector = self._start("connector", connector_command(self._config))

    def close(self) -> None:
        """Leave the graph, and end the broker; the other programs end with `processes`."""
        self.client.close()
        self.broker.stop()

    def _on_robot_states(self, message: DiagnosticArray) -> None:
        for status in message.status:
            self._contacts[status.name] = next(int(one.value) for one in status.values if one.key == "collisions")

    def _start(self, name: str, command: list[str]) -> Popen[bytes]:
        with (self._folder / f"{name}.log").open("ab") as log:
            return self._processes.start(name, command, log)
