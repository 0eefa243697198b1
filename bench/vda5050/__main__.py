"""Measures the connector to a master control: python -m bench.vda5050 [--robots 20] [--seconds 60] [--json].

Every vehicle gets a random order as soon as its last has ended. Columns: orders per minute, times from an order to
motion, states per second and vehicle, messages per second in all, cores and memory of the connector [10^6 bytes].

With --minutes the robots drive across the whole floor instead, orders are canceled and vehicles paused at random, the
broker is killed every 5 minutes and the connector every 7. Exit code 1 if a robot touched anything, if an order was
neither completed nor canceled, or if any part of an order was done twice. With --speed simulated time runs faster.
"""

import argparse
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from bench.instruments.printed_rows import options_of, print_rows
from bench.instruments.process_usage import Usage, pss_mb, rss_mb, threads
from bench.vda5050.random_master import RandomMaster
from bench.vda5050.started_vehicles import StartedVehicles
from fleet.commands.demo.demo_domain import choose_domain
from fleet.commands.processes import Processes
from thymio_base.fast_dds import use_shipped_profile

_BROKER_DIES_S: Final = 300.0
_CONNECTOR_DIES_S: Final = 420.0
_AWAY_S: Final = 3.0  # downtime of a killed broker
_WARM_UP_S: Final = 10.0


def main() -> int:
    """Measure and print a row."""
    parser = options_of(__doc__)
    parser.add_argument("--robots", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=60.0, help="that are measured")
    parser.add_argument("--minutes", type=float, default=0.0, help="of simulated time, in which programs are killed")
    parser.add_argument("--speed", type=float, default=1.0, help="of simulated time, with --minutes")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    choose_domain()
    use_shipped_profile()
    is_calm = options.minutes == 0.0
    speed = 1.0 if is_calm else options.speed
    with tempfile.TemporaryDirectory() as folder, Processes() as processes:
        started = StartedVehicles(Path(folder), processes, options.robots, speed=speed)
        with closing(started), closing(RandomMaster(started, options.seed, is_calm=is_calm)) as master:
            row = (_measured if is_calm else _killed)(started, master, options)
            print_rows([row], as_json=options.json)
    return int(not is_calm and bool(row["contacts"] or row["problems"] or row["unfinished"]))


def _measured(started: StartedVehicles, master: RandomMaster, options: argparse.Namespace) -> dict[str, Any]:
    master.watch(_WARM_UP_S)
    pid = started.connector.pid
    before, started_s = Usage.of([pid]), time.monotonic()
    states, messages, ended = master.received["state"], master.received.total() + master.sent, master.ends["completed"]
    master.watch(options.seconds)
    passed_s = time.monotonic() - started_s
    (cores,), others = Usage.of([pid]).cores_since(before, passed_s)
    motions_s = sorted(motion_s for vehicle in master.vehicles.values() for motion_s in vehicle.motions_s)
    return {
        "robots": options.robots,
        "orders_per_minute": 60.0 * (master.ends["completed"] - ended) / passed_s,
        "order_to_motion_p50_s": motions_s[len(motions_s) // 2],
        "order_to_motion_p99_s": motions_s[int(0.99 * len(motions_s))],
        "states_per_s": (master.received["state"] - states) / passed_s / options.robots,
        "messages_per_s": (master.received.total() + master.sent - messages) / passed_s,
        "connector_cores": cores,
        "connector_rss_mb": rss_mb(pid),
        "connector_pss_mb": pss_mb(pid),
        "connector_threads": threads(pid),
        "others_cores": others,
        "contacts": started.contacts,
        "problems": master.problems,
    }


def _killed(started: StartedVehicles, master: RandomMaster, options: argparse.Namespace) -> dict[str, Any]:
    started_s = time.monotonic()
    kills = {"broker": 0, "connector": 0}
    while (passed_s := time.monotonic() - started_s) < 60.0 * options.minutes / options.speed:
        if passed_s >= (kills["broker"] + 1) * _BROKER_DIES_S / options.speed:
            kills["broker"] += 1
            started.broker.stop(is_killed=True)
            master.watch(_AWAY_S)
            started.broker.start()
        if passed_s >= (kills["connector"] + 1) * _CONNECTOR_DIES_S / options.speed:
            kills["connector"] += 1
            started.restart_connector()
        master.watch(1.0)
    master.watch_until(lambda: not master.has_orders, may_begin=False)
    return {
        "robots": options.robots,
        "minutes": options.minutes,
        "speed": options.speed,
        "kills": kills,
        "ends": dict(master.ends),
        "unfinished": [vehicle.order_id for vehicle in master.vehicles.values() if vehicle.order_id],
        "contacts": started.contacts,
        "problems": master.problems,
        "connector_rss_mb": rss_mb(started.connector.pid),
    }


if __name__ == "__main__":
    sys.exit(main())
