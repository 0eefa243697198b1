"""What is kept of a vehicle for a restart, and why it is not."""

import json
from pathlib import Path

from fleet.settings.vda5050_config import BrokerAddress
from fleet.vda5050.link.kept_vehicles import KeptVehicle
from fleet.vda5050.order.order_graph import OrderedAction
from fleet.vda5050.vehicle.vehicle import VehicleIdentity
from fleet.vda5050.wire.vda_version import VdaVersion
from harness.vda5050_robot import Vehicle, line

BROKER = BrokerAddress("127.0.0.1", 1883, is_encrypted=False)
ROBOT = VehicleIdentity("uagv", VdaVersion.V2_1, "thymio", "robot_1")


def test_order_goes_on_under_the_same_master_control_alone(tmp_path: Path) -> None:
    machine = Vehicle().machine
    machine.take_order(line("a", 0, 2, 2))
    KeptVehicle(tmp_path, 1, BROKER, ROBOT).keep(machine)
    other = BrokerAddress("127.0.0.1", 1884, is_encrypted=False)
    assert not KeptVehicle(tmp_path, 1, other, ROBOT).restore(Vehicle().machine)
    restored = Vehicle().machine
    assert KeptVehicle(tmp_path, 1, BROKER, ROBOT).restore(restored)
    assert (restored.order, restored.last_node_id) == (machine.order, "n0")


def test_trouble_is_reported_until_the_same_state_is_stored(tmp_path: Path) -> None:
    folder = tmp_path / "file"
    folder.write_text("")
    kept, machine = KeptVehicle(folder, 1, BROKER, ROBOT), Vehicle().machine
    assert kept.keep(machine).endswith("cannot be written to: File exists; a restart forgets the order")
    assert [kept.keep(machine) for _ in range(30)] == [""] * 30  # it is told once
    folder.unlink()
    assert [kept.keep(machine) for _ in range(30)] == [""] * 30
    assert kept.trouble == ""
    assert KeptVehicle(folder, 1, BROKER, ROBOT).restore(Vehicle().machine)


def test_file_that_is_not_ours_is_left_aside(tmp_path: Path) -> None:
    KeptVehicle(tmp_path, 1, BROKER, ROBOT).keep(Vehicle().machine)
    (file,) = tmp_path.iterdir()
    for text in ("{", "[]", '{"number": 2, "format": 2}', '{"number": 2, "format": 1}', "\x00", "[" * 10_000, "\xff"):
        file.write_text(text, encoding="latin-1")
        kept = KeptVehicle(tmp_path, 1, BROKER, ROBOT)
        assert not kept.restore(Vehicle().machine)
        assert f"{file} is left aside: " in kept.trouble


def test_values_of_other_types_are_skipped(tmp_path: Path) -> None:
    machine = Vehicle().machine
    machine.take_order(line("a", 0, 2, 2))
    KeptVehicle(tmp_path, 1, BROKER, ROBOT).keep(machine)
    (file,) = tmp_path.iterdir()
    record = json.loads(file.read_text())
    for key in record:
        for value in (None, 7.5, "x", [1], {"a": 1}):
            file.write_text(json.dumps(record | {key: value}))
            restored = Vehicle().machine
            if not KeptVehicle(tmp_path, 1, BROKER, ROBOT).restore(restored):
                assert not restored.order_id


def test_a_file_in_pieces_leaves_what_was_kept_before_it(tmp_path: Path) -> None:
    kept, machine = KeptVehicle(tmp_path, 1, BROKER, ROBOT), Vehicle().machine
    for update_id in range(3):
        machine.take_order(line("a", 2 * update_id, 2 * update_id + 2, 9, update_id=update_id))
        kept.keep(machine)
    latest = max(tmp_path.iterdir(), key=lambda path: json.loads(path.read_text().partition("\n")[0])["number"])
    latest.write_bytes(latest.read_bytes()[:100])
    restored = Vehicle().machine
    again = KeptVehicle(tmp_path, 1, BROKER, ROBOT)
    assert again.restore(restored)
    assert (restored.order.update_id, again.trouble) == (1, "")
    again.keep(machine)
    assert KeptVehicle(tmp_path, 1, BROKER, ROBOT).restore(restored)
    assert restored.order.update_id == 2


def test_the_largest_order_that_a_vehicle_accepts_is_kept(tmp_path: Path) -> None:
    machine = Vehicle().machine
    beeps = {index: [OrderedAction(f"{index}{'b' * 300}", "beep")] for index in range(1000)}
    machine.take_order(line("a", 0, 999, 999, actions=beeps))
    KeptVehicle(tmp_path, 1, BROKER, ROBOT).keep(machine)
    restored = Vehicle().machine
    assert KeptVehicle(tmp_path, 1, BROKER, ROBOT).restore(restored)
    assert restored.order == machine.order
