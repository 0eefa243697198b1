"""Drives 8 vehicles by other people's masters: python -m bench.vda5050.masters [--robots 8] [--orders 5] [--json].

tools/masters.sh installs them. There is a row for vda5050-sdk, which checks every message by the published schemas, for
vda5050-core, and for a square of four 0.3 m edges: its time released edge by edge, over that released at once.
"""

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from statistics import mean
from typing import Any, Final

from bench.instruments.printed_rows import options_of, print_rows
from bench.vda5050.random_master import RandomMaster
from bench.vda5050.started_vehicles import StartedVehicles
from fleet.commands.demo.demo_domain import choose_domain
from fleet.commands.processes import Processes
from thymio_base.fast_dds import use_shipped_profile
from thymio_base.texts.json_text import read_json

_ROOT: Final = Path(__file__).parents[2]
_PYTHON: Final = _ROOT / ".venv-masters" / "bin" / "python"
_PATIENCE_S: Final = 600.0


def main() -> int:
    """Drive, and print rows."""
    parser = options_of(__doc__)
    parser.add_argument("--robots", type=int, default=8)
    parser.add_argument("--orders", type=int, default=5, help="for each vehicle of vda5050-sdk")
    parser.add_argument("--squares", type=int, default=3, help="of each vehicle, at once and edge by edge")
    options = parser.parse_args()
    choose_domain()
    use_shipped_profile()
    print_rows(_rows(options), as_json=options.json)
    return 0


def _rows(options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    for version, script, words in (("2.1.0", "sdk_master.py", [options.orders]), ("2.0.0", "core_master.py", [])):
        with (
            tempfile.TemporaryDirectory() as folder,
            Processes() as processes,
            closing(StartedVehicles(Path(folder), processes, options.robots, version=version)) as started,
        ):
            command = [_PYTHON, _ROOT / "tools" / "masters" / script, started.broker.port, *words, *started.serials]
            yield {"master": script, **_outcome([str(word) for word in command])}
            if version == "2.1.0":
                yield _squares(started, options.squares)


def _outcome(command: list[str]) -> dict[str, Any]:
    found = subprocess.run(command, capture_output=True, text=True, timeout=_PATIENCE_S, check=False)
    lines = [line for line in found.stdout.splitlines() if line.startswith("{")]  # among the master's own log
    if found.returncode != 0 or not lines:
        raise RuntimeError(found.stdout + found.stderr)
    values: dict[str, Any] = read_json(lines[-1])
    return values


def _squares(started: StartedVehicles, count: int) -> dict[str, Any]:
    with closing(RandomMaster(started, 1, is_calm=True)) as master:
        master.drive_squares(is_at_once=True)  # the first square starts with a different turn
        at_once_s, one_by_one_s = [], []
        for _ in range(count):
            at_once_s += master.drive_squares(is_at_once=True)
            one_by_one_s += master.drive_squares(is_at_once=False)
    ratio = mean(one_by_one_s) / mean(at_once_s)
    return {"master": "squares", "drives": len(one_by_one_s), "at_once_s": mean(at_once_s), "one_by_one_ratio": ratio}


if __name__ == "__main__":
    sys.exit(main())
