"""A vehicle as its master sees it: random orders, updates, cancels and pauses, each repeated until answered."""

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import Any, Final

_AGAIN_S: Final = 3.0  # after which an unanswered message is repeated, as QoS is 0
_STUCK_S: Final = 30.0  # without progress, after which the order is canceled
_CANCELED: Final = 0.25  # share of the orders
_PAUSED: Final = 0.15
_ACTING: Final = 0.3  # share of the nodes
_EARLY: Final = 0.01  # share of the steps in which more is released before the vehicle asks for it
_FINAL: Final = ("FINISHED", "FAILED")
_DEVIATION_M: Final = 0.3  # of the first node, as a robot may have been stopped beside its way

Send = Callable[[str, dict[str, Any]], None]  # topic and values


class MasteredVehicle:
    """A vehicle with an order, and the findings about it.

    Parameters
    ----------
    serial : its name
    send : publishes a message for it
    way : returns the nodes of its next order after the first (x and y, m)
    chance : draws all other choices
    is_calm : whether it only drives, without actions, cancels and pauses
    is_at_once : whether orders are released as a whole, instead of node by node

    Attributes
    ----------
    ends : numbers of completed, canceled and refused orders
    problems : violations of the protocol
    motions_s : times from an order to the first state of a driving robot
    drives_s : times from there to the state that completes the order
    """

    def __init__(
        self,
        serial: str,
        send: Send,
        way: Callable[[], Sequence[tuple[float, float]]],
        chance: random.Random,
        *,
        is_calm: bool,
        is_at_once: bool = False,
    ) -> None:
        self.serial: Final = serial
        self._send: Final = send
        self._way: Final = way
        self._chance: Final = chance
        self._is_calm: Final = is_calm
        self._is_at_once: Final = is_at_once
        self._numbers: Final = count(1)
        self.ends: Final[Counter[str]] = Counter()
        self.problems: Final[list[str]] = []
        self.motions_s: Final[list[float]] = []
        self.drives_s: Final[list[float]] = []
        self.state: Mapping[str, Any] = {}
        self._over: set[str] = set()
        self._heard_s = self._ordered_s = 0.0
        self._has_moved = True
        self._clear()

    @property
    def order_id(self) -> str:
        """The id of the present order; "" without one."""
        return self._order_id

    def on_state(self, state: Mapping[str, Any], now_s: float) -> None:
        """Take a state, and check it against the previous state."""
        before, self.state, self._heard_s = self.state, state, now_s
        order_id, sequence_id = state["orderId"], state["lastNodeSequenceId"]
        if state["driving"] and order_id == self._order_id and not self._has_moved:
            self._has_moved, self._moved_s = True, now_s
            self.motions_s.append(now_s - self._ordered_s)
        if order_id == before.get("orderId"):
            if sequence_id < before["lastNodeSequenceId"]:
                self.problems.append(
                    f"{self.serial} {order_id}: node {before['lastNodeSequenceId']}, then {sequence_id}"
                )
            ended = {one["actionId"]: one for one in before["actionStates"] if one["actionStatus"] in _FINAL}
            for one in state["actionStates"]:
                if one["actionId"] in ended and one["actionStatus"] != ended[one["actionId"]]["actionStatus"]:
                    self.problems.append(f"{self.serial} {order_id}: an action began again: {one}")
            if (sequence_id, len(state["nodeStates"])) != (before["lastNodeSequenceId"], len(before["nodeStates"])):
                self._progress_s = now_s
        if order_id in self._over and state["nodeStates"]:
            self.problems.append(f"{self.serial} {order_id}: goes on after its end")

    def advance(self, now_s: float, *, may_begin: bool) -> None:
        """Send the messages that are due."""
        if not self.state or self.state["operatingMode"] != "AUTOMATIC" or "agvPosition" not in self.state:
            return
        if not self._order_id:
            if may_begin:
                self._begin(now_s)
            return
        if self.state["orderId"] == self._order_id and self._is_settled():
            return
        if now_s - self._sent_s > _AGAIN_S:
            self._repeat(now_s)
        if self.state["orderId"] != self._order_id:
            return
        if self._update_id == self.state["orderUpdateId"] and self._released < len(self._nodes) and self._needs_base():
            self._release(now_s)
        self._disturb(now_s)

    def _clear(self) -> None:
        self._order_id: str = ""
        self._nodes: list[dict[str, Any]] = []
        self._update_id = self._first = self._released = 0
        self._has_moved = True
        self._sent_s = self._progress_s = self._moved_s = 0.0
        self._ordered_s = 0.0
        self._cancel_s = self._pause_s = self._resume_s = float("inf")
        self._instants: dict[str, str] = {}

    def _begin(self, now_s: float) -> None:
        here = self.state["agvPosition"]
        self._clear()
        self._order_id = f"{self.serial}-{next(self._numbers)}-{self._chance.randrange(10**6)}"
        self._nodes = [self._node(index, *place) for index, place in enumerate([(here["x"], here["y"]), *self._way()])]
        self._released = len(self._nodes) if self._is_at_once else 2
        self._ordered_s = self._progress_s = now_s
        self._has_moved = False
        if not self._is_calm and self._chance.random() < _CANCELED:
            self._cancel_s = now_s + self._chance.uniform(0.0, 15.0)
        if not self._is_calm and self._chance.random() < _PAUSED:
            self._pause_s = now_s + self._chance.uniform(0.0, 8.0)
        self._send_order(now_s)

    def _node(self, index: int, x_m: float, y_m: float) -> dict[str, Any]:
        position = {"x": x_m, "y": y_m, "mapId": "map", "allowedDeviationXY": 0.0 if index else _DEVIATION_M}
        actions = []
        if index and not self._is_calm and self._chance.random() < _ACTING:
            name = self._chance.choice(("pick", "drop", "wait", "beep"))
            ids = {"actionId": f"{self._order_id}-{index}", "actionType": name}
            actions.append(ids | {"blockingType": "HARD", "actionParameters": []})
        return {"nodeId": f"n{index}", "sequenceId": 2 * index, "nodePosition": position, "actions": actions}

    def _send_order(self, now_s: float) -> None:
        self._sent_s = now_s
        nodes = [node | {"released": node["sequenceId"] < 2 * self._released} for node in self._nodes[self._first :]]
        edges = [
            {
                "edgeId": f"e{index}",
                "sequenceId": 2 * index + 1,
                "released": index + 1 < self._released,
                "startNodeId": f"n{index}",
                "endNodeId": f"n{index + 1}",
                "actions": [],
            }
            for index in range(self._first, len(self._nodes) - 1)
        ]
        self._send(
            "order", {"orderId": self._order_id, "orderUpdateId": self._update_id, "nodes": nodes, "edges": edges}
        )

    def _needs_base(self) -> bool:
        is_wanted = bool(self.state["newBaseRequest"]) or (not self._is_calm and self._chance.random() < _EARLY)
        return is_wanted and not self._is_canceling

    @property
    def _is_canceling(self) -> bool:
        return "cancelOrder" in self._instants.values()

    def _release(self, now_s: float) -> None:
        self._first = self._released - 1
        self._released += 1 if self._is_calm else self._chance.randint(1, len(self._nodes) - self._released)
        self._update_id += 1
        self._send_order(now_s)

    def _disturb(self, now_s: float) -> None:
        """Cancel, pause and resume at random."""
        if now_s >= self._pause_s:
            self._pause_s, self._resume_s = float("inf"), now_s + self._chance.uniform(1.0, 4.0)
            self._act("startPause", now_s)
        if now_s >= self._resume_s:
            self._resume_s, self._progress_s = float("inf"), now_s
            self._act("stopPause", now_s)
        is_stuck = now_s - self._progress_s > _STUCK_S
        if (now_s >= self._cancel_s or is_stuck) and not self._is_canceling:
            self._cancel_s = float("inf")
            self._act("cancelOrder", now_s)

    def _act(self, name: str, now_s: float) -> None:
        action_id = f"{self._order_id}-{name}-{next(self._numbers)}"
        self._instants[action_id] = name
        self._sent_s = now_s
        self._send_action(action_id)

    def _send_action(self, action_id: str) -> None:
        values = {"actionId": action_id, "actionType": self._instants[action_id], "blockingType": "NONE"}
        self._send("instantActions", {"actions": [values | {"actionParameters": []}]})

    def _repeat(self, now_s: float) -> None:
        """Repeat unanswered messages."""
        self._sent_s = now_s
        known = {one["actionId"] for one in self.state["actionStates"]}
        for action_id in self._instants:
            if action_id not in known:
                self._send_action(action_id)
        if self.state["orderId"] != self._order_id and self.state["errors"]:
            self.ends["refused"] += 1  # it is elsewhere or unavailable; the next order starts from its place then
            self._clear()
        elif (self.state["orderId"], self.state["orderUpdateId"]) != (self._order_id, self._update_id):
            self._send_order(now_s)

    def _is_settled(self) -> bool:
        """Note the end of the order, and return whether it has ended."""
        statuses = {one["actionId"]: one["actionStatus"] for one in self.state["actionStates"]}
        is_empty = not self.state["nodeStates"] and not self.state["edgeStates"]
        cancels = [action_id for action_id, name in self._instants.items() if name == "cancelOrder"]
        if any(statuses.get(action_id) == "FINISHED" for action_id in cancels):
            end = "canceled"
        elif is_empty and self._released == len(self._nodes) and self._update_id == self.state["orderUpdateId"]:
            if any(statuses.get(action_id, "WAITING") not in _FINAL for action_id in self._instants):
                return False
            if any(status not in _FINAL for status in statuses.values()):
                return False
            end = "completed"
            self.drives_s.append(self._heard_s - self._moved_s)
        else:
            return False
        self.ends[end] += 1
        self._over.add(self._order_id)
        self._clear()
        return True
