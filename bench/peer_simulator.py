"""Compares the simulator with the Aseba playground, on one course over the Aseba wire: python -m bench.peer_simulator.

Prints speeds, turn rates, step responses, event rates and proximity readings of both with their differences. Returns
1 if speeds or turn rates differ by more than 3 %, or a reading by more than 10 % of the full scale. Takes a
minute and a half, and needs Debian's package aseba, and for a picture matplotlib.
"""

import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

from bench.instruments.printed_rows import options_of, print_rows
from bench.peer.comparison import Comparison, Pair, compare, root_mean_square
from bench.peer.course import ANGLES_DEG, Part, Stand, course
from bench.peer.recording import CourseRecording, record
from bench.peer.running import running_playground, running_simulator

COURSE_S = 30.0  # the slowest robot turns three times
RATES_S = 12.0

Runner = Callable[[Path, list[Stand]], AbstractContextManager[list[str]]]


def main() -> int:
    """Run both and print the comparison; return 1 if they differ too much, 2 if either could not be run."""
    parser = options_of(__doc__)
    parser.add_argument("--picture", type=Path, help="write a picture of it, such as comparison.svg")
    options = parser.parse_args()
    try:
        comparison = measure(course(), COURSE_S, RATES_S)
    except (OSError, RuntimeError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    _print(comparison, as_json=options.json)
    if options.picture is not None:
        from bench.peer.picture import draw  # noqa: PLC0415  only this needs matplotlib

        draw(comparison, options.picture)
    problems = list(comparison.problems())
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


def measure(stands: list[Stand], course_s: float, rates_s: float) -> Comparison:
    """Return the comparison of both simulators, one after the other.

    Raises
    ------
    OSError
        The playground is not installed.
    RuntimeError
        One of the simulators ended, or its robots were not found.
    ValueError
        A robot did not complete its part.
    """
    alone = [next(stand for stand in stands if stand.part is Part.FACE_WALL)]
    return compare(
        stands,
        _run(running_playground, stands, course_s),
        _run(running_simulator, stands, course_s),
        _run(running_playground, alone, rates_s),
        _run(running_simulator, alone, rates_s),
    )


def _run(runner: Runner, stands: list[Stand], duration_s: float) -> CourseRecording:
    with tempfile.TemporaryDirectory() as folder, runner(Path(folder), stands) as targets:
        return record(targets, stands, duration_s)


def _print(comparison: Comparison, *, as_json: bool) -> None:
    """Print the speeds [m/s], turn rates [rad/s], step responses [s], event rates [1/s], and proximity readings."""
    pairs = (comparison.speeds_mps, comparison.turn_rates_radps, comparison.rises_s, comparison.rates_hz)
    for unit, rows in zip(("m/s", "rad/s", "s", "1/s"), pairs, strict=True):
        print_rows((_row(pair, unit) for pair in rows), as_json=as_json)
    print_rows(comparison.readings if as_json else _summaries(comparison), as_json=as_json)


def _row(pair: Pair, unit: str) -> dict[str, object]:
    return {
        "quantity": pair.name,
        "unit": unit,
        "playground": pair.peer,
        "ours": pair.ours,
        "ratio - 1": pair.difference,
    }


def _summaries(comparison: Comparison) -> Iterator[dict[str, object]]:
    """Yield the difference of proximity readings at each angle, in percent of the full scale."""
    for angle_deg in ANGLES_DEG:
        chosen = [reading for reading in comparison.readings if reading.angle_deg == angle_deg]
        worst = max(chosen, key=lambda reading: abs(reading.difference))
        yield {
            "wall at, deg": angle_deg,
            "readings": len(chosen),
            "root mean square, %": 100 * root_mean_square(chosen),
            "largest, %": 100 * worst.difference,
            "at gap, m": worst.gap_m,
            "of sensor": worst.sensor,
        }


if __name__ == "__main__":
    sys.exit(main())
