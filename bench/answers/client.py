"""A well-behaved client, a separate process: python -m bench.answers.client KIND --fleet 8 --robots 2,3 --goals 300.

It sends each of its robots one goal after another, a few centimetres away and home again, and prints events. After
SIGTERM it sends no more goals, and waits for those in progress.
"""

import argparse
import sys
import time
from collections.abc import Callable

from bench.answers.goal_events import EventKind, GoalEvent
from bench.answers.measured_clients import ClientKind, MeasuredClient, Sent, create
from fleet.commands.demo.generated_fleet import home_of
from fleet.errors import NoServerError
from fleet.geometry import Pose2D
from thymio_base.stop_signal import StopSignal

_ANSWER_S = 20.0
_END_S = 40.0
_STEP_S = 0.02
_PAUSE_S = 0.3  # after a rejection, or without a server
_NEARBY = Pose2D(0.05, 0.0, 0.0)  # relative to home


class Turns:
    """The goals of one robot, one at a time."""

    def __init__(self, robot_id: int, home: Pose2D) -> None:
        self._robot_id = robot_id
        self._nearby = home.compose(_NEARBY)
        self._is_out = False
        self._not_before_s = 0.0
        self._sent: Sent | None = None
        self._deadline_s = 0.0
        self._was_accepted = False

    @property
    def is_idle(self) -> bool:
        """Whether no goal is in progress."""
        return self._sent is None

    def send(self, client: MeasuredClient, now_s: float) -> bool:
        """Send the next goal unless one is in progress or the last was just refused; return whether it was sent."""
        if self._sent is not None or now_s < self._not_before_s:
            return False
        sent_s = time.monotonic()
        try:
            self._sent = client.send(self._robot_id, None if self._is_out else self._nearby)
        except NoServerError:
            self._report(EventKind.NO_SERVER, "")
            self._not_before_s = time.monotonic() + _PAUSE_S
            return False
        GoalEvent(sent_s, EventKind.SENT, self._robot_id, self._sent.task_id).write()
        self._is_out = not self._is_out
        self._was_accepted = False
        self._deadline_s = time.monotonic() + _ANSWER_S
        return True

    def check(self, now_s: float) -> None:
        """Report what happened to the goal in progress."""
        sent = self._sent
        if sent is None:
            return
        if sent.is_accepted and not self._was_accepted:
            self._was_accepted = True
            self._deadline_s = now_s + _END_S
            self._report(EventKind.ACCEPTED, sent.task_id)
        if sent.end == "REJECTED":
            self._finish(EventKind.REJECTED, sent)
            self._not_before_s = now_s + _PAUSE_S
        elif sent.end:
            self._finish(EventKind.ENDED, sent)
        elif now_s >= self._deadline_s:
            self._finish(EventKind.GAVE_UP, sent)

    def _finish(self, what: EventKind, sent: Sent) -> None:
        self._report(what, sent.task_id, sent.end, sent.reason)
        self._sent = None

    def _report(self, what: EventKind, task: str, detail: str = "", reason: str = "") -> None:
        GoalEvent(time.monotonic(), what, self._robot_id, task, detail, reason).write()


def run(
    make: Callable[[], MeasuredClient], turns: list[Turns], goals: int, goals_per_life: int, stop: StopSignal
) -> None:
    """Send goals; a new client is created for every `goals_per_life` goals."""
    left = goals
    while left > 0 and not stop.is_requested:
        client = make()
        budget = min(left, goals_per_life)
        left -= budget
        try:
            _live(client, turns, budget, stop)
        finally:
            client.close()


def _live(client: MeasuredClient, turns: list[Turns], budget: int, stop: StopSignal) -> None:
    while (budget > 0 and not stop.is_requested) or not all(turn.is_idle for turn in turns):
        for turn in turns:
            if budget > 0 and not stop.is_requested and turn.send(client, time.monotonic()):
                budget -= 1
        client.spin(_STEP_S)
        for turn in turns:
            turn.check(time.monotonic())


def main() -> int:
    """Run until all goals are over."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("kind", type=ClientKind)
    parser.add_argument("--fleet", type=int, required=True, help="size of the fleet, which determines their homes")
    parser.add_argument("--robots", required=True, help="the robots to send to")
    parser.add_argument("--goals", type=int, required=True)
    parser.add_argument(
        "--goals-per-life", type=int, default=sys.maxsize, help="a new client is created after this many goals"
    )
    options = parser.parse_args()
    stop = StopSignal()
    robot_ids = [int(robot) for robot in options.robots.split(",")]
    turns = [Turns(robot_id, home_of(robot_id - 1, options.fleet)) for robot_id in robot_ids]
    run(lambda: create(options.kind), turns, options.goals, options.goals_per_life, stop)
    return 0


if __name__ == "__main__":
    sys.exit(main())
