"""Third-party programs share robots with our link through its switch, and our link joins two networks."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from aseba_link.aesl.compiler import ScriptCompiler, shipped_script
from aseba_link.host.link_events import LinkEvent, NodeLost, UserEvent
from aseba_link.host.node import Node, NodeAddress
from aseba_link.host.script_policy import ScriptFor, ScriptPolicy
from aseba_link.link.aseba_link import AsebaLink
from aseba_link.link.dialer import ThreadDialer
from aseba_link.link.listener import Listener
from aseba_link.link.switch import Switch
from aseba_link.thymio.events import Event, decode_odometry
from harness.playground import Placed, running_peer, running_playground
from simulator.simulation.simulation import Simulation
from simulator.world.config import load_world
from thymio_base.ros.private_domain import reserve_free_port

DEADLINE_S = 120.0
STEP_S = 0.01
WORLD = """
arena: {width_m: 3.0, height_m: 2.0}
robots:
- {node_id: 3, x_m: 1.0, y_m: 1.0}
- {node_id: 4, x_m: 2.0, y_m: 1.0}
"""
# reads a variable, writes another one, and reads it back, on the last of two nodes
DIRECT = """
import os, sys, time
from thymiodirect import Thymio
thymio = Thymio(use_tcp=True, host="127.0.0.1", tcp_port=int(sys.argv[1]), refreshing_rate=0.1)
thymio.connect()
while thymio.nodes() != {3, 4}:
    time.sleep(0.1)
node = thymio[4]
node["leds.top"] = [1, 2, 3]
time.sleep(0.5)
print(node["_fwversion"], node["_id"], node["leds.top"], flush=True)
os._exit(0)
"""
FETCH = """
import sys, urllib.request
print(urllib.request.urlopen(sys.argv[1], timeout=20).read().decode())
"""

pytestmark = pytest.mark.peers


class Joint:
    """Simulated robots on TCP, our link to them and to further targets, and its switch, stepped in real time."""

    def __init__(self, folder: Path, *targets: str, script_for: ScriptFor | None = None) -> None:
        world = folder / "world.yaml"
        world.write_text(WORLD)
        self.simulation = Simulation(load_world(world))
        self._robots = Listener("127.0.0.1", 0)
        self._clients = Listener("127.0.0.1", 0)
        self.robots_port, self.port = self._robots.port, self._clients.port
        self.simulator = f"tcp:host=127.0.0.1;port={self.robots_port}"
        script_policy = ScriptPolicy(script_for or ScriptCompiler(shipped_script()))
        self.link = AsebaLink(
            [self.simulator, *targets], script_policy, ThreadDialer(), Switch(self._clients, loop=False)
        )
        self.events: list[LinkEvent] = []

    def close(self) -> None:
        self.link.close()
        self.simulation.network.close()
        self._robots.close()

    def step(self) -> None:
        for connection in self._robots.accept():
            self.simulation.network.attach(connection)
        self.simulation.step()
        self.events += self.link.poll(time.monotonic_ns())
        time.sleep(STEP_S)

    def step_until(self, condition: Callable[[], bool], what: str) -> None:
        deadline_s = time.monotonic() + DEADLINE_S
        while not condition():
            assert time.monotonic() < deadline_s, f"waited in vain for {what}; {self.events[-5:]}"
            self.step()

    def run(self, *command: str) -> str:
        """Run a program to its end, and return its output."""
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
            try:
                self.step_until(lambda: process.poll() is not None, f"the end of {command}")
            finally:
                process.kill()
            assert process.stdout is not None
            return process.stdout.read()


@pytest.fixture
def joint(tmp_path: Path) -> Iterator[Joint]:
    """Two robots that run our script."""
    with closing(Joint(tmp_path)) as made:
        made.step_until(lambda: len(made.link.nodes) == 2, "robots to be ready")
        made.events.clear()
        yield made


def lost(joint: Joint) -> list[LinkEvent]:
    return [event for event in joint.events if isinstance(event, NodeLost)]


def test_asebacmd_moves_a_robot_through_our_switch(joint: Joint) -> None:
    target = f"tcp:host=127.0.0.1;port={joint.port}"
    joint.run("asebacmd", "-t", target, "usermsg", str(int(Event.SET_SPEED)), "3", "50", "60")
    joint.step_until(lambda: joint.simulation.robots[0].targets_raw == (50, 60), "the robot to obey")
    assert joint.simulation.robots[1].targets_raw == (0, 0)
    assert lost(joint) == []


def test_asebadump_receives_messages_of_robots_and_our_link_through_our_switch(joint: Joint, tmp_path: Path) -> None:
    log = tmp_path / "dump.log"
    with running_peer(["stdbuf", "-oL", "asebadump", f"tcp:host=127.0.0.1;port={joint.port}"], log):
        for words in ("list nodes from 0", "node present from 3", "node present from 4", "user message from 3"):
            joint.step_until(lambda words=words: words in log.read_text(), words)


@pytest.mark.parametrize("way", ["direct", "switch"])
def test_thymiodirect_reads_and_sets_variables(joint: Joint, way: str) -> None:
    port = joint.robots_port if way == "direct" else joint.port
    assert joint.run(sys.executable, "-c", DIRECT, str(port)).endswith("[14, 1] 4 [1, 2, 3]\n")
    assert lost(joint) == []
    assert len(joint.link.nodes) == 2


@pytest.fixture
def playground(tmp_path: Path) -> Iterator[str]:
    """The target of a robot of the Aseba playground; not node 1, which asebahttp uses itself."""
    port = reserve_free_port()
    with running_playground(tmp_path, [Placed(port, node_id=7)]):
        yield f"tcp:host=127.0.0.1;port={port}"


def test_link_keeps_robots_on_two_networks_moving(tmp_path: Path, playground: str) -> None:
    with closing(Joint(tmp_path, playground)) as joint:
        addresses = [NodeAddress(joint.simulator, 3), NodeAddress(joint.simulator, 4), NodeAddress(playground, 7)]
        joint.step_until(lambda: list(joint.link.nodes) == addresses, "robots of both networks to be ready")
        joint.events.clear()
        speeds = dict(zip(addresses, (50, 100, 150), strict=True))

        def all_move() -> bool:
            for address, speed in speeds.items():
                joint.link.node(address).emit(Event.SET_SPEED, [address.node_id, speed, speed])
            return all(travelled(joint, address) > 10 * speed for address, speed in speeds.items())

        joint.step_until(all_move, "every robot to roll")
        assert lost(joint) == []


def travelled(joint: Joint, address: NodeAddress) -> int:
    """Return the distance rolled by a robot since the events were cleared, in its own units."""
    reports = [event for event in joint.events if isinstance(event, UserEvent) and event.address == address]
    readings = [decode_odometry(event.args) for event in reports if event.rank == Event.ODOMETRY]
    return readings[-1].left_raw - readings[0].left_raw if readings else 0


def nobody(_: Node) -> None:
    """Select no script."""


def test_asebahttp_reads_and_sets_a_variable_of_the_playground_through_our_switch(
    tmp_path: Path, playground: str
) -> None:
    http_port = reserve_free_port()
    with closing(Joint(tmp_path, playground, script_for=nobody)) as joint:
        joint.step_until(lambda: joint.link.targets[playground], "the playground")
        command = ["asebahttp", "-p", str(http_port), f"tcp:host=127.0.0.1;port={joint.port}"]
        with running_peer(command, tmp_path / "http.log"):
            place = f"http://127.0.0.1:{http_port}/nodes/thymio-II/timer.period"
            fetch = [sys.executable, "-c", FETCH]
            joint.step_until(lambda: "[0,0]" in joint.run(*fetch, place), "the variable to be read")
            joint.run(*fetch, f"{place}/70/80")
            joint.step_until(lambda: "[70,80]" in joint.run(*fetch, place), "the variable to be set")
