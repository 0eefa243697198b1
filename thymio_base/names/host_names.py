"""Checks names and addresses of hosts for what no resolver could resolve."""

import ipaddress
import re
from typing import Final

_LONGEST: Final = 253  # RFC 1035, section 2.3.4, as text
_LONGEST_LABEL: Final = 63
_IPV4: Final = re.compile(r"[0-9.]+")
_NUMBER: Final = re.compile(r"0[xX][0-9a-fA-F]*|[0-9]+")  # resolvers read 0x7f.1 as an address


def host_problem(host: str) -> str:
    """Return why a text is not a host name or IP address, with the correct form if known; "" if it is valid.

    Names may have letters of any script, and underscores, as container engines create them.
    """
    if not host:
        return "host is empty"
    if host.startswith("[") and host.endswith("]"):
        return f"host {host!r} has brackets; write host={host[1:-1]}"
    if ":" in host:
        return "" if _is_ipv6(host) else f"host {host!r} is not an IPv6 address, and names have no colon"
    if _IPV4.fullmatch(host):
        return "" if _is_ipv4(host) else f"host {host!r} is not an IPv4 address: four numbers from 0 to 255"
    return _name_problem(host)


def _name_problem(host: str) -> str:
    foreign = next((character for character in host if not (character.isalnum() or character in "-_.")), "")
    if foreign:
        return f"host {host!r} has {foreign!r}; host names may contain only letters, digits, - and dots"
    labels = host.removesuffix(".").split(".")
    if _NUMBER.fullmatch(labels[-1]):
        return f"host {host[:_LONGEST_LABEL]!r} ends in a number; write an IPv4 address like 127.0.0.1"
    if len(host) > _LONGEST or not all(0 < len(label) <= _LONGEST_LABEL for label in labels):
        return f"host {host[:_LONGEST_LABEL]!r} is not a name: parts between dots have 1 to {_LONGEST_LABEL} characters"
    return ""


def _is_ipv6(text: str) -> bool:
    try:
        ipaddress.IPv6Address(text)
    except ValueError:
        return False
    return True


def _is_ipv4(text: str) -> bool:
    try:
        ipaddress.IPv4Address(text)
    except ValueError:
        return False
    return True
