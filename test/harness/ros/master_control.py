"""A broker, a connector and a simple master control as programs beside a running fleet."""

import itertools
import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from paho.mqtt import client as mqtt
from paho.mqtt.enums import CallbackAPIVersion

from bench.vda5050.broker import Broker
from fleet.commands.processes import connector_command
from harness.ros.running_fleet import RunningFleet

DEADLINE_S = 120.0
_ids = itertools.count(1)


class MasterControl:
    """Publishes orders to one vehicle, and keeps what the vehicle publishes.

    Parameters
    ----------
    fleet : serves its own callbacks while this waits
    port : of the broker
    interface, serial : of the vehicle
    """

    def __init__(self, fleet: RunningFleet, port: int, interface: str, serial: str, version: str = "2.1.0") -> None:
        self._fleet = fleet
        self._major = version[0]
        self._base = f"{interface}/v{self._major}/thymio/{serial}"
        self._header = {"version": version, "manufacturer": "thymio", "serialNumber": serial}
        self._header |= {"timestamp": "2026-01-01T00:00:00.000Z"}
        self.received: list[tuple[str, dict[str, Any]]] = []
        self._client = mqtt.Client(CallbackAPIVersion.VERSION2)
        self._client.on_message = self._on_message
        self._client.on_connect = lambda client, *_: client.subscribe(f"{self._base}/#", 1)
        self._client.connect_async("127.0.0.1", port)
        self._client.loop_start()

    def close(self) -> None:
        """Leave the broker."""
        self._client.disconnect()
        self._client.loop_stop()

    def all_of(self, topic: str) -> list[dict[str, Any]]:
        """Return all messages of a topic."""
        return [values for name, values in list(self.received) if name == topic]

    @property
    def state(self) -> dict[str, Any]:
        """The latest state; empty before the first."""
        states = self.all_of("state")
        return states[-1] if states else {}

    def send(self, topic: str, values: dict[str, Any]) -> None:
        """Publish a message to the vehicle."""
        text = json.dumps({"headerId": next(_ids), **self._header, **values})
        self._client.publish(f"{self._base}/{topic}", text, qos=1).wait_for_publish(DEADLINE_S)

    def order(
        self, order_id: str, update_id: int, places: list[dict[str, Any]], first: int = 0, base: int = 99
    ) -> None:
        """Publish an order along places; `first` counts the first of them, `base` how many are released."""
        nodes = [
            {
                "nodeId": f"n{first + index}",
                "sequenceId": 2 * (first + index),
                "released": index < base,
                "nodePosition": {key: place[key] for key in place if key != "actions"} | {"mapId": "map"},
                "actions": place.get("actions", []),
            }
            for index, place in enumerate(places)
        ]
        edges = [
            {
                "edgeId": f"e{first + index}",
                "sequenceId": 2 * (first + index) + 1,
                "released": index + 1 < base,
                "startNodeId": f"n{first + index}",
                "endNodeId": f"n{first + index + 1}",
                "actions": [],
            }
            for index in range(len(places) - 1)
        ]
        self.send("order", {"orderId": order_id, "orderUpdateId": update_id, "nodes": nodes, "edges": edges})

    def act(self, name: str, action_id: str, **parameters: object) -> None:
        """Publish an instant action."""
        given = [{"key": key, "value": value} for key, value in parameters.items()]
        action = {"actionId": action_id, "actionType": name, "blockingType": "NONE", "actionParameters": given}
        self.send("instantActions", {"actions": [action]})

    def wait_for(self, condition: Callable[[dict[str, Any]], bool], what: str) -> dict[str, Any]:
        """Wait until a state satisfies a condition; return it."""
        found: list[dict[str, Any]] = []

        def holds() -> bool:
            state = self.state
            if state and condition(state):
                found.append(state)
            return bool(found)

        self._fleet.wait_for(holds, f"{what}; the state is {self.state}", DEADLINE_S)
        return found[0]

    def wait_until_it_takes_orders(self) -> dict[str, Any]:
        """Wait until the vehicle is in automatic mode, and knows where it is."""
        key = "mobileRobotPosition" if self._major == "3" else "agvPosition"
        return self.wait_for(lambda state: state["operatingMode"] == "AUTOMATIC" and key in state, "a vehicle")

    def statuses(self) -> dict[str, str]:
        """Return the status of each action in the latest state."""
        state = self.state
        actions = [*state.get("actionStates", []), *state.get("instantActionStates", [])]
        return {action["actionId"]: action["actionStatus"] for action in actions}

    def _on_message(self, _: Any, __: Any, message: mqtt.MQTTMessage) -> None:
        name = message.topic.rpartition("/")[2]
        if message.payload:
            self.received.append((name, json.loads(message.payload)))


class RunningConnector:
    """The command `thymio-fleet vda5050` beside a fleet; orders are kept in `folder`.

    Parameters
    ----------
    fleet : whose configuration it gets, with a section `vda5050`
    folder : of its files
    port : of the broker
    settings : further keys of the section
    """

    def __init__(self, fleet: RunningFleet, folder: Path, port: int, **settings: str) -> None:
        self._folder = folder
        self._fleet = fleet
        self._log = folder / f"connector_{next(_ids)}.log"
        section = {"broker": f"mqtt://127.0.0.1:{port}", **settings, "robots": [1]}
        self._config = folder / "connector.yaml"
        text = fleet.config.read_text()
        self._config.write_text(text + f"\nvda5050: {json.dumps(section)}\n")
        self.process = self._start()

    def _start(self) -> subprocess.Popen[bytes]:
        command = connector_command(self._config)
        with self._log.open("ab") as log:
            return subprocess.Popen(
                command, stdout=log, stderr=subprocess.STDOUT, env=os.environ | {"XDG_STATE_HOME": str(self._folder)}
            )

    @property
    def text(self) -> str:
        """What it has printed."""
        return self._log.read_text()

    def end(self, number: signal.Signals = signal.SIGINT) -> int:
        """End it; return its exit code."""
        self.process.send_signal(number)
        return self.process.wait(DEADLINE_S)

    def code_of_a_second_one(self) -> int:
        """Start another one with the same names; return its exit code."""
        second = self._start()
        try:
            return second.wait(DEADLINE_S)
        finally:
            second.kill()
            second.wait()

    def restart(self) -> None:
        """Start it again, with what it has kept."""
        self.process = self._start()

    def close(self) -> None:
        """End it if it still runs."""
        if self.process.poll() is None:
            self.end(signal.SIGKILL)


@contextmanager
def broker(folder: Path) -> Iterator[Broker]:
    """Yield a broker that runs."""
    running = Broker(folder)
    running.start()
    try:
        yield running
    finally:
        running.stop()


@contextmanager
def connector(fleet: RunningFleet, folder: Path, port: int, **settings: str) -> Iterator[RunningConnector]:
    """Yield a connector that runs."""
    running = RunningConnector(fleet, folder, port, **settings)
    try:
        yield running
    finally:
        running.close()


@contextmanager
def master(
    fleet: RunningFleet, port: int, interface: str, serial: str = "robot_1", version: str = "2.1.0"
) -> Iterator[MasterControl]:
    """Yield a master of one vehicle."""
    running = MasterControl(fleet, port, interface, serial, version)
    try:
        yield running
    finally:
        running.close()
