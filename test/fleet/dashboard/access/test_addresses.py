import pytest

from fleet.dashboard.access.addresses import OurAddresses, is_loopback


@pytest.mark.parametrize("host", ["127.0.0.1:8642", "localhost:8642", "LOCALHOST:8642", "[::1]:8642"])
def test_loopback_is_ours(host: str) -> None:
    ours = OurAddresses(8642)
    assert ours.is_our_host(host)
    assert ours.is_our_origin(f"http://{host}")


@pytest.mark.parametrize("host", [None, "", "evil.example:8642", "127.0.0.1", "127.0.0.1:8643", "127.0.0.1:8642.evil"])
def test_other_hosts_are_not_ours(host: str | None) -> None:
    assert not OurAddresses(8642).is_our_host(host)


@pytest.mark.parametrize(
    "origin",
    [
        None,
        "null",
        "http://evil.example",
        "https://127.0.0.1:8642",
        "http://127.0.0.1:8643",
        "http://127.0.0.1:8642/x",
        "http://user@127.0.0.1:8642",
        "http://127.0.0.1:8642.evil.example",
    ],
)
def test_other_origins_are_not_ours(origin: str | None) -> None:
    assert not OurAddresses(8642).is_our_origin(origin)


def test_further_names_are_ours() -> None:
    ours = OurAddresses(8642, ["Lab-PC", "192.168.1.5", "fe80::1"])
    for host in ("lab-pc:8642", "192.168.1.5:8642", "[fe80::1]:8642"):
        assert ours.is_our_host(host)


def test_default_port_need_not_be_named() -> None:
    ours = OurAddresses(443, ["lab-pc"], "https")
    assert ours.is_our_host("lab-pc")
    assert ours.is_our_origin("https://lab-pc")
    assert not ours.is_our_origin("http://lab-pc")


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("::1", True),
        ("192.168.1.5", False),
        ("fe80::1%eth0", False),
        ("", False),
    ],
)
def test_loopback_is_distinguished_from_the_network(address: str, expected: bool) -> None:
    assert is_loopback(address) is expected
    assert not is_loopback(None)
