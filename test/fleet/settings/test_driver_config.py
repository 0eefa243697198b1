from pathlib import Path

import pytest

from aseba_link.thymio.events import NO_REPORTS, Reports
from fleet.errors import ConfigError
from fleet.settings.driver_config import DriverConfig
from harness.fleets import ONE_ROBOT, read


def driver(folder: Path, text: str) -> DriverConfig:
    return read(folder, f"driver: {text}\n{ONE_ROBOT}").driver


def test_everything_is_off_by_default(tmp_path: Path) -> None:
    config = read(tmp_path).driver
    assert not config.is_on
    assert config.reports == NO_REPORTS
    assert not config.publish.needs_odometry
    assert config.cmd_vel_timeout_s == 0.5


@pytest.mark.parametrize("text", ["{publish: {battery: true}}", "{accept: {cmd_vel: true}}"])
def test_one_topic_is_enough(tmp_path: Path, text: str) -> None:
    config = driver(tmp_path, text)
    assert config.is_on
    assert config.reports == NO_REPORTS


@pytest.mark.parametrize(
    ("text", "reports"),
    [
        ("{publish: {proximity: true}}", Reports(proximity_hz=10.0)),
        ("{publish: {laser: true}, rates: {proximity_hz: 5}}", Reports(proximity_hz=5.0)),
        ("{publish: {ground: true}, rates: {ground_hz: 2}}", Reports(ground_hz=2.0)),
        ("{publish: {imu: true}}", Reports(accelerometer_hz=8.0)),
        ("{publish: {joy: true}}", Reports(buttons_hz=4.0)),
        ("{publish: {buttons: true}}", Reports(button=True)),
        (
            "{publish: {tap: true, temperature: true, sound: true, remote: true, comm: true}}",
            Reports(tap=True, temperature=True, sound=True, remote=True, comm=True),
        ),
    ],
)
def test_robots_report_only_what_is_published(tmp_path: Path, text: str, reports: Reports) -> None:
    assert driver(tmp_path, text).reports == reports


@pytest.mark.parametrize("key", ["odom", "tf", "joint_states"])
def test_topics_derived_from_the_wheels_need_odometry(tmp_path: Path, key: str) -> None:
    assert driver(tmp_path, f"{{publish: {{{key}: true}}}}").publish.needs_odometry


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{publish: {imo: true}}", "driver.publish.imo: unknown key, did you mean 'imu'"),
        ("{publish: {imu: 8}}", "driver.publish.imu: 8 is not of type 'boolean'"),
        ("{accept: {cmd_vle: true}}", "driver.accept.cmd_vle: unknown key, did you mean 'cmd_vel'"),
        ("{rates: {imu_hz: 17}}", "driver.rates.imu_hz: 17 is greater than the maximum of 16"),
        ("{rates: {proximity_hz: 0}}", "driver.rates.proximity_hz: 0 is less than the minimum of 0.1"),
        ("{rates: {ground_hz: .nan}}", "driver.rates.ground_hz: nan is not a finite number"),
        ("{rates: {joy_hz: 51}}", "driver.rates.joy_hz: 51 is greater than the maximum of 50"),
        ("{cmd_vel_timeout_s: 0}", "driver.cmd_vel_timeout_s: 0 is less than the minimum of 0.05"),
    ],
)
def test_bad_value_is_reported_with_its_key(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(ConfigError, match=problem.replace(".", r"\.")):
        driver(tmp_path, text)
