"""Dashel target strings, the addresses of robots: `tcp:host=127.0.0.1;port=33333`, `ser:name=Thymio-II`.

Keys may be omitted if the values are in Dashel's order: `tcp:127.0.0.1;33333`, `ser:/dev/ttyACM0`.
"""

import ipaddress
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from aseba_link.errors import TargetError
from thymio_base.errors import TextError
from thymio_base.names.host_names import host_problem
from thymio_base.texts.decimal_text import whole_number
from thymio_base.texts.shortened import shortened

DEFAULT_PORT = 33333  # ASEBA_DEFAULT_PORT

_IN_BRACKETS = re.compile(r"\[[\w:.%-]+\]")
_TCP_KEYS = ("host", "port")
_SERIAL_KEYS = ("device", "name")
_SERIAL_LINE_KEYS = ("baud", "stop", "parity", "fc", "bits", "dtr")  # meaningless on USB: parsed and ignored


@dataclass(frozen=True, slots=True)
class TcpTarget:
    """A robot, simulator or switch that listens on TCP."""

    host: str
    port: int = DEFAULT_PORT

    def __post_init__(self) -> None:
        if problem := host_problem(self.host):
            raise TargetError(problem)
        if not 1 <= self.port <= 65535:
            raise TargetError(f"port {self.port} is not in 1 to 65535")


@dataclass(frozen=True, slots=True)
class SerialTarget:
    """A serial port, given by the path of its device or part of its description, such as `Thymio-II`."""

    device: str = ""
    name: str = ""

    def __post_init__(self) -> None:
        if bool(self.device) == bool(self.name):
            raise TargetError("either device or name must be given")


Target = TcpTarget | SerialTarget
# the notations of other programs: //host:port, host:port, [address]:port
_ADDRESS = re.compile(r"(?:[a-z]+:)?(?://)?(\[[0-9A-Fa-f:.]+\]|[^\s:;,=/\[\]]+):([0-9]{1,5})/?")
_OWN_HOSTS = ("127.0.0.1", "::1")


def target_problems(texts: Sequence[str], own_port: int = 0) -> Iterator[tuple[int, str]]:
    """Yield the index of each unusable target and the reason: it is invalid, a duplicate, or our own port."""
    first_texts: dict[Target, str] = {}
    for index, text in enumerate(texts):
        try:
            target = parse_target(text)
        except TargetError as error:
            yield index, str(error)
            continue
        address = _plain(target)
        if address in first_texts:
            yield index, f"{text} is the same as {first_texts[address]}"
        elif isinstance(address, TcpTarget) and address.port == own_port and address.host in _OWN_HOSTS:
            yield index, f"{text} is the port that we open ourselves"
        first_texts.setdefault(address, text)


def _plain(target: Target) -> Target:
    """Return a target in a common spelling, for comparison."""
    if isinstance(target, SerialTarget):
        return replace(target, device=os.path.normpath(target.device) if target.device else "")
    host = target.host.lower().removesuffix(".")
    return TcpTarget("127.0.0.1" if host == "localhost" else _plain_address(host), target.port)


def _plain_address(host: str) -> str:
    """Return an IP address in its shortest form, mapped IPv4 as plain IPv4; other hosts are unchanged."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    return str(getattr(address, "ipv4_mapped", None) or address)


def parse_target(text: str) -> Target:
    """Return the target of a Dashel target string.

    Raises
    ------
    TargetError
        The text is malformed, or this link does not support such targets; the message contains the text.
    """
    protocol, colon, parameters = text.strip().partition(":")
    parts = [part.strip() for part in parameters.split(";") if part.strip()]
    try:
        if not colon:
            raise TargetError("it does not start with 'tcp:' or 'ser:'")
        if protocol == "tcp":
            return _tcp_target(_values(parts, _TCP_KEYS, _TCP_KEYS))
        if protocol == "ser":
            values = _values(parts, ("device", *_SERIAL_LINE_KEYS), _SERIAL_KEYS + _SERIAL_LINE_KEYS)
            return SerialTarget(values.get("device", ""), values.get("name", ""))
        raise TargetError(f"only tcp and ser can be opened, not {protocol!r}")
    except TargetError as error:
        raise TargetError(f"target {text!r}: {_advice(text.strip()) or error}") from None


def _advice(text: str) -> str:
    """Return the correct form of a target written for other programs; "" if it is not recognized."""
    if text.startswith("/dev/"):
        return f"write ser:device={text}"
    address = _ADDRESS.fullmatch(text)
    return f"write tcp:host={address[1].strip('[]')};port={address[2]}" if address else ""


def _tcp_target(values: dict[str, str]) -> TcpTarget:
    port = values.get("port", str(DEFAULT_PORT))
    try:
        return TcpTarget(_host(values.get("host", "")), whole_number(port))
    except TextError:
        raise TargetError(f"port {shortened(port)!r} is not a number") from None


def _host(text: str) -> str:
    """Return a host, without the brackets of an IPv6 address in a URL."""
    return text[1:-1] if _IN_BRACKETS.fullmatch(text) else text


def _values(parts: Sequence[str], positional: Sequence[str], known: Sequence[str]) -> dict[str, str]:
    """Return key -> value; a part without a key gets the key of its position."""
    values: dict[str, str] = {}
    for position, part in enumerate(parts):
        key, equals, value = part.partition("=")
        if not equals:
            if position >= len(positional):
                raise TargetError(f"{part!r} is one value too many")
            key, value = positional[position], part
        key, value = key.strip(), value.strip()
        if key not in known:
            raise TargetError(f"unknown key {key!r}; known: {', '.join(known)}")
        if key in values:
            raise TargetError(f"{key} is given twice")
        values[key] = value
    return values
