"""The simulator beside another program that publishes /clock."""

import subprocess
import sys
from pathlib import Path

from rosgraph_msgs.msg import Clock

from harness.ros.program import DEADLINE_S, program


def test_clock_of_another_program_is_reported_with_its_node(tmp_path: Path) -> None:
    world, log = tmp_path / "world.yaml", tmp_path / "log"
    world.write_text("arena: {width_m: 2, height_m: 2}\nrobots: [{node_id: 1, x_m: 1.0, y_m: 1.0}]\n")
    with program("player") as player, log.open("wb") as output:
        player.node.create_publisher(Clock, "/clock", 1)
        command = [sys.executable, "-m", "simulator", "--world", str(world), "--port", "0"]
        simulator = subprocess.Popen(command, stdout=output, stderr=output)
        try:
            text = "node /player of another program publishes /clock on ROS domain"
            player.spin_until(lambda: text in log.read_text(), "the report")
        finally:
            simulator.terminate()
            simulator.wait(DEADLINE_S)
