"""Measures the effect of a Fast DDS discovery server: python -m bench.discovery --robots 100 --drivers 10 --clients 8.

Drivers without reachable robots serve their share of the fleet each; clients come one after the other. Programs find
each other by themselves, or through a server. Everything runs on this machine, on its own ROS domain.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.instruments.printed_rows import options_of, print_rows
from bench.instruments.process_usage import cpu_s
from fleet.client.fleet_client import FleetClient
from fleet.commands.processes import Processes, discovery_server_command, driver_command
from thymio_base.fast_dds import use_shipped_profile

_READY_S = 180.0
_SETTLED_S = 5.0
_PORT = 11871
_DOMAIN = 97
_CLIENT = """
import sys, time
from fleet.client.fleet_client import FleetClient
from fleet.tasks.task_kind import TaskKind
started_s, before_s = time.monotonic(), time.process_time()
client = FleetClient()
client.reach(int(sys.argv[1]), TaskKind.GO_TO)
print(time.monotonic() - started_s, time.process_time() - before_s)
"""


def main() -> int:
    """Measure both ways and print a table."""
    parser = options_of(__doc__)
    parser.add_argument("--robots", type=int, default=100)
    parser.add_argument("--drivers", type=int, default=10)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measure(options.robots, options.drivers, options.clients)))
        return 0
    ways = {"each by itself": False, "through a server": True}
    rows = [{"discovery": name, **_run(has_server=has_server)} for name, has_server in ways.items()]
    print_rows(rows, as_json=options.json)
    return 0


def _run(has_server: bool) -> dict[str, float]:
    """Measure one way of discovery in a separate process, as it is chosen once per process."""
    use_shipped_profile()
    environment = {**os.environ, "ROS_DOMAIN_ID": str(_DOMAIN), "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"}
    with Processes() as processes:
        server_s = 0.0
        if has_server:
            server = processes.start("server", discovery_server_command("127.0.0.1", _PORT))
            environment |= {"ROS_DISCOVERY_SERVER": f"127.0.0.1:{_PORT}", "ROS_SUPER_CLIENT": "TRUE"}
            time.sleep(1.0)
        command = [sys.executable, "-m", "bench.discovery", "--one", *sys.argv[1:]]
        result = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
        if has_server:
            server_s = cpu_s(server.pid)
    return {**json.loads(result.stdout), "CPU of the server, s": server_s}


def measure(robots: int, drivers: int, clients: int) -> dict[str, float]:
    """Return the time until all robots are found, and the CPU time of drivers and clients."""
    with tempfile.TemporaryDirectory() as name, Processes() as processes, (Path(name) / "log").open("wb") as log:
        started_s = time.monotonic()
        own_s = time.process_time()
        children = [
            processes.start(path.stem, driver_command(path), log) for path in _configs(Path(name), robots, drivers)
        ]
        client = FleetClient()
        for robot_id in range(1, robots + 1):
            client.watch(robot_id)
        if not client.spin_until(lambda: len(client.statuses) == robots, _READY_S):
            raise RuntimeError(f"{robots - len(client.statuses)} robots were not found within {_READY_S:g} s")
        found_s = time.monotonic() - started_s
        client.spin(_SETTLED_S)
        drivers_s = sum(cpu_s(child.pid) for child in children)
        watching_s = time.process_time() - own_s
        reached = [_client(1 + index * robots // clients) for index in range(clients)]
        after_s = sum(cpu_s(child.pid) for child in children)
        client.close()
    return {
        "every status seen after, s": found_s,
        "CPU of all drivers until then, s": drivers_s,
        "CPU of one client that watches all, s": watching_s,
        "a client reaches its robot after, s (mean)": sum(wall for wall, _ in reached) / clients,
        "CPU of such a client, s (mean)": sum(cpu for _, cpu in reached) / clients,
        "CPU of all drivers for one such client, s": (after_s - drivers_s) / clients,
    }


def _configs(folder: Path, robots: int, drivers: int) -> list[Path]:
    """Write the drivers' configurations; nothing listens at their targets."""
    paths = []
    for index in range(drivers):
        own = range(1 + index * robots // drivers, 1 + (index + 1) * robots // drivers)
        entries = "".join(f"- {{id: {id_}, node_id: {id_}, home: {{x_m: {id_}, y_m: 0}}}}\n" for id_ in own)
        path = folder / f"driver_{index}.yaml"
        path.write_text(
            f"link: {{targets: ['tcp:host=127.0.0.1;port=1']}}\nhosts: {{name: host_{index}}}\nrobots:\n{entries}",
            encoding="utf-8",
        )
        paths.append(path)
    return paths


def _client(robot_id: int) -> tuple[float, float]:
    """Return the time until a new client reaches a robot, and its CPU time until then."""
    command = [sys.executable, "-c", _CLIENT, str(robot_id)]
    wall_s, used_s = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    return float(wall_s), float(used_s)


if __name__ == "__main__":
    sys.exit(main())
