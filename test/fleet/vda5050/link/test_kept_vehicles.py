"""What is kept of a vehicle for a restart, and why it is not."""

from pathlib import Path

from fleet.settings.vda5050_config import BrokerAddress
from fleet.vda5050.link.kept_vehicles import KeptVehicle
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


def test_trouble_is_told_until_the_next_change_is_kept(tmp_path: Path) -> None:
    folder = tmp_path / "file"
    folder.write_text("")
    kept, machine = KeptVehicle(folder, 1, BROKER, ROBOT), Vehicle().machine
    kept.keep(machine)
    assert kept.trouble.endswith("cannot be written: Not a directory; a restart forgets the order")
    folder.unlink()
    machine.take_order(line("a", 0, 2, 2))
    kept.keep(machine)
    assert kept.trouble == ""


def test_file_that_is_not_ours_is_left_aside(tmp_path: Path) -> None:
    KeptVehicle(tmp_path, 1, BROKER, ROBOT).keep(Vehicle().machine)
    (file,) = tmp_path.iterdir()
    for text in ("{", "[]", '{"format": 2}', '{"format": 1}', "\x00"):
        file.write_text(text)
        kept = KeptVehicle(tmp_path, 1, BROKER, ROBOT)
        assert not kept.restore(Vehicle().machine)
        assert "is left aside: " in kept.trouble
