"""Flow control of frames: a browser acknowledges frames, so that none pile up anywhere."""

from typing import Final

_UNANSWERED: Final = 6  # frames; pages answer every second one
_SILENT_LOOKS: Final = 200  # ten seconds; counted, so that a paused server does not take browsers for silent
_SELDOM_NS: Final = 1_000_000_000  # a frame a second while nothing changes


class FrameCredit:
    """One browser's credit.

    Buffers do not limit a slow browser: kernel and server would hold minutes of frames before anything blocks.

    Attributes
    ----------
    version : the latest version of the state sent to it
    is_visible : whether its page is shown
    skipped : frames that were due and not sent
    """

    def __init__(self) -> None:
        self.version = 0
        self.is_visible = True
        self.skipped = 0
        self._unanswered: list[int] = []  # numbers of frames
        self._sent_ns = -_SELDOM_NS
        self._silent_looks = 0  # since the last answer, while one is owed

    @property
    def is_dead(self) -> bool:
        """Whether the browser has not answered for too long."""
        return self._silent_looks > _SILENT_LOOKS

    def is_due(self, has_news: bool, now_ns: int) -> bool:
        """Whether to send a frame now; called twenty times a second."""
        self._silent_looks = self._silent_looks + 1 if self._unanswered else 0
        if not self.is_visible or not (has_news or now_ns - self._sent_ns >= _SELDOM_NS):
            return False
        if len(self._unanswered) >= _UNANSWERED:
            self.skipped += 1
            return False
        return True

    def on_sent(self, number: int, now_ns: int) -> None:
        """Note that a frame was sent."""
        self._unanswered.append(number)
        self._sent_ns = now_ns

    def on_answer(self, number: int) -> None:
        """Note an answer, which covers all earlier frames too; an answer to an unknown frame is ignored."""
        if number in self._unanswered:
            self._unanswered = [one for one in self._unanswered if one > number]
            self._silent_looks = 0

    def set_visible(self, is_visible: bool) -> None:
        """Note whether the page is shown; a hidden page does not answer."""
        self.is_visible = is_visible
        self._unanswered.clear()
