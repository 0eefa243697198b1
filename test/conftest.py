import os
import shutil
import signal
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("patient", deadline=None)  # a busy machine is no failure
settings.load_profile("patient")

# Programs that tests start are interrupted as a person would, even where the tests themselves run in the background.
signal.signal(signal.SIGINT, signal.default_int_handler)

ROOT = Path(__file__).parent.parent
PEERS_REQUIRED = bool(os.environ.get("THYMIO_FLEET_REQUIRE_PEERS"))


def pytest_sessionstart() -> None:
    """End at once where the compiled core is not that of the sources: tests would tell of the core as it was."""
    for core in ROOT.glob("*/compiled__mypyc*.so"):
        sources = (ROOT / "tools/compiled.txt").read_text(encoding="utf-8").split()
        changed = [source for source in sources if (ROOT / source).stat().st_mtime > core.stat().st_mtime]
        if changed:
            pytest.exit(f"changed since it was compiled: {', '.join(changed)}; make setup [COMPILED=no]", 4)


@pytest.fixture(autouse=True)
def environment_of_its_own() -> Iterator[None]:
    """What a test adds is gone after it: under the profile that our commands set, a program does not hear itself."""
    before = set(os.environ)
    yield
    for added in os.environ.keys() - before:
        del os.environ[added]


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("peers") and not shutil.which("asebaswitch"):
        pytest.skip("Debian's package aseba is not installed")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if PEERS_REQUIRED and report.skipped and item.get_closest_marker("peers"):
        report.outcome = "failed"
        report.longrepr = f"THYMIO_FLEET_REQUIRE_PEERS is set, but this was skipped: {report.longrepr}"
    return report
