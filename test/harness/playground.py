"""The Aseba playground, a third-party simulator, and other programs beside a test."""

import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from harness import peer_deaths


@dataclass(frozen=True, slots=True)
class Placed:
    """A Thymio of a playground: its position in centimetres, with heading 0, its node id and its port."""

    port: int
    node_id: int = 1
    x_cm: float = 50.0
    y_cm: float = 50.0


@contextmanager
def running(command: Sequence[str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run a program beside the test, without a screen; its output goes to a file."""
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, stdout=output, stderr=subprocess.STDOUT, env={**os.environ, "QT_QPA_PLATFORM": "offscreen"}
        )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@contextmanager
def running_peer(command: Sequence[str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run a third-party program until the end of the test; if it dies, the test is run again."""
    with running(command, log) as process, peer_deaths.watched(command, process):
        yield process


def running_playground(
    folder: Path, robots: Sequence[Placed], width_cm: int = 200
) -> AbstractContextManager[subprocess.Popen[bytes]]:
    """Run a playground with some robots in a rectangle 150 cm high."""
    places = "\n".join(
        f'<robot type="thymio2" x="{robot.x_cm}" y="{robot.y_cm}" angle="0" port="{robot.port}" '
        f'nodeId="{robot.node_id}" name="r{index}"/>'
        for index, robot in enumerate(robots)
    )
    world = folder / "world.playground"
    world.write_text(f"""<!DOCTYPE aseba-playground>
<aseba-playground>
<color name="white" r="1" g="1" b="1"/>
<world w="{width_cm}" h="150" color="white"/>
{places}
</aseba-playground>
""")
    return running_peer(["asebaplayground", str(world)], folder / "playground.log")
