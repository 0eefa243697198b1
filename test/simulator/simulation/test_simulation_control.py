"""Control of a running simulation, without ROS: valid requests are fulfilled, others are refused with a reason."""

import math
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from aseba_link.errors import ConnectionLostError
from aseba_link.wire.message import MessageType, from_words
from harness.aseba.client import Client
from simulator.simulation.pace import Pace
from simulator.simulation.refusal import Refusal, RefusedError
from simulator.simulation.simulation import Simulation
from simulator.simulation.simulation_control import Control, Link, State
from simulator.simulation.spawning import SpawnRequest, spawn
from simulator.world.config import load_world

WORLD = """
arena: {width_m: 3.0, height_m: 2.0}
objects:
- {name: crate, shape: box, x_m: 2.5, y_m: 1.5}
- {name: pillar, shape: cylinder, x_m: 0.5, y_m: 1.5, movable: false}
robots:
- {node_id: 1, x_m: 1.0, y_m: 1.0}
- {node_id: 2, x_m: 2.0, y_m: 1.0, charge: 0.5}
"""


@pytest.fixture
def control(tmp_path: Path) -> Control:
    path = tmp_path / "world.yaml"
    path.write_text(WORLD, encoding="utf-8")
    return Control(Simulation(load_world(path)), Pace(0.01, 1.0, 0))


def run(control: Control, seconds: float) -> None:
    for _ in range(round(seconds * 100)):
        control.advance()


def names(control: Control) -> list[str]:
    return [entity.name for entity in control.entities()]


def spawn_request(
    kind: str = "thymio", name: str = "", *, may_rename: bool = True, description: str = ""
) -> SpawnRequest:
    return SpawnRequest(kind, name, may_rename, (1.5, 0.4, 0.5), description)


def host(control: Control) -> Client:
    return Client(control.simulation.network.attach)


def variable(control: Control, index: int, name: str) -> int:
    return control.simulation.robots[index].variable(name)[0]


def drive(control: Control, index: int, speed_raw: int) -> None:
    """Set the targets of a robot's motors, as a host does."""
    robot = control.simulation.robots[index]
    start = next(
        sum(variable.size for variable in robot.description.variables[:position])
        for position, variable in enumerate(robot.description.variables)
        if variable.name == "motor.left.target"
    )
    robot.handle(from_words(0, MessageType.SET_VARIABLES, (robot.node_id, start, speed_raw, speed_raw)))


def test_entities_are_robots_and_objects(control: Control) -> None:
    assert names(control) == ["thymio_1", "thymio_2", "crate", "pillar"]


def test_moved_robot_stays_at_its_new_place(control: Control) -> None:
    control.teleport("thymio_1", (0.5, 0.6, 1.0))
    run(control, 0.1)
    assert control.place("thymio_1") == pytest.approx((0.5, 0.6, 1.0))


def test_object_can_be_moved(control: Control) -> None:
    control.teleport("crate", (0.5, 0.6, 1.0))
    assert control.place("crate") == pytest.approx((0.5, 0.6, 1.0))


def test_driving_robot_has_a_velocity(control: Control) -> None:
    drive(control, 0, 200)
    run(control, 1.0)
    assert control.velocity_mps("thymio_1") == pytest.approx((0.066, 0.0), abs=0.01)


def test_new_robot_answers_on_the_network(control: Control) -> None:
    near = host(control)
    assert spawn(control, spawn_request(name="thymio_9", may_rename=False)) == "thymio_9"
    near.send(from_words(0, MessageType.LIST_NODES, (9,)))
    run(control, 0.02)
    assert [message.source for message in near.received()] == [1, 2, 9]


def test_new_robot_without_a_name_gets_the_next_node_id(control: Control) -> None:
    assert spawn(control, spawn_request()) == "thymio_3"
    assert control.place("thymio_3") == pytest.approx((1.5, 0.4, 0.5))


def test_new_object_follows_its_description(control: Control) -> None:
    name = spawn(control, spawn_request("cylinder", description="{radius_m: 0.1, mass_kg: 2.0}"))
    item = next(item for item in control.simulation.world.bodies.objects if item.name == name)
    assert (name, item.radius_m, item.mass_kg) == ("cylinder_1", 0.1, 2.0)


def test_taken_name_is_changed_if_renaming_is_allowed(control: Control) -> None:
    assert spawn(control, spawn_request("box", "crate")) == "crate_1"


def test_removed_robot_is_reported_to_hosts(control: Control) -> None:
    near = host(control)
    control.delete("thymio_1")
    assert names(control) == ["thymio_2", "crate", "pillar"]
    assert [(message.source, message.type) for message in near.received()] == [(1, MessageType.DISCONNECTED)]


def test_robot_carries_an_object_and_puts_it_down_in_front(control: Control) -> None:
    control.attach("thymio_1", "crate")
    control.teleport("thymio_1", (0.5, 0.5, 0.0))
    assert control.place("crate")[:2] == pytest.approx((0.5, 0.5))
    control.detach("crate")
    x_m, y_m, _ = control.place("crate")
    assert x_m > 0.58
    assert y_m == pytest.approx(0.5)


def test_button_is_pressed_for_the_requested_duration(control: Control) -> None:
    control.press("thymio_1", "center", 0.5)
    run(control, 0.1)
    assert variable(control, 0, "button.center") == 1
    run(control, 0.5)
    assert variable(control, 0, "button.center") == 0


def test_presses_are_felt_through_the_faults_of_a_robots_buttons(tmp_path: Path) -> None:
    path = tmp_path / "world.yaml"
    faults = "hardware: {swapped_buttons: true, stuck_button: forward}"
    path.write_text(WORLD.replace("x_m: 1.0, y_m: 1.0}", f"x_m: 1.0, y_m: 1.0, {faults}}}"), encoding="utf-8")
    control = Control(Simulation(load_world(path)), Pace(0.01, 1.0, 0))
    for button in ("left", "center"):
        control.press("thymio_1", button, 0.5)
    felt = []
    for _ in range(2):
        run(control, 0.4)
        felt.append([variable(control, 0, f"button.{name}") for name in ("left", "right", "center", "forward")])
    assert felt == [[0, 1, 1, 1], [0, 0, 0, 1]]


def test_battery_can_be_drained(control: Control) -> None:
    control.set_charge("thymio_1", 0.0)
    run(control, 1.0)
    assert variable(control, 0, "_vbat") < variable(control, 1, "_vbat")


def test_silent_robot_answers_again_after_reconnection(control: Control) -> None:
    near = host(control)
    control.set_link("thymio_1", Link.SILENT)
    near.send(from_words(0, MessageType.LIST_NODES, (9,)))
    run(control, 0.02)
    assert [message.source for message in near.received()] == [2]
    control.set_link("thymio_1", Link.CONNECTED)
    near.send(from_words(0, MessageType.LIST_NODES, (9,)))
    run(control, 0.02)
    assert [message.source for message in near.received()] == [1, 2]


def test_disconnected_robot_is_reported_to_hosts(control: Control) -> None:
    near = host(control)
    control.set_link("thymio_1", Link.DISCONNECTED)
    assert [(message.source, message.type) for message in near.received()] == [(1, MessageType.DISCONNECTED)]


def test_reset_of_the_state_restores_places_and_keeps_scripts_and_hosts(control: Control) -> None:
    near = host(control)
    control.teleport("thymio_1", (0.5, 0.6, 1.0))
    control.teleport("crate", (1.5, 0.4, 0.0))
    spawn(control, spawn_request())
    run(control, 0.5)
    control.reset(time=False, spawned=False)
    assert control.place("thymio_1") == pytest.approx((1.0, 1.0, 0.0))
    assert control.place("crate") == pytest.approx((2.5, 1.5, 0.0))
    assert names(control) == ["thymio_1", "thymio_2", "thymio_3", "crate", "pillar"]
    assert control.simulation.time_s == pytest.approx(0.5)
    assert near.received() == []


def test_reset_of_spawned_entities_removes_them(control: Control) -> None:
    spawn(control, spawn_request())
    spawn(control, spawn_request("box"))
    control.reset(time=False, state=False)
    assert names(control) == ["thymio_1", "thymio_2", "crate", "pillar"]


def test_reset_of_time_sets_it_to_zero(control: Control) -> None:
    run(control, 0.5)
    control.reset(state=False, spawned=False)
    assert control.simulation.time_s == 0.0


def test_full_reset_restarts_everything_and_disconnects_hosts(control: Control) -> None:
    near = host(control)
    control.delete("thymio_2")
    drive(control, 0, 300)
    run(control, 0.5)
    control.reset()
    assert names(control) == ["thymio_1", "thymio_2", "crate", "pillar"]
    run(control, 0.5)
    assert control.place("thymio_1") == pytest.approx((1.0, 1.0, 0.0))
    with pytest.raises(ConnectionLostError):
        near.received()


def test_noise_repeats_after_a_reset(control: Control) -> None:
    def driven() -> tuple[float, float, float]:
        drive(control, 0, 300)
        run(control, 2.0)
        return control.place("thymio_1")

    first = driven()
    control.reset()
    assert driven() == first


def test_stopping_resets_and_pausing_does_not(control: Control) -> None:
    run(control, 0.5)
    control.set_state(State.PAUSED, 0)
    assert control.simulation.time_s == pytest.approx(0.5)
    control.set_state(State.STOPPED, 0)
    assert control.simulation.time_s == 0.0


@pytest.mark.parametrize(
    ("request_", "refusal", "message"),
    [
        (lambda c: c.teleport("thymio_7", (1.0, 1.0, 0.0)), Refusal.NOT_FOUND, "there is no entity 'thymio_7'"),
        (
            lambda c: c.teleport("thymio_1", (3.5, 1.0, 0.0)),
            Refusal.BAD_PLACE,
            r"\(3.5, 1\) is not inside the arena",
        ),
        (lambda c: c.teleport("thymio_1", (1.0, math.nan, 0.0)), Refusal.BAD_PLACE, r"\(1, nan\) is not inside"),
        (lambda c: c.set_charge("crate", 1.0), Refusal.NOT_FOUND, "crate is not a robot"),
        (lambda c: c.set_charge("thymio_1", 1.5), Refusal.BAD_VALUE, "charge 1.5 of thymio_1 is not in 0 to 1"),
        (lambda c: c.press("thymio_1", "up", 1.0), Refusal.NOT_FOUND, "button 'up' is not one of backward"),
        (lambda c: c.press("thymio_1", "left", 0.0), Refusal.BAD_VALUE, "duration 0 s must be above 0"),
        (lambda c: c.attach("thymio_1", "thymio_2"), Refusal.NOT_FOUND, "thymio_2 is not an object"),
        (lambda c: c.detach("crate"), Refusal.WRONG_STATE, "no robot carries crate"),
        (lambda c: c.check_steps(1), Refusal.WRONG_STATE, "the simulation is playing"),
        (lambda c: c.set_state(State.PLAYING, 0), Refusal.ALREADY_THERE, "the simulation is already playing"),
        (lambda c: c.set_speed_factor(0.0, 0), Refusal.BAD_VALUE, "speed factor 0 is neither"),
        (
            lambda c: spawn(c, spawn_request("tank")),
            Refusal.UNKNOWN_KIND,
            "uri 'tank' is not one of thymio, box, cylinder",
        ),
        (lambda c: spawn(c, spawn_request(name="bob", may_rename=False)), Refusal.BAD_NAME, "'bob' is not thymio_ and"),
        (lambda c: spawn(c, spawn_request("box", may_rename=False)), Refusal.BAD_NAME, "name is empty"),
        (
            lambda c: spawn(c, spawn_request(name="thymio_1", may_rename=False)),
            Refusal.NAME_TAKEN,
            "thymio_1 already exists",
        ),
        (
            lambda c: spawn(c, spawn_request("box", description="{lenght_m: 1}")),
            Refusal.BAD_DESCRIPTION,
            "lenght_m: unknown key, did you mean 'length_m'",
        ),
        (lambda c: spawn(c, spawn_request("box", description="{")), Refusal.BAD_DESCRIPTION, "is not YAML"),
        (lambda c: spawn(c, spawn_request("box", description="large")), Refusal.BAD_DESCRIPTION, "'large' has no keys"),
        (lambda c: c.set_speed_factor(1e-320, 0), Refusal.BAD_VALUE, "neither from 0.001 to 1000 nor infinity"),
        (
            lambda c: spawn(c, spawn_request(name="thymio_9", description="node_id: 8")),
            Refusal.BAD_NAME,
            "name 'thymio_9' and node_id 8 differ",
        ),
        (lambda c: spawn(c, spawn_request(description="node_id: 1")), Refusal.NAME_TAKEN, "thymio_1 already exists"),
        (
            lambda c: spawn(c, spawn_request("box", description="x_m: 1")),
            Refusal.BAD_DESCRIPTION,
            "x_m is given by initial_pose",
        ),
        (lambda c: spawn(c, spawn_request("box", "b" * 101)), Refusal.BAD_NAME, "has more than 100 characters"),
    ],
)
def test_impossible_request_is_refused_and_changes_nothing(
    control: Control, request_: Callable[[Control], object], refusal: Refusal, message: str
) -> None:
    before = names(control)
    with pytest.raises(RefusedError, match=message) as caught:
        request_(control)
    assert caught.value.refusal is refusal
    assert names(control) == before


BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{after}: &{after} [{', '.join([f'*{before}'] * 9)}]\n" for before, after in pairwise("abcdefghi")
)


@pytest.mark.parametrize(
    ("description", "problem"),
    [
        ("length_m: 2024-13-45\nwidth_m: 0.1", "length_m: '2024-13-45' is not of type 'number'"),
        ("a: &a [*a]", "aliases .* are not accepted"),
        ("&a {length_m: *a}", "aliases .* are not accepted"),
        (BOMB, "aliases .* are not accepted"),
        ("[" * 2000, "nested more than 32 deep"),
        ("{length_m: 1.0e+400, width_m: 0.1}", "inf is not a finite number"),
        (f"{{length_m: {'9' * 400}, width_m: 0.1}}", "it has 400 digits"),
        ("length_m: 9.0\nlength_m: 0.1", "length_m is given twice, first on line 1"),
        ("{length_m: 1:30}", "write a decimal number, without colons"),
        ("!!python/name:os.system", "is not accepted"),
        ("{[a]: 1}", "a key must be a text"),
        ("#" + "x" * 3_000_000, "has 3000001 characters; 10000 are allowed"),
    ],
    ids=[
        "date",
        "itself",
        "key of itself",
        "bomb",
        "deep",
        "float",
        "digits",
        "twice",
        "sixties",
        "tag",
        "key",
        "long",
    ],
)
def test_text_that_is_not_a_description_is_refused(control: Control, description: str, problem: str) -> None:
    with pytest.raises(RefusedError, match=problem) as caught:
        spawn(control, spawn_request("box", description=description))
    assert caught.value.refusal is Refusal.BAD_DESCRIPTION
    assert len(str(caught.value)) < 400


def test_robot_has_the_node_id_in_its_description(control: Control) -> None:
    assert spawn(control, spawn_request(description="node_id: 9")) == "thymio_9"
    assert spawn(control, spawn_request(name="thymio_12", description="node_id: 12")) == "thymio_12"


def test_numbers_of_a_description_may_be_whole_or_have_exponents(control: Control) -> None:
    spawn(control, spawn_request("box", description="{length_m: 1, width_m: 2e-1, mass_kg: 5.}"))
    config = control.simulation.world.bodies.objects[-1]
    assert repr((config.length_m, config.width_m, config.mass_kg)) == "(1.0, 0.2, 5.0)"


def test_object_is_carried_by_one_robot_at_a_time(control: Control) -> None:
    control.attach("thymio_1", "crate")
    with pytest.raises(RefusedError, match="crate is already carried"):
        control.attach("thymio_2", "crate")


def test_the_last_robot_cannot_be_removed(control: Control) -> None:
    control.delete("thymio_1")
    with pytest.raises(RefusedError, match="thymio_2 is the last robot"):
        control.delete("thymio_2")
    run(control, 0.1)
    assert names(control) == ["thymio_2", "crate", "pillar"]


def test_too_many_steps_are_refused(control: Control) -> None:
    control.set_state(State.PAUSED, 0)
    with pytest.raises(RefusedError, match="steps 100001 is not in 1 to 100000"):
        control.check_steps(100_001)
