"""Measures the coupler's processes in real time: python -m bench.body.live [--json] [--goals N] ...; 0 omits rows."""

import argparse
import gc
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Final

from impedance_control_msgs.msg import PosRef

from bench.body.arm_loop import BODIES
from bench.body.body_row import BodyRow, print_body_rows
from bench.body.command_watch import CommandWatch
from bench.body.mobile_arm import mobile_arm_rows
from bench.body.reaction import JOINTS, reaction_rows
from bench.body.thymio_goals import thymio_rows
from bench.body.thymio_world import running
from bench.instruments.process_usage import cpu_s, open_files, rss_mb
from bench.instruments.stall_watch import StallWatch
from body.body_client import BodyClient, joint_goal, pose_goal
from thymio_base.ros.private_domain import reserve_private_domain
from thymio_base.ros.start.priority import leave_real_time, request_real_time

_LATE_S: Final = 0.005
_AWAY: Final = dict.fromkeys(JOINTS, 1.5)


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="bench.body.live", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print an object a line instead of text")
    parser.add_argument("--seconds", type=float, default=60.0, help="of the run at 1 kHz (default: %(default)g)")
    parser.add_argument("--jumps", type=int, default=500, help="of the state (default: %(default)s)")
    parser.add_argument("--deaths", type=int, default=5, help="by each of two signals (default: %(default)s)")
    parser.add_argument("--cycles", type=int, default=100, help="of create, move and kill (default: %(default)s)")
    parser.add_argument("--goals", type=int, default=200, help="of eight Thymios (default: %(default)s)")
    parser.add_argument("--poses", type=int, default=100, help="of an arm on a Thymio (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=4, help="of goals and poses (default: %(default)s)")
    options = parser.parse_args()
    reserve_private_domain()
    print_body_rows(_measure(options), as_json=options.json)
    return 0


def _measure(options: argparse.Namespace) -> Iterator[BodyRow]:
    if options.seconds:
        yield from _fast(options.seconds)
    if options.jumps:
        yield from _reactions(options.jumps)
    if options.deaths:
        yield from _deaths(options.deaths)
    if options.cycles:
        yield from _cycles(options.cycles)
    if options.goals:
        yield from thymio_rows(options.goals, options.seed)
    if options.poses:
        yield from mobile_arm_rows(options.poses, options.seed)


def _fast(seconds: float) -> Iterator[BodyRow]:
    """Move 14 joints at 1 kHz."""
    joints = (*JOINTS, *(name.replace("arm", "other") for name in JOINTS))
    slow = {"base_link": "robot-base", "end_link": "hand_link", "speed_mps": 0.001, "weight": 0.1}
    with tempfile.TemporaryDirectory() as folder:
        urdf = Path(folder, "two_arms.urdf")
        urdf.write_text(_two_arms(), encoding="utf-8")
        with _moving(urdf, "--rate-hz", "1000") as (coupler, body, watch):
            body.add_re("JR", "JR0")
            body.set_params("JR0", {"joints": joints, "pid": [0.01, 0.0, 0.0], "weight": 1.0})
            body.execute_action("JR0", joint_goal(dict.fromkeys(joints, 1.0)), blocking=False)
            body.add_re("VF", "VF0")
            body.set_params("VF0", slow)
            body.execute_action("VF0", pose_goal((0.3, 0.3, 0.6)), blocking=False)
            pids = (coupler.pid, _children(coupler.pid)["VF0"])
            request_real_time()  # otherwise the gaps would include this program's own,
            gc.freeze()  # or those of its garbage collection
            with StallWatch() as machine:
                watch.run(1.0)
                watch.clear()
                began_s, used = time.monotonic(), [cpu_s(pid) for pid in pids]
                watch.run(seconds)
                passed_s = time.monotonic() - began_s
                leave_real_time()
                stalls = machine.stalls()
            shares = [(cpu_s(pid) - before) / passed_s for pid, before in zip(pids, used, strict=True)]
    gaps = list(pairwise(watch.times_s))
    longest_s = max(ended_s - began_s for began_s, ended_s in gaps)
    late = [gap for gap in gaps if gap[1] - gap[0] > _LATE_S]
    own_s = [_without_stalls_s(began_s, ended_s, stalls) for began_s, ended_s in late]
    above = sum(gap_s > _LATE_S for gap_s in own_s)
    text = f"{1e3 * longest_s:.1f} ms; {len(late)} of {len(gaps)} above 5 ms at {len(gaps) / passed_s:.0f} Hz"
    yield BodyRow("14 joints at 1 kHz, longest gap", "5 ms", text)
    stall_ms = 1e3 * max((ended_s - began_s for began_s, ended_s in stalls), default=0.0)
    longest_ms = 1e3 * max(own_s, default=_LATE_S)
    text = f"{above}, {longest_ms:.1f} ms at most; bare timers stood still for up to {stall_ms:.1f} ms"
    yield BodyRow("gaps above 5 ms without the machine's stalls in them", "0", text)
    yield BodyRow("coupler at 1 kHz", "0.5 cores", f"{shares[0]:.2f} cores")
    yield BodyRow("VF at 200 Hz", "0.1 cores", f"{shares[1]:.2f} cores")


def _reactions(jumps: int) -> Iterator[BodyRow]:
    with (
        running([[sys.executable, "-m", "body.ros.rbc_program", "--urdf", str(BODIES / "arm.urdf")]]),
        BodyClient() as body,
    ):
        yield from reaction_rows(body, jumps)


def _deaths(count: int) -> Iterator[BodyRow]:
    """Kill and suspend a reacher at full speed."""
    for number, asked in ((signal.SIGKILL, "20 ms"), (signal.SIGSTOP, "25 ms")):
        found = []
        for _ in range(count):
            with (
                _running(BODIES / "arm.urdf") as coupler,
                BodyClient() as body,
                CommandWatch(PosRef, "arm/posref") as watch,
            ):
                body.add_re("JR", "JR0")
                body.set_params("JR0", {"joints": JOINTS, "weight": 1.0})
                body.execute_action("JR0", joint_goal(_AWAY), blocking=False)
                watch.run(0.3)
                pid = _children(coupler.pid)["JR0"]
                os.kill(pid, number)
                killed_s = time.monotonic()
                watch.run(0.5)
                found.append(watch.latest_change_s - killed_s)
                if number is signal.SIGSTOP:
                    os.kill(pid, signal.SIGCONT)
        worst = f"{1e3 * max(0.0, *found):.0f} ms, worst of {len(found)}"
        yield BodyRow(f"share is gone after {number.name}", asked, worst)


def _cycles(count: int) -> Iterator[BodyRow]:
    """Create, move and kill reachers."""
    with _running(BODIES / "arm.urdf") as coupler, BodyClient() as body:
        before = (0.0, 0)
        for cycle in range(count):
            body.add_re("JR", "JR0")
            body.set_params("JR0", {"joints": JOINTS, "weight": 1.0})
            body.execute_action("JR0", joint_goal(_AWAY if cycle % 2 else dict.fromkeys(JOINTS, 0.0)), blocking=False)
            os.kill(_children(coupler.pid)["JR0"], signal.SIGKILL)
            while body.list_re():
                time.sleep(0.02)
            if cycle == count // 5:
                before = (rss_mb(coupler.pid), open_files(coupler.pid))
        after = (rss_mb(coupler.pid), open_files(coupler.pid))
        left = len(_children(coupler.pid))
    growth = f"{after[0] - before[0]:+.1f} MB, {after[1] - before[1]:+d} descriptors, {left} processes"
    yield BodyRow(f"left by the last four fifths of {count} deaths", "2 MB, 0, 0", growth)


def _without_stalls_s(began_s: float, ended_s: float, stalls: list[tuple[float, float]]) -> float:
    """Return the length of a gap without the time in which bare timers stalled, too; stalls are in order of time."""
    rest_s, counted_s = ended_s - began_s, began_s
    for stall_began_s, stall_ended_s in stalls:
        first_s, last_s = max(stall_began_s, counted_s), min(stall_ended_s, ended_s)
        if last_s > first_s:
            rest_s -= last_s - first_s
            counted_s = last_s
    return rest_s


@contextmanager
def _running(urdf: Path, *options: str) -> "Iterator[subprocess.Popen[bytes]]":
    """Run an arm and the coupler; yield the coupler."""
    programs = {"arm_program": ("--urdf", str(urdf)), "rbc_program": ("--urdf", str(urdf), *options)}
    processes = [subprocess.Popen([sys.executable, "-m", f"body.ros.{name}", *own]) for name, own in programs.items()]
    try:
        yield processes[1]
    finally:
        for process in reversed(processes):
            process.terminate()
            process.wait()


@contextmanager
def _moving(urdf: Path, *options: str) -> "Iterator[tuple[subprocess.Popen[bytes], BodyClient, CommandWatch]]":
    """Run an arm and the coupler; yield the coupler, a client, and a watch of the commands."""
    with _running(urdf, *options) as coupler, BodyClient() as body, CommandWatch(PosRef, "arm/posref") as watch:
        yield coupler, body, watch


def _two_arms() -> str:
    """Return a URDF of two example arms on a common base, each with its topics."""
    text = (BODIES / "arm.urdf").read_text(encoding="utf-8")
    head, _, arm = text.partition('  <link name="robot-base"/>\n')
    arm = arm.removesuffix("</robot>\n")
    other = arm.replace("arm", "other").replace("hand_", "other_hand_")
    return f'{head}  <link name="robot-base"/>\n{arm}{other}</robot>\n'


def _children(pid: int) -> dict[str, int]:
    """Return the process ids of reachers by name."""
    found = {}
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="utf-8").split():
        words = Path(f"/proc/{child}/cmdline").read_text(encoding="utf-8").split("\0")
        found.update({word.removeprefix("--name="): int(child) for word in words if word.startswith("--name=")})
    return found


if __name__ == "__main__":
    raise SystemExit(main())
