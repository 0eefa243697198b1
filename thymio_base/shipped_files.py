"""Finds the files that are shipped beside the code: configuration, profiles, descriptions."""

import sysconfig
from pathlib import Path

try:
    from ament_index_python.packages import get_package_share_directory
except ModuleNotFoundError:  # without ROS, pip has installed them

    def get_package_share_directory(package_name: str, print_warning: bool = True) -> str:
        """Return the folder of a package's files, as the function of the same name in ROS does."""
        return f"{sysconfig.get_path('data')}/share/{package_name}"


def shipped_file(name: str, folder: str = "config") -> Path:
    """Return a file of one of the shipped folders: of the source tree, or of the installed package."""
    source = Path(__file__).parent.parent / folder / name
    return source if source.exists() else Path(get_package_share_directory("thymio_fleet")) / folder / name
