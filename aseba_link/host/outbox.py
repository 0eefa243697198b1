"""The messages and events that a network passes to its owner."""

from aseba_link.host.link_events import LinkEvent
from aseba_link.wire.message import Message


class Outbox:
    """Queues messages for the connection, and events for the owner, which removes them."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.events: list[LinkEvent] = []
