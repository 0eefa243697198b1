"""The topics that the driver publishes and accepts for each robot: the section `driver` of fleet.yaml."""

from collections.abc import Mapping
from dataclasses import astuple, dataclass
from typing import Any

from aseba_link.thymio.events import Reports


@dataclass(frozen=True, slots=True)
class PublishConfig:
    """Switches of the published topics."""

    odom: bool
    tf: bool
    joint_states: bool
    imu: bool
    ground: bool
    proximity: bool
    laser: bool
    buttons: bool
    joy: bool
    tap: bool
    temperature: bool
    sound: bool
    remote: bool
    comm: bool
    battery: bool
    description: bool

    @property
    def needs_odometry(self) -> bool:
        """Whether any topic needs the wheels' odometry."""
        return self.odom or self.tf or self.joint_states or self.description


@dataclass(frozen=True, slots=True)
class AcceptConfig:
    """Switches of the accepted groups of commands."""

    cmd_vel: bool
    led: bool
    sound: bool
    comm: bool
    shutdown: bool


@dataclass(frozen=True, slots=True)
class SensorRatesConfig:
    """Report rates of sensors, where they are configurable."""

    proximity_hz: float
    ground_hz: float
    imu_hz: float
    joy_hz: float


@dataclass(frozen=True, slots=True)
class DriverConfig:
    """The driver topics of every robot."""

    publish: PublishConfig
    accept: AcceptConfig
    rates: SensorRatesConfig
    cmd_vel_timeout_s: float

    @property
    def is_on(self) -> bool:
        """Whether any driver topic is enabled."""
        return any(astuple(self.publish)) or any(astuple(self.accept))

    @property
    def reports(self) -> Reports:
        """The reports that the robots' script must send for the enabled topics."""
        publish, rates = self.publish, self.rates
        return Reports(
            proximity_hz=rates.proximity_hz if publish.proximity or publish.laser else 0.0,
            ground_hz=rates.ground_hz if publish.ground else 0.0,
            accelerometer_hz=rates.imu_hz if publish.imu else 0.0,
            buttons_hz=rates.joy_hz if publish.joy else 0.0,
            button=publish.buttons,
            tap=publish.tap,
            temperature=publish.temperature,
            sound=publish.sound,
            remote=publish.remote,
            comm=publish.comm,
        )


def build_driver_config(values: Mapping[str, Any]) -> DriverConfig:
    """Return the section `driver` of a configuration that conforms to the schema."""
    return DriverConfig(
        publish=PublishConfig(**values["publish"]),
        accept=AcceptConfig(**values["accept"]),
        rates=SensorRatesConfig(**values["rates"]),
        cmd_vel_timeout_s=values["cmd_vel_timeout_s"],
    )
