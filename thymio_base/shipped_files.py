"""Finds the files that are shipped beside the code: configuration, profiles, descriptions."""

from pathlib import Path

from ament_index_python.packages import get_package_share_directory


def shipped_file(name: str, folder: str = "config") -> Path:
    """Return a file of one of the shipped folders: of the source tree, or of the installed package."""
    source = Path(__file__).parent.parent / folder / name
    return source if source.exists() else Path(get_package_share_directory("thymio_fleet")) / folder / name
