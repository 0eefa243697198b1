"""Hypothesis strategies for paths and limits."""

from hypothesis import strategies as st

from fleet.errors import PathError
from fleet.geometry import Pose2D
from fleet.paths.path import Path, Piece
from fleet.paths.pieces import Arc, Line, Turn
from fleet.paths.polyline import polyline, rounded_polyline
from fleet.paths.spline import spline_through
from fleet.trajectories.limits import Limits

poses = st.builds(Pose2D, st.floats(-2.0, 2.0), st.floats(-2.0, 2.0), st.floats(-3.1, 3.1))

limits = st.builds(
    Limits,
    speed_mps=st.floats(0.02, 0.2),
    acceleration_mps2=st.floats(0.05, 1.0),
    turn_radps=st.floats(0.5, 3.0),
    turn_acceleration_radps2=st.floats(1.0, 20.0),
    jerk_mps3=st.just(float("inf")) | st.floats(0.2, 10.0),
    turn_jerk_radps3=st.just(float("inf")) | st.floats(2.0, 100.0),
    wheel_mps=st.floats(0.05, 0.2),
    wheel_acceleration_mps2=st.floats(0.1, 2.0),
    wheel_step_mps=st.floats(0.01, 0.1),
    lateral_mps2=st.floats(0.01, 1.0),
)

# waypoints on a grid are never almost equal
places = st.tuples(st.integers(-5, 5), st.integers(-5, 5)).map(lambda cell: (0.2 * cell[0], 0.2 * cell[1]))
waypoints = st.lists(places, min_size=3, max_size=7, unique=True)


@st.composite
def chains(draw: st.DrawFn) -> Path:
    """Lines, arcs and turns on the spot, forward and backward."""
    here = draw(poses)
    pieces: list[Piece] = []
    for _ in range(draw(st.integers(1, 6))):
        length_m, backward = draw(st.floats(0.02, 0.8)), draw(st.booleans())
        kind = draw(st.sampled_from(["line", "arc", "turn"]))
        if kind == "line":
            pieces.append(Line(here, length_m, backward))
        elif kind == "arc":
            pieces.append(Arc(here, length_m, draw(st.sampled_from([-12.0, -3.0, 1.0, 8.0])), backward))
        else:
            pieces.append(Turn(here, draw(st.floats(-7.0, 7.0))))
        here = pieces[-1].end
    return Path(pieces)


@st.composite
def paths(draw: st.DrawFn) -> Path:
    """Return paths of every kind."""
    kind = draw(st.sampled_from(["chain", "corners", "round", "spline"]))
    if kind == "chain":
        return draw(chains())
    points_m, is_closed = draw(waypoints), draw(st.booleans())
    if kind == "corners":
        return polyline(points_m, is_closed)
    try:
        return (
            rounded_polyline(points_m, is_closed, 0.03)
            if kind == "round"
            else Path([spline_through(points_m, is_closed)])
        )
    except PathError:
        return polyline(points_m, is_closed)
