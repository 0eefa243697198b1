"""Runs an experiment's stack as live programs, without an orchestrator, and records its robots' poses."""

import sys
from contextlib import closing
from pathlib import Path

from geometry_msgs.msg import PoseStamped

from experiments.orchestrated.stack import write_stack
from fleet.client.graph_client import GraphClient
from fleet.commands.processes import Processes
from thymio_base.ros.private_domain import reserve_free_port
from thymio_base.ros.stamps import time_from_ros

SPEED = 2.0
SIMULATED_S = 30.0
_LONGEST_S = 120.0

Pose = tuple[int, int, float, float]  # robot, stamp in ns, x and y in m


def poses_of_run(file: Path, folder: Path, number: int) -> list[Pose]:
    """Run an experiment's driver, simulator and tasks as live programs; return all poses that the driver publishes."""
    run = folder / f"run_{number}"
    run.mkdir()
    write_stack(file, run)
    port = reserve_free_port()
    fleet = run / "fleet.yaml"
    fleet.write_text(f"{fleet.read_text()}link: {{targets: ['tcp:host=127.0.0.1;port={port}']}}\n")
    simulated = ["--ros-args", "-p", "use_sim_time:=true"]
    programs = {
        "simulator": ["simulator", "--world", str(run / "world.yaml"), "--port", str(port), "--speed", str(SPEED)],
        "driver": ["fleet.ros.driver_node", "--config", str(fleet)],
        "player": ["experiments.orchestrated.task_player", str(file)],
    }
    with (run / "log").open("wb") as log, Processes() as processes:
        for name, command in programs.items():
            processes.start(name, [sys.executable, "-m", *command, *simulated], log)
        return _listen([1, 2])


def _listen(robot_ids: list[int]) -> list[Pose]:
    """Return the poses of robots until a simulated time."""
    heard: list[Pose] = []

    def note(robot_id: int, message: PoseStamped) -> None:
        place = message.pose.position
        heard.append((robot_id, time_from_ros(message.header.stamp), place.x, place.y))

    with closing(GraphClient()) as graph:
        for robot_id in robot_ids:
            graph.node.create_subscription(
                PoseStamped, f"/factory/robot_{robot_id}/pose", lambda message, own=robot_id: note(own, message), 100
            )
        graph.spin_until(lambda: bool(heard) and heard[-1][1] > SIMULATED_S * 1e9, _LONGEST_S)
    return sorted(heard)
