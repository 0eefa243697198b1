"""Listens on TCP for Aseba hosts, for the switch and the simulator."""

import errno
import os
import socket
from collections.abc import Iterator

from aseba_link.errors import ListenError
from aseba_link.link.connection import TcpConnection

_ANY_IPV6 = "::"
_MAPPED_IPV4 = "::ffff:"  # RFC 4291, 2.5.5.2
_BACKLOG = 64  # limit for waiting hosts, and for hosts accepted per call


class Listener:
    """A listening socket whose calls never block.

    Raises
    ------
    ListenError
        The address does not belong to this machine, or the port is in use.
    """

    def __init__(self, address: str, port: int) -> None:
        try:
            self._socket = _listening(address, port)
        except (OSError, UnicodeError) as error:  # the latter for an impossible host name
            raise ListenError(f"cannot listen on {address}, port {port}: {_reason(error, port)}") from error
        self._socket.setblocking(False)

    @property
    def port(self) -> int:
        """The port number."""
        return int(self._socket.getsockname()[1])

    def accept(self) -> Iterator[TcpConnection]:
        """Yield a connection for each host that has connected since the last call."""
        for _ in range(_BACKLOG):
            try:
                peer, address = self._socket.accept()
            except OSError:  # no host is waiting, or it has disconnected already
                return
            yield TcpConnection(peer, _text(*address[:2]))

    def close(self) -> None:
        """Stop listening."""
        self._socket.close()


def _listening(address: str, port: int) -> socket.socket:
    """Return a listening socket: on IPv4 if the address has one, else on IPv6; `::` is all addresses of both."""
    found = {entry[0] for entry in socket.getaddrinfo(address, port, type=socket.SOCK_STREAM)}
    family = socket.AF_INET if socket.AF_INET in found else socket.AF_INET6
    is_both = address == _ANY_IPV6 and socket.has_dualstack_ipv6()
    return socket.create_server((address, port), family=family, backlog=_BACKLOG, dualstack_ipv6=is_both)


def _text(host: str, port: int) -> str:
    """Return a host's address for people; an IPv4 address that arrived over IPv6 is shown as IPv4."""
    host = host.removeprefix(_MAPPED_IPV4)
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _reason(error: OSError | UnicodeError, port: int) -> str:
    """Return the system's message, without the address that Python adds, and the cure."""
    if isinstance(error, UnicodeError):
        return "this is not the name of a host"
    if isinstance(error, socket.gaierror) or error.errno is None:
        return str(error.strerror or error)
    is_taken = error.errno == errno.EADDRINUSE
    advice = f"; does another fleet run here? `ss -ltnp 'sport = :{port}'` names the program that has the port"
    return f"{os.strerror(error.errno)}{advice if is_taken else ''}"
