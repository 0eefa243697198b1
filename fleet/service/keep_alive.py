"""Decides when wheel speeds are sent: changed ones at once, unchanged ones as a keep-alive."""

from typing import Final

_IDLE_PERIOD_S: Final = 1.0  # a standing robot gets zero speeds this often, in case another program drove it
_UNSENT: Final = (0x8000, 0x8000)  # never sent to a motor


class KeepAlive:
    """Decides when one robot's wheel speeds are sent, so that it neither lags behind nor times out.

    Parameters
    ----------
    period_s : period of repeating unchanged speeds while the robot moves

    Attributes
    ----------
    sent_ns : when speeds were last sent; 0 before the first
    """

    def __init__(self, period_s: float) -> None:
        self.sent_ns = 0
        self._period_s = period_s
        self._sent_raw: tuple[int, int] = _UNSENT

    def is_due(self, speeds_raw: tuple[int, int], now_ns: int) -> bool:
        """Whether to send speeds now: left and right, in motor units."""
        (left_raw, right_raw), (sent_left_raw, sent_right_raw) = speeds_raw, self._sent_raw
        if left_raw != sent_left_raw or right_raw != sent_right_raw:
            return True
        period_s = self._period_s if left_raw != 0 or right_raw != 0 else _IDLE_PERIOD_S
        return (now_ns - self.sent_ns) * 1e-9 >= period_s

    def on_sent(self, speeds_raw: tuple[int, int], now_ns: int) -> None:
        """Record speeds that were sent."""
        self._sent_raw, self.sent_ns = speeds_raw, now_ns
