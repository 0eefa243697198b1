"""The ROS domain of the environment."""

import pytest

from thymio_base.ros.ros_domain import domain_problem, ros_domain_id

NONSENSE = ["abc", "300", "233", "-1", "010", "0x10", "5x", " 5", "1_0", "1.0", "\u0663", "9" * 400]


@pytest.mark.parametrize(("text", "expected"), [("7", 7), ("0", 0), ("232", 232), ("", 0)])
def test_domain_is_that_of_the_environment_or_0(monkeypatch: pytest.MonkeyPatch, text: str, expected: int) -> None:
    monkeypatch.setenv("ROS_DOMAIN_ID", text)
    assert (ros_domain_id(), domain_problem()) == (expected, "")


def test_domain_is_0_without_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ROS_DOMAIN_ID", raising=False)
    assert (ros_domain_id(), domain_problem()) == (0, "")


@pytest.mark.parametrize("text", NONSENSE, ids=lambda text: text[:8])
def test_invalid_domain_is_named_with_the_valid_range(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("ROS_DOMAIN_ID", text)
    assert domain_problem() == f"ROS_DOMAIN_ID is {text[:40]!r}: write a whole number from 0 to 232, or unset it"
