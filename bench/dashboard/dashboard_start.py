"""Measures how soon `thymio-fleet up` shows a fleet: python -m bench.dashboard.dashboard_start [--starts 20] [--json].

Each of the starts, with eight robots, is that of a user, with programs whose files the system has read before. Both
times are from the start of the command: until the page answers, and until a browser has the poses of all robots.
"""

import asyncio
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import aiohttp

from bench.dashboard.started_dashboard import announced
from bench.instruments.lateness import percentile_ms
from bench.instruments.printed_rows import options_of, print_rows
from fleet.commands.demo.demo_domain import choose_domain
from fleet.commands.demo.generated_fleet import write_files
from fleet.dashboard.model.pose_frames import HEADER
from thymio_base.fast_dds import use_shipped_profile

_ROBOTS = 8
_PATIENCE_S = 120.0


def main() -> int:
    """Measure and print."""
    parser = options_of(__doc__)
    parser.add_argument("--starts", type=int, default=20)
    options = parser.parse_args()
    choose_domain()
    use_shipped_profile()
    starts_s = [_start() for _ in range(options.starts)]
    answers_s, robots_s = zip(*starts_s, strict=True)
    row = {
        f"{name}_{share}_s": 1e-3 * percentile_ms(times_s, percent)
        for name, times_s in (("answer", answers_s), ("robots", robots_s))
        for share, percent in (("p50", 50), ("p95", 95))
    }
    print_rows([{"starts": options.starts, **row}], as_json=options.json)
    return 0


def _start() -> tuple[float, float]:
    """Start a fleet, and end it; return when the page answered and when all robots were there, in s."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        config, world = write_files(folder, _ROBOTS)
        command = [sys.executable, "-m", "fleet.commands.main", "up", "--config", str(config), "--world", str(world)]
        environment = {**os.environ, "XDG_STATE_HOME": name, "PYTHONUNBUFFERED": "1"}
        started_s = time.monotonic()
        with (folder / "log").open("wb") as log:
            fleet = subprocess.Popen(command, stdout=log, stderr=log, env=environment)
        try:
            return asyncio.run(asyncio.wait_for(_watch(folder / "log", started_s), _PATIENCE_S))
        finally:
            fleet.send_signal(signal.SIGINT)
            fleet.wait()


async def _watch(log: Path, started_s: float) -> tuple[float, float]:
    url, _ = await announced(log, _PATIENCE_S)
    async with aiohttp.ClientSession() as session:
        async with session.get(f"{url}/") as answer:
            await answer.read()
        answered_s = time.monotonic() - started_s
        async with session.ws_connect(f"{url}/live", headers={"Origin": url}) as socket:
            async for message in socket:
                if message.type is aiohttp.WSMsgType.BINARY:
                    _, _, count, number, *_ = HEADER.unpack_from(message.data)
                    if count == _ROBOTS:
                        return answered_s, time.monotonic() - started_s
                    await socket.send_json({"type": "ack", "frame": number})
    raise RuntimeError(f"the dashboard closed the connection\n{log.read_text(encoding='utf-8')}")


if __name__ == "__main__":
    sys.exit(main())
