"""A master of several vehicles that gives each an order as soon as it has none."""

import json
import random
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from paho.mqtt import client as mqtt
from paho.mqtt.enums import CallbackAPIVersion

from bench.vda5050.mastered_vehicle import MasteredVehicle
from bench.vda5050.started_vehicles import StartedVehicles
from fleet.commands.demo.generated_fleet import home_of
from thymio_base.texts.json_text import read_json

_DEADLINE_S: Final = 180.0
_LOOK_S: Final = 0.1
_NEAR_M: Final = 0.3  # from its home, for robots that stay apart
_ROOM_M: Final = 0.2  # between nodes and walls
_EDGE_M: Final = 0.3
_HEADER: Final = {"timestamp": "2026-01-01T00:00:00.000Z", "version": "2.1.0", "manufacturer": "thymio"}


class RandomMaster:
    """A client of the broker for all vehicles; it works only while it watches.

    Parameters
    ----------
    started : the programs of the vehicles
    seed : seed of all orders
    is_calm : whether robots stay near their homes, and only drive

    Attributes
    ----------
    received : number of messages from vehicles, by topic
    sent : number of messages to vehicles
    """

    def __init__(self, started: StartedVehicles, seed: int, *, is_calm: bool) -> None:
        self._started: Final = started
        self._chance: Final = random.Random(seed)
        self.received: Final[Counter[str]] = Counter()
        self.sent = 0
        self.vehicles: Final[dict[str, MasteredVehicle]] = {}
        for index, serial in enumerate(started.serials):
            way = partial(self._way_near if is_calm else self._way_anywhere, index)
            self.vehicles[serial] = MasteredVehicle(
                serial, partial(self._publish, serial), way, self._chance, is_calm=is_calm
            )
        self._client: Final = mqtt.Client(CallbackAPIVersion.VERSION2)
        self._client.on_connect = lambda client, *_: client.subscribe("uagv/v2/thymio/#", 1)
        self._client.on_message = self._on_message
        self._client.reconnect_delay_set(1, 1)
        self._client.connect_async("127.0.0.1", started.broker.port)
        self._client.loop_start()
        if not self.watch_until(lambda: all(vehicle.state for vehicle in self.vehicles.values()), may_begin=False):
            raise RuntimeError("not all vehicles are online")

    @property
    def has_orders(self) -> bool:
        """Whether an order is under way."""
        return any(vehicle.order_id for vehicle in self.vehicles.values())

    @property
    def ends(self) -> Counter[str]:
        """The numbers of completed, canceled and refused orders."""
        return sum((vehicle.ends for vehicle in self.vehicles.values()), start=Counter())

    @property
    def problems(self) -> list[str]:
        """Violations of the protocol, of all vehicles."""
        return [problem for vehicle in self.vehicles.values() for problem in vehicle.problems]

    def drive_squares(self, *, is_at_once: bool) -> list[float]:
        """Let each vehicle drive one square, released at once or edge by edge; return the durations [s]."""
        for index, serial in enumerate(self._started.serials):
            vehicle = MasteredVehicle(
                serial,
                partial(self._publish, serial),
                partial(self._square, index),
                self._chance,
                is_calm=True,
                is_at_once=is_at_once,
            )
            vehicle.state = self.vehicles[serial].state
            self.vehicles[serial] = vehicle
        self.watch(0.5)
        self.watch_until(lambda: not self.has_orders, may_begin=False)
        return [drive_s for vehicle in self.vehicles.values() for drive_s in vehicle.drives_s]

    def watch(self, duration_s: float, *, may_begin: bool = True) -> None:
        """Work for a while."""
        self.watch_until(lambda: False, duration_s, may_begin=may_begin)

    def watch_until(
        self, condition: Callable[[], bool], timeout_s: float = _DEADLINE_S, *, may_begin: bool = True
    ) -> bool:
        """Work until a condition holds; return whether it does."""
        deadline_s = time.monotonic() + timeout_s
        while not condition():
            if time.monotonic() > deadline_s:
                return False
            self._started.client.spin_until(lambda: False, _LOOK_S)
            for vehicle in self.vehicles.values():
                vehicle.advance(time.monotonic(), may_begin=may_begin)
        return True

    def close(self) -> None:
        """Leave the broker."""
        self._client.disconnect()
        self._client.loop_stop()

    def _way_near(self, index: int) -> list[tuple[float, float]]:
        home, draw = home_of(index, len(self.vehicles)), self._chance.uniform
        count = self._chance.randint(2, 4)
        return [(home.x_m + draw(-_NEAR_M, _NEAR_M), home.y_m + draw(-_NEAR_M, _NEAR_M)) for _ in range(count)]

    def _way_anywhere(self, _: int) -> list[tuple[float, float]]:
        (width_m, height_m), draw = self._started.floor_m, self._chance.uniform
        count = self._chance.randint(2, 4)
        return [(draw(_ROOM_M, width_m - _ROOM_M), draw(_ROOM_M, height_m - _ROOM_M)) for _ in range(count)]

    def _square(self, index: int) -> list[tuple[float, float]]:
        home = home_of(index, len(self.vehicles))
        corners = ((1, 0), (1, 1), (0, 1), (0, 0))
        return [(home.x_m + _EDGE_M * right, home.y_m + _EDGE_M * up) for right, up in corners]

    def _publish(self, serial: str, topic: str, values: dict[str, Any]) -> None:
        self.sent += 1
        text = json.dumps({"headerId": self.sent, **_HEADER, "serialNumber": serial, **values})
        self._client.publish(f"uagv/v2/thymio/{serial}/{topic}", text)

    def _on_message(self, _: Any, __: Any, message: mqtt.MQTTMessage) -> None:
        *_, serial, topic = message.topic.split("/")
        if topic in ("order", "instantActions"):
            return
        self.received[topic] += 1
        if topic == "state" and message.payload:
            self.vehicles[serial].on_state(read_json(bytes(message.payload)), time.monotonic())
