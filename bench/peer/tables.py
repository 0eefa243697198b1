"""The comparison as tables for a terminal."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from rich.table import Table

from bench.peer.comparison import Comparison, Pair, Reading, root_mean_square
from bench.peer.course import ANGLES_DEG


def tables(comparison: Comparison) -> Iterator[Table]:
    """Yield a table of each kind of quantity."""
    yield _pairs("Speed (m/s); wheels' targets in motor units", comparison.speeds_mps)
    yield _pairs("Turn rate (rad/s)", comparison.turn_rates_radps)
    yield _pairs("From a step of the target to 63 % (s)", comparison.rises_s, _later)
    yield _pairs("Local events of a robot (1/s)", comparison.rates_hz)
    yield _proximity("Proximity in front of a wall, shares of the full scale", comparison.readings)


def _relative(pair: Pair) -> str:
    return f"{pair.difference:+.1%}"


def _later(pair: Pair) -> str:
    return f"{pair.ours - pair.peer:+.2f} s"


def _pairs(title: str, pairs: Iterable[Pair], difference: Callable[[Pair], str] = _relative) -> Table:
    table = _empty(title, ("", "playground", "ours", "difference"))
    for pair in pairs:
        table.add_row(pair.name, f"{pair.peer:.4g}", f"{pair.ours:.4g}", difference(pair))
    return table


def _proximity(title: str, readings: Sequence[Reading]) -> Table:
    table = _empty(title, ("angle", "readings", "root mean square", "largest", "at gap (m)", "of sensor"))
    for angle_deg in ANGLES_DEG:
        chosen = [reading for reading in readings if reading.angle_deg == angle_deg]
        worst = max(chosen, key=lambda reading: abs(reading.difference))
        shares = (f"{root_mean_square(chosen):.2%}", f"{worst.difference:+.2%}")
        table.add_row(f"{angle_deg}", f"{len(chosen)}", *shares, f"{worst.gap_m:g}", f"{worst.sensor}")
    return table


def _empty(title: str, headings: Iterable[str]) -> Table:
    table = Table(title=title, title_justify="left")
    for heading in headings:
        table.add_column(heading, justify="right")
    return table
