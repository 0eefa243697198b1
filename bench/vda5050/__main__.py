"""Measures the connector to a master control: python -m bench.vda5050 [--robots 20] [--seconds 60] [--json].

Every vehicle gets a random order as soon as it has ended one: orders a minute, times from an order to motion, states a
second and vehicle, messages a second in all, and cores and memory of the connector [10^6 bytes].

With --minutes the robots drive across the whole floor instead, orders are canceled and vehicles paused at random, the
broker is killed every 5 minutes and the connector every 7. Exit code 1 if a robot touched anything, if an order neither
was completed nor canceled, or if anything of an order was done twice. With --speed simulated time runs faster.
"""

import argparse
import random
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from bench.instruments.printed_rows import options_of, print_rows
from bench.instruments.process_usage import Usage, pss_mb, rss_mb, threads
from bench.vda5050.mastered_fleet import MasteredFleet
from fleet.commands.demo.demo_domain import choose_domain
from fleet.commands.processes import Processes
from thymio_base.fast_dds import use_shipped_profile

_BROKER_DIES_S: Final = 300.0
_CONNECTOR_DIES_S: Final = 420.0
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
    with tempfile.TemporaryDirectory() as folder, Processes() as processes:
        chance, is_calm = random.Random(options.seed), options.minutes == 0.0
        speed = 1.0 if is_calm else options.speed
        fleet = MasteredFleet(Path(folder), processes, options.robots, chance, is_calm=is_calm, speed=speed)
        with closing(fleet):
            if not fleet.watch_until(lambda: all(vehicle.state for vehicle in fleet.vehicles.values())):
                raise RuntimeError("not all vehicles are online")
            row = _measured(fleet, options) if is_calm else _killed(fleet, options)
            print_rows([row], as_json=options.json)
    return int(not is_calm and bool(row["contacts"] or row["problems"] or row["unfinished"]))


def _measured(fleet: MasteredFleet, options: argparse.Namespace) -> dict[str, Any]:
    fleet.watch(_WARM_UP_S)
    pid, vehicles = fleet.connector.pid, fleet.vehicles.values()
    before, started_s = Usage.of([pid]), time.monotonic()
    states, received, sent = fleet.received["state"], fleet.received.total(), fleet.sent
    ended = sum(vehicle.ends["completed"] for vehicle in vehicles)
    fleet.watch(options.seconds)
    passed_s = time.monotonic() - started_s
    (cores,), others = Usage.of([pid]).cores_since(before, passed_s)
    motions_s = sorted(motion_s for vehicle in vehicles for motion_s in vehicle.motions_s)
    return {
        "robots": options.robots,
        "orders_per_minute": 60.0 * (sum(vehicle.ends["completed"] for vehicle in vehicles) - ended) / passed_s,
        "order_to_motion_p50_s": motions_s[len(motions_s) // 2],
        "order_to_motion_p99_s": motions_s[int(0.99 * len(motions_s))],
        "states_per_s": (fleet.received["state"] - states) / passed_s / options.robots,
        "messages_per_s": (fleet.received.total() - received + fleet.sent - sent) / passed_s,
        "connector_cores": cores,
        "connector_rss_mb": rss_mb(pid),
        "connector_pss_mb": pss_mb(pid),
        "connector_threads": threads(pid),
        "others_cores": others,
        "contacts": fleet.contacts,
        "problems": [problem for vehicle in vehicles for problem in vehicle.problems],
    }


def _killed(fleet: MasteredFleet, options: argparse.Namespace) -> dict[str, Any]:
    started_s = time.monotonic()
    broker_s, connector_s = _BROKER_DIES_S / options.speed, _CONNECTOR_DIES_S / options.speed
    kills = {"broker": 0, "connector": 0}
    while (passed_s := time.monotonic() - started_s) < 60.0 * options.minutes / options.speed:
        if passed_s >= (kills["broker"] + 1) * broker_s:
            kills["broker"] += 1
            fleet.restart_broker()
        if passed_s >= (kills["connector"] + 1) * connector_s:
            kills["connector"] += 1
            fleet.restart_connector()
        fleet.watch(1.0)
    vehicles = fleet.vehicles.values()
    fleet.watch_until(lambda: not any(vehicle.order_id for vehicle in vehicles), may_begin=False)
    return {
        "robots": options.robots,
        "minutes": options.minutes,
        "speed": options.speed,
        "kills": kills,
        "ends": dict(sum((vehicle.ends for vehicle in vehicles), start=type(fleet.received)())),
        "unfinished": [vehicle.order_id for vehicle in vehicles if vehicle.order_id],
        "contacts": fleet.contacts,
        "problems": [problem for vehicle in vehicles for problem in vehicle.problems],
        "connector_rss_mb": rss_mb(fleet.connector.pid),
    }


if __name__ == "__main__":
    sys.exit(main())
