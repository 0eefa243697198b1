"""Legs of routes for properties."""

from hypothesis import strategies as st

from fleet.tasks.route import RouteLeg, RouteLegKind

METRES = st.floats(-10.0, 10.0)
SECONDS = st.floats(0.0, 3600.0)


def route_legs() -> st.SearchStrategy[RouteLeg]:
    """Return a strategy for sound legs of every kind."""
    points = st.lists(st.tuples(METRES, METRES), min_size=1, max_size=3).map(tuple)
    speeds, corners = st.just(0.0) | st.floats(0.005, 1.0), st.just(0.0) | st.floats(0.001, 1.0)
    drives = st.builds(RouteLeg, st.just(RouteLegKind.DRIVE), points, speeds, corners)
    turns = st.builds(RouteLeg, st.just(RouteLegKind.TURN), value=st.floats(-3.1, 3.1))
    kinds = st.sampled_from([RouteLegKind.WAIT, RouteLegKind.LOAD, RouteLegKind.UNLOAD])
    docks = st.builds(RouteLeg, st.just(RouteLegKind.DOCK), st.tuples(st.tuples(METRES, METRES)))
    return drives | turns | st.builds(RouteLeg, kinds, value=SECONDS) | docks
