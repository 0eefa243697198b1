"""An environment in which ROS cannot start is told in a sentence."""

import pytest

from thymio_base.ros.start.ros_environment import end_if_ros_cannot_start, peers_problem


@pytest.mark.parametrize("peers", ["", ";", "localhost", "127.0.0.1;", ";;::1"])
def test_hosts_with_addresses_are_accepted(monkeypatch: pytest.MonkeyPatch, peers: str) -> None:
    monkeypatch.setenv("ROS_STATIC_PEERS", peers)
    assert peers_problem() == ""


@pytest.mark.parametrize("peers", ["a b", "localhost;no such host", "x" * 300, "\u202e", "a..b"])
def test_host_without_an_address_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], peers: str
) -> None:
    monkeypatch.setenv("ROS_STATIC_PEERS", peers)
    with pytest.raises(SystemExit) as ended:
        end_if_ros_cannot_start()
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith(f"ROS_STATIC_PEERS names {peers.rsplit(';', maxsplit=1)[-1][:80]!r}")
