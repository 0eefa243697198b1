"""Random requests in random order: the world keeps running, and no bodies overlap."""

import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from harness.worlds import overlap_m
from simulator.simulation.pace import Pace
from simulator.simulation.refusal import RefusedError
from simulator.simulation.simulation import Simulation
from simulator.simulation.simulation_control import Control, Link
from simulator.simulation.spawning import KINDS, SpawnRequest, spawn
from simulator.world.config import load_world

WORLDS = Path(__file__).parents[3] / "examples" / "worlds"
REQUESTS = 300
MAX_ENTITIES = 20


def requests(control: Control, chance: random.Random) -> list[Callable[[], object]]:
    """Return one request of each kind; some cannot be fulfilled."""
    names = [entity.name for entity in control.entities()]
    one, other = chance.choice(names), chance.choice(names)
    place = chance.uniform(-0.2, 5.2), chance.uniform(-0.2, 3.2), chance.uniform(-4.0, 4.0)
    made: list[Callable[[], object]] = [
        lambda: control.teleport(one, place),
        lambda: control.delete(one),
        lambda: control.attach(one, other),
        lambda: control.detach(one),
        lambda: control.press(one, "left", 0.3),
        lambda: control.set_charge(one, chance.random()),
        lambda: control.set_link(one, chance.choice(list(Link))),
        lambda: control.set_capture(one, is_seen=chance.random() < 0.5),
        lambda: control.reset(time=chance.random() < 0.5, state=chance.random() < 0.5, spawned=chance.random() < 0.2),
    ]
    if len(names) < MAX_ENTITIES:
        made += [lambda: spawn(control, SpawnRequest(chance.choice(KINDS), "", True, place, ""))]
    return made


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_no_order_of_requests_breaks_the_world(seed: int) -> None:
    control = Control(Simulation(load_world(WORLDS / "factory.yaml")), Pace(0.01, 1.0, 0))
    chance = random.Random(seed)
    refused = 0
    for _ in range(REQUESTS):
        try:
            chance.choice(requests(control, chance))()
        except RefusedError:
            refused += 1
        for _step in range(3):
            control.advance()
        assert np.isfinite(control.simulation.world.poses.truth()).all()
        assert overlap_m(control.simulation.world) < 0.001
    assert 0 < refused < REQUESTS
