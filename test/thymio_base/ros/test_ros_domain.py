"""The ROS domain of the environment."""

import pytest

from thymio_base.ros.ros_domain import ros_domain_id


@pytest.mark.parametrize(("text", "expected"), [("7", 7), ("", 0), ("seven", 0), ("-1", 0)])
def test_domain_is_0_unless_the_environment_names_one(
    monkeypatch: pytest.MonkeyPatch, text: str, expected: int
) -> None:
    monkeypatch.setenv("ROS_DOMAIN_ID", text)
    assert ros_domain_id() == expected


def test_domain_is_0_without_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ROS_DOMAIN_ID", raising=False)
    assert ros_domain_id() == 0
