"""The dashboard's program: serves the page first, then loads and joins ROS, in one loop of one thread."""

import asyncio
import os
import secrets
import signal
import sys
import time
import webbrowser
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from fleet.dashboard.access.key_ring import KeyRing
from fleet.dashboard.access.roles import Role
from fleet.dashboard.access.token_ring import TokenRing
from fleet.dashboard.api.webhook_book import WebhookBook
from fleet.dashboard.execution.local_stopping import stop_local
from fleet.dashboard.free_memory import give_memory_back, limit_holes
from fleet.dashboard.kept_files import KeptFiles
from fleet.dashboard.kept_history import KeptHistory
from fleet.dashboard.kept_tokens import KeptTokens
from fleet.dashboard.kept_webhooks import KeptWebhooks
from fleet.dashboard.listening import announcement, server_options
from fleet.dashboard.model.story import Story
from fleet.dashboard.orders.awaited_fleet import AwaitedFleet
from fleet.dashboard.orders.command_desk import CommandDesk
from fleet.dashboard.web.web_server import ServerOptions, WebServer
from fleet.errors import FleetError
from thymio_base.logs.audit_log import own_audit_log
from thymio_base.logs.folders import state_folder
from thymio_base.logs.json_log import start_json_log
from thymio_base.ros.ros_domain import ros_domain_id
from thymio_base.ros.start.garbage import exempt_what_exists
from thymio_base.stop_signal import say

if TYPE_CHECKING:  # the page must answer before these are loaded
    from fleet.dashboard.ros_side import RosSide
    from fleet.settings.config import FleetConfig

_PROGRAM: Final = "thymio_fleet_dashboard"
PORT: Final = 8642
_PORTS: Final = 10  # tried in ascending order


@dataclass(frozen=True, slots=True)
class DashboardSettings:
    """How the dashboard is started.

    Parameters
    ----------
    config : the fleet file whose floor and stations are shown; None without one
    port : the first one to try
    host : the address to listen on; "" is loopback alone
    tls_cert, tls_key : files; None without encryption
    role : role of the printed one-time key
    opens : whether to open the page in a browser
    is_page_fresh : whether the page's files are read again for each request
    attended_s : how long tasks continue while no operator has the page open; None is for ever
    says_again : whether a line on standard input makes it print the address again
    """

    config: Path | None = None
    port: int = PORT
    host: str = ""
    tls_cert: Path | None = None
    tls_key: Path | None = None
    role: Role = Role.OPERATOR
    opens: bool = False
    is_page_fresh: bool = False
    attended_s: float | None = None
    says_again: bool = False


class PortsTakenError(FleetError, OSError):
    """No port is free."""


def run_dashboard(settings: DashboardSettings) -> None:
    """Serve the dashboard until SIGINT, SIGTERM, or SIGHUP (the end of the terminal, except after `nohup`).

    Raises
    ------
    ConfigError
        The fleet file has mistakes.
    PortsTakenError
        No port is free, or the address is not one of this machine.
    """
    limit_holes()
    start_json_log(_PROGRAM, sys.argv, settings.config)
    asyncio.run(_serve(settings))


async def _serve(settings: DashboardSettings) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if number != signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:
            asyncio.get_running_loop().add_signal_handler(number, stop.set)
    domain, files = ros_domain_id(), KeptFiles(state_folder())
    past = KeptHistory(state_folder(), domain, time.time())
    zero_ns = time.monotonic_ns() - round((time.time() - past.zero_unix_s) * 1e9)
    awaited = AwaitedFleet(lambda: stop_local(domain))
    audit = own_audit_log(_PROGRAM, domain)
    board = CommandDesk(Story(domain), awaited, awaited, files.station_keeper(domain), audit=audit)
    for station in files.stations(domain):
        board.stations.add(station)
    past.restore(board.story)
    keys, secret = files.keys()
    ring = KeyRing(keys, secret, lambda: secrets.token_urlsafe(16))
    programs = _programs(files, domain)
    server, options = await _listening(board, ring, programs, settings, lambda: time.monotonic_ns() - zero_ns)
    key = _announce(settings, options, ring, files)
    if settings.says_again:
        _say_again_when_asked(options, ring, key)
    if past.trouble:
        say(f"  {past.trouble}")
    serving = asyncio.create_task(server.run(stop.is_set))
    giving_back = asyncio.create_task(give_memory_back())
    ros = None
    try:
        ros = await _joined(server, board, awaited, settings)
        exempt_what_exists()
        await serving
    finally:
        stop.set()
        giving_back.cancel()
        await serving
        await server.close()
        if ros is not None:
            ros.close()
        past.close(board.story)


async def _listening(
    board: CommandDesk,
    keys: KeyRing,
    programs: tuple[TokenRing, WebhookBook],
    settings: DashboardSettings,
    clock: Callable[[], int],
) -> tuple[WebServer, ServerOptions]:
    """Return a server that listens on the first free port."""
    options = server_options(settings.host, settings.tls_cert, settings.tls_key, time.time() - clock() * 1e-9)
    problem: OSError | None = None
    for port in range(settings.port, settings.port + _PORTS):
        tried = replace(options, port=port, is_page_fresh=settings.is_page_fresh)
        server = WebServer(board, keys, tried, clock, tokens=programs[0], webhooks=programs[1])
        try:
            await server.open()
        except OSError as error:
            await server.close()
            problem = error
        else:
            return server, tried
    last = settings.port + _PORTS - 1
    raise PortsTakenError(f"cannot listen on ports {settings.port} to {last}: {problem}; try --port")


def _programs(files: KeptFiles, domain: int) -> tuple[TokenRing, WebhookBook]:
    """Return the tokens of programs, shared by all fleets, and the webhooks of this fleet."""
    webhooks = KeptWebhooks(files, domain)
    return TokenRing(KeptTokens(files).all), WebhookBook(webhooks.all(), webhooks.keep, secrets.token_bytes)


def _announce(settings: DashboardSettings, options: ServerOptions, keys: KeyRing, files: KeptFiles) -> str:
    """Print the page's address, open the page if wanted, and return its one-time key."""
    key = keys.one_time_key(settings.role)
    url = options.url(key)
    say("\n".join(announcement(options, url, settings.role, keys, files.keys_path)))
    if files.trouble:
        say(f"  {files.trouble}; after the next start, browsers need new keys")
    if settings.opens:
        webbrowser.open(url)
    return key


def _say_again_when_asked(options: ServerOptions, keys: KeyRing, key: str) -> None:
    """Print the address again at a line on standard input, which `up` sends when all robots are ready."""
    loop, source = asyncio.get_running_loop(), sys.stdin.fileno()

    def answer() -> None:
        loop.remove_reader(source)
        if os.read(source, 1):
            say(f"Or in a browser: {options.url(key if keys.is_unused(key) else '')}\n")

    loop.add_reader(source, answer)


async def _joined(
    server: WebServer, board: CommandDesk, awaited: AwaitedFleet, settings: DashboardSettings
) -> "RosSide":
    """Load the configuration and ROS while the page is served, and connect them to the desk."""
    config = None if settings.config is None else await asyncio.to_thread(_load_config, settings.config)
    frame = "map" if config is None else config.frame
    server.configure(frame, viewers_may_stop=config is None or config.dashboard.viewers_may_stop)
    ros = await asyncio.to_thread(_load_ros, board, frame)
    if config is not None:
        from fleet.dashboard.ros_side import floor_of  # noqa: PLC0415  is loaded by now

        board.story.configure(floor_of(config))
        board.stations.configure(config.stations)
    board.feed, board.execution = ros.feed, ros.execution
    server.watch_attendance(settings.attended_s, ros.execution.let_go)
    if awaited.is_stop_wanted:
        ros.execution.call_stop(is_stop=True)
    return ros


def _load_config(path: Path) -> "FleetConfig":
    from fleet.settings.config import load_config  # noqa: PLC0415  the page must answer before

    return load_config(path)


def _load_ros(board: CommandDesk, frame: str) -> "RosSide":
    from fleet.dashboard.ros_side import RosSide  # noqa: PLC0415  the page must answer before

    return RosSide(board.story, ros_domain_id(), frame, board.fence)
