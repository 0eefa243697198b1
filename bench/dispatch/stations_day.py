"""Measures places: python -m bench.dispatch.stations_day [--hours 2] [--robots 20] [--seed 0] [--json].

Robots carry things between eight stations without end, park at four others, and some stand on stations from the start;
the whole fleet in the lab, with traffic. `held_twice` counts looks at which two robots stood at one station,
`longest_wait_s` is the longest time in which no job ended while some were open.
"""

import sys
import tempfile
from collections import Counter
from pathlib import Path
from random import Random
from typing import Final

from bench.instruments.distance_watch import DistanceWatch
from bench.instruments.printed_rows import options_of, print_rows
from experiments.lab.lab import Lab, uncollected
from fleet.dispatch.dispatcher import Dispatcher
from fleet.dispatch.records.job import Job
from fleet.geometry import Pose2D
from fleet.settings.config import load_config
from fleet.tasks.task_kind import TaskKind
from fleet.work.work import Place, Work
from simulator.world.config import load_world

_SIDE_M: Final = 5.0
_STATIONS: Final = [Pose2D(x_m, y_m, 0.0) for y_m in (2.2, 3.8) for x_m in (0.8, 1.9, 3.1, 4.2)]
_PARKING: Final = [Pose2D(x_m, 4.7, 0.0) for x_m in (0.8, 1.9, 3.1, 4.2)]
_ON_STATIONS: Final = 3  # robots that stand on a station at the start
_STEP_S: Final = 0.5
_WAITING: Final = 12  # jobs that are always in the queue
_HOUR_S: Final = 3600.0


class StationsDay:
    """One run.

    Parameters
    ----------
    robots : of the fleet
    seed : of the jobs
    hours : of work
    """

    def __init__(self, robots: int, seed: int, hours: float) -> None:
        self._random: Final = Random(seed)
        self._hours: Final = hours
        self._seed: Final = seed
        self._open: set[str] = set()
        self._ends: Final[Counter[str]] = Counter()
        self._submitted = 0
        self._details: Final[list[str]] = []  # of jobs that were aborted
        self._held_twice = 0
        self._longest_wait_s = self._wait_s = 0.0
        with tempfile.TemporaryDirectory() as folder:
            self._lab: Final = _lab(Path(folder), robots)
        if self._lab.dispatcher is None:
            raise ValueError("the lab accepts no jobs")
        self._dispatcher: Final[Dispatcher] = self._lab.dispatcher

    def row(self) -> dict[str, object]:
        """Perform the run; return what happened."""
        lab = self._lab
        lab.start()
        watch = DistanceWatch(lab)
        with uncollected():
            for _ in range(round(self._hours * _HOUR_S / _STEP_S)):
                self._ask_for_more()
                lab.run(_STEP_S)
                self._note_ends()
                self._held_twice += self._is_a_place_held_twice()
            left = self._finish()
        return {
            "policy": "stations",
            "robots": len(lab.robot_ids),
            "stations": len(_STATIONS),
            "parking": len(_PARKING),
            "hours": self._hours,
            "seed": self._seed,
            "ends": dict(sorted(self._ends.items())),
            "aborted": self._details,
            "open": left,
            "held_twice": self._held_twice,
            "longest_wait_s": self._longest_wait_s,
            "contacts": watch.contacts,
        }

    def _ask_for_more(self) -> None:
        for _ in range(_WAITING + len(self._lab.robot_ids) - len(self._open)):
            start, end = self._random.sample(_STATIONS, 2)
            job = Job(f"job {self._submitted}", Work(TaskKind.TRANSPORT, (Place(start), Place(end))))
            self._dispatcher.submit([job], self._lab.now)
            self._open.add(job.job_id)
            self._submitted += 1

    def _finish(self) -> int:
        """Let what is open end; return how many jobs did not."""
        for _ in range(round(_HOUR_S / _STEP_S)):
            if not self._open:
                break
            self._lab.run(_STEP_S)
            self._note_ends()
            self._held_twice += self._is_a_place_held_twice()
        return len(self._open)

    def _note_ends(self) -> None:
        reports = [self._dispatcher.report(job_id, self._lab.now) for job_id in self._open]
        ended = [report for report in reports if report is not None and report.ended_ns]
        self._ends.update(report.reason or report.state.value for report in ended)
        self._details.extend(f"{report.job_id}: {report.reason} {report.detail}" for report in ended if report.reason)
        self._open.difference_update(report.job_id for report in ended)
        self._wait_s = 0.0 if ended else self._wait_s + _STEP_S
        self._longest_wait_s = max(self._longest_wait_s, self._wait_s)

    def _is_a_place_held_twice(self) -> bool:
        places = [self._lab.truth(robot_id) for robot_id in self._lab.robot_ids]
        return any(sum(place.distance_to(pose) < 0.1 for place in places) > 1 for pose in (*_STATIONS, *_PARKING))


def _lab(folder: Path, robots: int) -> Lab:
    homes = [(0.4 + 0.45 * (index % 10), 0.4 + 0.5 * (index // 10)) for index in range(robots)]
    starts = [(place.x_m, place.y_m) for place in _STATIONS[:_ON_STATIONS]] + homes[_ON_STATIONS:]
    named = {"load": _STATIONS[::2], "unload": _STATIONS[1::2], "park": _PARKING}
    stations = [
        f"- {{name: {role} {number}, pose: {{x_m: {place.x_m}, y_m: {place.y_m}}}, role: {role}}}"
        for role, places in named.items()
        for number, place in enumerate(places, 1)
    ]
    settings = [
        f"arena: {{x_min_m: 0, y_min_m: 0, x_max_m: {_SIDE_M}, y_max_m: {_SIDE_M}}}",
        "dispatch: {enabled: true, book: memory, finishing: park}",
        "traffic: {idle: give_way}",
    ]
    served = [
        f"- {{id: {number}, node_id: {number}, pose_topic: /robot_{number}, home: {{x_m: {x_m:.2f}, y_m: {y_m:.2f}}}}}"
        for number, (x_m, y_m) in enumerate(homes, 1)
    ]
    fleet, world = folder / "fleet.yaml", folder / "world.yaml"
    fleet.write_text("\n".join([*settings, "stations:", *stations, "robots:", *served]), encoding="utf-8")
    placed = [f"- {{node_id: {number}, x_m: {x_m:.2f}, y_m: {y_m:.2f}}}" for number, (x_m, y_m) in enumerate(starts, 1)]
    arena = f"arena: {{width_m: {_SIDE_M}, height_m: {_SIDE_M}}}"
    world.write_text("\n".join([arena, "robots:", *placed]), encoding="utf-8")
    return Lab(load_config(fleet), load_world(world))


def main() -> int:
    """Measure and print the row; fail if a place was held twice, a robot touched, or a job did not succeed."""
    parser = options_of(__doc__)
    parser.add_argument("--hours", type=float, default=2.0)
    parser.add_argument("--robots", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    row = StationsDay(options.robots, options.seed, options.hours).row()
    print_rows([row], as_json=options.json)
    return int(bool(row["held_twice"] or row["contacts"] or row["open"] or row["aborted"]))


if __name__ == "__main__":
    sys.exit(main())
