"""Hosts are names, IPv4 or IPv6 addresses; what no resolver finds is told, with the right form."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thymio_base.names.host_names import host_problem

NAMES = ["localhost", "lab-pc", "robots.local", "robots.local.", "my_box", "müller.example", "2robots"]
ADDRESSES = ["10.0.0.7", "0.0.0.0", "::1", "fe80::1%eth0", "::ffff:10.0.0.7"]


@pytest.mark.parametrize("host", NAMES + ADDRESSES)
def test_names_and_addresses_are_hosts(host: str) -> None:
    assert host_problem(host) == ""


@pytest.mark.parametrize(
    ("host", "problem"),
    [
        ("", "host is empty"),
        ("[::1]", "write host=::1"),
        ("local host", "host 'local host' has ' '"),
        ("//localhost:33333", "names have no colon"),
        ("//localhost", "has '/'"),
        ("localhost:33333", "names have no colon"),
        ("127.0.0.300", "not an IPv4 address"),
        ("127.0.0", "not an IPv4 address"),
        ("0x7f.1", "ends in a number"),
        ("0X7F000001", "ends in a number"),
        ("lab.7", "ends in a number"),
        ("a..b", "parts between dots"),
        (".local", "parts between dots"),
        ("x" * 64, "1 to 63 characters"),
        ("a." * 130, "is not a name"),
        ("lab\n", "has '\\n'"),
        ("user@host", "has '@'"),
        ("*", "has '*'"),
    ],
)
def test_unresolved_host_is_reported(host: str, problem: str) -> None:
    assert problem in host_problem(host)


@given(st.text(max_size=300))
def test_any_text_is_judged(host: str) -> None:
    problem = host_problem(host)
    assert len(problem) < 500
