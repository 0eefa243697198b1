import os
import runpy
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Generator, Iterator
from functools import partial
from pathlib import Path

import pytest

from harness import left_behind, runs_again, warm_start

pytest_plugins = ["harness.examples", "harness.fast", "harness.fence_record", "harness.workers"]

# Programs that tests start can be interrupted by SIGINT even when the tests run in the background.
signal.signal(signal.SIGINT, signal.default_int_handler)

HERE = Path(__file__).parent
ROOT = HERE.parent
GUARD = pytest.StashKey[subprocess.Popen[bytes]]()
NEEDED_PROGRAMS = {  # by marker: any of these programs, and Debian's package of them
    "peers": (("asebaswitch",), "aseba"),
    "browser": (("chromium-headless-shell", "chromium", "google-chrome"), "chromium-headless-shell"),
    "postgresql": (("pg_ctlcluster", "postgres"), "postgresql"),
    "prometheus": (("promtool",), "prometheus"),
    "masters": (("mosquitto", "/usr/sbin/mosquitto"), "mosquitto"),
}
PEERS_REQUIRED = bool(os.environ.get("THYMIO_FLEET_REQUIRE_PEERS"))


def pytest_configure(config: pytest.Config) -> None:
    folder = tempfile.mkdtemp(prefix="thymio_fleet_tests_")  # instead of the user's own audit log
    config.add_cleanup(partial(shutil.rmtree, folder, ignore_errors=True))
    os.environ["XDG_STATE_HOME"] = folder
    config.pluginmanager.register(runs_again)
    warm_start.install()
    os.register_at_fork(before=left_behind.note_start)


def pytest_sessionstart(session: pytest.Session) -> None:
    """Exit at once if the compiled core is older than its sources: the tests would test the old core."""
    for core in ROOT.glob("*/compiled__mypyc*.so"):
        sources = runpy.run_path(str(ROOT / "tools/compiled.py"))["compiled_modules"](ROOT)
        changed = [source for source in sources if (ROOT / source).stat().st_mtime > core.stat().st_mtime]
        if changed:
            pytest.exit(f"changed since it was compiled: {', '.join(changed)}; make setup [COMPILED=no]", 4)
    session.config.stash[GUARD] = left_behind.mark_children()


def pytest_sessionfinish(session: pytest.Session) -> None:
    if GUARD in session.config.stash:
        session.config.stash[GUARD].communicate()


@pytest.fixture(scope="module", autouse=True)
def nothing_is_left_running() -> Iterator[None]:
    """Fail if programs still run after the tests of a file."""
    yield
    left = left_behind.end_left_by_this_process()
    assert not left, f"tests of this file left these programs running: {left}"


@pytest.fixture(autouse=True)
def environment_of_its_own() -> Iterator[None]:
    """Undo what a test changes: under our commands' profile, a program receives none of its own messages."""
    before = dict(os.environ)
    yield
    for name in os.environ.keys() - before.keys():
        del os.environ[name]
    for name, value in before.items():
        if os.environ.get(name) != value:
            os.environ[name] = value


def pytest_runtest_setup(item: pytest.Item) -> None:
    for marker, (programs, package) in NEEDED_PROGRAMS.items():
        if item.get_closest_marker(marker) and not any(map(shutil.which, programs)):
            pytest.skip(f"Debian's package {package} is not installed")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if PEERS_REQUIRED and report.skipped and any(map(item.get_closest_marker, NEEDED_PROGRAMS)):
        report.outcome = "failed"
        report.longrepr = f"THYMIO_FLEET_REQUIRE_PEERS is set, but this was skipped: {report.longrepr}"
    return report
