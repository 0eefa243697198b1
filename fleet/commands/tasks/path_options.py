"""The options of commands that let robots follow a path."""

import argparse

from fleet.paths.placement import Placement
from fleet.paths.shapes import SHAPES
from thymio_base.argument_types import count, positive_metres, positive_mps

PATH_HELP = f"{', '.join(SHAPES)}, or a file of waypoints or YAML"


def add_path_options(parser: argparse.ArgumentParser) -> None:
    """Add options that override a path's own size, speed, laps and placement."""
    sizes = ", ".join(f"{name} {shape.size_m:g}" for name, shape in SHAPES.items())
    parser.add_argument(
        "--size", type=positive_metres, metavar="M", help=f"width of a shape in metres; default: {sizes}"
    )
    parser.add_argument(
        "--speed",
        type=positive_mps,
        default=0.0,
        metavar="M/S",
        help="mean speed, stops included; default: the file's value, or as fast as the limits of motion allow",
    )
    parser.add_argument("--laps", type=count, default=0, metavar="N", help="default: the file's value, or 1")
    parser.add_argument(
        "--relative-to",
        choices=[placement.value for placement in Placement],
        default="",
        help="position: each robot's position; pose: its position and heading; map: the fleet's frame; "
        "default: the file's value, or position",
    )
