"""A simulated fleet with a broker, a connector and a master that gives all vehicles random orders."""

import json
import os
import random
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from subprocess import Popen
from typing import Any, Final

import yaml
from diagnostic_msgs.msg import DiagnosticArray
from paho.mqtt import client as mqtt
from paho.mqtt.enums import CallbackAPIVersion

from bench.vda5050.broker import Broker
from bench.vda5050.mastered_vehicle import MasteredVehicle
from fleet.client.fleet_client import FleetClient
from fleet.commands.demo.generated_fleet import CELL_M, home_of, write_files, write_yaml
from fleet.commands.processes import Processes, connector_command, driver_command, simulator_command
from thymio_base.texts.json_text import read_json

_DEADLINE_S: Final = 180.0
_LOOK_S: Final = 0.1
_NEAR_M: Final = 0.3  # from its home, for robots that keep apart
_ROOM_M: Final = 0.2  # between nodes and walls
_STATES_TOPIC: Final = "/simulator/robots"


class MasteredFleet:
    """The programs, and the master; nothing happens unless it is watched.

    Parameters
    ----------
    folder : of all files
    processes : owns the programs
    robots : how many
    chance : draws orders
    is_calm : whether robots keep near their homes, and no order is canceled
    speed : of simulated time

    Attributes
    ----------
    received : how many messages vehicles have published, by topic
    sent : how many messages the master has published
    """

    def __init__(
        self,
        folder: Path,
        processes: Processes,
        robots: int,
        chance: random.Random,
        *,
        is_calm: bool,
        speed: float = 1.0,
    ) -> None:
        self._folder: Final = folder
        self._processes: Final = processes
        os.environ["XDG_STATE_HOME"] = str(folder)  # where connectors keep orders
        self.broker: Final = Broker(folder)
        self.broker.start()
        self._config, world = write_files(folder, robots)
        values = yaml.safe_load(self._config.read_text(encoding="utf-8"))
        width_m, height_m = values["arena"]["x_max_m"], values["arena"]["y_max_m"]
        section = {"broker": f"mqtt://127.0.0.1:{self.broker.port}"}
        write_yaml(self._config, values | {"vda5050": section, "tasks": {"dwell_s": 1.0}})
        clock = ["--ros-args", "-p", "use_sim_time:=true"] if speed != 1.0 else []
        self._start("simulator", [*simulator_command(world), "--speed", f"{speed:g}", *clock])
        self._start("driver", [*driver_command(self._config), *clock])
        self._connector = self._start("connector", connector_command(self._config))
        self.received: Final[Counter[str]] = Counter()
        self.sent = 0
        self.vehicles: Final[dict[str, MasteredVehicle]] = {}
        for index in range(robots):
            home = home_of(index, robots)

            def place(x_m: float = home.x_m, y_m: float = home.y_m) -> tuple[float, float]:
                if is_calm:
                    return x_m + chance.uniform(-_NEAR_M, _NEAR_M), y_m + chance.uniform(-_NEAR_M, _NEAR_M)
                return chance.uniform(_ROOM_M, width_m - _ROOM_M), chance.uniform(_ROOM_M, height_m - _ROOM_M)

            serial = f"robot_{index + 1}"
            self.vehicles[serial] = MasteredVehicle(serial, self._sender(serial), place, chance, is_calm=is_calm)
        assert CELL_M > 2.0 * _NEAR_M
        self._contacts: dict[str, int] = {}
        self.client: Final = FleetClient()
        self.client.node.create_subscription(DiagnosticArray, _STATES_TOPIC, self._on_robot_states, 1)
        self._master: Final = mqtt.Client(CallbackAPIVersion.VERSION2)
        self._master.on_connect = lambda client, *_: client.subscribe("uagv/v2/thymio/#", 1)
        self._master.on_message = self._on_message
        self._master.reconnect_delay_set(1, 1)
        self._master.connect_async("127.0.0.1", self.broker.port)
        self._master.loop_start()

    @property
    def connector(self) -> Popen[bytes]:
        """The program of the connector."""
        return self._connector

    @property
    def contacts(self) -> int:
        """How often robots have touched something."""
        return sum(self._contacts.values())

    def restart_connector(self) -> None:
        """Kill the connector, and start another one."""
        self._connector.kill()
        self._connector.wait()
        self._connector = self._start("connector", connector_command(self._config))

    def restart_broker(self) -> None:
        """Kill the broker, and start it again after it was missing for a while."""
        self.broker.stop(is_killed=True)
        self.watch(3.0)
        self.broker.start()

    def watch(self, duration_s: float, *, may_begin: bool = True) -> None:
        """Let the master work for a while."""
        self.watch_until(lambda: False, duration_s, may_begin=may_begin)

    def watch_until(
        self, condition: Callable[[], bool], timeout_s: float = _DEADLINE_S, *, may_begin: bool = True
    ) -> bool:
        """Let the master work until a condition holds; return whether it does."""
        deadline_s = time.monotonic() + timeout_s
        while not condition():
            if time.monotonic() > deadline_s:
                return False
            self.client.spin_until(lambda: False, _LOOK_S)
            for vehicle in self.vehicles.values():
                vehicle.advance(time.monotonic(), may_begin=may_begin)
        return True

    def close(self) -> None:
        """Leave broker and graph; the programs end with their owner."""
        self._master.disconnect()
        self._master.loop_stop()
        self.client.close()
        self.broker.stop()

    def _sender(self, serial: str) -> Callable[[str, dict[str, Any]], None]:
        header = {"timestamp": "2026-01-01T00:00:00.000Z", "version": "2.1.0", "manufacturer": "thymio"}

        def send(topic: str, values: dict[str, Any]) -> None:
            self.sent += 1
            text = json.dumps({"headerId": self.sent, **header, "serialNumber": serial, **values})
            self._master.publish(f"uagv/v2/thymio/{serial}/{topic}", text)

        return send

    def _on_message(self, _: Any, __: Any, message: mqtt.MQTTMessage) -> None:
        *_, serial, topic = message.topic.split("/")
        if topic in ("order", "instantActions"):
            return
        self.received[topic] += 1
        if topic == "state" and message.payload:
            self.vehicles[serial].on_state(read_json(message.payload), time.monotonic())

    def _on_robot_states(self, message: DiagnosticArray) -> None:
        for status in message.status:
            self._contacts[status.name] = next(int(one.value) for one in status.values if one.key == "collisions")

    def _start(self, name: str, command: list[str]) -> Popen[bytes]:
        with (self._folder / f"{name}.log").open("ab") as log:
            return self._processes.start(name, command, log)
