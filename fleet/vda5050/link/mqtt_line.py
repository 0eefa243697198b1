"""A vehicle's connection to the broker, which reconnects by itself."""

import secrets
import time
from collections.abc import Callable
from pathlib import Path
from selectors import EVENT_READ, BaseSelector
from ssl import SSLCertVerificationError, SSLSocket
from threading import Thread
from typing import Any, Final

from paho.mqtt import client as mqtt
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.reasoncodes import ReasonCode

from fleet.errors import FleetError
from fleet.settings.vda5050_config import Vda5050Config
from fleet.vda5050.vehicle.received_messages import ReceivedMessages, Topic
from fleet.vda5050.vehicle.vehicle import OutgoingMessage, VehicleIdentity

_KEEP_ALIVE_S: Final = 15
_RECONNECT_S: Final = 1.0
_RECONNECT_MAX_S: Final = 10.0
_MISC_S: Final = 1.0  # period of the work that keeps a connection alive
_LOOK_S: Final = 0.05  # period of polling for the acknowledgement of the last message
_ROUNDS_MAX: Final = 200  # reads per call, with one packet for each line


class BrokerError(FleetError, ConnectionError):
    """The broker cannot be used with these settings."""


def serve_sockets(selector: BaseSelector, timeout_s: float) -> None:
    """Wait up to `timeout_s` until something arrives for any line, and let the lines read it."""
    for _ in range(_ROUNDS_MAX):
        ready = selector.select(timeout_s)
        if not ready:
            return
        timeout_s = 0.0
        for key, _ in ready:
            key.data()


class MqttLine:
    """A vehicle's client of the broker.

    All work happens in `advance`, which never waits. Only connecting may wait, in a thread of its own.

    Parameters
    ----------
    will : the message that the broker publishes when the connection breaks
    received : gets the messages that arrive
    selector : of all lines; `serve_sockets` lets them read
    """

    def __init__(
        self,
        settings: Vda5050Config,
        identity: VehicleIdentity,
        will: OutgoingMessage,
        received: ReceivedMessages,
        selector: BaseSelector,
        *,
        log: Callable[[str], Any],
    ) -> None:
        self._identity: Final = identity
        self._address: Final = settings.broker
        self._received: Final = received
        self._selector: Final = selector
        self._log: Final = log
        self._trouble = ""
        self.connects = 0  # how often the broker has accepted the connection
        self._topics: Final = {identity.topic(topic): topic for topic in Topic}
        self._connecting: Thread | None = None
        self._error: Exception | None = None  # from the connecting thread
        self._socket: Any = None  # registered with the selector
        self._due_s = self._misc_s = 0.0
        self._delay_s = _RECONNECT_S
        self._is_open = self._is_accepted = self._is_refused = False
        name = f"{identity.manufacturer}-{identity.serial}-{secrets.token_hex(4)}"
        # no other version of MQTT is tried, which would block
        self._client: Final = mqtt.Client(
            CallbackAPIVersion.VERSION2, client_id=name, protocol=mqtt.MQTTv311, reconnect_on_failure=False
        )
        self._client.on_connect = self._on_connect
        self._client.on_disconnect = self._on_disconnect
        self._client.on_message = self._on_message
        self._client.will_set(identity.topic(will.topic), will.payload, qos=1, retain=True)
        self._secure(settings)
        self._client.connect_async(self._address.host, self._address.port, _KEEP_ALIVE_S)

    @property
    def is_connected(self) -> bool:
        """Whether messages can be published now."""
        return self._is_accepted and self._client.is_connected()

    def advance(self) -> None:
        """Connect if due; send and receive what is possible."""
        if self._connecting is not None:
            if self._connecting.is_alive():
                return
            self._connecting = None
            self._on_connecting_over()
        now_s = time.monotonic()
        if not self._is_open:
            if now_s >= self._due_s:
                self._is_refused = False
                self._connecting = Thread(target=self._reconnect, daemon=True, name=f"connects {self._identity.serial}")
                self._connecting.start()
            return
        if self._client.want_write():
            self._client.loop_write()
        if now_s >= self._misc_s:
            self._misc_s = now_s + _MISC_S
            self._client.loop_misc()

    def close(self, last: OutgoingMessage | None = None, timeout_s: float = 2.0) -> None:
        """Publish a last message, and leave."""
        deadline_s = time.monotonic() + timeout_s
        if last is not None and self.is_connected:
            info = self._publish(last)
            while self.is_connected and not info.is_published() and time.monotonic() < deadline_s:
                serve_sockets(self._selector, _LOOK_S)
                self.advance()
        if self._connecting is None:
            self._client.disconnect()

    def publish(self, message: OutgoingMessage) -> None:
        """Publish a message, or drop it without a connection; everything is published again on reconnection."""
        if self.is_connected:
            self._publish(message)

    def subscribe(self, topics: tuple[Topic, ...]) -> None:
        """Subscribe to topics."""
        self._client.subscribe([(self._identity.topic(topic), int(topic is Topic.CONNECTION)) for topic in topics])

    def unsubscribe(self, topics: tuple[Topic, ...]) -> None:
        """Unsubscribe from topics."""
        self._client.unsubscribe([self._identity.topic(topic) for topic in topics])

    def _publish(self, message: OutgoingMessage) -> mqtt.MQTTMessageInfo:
        qos = int(message.topic is Topic.CONNECTION)
        return self._client.publish(self._identity.topic(message.topic), message.payload, qos, message.is_kept)

    def _secure(self, settings: Vda5050Config) -> None:
        if settings.user:
            self._client.username_pw_set(settings.user, _password(settings.password_file))
        if self._address.is_encrypted:
            paths = [file or None for file in (settings.ca_file, settings.cert_file, settings.key_file)]
            try:
                self._client.tls_set(paths[0], paths[1], paths[2])
            except (OSError, ValueError) as error:
                named = ", ".join(path for path in paths if path)
                raise BrokerError(f"the certificates for {self._address} cannot be used ({named}): {error}") from error

    def _reconnect(self) -> None:
        """Connect in a thread, as name look-up and key exchange may take arbitrarily long."""
        try:
            self._client.reconnect()
        except (OSError, ValueError) as error:
            self._error = error

    def _on_connecting_over(self) -> None:
        error, self._error = self._error, None
        sock = self._client.socket()
        if error is None and sock is not None:
            self._is_open, self._socket = True, sock
            self._selector.register(sock, EVENT_READ, self._read)
            return
        hint = "; check vda5050.ca_file and the broker's name" if isinstance(error, SSLCertVerificationError) else ""
        self._say(f"the broker {self._address} cannot be reached: {error}{hint}; it is tried again")
        self._wait()

    def _wait(self) -> None:
        """Wait before the next attempt, twice as long each time."""
        self._is_open = self._is_accepted = False
        if self._socket is not None:
            self._selector.unregister(self._socket)
            self._socket = None
        self._due_s = time.monotonic() + self._delay_s
        self._delay_s = min(2.0 * self._delay_s, _RECONNECT_MAX_S)

    def _read(self) -> None:
        """Read one packet, and any others decrypted with it."""
        sock = self._socket
        try:
            for _ in range(_ROUNDS_MAX):
                self._client.loop_read()
                if not (self._is_open and isinstance(sock, SSLSocket) and sock.pending()):
                    return
        except Exception as error:  # the library raises anything if the broker does not speak MQTT
            self._say(f"the broker {self._address} sends what is not MQTT ({error}); it is tried again")
            self._is_refused = True
            self._client.disconnect()
            self._wait()

    def _on_connect(self, _: Any, __: Any, ___: Any, reason: ReasonCode, ____: Any) -> None:
        if reason.is_failure:
            self._say(f"the broker {self._address} refuses the connection: {reason}; it is tried again")
            self._is_refused = True
            return
        self._trouble, self._delay_s, self._is_accepted = "", _RECONNECT_S, True
        self.connects += 1

    def _on_disconnect(self, _: Any, __: Any, ___: Any, reason: ReasonCode, ____: Any) -> None:
        if self._is_accepted and reason.is_failure:
            self._say(f"the connection to {self._address} is lost ({reason}); it is tried again")
        elif reason.is_failure and not self._is_refused:
            self._say(f"the broker {self._address} has not accepted the connection ({reason}); it is tried again")
        self._wait()

    def _on_message(self, _: Any, __: Any, message: mqtt.MQTTMessage) -> None:
        topic = self._topics.get(message.topic)
        if topic is not None:
            self._received.put(topic, bytes(message.payload), is_kept=message.retain)

    def _say(self, text: str) -> None:
        if text != self._trouble:
            self._trouble = text
            self._log(f"{self._identity.serial}: {text}")


def _password(file: str) -> str | None:
    """Return the password in a file."""
    try:
        return Path(file).read_text(encoding="utf-8").strip() if file else None
    except (OSError, UnicodeDecodeError) as error:
        raise BrokerError(f"vda5050.password_file {file} cannot be read: {error}") from error
