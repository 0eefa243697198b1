"""Measures the simulator's speed: python -m bench.simulator [--robots 1 5 20 100] [--seconds 5] [--json].

Every robot runs the shipped script, which handles 100 motor events a second and reports odometry at 20 Hz, and is
driven by a host on an in-memory connection with 20 commands a second. `realtime_factor` is simulated time over real
time at full speed, `cpu_cores` the share of one core at real time. In the mode `fleet` robots are driven by the whole
fleet, in the same thread, as in an experiment; `cpu_cores` is then computed from the full speed. Other simulators, from
PyPI, move as many robots with as many distance rays by steps of the same length; `--others` is the Python in which they
are installed.
"""

import json
import subprocess
import sys
import tempfile
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
from bench.instruments.speed import NOT_INSTALLED, STEP_S, cpu_cores, places, realtime_factor, side_m
from simulator.firmware.thymio import thymio_description
from simulator.simulation.simulation import Simulation
from simulator.world.config import load_world

_OTHERS = {"ir-sim": "bench.others.with_ir_sim", "pyrobosim": "bench.others.with_pyrobosim"}
_ROOT = Path(__file__).parent.parent
_ODOMETRY_HZ = 20.0
_COMMAND_STEPS = 5  # between two commands to each robot
_WARM_UP_S = 1.0
_TIMEOUT_S = 600.0


@dataclass(frozen=True, slots=True)
class SpeedRow:
    """The results of one simulator and number of robots; None if not measured, with the reason in `note`."""

    mode: str
    robots: int
    realtime_factor: float | None
    cpu_cores: float | None
    note: str = ""


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
    parser.add_argument(
        "--others", default=sys.executable, help="the Python in which ir-sim and pyrobosim are installed"
    )
    options = parser.parse_args()
    rows = [measure_simulator(robots, options.seconds) for robots in options.robots]
    rows += [SpeedRow("fleet", robots, *whole_fleet.measure(robots, options.seconds)) for robots in options.robots]
    for mode in _OTHERS:
        rows += [measure_other(mode, options.others, robots, options.seconds) for robots in options.robots]
    print_rows(rows, as_json=options.json)
    return 0


def measure_simulator(robots: int, seconds: float) -> SpeedRow:
    """Return the speed of our own simulator."""
    driven = DrivenRobots(robots)
    for _ in range(round(_WARM_UP_S / STEP_S)):
        driven.step()
    return SpeedRow("simulator", robots, realtime_factor(driven.step, seconds), cpu_cores(driven.step, seconds))


def measure_other(mode: str, python: str, robots: int, seconds: float) -> SpeedRow:
    """Return the speed of another simulator, in a separate process."""
    command = [python, "-m", _OTHERS[mode], str(robots), str(seconds)]
    try:
        run = subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return SpeedRow(mode, robots, None, None, str(error))
    if run.returncode:
        failure = (run.stderr.strip().splitlines() or [f"exit code {run.returncode}"])[-1]
        return SpeedRow(mode, robots, None, None, "not installed" if run.returncode == NOT_INSTALLED else failure)
    measured = json.loads(run.stdout.splitlines()[-1])
    return SpeedRow(mode, robots, measured["realtime_factor"], measured["cpu_cores"])


def _write_world(folder: Path, robots: int) -> Path:
    side = side_m(robots)
    rows = (f"- {{node_id: {number}, x_m: {x}, y_m: {y}}}" for number, (x, y) in enumerate(places(robots), 1))
    path = folder / "world.yaml"
    path.write_text("\n".join([f"arena: {{width_m: {side}, height_m: {side}}}", "robots:", *rows]))
    return path


if __name__ == "__main__":
    sys.exit(main())
