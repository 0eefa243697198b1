"""Which settings of Fast DDS let an unreachable client block the fleet."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from thymio_base.fast_dds import blocking_profiles, discovery_settings, use_shipped_profile
from thymio_base.shipped_files import shipped_file

VARIABLE = "FASTRTPS_DEFAULT_PROFILES_FILE"
LIMITS = ("ROS_AUTOMATIC_DISCOVERY_RANGE", "ROS_LOCALHOST_ONLY", "ROS_STATIC_PEERS", "RMW_IMPLEMENTATION")
SHOW_ENVIRONMENT = """
import json, os
from thymio_base.fast_dds import use_shipped_profile
before = dict(os.environ)
use_shipped_profile()
print(json.dumps(sorted({*before.items()} ^ {*os.environ.items()})))
"""


@pytest.fixture(autouse=True)
def no_profiles(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in (VARIABLE, "FASTDDS_DEFAULT_PROFILES_FILE", *LIMITS):
        monkeypatch.setenv(variable, "")  # so that it is restored, whatever the test sets
        monkeypatch.delenv(variable)


@pytest.mark.parametrize("name", ["fastdds.xml", "fastdds_hosts.xml"])
def test_nothing_blocks_under_the_shipped_profiles(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(shipped_file(name)))
    assert blocking_profiles() == []


@pytest.mark.parametrize("name", ["fastdds.xml", "fastdds_localhost.xml", "fastdds_hosts.xml"])
def test_programs_announce_themselves_more_often_than_by_default(name: str) -> None:
    found = re.findall(r"<leaseAnnouncement><(?:nano)?sec>(\d+)<", shipped_file(name).read_text())
    assert found in (["500000000"], ["1"])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('profile_name="service"', 'profile_name="another"'),
        ("<nanosec>0</nanosec></max_b", "<nanosec>100000000</nanosec></max_b"),
        ("</dds>", ""),
    ],
    ids=["none for services", "a time above 0", "not well-formed"],
)
def test_a_profile_that_may_block_is_named(
    before: str, after: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "own.xml"
    text = shipped_file("fastdds.xml").read_text()
    assert before in text
    own.write_text(text.replace(before, after))
    monkeypatch.setenv(VARIABLE, str(own))
    assert blocking_profiles() == [own]


def test_a_missing_profile_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "missing.xml"))
    assert blocking_profiles() == [tmp_path / "missing.xml"]


@pytest.mark.parametrize(
    ("variable", "value", "profile"),
    [
        ("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST", "fastdds_localhost.xml"),
        ("ROS_LOCALHOST_ONLY", "1", "fastdds_localhost.xml"),
        ("ROS_AUTOMATIC_DISCOVERY_RANGE", "SUBNET", "fastdds.xml"),
        ("ROS_AUTOMATIC_DISCOVERY_RANGE", "SYSTEM_DEFAULT", "fastdds.xml"),
    ],
)
def test_programs_that_a_program_starts_discover_the_same_programs(
    variable: str, value: str, profile: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, value)
    use_shipped_profile()
    settings = discovery_settings()
    use_shipped_profile()  # by the child
    assert Path(os.environ[VARIABLE]).name == profile
    assert discovery_settings() == settings


def test_child_may_discover_more_programs_than_its_parent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    use_shipped_profile()
    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "SUBNET")
    use_shipped_profile()
    assert Path(os.environ[VARIABLE]).name == "fastdds.xml"


@pytest.mark.parametrize("middleware", ["rmw_zenoh_cpp", "rmw_cyclonedds_cpp", "rmw_connextdds", "foreign"])
def test_environment_stays_as_it_is_for_another_middleware(middleware: str) -> None:
    limits = {"ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST", "ROS_LOCALHOST_ONLY": "1"}
    done = subprocess.run(
        [sys.executable, "-c", SHOW_ENVIRONMENT],
        env={**os.environ, **limits, "RMW_IMPLEMENTATION": middleware},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stdout == "[]\n"


@pytest.mark.parametrize("middleware", ["rmw_fastrtps_cpp", "rmw_fastrtps_dynamic_cpp", ""])
def test_fast_dds_gets_the_shipped_profile_by_each_of_its_names(
    middleware: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RMW_IMPLEMENTATION", middleware)
    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    use_shipped_profile()
    assert Path(os.environ[VARIABLE]).name == "fastdds_localhost.xml"


def test_profiles_of_fast_dds_block_nothing_on_another_middleware(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "missing.xml"))
    monkeypatch.setenv("RMW_IMPLEMENTATION", "rmw_zenoh_cpp")
    assert blocking_profiles() == []


@pytest.mark.parametrize("variable", ["CYCLONEDDS_URI", "ZENOH_SESSION_CONFIG_URI", "RMW_IMPLEMENTATION"])
def test_programs_of_other_middleware_settings_may_not_see_each_other(
    variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = discovery_settings()
    monkeypatch.setenv(variable, "other")
    assert discovery_settings() != before
