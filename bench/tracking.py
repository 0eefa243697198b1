"""How well each control law keeps a robot on its path: python -m bench.laws [--seeds 4] [--laps 1] [--json].

Each row is one law on one path at one disturbance level (`bench.plant`), over all seeds: the largest and the root mean
square distance from the path, the largest missing of a corner, the largest distance from where the law's own reference
then was, the time for the laps against length / 0.1 m/s, and how many of the seeds got to the end. The first 5 s do not
count: gains and latency are learned meanwhile.

The baseline drives as its author did: 10 Hz, the poses of motion capture as they come, nothing compensated, and two
programs whose clocks are not synchronised, so that its reference is late by a part of a period.
"""

import argparse
import json
import math
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.box import MARKDOWN
from rich.console import Console
from rich.table import Table

from aseba_link.settings import check_values
from aseba_link.thymio import AXLE_LENGTH_M, MOTOR_PERIOD_S, SPEED_UNIT_MPS
from bench.paths import PATHS, Course, course
from bench.plant import GRID, LEVELS, STEP_S, Level, Plant, Report, Sample
from fleet.actuation import Motion
from fleet.calibration import WheelCalibration
from fleet.chassis import Chassis
from fleet.config import LocalizationConfig, config_schema
from fleet.drive import Drive
from fleet.estimator import PoseEstimator
from fleet.geometry import STILL
from fleet.laws.choice import choose_law
from fleet.laws.law import Situation, Tracks
from fleet.tracker_config import ActuationConfig, LawName, TrackerConfig, build_tracker_config

Array = NDArray[np.float64]

SPEED_MPS = 0.1
_WARM_UP_S = 5.0
_OVERTIME = 1.3  # a law that tracks the path may take this much longer, and time for the end
_END_S = 2.0
_REST_S = 0.5
_REACHED_M = 0.05
_WHEELS = WheelCalibration(SPEED_UNIT_MPS, SPEED_UNIT_MPS, AXLE_LENGTH_M)
_RECORD_STEPS = 2
_WIDTH = 160
_LEVELS = {level.name: level for level in (*LEVELS, *GRID)}


@dataclass(frozen=True, slots=True)
class Contender:
    """A law as it is driven."""

    name: str
    tracker: TrackerConfig
    actuation: ActuationConfig
    localization: LocalizationConfig
    control_hz: float = 20.0
    is_published: bool = False  # the baseline, see above


@dataclass(frozen=True, slots=True)
class Heat:
    """One law on one path at one level, with a robot for each seed."""

    contender: Contender
    path: str
    level: Level
    seeds: int
    laps: int


@dataclass(frozen=True, slots=True)
class Row:
    """What became of one law on one path at one level."""

    path: str
    law: str
    level: str
    max_mm: float
    rms_mm: float
    miss_mm: float
    time_max_mm: float  # nan where the law has no reference in time
    lap_ratio: float
    completed: float


class Pilot:
    """What the fleet does for one robot: estimate, predict, steer, quantise.

    Parameters
    ----------
    contender : how
    run : where
    stale_s : how late the baseline's reference is
    """

    def __init__(self, contender: Contender, run: Course, stale_s: float) -> None:
        self._contender = contender
        self._stale_s = stale_s
        self._run = run
        self.chassis = Chassis(_WHEELS, contender.actuation)
        drive = Drive(_WHEELS.axle_length_m, _WHEELS.max_wheel_mps)
        self._estimator = PoseEstimator(drive, run.trajectory.path.start, True, contender.localization)
        self._samples: list[Sample] = []
        self._latest: Sample | None = None
        self._heard_ns = 0
        self.law = choose_law(run.trajectory, contender.tracker)

    @property
    def is_done(self) -> bool:
        """Whether the law is at the end of its trajectory."""
        return self.law.plan_time_s >= self._run.trajectory.duration_s

    def on_report(self, report: Report, now_ns: int) -> None:
        """Take in what the wheels reported."""
        unit_m = SPEED_UNIT_MPS * MOTOR_PERIOD_S
        duration_s = (report.stamp_ns - self._heard_ns) * 1e-9
        left_m, right_m = self.chassis.on_wheels(
            report.left_counts * unit_m, report.right_counts * unit_m, duration_s, report.stamp_ns
        )
        self._estimator.on_wheels(left_m, right_m, duration_s, report.stamp_ns)
        self._heard_ns = report.stamp_ns
        while self._samples and self._samples[0].stamp_ns <= self._heard_ns:
            sample = self._samples.pop(0)
            if self._estimator.on_pose(sample.pose, sample.stamp_ns, now_ns):
                self.chassis.on_pose(sample.pose, sample.stamp_ns)

    def on_sample(self, sample: Sample) -> None:
        """Take in what motion capture measured; it is used once the wheels are known up to then."""
        self._latest = sample
        self._samples.append(sample)

    def steer(self, now_ns: int) -> tuple[int, int]:
        """Return the motor targets for now."""
        situation = self._situation(now_ns)
        if situation is None:
            return 0, 0
        units_raw = self.chassis.units_raw(self.law.step(situation))
        self.chassis.on_sent(units_raw, now_ns)
        return units_raw

    def _situation(self, now_ns: int) -> Situation | None:
        period_s = 1.0 / self._contender.control_hz
        if self._contender.is_published:
            if self._latest is None:
                return None
            time_s = max(0.0, now_ns * 1e-9 - self._stale_s)
            return Situation(self._latest.pose, STILL, time_s, period_s, 0.0)
        estimate = self._estimator.estimate()
        if estimate is None:
            return None
        now = Motion(estimate.pose, self._estimator.twist)
        outlook = self.chassis.outlook(now, self._heard_ns, now_ns, period_s)
        then, time_s = outlook.then, now_ns * 1e-9 + outlook.ahead_s
        return Situation(then.pose, then.twist, time_s, period_s, outlook.lag_s)


def measure(heat: Heat) -> Row:
    """Drive all seeds at once; return how far they were from their path."""
    run = course(heat.path, heat.laps, SPEED_MPS)
    plant = Plant(heat.level, heat.seeds, run.trajectory.path.start)
    stale = np.random.default_rng(3).uniform(0.0, 0.1, heat.seeds).tolist()
    pilots = [Pilot(heat.contender, run, late_s) for late_s in stale]
    every = round(1.0 / (heat.contender.control_hz * STEP_S))
    slowest = _OVERTIME if pilots[0].law.tracks is Tracks.PATH else 1.0
    record, ended_s = [], [math.inf] * heat.seeds
    for step in range(round((slowest * run.trajectory.duration_s + _END_S) / STEP_S)):
        if step % every == 0:
            for index, pilot in enumerate(pilots):
                plant.command(index, pilot.steer(plant.now_ns))
                if pilot.is_done:
                    ended_s[index] = min(ended_s[index], plant.now_ns * 1e-9)
        reports, samples = plant.step()
        for index, sample in samples.items():
            pilots[index].on_sample(sample)
        for index, report in reports.items():
            pilots[index].on_report(report, plant.now_ns)
        if step % _RECORD_STEPS == 0:
            record.append(plant.poses())
        if max(ended_s) < plant.now_ns * 1e-9 - _REST_S:
            break
    return _row(heat, run, np.array(record, dtype=float), ended_s)


def _row(heat: Heat, run: Course, record: Array, ended_s: Sequence[float]) -> Row:
    """Return what a record of true poses (times, seeds, 3) says."""
    positions, end = record[..., :2], run.trajectory.path.end
    first = round(_WARM_UP_S / (_RECORD_STEPS * STEP_S))
    off_m = run.distances(positions[first:])
    reached_m = np.hypot(positions[-1, :, 0] - end.x_m, positions[-1, :, 1] - end.y_m)
    late_m = math.nan
    if choose_law(run.trajectory, heat.contender.tracker).tracks is Tracks.TIME:
        times_s: Array = (np.arange(len(record), dtype=float) * _RECORD_STEPS + 1.0) * STEP_S
        late_m = float(run.lateness(positions, times_s, heat.contender.is_published)[first:].max())
    finite_s = [end_s for end_s in ended_s if math.isfinite(end_s)]
    return Row(
        path=heat.path,
        law=heat.contender.name,
        level=heat.level.name,
        max_mm=1000.0 * float(off_m.max()),
        rms_mm=1000.0 * float(np.sqrt(np.mean(off_m**2))),
        miss_mm=1000.0 * run.missed_m(positions),
        time_max_mm=1000.0 * late_m,
        lap_ratio=float(np.mean(finite_s)) / (run.length_m / SPEED_MPS) if finite_s else math.nan,
        completed=float(((reached_m < _REACHED_M) & np.isfinite(ended_s)).mean()),
    )


def contenders() -> list[Contender]:
    """Return the baseline as published, and every law with the defaults of fleet.yaml."""
    tracker = build_tracker_config(_defaults("tracker"))
    actuation = ActuationConfig(**_defaults("actuation"))
    localization = LocalizationConfig(**_defaults("localization"))
    published = replace(tracker, law=LawName.PD_PURSUIT)
    bare = replace(actuation, predicts=False, learns_gains=False, learns_latency=False)
    return [
        Contender("published", published, bare, localization, control_hz=10.0, is_published=True),
        *(Contender(name.value, replace(tracker, law=name), actuation, localization) for name in LawName),
    ]


def main() -> int:
    """Measure, print a table."""
    every = contenders()
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--laws", nargs="+", choices=[contender.name for contender in every], metavar="LAW")
    parser.add_argument("--paths", nargs="+", choices=PATHS, default=list(PATHS), metavar="PATH")
    parser.add_argument(
        "--levels", nargs="+", choices=list(_LEVELS), default=[level.name for level in LEVELS], metavar="L"
    )
    parser.add_argument("--grid", action="store_true", help="mismatch by latency, instead of the levels")
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--laps", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="rows as JSON")
    options = parser.parse_args()
    levels = [level.name for level in GRID] if options.grid else options.levels
    heats = [
        Heat(contender, path, _LEVELS[level], options.seeds, options.laps)
        for path in options.paths
        for contender in every
        if contender.name in (options.laws or [contender.name])
        for level in levels
    ]
    with ProcessPoolExecutor() as pool:
        rows = list(pool.map(measure, heats))
    if options.json:
        print(json.dumps([asdict(row) for row in rows], indent=1))
    else:
        Console(width=_WIDTH).print(_table(rows))
    return 0


def _defaults(section: str) -> dict[str, Any]:
    return check_values(section, {}, config_schema()["properties"][section])


def _table(rows: Sequence[Row]) -> Table:
    """Return one line for each path and law; the columns of a level are joined by slashes."""
    table = Table(box=MARKDOWN)
    for title in ("path", "law", "max mm", "rms mm", "corner missed mm", "late mm", "lap", "completed"):
        table.add_column(title, justify="left" if title in ("path", "law") else "right")
    cells: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        cells.setdefault((row.path, row.law), []).append(row)
    for (path, law), group in cells.items():
        table.add_row(
            path,
            law,
            " / ".join(f"{row.max_mm:.1f}" for row in group),
            " / ".join(f"{row.rms_mm:.2f}" for row in group),
            " / ".join(f"{row.miss_mm:.1f}" for row in group),
            " / ".join("-" if math.isnan(row.time_max_mm) else f"{row.time_max_mm:.1f}" for row in group),
            " / ".join(f"{row.lap_ratio:.3f}" for row in group),
            " / ".join(f"{row.completed:.0%}" for row in group),
        )
    return table


if __name__ == "__main__":
    raise SystemExit(main())
