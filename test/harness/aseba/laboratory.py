"""Robots in a simulated world that run a user's script, and a host that only listens and sends requests."""

from pathlib import Path

from aseba_link.aesl.program import read_program
from aseba_link.host.node import Node, NodeAddress
from aseba_link.host.upload import upload_messages
from aseba_link.wire.message import HOST_ID, Message, MessageType, from_words
from harness.aseba.client import Client
from simulator.firmware.peripherals import TICK_S
from simulator.firmware.thymio import Thymio, thymio_description
from simulator.simulation.simulation import Simulation
from simulator.world.config import load_world

SCRIPTS = Path(__file__).parent / "scripts"
FAULTS = (
    MessageType.ARRAY_ACCESS_OUT_OF_BOUNDS,
    MessageType.DIVISION_BY_ZERO,
    MessageType.NODE_SPECIFIC_ERROR,
    MessageType.EVENT_EXECUTION_KILLED,
)
Pose = tuple[float, float, float]


class Laboratory:
    """A world of 2 m by 2 m; robot k is node k.

    Parameters
    ----------
    folder : for the world's file
    script : name of a file in `test/scripts`
    robots : where they start
    extra : further lines of world.yaml
    """

    def __init__(self, folder: Path, script: str, *robots: Pose, extra: str = "") -> None:
        rows = "\n".join(
            f"- {{node_id: {k}, x_m: {x}, y_m: {y}, heading_rad: {h}}}" for k, (x, y, h) in enumerate(robots, 1)
        )
        world = folder / "world.yaml"
        world.write_text(f"arena: {{width_m: 2, height_m: 2}}\n{extra}\nrobots:\n{rows}\n")
        self.simulation = Simulation(load_world(world))
        self._host = Client(self.simulation.network.attach)
        self._received: list[Message] = []
        program = read_program(str(SCRIPTS / script), {})
        self._ranks = {event.name: rank for rank, event in enumerate(program.script.events)}
        description = thymio_description()
        for node_id in self.simulation.node_ids:
            compiled = program.compiled_for(Node(NodeAddress("memory", node_id), description, ""))
            self._own = compiled.variables
            for message in upload_messages(node_id, compiled, description):
                self._host.send(message)
        self.run(TICK_S)

    def robot(self, node_id: int = 1) -> Thymio:
        return self.simulation.robots[node_id - 1]

    def run(self, duration_s: float) -> None:
        """Let time pass; a script fault fails the test."""
        for _ in range(round(duration_s / TICK_S)):
            self.simulation.step()
            self._received += self._host.received()
        faults = [message for message in self._received if message.type in FAULTS]
        assert faults == []

    def emit(self, event: str, *words: int) -> None:
        """Send an event of the script to all robots, and let a tick pass."""
        self._host.send(from_words(HOST_ID, self._ranks[event], words))
        self.run(TICK_S)

    def emitted(self, event: str) -> list[tuple[int, ...]]:
        """Return the arguments of every such event of the robots."""
        return [message.words() for message in self._received if message.type == self._ranks[event]]

    def value(self, name: str, node_id: int = 1) -> int:
        """Return the first word of one of the script's own variables."""
        start = sum(variable.size for variable in thymio_description().variables)
        for variable in self._own:
            if variable.name == name:
                break
            start += variable.size
        self._received.clear()
        self._host.send(from_words(HOST_ID, MessageType.GET_VARIABLES, (node_id, start, 1)))
        self.run(TICK_S)
        return next(message.words()[1] for message in self._received if message.type == MessageType.VARIABLES)
