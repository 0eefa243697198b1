"""A long run, with some robots leaving and returning: python -m bench.soak --minutes 30 --robots 50 [--json].

The driver's resources must not grow. Simulator, driver and observer are those of bench.scale. The last tenth of the
robots is unplugged and plugged in again, one after the other; lateness is that of the others. Results of goals are
kept for a minute here instead of a quarter of an hour, so that their number is constant after the warm-up.

Returns 1 if the driver's memory has grown by 10 MB or more since the warm-up, if it has more threads or open files than
then, or if a pose arrived more than 50 ms late.
"""

import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml
from thymio_simulator_interfaces.srv import SetLink

from bench.instruments.lateness import lateness_s
from bench.instruments.observer import Observer
from bench.instruments.printed_rows import options_of, print_rows
from bench.instruments.process_usage import Usage, open_files, rss_mb, threads
from fleet.commands.demo.demo_domain import choose_domain
from fleet.commands.demo.generated_fleet import write_files
from fleet.commands.processes import Processes, driver_command, simulator_command
from thymio_base.fast_dds import use_shipped_profile

_READY_S = 120.0
_RESULT_TIMEOUT_S = 60
_WARM_UP_S = 120.0
_ROW_S = 30.0
_CATCH_UP_S = 1.0
_AWAY_S = 5.0
_GROWTH_MB = 10.0
_LATE_MS = 50.0
_POSE_S = 0.1


@dataclass(frozen=True, slots=True)
class SoakRow:
    """The driver's resources at a time, and the rate and lateness of its poses since the previous row."""

    minutes: float
    rss_mb: float
    threads: int
    open_files: int
    late_max_ms: float
    late_poses: int
    goals: int
    driver_cpu_cores: float
    others_cores: float


class _ReplugCycle:
    """Unplugs robots for a while, one after the other."""

    def __init__(self, observer: Observer, robot_ids: Sequence[int]) -> None:
        self._client = observer.node.create_client(SetLink, "/simulator/set_link")
        self._robot_ids = robot_ids
        self._turn = 0

    def step(self) -> None:
        """Plug in the robot that is unplugged, or unplug the next one."""
        robot_id = self._robot_ids[self._turn // 2 % len(self._robot_ids)]
        request = SetLink.Request
        link = request.LINK_CONNECTED if self._turn % 2 else request.LINK_DISCONNECTED
        self._client.call_async(SetLink.Request(entity=f"thymio_{robot_id}", link=link))
        self._turn += 1


def main() -> int:
    """Measure and print rows."""
    parser = options_of(__doc__)
    parser.add_argument("--minutes", type=float, default=30.0, help="after a warm-up of two minutes, or of a third")
    parser.add_argument("--robots", type=int, default=50)
    options = parser.parse_args()
    choose_domain()
    use_shipped_profile()
    observer = Observer(options.robots)
    try:
        with tempfile.TemporaryDirectory() as folder, Processes() as processes:
            run = _run(observer, Path(folder), processes, options.minutes)
            rows = print_rows(run, as_json=options.json)
    finally:
        observer.close()
    return int(bool(problems(rows)))


def problems(rows: Sequence[SoakRow]) -> list[str]:
    """Return and print the resources that have grown since the first row, and late poses."""
    found = leaks(rows)
    late = sum(row.late_poses for row in rows[1:])
    if late:
        found.append(f"{late} poses arrived more than {_LATE_MS:g} ms late")
    for problem in found:
        print(problem, file=sys.stderr)
    return found


def leaks(rows: Sequence[SoakRow]) -> list[str]:
    """Return the resources that have grown since the first row."""
    first, last = rows[0], rows[-1]
    found = []
    if last.rss_mb - first.rss_mb >= _GROWTH_MB:
        found.append(f"memory grew by {last.rss_mb - first.rss_mb:.1f} MB")
    if last.threads > first.threads:
        found.append(f"{last.threads - first.threads} more threads")
    if last.open_files > first.open_files:
        found.append(f"{last.open_files - first.open_files} more open files")
    return found


def _run(observer: Observer, folder: Path, processes: Processes, minutes: float) -> Iterator[SoakRow]:
    """Yield a row after the warm-up, and then one every half minute."""
    robots = len(observer.measured.poses)
    config, world = write_files(folder, robots)
    values = yaml.safe_load(config.read_text(encoding="utf-8"))
    values["tasks"] = {"result_timeout_s": _RESULT_TIMEOUT_S}
    config.write_text(yaml.safe_dump(values), encoding="utf-8")
    with (folder / "log").open("wb") as log:
        processes.start("simulator", simulator_command(world), log)
        driver = processes.start("driver", driver_command(config), log)
    if not observer.spin_until(lambda: not observer.missing(), _READY_S):
        raise RuntimeError(f"not ready after {_READY_S:g} s: robots {observer.missing()}")
    staying = robots - max(1, robots // 10)
    replug_cycle = _ReplugCycle(observer, range(staying + 1, robots + 1))
    started_s = time.monotonic()
    row_s = min(_ROW_S, 60.0 * minutes)
    pieces_s = [min(_WARM_UP_S, 20.0 * minutes), *[row_s] * round(60.0 * minutes / row_s)]
    for piece_s in pieces_s:
        observer.drive(_CATCH_UP_S)  # while the previous row was summed up, nothing was received
        usage, before_s = Usage.of([driver.pid]), time.monotonic()
        observer.reset()
        while time.monotonic() - before_s < piece_s:
            replug_cycle.step()
            observer.drive(min(_AWAY_S, 0.5 * piece_s))
        (cores,), others_cores = Usage.of([driver.pid]).cores_since(usage, time.monotonic() - before_s)
        arrivals = [observer.measured.poses[robot_id] for robot_id in range(1, staying + 1)]
        late_ms = [1000.0 * late_s for times in arrivals for late_s in lateness_s(times, _POSE_S)]
        yield SoakRow(
            minutes=(time.monotonic() - started_s) / 60.0,
            rss_mb=rss_mb(driver.pid),
            threads=threads(driver.pid),
            open_files=open_files(driver.pid),
            late_max_ms=max(late_ms),
            late_poses=sum(late > _LATE_MS for late in late_ms),
            goals=sum(observer.measured.ends.values()),
            driver_cpu_cores=cores,
            others_cores=others_cores,
        )


if __name__ == "__main__":
    sys.exit(main())
