"""Hostile targets, or hostile clients of our switch, do not stop the link or a healthy target."""

import resource
from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from aseba_link.aesl.compiler import ScriptCompiler, shipped_script
from aseba_link.host.link_events import LinkEvent, NodeLost, TargetLost, UserEvent
from aseba_link.host.node import NodeAddress
from aseba_link.host.script_policy import ScriptPolicy
from aseba_link.link.aseba_link import AsebaLink
from aseba_link.link.connection import MAX_QUEUED, Connection, pipe
from aseba_link.link.switch import Switch
from aseba_link.link.target import Target, TcpTarget
from aseba_link.thymio.events import Event
from bench.doors.requests.hostile_peers import Attacks, HostilePeer
from harness.aseba.link_bench import LinkBench
from harness.aseba.robots_in_memory import POLL_NS, RobotsInMemory, dialled

pytestmark = pytest.mark.slow

MESSAGES = 100_000
MEMORY_KB = 50_000
READY_S = 2.0
WINDOW_S = 0.25  # odometry arrives at 20 Hz
HEALTHY = "tcp:healthy;33333"


@dataclass(slots=True)
class Health:
    """Service of the healthy target: robots that were ready in time, windows without odometry, losses."""

    ready: list[int] = field(default_factory=list)
    missed: list[int] = field(default_factory=list)  # node ids
    lost: list[LinkEvent] = field(default_factory=list)
    refused: int = 0  # commands that the link did not accept


class HostileTargets(LinkBench):
    """A link to a healthy target and hostile ones of every kind, or hostile clients of its switch."""

    def __init__(self, folder: Path, seed: int, *, as_clients: bool = False) -> None:
        self.health = Health()
        self.dropped = 0  # messages, by the link's count
        self._healthy = RobotsInMemory(folder, 2)
        attacks = Attacks(np.random.default_rng(seed), RobotsInMemory(folder, 2).simulation)
        self.peers = {f"tcp:hostile;{number}": peer for number, peer in enumerate(attacks.peers(), 1)}
        targets = [HEALTHY] if as_clients else [*self.peers, HEALTHY]
        switch = Switch(Acceptor(list(self.peers.values())), loop=True) if as_clients else None
        link = AsebaLink(targets, ScriptPolicy(ScriptCompiler(shipped_script())), self, switch)
        super().__init__(link, self._healthy, *self.peers.values(), step_ns=POLL_NS)

    def dial(self, target: Target) -> Future[Connection]:
        """Act as the link's dialer."""
        is_hostile = isinstance(target, TcpTarget) and target.host == "hostile"
        return dialled(
            self.peers[f"tcp:hostile;{target.port}"].accept if is_hostile else self._healthy.simulation.network.attach
        )

    @property
    def messages(self) -> int:
        """Number of messages sent by hostile targets."""
        return sum(peer.frames for peer in self.peers.values())

    def attack(self, messages: int) -> None:
        """Run until hostile targets have sent this many messages."""
        self.run(READY_S)
        self.health.ready = sorted(address.node_id for address in self.link.nodes if address.target == HEALTHY)
        while self.messages < messages:
            self._window()
        self.dropped = self.link.dropped
        self.link.close()

    def _window(self) -> None:
        """Command and query every robot for a while; record the healthy robots that report nothing in it."""
        for address in self.link.nodes:
            node = self.link.node(address)
            node.request_variable("_vbat")
            is_accepted = node.emit(Event.SET_SPEED, [address.node_id, 50, 50])
            self.health.refused += address.target == HEALTHY and not is_accepted
        reported = set()
        for event in self.run(WINDOW_S):
            match event:
                case UserEvent(NodeAddress(target, node_id), Event.ODOMETRY) if target == HEALTHY:
                    reported.add(node_id)
                case NodeLost(NodeAddress(target)) | TargetLost(target) if target == HEALTHY:
                    self.health.lost.append(event)
        self.health.missed += [node_id for node_id in self.health.ready if node_id not in reported]


class Acceptor:
    """Connects every hostile peer that is not connected to our switch."""

    def __init__(self, peers: list[HostilePeer]) -> None:
        self._peers = peers

    def accept(self) -> Iterator[Connection]:
        """See `Acceptor.accept`."""
        for peer in self._peers:
            if not peer.is_connected:
                ours, theirs = pipe()
                peer.accept(ours)
                yield theirs

    def close(self) -> None:
        """See `Acceptor.close`."""
        self._peers = []


@pytest.fixture(scope="module")
def targets(tmp_path_factory: pytest.TempPathFactory) -> tuple[HostileTargets, int]:
    """Return a run with hostile targets, and its growth of the process's peak memory."""
    before_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    targets = HostileTargets(tmp_path_factory.mktemp("targets"), seed=1)
    targets.attack(MESSAGES)
    return targets, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_kb


def test_hostile_targets_do_not_disturb_a_healthy_one(targets: tuple[HostileTargets, int]) -> None:
    assert targets[0].messages >= MESSAGES
    assert targets[0].health == Health(ready=[1, 2])


def test_hostile_targets_cost_a_bounded_amount_of_memory(targets: tuple[HostileTargets, int]) -> None:
    hostile, grown_kb = targets
    assert grown_kb < MEMORY_KB
    assert max(peer.longest_queue for peer in hostile.peers.values()) <= MAX_QUEUED


@pytest.mark.parametrize("name", ["random bytes", "truncated frames", "oversized lengths", "stalled"])
def test_hostile_target_that_breaks_the_framing_is_dialled_repeatedly(
    targets: tuple[HostileTargets, int], name: str
) -> None:
    assert next(peer for peer in targets[0].peers.values() if peer.name == name).connections >= 3


def test_malformed_messages_of_hostile_targets_are_counted(targets: tuple[HostileTargets, int]) -> None:
    assert targets[0].dropped > 1000


@pytest.mark.parametrize("seed", [2, 3])
def test_hostile_clients_of_our_switch_do_not_disturb_a_target(tmp_path: Path, seed: int) -> None:
    hostile = HostileTargets(tmp_path, seed, as_clients=True)
    hostile.attack(MESSAGES // 4)
    assert hostile.health == Health(ready=[1, 2])
