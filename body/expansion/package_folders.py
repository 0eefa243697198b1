"""Finds packages that xacro files name: in the ROS installation, or near the file."""

import contextlib
import itertools
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_LEVELS: Final = 6  # folders above a file that are searched
_BESIDE_LEVELS: Final = 4  # levels at which folders of any name are searched
_MOST_BESIDE: Final = 500  # most folders searched in each
_NAME: Final = re.compile(r"<name>\s*([^<\s]+)\s*</name>")


def package_folder(name: str, file: Path) -> Path:
    """Return the folder of a package: installed, on ROS_PACKAGE_PATH, or in or next to a folder above the file.

    Near the file, the package's folder may have another name, as is common for sources of several packages.

    Raises
    ------
    LookupError
        There is no such package.
    """
    installed = _installed(name)
    if installed is not None:
        return installed
    for folder in _candidates(name, file):
        if _package_name(folder) == name:
            return folder
    text = f"there is no package {name!r}: neither installed (AMENT_PREFIX_PATH), nor on ROS_PACKAGE_PATH, nor near"
    raise LookupError(f"{text} {file}")


def _installed(name: str) -> Path | None:
    for prefix in _listed("AMENT_PREFIX_PATH"):
        if (prefix / "share/ament_index/resource_index/packages" / name).is_file():
            return prefix / "share" / name
    return None


def _candidates(name: str, file: Path) -> Iterator[Path]:
    for folder in _listed("ROS_PACKAGE_PATH"):
        yield from (folder, folder / name)
    above = list(file.resolve().parents)[:_LEVELS]
    for folder in above:
        yield from (folder, folder / name)
    for folder in above[:_BESIDE_LEVELS]:
        with contextlib.suppress(OSError):
            yield from sorted(itertools.islice(folder.iterdir(), _MOST_BESIDE))


def _listed(variable: str) -> list[Path]:
    return [Path(part) for part in os.environ.get(variable, "").split(os.pathsep) if part]


def _package_name(folder: Path) -> str:
    try:
        found = _NAME.search((folder / "package.xml").read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return ""
    return found.group(1) if found else ""
