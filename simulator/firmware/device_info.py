"""A node's identity, readable and writable by hosts: uuid, name and radio settings."""

from aseba_link.wire.message import DeviceInfo, Message, MessageType

_UUID_SIZE = 16  # bytes, like all sizes below
_MAX_NAME_SIZE = 55  # of UTF-8
_RADIO_SIZE = 6  # network id, node id, channel


class DeviceIdentity:
    """The device information of one node; it survives a reset."""

    def __init__(self, node_id: int, uuid: bytes) -> None:
        self._node_id = node_id
        self._info: dict[int, bytes] = {
            DeviceInfo.UUID: uuid,
            DeviceInfo.NAME: b"",
            DeviceInfo.RADIO: bytes(_RADIO_SIZE),
        }

    def answer(self, kind: int) -> list[Message]:
        """Return the messages that report a kind of information; none for an unknown kind."""
        data = self._info.get(kind)
        if data is None:
            return []
        return [Message(self._node_id, MessageType.DEVICE_INFO, bytes([kind, len(data)]) + data)]

    def change(self, message: Message) -> None:
        """Apply a SET_DEVICE_INFO (destination, kind, length, bytes) if it addresses this node and has a valid size."""
        words, data = message.unsigned_words(), message.payload[6:]
        if len(words) < 3 or words[0] != self._node_id or len(data) < words[2]:
            return
        data = data[: words[2]]
        fits = {
            DeviceInfo.UUID: len(data) == _UUID_SIZE,
            DeviceInfo.NAME: len(data) <= _MAX_NAME_SIZE,
            DeviceInfo.RADIO: len(data) == _RADIO_SIZE,
        }
        if words[1] in self._info and fits[DeviceInfo(words[1])]:
            self._info[words[1]] = data
