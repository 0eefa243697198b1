"""What happens to several nodes at once is one line."""

from typing import Any

from aseba_link.host.link_events import LinkEvent, NodeLost, NodeReady, TargetConnected, TargetLost
from aseba_link.host.node import Node, NodeAddress
from fleet.ros.edge.link_log import log_link_events
from harness.aseba.script_run import DESCRIPTION


class Log:
    """A logger that keeps its lines."""

    def __init__(self) -> None:
        self.lines: list[tuple[str, str]] = []

    def info(self, text: str) -> None:
        self.lines.append(("info", text))

    def warning(self, text: str) -> None:
        self.lines.append(("warning", text))


def logged(*events: LinkEvent, foreign: tuple[int, ...] = ()) -> list[tuple[str, str]]:
    log: Any = Log()
    log_link_events(events, log, lambda node: node.address.node_id in foreign)
    lines: list[tuple[str, str]] = log.lines
    return lines


def ready(target: str, *ids: int) -> list[NodeReady]:
    return [NodeReady(Node(NodeAddress(target, node_id), DESCRIPTION, "")) for node_id in ids]


def test_nodes_that_are_ready_at_once_are_one_line() -> None:
    assert logged(TargetConnected("tcp:a"), *ready("tcp:a", *range(1, 9))) == [
        ("info", "tcp:a: connected"),
        ("info", "nodes 1 to 8 on tcp:a are ready"),
    ]


def test_each_target_and_each_reason_has_its_line() -> None:
    lost = [NodeLost(NodeAddress("tcp:a", one), reason) for one, reason in ((1, "gone"), (2, "gone"), (3, "silent"))]
    assert logged(*lost, *ready("ser:b", 1), TargetLost("tcp:a", "closed")) == [
        ("warning", "tcp:a: closed; trying again"),
        ("warning", "nodes 1 and 2 on tcp:a are lost: gone"),
        ("warning", "node 3 on tcp:a is lost: silent"),
        ("info", "node 1 on ser:b is ready"),
    ]


def test_nodes_without_a_robot_are_distinguished() -> None:
    assert logged(*ready("tcp:a", 1, 2, 9), foreign=(9,)) == [
        ("info", "nodes 1 and 2 on tcp:a are ready"),
        ("info", "node 9 on tcp:a is ready, but not of this fleet"),
    ]
