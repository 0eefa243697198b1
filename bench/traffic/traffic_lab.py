"""Labs of the traffic benchmark: the fleet and the world that a floor plan describes."""

import json
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from bench.traffic.floor_plan import FloorPlan
from bench.traffic.scenario import Avoidance, Scenario
from experiments.lab.lab import Lab
from experiments.scenarios.file.experiment import StartSpread
from experiments.scenarios.file.variation import varied
from fleet.geometry import Pose2D
from fleet.settings.config import FleetConfig, load_config
from simulator.physics.walls import Ends
from simulator.world.config import WorldConfig, load_world

_SPREAD = StartSpread(position_m=0.005, heading_rad=0.03, wheel_gain=0.015)


def traffic_lab(
    scenario: Scenario,
    method: Avoidance,
    plan: FloorPlan,
    seed: int,
    around_tick: Callable[[], AbstractContextManager[object]] = nullcontext,
) -> Lab:
    """Return a lab with a floor's robots; starts, wheels and noise vary with the seed."""
    fleet = _fleet(
        scenario, plan, plan.walls if method is Avoidance.TRAFFIC else (), is_apart=method is Avoidance.TRAFFIC
    )
    return Lab(fleet, varied(_world(plan, scenario.world), _SPREAD, seed, 1), around_tick=around_tick)


def _fleet(scenario: Scenario, plan: FloorPlan, walls: tuple[Ends, ...], *, is_apart: bool) -> FleetConfig:
    robots = [
        {
            "id": number,
            "node_id": number,
            "pose_topic": f"/pose_{number}",
            "home": _place(start),
            "priority": scenario.priority(number),
        }
        for number, start in enumerate(plan.starts, 1)
    ]
    arena = {"x_min_m": 0, "y_min_m": 0, "x_max_m": plan.width_m, "y_max_m": plan.height_m}
    values = {
        "arena": arena,
        "floor": {"walls": [_wall(ends) for ends in walls]},
        "traffic": {"enabled": is_apart, **scenario.traffic},
        "actuation": scenario.actuation,
        "robots": robots,
    }
    return load_config(Path("fleet.yaml"), text=json.dumps(values))


def _world(plan: FloorPlan, others: Mapping[str, Any]) -> WorldConfig:
    robots = [{"node_id": number, **_place(start)} for number, start in enumerate(plan.starts, 1)]
    arena = {"width_m": plan.width_m, "height_m": plan.height_m}
    values = {"arena": arena, "walls": [_wall(ends) for ends in plan.walls], "robots": robots, **others}
    return load_world(Path("world.yaml"), text=json.dumps(values))


def _place(pose: Pose2D) -> dict[str, float]:
    return {"x_m": pose.x_m, "y_m": pose.y_m, "heading_rad": pose.heading_rad}


def _wall(ends: Ends) -> dict[str, float]:
    return dict(zip(("x1_m", "y1_m", "x2_m", "y2_m"), ends, strict=True))
