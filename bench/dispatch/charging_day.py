"""Measures a day of work and charging: python -m bench.dispatch.charging_day [--hours 8] [--picture FILE] [--json].

Six robots carry things without end, and share two chargers; the whole fleet in the lab, with traffic. `work_share` is
the time that robots performed jobs over the longest time for which the charge could suffice: with chargers that are
never free, without what standing robots draw and what is left in the batteries in the end.
"""

import math
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Final

from bench.instruments.distance_watch import DistanceWatch
from bench.instruments.printed_rows import options_of, print_rows
from experiments.lab.lab import Lab, uncollected
from fleet.dispatch.dispatcher import Dispatcher
from fleet.dispatch.records.job import Job
from fleet.geometry import Pose2D
from fleet.robots.battery import BatteryLevel
from fleet.settings.config import load_config
from fleet.tasks.task_kind import TaskKind
from fleet.work.work import Place, Work
from simulator.world.config import load_world

_ROBOTS: Final = 6
_CHARGERS: Final = (Pose2D(0.4, 2.6, 0.0), Pose2D(1.2, 2.6, 0.0))
_STATIONS: Final = tuple(Pose2D(x_m, y_m, 0.0) for x_m in (0.6, 1.5, 2.4) for y_m in (1.0, 1.7))
_STEP_S: Final = 0.5
_WAITING: Final = 8  # jobs that are always in the queue
_HOUR_S: Final = 3600.0


@dataclass
class Day:
    """What happened: charges and what robots did, once a minute, and sums over the day."""

    least_charge: float = 1.0
    worst_error: float = 0.0
    critical: int = 0
    shared: int = 0
    working_s: float = 0.0
    charging_s: float = 0.0
    worked: float = 0.0  # charge that was used while robots performed jobs, over all robots
    minutes: list[list[tuple[float, bool, bool]]] = field(default_factory=list)


class ChargingDay:
    """One run.

    Parameters
    ----------
    seed : of the places
    hours : of work
    capacity_ah : of each battery; a tenth of the usual one makes a day of an hour
    """

    def __init__(self, seed: int, hours: float, capacity_ah: float) -> None:
        self._random: Final = Random(seed)
        self._hours: Final = hours
        self._seed: Final = seed
        self._submitted = 0
        with tempfile.TemporaryDirectory() as folder:
            self._lab: Final = _lab(Path(folder), capacity_ah)
        if self._lab.dispatcher is None:
            raise ValueError("the lab accepts no jobs")
        self._dispatcher: Final[Dispatcher] = self._lab.dispatcher
        self.day: Final = Day()

    def row(self) -> dict[str, object]:
        """Perform the run; return what happened."""
        lab = self._lab
        lab.start()
        watch = DistanceWatch(lab)
        start = self._truth()
        with uncollected():
            for step in range(round(self._hours * _HOUR_S / _STEP_S)):
                self._ask_for_more()
                before = self._truth()
                lab.run(_STEP_S)
                self._note(step, before)
        day = self.day
        ended = self._submitted - sum(not one.ended_ns for one in self._dispatcher.reports(lab.now))
        return {
            "policy": "charging",
            "robots": _ROBOTS,
            "chargers": len(_CHARGERS),
            "hours": self._hours,
            "seed": self._seed,
            "jobs": ended,
            "least_charge_pct": round(100.0 * day.least_charge, 1),
            "worst_error_pct": round(100.0 * day.worst_error, 1),
            "critical": day.critical,
            "shared_chargers": day.shared,
            "charging_share": round(day.charging_s / (len(_CHARGERS) * self._hours * _HOUR_S), 3),
            "work_share": round(day.working_s / self._possible_s(start), 3),
            "contacts": watch.contacts,
        }

    def _possible_s(self, start: list[float]) -> float:
        """Return for how long robots can work from their charges at the start, if the chargers are never free."""
        battery = self._lab.service.config.battery
        capacity_as = battery.capacity_ah * _HOUR_S
        day_s, chargers = self._hours * _HOUR_S, len(_CHARGERS)
        off_charger_s = (_ROBOTS - chargers) * day_s
        given_as = (sum(start) - sum(self._truth())) * capacity_as + battery.charging_a * chargers * day_s
        working_a = self.day.worked * capacity_as / self.day.working_s
        left_as = given_as - battery.resting_a * off_charger_s
        return min(off_charger_s, left_as / max(1e-3, working_a - battery.resting_a))

    def _ask_for_more(self) -> None:
        reports = self._dispatcher.reports(self._lab.now)
        waiting = sum(not report.ended_ns and report.state.value in ("queued", "assigned") for report in reports)
        for _ in range(_WAITING - waiting):
            start, end = self._random.sample(_STATIONS, 2)
            places = (Place(start), Place(end))
            self._dispatcher.submit([Job(f"job {self._submitted}", Work(TaskKind.TRANSPORT, places))], self._lab.now)
            self._submitted += 1

    def _note(self, step: int, before: list[float]) -> None:
        lab, day = self._lab, self.day
        truth = self._truth()
        minute: list[tuple[float, bool, bool]] = []
        in_chargers = [0] * len(_CHARGERS)
        for index, robot_id in enumerate(lab.robot_ids):
            telemetry = lab.service.robot(robot_id).telemetry
            is_working = bool(lab.service.robot(robot_id).task_id)
            place = lab.truth(robot_id)
            for charger, pose in enumerate(_CHARGERS):
                in_chargers[charger] += place.distance_to(pose) < 0.1
            is_charged = truth[index] > before[index]
            day.least_charge = min(day.least_charge, truth[index])
            day.worst_error = max(day.worst_error, abs((telemetry.battery.charge or 0.0) - truth[index]))
            day.critical += telemetry.battery.level is BatteryLevel.CRITICAL
            day.working_s += _STEP_S * is_working
            day.worked += max(0.0, before[index] - truth[index]) if is_working else 0.0
            day.charging_s += _STEP_S * is_charged
            minute.append((truth[index], is_working, is_charged))
        day.shared += any(count > 1 for count in in_chargers)
        if step % round(60.0 / _STEP_S) == 0:
            day.minutes.append(minute)

    def _truth(self) -> list[float]:
        charges = self._lab.simulation.world.batteries.charge
        return [charges[self._lab.index(robot_id)] for robot_id in self._lab.robot_ids]


def draw(day: Day, path: Path) -> None:
    """Draw the charge of each robot over the hours, and when it charged and worked."""
    from matplotlib.figure import Figure  # noqa: PLC0415 slow to import, and only for pictures

    figure = Figure(figsize=(9.0, 6.5), layout="constrained")
    axes = figure.subplots(_ROBOTS, 1, sharex=True, sharey=True)
    hours = [minute / 60.0 for minute in range(len(day.minutes))]
    for index, axis in enumerate(axes):
        charges = [100.0 * minute[index][0] for minute in day.minutes]
        is_charged = [minute[index][2] for minute in day.minutes]
        is_working = [minute[index][1] for minute in day.minutes]
        axis.fill_between(
            hours, 0, 100, where=is_charged, color="#2a9d4a", alpha=0.35, linewidth=0, label="in a charger"
        )
        axis.fill_between(hours, 0, 8, where=is_working, color="#1f6fd1", linewidth=0, label="performs a job")
        axis.plot(hours, charges, color="#222222", linewidth=1.2, label="charge")
        for threshold in (15, 30, 50):
            axis.axhline(threshold, color="#999999", linewidth=0.5, linestyle=":")
        axis.set_ylabel(f"robot {index + 1}\n[%]")
        axis.set_ylim(0, 100)
    axes[-1].set_xlabel("time [h]")
    axes[-1].set_xlim(0, hours[-1])
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=3, frameon=False)
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None, dpi=100)


def _lab(folder: Path, capacity_ah: float) -> Lab:
    starts = [(0.3 + 0.45 * number, 0.3) for number in range(_ROBOTS)]
    robots = [
        f"- {{id: {number}, node_id: {number}, pose_topic: /robot_{number}, home: {{x_m: {x_m:.2f}, y_m: {y_m}}}}}"
        for number, (x_m, y_m) in enumerate(starts, 1)
    ]
    stations = [
        f"- {{name: charger {number}, pose: {{x_m: {place.x_m}, y_m: {place.y_m}}}, role: charge}}"
        for number, place in enumerate(_CHARGERS, 1)
    ]
    settings = [
        "arena: {x_min_m: 0, y_min_m: 0, x_max_m: 3, y_max_m: 3}",
        "dispatch: {enabled: true, book: memory}",
        "traffic: {idle: give_way}",
        f"battery: {{capacity_ah: {capacity_ah}}}",
    ]
    fleet, world = folder / "fleet.yaml", folder / "world.yaml"
    fleet.write_text("\n".join([*settings, "stations:", *stations, "robots:", *robots]), encoding="utf-8")
    placed = [f"- {{node_id: {number}, x_m: {x_m:.2f}, y_m: {y_m}}}" for number, (x_m, y_m) in enumerate(starts, 1)]
    chargers = [f"- {{x_m: {place.x_m}, y_m: {place.y_m}}}" for place in _CHARGERS]
    floor = ["arena: {width_m: 3, height_m: 3}", f"battery: {{capacity_ah: {capacity_ah}}}"]
    world.write_text("\n".join([*floor, "chargers:", *chargers, "robots:", *placed]), encoding="utf-8")
    return Lab(load_config(fleet), load_world(world))


def main() -> int:
    """Measure and print the row."""
    parser = options_of(__doc__)
    parser.add_argument("--hours", type=float, default=8.0)
    parser.add_argument("--capacity-ah", type=float, default=1.5, help="of each battery")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--picture", type=Path, help="SVG or PNG of the charges over the day")
    options = parser.parse_args()
    run = ChargingDay(options.seed, options.hours, options.capacity_ah)
    row = run.row()
    print_rows([row], as_json=options.json)
    if options.picture is not None:
        draw(run.day, options.picture)
    return 0 if math.isfinite(run.day.least_charge) else 1


if __name__ == "__main__":
    sys.exit(main())
