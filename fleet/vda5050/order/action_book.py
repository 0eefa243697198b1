"""States of actions; each ends once, as finished or failed."""

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import Enum
from typing import Final

from fleet.vda5050.order.order_graph import OrderedAction

_INSTANT_MAX: Final = 100  # ended instant actions to report


class ActionStatus(Enum):
    """The status of an action; the value is that of messages."""

    WAITING = "WAITING"  # for the robot's arrival, or for other actions
    RUNNING = "RUNNING"
    PAUSED = "PAUSED"  # the robot was stopped during it, and will start it again
    FINISHED = "FINISHED"
    FAILED = "FAILED"

    @property
    def is_over(self) -> bool:
        """Whether the status is final."""
        return self in (ActionStatus.FINISHED, ActionStatus.FAILED)


@dataclass(frozen=True, slots=True)
class ActionState:
    """An action with its status, and a sentence about its end."""

    action_id: str
    name: str
    status: ActionStatus = ActionStatus.WAITING
    result: str = ""


class ActionBook:
    """The states of an order's actions, or of instant actions, in order of arrival."""

    def __init__(self, states: Iterable[ActionState] = ()) -> None:
        self._states: dict[str, ActionState] = {state.action_id: state for state in states}

    def __iter__(self) -> Iterator[ActionState]:
        return iter(self._states.values())

    def __contains__(self, action_id: str) -> bool:
        return action_id in self._states

    @property
    def has_open(self) -> bool:
        """Whether any action has not ended."""
        return any(not state.status.is_over for state in self)

    def add(self, action: OrderedAction) -> None:
        """Add a waiting action, unless it is already known."""
        self._states.setdefault(action.action_id, ActionState(action.action_id, action.name))

    def mark(self, action_id: str, status: ActionStatus, result: str = "") -> None:
        """Change the status of an action, unless it has ended."""
        state = self._states.get(action_id)
        if state is not None and not state.status.is_over:
            self._states[action_id] = replace(state, status=status, result=result)

    def fail_open(self, result: str, statuses: Container[ActionStatus] = tuple(ActionStatus)) -> None:
        """End all actions that have not ended, or those with some statuses."""
        for state in list(self):
            if state.status in statuses:
                self.mark(state.action_id, ActionStatus.FAILED, result)

    def keep(self, action_ids: set[str]) -> None:
        """Drop waiting actions that are not among these, as their part of the horizon was replaced."""
        for state in list(self):
            if state.status is ActionStatus.WAITING and state.action_id not in action_ids:
                del self._states[state.action_id]

    def clear(self) -> None:
        """Forget all actions."""
        self._states.clear()

    def forget_ended(self, keeps: int = _INSTANT_MAX) -> None:
        """Forget the oldest ended actions, except the latest `keeps`."""
        ended = [state.action_id for state in self if state.status.is_over]
        for action_id in ended[: max(0, len(ended) - keeps)]:
            del self._states[action_id]
