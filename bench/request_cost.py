"""Measures what the largest accepted requests cost: python -m bench.request_cost [--kind KIND ...] [--json].

For each kind of request a new fleet in the lab, alone in its process: `door_ms` is the processor time of the longest
part of the request, between two ticks, until it is accepted; `parts` is their number; `tick_ms` is the time of the
longest of the ticks after it, for as long as `--seconds`. Both delay all robots of a driver. `start_s` is when the last
robot has a way: long paths are planned in several ticks. "at once" is the same request to all
eight robots; robots without a way to the path refuse it. Ways grow after 30 s.
"""

import math
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

from bench.instruments.printed_rows import options_of, print_rows
from experiments.lab.lab import Lab, uncollected
from fleet.dispatch.records.job import Job
from fleet.errors import GoalRejectedError
from fleet.geometry import Pose2D
from fleet.reason import Explanation
from fleet.settings.config import load_config
from fleet.settings.path_limits import LENGTH_MAX_M, PIECES_MAX, TEXT_MAX
from fleet.tasks.task_kind import TaskKind
from fleet.work.path_wish import follow_task, path_of_wish, prepared_in_parts
from fleet.work.work import PathWish, Place, Work
from simulator.world.config import load_world
from thymio_base.parts import Parts, WorkInParts

_WORLDS: Final = Path("examples/worlds")
_SETTLED_S: Final = 1.0
_STEP_S: Final = 0.05
_ROBOT: Final = 1
_AT_ONCE: Final = 200  # jobs of one request, at most

Request = Callable[[Lab], Parts[str]]  # sends the request; returns why it is refused, "" if it is not
Row = dict[str, str | float | bool]


def main() -> int:
    """Measure, and print a row for each kind, the worst last."""
    parser = options_of(__doc__)
    parser.add_argument("--kind", action="append", choices=sorted(_CASES), help="default: all")
    parser.add_argument("--seconds", type=float, default=4.0, help="how long ticks are watched; default 4")
    options = parser.parse_args()
    rows = [_row(kind, options.seconds) for kind in options.kind or _CASES]
    rows.sort(key=lambda row: max(float(row["door_ms"]), float(row["tick_ms"])))
    print_rows(rows, as_json=options.json)
    return 0


class _Measured:
    """A fleet whose ticks are timed."""

    def __init__(self) -> None:
        config = load_config(_WORLDS / "factory_fleet.yaml", with_calibration=False)
        self.ticks_ms: list[float] = []
        self.lab = Lab(config, load_world(_WORLDS / "factory.yaml"), around_tick=self._timed)
        self.lab.start()
        self.lab.run(_SETTLED_S)

    def watch(self, seconds: float) -> float:
        """Run, and return the time until every robot with a task has a way, infinity if never."""
        start_s = math.inf
        for step in range(round(seconds / _STEP_S)):
            if math.isinf(start_s) and all(one.has_way for one in self.lab.service.readiness(self.lab.now_ns)):
                start_s = _STEP_S * step
            self.lab.run(_STEP_S)
        return start_s

    @contextmanager
    def _timed(self) -> Iterator[None]:
        started_s = time.process_time()
        yield
        self.ticks_ms.append(1e3 * (time.process_time() - started_s))


def _row(kind: str, seconds: float) -> Row:
    measured = _Measured()
    measured.ticks_ms.clear()
    request = _CASES[kind]()
    with uncollected():
        parts_ms, why = _parts_ms(WorkInParts(request(measured.lab)))
        start_s = measured.watch(seconds)
    return {
        "kind": kind,
        "accepted": not why,
        "door_ms": round(max(parts_ms), 1),
        "parts": len(parts_ms),
        "tick_ms": round(max(measured.ticks_ms), 1),
        "start_s": round(start_s, 2),
        "refusal": why[:60],
    }


def _parts_ms(work: WorkInParts[str]) -> tuple[list[float], str]:
    """Return the time of each part of a request, and why it is refused, "" if it is not."""
    parts_ms: list[float] = []
    is_left, why = True, ""
    while is_left:
        started_s = time.process_time()
        try:
            is_left = work.do_part()
        except GoalRejectedError as error:
            is_left, why = False, str(error)
        parts_ms.append(1e3 * (time.process_time() - started_s))
    return parts_ms, why or (work.result if work.is_over else "")


def _follow(text: str, laps: int = 0, speed_mps: float = 0.0, *, at_once: bool = False) -> Request:
    """Return the goal to follow a path, for one robot or all."""
    return partial(_followed, PathWish(text, speed_mps, laps, "map"), at_once)


def _through(points_m: list[tuple[float, float]], *, at_once: bool = False) -> Request:
    """Return the goal to drive through waypoints, for one robot or all."""
    return partial(_followed, PathWish(relative_to="map", waypoints_m=tuple(points_m)), at_once)


def _nothing(_: Lab) -> Parts[str]:
    yield
    return ""


def _followed(wish: PathWish, at_once: bool, lab: Lab) -> Parts[str]:
    """Assign a path to one robot, or to all; return the last refusal's reason, "" if none refuses."""
    yield from prepared_in_parts(wish, lab.config.following, lab.config.corner_m)
    path, refusal = path_of_wish(wish, lab.config.corner_m), ""
    for robot_id in lab.robot_ids if at_once else [_ROBOT]:
        request = follow_task(f"goal {robot_id}", path, lab.config.following, None)
        if lab.service.assign(robot_id, request, lab.now_ns) is not None:
            refusal = str(lab.service.robot(robot_id).explanation)
        yield
    return refusal


def _points(count: int, step_m: float = 0.3) -> list[tuple[float, float]]:
    """Return places on open floor, each a step from the previous, no three of them on a straight line."""
    across = max(2, round(_OPEN_M / step_m))
    found: list[tuple[float, float]] = []
    for index in range(count):
        row, column = divmod(index, across)
        ahead = column if row % 2 == 0 else across - 1 - column
        found.append((round(_LEFT_M + ahead * step_m + 0.01 * (row % 7), 2), round(_LOW_M + 0.1 * (row % 13), 2)))
    return found


def _longest(make: Callable[[int], str]) -> str:
    """Return the longest accepted text of those that `make` returns."""
    size = 2
    while len(make(size + 1)) <= TEXT_MAX:
        size += 1
    return make(size)


def _waypoints_text(count: int, step_m: float, more: str) -> str:
    places = ",".join(f"[{x_m:g},{y_m:g}]" for x_m, y_m in _points(count, step_m))
    return f"{more}waypoints_m: [{places}]"


def _shape(name: str, size_m: float) -> str:
    return f"{{shape: {name}, size_m: {size_m:g}, start: {{x_m: 1.4, y_m: 1.5}}}}"


def _laps_of(lap_m: float, pieces: int = 1) -> int:
    return min(math.floor(LENGTH_MAX_M / lap_m), PIECES_MAX // pieces)


def _submitted(jobs: list[Job], lab: Lab) -> Parts[str]:
    """Submit jobs; return the first refusal's reason, "" if none is refused."""
    assert lab.dispatcher is not None
    found: list[Explanation | None] = []
    for start in range(0, len(jobs), _AT_ONCE):
        found += yield from lab.dispatcher.submission(jobs[start : start + _AT_ONCE], lab.now)
        yield
    return next((str(why) for why in found if why is not None), "")


def _estimated(jobs: list[Job], lab: Lab) -> Parts[str]:
    """Ask how long jobs would take."""
    assert lab.dispatcher is not None
    yield from lab.dispatcher.estimate_s(jobs, lab.now)
    return ""


def _go(number: int, x_m: float, y_m: float) -> Job:
    return Job(f"go {number}", Work(TaskKind.GO_TO, (Place(Pose2D(x_m, y_m, 0.0)),)))


def _goes(count: int) -> list[Job]:
    return [_go(number, 1.2 + 0.8 * (number * 0.618 % 1), 0.7 + 1.5 * (number * 0.414 % 1)) for number in range(count)]


def _carries(count: int) -> list[Job]:
    ends = (Place(Pose2D(3.5 + 0.4 * (n * 0.3 % 1), 0.8 + 1.4 * (n * 0.7 % 1), 0.0)) for n in range(count))
    return [
        replace(job, work=Work(TaskKind.TRANSPORT, (*job.work.places, end)))
        for job, end in zip(_goes(count), ends, strict=True)
    ]


def _follow_job(text: str, laps: int = 0, speed_mps: float = 0.0) -> Job:
    return Job("follow", Work(TaskKind.FOLLOW_PATH, path=PathWish(text, speed_mps, laps, "map")))


def _chain(count: int, each: int) -> list[Job]:
    return [
        replace(job, after=tuple(f"go {earlier}" for earlier in range(max(0, number - each), number)))
        for number, job in enumerate(_goes(count))
    ]


_LEFT_M: Final = 1.0  # the open floor
_LOW_M: Final = 0.8
_OPEN_M: Final = 0.9
_EIGHT: Final = _shape("eight", 0.8)
_EIGHT_LAPS: Final = _laps_of(2.622058 * 0.8)
_CORNERS: Final = _longest(lambda n: _waypoints_text(n, 0.3, "corner_radius_m: .01\n"))
_SPLINE: Final = _waypoints_text(240, 0.1, "curve: spline\n")
_TIGHT: Final = "closed: true\ncurve: spline\nwaypoints_m: [[1.4,1.5],[1.408,1.508],[1.4,1.516],[1.392,1.508]]"
_ROUND: Final = "{relative_to: map, start: {x_m: 1.4, y_m: 1.5}, pieces: [{arc_rad: 990, radius_m: 0.3}]}"
_TURNS: Final = "{relative_to: map, start: {x_m: 1.4, y_m: 1.5}, pieces: [%s]}"
_CASES: Final[dict[str, Callable[[], Request]]] = {
    "nothing": lambda: _nothing,
    "go_to": lambda: partial(_submitted, _goes(1)),
    "eight, all laps": lambda: _follow(_EIGHT, _EIGHT_LAPS),
    "eight, all laps, mean speed": lambda: _follow(_EIGHT, _EIGHT_LAPS, 0.03),
    "smallest circle, all laps": lambda: _follow(_shape("circle", 0.01), _laps_of(0.0315)),
    "smallest square, all laps": lambda: _follow(_shape("square", 0.01), _laps_of(0.04, 8)),
    "square, mean speed": lambda: _follow(_shape("square", 0.01), _laps_of(0.04, 8), 0.006),
    "lines": lambda: _follow(_longest(lambda n: _waypoints_text(n, 0.3, ""))),
    "corners": lambda: _follow(_CORNERS),
    "spline": lambda: _follow(_longest(lambda n: _waypoints_text(n, 0.1, "curve: spline\n"))),
    "turns": lambda: _follow(_longest(lambda n: _TURNS % ",".join(["turn_rad: 1"] * n))),
    "waypoints": lambda: _through(_points(1000)),
    "spline, 9700 knots": lambda: _follow(_SPLINE),
    "spline, mean speed": lambda: _follow(_SPLINE, speed_mps=0.03),
    "spline of two waypoints": lambda: _follow("{curve: spline, waypoints_m: [[-20, 1.5], [28, 1.5]]}"),
    "long arc": lambda: _follow("{relative_to: map, pieces: [{arc_rad: 3, radius_m: 95}]}"),
    "many turns": lambda: _follow(_ROUND),
    "tight spline, all laps": lambda: _follow(_TIGHT, _laps_of(0.05)),
    "eight, all laps, at once": lambda: _follow(_EIGHT, _EIGHT_LAPS, at_once=True),
    "square, all laps, at once": lambda: _follow(_shape("square", 0.01), _laps_of(0.04, 8), at_once=True),
    "corners, at once": lambda: _follow(_CORNERS, at_once=True),
    "spline, 9700 knots, at once": lambda: _follow(_SPLINE, at_once=True),
    "waypoints, at once": lambda: _through(_points(1000), at_once=True),
    "unknown keys": lambda: _follow(_longest(lambda n: "{" + ",".join(f"k{k}: 1" for k in range(n)) + "}")),
    "job: eight, all laps": lambda: partial(_submitted, [_follow_job(_EIGHT, _EIGHT_LAPS)]),
    "job: spline, mean speed": lambda: partial(_submitted, [_follow_job(_SPLINE, speed_mps=0.03)]),
    "job: lines": lambda: partial(_submitted, [_follow_job(_longest(lambda n: _waypoints_text(n, 0.3, "")))]),
    "200 jobs to places": lambda: partial(_submitted, _goes(200)),
    "200 transports": lambda: partial(_submitted, _carries(200)),
    "1000 transports": lambda: partial(_submitted, _carries(1000)),
    "1000 jobs after 20 others each": lambda: partial(_submitted, _chain(1000, 20)),
    "estimate of 50 transports": lambda: partial(_estimated, _carries(50)),
    "200 jobs to one place": lambda: partial(_submitted, [_go(number, 1.5, 1.5) for number in range(200)]),
}

if __name__ == "__main__":
    sys.exit(main())
