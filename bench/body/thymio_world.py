"""Runs simulated Thymios and a coupler of their bodies as processes."""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from fleet.commands.processes import driver_command, simulator_command
from thymio_base.ros.private_domain import reserve_free_port


@contextmanager
def simulated_fleet(folder: Path, homes: Sequence[tuple[float, float]], size: tuple[float, float]) -> Iterator[Path]:
    """Run simulator and driver; yield the fleet's configuration.

    Parameters
    ----------
    folder
        folder for files
    homes
        homes of the robots 1, 2 and so on [m]
    size
        size of the floor [m]
    """
    port = reserve_free_port()
    robots, bodies = [], []
    for number, (x, y) in enumerate(homes, start=1):
        home = f"{{x_m: {x}, y_m: {y}}}"
        robots.append(f"- {{id: {number}, node_id: {number}, home: {home}, pose_topic: /mocap/thymio_{number}/pose}}")
        bodies.append(f"- {{node_id: {number}, x_m: {x}, y_m: {y}}}")
    config, world = folder / "fleet.yaml", folder / "world.yaml"
    arena = f"{{x_min_m: 0.0, y_min_m: 0.0, x_max_m: {size[0]}, y_max_m: {size[1]}}}"
    link = f"{{targets: ['tcp:host=127.0.0.1;port={port}']}}"
    config.write_text(
        "\n".join([f"arena: {arena}", f"link: {link}", "driver: {accept: {cmd_vel: true}}", "robots:", *robots, ""]),
        encoding="utf-8",
    )
    floor = f"{{width_m: {size[0]}, height_m: {size[1]}}}"
    world.write_text(
        "\n".join([f"network: {{port: {port}}}", f"arena: {floor}", "robots:", *bodies, ""]), encoding="utf-8"
    )
    with running([simulator_command(world), driver_command(config)]):
        yield config


def coupler_commands(urdf: Path, *, with_arm: bool) -> list[list[str]]:
    """Return the commands that start a coupler with its reachers in its process, and a simulated arm.

    Parameters
    ----------
    urdf
        URDF of the body
    with_arm
        whether the body has an arm
    """
    run = [sys.executable, "-m"]
    coupler = [*run, "body.ros.rbc_program", "--urdf", str(urdf), "--in-process"]
    return [coupler, [*run, "body.ros.arm_program", "--urdf", str(urdf)]] if with_arm else [coupler]


@contextmanager
def running(commands: Sequence[Sequence[str]]) -> Iterator[None]:
    """Run programs."""
    with ExitStack() as stack:
        for command in commands:
            process = stack.enter_context(subprocess.Popen(command))
            stack.callback(process.terminate)
        yield
