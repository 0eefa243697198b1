"""Chooses where the server listens, and words its announcement."""

import socket
import ssl
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from fleet.dashboard.access.key_ring import KeyRing
from fleet.dashboard.access.roles import Role
from fleet.dashboard.web.web_server import ServerOptions
from thymio_base.program_version import distribution_name, package_version
from thymio_base.ros.ros_domain import ros_domain_id

_LOOPBACK: Final = ("127.0.0.1", "::1")
_ANYWHERE: Final = ("0.0.0.0", "::")
_POSE_HZ: Final = 10


def server_options(host: str, tls_cert: Path | None, tls_key: Path | None, started_unix_s: float) -> ServerOptions:
    """Return the options of a server that listens on `host`, "" for this machine alone; its port is set later."""
    is_local = host in ("", "localhost", *_LOOPBACK)
    tls = None
    if tls_cert is not None:
        tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        tls.load_cert_chain(tls_cert, tls_key)
    reachable, name = "" if is_local else _reachable(host), socket.gethostname()
    about = {"version": package_version("thymio_fleet"), "distro": distribution_name(), "host": name}
    return ServerOptions(
        port=0,
        addresses=_loopback_addresses() if is_local else (host,),
        about={**about, "domain": ros_domain_id(), "pose_hz": _POSE_HZ},
        started_unix_s=started_unix_s,
        names=() if is_local else (reachable, name, f"{name}.local"),
        reachable=reachable,
        tls=tls,
    )


def announcement(options: ServerOptions, url: str, role: Role, keys: KeyRing, keys_path: Path) -> Iterator[str]:
    """Yield the lines that announce the page's addresses and their roles."""
    yield f"dashboard: {url}"
    yield f"  this address works once: it makes one browser the {role.value}; without its key the page only shows"
    if not options.reachable:
        return
    far = f"{options.scheme}://{options.reachable}:{options.port}/?key={keys.one_time_key(role)}"
    yield f"  from other machines: {far}"
    if sys.stdout.isatty():
        from fleet.dashboard.web.qr_code import qr_terminal  # noqa: PLC0415  most dashboards are local

        yield qr_terminal(far)
    yield f"  lasting keys of all roles: {keys_path}"
    if options.tls is None:
        yield "  keys travel unencrypted: add --tls-cert and --tls-key or, instead of --host, on the other machine:"
        yield f"  ssh -L {options.port}:127.0.0.1:{options.port} {socket.gethostname()}"


def _loopback_addresses() -> tuple[str, ...]:
    """Return this machine's loopback addresses; some machines lack IPv6."""
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
    """Return the address by which other machines reach this one if it listens on `host`."""
    if host not in _ANYWHERE:
        return host
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect(("10.255.255.255", 9))  # sends nothing, only selects the interface
            return str(probe.getsockname()[0])
    except OSError:
        return "127.0.0.1"
