"""Tests one server many times, in parallel runs, and prints rows of seconds, verdicts and false alarms.

The server is known to be correct, so each FAIL of its strict runs is a false alarm. Each run has a server and a ROS
domain of its own; parallel runs are a load already, and `--spinning N` adds programs that use a core each.
Recordings are kept: `--again` judges them by the present rules.
"""

import argparse
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from statistics import median
from typing import Any, Final

from bench.instruments.spinning import spinning
from conformance.record.run_record import ObservationKind, load_recording
from conformance.reports.run_report import load_report
from thymio_base.ros.private_domain import private_domain, reserve_free_port
from thymio_base.texts.json_lines import add_json_option, print_json_lines

_ROBOT: Final = "/factory/robot_1"
_WARM_UP_S: Final = 12.0  # a driver needs a few seconds until its robots are ready
_LONGEST_S: Final = 900.0
_FLEET: Final = """
arena: {{x_min_m: 0.0, y_min_m: 0.0, x_max_m: 2.2, y_max_m: 1.2}}
link: {{targets: ['tcp:host=127.0.0.1;port={port}']}}
robots:
"""
_ROBOT_IN_FLEET: Final = (
    "- {{id: {id}, node_id: {id}, home: {{x_m: {x_m}, y_m: 0.6}}, pose_topic: /mocap/thymio_{id}/pose}}\n"
)
_WORLD: Final = "network: {{port: {port}}}\narena: {{width_m: 2.2, height_m: 1.2}}\nrobots:\n"
_ROBOT_IN_WORLD: Final = "- {{node_id: {id}, x_m: {x_m}, y_m: 0.6}}\n"
_PLACES: Final = {1: 0.6, 2: 1.6}
_ROOT: Final = Path(__file__).parents[2]
_EXAMPLE: Final = _ROOT / "examples/conformance/up.yaml"
_PROGRAM_HOOKS: Final = """
  terminate: kill -TERM $(cat {folder}/driver.pid)
  kill: kill -KILL $(cat {folder}/driver.pid)
  start: exec {driver} > {folder}/driver.log 2>&1 & echo $! > {folder}/driver.pid
"""


def main() -> int:
    """Print the row; return 1 if a run has a false alarm or no report."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, help="of the recordings")
    parser.add_argument(
        "--server", default="driver", help="driver, drivers (one for each robot) or a name of reference_server"
    )
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--side-by-side", type=int, default=4, metavar="N")
    parser.add_argument("--spinning", type=int, default=0, metavar="N", help="programs that use a core each")
    parser.add_argument("--profile", default="core")
    parser.add_argument("--python", default=sys.executable, help="of the driver and the simulator: a compiled one")
    parser.add_argument("--again", action="store_true", help="only judge the recordings that are there")
    add_json_option(parser)
    options = parser.parse_args()
    options.folder = options.folder.resolve()
    options.folder.mkdir(parents=True, exist_ok=True)
    if options.again:
        for folder in sorted(options.folder.glob("run_*")):
            _kit(["--judge", str(folder / "run.jsonl"), "--strict", "--out", str(folder)], dict(os.environ))
    else:
        _perform(options)
    rows = [_row(folder) for folder in sorted(options.folder.glob("run_*")) if (folder / "report.json").exists()]
    if options.json:
        print_json_lines(rows)
    for line in () if options.json else _lines(rows):
        print(line)
    return int(len(rows) < options.runs or any(row["false_alarms"] for row in rows))


def _perform(options: argparse.Namespace) -> None:
    with spinning(options.spinning), ThreadPoolExecutor(options.side_by_side) as pool:
        done = [pool.submit(_run, options, options.folder / f"run_{index:02d}") for index in range(options.runs)]
        for one in done:
            one.result()


def _run(options: argparse.Namespace, folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    with private_domain() as domain, ExitStack() as stack:
        path = f"{Path(options.python).parent}{os.pathsep}{os.environ['PATH']}"  # for the hooks
        environment = {
            **os.environ,
            "PATH": path,
            "ROS_DOMAIN_ID": str(domain),
            "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST",
        }
        commands = list(_commands(options, folder))
        for command in commands:
            process = stack.enter_context(_program(command, _of_server(options, environment), folder))
        (folder / "driver.pid").write_text(str(process.pid), encoding="ascii")
        stack.callback(_end_of, folder / "driver.pid")
        time.sleep(_WARM_UP_S)
        arguments = ["--namespace", _ROBOT, "--yes", "--strict", "--profile", options.profile, "--out", str(folder)]
        if options.server.startswith("driver"):
            hooks = _PROGRAM_HOOKS.format(folder=folder, driver=shlex.join(commands[-1]))
            setup = folder / "setup.yaml"
            setup.write_text(_EXAMPLE.read_text(encoding="utf-8") + hooks, encoding="utf-8")
            arguments += ["--setup", str(setup)]
        (folder / "console.txt").write_text(_kit(arguments, environment), encoding="utf-8")


def _end_of(pid_file: Path) -> None:
    """End the driver that a hook has started."""
    with suppress(OSError, ValueError):
        os.kill(int(pid_file.read_text(encoding="ascii")), signal.SIGTERM)


def _of_server(options: argparse.Namespace, environment: dict[str, str]) -> dict[str, str]:
    """Return the server's environment: another Python has its own packages, but not the benchmarks."""
    if not options.server.startswith("driver"):
        return {**environment, "PYTHONPATH": str(_ROOT)}
    if options.python == sys.executable:
        return environment
    return {key: value for key, value in environment.items() if key not in ("PYTHONPATH", "THYMIO_FLEET_COMPILED")}


def _commands(options: argparse.Namespace, folder: Path) -> Iterator[list[str]]:
    """Yield the commands that start a server."""
    if options.server not in ("driver", "drivers"):
        yield [options.python, "-m", "bench.conformance.reference_server", "--server", options.server]
        return
    groups = [(1, 2)] if options.server == "driver" else [(2,), (1,)]
    for number, group in enumerate(groups):  # only one host may load scripts into the robots of a network
        port, world, fleet = reserve_free_port(), folder / f"world_{number}.yaml", folder / f"fleet_{number}.yaml"
        for path, head, line in ((world, _WORLD, _ROBOT_IN_WORLD), (fleet, _FLEET, _ROBOT_IN_FLEET)):
            robots = "".join(line.format(id=robot_id, x_m=_PLACES[robot_id]) for robot_id in group)
            path.write_text(head.format(port=port) + robots, encoding="utf-8")
        yield [options.python, "-m", "simulator", "--world", str(world), "--no-clock"]
        yield [options.python, "-m", "fleet.ros", "--config", str(fleet)]


@contextmanager
def _program(command: Sequence[str], environment: dict[str, str], folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run a program for the lifetime of the context, and at most of this program."""
    setpriv = shutil.which("setpriv")
    with subprocess.Popen(
        [*([setpriv, "--pdeathsig", "TERM", "--"] if setpriv else []), *command],
        env=environment,
        cwd=folder,  # modules in the current folder would take precedence over installed ones
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            yield process
        finally:
            process.terminate()
            try:
                process.wait(10.0)
            except subprocess.TimeoutExpired:
                process.kill()


def _kit(arguments: Sequence[str], environment: dict[str, str]) -> str:
    command = [sys.executable, "-m", "fleet.commands.main", "conformance", *arguments]
    done = subprocess.run(
        command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=_LONGEST_S, check=False
    )
    return f"{shlex.join(command)}\n{(done.stdout + done.stderr).decode()}code {done.returncode}\n"


def _row(folder: Path) -> dict[str, Any]:
    report, recording = load_report(folder / "report.json"), load_recording(folder / "run.jsonl")
    loads = [event.body for event in recording.events if event.kind is ObservationKind.LOAD]
    return {
        "run": folder.name,
        "cases": len(report["cases"]),
        "seconds": round(recording.events[-1].at_s) if recording.events else 0,
        "idle": round(median(load["idle"] for load in loads), 2) if loads else 1.0,
        "longest_pause_s": round(max((load["pause_s"] for load in loads), default=0.0), 3),
        "verdicts": {verdict: count for verdict, count in report["counts"].items() if count},
        "false_alarms": _words(report, "FAIL", "ERROR"),
        "inconclusive": _words(report, "INCONCLUSIVE"),
    }


def _words(report: dict[str, Any], *verdicts: str) -> list[str]:
    rows = (row for row in report["cases"] if row["verdict"] in verdicts)
    return [f"{row['id']}: {row['actual']} (expected {row['expected']})" for row in rows]


def _lines(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    for row in rows:
        verdicts = ", ".join(f"{count} {verdict}" for verdict, count in row["verdicts"].items())
        yield f"{row['run']}: {row['seconds']} s, {row['idle']:.0%} idle, {row['cases']} cases: {verdicts}"
        for key in ("false_alarms", "inconclusive"):
            yield from (f"    {key.replace('_', ' ')}: {text}" for text in row[key])
    counts: Counter[str] = Counter()
    for row in rows:
        counts.update(row["verdicts"])
    total, alarms = sum(row["cases"] for row in rows), sum(len(row["false_alarms"]) for row in rows)
    seconds = [row["seconds"] for row in rows]
    yield (
        f"{len(rows)} runs, {total} case-runs, {min(seconds, default=0)} to {max(seconds, default=0)} s: "
        + ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
    )
    yield f"false alarms: {alarms}, {1e3 * alarms / total if total else 0.0:.1f} of 1000"


if __name__ == "__main__":
    sys.exit(main())
