"""Configurations for tests, read from files as in production."""

from pathlib import Path

import pytest

from fleet.errors import ConfigError
from fleet.settings.config import FleetConfig, load_config

ONE_ROBOT = """
robots:
- {id: 1, node_id: 1, home: {x_m: 0.0, y_m: 0.0}}
"""


def read(folder: Path, text: str = ONE_ROBOT) -> FleetConfig:
    """Return the configuration given by `text`."""
    path = folder / "fleet.yaml"
    path.write_text(text, encoding="utf-8")
    return load_config(path)


def problems_of(folder: Path, text: str) -> list[str]:
    """Return the problems that the reader reports for an invalid configuration."""
    with pytest.raises(ConfigError) as caught:
        read(folder, text)
    return [problem.removeprefix(f"{folder}/fleet.yaml:") for problem in str(caught.value).splitlines()]
