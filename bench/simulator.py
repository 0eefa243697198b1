"""Measures the simulator's speed: python -m bench.simulator [--robots 1 5 20 100] [--seconds 5] [--json].

Every robot runs the shipped script, which handles 100 motor events a second and reports odometry at 20 Hz, and is
driven by a host on an in-memory connection with 20 commands a second. `realtime_factor` is simulated time over real
time at full speed, `cpu_cores` the share of one core at real time. In the mode `fleet` robots are driven by the whole
fleet, in the same thread, as in an experiment; `cpu_cores` is then computed from the full speed.
"""

import math
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from aseba_link.aesl.compiler import ScriptCompiler, shipped_script
from aseba_link.host.node import Node, NodeAddress
from aseba_link.host.upload import upload_messages
from aseba_link.link.connection import pipe
from aseba_link.thymio.events import NODE_NAME, Event, script_constants
from aseba_link.wire.message import HOST_ID, encode, from_words
from bench.instruments import whole_fleet
from bench.instruments.printed_rows import options_of, print_rows
from simulator.firmware.thymio import thymio_description
from simulator.simulation.simulation import Simulation
from simulator.world.config import load_world

_STEP_S = 0.01
_ODOMETRY_HZ = 20.0
_COMMAND_STEPS = 5  # between two commands to each robot
_WARM_UP_S = 1.0


@dataclass(frozen=True, slots=True)
class SpeedRow:
    """The results of one mode and number of robots."""

    mode: str
    robots: int
    realtime_factor: float
    cpu_cores: float


class DrivenRobots:
    """A simulation whose robots drive slowly on circles, a metre apart, as commanded by a host."""

    def __init__(self, robots: int) -> None:
        with tempfile.TemporaryDirectory() as folder:
            self._simulation = Simulation(load_world(_write_world(Path(folder), robots)))
        self._host, far = pipe()
        self._simulation.network.attach(far)
        self._steps = 0
        self._node_ids = range(1, robots + 1)
        description = thymio_description()
        compiler = ScriptCompiler(shipped_script().with_constants(script_constants(_ODOMETRY_HZ)))
        for node_id in self._node_ids:
            script = compiler(Node(NodeAddress("memory", node_id), description, ""))
            assert script is not None, f"the script has no code for {NODE_NAME}"
            self._host.send(b"".join(encode(message) for message in upload_messages(node_id, script, description)))
            self.step()

    def step(self) -> None:
        """Advance by 10 ms."""
        if self._steps % _COMMAND_STEPS == 0:
            commands = (from_words(HOST_ID, Event.SET_SPEED, (node_id, 80, 120)) for node_id in self._node_ids)
            self._host.send(b"".join(encode(command) for command in commands))
        self._simulation.step()
        self._steps += 1
        while self._host.receive():
            pass


def main() -> int:
    """Measure and print."""
    parser = options_of(__doc__)
    parser.add_argument("--robots", type=int, nargs="+", default=[1, 5, 20, 100])
    parser.add_argument("--seconds", type=float, default=5.0, help="simulated, for each number")
    options = parser.parse_args()
    rows = [measure_simulator(robots, options.seconds) for robots in options.robots]
    rows += [SpeedRow("fleet", robots, *whole_fleet.measure(robots, options.seconds)) for robots in options.robots]
    print_rows(rows, as_json=options.json)
    return 0


def measure_simulator(robots: int, seconds: float) -> SpeedRow:
    """Return the speed of the simulator alone."""
    driven = DrivenRobots(robots)
    for _ in range(round(_WARM_UP_S / _STEP_S)):
        driven.step()
    return SpeedRow("simulator", robots, _realtime_factor(driven.step, seconds), _cpu_cores(driven.step, seconds))


def _realtime_factor(step: Callable[[], object], seconds: float) -> float:
    """Return the real-time factor of `step`, which simulates 10 ms."""
    started_s = time.perf_counter()
    for _ in range(round(seconds / _STEP_S)):
        step()
    return seconds / (time.perf_counter() - started_s)


def _cpu_cores(step: Callable[[], object], seconds: float) -> float:
    """Return the share of a core that `step` uses when called every 10 ms, or as often as possible."""
    started_s, started_cpu_s = time.perf_counter(), time.process_time()
    for number in range(round(seconds / _STEP_S)):
        step()
        time.sleep(max(0.0, started_s + (number + 1) * _STEP_S - time.perf_counter()))
    return (time.process_time() - started_cpu_s) / (time.perf_counter() - started_s)


def _write_world(folder: Path, robots: int) -> Path:
    """Write a world with a square grid of robots, a metre apart."""
    side = math.ceil(math.sqrt(robots))
    places = ((number, number % side + 1, number // side + 1) for number in range(robots))
    rows = (f"- {{node_id: {number + 1}, x_m: {x_m}, y_m: {y_m}}}" for number, x_m, y_m in places)
    path = folder / "world.yaml"
    path.write_text("\n".join([f"arena: {{width_m: {side + 1}, height_m: {side + 1}}}", "robots:", *rows]))
    return path


if __name__ == "__main__":
    sys.exit(main())
