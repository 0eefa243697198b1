"""The command `thymio-fleet twin`: fits the simulator's robot to a bring-up report or a run; needs no ROS."""

import argparse
import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from experiments.twin.recorded_run import COLUMNS, read_run
from experiments.twin.twin_error import TwinFitError
from experiments.twin.twin_fit import ARENA_M, FittedSetting, TwinFit, twin_of_report, twin_of_run
from experiments.twin.twin_replay import RepeatedRun, repeat_run
from fleet.bringup.bringup_report import load_report
from thymio_base.exit_code import ExitCode
from thymio_base.texts.json_lines import add_json_option, print_json_lines
from thymio_base.texts.yaml_text import write_yaml

_SLACK_M: Final = 0.002  # how much worse than the default robot a twin may be per metre, for at least 1 m
_WIDE: Final = 0.2  # relative deviation of a noise above which a longer run is needed
_NOISES: Final = ("speed_noise", "reading_noise_raw")


def add_twin(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.epilog = f"A run is a CSV file with the columns {','.join(COLUMNS)}; docs/hardware.md describes it."
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("report", type=Path, nargs="?", metavar="REPORT", help="JSON of `thymio-fleet bringup`")
    source.add_argument("--run", dest="recorded", type=Path, metavar="FILE", help="a recorded run of one robot instead")
    parser.add_argument("--output", type=Path, metavar="FILE", help="write the twin as a world, such as twin.yaml")
    add_json_option(parser)
    parser.set_defaults(run=_twin)


def _twin(options: argparse.Namespace) -> int:
    if options.recorded is not None:
        twin = twin_of_run(str(options.recorded), read_run(options.recorded))
    else:
        twin = twin_of_report(str(options.report), load_report(options.report))
    repeats = _repeats(twin)
    if options.json:
        print_json_lines(_rows(twin, repeats))
    else:
        print("\n".join([*map(setting_text, twin.estimates), *_verdict_lines(twin, repeats)]))
    if repeats is not None and _is_worse(*repeats):
        raise TwinFitError(
            "the twin repeats the kept-out run worse than the default robot: measure again, or send both"
        )
    if options.output is not None:
        try:
            options.output.write_text(world_text(twin), encoding="utf-8")
        except OSError as error:
            raise TwinFitError(f"{options.output} cannot be written: {error.strerror or error}") from error
        text = f"{options.output}: written; `thymio-fleet sim --world {options.output}` simulates it"
        print(text, file=sys.stderr if options.json else sys.stdout)
    return ExitCode.DONE


def _repeats(twin: TwinFit) -> tuple[RepeatedRun, RepeatedRun] | None:
    """Return the repetitions of the held-out run by the twin and by the default robot; None without such a run."""
    if twin.kept_out is None:
        return None
    model = twin.motion.model
    place = {"node_id": 1, "x_m": 0.5 * ARENA_M, "y_m": 0.5 * ARENA_M}
    default = {"arena": {"width_m": ARENA_M, "height_m": ARENA_M}, "robots": [place]}
    mine, other = (
        repeat_run(world, twin.kept_out, model.delay_s, model.marker_x_m) for world in (twin.world(), default)
    )
    return mine, other


def _is_worse(mine: RepeatedRun, other: RepeatedRun) -> bool:
    return mine.end_m > other.end_m + _SLACK_M * max(mine.distance_m, 1.0)


def setting_text(estimate: FittedSetting) -> str:
    """Return a line of text about a setting."""
    interval = f" +- {estimate.interval:.2g}" if math.isfinite(estimate.interval) else ""
    source = f" ({estimate.source})" if estimate.source else ""
    return f"{'.'.join(estimate.key)}: {estimate.value}{interval}{source}"


def _verdict_lines(twin: TwinFit, repeats: tuple[RepeatedRun, RepeatedRun] | None) -> Iterator[str]:
    for estimate in twin.estimates:
        if estimate.key[-1] in _NOISES and estimate.interval > 2.0 * _WIDE * max(estimate.value, 1e-9):
            yield f"{'.'.join(estimate.key)} is uncertain: a run of several minutes (--run) would determine it"
    if repeats is None:
        yield "no run was kept out, so the quality of the twin is unknown: run the stage odometry with poses again"
        return
    for name, one in zip(("twin", "default robot"), repeats, strict=True):
        yield (
            f"{name}: on the run kept out {1e3 * one.end_m:.1f} mm and {math.degrees(one.end_rad):.1f} degrees off "
            f"after {one.distance_m:.2f} m; at most {1e3 * one.furthest_m:.1f} mm on the way"
        )


def _rows(twin: TwinFit, repeats: tuple[RepeatedRun, RepeatedRun] | None) -> Iterator[dict[str, Any]]:
    for one in twin.estimates:
        interval = one.interval if math.isfinite(one.interval) else None
        yield {"key": ".".join(one.key), "value": one.value, "interval": interval, "source": one.source}
    for name, run in zip(("twin", "default"), repeats or (), strict=False):
        yield {"repeats": name, "end_m": run.end_m, "end_rad": run.end_rad, "distance_m": run.distance_m}


def world_text(twin: TwinFit) -> str:
    """Return the text of a world file with the twin, and the intervals as comments."""
    head = "# A twin of a real robot, by `thymio-fleet twin`; +- is half of a 95 % interval.\n"
    comments = "".join(f"# {setting_text(estimate)}\n" for estimate in twin.estimates)
    return f"{head}{comments}\n{write_yaml(twin.world())}"
