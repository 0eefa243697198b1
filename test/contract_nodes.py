"""The nodes that are held to the contract: ours in memory and on TCP, the Aseba playground's, and a real one."""

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from aseba_link.message import MessageType
from contract_host import ContractHost
from node_under_test import (
    NodeUnderTest,
    node_at,
    playground_node,
    simulation_in_memory,
    simulation_on_tcp,
    simulator_program,
)
from thymio_contract import FIRMWARE_14, PLAYGROUND, SIMULATOR, Terms

TARGET = os.environ.get("THYMIO_TARGET", "")  # of a real robot
EVERY_NODE = [
    "memory",
    "tcp",
    pytest.param("playground", marks=pytest.mark.peers),
    *(["target"] if TARGET else []),
]
IN_REAL_TIME = "program"  # for what the others do not show: the simulator as users start it

_NODES: dict[str, tuple[Callable[[Path], AbstractContextManager[NodeUnderTest]], Terms]] = {
    "memory": (simulation_in_memory, SIMULATOR),
    "tcp": (simulation_on_tcp, SIMULATOR),
    "program": (simulator_program, SIMULATOR),
    "playground": (playground_node, PLAYGROUND),
    "target": (lambda _: node_at(TARGET), FIRMWARE_14),
}


@contextmanager
def reached(name: str, folder: Path) -> Iterator[ContractHost]:
    """Be the host of a node that has just been reset, and is left without a script and standing still."""
    start, terms = _NODES[name]
    with start(folder) as node:
        host = ContractHost(node, terms)
        host.say(MessageType.RESET)
        host.say(MessageType.BREAKPOINT_CLEAR_ALL)
        host.heard()
        yield host
        host.leave()
