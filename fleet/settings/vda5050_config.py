"""The settings of the connector to a master control: the section `vda5050` of fleet.yaml."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from thymio_base.settings_file import Problem

_PORTS: Final = {"mqtt": 1883, "mqtts": 8883}


@dataclass(frozen=True, slots=True)
class BrokerAddress:
    """Address of an MQTT broker, and whether the connection is encrypted."""

    host: str
    port: int
    is_encrypted: bool

    def __str__(self) -> str:
        return f"{'mqtts' if self.is_encrypted else 'mqtt'}://{self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class Vda5050Config:
    """Robots as vehicles of a master control; paths of unused files are "".

    `robots` is empty if all robots of the fleet are meant.
    """

    broker: BrokerAddress
    interface: str
    manufacturer: str
    version: str
    user: str
    password_file: str
    ca_file: str
    cert_file: str
    key_file: str
    robots: tuple[int, ...]


def build_vda5050_config(values: Mapping[str, Any], folder: Path) -> Vda5050Config:
    """Return the section `vda5050` of a file in a folder, to which its file names are relative."""
    files = {key: str(folder / name) if name else "" for key, name in values.items() if key.endswith("_file")}
    address, robots = _address(values["broker"]), tuple(values["robots"])
    return Vda5050Config(**{**values, **files, "broker": address, "robots": robots})


def _address(url: str) -> BrokerAddress:
    parts = urlsplit(url)
    return BrokerAddress(parts.hostname or "", parts.port or _PORTS[parts.scheme], parts.scheme == "mqtts")


def vda5050_problems(values: Mapping[str, Any], robot_ids: Collection[int | None]) -> Iterator[Problem]:
    """Yield contradictions in the section; invalid values are None."""
    broker = values["broker"]
    if broker is not None:
        try:
            _address(broker)
        except ValueError as error:
            yield ("vda5050", "broker"), f"{broker}: {error}"
    for index, robot_id in enumerate(values["robots"] or ()):
        if robot_id is not None and robot_id not in robot_ids:
            yield ("vda5050", "robots", index), f"there is no robot {robot_id} in this file"
    if values["key_file"] and not values["cert_file"]:
        yield ("vda5050", "key_file"), "a key without cert_file, the certificate that it belongs to"
    if broker is not None and (values["cert_file"] or values["ca_file"]) and not broker.startswith("mqtts:"):
        yield ("vda5050", "broker"), f"{broker} is not encrypted, and certificates are given; mqtts:// is"
