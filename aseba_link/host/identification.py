"""Identifies a node: requests its description, then its UUID."""

from dataclasses import dataclass

from aseba_link.host.description_collector import RETRY_S, DescriptionCollector, FragmentCollector, WholeCollector
from aseba_link.wire.description import NodeDescription
from aseba_link.wire.message import HOST_ID, DeviceInfo, Message, MessageType, from_words

FRAGMENTS_SINCE = 8  # protocol version
DEVICE_INFO_SINCE = 6
UUID_ATTEMPTS = 3
UUID_SIZE = 16  # bytes

_MAX_JITTER_US = 200_000
_QUICK_NS = 250_000_000  # if answers arrive within this time, more can be requested at a time


@dataclass(frozen=True, slots=True)
class NodeIdentity:
    """The result of an identification; `uuid` is "" if the node reports none."""

    description: NodeDescription
    uuid: str


class NodeIdentification:
    """Identifies a node by requests and answers; `identity` is set once it is complete."""

    def __init__(self, node_id: int, protocol_version: int) -> None:
        self.identity: NodeIdentity | None = None
        self._node_id = node_id
        self._has_device_info = protocol_version >= DEVICE_INFO_SINCE
        self._collector: DescriptionCollector
        if protocol_version >= FRAGMENTS_SINCE:
            self._collector = FragmentCollector(node_id)
        else:
            self._collector = WholeCollector(node_id, protocol_version)
        self._description: NodeDescription | None = None
        self._uuid_attempts = 0
        self._retry_ns = 0
        self._requested_ns = 0

    def advance(self, now_ns: int) -> list[Message]:
        """Return the requests to send now: the first ones, or those not answered in time."""
        if self.identity is not None or now_ns < self._retry_ns:
            return []
        if self._description is not None:
            return self._request_uuid(self._description, now_ns)
        requests = self._collector.request_again()
        self._requested_ns = now_ns
        self._wait(now_ns)
        return requests

    def receive(self, message: Message, now_ns: int) -> list[Message]:
        """Process an answer and return the next requests.

        Raises
        ------
        MessageError
            The answer is malformed; the request will be repeated.
        """
        if message.type == MessageType.DEVICE_INFO:
            self._receive_device_info(message)
            return []
        if self.identity is not None:
            return []
        was_complete = self._description is not None
        requests = self._collector.receive(message)
        # until the UUID arrives, a surplus answer may still show that an earlier one was meant for another host
        self._description = self._collector.complete()
        if self._description is None:
            self._uuid_attempts = 0
            self._wait(now_ns)
            if requests:
                self._note_round_trip(now_ns)
            return requests
        return [] if was_complete else self._request_uuid(self._description, now_ns)

    def _note_round_trip(self, now_ns: int) -> None:
        """Request more at a time if answers arrive quickly."""
        if now_ns - self._requested_ns <= _QUICK_NS:
            self._collector.widen()
        self._requested_ns = now_ns

    def _wait(self, now_ns: int) -> None:
        """Schedule the repetition of the requests; the pause varies a little, so that two hosts do not stay in step."""
        jitter_us = now_ns // 1000 % _MAX_JITTER_US if self._collector.pause_s > RETRY_S else 0
        self._retry_ns = now_ns + round(self._collector.pause_s * 1e9) + jitter_us * 1000

    def _request_uuid(self, description: NodeDescription, now_ns: int) -> list[Message]:
        """Request the UUID; older protocols have none, and switches abort on that request."""
        if not self._has_device_info or self._uuid_attempts == UUID_ATTEMPTS:
            self.identity = NodeIdentity(description, "")
            return []
        self._uuid_attempts += 1
        self._retry_ns = now_ns + round(RETRY_S * 1e9)
        return [from_words(HOST_ID, MessageType.GET_DEVICE_INFO, [self._node_id, DeviceInfo.UUID])]

    def _receive_device_info(self, message: Message) -> None:
        payload = message.payload
        if self._description is None or len(payload) < 2 or payload[0] != DeviceInfo.UUID:
            return
        uuid = payload[2:]
        has_uuid = payload[1] == len(uuid) == UUID_SIZE
        self.identity = NodeIdentity(self._description, uuid.hex() if has_uuid else "")
