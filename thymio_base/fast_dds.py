"""Sets up Fast DDS: chooses the profile, and checks whether it lets a client block a program."""

import os
from pathlib import Path
from xml.etree import ElementTree

from thymio_base.shipped_files import shipped_file

_PROFILE_VARIABLES = ("FASTRTPS_DEFAULT_PROFILES_FILE", "FASTDDS_DEFAULT_PROFILES_FILE")  # Jazzy, Kilted
_ROOT = "{http://www.eprosima.com/XMLSchemas/fastRTPS_Profiles}"
_WRITER = f".//{_ROOT}data_writer[@profile_name='service']/{_ROOT}qos/{_ROOT}reliability/{_ROOT}max_blocking_time"


def use_shipped_profile() -> None:
    """Use the shipped Fast DDS profile unless the user has one; call this before ROS starts."""
    ours = {"", str(shipped_file("fastdds.xml")), str(shipped_file("fastdds_localhost.xml"))}  # set by a parent process
    if any(os.environ.get(variable, "") not in ours for variable in _PROFILE_VARIABLES):
        return
    name = "fastdds.xml"
    if _stays_on_this_host() and not os.environ.get("ROS_STATIC_PEERS"):
        name = "fastdds_localhost.xml"
        os.environ.pop("ROS_LOCALHOST_ONLY", None)
        os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "SYSTEM_DEFAULT"  # otherwise shared memory is used
    for variable in _PROFILE_VARIABLES:
        os.environ[variable] = str(shipped_file(name))


def _stays_on_this_host() -> bool:
    """Whether the user limits discovery to this host."""
    is_local = os.environ.get("ROS_AUTOMATIC_DISCOVERY_RANGE", "").upper() == "LOCALHOST"
    return is_local or os.environ.get("ROS_LOCALHOST_ONLY") == "1"


def blocking_profiles() -> list[Path]:
    """Return the Fast DDS profiles in force under which sending an answer may block for 100 ms."""
    named = {Path(os.environ[variable]) for variable in _PROFILE_VARIABLES if os.environ.get(variable)}
    return sorted(path for path in named if not _never_blocks(path))


def _never_blocks(path: Path) -> bool:
    """Whether a profile sends service replies with a `max_blocking_time` of 0."""
    try:
        longest = ElementTree.parse(path).getroot().find(_WRITER)
    except (OSError, ElementTree.ParseError):
        return False
    parts = [] if longest is None else [longest.findtext(f"{_ROOT}{unit}", "0") for unit in ("sec", "nanosec")]
    return bool(parts) and not any(part.strip().strip("0") for part in parts)
