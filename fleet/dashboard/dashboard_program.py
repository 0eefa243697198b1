"""The program of the dashboard: joins ROS, the board and the server, in one loop of one thread."""

import asyncio
import secrets
import signal
import socket
import ssl
import sys
import time
import webbrowser
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from fleet.client.graph_client import GraphClient
from fleet.dashboard.access.key_ring import KeyRing
from fleet.dashboard.access.roles import Role
from fleet.dashboard.execution.ros_execution import RosExecution
from fleet.dashboard.feed.ros_feed import RosFeed
from fleet.dashboard.kept_files import KeptFiles, state_folder
from fleet.dashboard.model.floor_entries import FloorPicture
from fleet.dashboard.model.story import Story
from fleet.dashboard.orders.board import Board
from fleet.dashboard.web.web_server import ServerOptions, WebServer
from fleet.errors import FleetError
from fleet.interface.seen_floor import SceneFloor
from fleet.settings.config import FleetConfig
from thymio_base.program_version import distribution_name, package_version
from thymio_base.ros.ros_domain import ros_domain_id

PORT: Final = 8642
_PORTS: Final = 10  # tried from the first one on
_LOOPBACK: Final = ("127.0.0.1", "::1")
_POSE_HZ: Final = 10


@dataclass(frozen=True, slots=True)
class DashboardSettings:
    """How the dashboard is started.

    Parameters
    ----------
    config : of the fleet, for its floor, its stations and its frame; None without one
    port : the first one to try
    host : the address to listen on; "" is loopback alone
    tls_cert, tls_key : files; None without encryption
    role : of the one-time key that is printed
    opens : whether to open the page in a browser
    is_page_fresh : whether files of the page are read anew for each request
    """

    config: FleetConfig | None = None
    port: int = PORT
    host: str = ""
    tls_cert: Path | None = None
    tls_key: Path | None = None
    role: Role = Role.OPERATOR
    opens: bool = False
    is_page_fresh: bool = False

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach it."""
        return self.host in ("", "localhost", *_LOOPBACK)


class PortsTakenError(FleetError, OSError):
    """No port is free."""


def run_dashboard(settings: DashboardSettings) -> None:
    """Serve the dashboard until SIGINT or SIGTERM.

    Raises
    ------
    PortsTakenError
        No port is free, or the address is none of this machine.
    """
    with closing(GraphClient()) as graph:
        asyncio.run(_serve(graph, settings))


async def _serve(graph: GraphClient, settings: DashboardSettings) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    started_ns = time.monotonic_ns()
    files, keys = _keys(state_folder())
    board = _board(graph, settings, files)
    server, options = await _listening(board, keys, settings, lambda: time.monotonic_ns() - started_ns)
    _announce(settings, options, keys, files)
    try:
        await server.run(stop.is_set)
    finally:
        await server.close()


def _keys(folder: Path) -> tuple[KeptFiles, KeyRing]:
    files = KeptFiles(folder)
    keys, secret = files.keys()
    return files, KeyRing(keys, secret, lambda: secrets.token_urlsafe(16))


def _board(graph: GraphClient, settings: DashboardSettings, files: KeptFiles) -> Board:
    config, domain = settings.config, ros_domain_id()
    story = Story(domain, FloorPicture() if config is None else floor_of(config))
    execution = RosExecution(graph, story, domain, "map" if config is None else config.frame)
    feed = RosFeed(graph.create_node(f"{graph.node.get_name()}_reader"))
    stations = () if config is None else config.stations
    board = Board(story, feed, execution, stations, files.station_keeper(domain))
    for station in files.stations(domain):
        board.stations.add(station)
    return board


def floor_of(config: FleetConfig) -> FloorPicture:
    """Return what the configuration says of the floor."""
    arena = config.arena
    walls = tuple(((x1_m, y1_m), (x2_m, y2_m)) for x1_m, y1_m, x2_m, y2_m in config.floor.walls)
    arena_m = None if arena is None else (arena.x_min_m, arena.y_min_m, arena.x_max_m, arena.y_max_m)
    return FloorPicture(SceneFloor(walls), config.floor.keep_out, arena_m)


async def _listening(
    board: Board, keys: KeyRing, settings: DashboardSettings, clock: Callable[[], int]
) -> tuple[WebServer, ServerOptions]:
    """Return a server that listens on the first port that is free."""
    options = _options(settings, time.time() - clock() * 1e-9)
    problem: OSError | None = None
    for port in range(settings.port, settings.port + _PORTS):
        tried = replace(options, port=port)
        server = WebServer(board, keys, tried, clock)
        try:
            await server.open()
        except OSError as error:
            await server.close()
            problem = error
        else:
            return server, tried
    last = settings.port + _PORTS - 1
    raise PortsTakenError(f"cannot listen on ports {settings.port} to {last}: {problem}; try --port")


def _options(settings: DashboardSettings, started_unix_s: float) -> ServerOptions:
    config = settings.config
    tls = None
    if settings.tls_cert is not None:
        tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        tls.load_cert_chain(settings.tls_cert, settings.tls_key)
    reachable = "" if settings.is_local else _reachable(settings.host)
    return ServerOptions(
        port=settings.port,
        addresses=_loopback_addresses() if settings.is_local else (settings.host,),
        about={
            "version": package_version("thymio_fleet"),
            "distro": distribution_name(),
            "host": socket.gethostname(),
            "domain": ros_domain_id(),
            "frame": "map" if config is None else config.frame,
            "pose_hz": _POSE_HZ,
        },
        started_unix_s=started_unix_s,
        names=() if settings.is_local else (reachable, socket.gethostname(), f"{socket.gethostname()}.local"),
        reachable=reachable,
        tls=tls,
        viewers_may_stop=config is None or config.dashboard.viewers_may_stop,
        is_page_fresh=settings.is_page_fresh,
    )


def _loopback_addresses() -> tuple[str, ...]:
    """Return the addresses of loopback that this machine has; some have no IPv6."""
    found = []
    for address in _LOOPBACK:
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        try:
            with socket.socket(family) as probe:
                probe.bind((address, 0))
        except OSError:
            continue
        found.append(address)
    return tuple(found)


def _reachable(host: str) -> str:
    """Return the address under which others reach this machine, if it listens on `host`."""
    if host not in ("0.0.0.0", "::"):
        return host
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect(("10.255.255.255", 9))  # sends nothing, and chooses the way
            return str(probe.getsockname()[0])
    except OSError:
        return "127.0.0.1"


def _announce(settings: DashboardSettings, options: ServerOptions, keys: KeyRing, files: KeptFiles) -> None:
    """Print where the page is."""
    url = options.url(keys.one_time_key(settings.role))
    print(f"dashboard: {url}", flush=True)
    print(f"  this address makes one browser the {settings.role.value}; without the key it only shows", flush=True)
    for line in _network_lines(settings, options, keys, files):
        print(line, flush=True)
    if settings.opens:
        webbrowser.open(url)


def _network_lines(
    settings: DashboardSettings, options: ServerOptions, keys: KeyRing, files: KeptFiles
) -> Sequence[str]:
    if settings.is_local:
        return ()
    from fleet.dashboard.web.qr_code import qr_terminal  # noqa: PLC0415  most dashboards are local

    url = f"{options.scheme}://{options.reachable}:{options.port}/?key={keys.one_time_key(settings.role)}"
    lines = [f"  from other machines: {url}", qr_terminal(url) if sys.stdout.isatty() else ""]
    lines.append(f"  lasting keys of all roles: {files.keys_path}")
    if options.tls is None:
        lines.append("  keys travel unencrypted: --tls-cert FILE --tls-key FILE, or without --host, from a machine:")
        lines.append(f"  ssh -L {options.port}:127.0.0.1:{options.port} {socket.gethostname()}")
    return [line for line in lines if line]
