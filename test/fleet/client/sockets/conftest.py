"""The folder in which drivers of a host open their sockets."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from fleet.hosts.local_drivers import domain_folder
from harness.local_domain import DOMAIN


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The drivers' folder, with a path that is short enough for sockets."""
    with tempfile.TemporaryDirectory() as base:
        monkeypatch.setenv("XDG_RUNTIME_DIR", base)
        found = domain_folder(DOMAIN)
        found.mkdir(parents=True)
        yield found
