"""Recognizes our own hosts and origins, to refuse foreign pages (CSRF) and foreign names (DNS rebinding)."""

from collections.abc import Iterable
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

_LOOPBACK: Final = ("127.0.0.1", "localhost", "[::1]")


class OurAddresses:
    """The names under which the server is reached.

    Parameters
    ----------
    port : the port that it listens on
    names : host names and addresses beside those of loopback
    scheme : http or https
    """

    def __init__(self, port: int, names: Iterable[str] = (), scheme: str = "http") -> None:
        default = 443 if scheme == "https" else 80
        bare = list(dict.fromkeys((*_LOOPBACK, *map(_bracketed, names))))
        self._hosts = {f"{name}:{port}" for name in bare} | (set(bare) if port == default else set())
        self._scheme = scheme

    def is_our_host(self, host: str | None) -> bool:
        """Whether a request's Host is ours; a request without one is foreign."""
        return host is not None and host.lower() in self._hosts

    def is_our_origin(self, origin: str | None) -> bool:
        """Whether a request's Origin is ours; a request without one does not come from our page."""
        if origin is None:
            return False
        parts = urlsplit(origin.lower())
        return parts.scheme == self._scheme and parts.netloc in self._hosts and not parts.path


def is_loopback(address: str | None) -> bool:
    """Whether a browser's address belongs to this machine."""
    try:
        return address is not None and ip_address(address.partition("%")[0]).is_loopback
    except ValueError:
        return False


def _bracketed(name: str) -> str:
    return f"[{name.lower()}]" if ":" in name and not name.startswith("[") else name.lower()
