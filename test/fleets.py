"""Configurations for tests, as files that the one reader reads."""

from pathlib import Path

from fleet.config import FleetConfig, load_config

ONE_ROBOT = """
robots:
- {id: 1, node_id: 1, home: {x_m: 0.0, y_m: 0.0}}
"""


def read(folder: Path, text: str = ONE_ROBOT) -> FleetConfig:
    """Return the configuration that `text` says."""
    path = folder / "fleet.yaml"
    path.write_text(text, encoding="utf-8")
    return load_config(path)
