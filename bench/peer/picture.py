"""The comparison as a picture."""

from collections.abc import Sequence
from pathlib import Path

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from bench.peer.comparison import STEP_RAW, Comparison, Pair, Reading
from bench.peer.course import ANGLES_DEG
from bench.peer.recording import MOTOR_S

_SENSORS = ("left", "center left", "center", "center right", "right", "rear left", "rear right")


def draw(comparison: Comparison, path: Path) -> None:
    """Write the picture; the file suffix selects its format. The same comparison gives the same bytes of SVG."""
    with mpl.rc_context({"svg.hashsalt": "peer", "svg.fonttype": "none", "font.size": 8.0}):
        figure = Figure(figsize=(11.0, 9.0), layout="constrained")
        axes = figure.subplots(3, 3).flat
        _draw_pairs(next(axes), "driving straight", "speed (m/s)", comparison.speeds_mps)
        _draw_pairs(next(axes), "turning on the spot", "turn rate (rad/s)", comparison.turn_rates_radps)
        _draw_step(next(axes), comparison)
        for angle_deg in ANGLES_DEG:
            _draw_readings(next(axes), angle_deg, comparison.readings)
        _draw_key(next(axes))
        figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)


def _draw_pairs(axes: Axes, title: str, unit: str, pairs: Sequence[Pair]) -> None:
    largest = max(abs(pair.difference) for pair in pairs)
    axes.set_title(f"{title}: differences at most {largest:.1%}")
    places = range(len(pairs))
    _add(axes, places, [pair.peer for pair in pairs], [pair.ours for pair in pairs], "black")
    axes.set_xticks(places, [pair.name for pair in pairs])
    axes.set(xlabel="wheels' targets (motor units)", ylabel=unit)


def _draw_step(axes: Axes, comparison: Comparison) -> None:
    axes.set_title("a wheel after a step of its target")
    times_s = [MOTOR_S * (1 + tick) for tick in range(len(comparison.peer_step_raw))]
    _add(axes, times_s, comparison.peer_step_raw, comparison.ours_step_raw, "black")
    axes.set(xlabel="time (s)", ylabel="measured (motor units)", ylim=(0.0, 1.1 * STEP_RAW))


def _draw_readings(axes: Axes, angle_deg: int, readings: Sequence[Reading]) -> None:
    axes.set_title(f"a wall at {angle_deg} degrees")
    for sensor in range(len(_SENSORS)):
        chosen = [reading for reading in readings if (reading.angle_deg, reading.sensor) == (angle_deg, sensor)]
        gaps_cm = [100.0 * reading.gap_m for reading in chosen]
        peer_raw, ours_raw = ([reading.peer_raw for reading in chosen], [reading.ours_raw for reading in chosen])
        _add(axes, gaps_cm, peer_raw, ours_raw, f"C{sensor}")
    axes.set(xlabel="gap (cm)", ylabel="prox.horizontal")


def _draw_key(axes: Axes) -> None:
    axes.set_axis_off()
    entries = [Line2D([], [], color=f"C{sensor}", label=name) for sensor, name in enumerate(_SENSORS)]
    entries += [_peer_line((), (), "black"), _our_line((), (), "black")]
    axes.legend(handles=entries, loc="center", ncols=2)


def _add(axes: Axes, x: Sequence[float], peer: Sequence[float], ours: Sequence[float], color: str) -> None:
    axes.add_line(_peer_line(x, peer, color))
    axes.add_line(_our_line(x, ours, color))
    axes.autoscale_view()


def _peer_line(x: Sequence[float], y: Sequence[float], color: str) -> Line2D:
    return Line2D(x, y, color=color, label="Aseba playground")


def _our_line(x: Sequence[float], y: Sequence[float], color: str) -> Line2D:
    return Line2D(x, y, color=color, label="ours", linestyle="", marker="o", markersize=4.0, fillstyle="none")
