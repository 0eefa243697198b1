"""Counts goals whose answer or end never arrives, in cases that provoke it: python -m bench.answers [--json] [--short].

Simulator, driver, clients and disturbances are separate processes. A row is one kind of client in one
case; docs/measured/answers.md explains cases and columns. Everything stays on this machine. Returns 1 if our own client
has a goal without answer or end, a goal was executed twice, or a process crashed.
"""

import argparse
import sys
from collections.abc import Iterator

from bench.answers.cases import CASES, Case
from bench.answers.measured_clients import ClientKind
from bench.answers.measurement import Amounts, measure
from bench.answers.rows import Row
from bench.instruments.printed_rows import options_of, print_rows
from thymio_base.ros.private_domain import reserve_private_domain

_SHORT_CASES = ("quiet", "widened", "latched", "flood", "handover", "kills")
_LONG = Amounts(robots=8, goals=0, handovers=200, kills=60, kill_period_s=5.0, newcomers=100)
_SHORT = Amounts(robots=4, goals=24, handovers=3, kills=3, kill_period_s=5.0, newcomers=30)


def main() -> int:
    """Measure and print rows."""
    options = _options()
    reserve_private_domain()
    rows = print_rows(_measure(options), as_json=options.json)
    return int(not all(row.is_clean for row in rows if row.client == ClientKind.OURS))


def _options() -> argparse.Namespace:
    parser = options_of(__doc__)
    parser.add_argument("--cases", help=f"of {', '.join(CASES)}, separated by commas (default: all)")
    parser.add_argument("--clients", help=f"of {', '.join(ClientKind)} (default: all, with --short ours)")
    parser.add_argument("--short", action="store_true", help="few goals, some of the cases: a minute or two")
    parser.add_argument("--goals", type=int, help="of each client (default: 2000 in quiet, busy, widened; else 300)")
    parser.add_argument("--robots", type=int, help="at least 2 (default: 8)")
    parser.add_argument("--handovers", type=int, help="default: 200")
    parser.add_argument("--kills", type=int, help="default: 60, one every 5 s")
    options = parser.parse_args()
    short_cases, short_clients = ",".join(_SHORT_CASES), ClientKind.OURS.value
    options.cases = (options.cases or (short_cases if options.short else ",".join(CASES))).split(",")
    options.clients = (options.clients or (short_clients if options.short else ",".join(ClientKind))).split(",")
    unknown = [name for name in options.cases if name not in CASES]
    unknown += [name for name in options.clients if name not in [kind.value for kind in ClientKind]]
    if unknown or (options.robots is not None and options.robots < 2):
        parser.error(f"unknown: {', '.join(unknown)}" if unknown else "--robots must be at least 2")
    return options


def _measure(options: argparse.Namespace) -> Iterator[Row]:
    for name in options.cases:
        for kind in options.clients:
            yield measure(CASES[name], ClientKind(kind), _amounts(options, CASES[name]))


def _amounts(options: argparse.Namespace, case: Case) -> Amounts:
    usual = _SHORT if options.short else _LONG
    return Amounts(
        robots=options.robots or usual.robots,
        goals=options.goals or usual.goals or case.goals,
        handovers=usual.handovers if options.handovers is None else options.handovers,
        kills=usual.kills if options.kills is None else options.kills,
        kill_period_s=usual.kill_period_s,
        newcomers=usual.newcomers,
    )


if __name__ == "__main__":
    sys.exit(main())
