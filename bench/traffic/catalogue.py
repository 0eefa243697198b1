"""The scenarios of the traffic benchmark."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from bench.traffic import floor_plan
from bench.traffic.scenario import Demand, Scenario

_RANDOM_S = 120.0
_TELEOPERATION_S = 120.0
_RADIO = {"enabled": True, "latency_s": 0.03, "jitter_s": 0.02, "loss": 0.02}
_LEVEL_3 = {
    "motors": {"time_constant_s": 0.15, "slip": 0.05, "dead_band_raw": 8},
    "motion_capture": {"rate_hz": 10, "latency_s": 0.1, "position_noise_m": 0.003},
}
_HALL_S = 600.0
_HALL = partial(floor_plan.hall, 100, 8.0)
_CIRCLE_3 = partial(floor_plan.circle, 20, 3.0)

SCENARIOS = (
    Scenario("circle3", _CIRCLE_3, Demand.SWAP),
    Scenario("circle2", partial(floor_plan.circle, 20, 2.0), Demand.SWAP),
    Scenario("random", _CIRCLE_3, Demand.RANDOM, _RANDOM_S),
    Scenario("priority", _CIRCLE_3, Demand.RANDOM, _RANDOM_S, has_first=True),
    Scenario("corridor", floor_plan.corridor, Demand.SWAP),
    Scenario("door", floor_plan.door, Demand.SWAP),
    *(Scenario(f"dead{count}", _CIRCLE_3, Demand.RANDOM, _RANDOM_S, dying=count) for count in (1, 3, 5)),
    Scenario("paths4", partial(floor_plan.squares, 4, 2.0), Demand.PATHS),
    Scenario("paths6", partial(floor_plan.squares, 6, 2.5), Demand.PATHS),
    Scenario("hard", _CIRCLE_3, Demand.RANDOM, _RANDOM_S, _LEVEL_3, is_hard=True),
    Scenario("teleop", partial(floor_plan.grid, 5, 4), Demand.TWISTS, _TELEOPERATION_S),
    Scenario(
        "teleop_hard",
        partial(floor_plan.grid, 5, 4),
        Demand.TWISTS,
        _TELEOPERATION_S,
        _LEVEL_3,
        traffic={"radius_m": 0.095},
        actuation={"lag_s": 0.15},
    ),
    Scenario("radio", _CIRCLE_3, Demand.SWAP, world={"radio": _RADIO}),
)
LARGE_SCENARIOS = (
    Scenario("hall", _HALL, Demand.RANDOM, _HALL_S),
    Scenario("hall_dead", _HALL, Demand.RANDOM, _HALL_S, dying=5),
    Scenario("hall_200", partial(floor_plan.hall, 200, 12.0), Demand.RANDOM, _HALL_S),
    Scenario("circle100", partial(floor_plan.circle, 100, 9.0), Demand.SWAP),
)


def scenarios(names: Sequence[str], minutes: float | None = None) -> list[Scenario]:
    """Return the scenarios whose names start with any of `names`; open-ended scenarios last `minutes`.

    Without names, return all except those with 100 robots and more, which take long.

    Raises
    ------
    ValueError
        No scenario has such a name.
    """
    known = SCENARIOS + LARGE_SCENARIOS
    for name in names:
        if not any(scenario.name.startswith(name) for scenario in known):
            raise ValueError(f"no scenario {name!r}; there are {', '.join(one.name for one in known)}")
    chosen = [one for one in known if one.name.startswith(tuple(names))] if names else [*SCENARIOS]
    return chosen if minutes is None else [_lasting(one, 60.0 * minutes) for one in chosen]


def _lasting(scenario: Scenario, duration_s: float) -> Scenario:
    return replace(scenario, duration_s=duration_s) if scenario.duration_s else scenario
