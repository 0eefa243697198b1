"""Describes the running program: its version, the ROS distribution, whether the core is compiled, and Python."""

import hashlib
import os
import platform
from contextlib import suppress
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec
from pathlib import Path

_ROOT = Path(__file__).parents[1]  # of the source tree, or of all installed packages
_SOURCES = (".py", ".json", ".yaml", ".aesl")
_DISTRIBUTIONS = {"3": "humble", "7": "jazzy", "9": "kilted"}  # by the major version of their rclpy


def version_text(program: str, package: str, core_module: str) -> str:
    """Return the line for `--version`; `core_module` is a module that is compiled if the core is."""
    spec = find_spec(core_module)
    is_compiled = spec is not None and str(spec.origin).endswith(tuple(EXTENSION_SUFFIXES))
    core = "compiled core" if is_compiled else "interpreted core"
    version = package_version(package) or "(not installed)"
    return f"{program} {version}, {_ros()}, {core}, Python {platform.python_version()}"


def _ros() -> str:
    rclpy, name = package_version("rclpy"), distribution_name()
    return f"ROS {name or 'with rclpy ' + rclpy}" if name or rclpy else "no ROS"


def distribution_name() -> str:
    """Return the name of the ROS distribution; "" if unknown."""
    return os.environ.get("ROS_DISTRO") or _DISTRIBUTIONS.get(package_version("rclpy").partition(".")[0], "")


def package_version(package: str) -> str:
    """Return the version of an installed package; "" if it is not installed."""
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415  few commands need it

    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def source_commit(root: Path = _ROOT) -> str:
    """Return the git commit of a source tree, "" without git; later changes to files are not detected."""
    with suppress(OSError):
        git = root / ".git"
        if git.is_file():  # a linked work tree
            git = root / git.read_text(encoding="utf-8").partition("gitdir:")[2].strip()
        head = (git / "HEAD").read_text(encoding="utf-8").strip()
        name = head.removeprefix("ref:").strip()
        return head if name == head else _commit_of(git, name)
    return ""


def _commit_of(git: Path, name: str) -> str:
    common = git / "commondir"
    shared = git / common.read_text(encoding="utf-8").strip() if common.exists() else git
    for folder in (git, shared):
        with suppress(OSError):
            return (folder / name).read_text(encoding="utf-8").strip()
    lines = (shared / "packed-refs").read_text(encoding="utf-8").splitlines()
    return next((line.partition(" ")[0] for line in lines if line.endswith(f" {name}")), "")


def sources_digest(packages: tuple[str, ...]) -> str:
    """Return the SHA-256 of all sources of packages, over names and contents, whether compiled or not."""
    total = hashlib.sha256()
    for package in packages:
        for file in sorted((_ROOT / package).rglob("*")):
            if file.suffix in _SOURCES and file.is_file():
                total.update(f"{file.relative_to(_ROOT).as_posix()}\0".encode())
                total.update(hashlib.sha256(file.read_bytes()).digest())
    return total.hexdigest()
