"""The nodes tested against the contract: ours in memory and on TCP, the Aseba playground's, and a real one."""

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from aseba_link.wire.message import MessageType
from harness.aseba.contract_host import ContractHost
from harness.aseba.node_under_test import (
    NodeUnderTest,
    node_at,
    playground_node,
    simulation_in_memory,
    simulation_on_tcp,
    simulator_program,
)
from harness.aseba.thymio_contract import FIRMWARE_14, PLAYGROUND, SIMULATOR, Terms

TARGET = os.environ.get("THYMIO_TARGET", "")  # of a real robot
ON_OUR_CLOCK = ["memory", "tcp", *(["target"] if TARGET else [])]
PLAYGROUND_NODE = pytest.param("playground", marks=pytest.mark.peers)
EVERY_NODE = [*ON_OUR_CLOCK, PLAYGROUND_NODE]
PROGRAMS = [PLAYGROUND_NODE, "program"]  # they fall behind the clock on a busy machine; ours is started as by users

_NODES: dict[str, tuple[Callable[[Path], AbstractContextManager[NodeUnderTest]], Terms]] = {
    "memory": (simulation_in_memory, SIMULATOR),
    "tcp": (simulation_on_tcp, SIMULATOR),
    "program": (simulator_program, SIMULATOR),
    "playground": (playground_node, PLAYGROUND),
    "target": (lambda _: node_at(TARGET), FIRMWARE_14),
}


@contextmanager
def reached(name: str, folder: Path) -> Iterator[ContractHost]:
    """Yield the host of a freshly reset node, and leave the node without a script and standing still."""
    start, terms = _NODES[name]
    with start(folder) as node:
        host = ContractHost(node, terms)
        host.send(MessageType.RESET)
        host.send(MessageType.BREAKPOINT_CLEAR_ALL)
        host.received()
        yield host
        host.leave()
