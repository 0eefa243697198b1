import os
import runpy
import shutil
import signal
import subprocess
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from harness import left_behind, runs_again
from harness.needs import needs_more

pytest_plugins = ["harness.fast", "harness.fence_record"]

settings.register_profile("patient", deadline=None)  # a slow test on a busy machine is no failure
settings.load_profile("patient")

# Programs that tests start can be interrupted by SIGINT even when the tests run in the background.
signal.signal(signal.SIGINT, signal.default_int_handler)

HERE = Path(__file__).parent
ROOT = HERE.parent
LONGEST_FIRST = (
    "test_page_tasks", "test_page_views", "test_page_stop", "test_page_accessibility", "test_page_security",
    "test_page_sessions", "test_local_answers", "test_faults", "test_hosts", "test_world_command", "test_stop",
    "test_bridge_faults", "test_cli_fleet", "test_follow", "test_calibrate", "test_cli_follow", "test_view_command",
    "test_world_command_alone", "test_cli", "test_drivers", "test_runs_again", "test_soak", "test_up", "test_goals",
    "test_contract", "test_bench_answers", "test_peer_simulator", "test_experiment_runs", "test_translator",
    "test_timing", "test_aesl_expressions", "test_run_pictures", "test_fleet_service", "test_traffic_in_fleet",
)  # fmt: skip
GUARD = pytest.StashKey[subprocess.Popen[bytes]]()
NEEDED_PROGRAMS = {  # by marker: any of these programs, and Debian's package of them
    "peers": (("asebaswitch",), "aseba"),
    "browser": (("chromium", "google-chrome"), "chromium"),
    "postgresql": (("pg_ctlcluster", "postgres"), "postgresql"),
}
PEERS_REQUIRED = bool(os.environ.get("THYMIO_FLEET_REQUIRE_PEERS"))


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(runs_again)


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


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Start with the files that wait longest, interleaved with those that compute, to keep all cores busy."""
    files = list(dict.fromkeys(item.path for item in items))
    waiting = sorted((path for path in files if needs_more(path)), key=_rank)
    computing = sorted((path for path in files if not needs_more(path)), key=_rank)
    places = {path: place / len(group) for group in (waiting, computing) for place, path in enumerate(group)}
    items.sort(key=lambda item: places[item.path])


def _rank(path: Path) -> int:
    return LONGEST_FIRST.index(path.stem) if path.stem in LONGEST_FIRST else len(LONGEST_FIRST)


@pytest.fixture(scope="module", autouse=True)
def nothing_is_left_running() -> Iterator[None]:
    """Fail if programs still run after the tests of a file."""
    yield
    left = left_behind.end_left(os.environ[left_behind.VARIABLE])
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
