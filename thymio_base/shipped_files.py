"""Finds the files that are shipped beside the code: configuration, profiles, descriptions."""

import sysconfig
from pathlib import Path
from typing import Final

try:
    from ament_index_python.packages import get_package_share_directory
except ModuleNotFoundError:  # without ROS, the files were installed by pip

    def get_package_share_directory(package_name: str, print_warning: bool = True) -> str:
        """Raise LookupError, like ROS's function of the same name for unknown packages."""
        raise LookupError(package_name)


_NAME: Final = "thymio_fleet"


def shipped_file(name: str, folder: str = "config") -> Path:
    """Return a file in a shipped folder, from the source tree or the installed package."""
    source = Path(__file__).parent.parent / folder / name
    return source if source.exists() else _share() / folder / name


def _share() -> Path:
    """Return the folder of our package's files; ROS does not know a package that pip has installed beside it."""
    try:
        return Path(get_package_share_directory(_NAME))
    except (LookupError, OSError):
        return Path(sysconfig.get_path("data")) / "share" / _NAME
