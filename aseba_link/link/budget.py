"""A target's budget of messages per second: decides which may be sent now, and which must wait."""

_BURST_S = 0.1  # the budget for this time may be used at once
_WINDOW_S = 2.0  # for measuring rates
_TOLERANCE = 1.1  # for rates, which vary a little
_LEAST_SHARE = 0.25  # of the budget, reserved for our messages however much nodes send


class Budget:
    """Counts a target's messages, both ways, against its capacity.

    It holds nothing back itself: senders of messages that can wait check `allows` first. Messages that cannot wait are
    counted too, which makes the others wait longer.

    Parameters
    ----------
    messages_hz : messages per second that the target carries, both ways together
    """

    def __init__(self, messages_hz: float) -> None:
        self.messages_hz = messages_hz
        self._room = messages_hz * _BURST_S  # messages that may be sent now
        self._now_ns: int | None = None
        self._window_ns = 0
        self._received = 0
        self._sent = 0
        self._late = 0
        self.received_hz = 0.0
        self.sent_hz = 0.0
        self.late_hz = 0.0

    @property
    def is_over(self) -> bool:
        """Whether recent traffic exceeded the target's capacity."""
        return self.late_hz > 0.0 or self.received_hz + self.sent_hz > _TOLERANCE * self.messages_hz

    @property
    def text(self) -> str:
        """The target's traffic and limit, for people."""
        return f"{self.received_hz:.0f} + {self.sent_hz:.0f} of {self.messages_hz:g} messages/s"

    def allows(self, is_late: bool = False) -> bool:
        """Return whether a message that can wait may be sent now; refusing one with `is_late` counts as over budget."""
        if self._room >= 1.0:
            return True
        self._late += is_late
        return False

    def receive(self, count: int) -> None:
        """Count messages from nodes."""
        self._received += count

    def send(self, count: int) -> None:
        """Count messages to nodes; describing a node and sending its script must not silence the others for long."""
        self._sent += count
        self._room = max(self._room - count, -_BURST_S * self.messages_hz)

    def advance(self, now_ns: int) -> None:
        """Advance the time, which makes room for more messages, less those of nodes."""
        elapsed_s = 0.0 if self._now_ns is None else (now_ns - self._now_ns) * 1e-9
        self._now_ns = now_ns
        share_hz = max(self.messages_hz - self.received_hz, _LEAST_SHARE * self.messages_hz)
        self._room = min(self._room + share_hz * elapsed_s, max(1.0, share_hz * _BURST_S))
        if not self._window_ns or (now_ns - self._window_ns) * 1e-9 >= _WINDOW_S:
            self._update_rates(now_ns)

    def _update_rates(self, now_ns: int) -> None:
        window_s = (now_ns - self._window_ns) * 1e-9 if self._window_ns else _WINDOW_S
        self.received_hz, self.sent_hz = self._received / window_s, self._sent / window_s
        self.late_hz = self._late / window_s
        self._received = self._sent = self._late = 0
        self._window_ns = now_ns
