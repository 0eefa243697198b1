from fleet.robots.battery import Battery, BatteryLevel
from fleet.settings.config import BatteryConfig

CONFIG = BatteryConfig(low_v=3.6, critical_v=3.4, capacity_ah=1.5, resting_a=0.3, driving_a=0.2, charging_a=0.5)
SECOND = 1_000_000_000


def battery_at(volts: float) -> Battery:
    battery = Battery(CONFIG)
    battery.on_voltage(volts, 0)
    return battery


def test_robot_that_reports_no_voltage_counts_as_ok() -> None:
    battery = Battery(CONFIG)
    assert (battery.level, battery.percent) == (BatteryLevel.OK, -1)


def test_the_level_follows_the_thresholds() -> None:
    assert [battery_at(volts).level for volts in (3.9, 3.5, 3.3)] == [
        BatteryLevel.OK,
        BatteryLevel.LOW,
        BatteryLevel.CRITICAL,
    ]


def test_the_charge_stays_within_0_and_100_percent() -> None:
    assert [battery_at(volts).percent for volts in (2.5, 3.7, 4.5)] == [0, 32, 100]


def test_momentary_low_voltage_changes_nothing() -> None:
    battery = battery_at(3.9)
    battery.on_voltage(3.2, SECOND)
    assert battery.level is BatteryLevel.OK


def test_level_rises_only_when_the_voltage_is_clearly_above_the_threshold() -> None:
    battery = battery_at(3.59)
    battery.on_voltage(3.62, 1000 * SECOND)
    assert battery.level is BatteryLevel.LOW
    battery.on_voltage(3.7, 2000 * SECOND)
    assert battery.level is BatteryLevel.OK
