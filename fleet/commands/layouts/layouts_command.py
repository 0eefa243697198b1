"""The command `thymio-fleet layouts`: writes RViz and Foxglove layouts for the robots of a fleet; needs no ROS."""

import argparse
import json
import sys
from pathlib import Path

from fleet.commands.layouts.viewer_layouts import ShownFleet, foxglove_layout, rviz_layout
from fleet.errors import ConfigError
from fleet.settings.config import FleetConfig, load_config
from thymio_base.errors import SettingsError
from thymio_base.exit_code import ExitCode
from thymio_base.shipped_files import shipped_file
from thymio_base.texts.json_text import read_json
from thymio_base.texts.yaml_text import write_yaml, yaml_values

_RVIZ, _FOXGLOVE = "fleet.rviz", "foxglove_fleet.json"
_COMMENT = "# RViz 2, written by `thymio-fleet layouts`. See docs/visualization.md.\n"


def add_layouts(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("fleet", type=Path, metavar="FLEET", help="the fleet's file")
    parser.add_argument(
        "--output", type=Path, default=Path(), metavar="FOLDER", help="where to write both files (default: here)"
    )
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    try:
        config = load_config(options.fleet)
        _write(options.output, ShownFleet.of(config))
    except (ConfigError, SettingsError) as error:
        print(error, file=sys.stderr)
        return ExitCode.USAGE
    except OSError as error:
        print(f"cannot write into {options.output}: {error.strerror}", file=sys.stderr)
        return ExitCode.USAGE
    _advise(config)
    return ExitCode.DONE


def _write(folder: Path, fleet: ShownFleet) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    rviz = rviz_layout(yaml_values(_pattern("fleet.rviz", "config/rviz")), fleet)
    foxglove = foxglove_layout(read_json(_pattern("fleet.json", "config/foxglove")), fleet)
    (folder / _RVIZ).write_text(_COMMENT + write_yaml(rviz), encoding="utf-8")
    (folder / _FOXGLOVE).write_text(json.dumps(foxglove, indent=2) + "\n", encoding="utf-8")
    print(f"RViz: rviz2 -d {folder / _RVIZ}", f"Foxglove: import {folder / _FOXGLOVE}", sep="\n")


def _pattern(name: str, folder: str) -> str:
    return shipped_file(name, folder).read_text(encoding="utf-8")


def _advise(config: FleetConfig) -> None:
    """Print which topics the fleet must publish for its robots to be drawn."""
    missing = [f"{name}: true" for name in ("tf", "description") if not getattr(config.driver.publish, name)]
    if missing:
        print(f"robots are drawn once the fleet has  driver: {{ publish: {{ {', '.join(missing)} }} }}")
