"""The coupler and simulated arms as processes, and a client."""

import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from body.body_client import BodyClient, ReacherResult, SentReacherGoal, joint_goal
from harness.broken import environment

DEADLINE_S = 60.0
BODIES = Path(__file__).parents[3] / "examples/bodies"
JOINTS = [f"arm_j{index}" for index in range(7)]
SLOW = {  # these programs take half a core each at their own rates, and no test depends on those
    "arm_program": ("--rate-hz", "60"),
    "rbc_program": ("--rate-hz", "30", "--reacher-rate-hz", "60"),
}
BENT = dict.fromkeys(JOINTS, 0.5)


class CoupledBody:
    """Processes of one body, whose output is kept.

    Parameters
    ----------
    folder : for the output
    """

    def __init__(self, folder: Path) -> None:
        self.client = BodyClient()
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self._folder = folder

    def start(self, module: str, urdf: Path, *options: str, member_faults: str = "") -> None:
        """Start one of the coupler's programs; reachers of a coupler may have faults, see `harness.broken`."""
        command = [sys.executable, "-m", f"body.ros.{module}", "--urdf", str(urdf), *SLOW[module], *options]
        if member_faults:
            command[2:3] = ["harness.broken_members", member_faults]
        with (self._folder / f"{module}.log").open("ab") as log:
            self.processes[module] = subprocess.Popen(
                command, stdout=log, stderr=subprocess.STDOUT, env=environment() if member_faults else None
            )

    def logs(self) -> str:
        """Return the output of the processes."""
        return "\n".join(f"--- {path.name}\n{path.read_text()}" for path in sorted(self._folder.glob("*.log")))

    def close(self) -> None:
        """End everything."""
        self.client.close()
        for process in self.processes.values():
            if process.poll() is None:
                process.terminate()
        for process in self.processes.values():
            process.wait(20)


@contextmanager
def coupled_body(
    folder: Path, urdf: Path, *options: str, arm: tuple[str, ...] | None = (), member_faults: str = ""
) -> Iterator[CoupledBody]:
    """Yield a coupled body; with a simulated arm unless its options are None."""
    body = CoupledBody(folder)
    urdf = patient(urdf, folder)
    try:
        if arm is not None:
            body.start("arm_program", urdf, *arm)
        body.start("rbc_program", urdf, *options, member_faults=member_faults)
        yield body
    except Exception as error:
        raise AssertionError(f"{error}\n{body.logs()}") from error
    finally:
        body.close()


def patient(urdf: Path, folder: Path) -> Path:
    """Return a copy of a body whose state may be as old as a busy machine makes it."""
    copy = folder / f"patient_{urdf.name}"
    copy.write_text(urdf.read_text().replace('type="state">', f'type="state" timeout="{DEADLINE_S:g}">'))
    return copy


def wait_for(condition: Callable[[], bool], what: str) -> None:
    end_s = time.monotonic() + DEADLINE_S
    while not condition():
        assert time.monotonic() < end_s, f"waited in vain for {what}"
        time.sleep(0.01)


def children(body: CoupledBody) -> dict[str, int]:
    """Return the process ids of reachers by name."""
    pid = body.processes["rbc_program"].pid
    found = {}
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        name = re.search(r"--name=(\w+)", Path(f"/proc/{child}/cmdline").read_text())
        if name:
            found[name[1]] = int(child)
    return found


def bend(client: BodyClient, name: str = "JR0") -> None:
    """Create a joint reacher, and leave the singular pose of an upright arm with it."""
    client.add_re("JR", name)
    client.set_params(name, {"joints": JOINTS, "weight": 1.0})
    assert ended(client.execute_action(name, joint_goal(BENT))).success


def ended(result: ReacherResult | SentReacherGoal) -> ReacherResult:
    return result if isinstance(result, ReacherResult) else result.wait(DEADLINE_S)


def sent(result: ReacherResult | SentReacherGoal) -> SentReacherGoal:
    assert isinstance(result, SentReacherGoal)
    return result
