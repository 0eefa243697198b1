"""Attacks a link that has a healthy target too, in memory, in counted time: python -m bench.fuzz --messages 1000000.

Prints the counts of each kind of hostile peer, and whether the healthy target was served all the time.
"""

import argparse
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from aseba_link.aesl.compiler import ScriptCompiler, shipped_script
from aseba_link.host.link_events import LinkEvent, NodeLost, NodeReady, TargetLost, UserEvent
from aseba_link.host.node import NodeAddress
from aseba_link.host.script_policy import ScriptPolicy
from aseba_link.link.aseba_link import AsebaLink
from aseba_link.link.connection import Connection, pipe
from aseba_link.link.switch import Switch
from aseba_link.link.target import Target, TcpTarget
from aseba_link.thymio.events import Event
from bench.disturbances.hostile_peers import Attacks, HostilePeer
from simulator.simulation.simulation import Simulation
from simulator.world.config import load_world

POLL_NS = 50_000_000
WINDOW_NS = 250_000_000  # odometry arrives at 20 Hz
READY_S = 2.0

_STEPS = 5  # of the simulation per poll
_ROBOTS = 2
_HEALTHY = "tcp:healthy;33333"


@dataclass(slots=True)
class Health:
    """Service of the healthy target: robots that were ready in time, windows without odometry, losses."""

    ready: list[int] = field(default_factory=list)
    missed: list[tuple[int, int]] = field(default_factory=list)  # node id, end of the window
    lost: list[LinkEvent] = field(default_factory=list)
    refused: int = 0  # commands that the link did not accept


class Fuzz:
    """A link to a healthy target and hostile ones of every kind, or hostile clients of its switch.

    Parameters
    ----------
    folder : for the world's file
    seed : of all randomness
    as_clients : whether hostile peers are clients
    """

    def __init__(self, folder: Path, seed: int, as_clients: bool = False) -> None:
        self.health = Health()
        self.now_ns = 0
        self._healthy = _simulation(folder)
        attacks = Attacks(np.random.default_rng(seed), _simulation(folder))
        self.peers = {f"tcp:hostile;{index + 1}": peer for index, peer in enumerate(attacks.peers())}
        self.slowest_poll_s = 0.0
        self.dropped = 0
        self._reported: set[int] = set()
        targets = [_HEALTHY] if as_clients else [*self.peers, _HEALTHY]
        switch = Switch(_PeerAcceptor(list(self.peers.values())), loop=True) if as_clients else None
        self._link = AsebaLink(targets, ScriptPolicy(ScriptCompiler(shipped_script())), self, switch)

    def dial(self, target: Target) -> Future[Connection]:
        """Act as the link's dialer."""
        ours, theirs = pipe()
        attempt: Future[Connection] = Future()
        attempt.set_result(ours)
        if isinstance(target, TcpTarget) and target.host == "hostile":
            self.peers[f"tcp:hostile;{target.port}"].accept(theirs)
        else:
            self._healthy.network.attach(theirs)
        return attempt

    @property
    def messages(self) -> int:
        """Number of messages sent by hostile targets."""
        return sum(peer.frames for peer in self.peers.values())

    def run(self, messages: int) -> None:
        """Run until hostile targets have sent this many messages."""
        while self.now_ns < READY_S * 1e9:
            self._poll()
        self.health.ready = sorted(address.node_id for address in self._link.nodes if address.target == _HEALTHY)
        while self.messages < messages:
            self._watch_window()
        self.dropped = self._link.dropped
        self._link.close()

    def _watch_window(self) -> None:
        """Command and query every robot for a window; record the healthy robots that report nothing in it."""
        self._reported.clear()
        for address in self._link.nodes:
            node = self._link.node(address)
            node.emit(Event.SET_SPEED, [address.node_id, 0, 0])
            node.request_variable("_vbat")
        for node_id in self.health.ready:
            node = self._link.node(NodeAddress(_HEALTHY, node_id))
            self.health.refused += not node.emit(Event.SET_SPEED, [node_id, 50, 50])
        for _ in range(WINDOW_NS // POLL_NS):
            self._poll()
        self.health.missed += [(node_id, self.now_ns) for node_id in self.health.ready if node_id not in self._reported]

    def _poll(self) -> None:
        self.now_ns += POLL_NS
        for _ in range(_STEPS):
            self._healthy.step()
        for peer in self.peers.values():
            peer.step()
        started_s = time.perf_counter()
        events = self._link.poll(self.now_ns)
        self.slowest_poll_s = max(self.slowest_poll_s, time.perf_counter() - started_s)
        for event in events:
            self._process(event)

    def _process(self, event: LinkEvent) -> None:
        match event:
            case UserEvent(NodeAddress(target, node_id), Event.ODOMETRY) if target == _HEALTHY:
                self._reported.add(node_id)
            case NodeLost(NodeAddress(target)) | TargetLost(target) if target == _HEALTHY:
                self.health.lost.append(event)
            case NodeReady(node) if node.address.target != _HEALTHY:
                self.peers[node.address.target].ready += 1


class _PeerAcceptor:
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


def _simulation(folder: Path) -> Simulation:
    path = folder / "world.yaml"
    robots = "".join(f"- {{node_id: {index + 1}, x_m: {index + 1}, y_m: 1}}\n" for index in range(_ROBOTS))
    path.write_text(f"arena: {{width_m: {_ROBOTS + 1}, height_m: 30}}\nrobots:\n{robots}", encoding="utf-8")
    return Simulation(load_world(path))


def main() -> int:
    """Run and print a table; return 1 if the healthy target was not served."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--messages", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--clients", action="store_true", help="hostile clients of our switch instead of targets")
    options = parser.parse_args()
    before_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    started_s = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        fuzz = Fuzz(Path(folder), options.seed, options.clients)
        fuzz.run(options.messages)
    grown_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_kb
    console = Console(highlight=False)
    console.print(_table(list(fuzz.peers.values())))
    console.print(
        f"{fuzz.messages} messages, {fuzz.dropped} dropped, in {fuzz.now_ns * 1e-9:.0f} s of counted and "
        f"{time.perf_counter() - started_s:.0f} s of real time; peak memory grew by {grown_kb / 1024:.0f} MB, "
        f"slowest poll {1000 * fuzz.slowest_poll_s:.0f} ms"
    )
    health = fuzz.health
    console.print(
        f"healthy target: {len(health.ready)} of {_ROBOTS} robots ready within {READY_S:g} s, {len(health.missed)} "
        f"windows without odometry, {len(health.lost)} losses, {health.refused} commands refused"
    )
    return int(len(health.ready) < _ROBOTS or bool(health.missed or health.lost or health.refused))


def _table(peers: list[HostilePeer]) -> Table:
    table = Table(title="Hostile peers", title_justify="left", box=None)
    for heading in ("", "messages", "connections", "nodes ready", "longest answer, bytes"):
        table.add_column(heading, justify="right" if heading else "left")
    for peer in peers:
        table.add_row(peer.name, str(peer.frames), str(peer.connections), str(peer.ready), str(peer.longest_queue))
    return table


if __name__ == "__main__":
    sys.exit(main())
