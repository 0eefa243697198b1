"""World, bodies and firmware together: robots sense the world and each other."""

from pathlib import Path

import pytest
from PIL import Image

from aseba_link.wire.message import HOST_ID, MessageType, from_words
from simulator.firmware.thymio import thymio_description
from simulator.simulation.simulation import Simulation
from simulator.world.config import load_world

NOSE_M = 0.0795
PI = 3.141592653589793
FIVE_CM_RAW = 3366
DARK_BESIDE = "lines: [{x1_m: 0.0, y1_m: 0.95, x2_m: 2.0, y2_m: 0.95, width_m: 0.1}]"  # its edge lies at y = 1


def simulation(folder: Path, *robots: tuple[float, float, float], extra: str = "") -> Simulation:
    path = folder / "world.yaml"
    rows = "\n".join(
        f"- {{node_id: {k}, x_m: {x}, y_m: {y}, heading_rad: {h}}}" for k, (x, y, h) in enumerate(robots, 1)
    )
    path.write_text(f"arena: {{width_m: 2, height_m: 2}}\n{extra}\nrobots:\n{rows}\n")
    return Simulation(load_world(path))


def run(simulated: Simulation, ticks: int) -> Simulation:
    for _ in range(ticks):
        simulated.step()
    return simulated


def write(simulated: Simulation, index: int, name: str, word: int) -> None:
    """Set a variable of a robot, as a host does."""
    address = thymio_description().address(name)
    assert address is not None
    simulated.robots[index].handle(from_words(HOST_ID, MessageType.SET_VARIABLES, (index + 1, address, word)))


def test_prox_event_reads_the_sensors_at_its_time(tmp_path: Path) -> None:
    simulated = simulation(tmp_path, (2.0 - NOSE_M - 0.05, 1.0, 0.0))
    run(simulated, 10)
    assert simulated.robots[0].variable("prox.horizontal")[2] == pytest.approx(FIVE_CM_RAW, abs=15)


def test_robot_sees_the_line_beneath_one_of_its_sensors(tmp_path: Path) -> None:
    simulated = run(simulation(tmp_path, (1.0, 1.0, 0.0), extra=DARK_BESIDE), 10)
    left, right = simulated.robots[0].variable("prox.ground.delta")
    assert left > 850
    assert right < 150


def test_floor_has_the_configured_gray(tmp_path: Path) -> None:
    simulated = run(simulation(tmp_path, (1.0, 1.0, 0.0), extra="floor_gray: 0"), 10)
    assert simulated.robots[0].variable("prox.ground.reflected") == pytest.approx([77, 77], abs=50)


def test_lines_do_not_change_how_robots_move(tmp_path: Path) -> None:
    runs = [simulation(tmp_path, (0.5, 1.0, 0.0), extra=extra) for extra in ("", DARK_BESIDE)]
    for simulated in runs:
        write(simulated, 0, "motor.left.target", 300)
        run(simulated, 50)
    assert runs[0].world.poses.truth().tolist() == runs[1].world.poses.truth().tolist()


def test_air_has_the_configured_temperature(tmp_path: Path) -> None:
    simulated = simulation(tmp_path, (1.0, 1.0, 0.0), extra="temperature_c: -5.5")
    assert simulated.robots[0].variable("temperature") == [-55]


def pair(folder: Path) -> Simulation:
    """Return two robots nose to nose, 20 cm apart, that communicate."""
    simulated = simulation(folder, (0.5, 1.0, 0.0), (0.7 + 2 * NOSE_M, 1.0, PI))
    for robot in simulated.robots:
        robot.body.communicates = True
    return simulated


def test_robots_face_to_face_receive_each_others_payload(tmp_path: Path) -> None:
    simulated = pair(tmp_path)
    write(simulated, 0, "prox.comm.tx", 100)
    write(simulated, 1, "prox.comm.tx", 200)
    run(simulated, 10)
    assert [robot.variable("prox.comm.rx") for robot in simulated.robots] == [[200], [100]]
    assert simulated.robots[0].variable("prox.comm.rx._payloads")[2] == 200
    assert simulated.robots[0].variable("prox.comm.rx._intensities")[2] == pytest.approx(3222, abs=1)


def test_payload_is_cut_to_eleven_bits(tmp_path: Path) -> None:
    simulated = pair(tmp_path)
    write(simulated, 0, "prox.comm.tx", 2048 + 5)
    run(simulated, 10)
    assert simulated.robots[1].variable("prox.comm.rx") == [5]


def test_reset_robot_does_not_communicate(tmp_path: Path) -> None:
    simulated = pair(tmp_path)
    write(simulated, 0, "prox.comm.tx", 7)
    simulated.robots[1].body.switch_off_outputs()
    run(simulated, 20)
    assert simulated.robots[1].variable("prox.comm.rx") == [0]


def test_collision_with_a_wall_is_read_as_tap_and_acceleration(tmp_path: Path) -> None:
    simulated = simulation(tmp_path, (1.8, 1.0, 0.0))
    for name in ("motor.left.target", "motor.right.target"):
        write(simulated, 0, name, 500)
    felt = []
    while simulated.world.collisions.counts[0] == 0:
        run(simulated, 1)
    for _ in range(10):
        felt.append(simulated.robots[0].variable("acc")[1])
        run(simulated, 1)
    assert min(felt) < -4  # it decelerates, as if its nose pointed down
    assert not simulated.robots[0].body.is_tapped  # the firmware has reported it


def test_driving_lowers_the_reported_voltage(tmp_path: Path) -> None:
    simulated = run(simulation(tmp_path, (0.3, 1.0, 0.0), (0.3, 1.5, 0.0)), 10)
    write(simulated, 0, "motor.left.target", 500)
    write(simulated, 0, "motor.right.target", 500)
    run(simulated, 200)
    driving, standing = (sum(robot.variable("_vbat")) for robot in simulated.robots)
    assert standing == pytest.approx(4.05 * 397.8, abs=4)
    assert standing - driving == pytest.approx(0.2 * 0.171 * 397.8, abs=4)


def test_charger_of_the_world_charges_the_robot_inside(tmp_path: Path) -> None:
    extra = "battery: {charge: 0.5}\nchargers: [{x_m: 0.3, y_m: 1.0}]"
    simulated = run(simulation(tmp_path, (0.3, 1.0, 0.0), (0.3, 1.5, 0.0), extra=extra), 100)
    charged, other = simulated.world.batteries.charge
    assert charged > 0.5 > other


def test_robots_hear_the_sounds_of_the_world(tmp_path: Path) -> None:
    extra = "sounds: [{x_m: 0.3, y_m: 1.0, loudness_raw: 120}]"
    simulated = run(simulation(tmp_path, (0.3, 1.0, 0.0), extra=extra), 20)
    assert simulated.robots[0].variable("mic.intensity") == [120]


def test_robot_sees_the_picture_on_the_floor(tmp_path: Path) -> None:
    Image.new("L", (2, 2), 0).save(tmp_path / "floor.png")
    extra = "ground_image: {file: floor.png, width_m: 1.0}"
    simulated = run(simulation(tmp_path, (0.5, 1.0, 0.0), (1.5, 1.0, 0.0), extra=extra), 10)
    dark, bright = (robot.variable("prox.ground.delta")[0] for robot in simulated.robots)
    assert (dark, bright) == pytest.approx((77, 938), abs=50)


def test_object_hides_the_other_robot(tmp_path: Path) -> None:
    extra = "objects: [{shape: cylinder, x_m: 0.68, y_m: 1.0, radius_m: 0.05, movable: false}]"
    simulated = simulation(tmp_path, (0.5, 1.0, 0.0), (0.7 + 2 * NOSE_M, 1.0, PI), extra=extra)
    for robot in simulated.robots:
        robot.body.communicates = True
    write(simulated, 0, "prox.comm.tx", 100)
    run(simulated, 20)
    assert simulated.robots[1].variable("prox.comm.rx") == [0]
