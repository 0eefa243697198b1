from pathlib import Path

import pytest

from fleet.settings.vda5050_config import BrokerAddress
from harness.fleets import ONE_ROBOT, problems_of, read


def test_a_broker_on_this_machine_without_encryption_is_the_default(tmp_path: Path) -> None:
    config = read(tmp_path).vda5050
    assert config.broker == BrokerAddress("127.0.0.1", 1883, is_encrypted=False)
    assert (config.interface, config.manufacturer, config.version) == ("uagv", "thymio", "2.1.0")


def test_an_encrypted_broker_has_another_port_and_files_beside_the_fleet(tmp_path: Path) -> None:
    text = "vda5050: {broker: 'mqtts://broker.example', ca_file: ca.pem}\n"
    config = read(tmp_path, text + ONE_ROBOT).vda5050
    assert str(config.broker) == "mqtts://broker.example:8883"
    assert config.ca_file == str(tmp_path / "ca.pem")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("vda5050: {version: 1.1.0}\n", "1: vda5050.version: '1.1.0' is unknown"),
        ("vda5050: {broker: 'tcp://a'}\n", "1: vda5050.broker: 'tcp://a' does not fit"),
        ("vda5050: {broker: 'mqtt://a:99999'}\n", "1: vda5050.broker: mqtt://a:99999: Port out of range 0-65535"),
        ("vda5050: {interface: 'a/b'}\n", "1: vda5050.interface: 'a/b' does not fit"),
        ("vda5050: {robots: [7]}\n", "1: vda5050.robots[0]: there is no robot 7 in this file"),
        ("vda5050: {key_file: a.pem}\n", "1: vda5050.key_file: a key without cert_file"),
        ("vda5050: {ca_file: a.pem}\n", "1: vda5050.broker: mqtt://127.0.0.1 is not encrypted"),
    ],
)
def test_a_wrong_value_is_named_with_its_key(tmp_path: Path, text: str, problem: str) -> None:
    assert problems_of(tmp_path, text + ONE_ROBOT)[0].startswith(problem)
