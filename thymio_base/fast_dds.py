"""Configures Fast DDS: chooses the profile, and checks whether it lets a client block a program."""

import os
from pathlib import Path

from thymio_base.shipped_files import shipped_file
from thymio_base.texts.xml_text import xml_element

_PROFILE_VARIABLES = ("FASTRTPS_DEFAULT_PROFILES_FILE", "FASTDDS_DEFAULT_PROFILES_FILE")  # Jazzy, Kilted
_DISCOVERY_VARIABLES = (
    *_PROFILE_VARIABLES,
    "CYCLONEDDS_URI",
    "RMW_IMPLEMENTATION",
    "ROS_AUTOMATIC_DISCOVERY_RANGE",
    "ROS_DISCOVERY_SERVER",
    "ROS_LOCALHOST_ONLY",
    "ROS_SECURITY_ENABLE",
    "ROS_STATIC_PEERS",
    "ROS_SUPER_CLIENT",
    "ZENOH_CONFIG_OVERRIDE",
    "ZENOH_SESSION_CONFIG_URI",
)
_NETWORK = Path("/proc/self/ns/net")  # containers may share files, but not their network
_ROOT = "{http://www.eprosima.com/XMLSchemas/fastRTPS_Profiles}"
_WRITER = f".//{_ROOT}data_writer[@profile_name='service']/{_ROOT}qos/{_ROOT}reliability/{_ROOT}max_blocking_time"


def uses_fast_dds() -> bool:
    """Return whether the middleware is Fast DDS, the default of ROS."""
    middleware = os.environ.get("RMW_IMPLEMENTATION", "")
    return not middleware or middleware.startswith("rmw_fastrtps")


def use_shipped_profile() -> None:
    """Use the shipped Fast DDS profile unless the user has set one; call before ROS starts.

    With another middleware nothing changes: it ignores such profiles, and the user's discovery range would be lost.
    """
    if not uses_fast_dds():
        return
    ours = {"", str(shipped_file("fastdds.xml")), str(shipped_file("fastdds_localhost.xml"))}  # set by a parent process
    if any(os.environ.get(variable, "") not in ours for variable in _PROFILE_VARIABLES):
        return
    name = "fastdds.xml"
    if _stays_on_this_host() and not os.environ.get("ROS_STATIC_PEERS"):
        name = "fastdds_localhost.xml"
        os.environ.pop("ROS_LOCALHOST_ONLY", None)
        os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "SYSTEM_DEFAULT"  # any other range enables shared memory
    for variable in _PROFILE_VARIABLES:
        os.environ[variable] = str(shipped_file(name))


def discovery_settings() -> str:
    """Return the settings, besides the ROS domain, that decide which programs are discovered; choose the profile first.

    Programs in the same domain and on the same host with equal settings see the same ROS graph.
    """
    network = str(_NETWORK.readlink()) if _NETWORK.is_symlink() else ""
    return " ".join([network, *(f"{name}={os.environ.get(name, '')}" for name in _DISCOVERY_VARIABLES)])


def _stays_on_this_host() -> bool:
    """Return whether the user limits discovery to this host; a parent process may have set a profile instead."""
    discovery_range = os.environ.get("ROS_AUTOMATIC_DISCOVERY_RANGE", "").upper()
    if discovery_range == "SYSTEM_DEFAULT":
        return os.environ.get(_PROFILE_VARIABLES[0]) == str(shipped_file("fastdds_localhost.xml"))
    return discovery_range == "LOCALHOST" or os.environ.get("ROS_LOCALHOST_ONLY") == "1"


def blocking_profiles() -> list[Path]:
    """Return the active Fast DDS profiles under which sending an answer may block for 100 ms."""
    if not uses_fast_dds():
        return []
    named = {Path(os.environ[variable]) for variable in _PROFILE_VARIABLES if os.environ.get(variable)}
    return sorted(path for path in named if not _never_blocks(path))


def _never_blocks(path: Path) -> bool:
    """Return whether a profile sends service replies with a `max_blocking_time` of 0."""
    try:
        longest = xml_element(path.read_text(encoding="utf-8")).find(_WRITER)
    except (OSError, ValueError):  # TextError, and bytes that are not text
        return False
    parts = [] if longest is None else [longest.findtext(f"{_ROOT}{unit}", "0") for unit in ("sec", "nanosec")]
    return bool(parts) and not any(part.strip().strip("0") for part in parts)
