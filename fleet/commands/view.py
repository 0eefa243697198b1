"""The command `thymio-fleet view`: shows the running world in the terminal, or writes a picture of it to a file."""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from rich.live import Live

from fleet.client.fleet_client import FleetClient
from fleet.client.graph_client import DISCOVERY_S
from fleet.errors import HOW_TO_START, FleetError
from fleet.view.terminal import terminal_picture
from fleet.view.watch import SceneWatch, ShownPoses
from thymio_base.argument_types import number
from thymio_base.exit_code import ExitCode

_REFRESH_S = 0.1
_LONGEST_S = 3600.0
_DRIVER_S = 2.5  # for finding the driver; a simulator may run without one


def add_view(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument(
        "--poses",
        type=ShownPoses,
        choices=list(ShownPoses),
        metavar="truth|fleet",
        help="whose poses: the simulator's (default if there is one), or the driver's estimates",
    )
    for kind in ("svg", "png"):
        parser.add_argument(
            f"--{kind}",
            type=_file(f".{kind}"),
            metavar="FILE",
            help=f"write a picture ({kind.upper()}) and end",
        )
    parser.add_argument(
        "--after", type=_seconds, default=0.0, metavar="S", help="watch this long before the picture, to show tracks"
    )
    parser.add_argument("--once", action="store_true", help="print one picture and end")
    parser.set_defaults(run=_view)


def _file(ending: str) -> Callable[[str], Path]:
    def read(text: str) -> Path:
        path = Path(text)
        if path.suffix.lower() != ending:
            raise argparse.ArgumentTypeError(f"{text} does not end with {ending}")
        return path

    return read


def _seconds(text: str) -> float:
    return number(text, f"a number of seconds from 0 to {_LONGEST_S:g}", 0.0, _LONGEST_S)


def _view(options: argparse.Namespace) -> int:
    pictures = [path for path in (options.svg, options.png) if path is not None]
    client = FleetClient()
    try:
        watch = SceneWatch(client, options.poses)
        if not pictures and not options.once:
            _show_live(client, watch)
        _wait_for_robots(client, watch)
        client.spin(options.after)
        watch.refresh()
        if not pictures:
            console = Console()
            console.print(terminal_picture(watch.scene, console.width, max(console.height, 2)))
        for path in pictures:
            _save(watch, path)
        return ExitCode.DONE
    finally:
        client.close()


def _wait_for_robots(client: FleetClient, watch: SceneWatch) -> None:
    def is_complete() -> bool:
        watch.refresh()
        return bool(watch.scene.robots) and watch.has_ground

    def is_described() -> bool:
        watch.refresh()
        return watch.is_described

    def has_robots() -> bool:
        watch.refresh()
        return bool(watch.scene.robots)

    client.spin_until(is_complete, DISCOVERY_S)
    if not client.graph.spin_until_served(has_robots, 0.0, lambda local: local.has_drivers):
        raise FleetError(f"no poses of robots; {HOW_TO_START}, and `thymio-fleet status` shows what robots lack")
    client.spin(0.3)  # the others are found within moments of the first
    watch.refresh()
    client.spin_until(is_described, _DRIVER_S)


def _save(watch: SceneWatch, path: Path) -> None:
    from fleet.view.drawing import save_picture  # noqa: PLC0415  matplotlib costs other commands 0.4 s

    try:
        save_picture(watch.scene, path)
    except OSError as error:
        raise FleetError(f"cannot write {path}: {error.strerror}") from error
    print(path, file=sys.stderr)


def _show_live(client: FleetClient, watch: SceneWatch) -> None:
    """Show the scene until Ctrl-C."""
    console = Console()
    with Live(console=console, screen=True, auto_refresh=False) as live:
        while True:
            watch.refresh()
            live.update(terminal_picture(watch.scene, console.width, console.height), refresh=True)
            client.spin(_REFRESH_S)
