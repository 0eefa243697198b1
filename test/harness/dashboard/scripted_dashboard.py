"""A dashboard that serves a scripted fleet: for tests of the server and of the page.

By hand: `PYTHONPATH=.:test .venv/bin/python -m harness.dashboard.scripted_dashboard --port 8642`; it prints an address.
"""

import argparse
import asyncio
import contextlib
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from fleet.dashboard.access.key_ring import KeyRing
from fleet.dashboard.access.roles import Role
from fleet.dashboard.access.token_ring import ProgramToken, TokenRing, token_digest
from fleet.dashboard.api.webhook_book import WebhookBook
from fleet.dashboard.model.floor_entries import FloorPicture
from fleet.dashboard.model.story import Story
from fleet.dashboard.orders.command_desk import CommandDesk
from fleet.dashboard.web.web_server import ServerOptions, WebServer
from fleet.geometry import Pose2D
from fleet.settings.station_config import StationConfig, StationRole
from harness.dashboard.scripted_fleet import ARENA_M, ScriptedFleet

KEYS = {Role.VIEWER: "viewer-key", Role.OPERATOR: "operator-key", Role.TEACHER: "teacher-key"}
TOKENS = {role: f"tf_{role.value}" for role in Role}
STATIONS = (
    StationConfig("A", Pose2D(1.1, 1.8, 0.0), StationRole.LOAD),
    StationConfig("B", Pose2D(3.7, 0.4, 1.57), StationRole.UNLOAD),
    StationConfig("dock", Pose2D(0.4, 0.3, 0.0), StationRole.CHARGE),
)
ABOUT = {"version": "0.1.0", "distro": "jazzy", "host": "lab-pc", "domain": 0, "pose_hz": 10}


def scripted_server(
    fleet: ScriptedFleet,
    port: int,
    clock: Callable[[], int],
    *,
    viewers_may_stop: bool = True,
    reachable: str = "",
    is_page_fresh: bool = False,
    tokens: TokenRing | None = None,
    webhooks: WebhookBook | None = None,
) -> WebServer:
    """Return a server of a scripted fleet, which is not open yet."""
    board = CommandDesk(Story(0), fleet, fleet)
    board.story.configure(FloorPicture(arena_m=ARENA_M))
    board.stations.configure(STATIONS)
    options = ServerOptions(
        port,
        ("127.0.0.1",),
        ABOUT,
        started_unix_s=time.time(),
        names=(reachable,) if reachable else (),
        reachable=reachable,
        is_page_fresh=is_page_fresh,
    )
    keys = KeyRing(KEYS, "secret", lambda: secrets.token_urlsafe(16))
    valid = [ProgramToken(role.value, role, token_digest(text), 0.0) for role, text in TOKENS.items()]
    programs = tokens or TokenRing(lambda: valid)
    server = WebServer(board, keys, options, clock, tokens=programs, webhooks=webhooks)
    server.configure("map", viewers_may_stop=viewers_may_stop)
    return server


@dataclass
class ServedScript:
    """A running scripted dashboard.

    Parameters
    ----------
    url : of the page, without a key
    fleet : what it shows; changed from another thread only while `fleet_lock` is held
    """

    url: str
    fleet: ScriptedFleet
    fleet_lock: threading.Lock

    def url_of(self, role: Role) -> str:
        """Return the address that opens the page in a role."""
        return f"{self.url}?key={KEYS[role]}"


@contextmanager
def served_script(port: int, fleet: ScriptedFleet | None = None, **options: bool) -> Iterator[ServedScript]:
    """Serve a scripted fleet from a thread of its own; `with` ends it."""
    shown, lock = fleet or ScriptedFleet(), threading.Lock()
    started_ns = time.monotonic_ns()
    ready, is_over = threading.Event(), threading.Event()

    async def serve() -> None:
        server = scripted_server(shown, port, lambda: time.monotonic_ns() - started_ns, **options)
        await server.open()
        ready.set()
        while not is_over.is_set():
            with lock:
                server.step()
            await asyncio.sleep(0.05)
        await server.close()

    thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
    thread.start()
    assert ready.wait(60.0), "the scripted dashboard does not start"
    try:
        yield ServedScript(f"http://127.0.0.1:{port}/", shown, lock)
    finally:
        is_over.set()
        thread.join(60.0)


def main() -> None:
    """Serve a scripted fleet until Ctrl-C."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=8642)
    parser.add_argument("--robots", type=int, default=8)
    options = parser.parse_args()
    with served_script(options.port, ScriptedFleet(options.robots), is_page_fresh=True) as served:
        for role in Role:
            print(f"{role.value}: {served.url_of(role)}", flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            threading.Event().wait()


if __name__ == "__main__":
    main()
