"""Tracks the steps of an order: done, given to the robot, and still to be given."""

from collections.abc import Callable, Iterable
from typing import Final

from fleet.vda5050.order.robot_facts import CancelRun, ExtendRun, RunReport, RunRequest, RunState, StartRun
from fleet.vda5050.order.route_steps import RouteStep

LEGS_MAX: Final = 200  # in one request
_NEW_TASK_REASONS: Final = ("OUTDATED_UPDATE", "NOT_RUNNING")  # the robot's task is not the one assumed


class StepRun:
    """The steps of one order; a step counts as done only after the robot has reported that."""

    def __init__(self, new_id: Callable[[], str]) -> None:
        self._new_id = new_id  # returns an id that no task had before
        self.run_id = ""  # of the robot's task; "" without one
        self.rest: list[RouteStep] = []  # the robot was not given yet
        self.given: list[RouteStep] = []  # of the task
        self.done = 0  # how many of those
        self.pending: list[RouteStep] = []  # of an extension that is not answered
        self.is_unwanted = False  # the task is to be canceled
        self.is_running = False  # the robot performs it
        self._is_closed = False  # the task cannot be extended: the rest is a new one

    @property
    def current(self) -> RouteStep | None:
        """The step that the robot performs now; None while it performs none."""
        return self.given[self.done] if self.is_running and self.done < len(self.given) else None

    @property
    def next_step(self) -> RouteStep | None:
        """The first step that is not done, given to the robot or not."""
        return next(iter((*self.given[self.done :], *self.pending, *self.rest)), None)

    def pass_by(self) -> list[RouteStep]:
        """Return the steps at the front that need no robot, and mark them as done."""
        passed: list[RouteStep] = []
        while not self.run_id and self.rest and not self.rest[0].is_leg:
            passed.append(self.rest.pop(0))
        return passed

    def drop(self) -> None:
        """Forget the remaining steps; the task becomes unwanted."""
        self.rest, self.pending = [], []
        self.is_unwanted = bool(self.run_id)

    def skip(self) -> RouteStep:
        """Return the first remaining step, and drop it."""
        return self.rest.pop(0)

    def stop(self) -> None:
        """Keep the remaining steps for later; the task becomes unwanted."""
        self.is_unwanted = bool(self.run_id)

    def due(self, may_start: bool) -> RunRequest | None:
        """Return the request to send now, repeatedly until the robot has answered."""
        if self.run_id and self.is_unwanted:
            return CancelRun(self.run_id)
        if not self.run_id:
            return self._start() if may_start and self.rest else None
        if self.is_running and self.rest and not self.pending and not self._is_closed:
            self.pending, self.rest = _first_legs(self.rest)
            if not _legs(self.pending):
                self._accept_pending()
        return ExtendRun(self.run_id, _legs(self.given), tuple(self.pending)) if self.pending else None

    def on_extension(self, run_id: str, is_accepted: bool, reason: str = "") -> None:
        """Process the answer to an extension; after a refusal the rest is driven in a new task."""
        if run_id != self.run_id or not self.pending:
            return
        if is_accepted:
            self._accept_pending()
        else:
            self._return_pending()
            self._is_closed = True
            self.is_unwanted = self.is_unwanted or reason in _NEW_TASK_REASONS

    def on_report(self, report: RunReport) -> list[RouteStep]:
        """Process a report on the task; return the steps completed since the previous report."""
        if report.run_id != self.run_id or not self.run_id:
            return []
        if self.pending and report.legs >= _legs(self.given) + _legs(self.pending):
            self._accept_pending()
        self.is_running = report.state is RunState.RUNNING
        finished = self._finished(report)
        if report.state.is_over:
            self._end()
        return finished

    def _start(self) -> StartRun:
        self.run_id, self.done = self._new_id(), 0
        self.given, self.rest = _first_legs(self.rest)
        self.is_unwanted = self.is_running = self._is_closed = False
        return StartRun(self.run_id, tuple(self.given))

    def _finished(self, report: RunReport) -> list[RouteStep]:
        legs_done = _legs(self.given) if report.state is RunState.SUCCEEDED else report.legs_done
        before, legs = self.done, _legs(self.given[: self.done])
        while self.done < len(self.given):
            legs += self.given[self.done].is_leg
            if legs > legs_done:
                break
            self.done += 1
        return self.given[before : self.done]

    def _accept_pending(self) -> None:
        self.given, self.pending = [*self.given, *self.pending], []

    def _return_pending(self) -> None:
        self.rest, self.pending = [*self.pending, *self.rest], []

    def _end(self) -> None:
        self._return_pending()
        self.rest = [*self.given[self.done :], *self.rest]
        self.given, self.done, self.run_id = [], 0, ""
        self.is_unwanted = self.is_running = False


def _legs(steps: Iterable[RouteStep]) -> int:
    return sum(step.is_leg for step in steps)


def _first_legs(steps: list[RouteStep]) -> tuple[list[RouteStep], list[RouteStep]]:
    """Return the steps that fit into one request, and the rest."""
    legs = 0
    for index, step in enumerate(steps):
        legs += step.is_leg
        if legs > LEGS_MAX:
            return steps[:index], steps[index:]
    return steps, []
