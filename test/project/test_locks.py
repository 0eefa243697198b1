"""The pinned packages bring all that they need, on every Python that set-up accepts."""

import re
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path

import pytest
from packaging.markers import Environment, default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

LOCKS = Path(__file__).parents[2] / "requirements"
_PIN = re.compile(r"^[a-z0-9-]+==.*", re.MULTILINE)


def pinned(python: str) -> dict[str, Requirement]:
    """Return the pins of all layers that hold for a Python, by the package's name."""
    lines = [line for layer in ("run", "build", "develop") for line in _PIN.findall(_text(layer))]
    pins = [Requirement(line.removesuffix("\\")) for line in lines]
    return {canonicalize_name(pin.name): pin for pin in pins if _holds(pin, python)}


def _text(layer: str) -> str:
    return (LOCKS / f"jazzy-{layer}.txt").read_text()


def _holds(requirement: Requirement, python: str) -> bool:
    environment: Environment = {**default_environment(), "python_version": python, "python_full_version": f"{python}.0"}
    return requirement.marker is None or requirement.marker.evaluate({**environment, "extra": ""})


@pytest.mark.parametrize("python", ["3.11", "3.12", "3.13", "3.14"])
def test_what_a_pinned_package_needs_is_pinned(python: str) -> None:
    pins = pinned(python)
    checked = 0
    missing = []
    for name in pins:
        try:
            needed = [Requirement(text) for text in requires(name) or ()]
        except PackageNotFoundError:  # belongs to another platform or Python than this one
            continue
        checked += 1
        missing += [f"{name} needs {one}" for one in needed if _holds(one, python) and not _is_met(one, pins)]
    assert checked > 100
    assert missing == []


def _is_met(needed: Requirement, pins: dict[str, Requirement]) -> bool:
    pin = pins.get(canonicalize_name(needed.name))
    return pin is not None and all(needed.specifier.contains(one.version, True) for one in pin.specifier)
