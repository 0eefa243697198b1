"""One vehicle's connection to the broker; it connects again by itself."""

import secrets
import sys
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from ssl import SSLCertVerificationError
from typing import Any, Final

from paho.mqtt import client as mqtt
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.reasoncodes import ReasonCode

from fleet.errors import FleetError
from fleet.settings.vda5050_config import BrokerAddress
from fleet.vda5050.vehicle.message_queue import SIZE_MAX
from fleet.vda5050.vehicle.vehicle import OutgoingMessage, Topic, VehicleIdentity

_KEEP_ALIVE_S: Final = 15
_RECONNECT_MAX_S: Final = 10
_INCOMING: Final = {Topic.ORDER: 0, Topic.INSTANT_ACTIONS: 0, Topic.CONNECTION: 1}  # with the QoS of subscriptions
_RECEIVED_MAX: Final = 500  # messages of each topic
_FIRST: Final = (Topic.CONNECTION, Topic.INSTANT_ACTIONS)  # are taken before others


class BrokerError(FleetError, ConnectionError):
    """The broker cannot be used as the settings say."""


@dataclass(frozen=True, slots=True)
class BrokerAccess:
    """How to connect to a broker; files are None where they are not used."""

    address: BrokerAddress
    user: str = ""
    password: str = ""
    ca_file: Path | None = None
    cert_file: Path | None = None
    key_file: Path | None = None


class ReceivedMessages:
    """Messages that were not looked at yet, apart by topic: a flood of orders pushes no cancel out.

    One thread may put messages while another one takes them.
    """

    def __init__(self) -> None:
        topics = dict.fromkeys((*_FIRST, *Topic))
        self._queues: Final = {topic: deque[tuple[bytes, bool]](maxlen=_RECEIVED_MAX) for topic in topics}

    def put(self, topic: Topic, payload: bytes, *, is_kept: bool) -> None:
        """Add a message; the oldest one of a full topic is dropped."""
        self._queues[topic].append((payload, is_kept))

    def take(self) -> tuple[Topic, bytes, bool] | None:
        """Return the oldest message of a topic, and whether the broker had kept it; None without one."""
        for topic, queue in self._queues.items():
            if queue:
                return topic, *queue.popleft()
        return None


class MqttLine:
    """A client of the broker for one vehicle.

    The callbacks of the library run in its own thread: they only append to queues.

    Parameters
    ----------
    access : how to connect
    identity : of the vehicle
    will : the message that the broker publishes when the connection breaks
    log : takes a line for people

    Attributes
    ----------
    is_connected : whether messages can be published now
    """

    def __init__(
        self, access: BrokerAccess, identity: VehicleIdentity, will: OutgoingMessage, log: Callable[[str], Any]
    ) -> None:
        self._identity: Final = identity
        self._address: Final = access.address
        self._log: Final = log
        self._trouble = ""
        self._connects = 0
        self._received: Final = ReceivedMessages()
        self._topics: Final = {identity.topic(topic): topic for topic in Topic}
        name = f"{identity.manufacturer}-{identity.serial}-{secrets.token_hex(4)}"
        self._client: Final = mqtt.Client(CallbackAPIVersion.VERSION2, client_id=name, protocol=mqtt.MQTTv311)
        self._client.on_connect = self._on_connect
        self._client.on_connect_fail = self._on_connect_fail
        self._client.on_disconnect = self._on_disconnect
        self._client.on_message = self._on_message
        self._client.reconnect_delay_set(1, _RECONNECT_MAX_S)
        self._client.max_queued_messages_set(100)
        self._client.will_set(identity.topic(will.topic), will.payload, qos=1, retain=True)
        self._secure(access)

    @property
    def is_connected(self) -> bool:
        """Whether messages can be published now."""
        return self._connects > 0 and self._client.is_connected()

    @property
    def connects(self) -> int:
        """How often the broker has accepted the connection."""
        return self._connects

    def open(self) -> None:
        """Start to connect; the broker need not be there yet."""
        self._client.connect_async(self._address.host, self._address.port, _KEEP_ALIVE_S)
        self._client.loop_start()

    def close(self, last: OutgoingMessage | None = None, timeout_s: float = 2.0) -> None:
        """Publish a last message, and leave."""
        if last is not None and self.is_connected:
            info = self._client.publish(self._identity.topic(last.topic), last.payload, qos=1, retain=last.is_kept)
            info.wait_for_publish(timeout_s)
        self._client.disconnect()
        self._client.loop_stop()

    def publish(self, message: OutgoingMessage) -> None:
        """Publish a message, or drop it while there is no connection: a new connection gets all of them again."""
        if self.is_connected:
            qos = 1 if message.topic is Topic.CONNECTION else 0
            self._client.publish(self._identity.topic(message.topic), message.payload, qos, message.is_kept)

    def ask(self, topic: Topic, payload: str) -> None:
        """Publish a message on a topic that is otherwise the master's."""
        self._client.publish(self._identity.topic(topic), payload)

    def subscribe(self, topics: tuple[Topic, ...]) -> None:
        """Receive the messages of some topics."""
        self._client.subscribe([(self._identity.topic(topic), _INCOMING.get(topic, 0)) for topic in topics])

    def take(self) -> tuple[Topic, bytes, bool] | None:
        """Return a message that was received; see `ReceivedMessages.take`."""
        return self._received.take()

    def _secure(self, access: BrokerAccess) -> None:
        if access.user:
            self._client.username_pw_set(access.user, access.password or None)
        if access.address.is_encrypted:
            files = [
                None if file is None else str(file) for file in (access.ca_file, access.cert_file, access.key_file)
            ]
            try:
                self._client.tls_set(ca_certs=files[0], certfile=files[1], keyfile=files[2])
            except (OSError, ValueError) as error:
                named = ", ".join(file for file in files if file)
                raise BrokerError(f"the certificates for {access.address} cannot be used ({named}): {error}") from error

    def _on_connect(self, _: Any, __: Any, ___: Any, reason: ReasonCode, ____: Any) -> None:
        if reason.is_failure:
            self._say(f"the broker {self._address} refuses the connection: {reason}")
            return
        self._trouble = ""
        self._connects += 1

    def _on_connect_fail(self, _: Any, __: Any) -> None:
        """Say why there is no connection; the library calls this while it handles the error."""
        error = sys.exception()
        hint = "; check vda5050.ca_file and the broker's name" if isinstance(error, SSLCertVerificationError) else ""
        self._say(f"the broker {self._address} cannot be reached: {error}{hint}; it is tried again")

    def _on_disconnect(self, _: Any, __: Any, ___: Any, reason: ReasonCode, ____: Any) -> None:
        if reason.is_failure:
            self._say(f"the connection to {self._address} is lost ({reason}); it is tried again")

    def _on_message(self, _: Any, __: Any, message: mqtt.MQTTMessage) -> None:
        topic = self._topics.get(message.topic)
        if topic is not None and len(message.payload) <= 2 * SIZE_MAX:
            self._received.put(topic, bytes(message.payload), is_kept=message.retain)

    def _say(self, text: str) -> None:
        if text != self._trouble:
            self._trouble = text
            self._log(f"{self._identity.serial}: {text}")
