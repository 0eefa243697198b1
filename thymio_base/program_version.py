"""Describes the running program: its version, the ROS distribution, whether the core is compiled, and Python."""

import os
import platform
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec

_DISTRIBUTIONS = {"3": "humble", "7": "jazzy", "9": "kilted"}  # by the major version of their rclpy


def version_text(program: str, package: str, core_module: str) -> str:
    """Return one line for `--version`; `core_module` is one of the modules that are compiled, if any are."""
    spec = find_spec(core_module)
    is_compiled = spec is not None and str(spec.origin).endswith(tuple(EXTENSION_SUFFIXES))
    core = "compiled core" if is_compiled else "interpreted core"
    version = package_version(package) or "(not installed)"
    return f"{program} {version}, {_ros()}, {core}, Python {platform.python_version()}"


def _ros() -> str:
    rclpy, name = package_version("rclpy"), distribution_name()
    return f"ROS {name or 'with rclpy ' + rclpy}" if name or rclpy else "no ROS"


def distribution_name() -> str:
    """Return the name of the ROS distribution, "" if it is not known."""
    return os.environ.get("ROS_DISTRO") or _DISTRIBUTIONS.get(package_version("rclpy").partition(".")[0], "")


def package_version(package: str) -> str:
    """Return the version of an installed package, "" if it is not installed."""
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415  few commands need it

    try:
        return version(package)
    except PackageNotFoundError:
        return ""
