"""Disturbances of drivers while answers to goals are counted: hand-overs between drivers, and kills."""

import signal
import time

from bench.answers.answer_stage import AnswerStage
from bench.answers.goal_events import EventKind, serving

CLIENT = "client"  # the name of the process whose goals are in progress
_DRIVERS = ("driver", "second")
_TURN_S = 30.0
_GOAL_S = 10.0
_READY_S = 60.0
_MANY_GOALS = 10_000


class HandOvers:
    """Repeatedly suspends the serving driver until the other one serves."""

    def __init__(self, stage: AnswerStage, count: int) -> None:
        self._stage = stage
        self._count = count
        self._all = set(range(1, stage.robots + 1))
        self.done = 0

    def prepare(self) -> None:
        """Start a second driver of the same robots, and wait for its first report."""
        first = self._serving()
        self._stage.start_driver("second")
        if not self._stage.wait_for(lambda: len(self._reported()) > 1, _READY_S):
            raise RuntimeError(f"the second driver does not report\n{self._stage.log('second')}")
        self._names = {token: "driver" if token == first else "second" for token in self._reported()}

    def run(self) -> None:
        """Do all hand-overs, or stop when a driver has ended or a hand-over does not happen."""
        while self.done < self._count and self._hand_over() and self._are_running():
            self.done += 1

    def _are_running(self) -> bool:
        return all(map(self._stage.is_running, _DRIVERS))

    def _hand_over(self) -> bool:
        """Hand over once a goal is in progress, or after a time-out; return whether it succeeded."""
        since_s = time.monotonic()
        self._stage.wait_for(lambda: self._stage.accepted_after_s(CLIENT, since_s) is not None, _GOAL_S)
        token = self._serving()
        driver = self._stage.process(self._names[token])
        driver.send_signal(signal.SIGSTOP)
        try:
            self._stage.wait_for(lambda: self._serving() != token or not self._are_running(), _TURN_S)
            is_handed_over = self._serving() != token
        finally:
            driver.send_signal(signal.SIGCONT)
        woken_s = time.monotonic()
        self._stage.wait_for(lambda: self._is_settled(woken_s) or not self._are_running(), _TURN_S)
        return is_handed_over and self._is_settled(woken_s)

    def _is_settled(self, since_s: float) -> bool:
        """Whether both drivers have reported since an instant, one serving all robots and the other none."""
        served = list(self._reported(since_s).values())
        return len(served) == len(self._names) and sorted(map(len, served)) == [0, len(self._all)]

    def _serving(self) -> str:
        """Return the token of the driver that last reported serving all robots, "" if there is none."""
        reports = self._stage.reported("watcher", EventKind.SERVES)
        full = [event.task for event in reports if len(event.detail.split()) == len(self._all)]
        return full[-1] if full else ""

    def _reported(self, since_s: float = 0.0) -> dict[str, set[int]]:
        return serving(self._stage.reported("watcher", EventKind.SERVES), since_s)


class Kills:
    """Kills the driver every few seconds, and restarts it at once."""

    def __init__(self, stage: AnswerStage, count: int, period_s: float) -> None:
        self._stage = stage
        self._count = count
        self._period_s = period_s
        self.done = 0
        self.crashes = 0  # drivers that ended before they were killed
        self.ready_after_s: float | None = None

    def prepare(self) -> None:
        """Kill the driver once on an idle machine, and measure when it accepts goals again."""
        killed_s = time.monotonic()
        self._kill()
        self._stage.start_client("probe", "waiting", "--robots", "1", "--goals", str(_MANY_GOALS))
        self._stage.wait_for(lambda: self._stage.accepted_after_s("probe", killed_s) is not None, _READY_S)
        self.ready_after_s = self._stage.accepted_after_s("probe", killed_s)
        self._stage.process("probe").send_signal(signal.SIGTERM)
        self._stage.wait_for(lambda: not self._stage.is_running("probe"), _READY_S)
        self._stage.wait_until_ready()

    def run(self) -> None:
        """Do all kills; the last driver keeps running."""
        while self.done < self._count:
            self.crashes += self._stage.wait_for(lambda: not self._stage.is_running("driver"), self._period_s)
            self._kill()
            self.done += 1

    def _kill(self) -> None:
        driver = self._stage.process("driver")
        driver.kill()
        driver.wait()
        self._stage.start_driver()
