"""The report of the control study, in Markdown with pictures.

python -m experiments.control_study.report --out FOLDER [--quick]

The same seeds give the same bytes; nothing in it depends on where or when it was made.
"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from experiments.control_study.go_to import GOALS, Arrival, GoToTrial, arrivals, go_to_summary
from experiments.control_study.pictures import Track, draw_arrivals, draw_laws, draw_tracks
from experiments.control_study.plant import LEVELS, DisturbanceLevel
from experiments.control_study.report_command import add_options
from experiments.control_study.study_laws import PUBLISHED, default_law_under_test, laws_under_test
from experiments.control_study.study_tables import go_to_table, level_table, tracking_table
from experiments.control_study.tracking_trials import TrackingRow, Trial, perform, summary
from experiments.lab.courses import PATHS, course
from experiments.workers import parallel_map
from thymio_base.exit_code import ExitCode

PAGE = "tracking.md"
PICTURES = "pictures"
_LAPS = 1
_SHOWN = 1  # the robot in the pictures, whose left wheel rolls further than its right one

_INTRODUCTION = """\
How closely robots follow their paths, law by law: the experiments of Park 2024, and those that it left open. Written by
`{command}`.

The fleet's own robots (estimator, prediction, law, rounding to motor units) drive in the world of `simulator/` at
0.1 m/s on average, stops at corners included, in one thread and with counted time: the same seeds give the same
numbers. {seeds} robots each drive one lap at every level of disturbance; each has wheels that roll further or less than
they report, with a different combination of signs. `published` is the baseline as its author drove it: Park's law with
the published gains at 10 Hz, on the poses of motion capture as they arrive, with nothing compensated, and both wheels
slowed down together where one is too slow; its reference moves at constant speed through corners. `pd_pursuit` is the
same law in our fleet. `docs/decisions/0012-control-laws.md` explains the others."""
_COLUMNS = """\
In the tables below, numbers are for the levels {levels}. All are of true poses and, except "rms", are the
worst instant of the worst robot. The first 5 s (gray in the pictures), in which latency and wheels are learned, do not
count. "Corner missed" is the largest closest approach to a corner, "from own reference" the largest distance from the
law's reference at the same time; "-" marks laws without a reference in time. "Lap" is the time to standstill,
divided by length / 0.1 m/s; the baseline is still moving when its reference ends, and is observed for 2 s more."""
_GO_TO = """\
{goals} random goals, 0.3 to 1.5 m away, at any bearing and heading, from rest, within the limits `motion` of
fleet.yaml. The bound is the least possible time within the same speed limits, for wheels that change their speed
instantly (`fleet.trajectories.time_bound`). "Ok" counts tasks that succeeded with the true pose within 5 mm and
2 degrees; "time" is measured until the robot stays within these limits, "task" until the task ends; "ETA" is the
duration predicted at the task's start."""


@dataclass(frozen=True, slots=True)
class ReportScope:
    """How much is driven."""

    paths: tuple[str, ...]
    levels: tuple[DisturbanceLevel, ...]
    seeds: int
    goals: int

    @property
    def shown(self) -> DisturbanceLevel:
        """The level shown in pictures."""
        return self.levels[len(self.levels) // 2]


WHOLE = ReportScope(PATHS, LEVELS, seeds=3, goals=GOALS)
QUICK = ReportScope(("straight", "circle"), LEVELS[1:2], seeds=2, goals=10)


@dataclass(frozen=True, slots=True)
class Findings:
    """Everything in a report."""

    scope: ReportScope
    rows: tuple[TrackingRow, ...]
    tracks: dict[tuple[str, str], Track]  # by path and law, at the level shown
    arrivals: dict[str, list[Arrival]]  # by level


def main(argv: Sequence[str] | None = None) -> int:
    """Write the report; see `run`."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    add_options(parser)
    return run(parser.parse_args(argv))


def run(options: argparse.Namespace) -> int:
    """Write the report; return 0."""
    print(write_report(options.out, QUICK if options.quick else WHOLE))
    return ExitCode.DONE


def write_report(folder: Path, scope: ReportScope, processes: int | None = None) -> Path:
    """Drive everything, write the page and pictures into a folder; return the page's file."""
    found = _findings(scope, processes)
    (folder / PICTURES).mkdir(parents=True, exist_ok=True)
    _draw(folder / PICTURES, found)
    page = folder / PAGE
    page.write_text("\n\n".join(_sections(found)) + "\n", encoding="utf-8")
    return page


def _findings(scope: ReportScope, processes: int | None) -> Findings:
    trials = [
        Trial(tuple(laws_under_test().values()), path, level, scope.seeds, _LAPS)
        for path in scope.paths
        for level in scope.levels
    ]
    driven = [result for results in parallel_map(_perform, trials, processes) for result in results]
    goes = [GoToTrial(default_law_under_test(), level, scope.goals) for level in scope.levels]
    arrived = parallel_map(arrivals, goes, processes)
    return Findings(
        scope=scope,
        rows=tuple(row for row, _ in driven),
        tracks={(row.path, row.law): track for row, track in driven if row.level == scope.shown.name},
        arrivals={go.level.name: found for go, found in zip(goes, arrived, strict=True)},
    )


def _perform(trial: Trial) -> list[tuple[TrackingRow, Track]]:
    return [(summary(law), Track(law.law_under_test.name, law.poses[:, _SHOWN].copy())) for law in perform(trial)]


def _draw(folder: Path, found: Findings) -> None:
    scope, best = found.scope, default_law_under_test().name
    for path in scope.paths:
        title = f"{path}, {scope.shown.name}: one robot, left wheel +3 %, right wheel -3 %"
        tracks = found.tracks[path, PUBLISHED], found.tracks[path, best]
        draw_tracks(folder / _picture(path), title, course(path, _LAPS), *tracks)
    shown = [row for row in found.rows if row.level == scope.shown.name]
    draw_laws(folder / _picture("laws"), f"all laws, {scope.shown.name}", shown)
    title = f"going to {scope.goals} random poses, {best}, {scope.shown.name}"
    draw_arrivals(folder / _picture("go_to"), title, found.arrivals[scope.shown.name])


def _picture(name: str) -> str:
    return f"tracking_{name}.png"


def _sections(found: Findings) -> Iterator[str]:
    scope, best = found.scope, default_law_under_test().name
    yield "# Tracking"
    yield _INTRODUCTION.format(command=_command(scope), seeds=scope.seeds)
    yield level_table(scope.levels)
    yield _COLUMNS.format(levels=" / ".join(level.name for level in scope.levels))
    yield _image("laws", f"the largest deviation of every law on every path at {scope.shown.name}")
    for path in scope.paths:
        yield f"## {path.capitalize()}"
        yield _image(path, f"{path}: tracks and errors of {PUBLISHED} and {best}")
        yield tracking_table([row for row in found.rows if row.path == path])
    yield "## Going to a pose"
    yield _GO_TO.format(goals=scope.goals)
    yield _image("go_to", "times and errors of going to random poses")
    yield go_to_table([go_to_summary(best, level, results) for level, results in found.arrivals.items()])


def _command(scope: ReportScope) -> str:
    return f"thymio-fleet report tracking{' --quick' if scope == QUICK else ''}"


def _image(name: str, text: str) -> str:
    return f"![{text}]({PICTURES}/{_picture(name)})"


if __name__ == "__main__":
    raise SystemExit(main())
